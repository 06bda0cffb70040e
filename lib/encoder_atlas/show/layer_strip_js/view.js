// Last part: joins charts, training and words under one slider, and hears mouse, touch and keyboard.

const HELP =
  "Layer 0 is the embeddings. Move the slider, or click in a chart, to choose a layer; below each chart stands what its lines say there. " +
  "Keys: arrows move a slider that has the focus, Esc stops the play.";

class StripView extends View {
  constructor(model, root) {
    super(model, root);
    this.data = new StripData(model);
    const choose = (layer) => this.set({ layer });
    this.charts = this.data.panels.map((panel) => new LayerChart(this.data, panel, choose));
    this.training = new Training(this.data, (point) => this.set({ point }), choose);
    this.words = new MovedWords(this.data);
    this.build();
    this.listen();
    this.show();
  }

  // ---- the page

  build() {
    this.entitle(this.model.get("title"), "Strip of layers");
    this.slider = new Slider("Layer", this.data.layers, (layer) => this.set({ layer }));
    this.status = live("status");
    const charts = make("div", "charts");
    charts.append(...this.charts.map((chart) => chart.node), this.training.node);
    const columns = make("div", "columns");
    columns.append(charts, this.words.node);
    columns.classList.toggle("wide", this.words.node.hidden);
    const top = make("div", "top");
    top.append(this.slider.node, this.status);
    this.root.append(this.buildChoices(), top, columns, make("div", "help", HELP));
  }

  buildChoices() {
    const box = make("div", "choices");
    this.buttons = {};
    for (const [name, label, names] of [["model", "Tuned on", this.data.models], ["text", "Text", this.data.texts]]) {
      this.buttons[name] = names.map((each, at) => button(each, () => this.set({ [name]: at })));
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
    this.keepKeys(() => this.training.stop());
    this.hear(["layer", "model", "text", "point"], () => this.show());
  }

  close() {
    this.training.stop();
    super.close();
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
    this.slider.show(moment.layer, name);
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

export default { render: renderWith(StripView, "atlas-strip") };
