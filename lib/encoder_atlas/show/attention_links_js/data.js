// What the page knows: sentences, gold links, and where every head looks; all of it read only.

const TASK_NAMES = { dep: "dependencies", srl: "roles" };

class LinkData {
  constructor(model) {
    for (const name of ["models", "words", "gold", "best", "tasks", "top", "ramp"]) this[name] = model.get(name);
    [this.layers, this.heads] = model.get("grid");
    this.all = Array.from({ length: this.layers * this.heads }, (_, i) => i);
    this.looks = numbers(model, "looks", Uint8Array);
    this.positions = 1 + Math.max(...this.words.map((words) => words.length));
  }

  word(sentence, position) {
    return position ? this.words[sentence][position - 1] : "[CLS]";
  }

  place(i) {
    return `layer ${Math.floor(i / this.heads) + 1}, head ${(i % this.heads) + 1}`;
  }

  // Where head i looks from a position: { to, weight }, or null where nothing but [CLS] was kept.
  look({ model, sentence, cls }, i, from) {
    const half = this.layers * this.heads * this.positions * this.top;
    const start = (model * this.words.length + sentence) * 2 * half + (i * this.positions + from) * this.top;
    const kept = Math.min(this.top, this.words[sentence].length + 1);
    for (let rank = 0; rank < kept; rank += 1) {
      const to = this.looks[start + rank];
      if (to || cls) return { to, weight: this.looks[start + rank + half] / 255 };
    }
    return null;
  }

  // Gold links of the task in the sentence, of the label where one is chosen: { label, start, end, head }.
  links({ sentence, task, label }, every = false) {
    return this.gold[sentence]
      .filter(([kind, name]) => kind === task && (every || !label || name === label))
      .map(([, name, start, end, head]) => ({ label: name, start, end, head }));
  }

  // The look that finds a link, as { from, to }, or null. A link to the root is read with [CLS] in.
  found(moment, i, { start, end, head }) {
    const reading = head ? moment : { ...moment, cls: true };
    for (let word = start; word <= end; word += 1) {
      if (this.look(reading, i, word)?.to === head) return { from: word, to: head };
      if (this.look(reading, i, head)?.to === word) return { from: head, to: word };
    }
    return null;
  }

  share(moment, i) {
    const links = this.links(moment);
    const found = links.filter((link) => this.found(moment, i, link)).length;
    return { found, of: links.length };
  }

  bestOf({ model, task, label }) {
    const found = this.best[model][task]?.[label];
    return found ? { i: found[0] * this.heads + found[1], accuracy: found[2] } : null;
  }

  // All labels of a task in these sentences, and those that have a best head.
  labels(task) {
    const here = this.gold.flat().filter(([kind]) => kind === task).map(([, label]) => label);
    return [...new Set(here)].sort();
  }

  colour(share) {
    return this.ramp[Math.round(share * (this.ramp.length - 1))];
  }
}
