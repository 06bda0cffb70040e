// Last part: joins charts, training and words under one slider, and hears mouse, touch and keyboard.

const HELP =
  "Layer 0 is the embeddings. Move the slider, or click in a chart, to choose a layer; below each chart stands what its lines say there. " +
  "Keys: arrows move a slider that has the focus, Esc stops the play.";

class StripView {
  constructor(model, root) {
    Object.assign(this, { model, root });
    this.data = new StripData(model);
    const choose = (layer) => this.set("layer", layer);
    this.charts = this.data.panels.map((panel) => new LayerChart(this.data, panel, choose));
    this.training = new Training(this.data, (point) => this.set("point", point), choose);
    this.words = new MovedWords(this.data);
    this.build();
    this.listen();
    this.show();
  }

  // ---- the page

  build() {
    const title = this.model.get("title");
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", title || "Strip of layers");
    if (title) this.root.append(make("div", "title", title));
    this.status = make("div", "status");
    this.status.setAttribute("aria-live", "polite");
    const charts = make("div", "charts");
    charts.append(...this.charts.map((chart) => chart.node), this.training.node);
    const columns = make("div", "columns");
    columns.append(charts, this.words.node);
    columns.classList.toggle("wide", this.words.node.hidden);
    const top = make("div", "top");
    top.append(this.buildSlider(), this.status);
    this.root.append(this.buildChoices(), top, columns, make("div", "help", HELP));
  }

  buildSlider() {
    const label = make("label", "slider");
    this.slider = make("input");
    Object.assign(this.slider, { type: "range", min: 0, max: this.data.layers, step: 1 });
    this.slider.setAttribute("aria-label", "Layer");
    this.slider.addEventListener("input", () => this.set("layer", Number(this.slider.value)));
    this.output = make("output");
    label.append(this.output, this.slider);
    return label;
  }

  buildChoices() {
    const box = make("div", "choices");
    this.buttons = {};
    for (const [name, label, names] of [["model", "Tuned on", this.data.models], ["text", "Text", this.data.texts]]) {
      this.buttons[name] = names.map((each, at) => button(each, () => this.set(name, at)));
      if (names.length < 2) continue;
      const row = make("div", "choice");
      row.append(make("span", "about", label), buttonGroup(label, ...this.buttons[name]));
      box.append(row);
    }
    box.hidden = !box.children.length;
    return box;
  }

  // ---- what is heard

  listen() {
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.training.stop();
      event.stopPropagation(); // JupyterLab would take arrows and letters as its commands
    });
    this.hear = () => this.show();
    for (const name of WATCHED) this.model.on(`change:${name}`, this.hear);
  }

  close() {
    this.training.stop();
    for (const name of WATCHED) this.model.off(`change:${name}`, this.hear);
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  // ---- what is shown

  get moment() {
    const { data, model } = this;
    const [layer, point] = [model.get("layer"), model.get("point")];
    return { layer, point, model: data.models[model.get("model")] ?? "", text: data.texts[model.get("text")] ?? "" };
  }

  show() {
    const { data, moment } = this;
    const name = moment.layer ? `layer ${moment.layer}` : "embeddings";
    this.slider.value = moment.layer;
    this.slider.setAttribute("aria-valuetext", name);
    this.output.textContent = name;
    const tuned = moment.model && `tuned on ${moment.model}`;
    this.status.textContent = [`${name} of ${data.layers}`, tuned, moment.text].filter(Boolean).join(" · ");
    for (const kind of ["model", "text"]) {
      this.buttons[kind].forEach((node, at) => node.setAttribute("aria-pressed", at === this.model.get(kind)));
    }
    for (const chart of this.charts) {
      const lines = data.linesOf(chart.chart, moment);
      chart.show(lines.map((line) => ({ line, look: data.look(line, moment), name: line.series ?? "" })), moment.layer);
    }
    this.training.show(moment);
    this.words.show(moment);
  }
}

const WATCHED = ["layer", "model", "text", "point"];

export default { render: renderWith(StripView, "atlas-strip") };
