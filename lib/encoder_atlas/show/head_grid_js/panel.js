// Beside the grids: the chosen head in every task, and what was measured at this step.

const TOP = 3; // heads listed for each task while none is chosen

const decimal = (value) => (Number.isNaN(value) ? "–" : value.toFixed(1));
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// Rows of cells, each a text or a node; the first of a row names it, and null leaves a cell out.
function table(caption, header, rows) {
  const node = make("table");
  const line = (cells, heading) => {
    const row = make("tr");
    cells.forEach((cell, at) => {
      if (cell === null) return;
      const box = make(heading || at === 0 ? "th" : "td");
      if (box.tagName === "TH") box.scope = heading ? "col" : "row";
      box.append(cell);
      row.append(box);
    });
    return row;
  };
  const [head, body] = [make("thead"), make("tbody")];
  head.append(line(header, true));
  body.append(...rows.map((cells) => line(cells, false)));
  node.append(make("caption", "", caption), head, body);
  const scroll = make("div", "scroll");
  scroll.append(node);
  return scroll;
}

class HeadPanel {
  // goTo(task, head) leads to a head in the grid of a task
  constructor(data, goTo) {
    Object.assign(this, { data, goTo });
    this.node = make("div", "panel");
    [this.head, this.measured, this.overlap] = ["of-head", "measured", "overlap"].map((name) => make("div", name));
    this.note = live("note");
    this.curve = new Curve(data);
    this.node.append(this.measured, this.note, this.curve.node, this.head, this.overlap);
    this.best = data.measures.map((_, column) => data.extent(column)[1]);
    this.span = Math.max(...data.measures.map((_, column) => data.extent(column)[1] - data.extent(column)[0]));
  }

  // ---- the head that is pointed at or chosen, or the highest

  showHead(moment, i) {
    this.head.replaceChildren(i === null ? this.highestHeads(moment) : this.headTable(moment, i));
  }

  headTable(moment, i) {
    const { data } = this;
    const rows = data.tasks.map((task, at) => [
      task,
      moment.own.map((tasks) => tasks[at].ranks[i]).join(" · "),
      this.bars(moment.own.map((tasks) => tasks[at]), i),
      data.steps.length ? (moment.has(at, i) ? data.words.selected : "–") : null,
    ]);
    const ranks = moment.own.length > 1 ? "ranks" : "rank";
    const state = data.steps.length ? `${data.words.selected}?` : null;
    return table(capital(data.place(i)), ["", `${ranks} of ${data.n}`, data.words.score, state], rows);
  }

  bars(runs, i) {
    const box = make("div", "bars");
    for (const { scores, shares } of runs) {
      const bar = make("span", "bar");
      bar.style.setProperty("--share", shares[i]);
      const line = make("div");
      line.append(bar, make("span", "", short(scores[i])));
      box.append(line);
    }
    return box;
  }

  highestHeads(moment) {
    const { data } = this;
    const rows = data.tasks.map((task, at) => {
      const heads = data.highest(moment, at, TOP).map((i) => this.jump(at, i));
      return [task, ...heads];
    });
    const header = ["", ...Array.from({ length: Math.min(TOP, data.n) }, (_, k) => `${k + 1}.`)];
    return table(`Highest ${data.words.score}: layer · head`, header, rows);
  }

  jump(task, i) {
    const { data } = this;
    const link = button(`${Math.floor(i / data.heads) + 1} · ${(i % data.heads) + 1}`, () => this.goTo(task, i));
    link.setAttribute("aria-label", `${data.tasks[task]}: ${data.place(i)}`);
    link.className = "jump";
    return link;
  }

  // ---- what was measured at the step

  showStep(moment) {
    const { data } = this;
    this.measured.replaceChildren(...this.tables(moment));
    this.note.textContent = moment.note;
    this.note.hidden = !moment.note;
    this.curve.update(moment);
    this.overlap.hidden = !data.steps.length || data.sharing < 2;
    if (!this.overlap.hidden) this.overlap.replaceChildren(this.overlapTable(moment));
  }

  // D stands below the performance it comes from where both have the same columns.
  tables({ performance, dissociation, runs }) {
    const { tasks, measures, words } = this.data;
    const mean = runs.length > 1 ? `, mean of ${runs.length} runs` : "";
    const rows = performance ? tasks.map((task, row) => [task, ...this.cells(performance, row)]) : [];
    const d = dissociation && ["D", ...dissociation.map((value) => make("b", "", decimal(value)))];
    const caption = `Dissociation D (points)${mean}`;
    if (!performance) return d ? [table(caption, ["", ...tasks], [d])] : [];
    const together = d && tasks.join("\n") === measures.join("\n");
    const all = table(`${words.performance}${mean}`, [`${words.rows} ↓`, ...measures], together ? [...rows, d] : rows);
    return d && !together ? [all, table(caption, ["", ...tasks], [d])] : [all];
  }

  // The further below the best of its column at any step, the deeper the colour; one depth for all columns.
  cells(performance, row) {
    const { tasks, measures } = this.data;
    return measures.map((measure, column) => {
      const value = performance[row * measures.length + column];
      const node = make(tasks[row] === measure ? "b" : "span", "value", decimal(value));
      const depth = Number.isNaN(value) ? 0 : (this.best[column] - value) / (this.span || 1);
      node.style.setProperty("--depth", `${Math.round(55 * depth)}%`);
      return node;
    });
  }

  overlapTable(moment) {
    const counts = this.data.counts(moment);
    return table(
      `Heads ${this.data.words.selected} for so many tasks`,
      ["tasks", ...counts.map(({ tasks }) => String(tasks))],
      [
        ["heads", ...counts.map(({ count }) => String(count))],
        ["at random", ...counts.map(({ chance }) => chance.toFixed(chance < 9.95 ? 1 : 0))],
      ],
    );
  }
}
