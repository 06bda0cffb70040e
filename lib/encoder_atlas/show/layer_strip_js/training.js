// Training in time: a line over layers at each point kept, a slider over the points, and a button that plays.

const PAUSE = 900; // milliseconds between points

class Training {
  // go(point) and choose(layer) tell what the reader wants
  constructor(data, go, choose) {
    Object.assign(this, { data, go, timer: null });
    this.chart = new LayerChart(data, { title: "", axis: "", lines: [], range: [0, 1], ...data.timeline }, choose);
    this.node = this.chart.node;
    this.node.classList.add("training");
    this.node.hidden = !data.shares.length;
    this.build();
  }

  build() {
    const label = make("label", "slider");
    this.slider = make("input");
    Object.assign(this.slider, { type: "range", min: 0, max: Math.max(0, this.data.shares.length - 1), step: 1 });
    this.slider.setAttribute("aria-label", "Share of training done");
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value));
    });
    this.output = make("output");
    label.append(this.output, this.slider);
    this.button = button("Play", () => (this.timer ? this.stop() : this.play()));
    const row = buttonGroup("Training", this.button);
    this.node.append(label, row);
  }

  // From the beginning where the end is shown.
  play() {
    if (this.point >= this.data.shares.length - 1) this.go(0);
    this.timer = setInterval(() => this.next(), PAUSE);
    this.say();
  }

  next() {
    if (this.point < this.data.shares.length - 1) this.go(this.point + 1);
    if (this.point >= this.data.shares.length - 1) this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.say();
  }

  say() {
    this.button.textContent = this.timer ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", Boolean(this.timer));
  }

  show(moment) {
    this.point = moment.point;
    const share = this.data.shares[moment.point] ?? 0;
    const words = `${percent(share)} of training`;
    this.slider.value = moment.point;
    this.slider.setAttribute("aria-valuetext", words);
    this.output.textContent = percent(share);
    const lines = this.data.linesOf(this.chart.chart, moment).map((line) => {
      const now = line.share === share;
      const look = { colour: now ? "#d55e00" : "#57606a", dash: "", width: now ? 3 : 1.2, faint: !now };
      return { line, look, name: now ? `after ${words}` : undefined };
    });
    this.chart.show(lines.sort((a, b) => (b.look.faint ?? false) - (a.look.faint ?? false)), moment.layer);
  }
}
