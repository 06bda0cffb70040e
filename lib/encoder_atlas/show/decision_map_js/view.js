// Fourth part: joins model, picture and panel, and hears mouse, touch, keyboard and linked maps.

const LINK = "encoder-atlas:link"; // how maps of one group tell each other what is chosen and pointed at
const AREA = 10; // points taken by the key A
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class MapView extends View {
  // known: what a view of a special kind needs from the start
  constructor(model, root, known = {}) {
    super(model, root);
    Object.assign(this, { query: "", pointed: null, cursor: null, lasso: [] }, known);
    this.data = this.makeData();
    this.panel = this.makePanel();
    this.build();
    this.picture = this.makePicture();
    this.showFrame(false);
    this.listen();
  }

  // ---- the page

  makeData() {
    return new MapData(this.model);
  }

  makePanel() {
    return new Panel(this.data, {
      choose: (points) => this.choose(points),
      filter: (query) => this.filter(query),
      zoom: () => this.toggleZoom(),
      clear: () => this.clear(),
      mark: (point) => this.mark(point),
    });
  }

  makePicture() {
    return new Picture(this.canvas, this.data);
  }

  get help() {
    return (
      "Draw round points, or click one for its nearest neighbours (Shift adds). " +
      "Keys: arrows move, Enter chooses, A takes the area, Esc clears."
    );
  }

  get spokenHelp() {
    return (
      `Map of ${this.data.n} sentences. Arrow keys move from point to point, Enter chooses a point, A chooses ` +
      `the ${AREA} points around it, Escape clears. The buttons after the map list the same points.`
    );
  }

  build() {
    this.entitle(this.model.get("title"), "Decision map");
    const columns = make("div", "columns");
    const column = make("div");
    column.append(this.buildStage(), this.buildSlider(), this.buildStatus(), make("div", "help", this.help));
    columns.append(column, this.panel.node);
    this.root.append(columns);
  }

  buildStage() {
    this.stage = make("div", "stage");
    this.canvas = make("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", this.spokenHelp);
    this.tip = make("div", "tip");
    this.tip.hidden = true;
    this.spoken = live("spoken");
    this.stage.append(this.canvas, this.tip, this.spoken);
    return this.stage;
  }

  buildSlider() {
    const name = "λ, from the classifier alone to the representation alone";
    this.slider = new Slider(name, this.data.frames.length - 1, (frame) => this.set({ frame }));
    const ends = make("span", "ends");
    ends.append(make("span", "", "← classifier only"), make("span", "", "representation only →"));
    this.slider.node.append(ends);
    this.slider.node.hidden = this.data.frames.length === 1;
    return this.slider.node;
  }

  buildStatus() {
    const box = make("div", "status");
    this.counts = live("");
    this.quality = make("div", "quality");
    box.append(this.counts, this.quality);
    return box;
  }

  // ---- what is heard

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.endLasso());
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("blur", () => this.point(null));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.keepKeys(() => this.clear());
    this.hear(["frame"], () => this.showFrame(true));
    this.hear(["selected"], () => this.refresh());
    this.onLink = ({ detail }) => this.follow(detail);
    document.addEventListener(LINK, this.onLink);
    this.sizes = new ResizeObserver(() => this.picture.fit(this.stage.clientWidth));
    this.sizes.observe(this.stage);
  }

  close() {
    super.close();
    document.removeEventListener(LINK, this.onLink);
    this.sizes.disconnect();
  }

  press(event) {
    if (event.button) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.point(null);
    this.lasso = [[event.offsetX, event.offsetY]];
  }

  move(event) {
    const place = [event.offsetX, event.offsetY];
    if (!this.lasso.length) return this.point(this.picture.nearest(...place));
    this.lasso.push(place);
    this.draw();
  }

  release(event) {
    if (!this.lasso.length) return;
    const add = event.shiftKey || event.ctrlKey || event.metaKey;
    const [[x, y]] = this.lasso;
    if (this.lasso.every((place) => Math.hypot(place[0] - x, place[1] - y) < 5)) this.click(this.picture.nearest(x, y), add);
    else this.choose([...new Set([...(add ? this.chosen() : []), ...this.picture.within(this.lasso)])]);
    this.endLasso();
  }

  endLasso() {
    this.lasso = [];
    this.draw();
  }

  click(point, add) {
    if (point === null) {
      if (!add) this.choose([]);
      return;
    }
    this.cursor = point;
    const again = this.chosen().length === 1 && this.chosen()[0] === point;
    if (add) this.toggle(point);
    else this.choose(again ? [] : [point]);
  }

  key(event) {
    const key = event.key.toLowerCase();
    if (ARROWS[event.key]) this.step(...ARROWS[event.key]);
    else if (this.cursor !== null && (key === "enter" || key === " ")) this.toggle(this.cursor);
    else if (this.cursor !== null && key === "a" && !event.ctrlKey && !event.metaKey) {
      this.choose(this.picture.around(this.cursor, AREA));
    } else return;
    event.preventDefault();
  }

  step(dx, dy) {
    this.cursor = this.picture.next(this.cursor, dx, dy);
    if (this.cursor === null) return;
    this.point(this.cursor);
    this.spoken.textContent = this.words(this.cursor).join(". ");
  }

  // What is said of a point that is pointed at: its sentence, and what is known about it.
  words(i) {
    return [this.data.texts[i], this.data.describe(this.frame, i)];
  }

  // ---- what is chosen

  // The map shown, and the one whose neighbours are listed.
  get frame() {
    return this.leading;
  }

  get leading() {
    return this.data.frames[this.model.get("frame")];
  }

  // Whether the list is of this map.
  get leads() {
    return true;
  }

  chosen() {
    return this.model.get("selected").map((id) => this.data.index.get(id));
  }

  choose(points) {
    const ids = points.map((i) => this.data.ids[i]);
    this.set({ selected: ids });
    this.tell({ chosen: ids });
  }

  toggle(point) {
    const chosen = this.chosen();
    this.choose(chosen.includes(point) ? chosen.filter((i) => i !== point) : [...chosen, point]);
  }

  clear() {
    this.query = this.panel.search.value = "";
    this.cursor = null;
    this.point(null);
    this.picture.zoomOut();
    this.choose([]);
    this.refresh();
    this.draw(); // without the ring of the cursor
  }

  filter(query) {
    this.query = query.trim();
    this.refresh();
  }

  // One chosen point brings its neighbours with it; a search narrows what is chosen, or looks through all.
  listed(chosen) {
    let points = chosen.length === 1 ? [...chosen, ...this.leading.neighbours(chosen[0])] : chosen;
    if (!this.query) return points;
    if (!chosen.length) points = this.data.all;
    return points.filter((i) => this.data.texts[i].toLowerCase().includes(this.query.toLowerCase()));
  }

  tell(what) {
    const { model } = this;
    const detail = { from: this, model, group: model.get("group"), ...what };
    document.dispatchEvent(new CustomEvent(LINK, { detail }));
  }

  // Maps of one widget or of one group follow each other.
  follow({ from, model, group, chosen, pointed }) {
    const linked = model === this.model || (group && group === this.model.get("group"));
    if (from === this || !linked) return;
    if (chosen && model !== this.model) this.set({ selected: chosen.filter((id) => this.data.index.has(id)) });
    if (pointed !== undefined) {
      this.pointed = this.data.index.get(pointed) ?? null;
      this.draw();
    }
  }

  // ---- what is shown

  showFrame(smoothly) {
    this.slider.show(this.model.get("frame"), this.frame.name);
    this.picture.show(this.frame, smoothly);
    this.point(null);
    this.refresh();
  }

  refresh() {
    const { data, frame, query } = this;
    const chosen = this.chosen();
    const ringed = data.all.filter((i) => data.ringed(frame, i));
    const wrong = data.all.filter((i) => data.wrong(frame, i));
    this.counts.textContent = this.countsText(ringed);
    this.showQuality(wrong);
    const listed = this.listed(chosen);
    if (this.leads) this.panel.update({ frame, ringed, wrong, chosen, listed, query });
    this.picture.paint(chosen, listed);
    this.nameZoom();
  }

  countsText(ringed) {
    return `${ringed.length} of ${this.data.n} points: prediction and background differ at ${this.frame.name}`;
  }

  showQuality(wrong) {
    const percent = (error) => `${(100 * error).toFixed(1)} %`;
    this.quality.textContent =
      `Q_kNN error ${percent(this.frame.q_knn)} · Q_data error ${percent(this.frame.q_data)} · ` +
      `classifier's own error ${percent(wrong.length / this.data.n)}`;
  }

  draw() {
    const { pointed, cursor, lasso } = this;
    this.picture.draw({ pointed, cursor, lasso });
  }

  toggleZoom() {
    if (this.picture.zoomed) this.picture.zoomOut();
    else this.picture.zoom(this.picture.listed);
    this.nameZoom();
  }

  nameZoom() {
    this.panel.zoom.textContent = this.picture.zoomed ? "Whole map" : "Zoom in";
  }

  mark(point) {
    if (point === this.pointed) return;
    this.pointed = point;
    this.tell({ pointed: point === null ? null : this.data.ids[point] });
    this.draw();
  }

  // Mark a point and show its sentence beside it.
  point(i) {
    this.mark(i);
    this.tip.hidden = i === null;
    if (i === null) return;
    const [sentence, about] = this.words(i);
    this.tip.replaceChildren(make("div", "", sentence), make("div", "about", about));
    const [x, y] = this.picture.pixel(i);
    const [width, height] = [this.tip.offsetWidth, this.tip.offsetHeight];
    this.tip.style.left = `${Math.max(0, Math.min(this.stage.clientWidth - width, x - width / 2))}px`;
    this.tip.style.top = `${y > height + 16 ? y - height - 14 : y + 14}px`;
  }
}
