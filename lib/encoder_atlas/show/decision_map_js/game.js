// Last part, in the place of map.js: the same map as a game. One sentence is hidden; who reads a point pays one.

const FOUND = "#c4320a";
const REGIONS_LISTED = 8;

class GameData extends MapData {
  constructor(model) {
    super(model);
    this.hidden = model.get("hidden");
    this.order = [...numbers(model, "order", Uint16Array)];
    this.regions = numbers(model, "regions", Uint16Array);
    this.region = numbers(model, "region", Uint16Array);
    this.outlines = this.traceRegions();
  }

  regionName(i) {
    return this.region[i] ? `in region ${this.region[i]}` : "outside the regions";
  }

  members(number) {
    return this.order.filter((i) => this.region[i] === number);
  }

  // Every region's border, as lines between grid cells in the unit square, and a place for its number.
  traceRegions() {
    const { rows, cols, regions } = this;
    const [across, down] = [cols - 1, rows - 1];
    const outlines = Array.from({ length: Math.max(0, ...this.region) }, () => ({ lines: [], cells: [] }));
    regions.forEach((number, at) => {
      if (!number) return;
      const [row, col] = [Math.floor(at / cols), at % cols];
      const [left, right] = [(col - 0.5) / across, (col + 0.5) / across];
      const [top, bottom] = [1 - (row + 0.5) / down, 1 - (row - 0.5) / down];
      const outside = (r, c) => r < 0 || c < 0 || r >= rows || c >= cols || regions[r * cols + c] !== number;
      const { lines, cells } = outlines[number - 1];
      cells.push([col / across, 1 - row / down]);
      if (outside(row + 1, col)) lines.push([left, top, right, top]);
      if (outside(row - 1, col)) lines.push([left, bottom, right, bottom]);
      if (outside(row, col - 1)) lines.push([left, top, left, bottom]);
      if (outside(row, col + 1)) lines.push([right, top, right, bottom]);
    });
    return outlines.map(({ lines, cells }) => ({ lines, label: middlemost(cells) }));
  }
}

// The place nearest to the mean of all: unlike the mean it is one of them.
function middlemost(cells) {
  const mean = [0, 1].map((axis) => cells.reduce((sum, cell) => sum + cell[axis], 0) / cells.length);
  const distance = ([u, v]) => Math.hypot(u - mean[0], v - mean[1]);
  return cells.reduce((best, cell) => (distance(cell) < distance(best) ? cell : best));
}

class GamePicture extends Picture {
  constructor(canvas, data) {
    super(canvas, data);
    Object.assign(this, { read: new Set(), known: false });
  }

  paintScene(context) {
    this.paintHeat(context);
    this.drawRegions(context);
    const { all, hidden } = this.data;
    this.drawPoints(context, all.filter((i) => !this.read.has(i)), 1);
    this.drawPoints(context, [...this.read], 0.35);
    for (const i of this.read) this.drawRing(context, i, 1, INK, 2);
    if (this.known) this.drawRing(context, hidden, this.radius + 9, FOUND, 4);
    this.data.outlines.forEach(({ label }, i) => this.drawNumber(context, i + 1, label));
  }

  drawRegions(context) {
    context.beginPath();
    for (const { lines } of this.data.outlines) {
      for (const [u, v, toU, toV] of lines) {
        context.moveTo(...this.at(u, v));
        context.lineTo(...this.at(toU, toV));
      }
    }
    context.strokeStyle = INK;
    context.lineWidth = 1.3;
    context.stroke();
  }

  drawNumber(context, number, place) {
    if (number > REGIONS_LISTED) return;
    const [x, y] = this.at(...place);
    context.beginPath();
    context.arc(x, y, 9, 0, 2 * Math.PI);
    context.fillStyle = INK;
    context.fill();
    Object.assign(context, { fillStyle: "white", font: "600 12px system-ui, sans-serif" });
    Object.assign(context, { textAlign: "center", textBaseline: "middle" });
    context.fillText(number, x, y + 0.5);
  }
}

class GamePanel extends Panel {
  // actions: choose([point]), mark(point or null), next(), reveal(), again(), look(region)
  build() {
    const { actions } = this;
    this.heading.setAttribute("aria-atomic", "true");
    this.next = button("Read the next by rank", actions.next);
    this.reveal = button("Reveal", actions.reveal);
    const play = buttonGroup("Play", this.next, this.reveal, button("Start again", actions.again));
    this.verdict = make("div", "verdict");
    this.verdict.setAttribute("role", "status");
    this.regions = buttonGroup("Look into an uncertain region, the largest first");
    this.node.append(this.legend(), this.heading, play, this.verdict, this.regions, this.list);
  }

  legend() {
    const legend = super.legend();
    for (const [mark, text] of [
      [make("span", "outlined"), "outlined: uncertain region, 1 the largest"],
      [make("span", "read-mark"), "pale with a dot: read"],
    ]) {
      const entry = make("li");
      entry.append(mark, make("span", "", text));
      legend.append(entry);
    }
    return legend;
  }

  update({ frame, read, known, shownRegion }) {
    const { data } = this;
    this.frame = frame;
    this.heading.textContent = `Sentences read: ${read.length} of ${data.n}`;
    this.next.disabled = read.length === data.n;
    this.reveal.disabled = known;
    this.verdict.textContent = known ? this.result(read) : "";
    this.verdict.hidden = !known;
    this.fillRegions(new Set(read), shownRegion);
    this.list.replaceChildren(...read.toReversed().slice(0, LISTED).map((i) => this.item(i)));
  }

  result(read) {
    const { data } = this;
    const at = read.indexOf(data.hidden) + 1;
    const done = at ? `Found, as sentence number ${at}: ` : `Revealed after ${read.length} read: `;
    return (
      `${done}“${data.texts[data.hidden]}” It lies ${data.regionName(data.hidden)}. Reading at random takes ` +
      `${(data.n + 1) / 2} sentences on average; the ranking takes ${data.order.indexOf(data.hidden) + 1}.`
    );
  }

  fillRegions(read, shownRegion) {
    const focused = [...this.regions.children].indexOf(document.activeElement);
    const buttons = this.data.outlines.slice(0, REGIONS_LISTED).map((_, i) => {
      const members = this.data.members(i + 1);
      const done = members.filter((point) => read.has(point)).length;
      const look = button(`Region ${i + 1}: ${done} of ${members.length} read`, () => this.actions.look(i + 1));
      look.setAttribute("aria-pressed", shownRegion === i + 1);
      return look;
    });
    this.regions.replaceChildren(...buttons);
    this.regions.children[focused]?.focus();
  }

  item(i) {
    const row = super.item(i);
    row.classList.toggle("hidden-one", i === this.data.hidden);
    return row;
  }
}

class GameView extends MapView {
  makeData() {
    return new GameData(this.model);
  }

  makePanel() {
    return new GamePanel(this.data, {
      choose: ([point]) => this.goTo(point),
      mark: (point) => this.mark(point),
      next: () => this.read(this.data.order.find((i) => !this.chosen().includes(i))),
      reveal: () => this.reveal(),
      again: () => this.again(),
      look: (region) => this.look(region),
    });
  }

  makePicture() {
    return new GamePicture(this.canvas, this.data);
  }

  get help() {
    return "Click a point to read its sentence. Keys: arrows move, Enter reads, Esc shows the whole map.";
  }

  get spokenHelp() {
    return (
      `Map of ${this.data.n} sentences, one of them manipulated. Arrow keys move from point to point, Enter ` +
      "reads a point's sentence, Escape shows the whole map. The buttons after the map read in order of rank."
    );
  }

  listen() {
    super.listen();
    this.hear(["revealed"], () => this.refresh());
  }

  // ---- playing; what is chosen in a map is what has been read here, in the order of reading

  get known() {
    return this.model.get("revealed") || this.chosen().includes(this.data.hidden);
  }

  read(point) {
    this.cursor = point;
    if (!this.chosen().includes(point)) this.choose([...this.chosen(), point]);
    this.point(point);
    this.spoken.textContent = this.words(point).join(". ");
  }

  goTo(point) {
    this.cursor = point;
    this.point(point);
  }

  reveal() {
    this.set({ revealed: true });
    this.clear();
  }

  again() {
    this.set({ revealed: false });
    this.choose([]);
    this.clear();
  }

  look(region) {
    if (this.shownRegion === region) return this.clear();
    this.shownRegion = region;
    this.picture.zoom(this.data.members(region));
    this.refresh();
  }

  clear() {
    this.shownRegion = this.cursor = null;
    this.point(null);
    this.picture.zoomOut();
    this.refresh();
  }

  move(event) {
    this.point(this.picture.nearest(event.offsetX, event.offsetY));
  }

  click(point) {
    if (point !== null) this.read(point);
  }

  toggle(point) {
    this.read(point);
  }

  key(event) {
    if (event.key.toLowerCase() !== "a") super.key(event); // no reading by the dozen
  }

  words(i) {
    if (this.chosen().includes(i) || (this.known && i === this.data.hidden)) return super.words(i);
    return ["Not read yet", this.data.regionName(i)];
  }

  refresh() {
    const { data, frame, known, shownRegion } = this;
    const read = this.chosen();
    this.counts.textContent = `${data.n} sentences at ${frame.name}, one of them changed to mislead the classifier`;
    this.showQuality(data.all.filter((i) => data.wrong(frame, i)));
    this.panel.update({ frame, read, known, shownRegion });
    Object.assign(this.picture, { read: new Set(read), known });
    this.picture.paint();
  }
}

export default { render: renderWith(GameView, "atlas-map") };
