// Last part, in the place of map.js: several maps of the same points side by side, with one list for all of them.

// One of the maps. It has a picture of its own; what is chosen, the search and the list belong to all.
class SideView extends MapView {
  makeData() {
    return this.maps.data;
  }

  makePanel() {
    return this.maps.panel;
  }

  get frame() {
    return this.data.frames[this.number];
  }

  get leads() {
    return this.model.get("frame") === this.number;
  }

  get spokenHelp() {
    return `${this.frame.name}. ${super.spokenHelp}`;
  }

  build() {
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", this.frame.name);
    this.root.append(make("div", "name", this.frame.name), this.buildStage(), this.buildStatus());
  }

  // Called at the start, and when another map takes the lead.
  showFrame() {
    if (this.picture.frame) return this.refresh();
    this.picture.show(this.frame, false);
    this.refresh();
  }

  lead() {
    if (!this.leads) this.set({ frame: this.number });
  }

  press(event) {
    this.lead();
    super.press(event);
  }

  key(event) {
    this.lead();
    super.key(event);
  }

  clear() {
    for (const side of this.maps.sides) side.clearThis();
  }

  clearThis() {
    super.clear();
  }

  refresh() {
    super.refresh();
    this.root.classList.toggle("leads", this.leads);
  }

  countsText(ringed) {
    return `${ringed.length} of ${this.data.n} ringed`;
  }
}

class MapsView extends View {
  constructor(model, root) {
    super(model, root);
    this.data = new MapData(model);
    this.panel = this.makePanel();
    this.sides = this.data.frames.map((_, number) => new SideView(model, make("div", "side"), { maps: this, number }));
    this.build();
    this.keepKeys(() => this.leader.clear());
  }

  // The map in which the reader was last.
  get leader() {
    return this.sides[this.model.get("frame")];
  }

  makePanel() {
    return new Panel(this.data, {
      choose: (points) => this.leader.choose(points),
      filter: (query) => this.sides.forEach((side) => side.filter(query)),
      zoom: () => this.sides.forEach((side) => side.toggleZoom()),
      clear: () => this.leader.clear(),
      mark: (point) => this.leader.mark(point),
    });
  }

  build() {
    const { root, sides, panel } = this;
    this.entitle(this.model.get("title"), "Decision maps side by side");
    const row = make("div", "sides");
    row.append(...sides.map((side) => side.root));
    panel.node.classList.add("wide");
    root.append(row, make("div", "help", `What is chosen in one map is marked in all. ${this.leader.help}`), panel.node);
  }

  close() {
    for (const side of this.sides) side.close();
  }
}

export default { render: renderWith(MapsView, "atlas-map") };
