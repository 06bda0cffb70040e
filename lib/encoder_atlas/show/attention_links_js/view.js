// Last part: joins sentence, grid and words, and hears mouse, touch and keyboard.

const HELP =
  "Above the words: links that annotators see. Below: from each word to the one to which the head attends most, orange along a link. " +
  "The grid is darker the more of these links a head finds in this sentence. Keys: arrows move a slider or the head that has the focus.";

class LinkView extends View {
  constructor(model, root) {
    super(model, root);
    this.data = new LinkData(model);
    this.arcs = new Arcs(this.data);
    this.build();
    this.keepKeys();
    this.hear(["sentence", "model", "task", "label", "cls", "head"], () => this.show());
    this.show();
  }

  // ---- the page

  build() {
    this.entitle(this.model.get("title"), "Attention links");
    this.slider = new Slider("Sentence", this.data.words.length - 1, (sentence) => this.set({ sentence }));
    this.grid = new Grid(this.data, "Heads", null, { choose: (i) => this.goTo(i), point: () => {} });
    this.status = live("status");
    this.said = make("ul", "legend said");
    this.jump = make("button", "jump");
    this.jump.type = "button";
    this.jump.addEventListener("click", () => this.goTo(this.data.bestOf(this.moment).i));
    const words = make("div", "panel");
    words.append(this.status, this.jump, this.said);
    const columns = make("div", "columns");
    columns.append(this.grid.node, words);
    this.root.append(this.slider.node, this.buildChoices(), this.arcs.node, columns, make("div", "help", HELP));
  }

  buildChoices() {
    const { data } = this;
    const box = make("div", "controls");
    this.modelButtons = data.models.map((name, at) => button(name, () => this.set({ model: at })));
    this.taskButtons = data.tasks.map((task) => button(TASK_NAMES[task], () => this.set({ task, label: "", cls: task === "dep" })));
    this.clsButton = button("[CLS] may be looked at", () => this.set({ cls: !this.model.get("cls") }));
    if (data.models.length > 1) box.append(buttonGroup("Model", ...this.modelButtons));
    if (data.tasks.length > 1) box.append(buttonGroup("Links", ...this.taskButtons));
    this.select = make("select");
    this.select.setAttribute("aria-label", "Label: leads to its best head");
    this.select.addEventListener("change", () => this.choose(this.select.value));
    box.append(this.select, buttonGroup("Looks", this.clsButton));
    return box;
  }

  // ---- what is heard

  goTo(i) {
    this.set({ head: [Math.floor(i / this.data.heads), i % this.data.heads] });
  }

  choose(label) {
    const best = this.data.bestOf({ ...this.moment, label });
    this.set({ label });
    if (best) this.goTo(best.i);
  }

  // ---- what is shown

  get moment() {
    return Object.fromEntries(["sentence", "model", "task", "label", "cls"].map((name) => [name, this.model.get(name)]));
  }

  show() {
    const { data, moment } = this;
    const [layer, head] = this.model.get("head");
    const i = layer * data.heads + head;
    const place = `${moment.sentence + 1} of ${data.words.length}`;
    this.slider.show(moment.sentence, place, `${place}: ${data.words[moment.sentence].join(" ")}`);
    this.modelButtons.forEach((node, at) => node.setAttribute("aria-pressed", at === moment.model));
    this.taskButtons.forEach((node, at) => node.setAttribute("aria-pressed", data.tasks[at] === moment.task));
    this.clsButton.setAttribute("aria-pressed", moment.cls);
    this.showLabels(moment);
    this.arcs.show(moment, i);
    this.grid.update("", (at) => {
      const { found, of } = data.share(moment, at);
      return { background: data.colour(of ? found / of : 0), taken: false, label: `${data.place(at)}: finds ${found} of ${of} links` };
    });
    this.grid.mark(i, null);
    this.tell(moment, i);
  }

  showLabels(moment) {
    if (this.listed !== moment.task) {
      const option = (value, text) => Object.assign(make("option", "", text), { value });
      this.select.replaceChildren(option("", "all labels"), ...this.data.labels(moment.task).map((label) => option(label, label)));
      this.listed = moment.task;
    }
    this.select.value = moment.label;
  }

  tell(moment, i) {
    const { data } = this;
    const { found, of } = data.share(moment, i);
    const what = moment.label ? `links of ${moment.label}` : `links`;
    this.status.textContent = `${data.models[moment.model]}, ${data.place(i)}: finds ${found} of ${of} ${what} in this sentence`;
    const best = moment.label ? data.bestOf(moment) : null;
    this.jump.hidden = !best;
    if (best) this.jump.textContent = `Best head for ${moment.label}: ${data.place(best.i)} (${best.accuracy} % of all)`;
    const name = (position) => data.word(moment.sentence, position);
    this.said.replaceChildren(...data.links(moment).map((link) => {
      const hit = data.found(moment, i, link);
      const words = data.words[moment.sentence].slice(link.start - 1, link.end).join(" ");
      const seen = hit ? `found, ${name(hit.from)} looks at ${name(hit.to)}` : "missed";
      const item = make("li", hit ? "found" : "");
      item.append(make("b", "", link.label), make("span", "", `${words} → ${name(link.head)}: ${seen}`));
      return item;
    }));
  }
}

export default { render: renderWith(LinkView, "atlas-heads atlas-links") };
