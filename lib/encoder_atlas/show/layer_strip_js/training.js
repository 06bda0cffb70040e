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
    this.slider = new Slider("Share of training done", this.data.shares.length - 1, (point) => {
      this.stop();
      this.go(point);
    });
    this.button = button("Play", () => (this.timer ? this.stop() : this.play()));
    this.node.append(this.slider.node, buttonGroup("Training", this.button));
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
    this.slider.show(moment.point, percent(share), words);
    const lines = this.data.linesOf(this.chart.chart, moment).map((line) => {
      const now = line.share === share;
      const look = { colour: now ? "#d55e00" : "#57606a", dash: "", width: now ? 3 : 1.2, faint: !now };
      return { line, look, name: now ? `after ${words}` : undefined };
    });
    this.chart.show(lines.sort((a, b) => (b.look.faint ?? false) - (a.look.faint ?? false)), moment.layer);
  }
}
