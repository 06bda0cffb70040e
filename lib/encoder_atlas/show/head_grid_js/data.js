// The grid of heads: what the model's traits hold, and what follows from it.

const CHANNELS = ["red", "green", "blue"];

class HeadData {
  constructor(model) {
    for (const name of ["tasks", "sharing", "measures", "runs", "words", "scale", "ramp", "colours", "steps", "notes"]) {
      this[name] = model.get(name);
    }
    [this.layers, this.heads] = model.get("grid");
    this.n = this.layers * this.heads;
    this.all = Array.from({ length: this.n }, (_, i) => i);
    this.scores = numbers(model, "scores", Float32Array);
    this.bits = numbers(model, "selected", Uint8Array);
    this.performance = numbers(model, "performance", Float32Array);
    this.dissociation = numbers(model, "dissociation", Float32Array);
    this.rgb = this.ramp.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    this.moments = new Map();
  }

  // Two or three runs can be laid over each other, one colour a run.
  get overlaid() {
    return this.runs.length === 2 || this.runs.length === 3;
  }

  // What holds at a step: of one run, or where `run` is their number of all of them.
  at(run, step) {
    const key = `${run} ${step}`;
    if (!this.moments.has(key)) {
      const shown = run < this.runs.length ? [run] : this.runs.map((_, i) => i);
      this.moments.set(key, this.moment(run, shown, step));
    }
    return this.moments.get(key);
  }

  moment(shown, runs, step) {
    const own = runs.map((run) => this.tasks.map((_, task) => this.ranked(run, step, task)));
    const chosen = this.tasks.map((_, task) => this.all.filter((i) => runs.every((run) => this.bit(run, step, task, i))));
    const inSet = chosen.map((heads) => new Set(heads));
    return {
      shown,
      runs,
      step,
      own,
      chosen,
      has: (task, i) => inSet[task].has(i),
      // Of the tasks that can share a head: a model of all of them, which stands after them, is none more.
      tasksOf: (i) => this.tasks.filter((_, task) => task < this.sharing && inSet[task].has(i)),
      performance: this.table(this.performance, this.tasks.length * this.measures.length, runs, step),
      dissociation: this.table(this.dissociation, this.tasks.length, runs, step),
      note: runs.length === 1 ? (this.notes[runs[0]][step] ?? "") : "",
    };
  }

  // A task's scores in one run, each as a share for its colour, and their ranks; equal scores share a rank.
  ranked(run, step, task) {
    const perRun = this.scores.length / this.runs.length;
    const moving = perRun / (this.tasks.length * this.n) > 1 ? step : 0;
    const start = run * perRun + (moving * this.tasks.length + task) * this.n;
    const scores = this.scores.subarray(start, start + this.n);
    const sorted = scores.toSorted().reverse();
    const first = new Map();
    sorted.forEach((score, at) => first.has(score) || first.set(score, at + 1));
    const ranks = Array.from(scores, (score) => first.get(score));
    const largest = this.scale === "value" ? 1 : sorted[0] || 1;
    return { scores, ranks, shares: Array.from(scores, (score) => score / largest) };
  }

  bit(run, step, task, i) {
    if (!this.steps.length) return false;
    const at = ((run * this.steps.length + step) * this.tasks.length + task) * this.n + i;
    return Boolean((this.bits[at >> 3] >> (7 - (at & 7))) & 1);
  }

  // A step's table, averaged over the runs shown; null where none was given.
  table(values, size, runs, step) {
    if (!values.length) return null;
    const parts = runs.map((run) => values.subarray((run * this.steps.length + step) * size).subarray(0, size));
    const means = Array.from(parts[0], (_, i) => parts.reduce((sum, part) => sum + part[i], 0) / parts.length);
    return means.every(Number.isNaN) ? null : means;
  }

  // The lowest and highest performance on a measure, at any step and in any run.
  extent(column) {
    const known = this.performance.filter((value, i) => i % this.measures.length === column && !Number.isNaN(value));
    return known.length ? [known.toSorted()[0], known.toSorted().at(-1)] : [0, 0];
  }

  // The heads of highest score for a task, averaged over the runs shown.
  highest(moment, task, count) {
    const total = (i) => moment.own.reduce((sum, tasks) => sum + tasks[task].shares[i], 0);
    return this.all.toSorted((a, b) => total(b) - total(a)).slice(0, count);
  }

  // ---- colours

  shade(share) {
    const place = Math.min(1, Math.max(0, share)) * (this.rgb.length - 1);
    const [below, above] = [Math.floor(place), Math.ceil(place)];
    const mixed = this.rgb[below].map((value, channel) => value + (place - below) * (this.rgb[above][channel] - value));
    return `rgb(${mixed.map(Math.round).join(" ")})`;
  }

  colour(moment, task, i, byRank) {
    const shares = moment.own.map((tasks) =>
      byRank ? 1 - (tasks[task].ranks[i] - 1) / Math.max(1, this.n - 1) : tasks[task].shares[i],
    );
    if (shares.length === 1) return this.shade(shares[0]);
    return `rgb(${CHANNELS.map((_, channel) => Math.round(255 * Math.min(1, shares[channel] ?? 0))).join(" ")})`;
  }

  // A head that several tasks single out is striped with their colours.
  stripes(moment, i) {
    const colours = this.colours.filter((_, task) => task < this.sharing && moment.has(task, i));
    if (!colours.length) return "#f1f3f5";
    const width = 100 / colours.length;
    return `linear-gradient(90deg, ${colours.map((c, at) => `${c} ${at * width}% ${(at + 1) * width}%`).join(", ")})`;
  }

  // ---- words

  place(i) {
    return `layer ${Math.floor(i / this.heads) + 1}, head ${(i % this.heads) + 1}`;
  }

  stepName(step) {
    return `${this.words.step} = ${+this.steps[step].toPrecision(4)}`;
  }

  describe(moment, task, i) {
    const ranks = moment.own.map((tasks) => tasks[task].ranks[i]).join(", ");
    const values = moment.own.map((tasks) => short(tasks[task].scores[i])).join(", ");
    const many = moment.runs.length > 1 ? "s" : "";
    const state = moment.has(task, i) ? `, ${this.words.selected}` : "";
    return `${this.place(i)}: rank${many} ${ranks} of ${this.n}, ${this.words.score} ${values}${state}`;
  }

  // How many heads 0, 1, … tasks single out, and how many that would be if each task drew its own at random.
  counts(moment) {
    const found = Array(this.sharing + 1).fill(0);
    for (const i of this.all) found[moment.tasksOf(i).length] += 1;
    let chance = [1];
    for (const heads of moment.chosen.slice(0, this.sharing)) {
      const p = heads.length / this.n;
      chance = [...chance, 0].map((q, k) => q * (1 - p) + (chance[k - 1] ?? 0) * p);
    }
    return found.map((count, k) => ({ tasks: k, count, chance: chance[k] * this.n }));
  }
}

function short(value) {
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(1) : String(+value.toPrecision(3));
}
