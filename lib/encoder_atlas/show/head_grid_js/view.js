// Last part: joins model, grids and panel, and hears mouse, touch and keyboard.

const HELP =
  "Layers and heads count from 1; layer 1 lies at the bottom. Point at a head or click it for its rank in every task. " +
  "Keys: Tab goes from grid to grid, arrows from head to head, Esc lets the head go.";

class HeadView extends View {
  constructor(model, root) {
    super(model, root);
    Object.assign(this, { pointed: null, byRank: false });
    this.data = new HeadData(model);
    this.panel = new HeadPanel(this.data, (task, i) => this.goTo(task, i));
    this.build();
    this.listen();
    this.show();
  }

  // ---- the page

  build() {
    this.entitle(this.model.get("title"), "Grid of heads");
    const columns = make("div", "columns");
    const column = make("div");
    column.append(this.buildGrids(), this.buildLegend(), make("div", "help", HELP));
    columns.append(column, this.panel.node);
    const line = make("div", "line");
    this.status = live("status");
    line.append(this.status, this.buildControls());
    this.root.append(this.buildSlider(), line, columns);
  }

  buildSlider() {
    const { words, steps } = this.data;
    this.slider = new Slider(words.step, steps.length - 1, (step) => this.set({ step }));
    this.slider.node.hidden = steps.length < 2;
    return this.slider.node;
  }

  buildGrids() {
    const { data } = this;
    const actions = { choose: (i, again) => this.choose(i, again), point: (i) => this.point(i) };
    this.grids = data.tasks.map((task, at) => new Grid(data, task, data.colours[at], actions));
    if (data.steps.length && data.sharing > 1) this.overlap = new Grid(data, "Overlap", null, actions);
    const node = make("div", "grids");
    node.append(...[...this.grids, this.overlap].filter(Boolean).map((grid) => grid.node));
    return node;
  }

  buildControls() {
    const names = [...this.data.runs, ...(this.data.overlaid ? ["all, as colours"] : [])];
    this.runButtons = names.length > 1 ? names.map((name, at) => button(name, () => this.set({ run: at }))) : [];
    this.rank = button("Colour by rank", () => this.colourByRank());
    const box = make("div", "controls");
    if (this.runButtons.length) box.append(buttonGroup("Run", ...this.runButtons));
    box.append(buttonGroup("Colours", this.rank));
    return box;
  }

  buildLegend() {
    this.legend = make("ul", "legend");
    return this.legend;
  }

  fillLegend() {
    const { words, steps, runs, scale, ramp } = this.data;
    const entry = (mark, text) => {
      const item = make("li");
      item.append(mark, make("span", "", text));
      return item;
    };
    const fading = make("span", "fading");
    fading.style.background = `linear-gradient(90deg, ${ramp.join(", ")})`;
    const shares = scale === "value" ? `${words.score}, 0 to 1` : `${words.score}, 0 to the task's largest`;
    const items = [];
    if (this.moment.runs.length === 1) {
      items.push(entry(fading, this.byRank ? "rank, last to first" : shares));
    } else {
      runs.forEach((run, at) => items.push(entry(swatch(`rgb(${CHANNELS.map((_, c) => (c === at ? 255 : 0)).join(" ")})`), run)));
      items.push(entry(swatch("#000"), "low in every run; colours add up where several are high"));
    }
    if (steps.length) items.push(entry(make("span", "swatch taken"), `${words.selected}${this.moment.runs.length > 1 ? " in every run" : ""}`));
    if (this.overlap) items.push(entry(make("span", "swatch striped"), `overlap: a stripe of its colour for each task that has the head ${words.selected}`));
    this.legend.replaceChildren(...items);
  }

  // ---- what is heard

  listen() {
    this.keepKeys(() => this.letGo());
    this.hear(["step", "run"], () => this.show());
    this.hear(["head"], () => this.mark());
  }

  get chosen() {
    const [layer, head] = this.model.get("head");
    return layer === undefined ? null : layer * this.data.heads + head;
  }

  // A second click on a head lets it go.
  choose(i, again) {
    const { heads } = this.data;
    this.set({ head: again && i === this.chosen ? [] : [Math.floor(i / heads), i % heads] });
  }

  goTo(task, i) {
    this.choose(i, false);
    this.grids[task].cells[i].focus();
  }

  letGo() {
    this.set({ head: [] });
    this.point(null);
  }

  point(i) {
    if (i === this.pointed) return;
    this.pointed = i;
    this.mark();
  }

  colourByRank() {
    this.byRank = !this.byRank;
    this.show();
  }

  // ---- what is shown

  show() {
    const { data, model } = this;
    const [run, step] = [model.get("run"), model.get("step")];
    this.moment = data.at(run, step);
    if (data.steps.length) this.slider.show(step, data.stepName(step));
    this.status.textContent = this.summary();
    this.runButtons.forEach((node, at) => node.setAttribute("aria-pressed", at === run));
    this.rank.setAttribute("aria-pressed", this.byRank);
    this.paint();
    this.fillLegend();
    this.panel.showStep(this.moment);
    this.mark();
  }

  summary() {
    const { data, moment } = this;
    if (!data.steps.length) return `${data.n} heads: ${data.layers} layers of ${data.heads}`;
    const sizes = moment.chosen.map((heads) => heads.length);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const count = least === most ? least : `${least} to ${most}`;
    const everywhere = moment.runs.length > 1 ? " in every run" : "";
    const step = data.steps.length === 1 ? `${data.stepName(0)}: ` : ""; // no slider says it
    const selected = `${step}${count} of ${data.n} heads ${data.words.selected} for each task${everywhere}`;
    return moment.dissociation ? `${selected} · mean D = ${decimal(average(moment.dissociation))}` : selected;
  }

  paint() {
    const { data, moment } = this;
    this.grids.forEach((grid, task) => {
      const count = data.steps.length ? ` · ${moment.chosen[task].length} ${data.words.selected}` : "";
      grid.update(count, (i) => ({
        background: data.colour(moment, task, i, this.byRank),
        taken: moment.has(task, i),
        label: data.describe(moment, task, i),
      }));
    });
    const shared = data.all.filter((i) => moment.tasksOf(i).length > 1).length;
    this.overlap?.update(` · ${shared} shared`, (i) => {
      const tasks = moment.tasksOf(i);
      const label = `${data.place(i)}: ${data.words.selected} for ${tasks.join(", ") || "no task"}`;
      return { background: data.stripes(moment, i), taken: false, label };
    });
  }

  mark() {
    for (const grid of [...this.grids, this.overlap]) grid?.mark(this.chosen, this.pointed);
    this.panel.showHead(this.moment, this.pointed ?? this.chosen);
  }
}

export default { render: renderWith(HeadView, "atlas-heads") };
