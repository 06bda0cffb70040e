// The picture: words in a row, gold links above, and where the head looks from each word below.

const GAP = 16;
const LETTER = 7.4;
const LINE = 22;

class Arcs {
  constructor(data) {
    this.data = data;
    this.node = make("div", "scroll arcs");
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "img");
  }

  show(moment, i) {
    const { data } = this;
    const names = ["[CLS]", ...data.words[moment.sentence]];
    let right = GAP / 2;
    this.x = names.map((name) => {
      const width = Math.max(20, [...name].length * LETTER);
      right += width + GAP;
      return right - GAP - width / 2;
    });
    const every = data.links(moment, true);
    const shown = data.links(moment);
    const found = shown.map((link) => data.found(moment, i, link));
    const looks = names.map((_, from) => (from ? data.look(moment, i, from) : null));
    const far = (pairs) => Math.max(30, ...pairs.map(([a, b]) => this.height(a, b)));
    this.above = far(every.map(({ start, end, head }) => [(start + end) / 2, head])) + 16;
    const below = far(looks.flatMap((look, from) => (look ? [[from, look.to]] : []))) + 6;
    const [width, height] = [right + GAP / 2, this.above + LINE + below];
    const svg = svgNode("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const strong = (link) => !moment.label || link.label === moment.label;
    for (const link of [...every].sort((a, b) => strong(a) - strong(b))) svg.append(...this.gold(link, strong(link)));
    const hits = new Set(found.filter(Boolean).map(({ from, to }) => `${from} ${to}`));
    looks.forEach((look, from) => look && svg.append(this.look(from, look, hits.has(`${from} ${look.to}`))));
    for (const { from, to } of found.filter((hit) => hit && hit.from === 0)) svg.append(this.look(from, { to, weight: 0.5 }, true));
    names.forEach((name, at) => svg.append(svgText(name, this.x[at], this.above + LINE / 2 + 5, at ? "word" : "word special")));
    this.node.replaceChildren(svg);
    this.node.setAttribute("aria-label", `${names.slice(1).join(" ")}: links above, looks of ${data.place(i)} below; both are told in words beneath`);
  }

  at(position) {
    const whole = Math.floor(position);
    return position === whole ? this.x[whole] : (this.x[whole] + this.x[whole + 1]) / 2;
  }

  height(a, b) {
    return Math.min(110, 16 + 0.16 * Math.abs(this.at(a) - this.at(b)));
  }

  path(a, b, side, attributes) {
    const [x1, x2] = [this.at(a), this.at(b)];
    const y = side < 0 ? this.above : this.above + LINE;
    const top = y + side * this.height(a, b) * 1.33;
    // A word that looks at itself gets a small loop.
    const [left, right] = x1 === x2 ? [x1 - 12, x2 + 12] : [x1, x2];
    return svgNode("path", { d: `M${x1},${y}C${left},${top} ${right},${top} ${x2},${y}`, fill: "none", ...attributes });
  }

  gold({ label, start, end, head }, strong) {
    const middle = (start + end) / 2;
    const arc = this.path(middle, head, -1, { class: strong ? "gold strong" : "gold" });
    const parts = [arc];
    if (end > start) {
      const [x1, x2] = [this.x[start] - 8, this.x[end] + 8];
      parts.push(svgNode("path", { d: `M${x1},${this.above}H${x2}`, class: strong ? "gold strong" : "gold" }));
    }
    if (strong) parts.push(svgText(label, (this.at(middle) + this.at(head)) / 2, this.above - this.height(middle, head) - 3, "name"));
    return parts;
  }

  look(from, { to, weight }, hit) {
    return this.path(from, to, 1, { class: hit ? "look hit" : "look", "stroke-width": 0.8 + 3 * weight });
  }
}

function svgNode(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function svgText(text, x, y, className) {
  const node = svgNode("text", { x, y, class: className, "text-anchor": "middle" });
  node.textContent = text;
  return node;
}
