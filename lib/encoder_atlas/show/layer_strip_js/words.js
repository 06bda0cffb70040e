// The words that moved most at the layer shown, each with places where it stands.

class MovedWords {
  constructor(data) {
    this.data = data;
    this.node = make("section", "moved");
    this.node.hidden = !data.words.length;
    this.heading = make("div", "heading");
    this.list = make("div");
    this.node.append(this.heading, make("div", "about", "mean shift of a word's vector (1 − cosine), its interval, occurrences"), this.list);
    this.opened = 0;
  }

  show(moment) {
    const found = this.data.wordsAt(moment);
    this.heading.textContent = `Words that moved most at layer ${moment.layer}`;
    const largest = Math.max(...found.map(({ numbers: [shift] }) => shift), 1e-9);
    this.list.replaceChildren(...found.map((word, at) => this.entry(word, at, largest)));
    if (!found.length) this.list.append(make("div", "about", this.elsewhere(moment)));
  }

  elsewhere(moment) {
    const texts = this.data.textsWithWords(moment).filter((text) => text && text !== moment.text);
    return texts.length ? `Words are listed for ${texts.join(" and ")}: choose one above.` : "No words are listed for this choice.";
  }

  entry(word, at, largest) {
    const [shift, low, high] = word.numbers;
    const node = make("details");
    node.open = at === this.opened;
    node.addEventListener("toggle", () => node.open && (this.opened = at));
    const line = make("summary");
    const bar = make("span", "bar");
    bar.style.setProperty("--share", shift / largest);
    const interval = make("span", "about", `[${number(low)}, ${number(high)}] · ${word.count}×`);
    line.append(make("span", "word", word.word), bar, make("b", "", number(shift)), interval);
    node.append(line, ...word.contexts.map((context) => this.context(context)));
    return node;
  }

  context([before, word, after]) {
    const node = make("p", "context");
    node.append(make("span", "", before), make("mark", "", word), make("span", "", after));
    return node;
  }
}
