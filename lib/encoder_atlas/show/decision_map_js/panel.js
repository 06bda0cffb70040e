// Third part: beside the picture, the legend, the search and the list of sentences.

const LISTED = 200; // longest list put on the page; "Copy ids" copies all
const LEAST_CERTAIN = 20;

function glyph(path, colour, hollow = false) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-1.5 -1.5 3 3");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  shape.setAttribute("fill", hollow ? "none" : colour);
  shape.setAttribute("stroke", hollow ? colour : "none");
  shape.setAttribute("stroke-width", ".5");
  svg.append(shape);
  return svg;
}

async function copyText(text, holder) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard, or no leave to use it, as in some pages opened from a file: copy out of a field instead.
    const field = make("textarea");
    field.value = text;
    holder.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

class Panel {
  // actions: choose(points), filter(query), zoom(), clear(), mark(point or null)
  constructor(data, actions) {
    Object.assign(this, { data, actions, listed: [] });
    this.node = make("div", "panel");
    this.heading = make("div", "heading");
    this.heading.setAttribute("aria-live", "polite");
    this.list = make("ol", "list");
    this.build();
  }

  build() {
    const { actions } = this;
    this.search = make("input");
    Object.assign(this.search, { type: "search", placeholder: "Search the sentences" });
    this.search.setAttribute("aria-label", "Search the sentences; Enter chooses those found");
    this.search.addEventListener("input", () => actions.filter(this.search.value));
    this.search.addEventListener("keydown", ({ key }) => key === "Enter" && actions.choose(this.listed));
    this.presets = buttonGroup("Choose points");
    this.copy = button("Copy ids", () => this.copyIds());
    this.zoom = button("Zoom in", actions.zoom);
    this.tools = buttonGroup("What to do with them", this.copy, this.zoom, button("Clear", actions.clear));
    this.node.append(this.legend(), this.search, this.presets, this.heading, this.tools, this.list);
  }

  legend() {
    const legend = make("ul", "legend");
    const entry = (mark, text) => {
      const item = make("li");
      item.append(mark, make("span", "", text));
      legend.append(item);
    };
    const { class_names, colours, markers } = this.data;
    class_names.forEach((name, i) => entry(glyph(SHAPES[markers[i]], colours[i]), `true label: ${name}`));
    entry(glyph(SHAPES.o, "currentColor", true), "ring: prediction (its colour) ≠ background");
    const fading = make("span", "fading");
    fading.style.background = `linear-gradient(90deg, ${colours.slice(0, 3).join(", white, ")})`;
    entry(fading, "background: decision; white = unsure");
    return legend;
  }

  update({ frame, ringed, wrong, chosen, listed, query }) {
    this.frame = frame;
    this.listed = listed;
    this.fillPresets({ Ringed: ringed, Misclassified: wrong });
    this.heading.textContent = this.headline(chosen.length, query);
    this.heading.classList.toggle("quiet", !listed.length);
    this.tools.hidden = !listed.length;
    this.list.replaceChildren(...listed.slice(0, LISTED).map((i) => this.item(i)));
    if (listed.length > LISTED) this.list.append(make("li", "more", `… and ${listed.length - LISTED} more`));
  }

  fillPresets(presets) {
    presets = { ...presets, "Least certain": this.data.leastCertain(this.frame, LEAST_CERTAIN), All: this.data.all };
    const preset = ([name, points]) => button(`${name} (${points.length})`, () => this.actions.choose(points));
    const focused = [...this.presets.children].indexOf(document.activeElement);
    this.presets.replaceChildren(...Object.entries(presets).map(preset));
    this.presets.children[focused]?.focus(); // the buttons are new, the reader's place is not
  }

  headline(chosen, query) {
    const sentences = (count) => `${count} ${count === 1 ? "sentence" : "sentences"}`;
    const holding = query ? ` holding “${query}”` : "";
    if (chosen === 1) {
      const near = `its ${this.data.k} nearest by the blended distance at ${this.frame.name}`;
      return query ? `Of one sentence and ${near}, ${this.listed.length}${holding}` : `One sentence and ${near}`;
    }
    if (chosen) return query ? `${this.listed.length} of ${sentences(chosen)} chosen${holding}` : `${sentences(chosen)} chosen`;
    if (query) return `${sentences(this.listed.length)}${holding}; Enter chooses them`;
    return "Nothing chosen: click or draw round points, search, or press a button above.";
  }

  item(i) {
    const { labels, colours, markers, texts } = this.data;
    const open = button("", () => this.actions.choose([i]));
    const about = make("span", "about", this.data.describe(this.frame, i));
    if (this.data.wrong(this.frame, i)) about.prepend(make("b", "", "misclassified"), " · ");
    const words = make("span", "words", texts[i]);
    words.append(about);
    open.append(glyph(SHAPES[markers[labels[i]]], colours[labels[i]]), words);
    for (const name of ["pointerenter", "focus"]) open.addEventListener(name, () => this.actions.mark(i));
    for (const name of ["pointerleave", "blur"]) open.addEventListener(name, () => this.actions.mark(null));
    const row = make("li");
    row.append(open);
    return row;
  }

  async copyIds() {
    const ids = this.listed.map((i) => this.data.ids[i]);
    const copied = await copyText(ids.join("\n"), this.node);
    this.copy.textContent = copied ? `Copied ${ids.length}` : "Could not copy";
    this.copy.focus();
    setTimeout(() => (this.copy.textContent = "Copy ids"), 2000);
  }
}
