// The grids: one a task, and one of their overlap. Each is one stop of the Tab key; arrows move inside.

class Grid {
  // actions: choose(head), point(head or null)
  constructor(data, name, colour, actions) {
    Object.assign(this, { data, name, actions });
    this.node = make("div", "panel-of-heads");
    this.heading = make("div", "grid-name");
    this.count = make("span", "about");
    const words = make("span");
    words.append(make("b", "", name), this.count);
    if (colour) this.heading.append(swatch(colour));
    this.heading.append(words);
    this.node.append(this.heading, this.build());
    this.listen();
  }

  build() {
    const { layers, heads, all } = this.data;
    this.grid = make("div", "grid");
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", `${this.name}: heads by layer; arrows move`);
    this.grid.style.setProperty("--heads", heads);
    this.cells = all.map((i) => {
      const cell = make("div", "head");
      cell.setAttribute("role", "gridcell");
      cell.dataset.head = i;
      cell.tabIndex = -1;
      return cell;
    });
    for (let layer = layers - 1; layer >= 0; layer -= 1) {
      const row = make("div", "layer");
      row.setAttribute("role", "row");
      row.append(tick(layer, layers), ...this.cells.slice(layer * heads, (layer + 1) * heads));
      this.grid.append(row);
    }
    this.grid.append(tick(-1), ...Array.from({ length: heads }, (_, head) => tick(head, heads)));
    return this.grid;
  }

  listen() {
    const headOf = (event) => event.target.dataset.head && Number(event.target.dataset.head);
    this.grid.addEventListener("click", (event) => headOf(event) !== undefined && this.actions.choose(headOf(event), true));
    this.grid.addEventListener("pointerover", (event) => this.actions.point(headOf(event) ?? null));
    this.grid.addEventListener("focusin", (event) => this.actions.point(headOf(event) ?? null));
    for (const name of ["pointerleave", "focusout"]) this.grid.addEventListener(name, () => this.actions.point(null));
    this.grid.addEventListener("keydown", (event) => this.key(event, headOf(event)));
  }

  key(event, i) {
    if (i === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.next(event.key, i);
    if (to === null) return;
    event.preventDefault();
    this.actions.choose(to, false);
    this.cells[to].focus();
  }

  // Up is the next layer, for the first lies at the bottom.
  next(key, i) {
    const { heads, layers } = this.data;
    const [layer, head] = [Math.floor(i / heads), i % heads];
    const bound = (value, count) => Math.min(count - 1, Math.max(0, value));
    const at = (toLayer, toHead) => bound(toLayer, layers) * heads + bound(toHead, heads);
    const moves = {
      ArrowLeft: () => at(layer, head - 1),
      ArrowRight: () => at(layer, head + 1),
      ArrowUp: () => at(layer + 1, head),
      ArrowDown: () => at(layer - 1, head),
      Home: () => at(layer, 0),
      End: () => at(layer, heads - 1),
      PageUp: () => at(layers - 1, head),
      PageDown: () => at(0, head),
      Enter: () => i,
      " ": () => i,
    };
    return moves[key]?.() ?? null;
  }

  // paint(i) gives { background, taken, label } of a head.
  update(count, paint) {
    this.count.textContent = count;
    this.cells.forEach((cell, i) => {
      const { background, taken, label } = paint(i);
      cell.style.background = background;
      cell.classList.toggle("taken", taken);
      cell.setAttribute("aria-label", label);
    });
  }

  mark(chosen, pointed) {
    this.cells.forEach((cell, i) => {
      cell.classList.toggle("chosen", i === chosen);
      cell.classList.toggle("pointed", i === pointed);
      cell.tabIndex = i === (chosen ?? this.first) ? 0 : -1;
      if (i === chosen) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
    });
  }

  // Where the Tab key enters while nothing is chosen: the top left.
  get first() {
    return (this.data.layers - 1) * this.data.heads;
  }
}

// The number of a layer or head at the edge of a grid; of many, every other.
function tick(index, count) {
  const named = index >= 0 && (count < 10 || index % 2 === 0);
  const node = make("span", "tick", named ? String(index + 1) : "");
  node.setAttribute("aria-hidden", "true");
  return node;
}

function swatch(colour) {
  const node = make("span", "swatch");
  node.style.background = colour;
  return node;
}
