// One small chart: lines over layers with their bands, the layer shown now, and below in words what they say.

const CHART = { width: 250, height: 130, left: 36, right: 10, top: 9, bottom: 18 };

function drawn(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

class LayerChart {
  // choose(layer) is called by a click
  constructor(data, chart, choose) {
    Object.assign(this, { data, chart, choose });
    this.node = make("section", "chart");
    this.node.setAttribute("aria-label", chart.title);
    this.svg = drawn("svg", { viewBox: `0 0 ${CHART.width} ${CHART.height}`, "aria-hidden": "true" });
    this.svg.addEventListener("click", (event) => this.click(event));
    this.said = make("ul", "legend");
    this.node.append(make("div", "heading", chart.title), make("div", "about", chart.axis), this.svg, this.said);
    if (chart.note) this.node.append(make("div", "about", chart.note));
  }

  click(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * CHART.width;
    const share = (x - CHART.left) / (CHART.width - CHART.left - CHART.right);
    this.choose(Math.min(this.data.layers, Math.max(0, Math.round(share * this.data.layers))));
  }

  x(layer) {
    const { width, left, right } = CHART;
    return left + (layer / Math.max(1, this.data.layers)) * (width - left - right);
  }

  y(value) {
    const { height, top, bottom } = CHART;
    const [low, high] = this.chart.range;
    return top + ((high - value) / (high - low || 1)) * (height - top - bottom);
  }

  // lines: [{ line, look, name }], of which those with a name are told in words
  show(lines, layer) {
    this.svg.replaceChildren(...this.axes(layer), ...lines.flatMap(({ line, look }) => this.strokes(line, look)));
    const spoken = lines.filter(({ name }) => name !== undefined);
    this.said.replaceChildren(...spoken.map((each) => this.words(each, layer)));
    if (!spoken.length) this.said.append(make("li", "about", "not measured for this choice"));
  }

  axes(layer) {
    const { width, height, left, right, top, bottom } = CHART;
    const text = (words, x, y, anchor) => {
      const node = drawn("text", { x, y, "text-anchor": anchor });
      node.textContent = words;
      return node;
    };
    const now = drawn("line", { x1: this.x(layer), x2: this.x(layer), y1: 0, y2: height - bottom, class: "now" });
    const sides = this.chart.range.flatMap((value) => [
      drawn("line", { x1: left, x2: width - right, y1: this.y(value), y2: this.y(value), class: "edge" }),
      text(number(value), left - 5, this.y(value) + 4, "end"),
    ]);
    const every = Math.ceil((this.data.layers + 1) / 13);
    const feet = Array.from({ length: this.data.layers + 1 }, (_, at) => at)
      .filter((at) => at % every === 0)
      .map((at) => text(String(at), this.x(at), height - 6, "middle"));
    return [now, ...sides, ...feet];
  }

  strokes(line, { colour, dash, width, faint }) {
    const at = (values) => line.layers.map((layer, i) => `${this.x(layer)},${this.y(values[i])}`);
    const nodes = [];
    if (line.band) {
      const [low, high] = [0, 1].map((side) => at(line.band.map((ends) => ends[side])));
      nodes.push(drawn("polygon", { points: [...low, ...high.reverse()].join(" "), fill: colour, "fill-opacity": 0.16 }));
    }
    const look = { stroke: colour, "stroke-width": width, "stroke-dasharray": dash, opacity: faint ? 0.35 : 1 };
    nodes.push(drawn("polyline", { points: at(line.values).join(" "), ...look }));
    if (!faint) nodes.push(...line.layers.map((layer, i) => drawn("circle", { cx: this.x(layer), cy: this.y(line.values[i]), r: width + 0.8, fill: colour })));
    return nodes;
  }

  words({ line, look, name }, layer) {
    const item = make("li");
    const sample = drawn("svg", { viewBox: "0 0 26 8", class: "sample", "aria-hidden": "true" });
    const { colour, dash, width } = look;
    sample.append(drawn("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: colour, "stroke-width": width, "stroke-dasharray": dash }));
    const { value, band } = told(line, layer);
    item.append(sample, make("span", "name", name), make("b", "", value), ...(band ? [make("span", "about", band)] : []));
    return item;
  }
}
