// The dissociation scores over all steps, so that the slider's place can be seen among them. The same numbers
// stand in the table at each step, so that the picture need not be read aloud.

const CURVE = { width: 320, height: 120, left: 30, right: 8, top: 8, bottom: 18 };

class Curve {
  constructor(data) {
    this.data = data;
    this.node = make("div", "curve");
    this.node.hidden = data.steps.length < 2 || !data.dissociation.length;
  }

  update(moment) {
    if (this.node.hidden) return;
    const { data } = this;
    const perStep = data.steps.map((_, step) => data.at(moment.shown, step).dissociation);
    const known = perStep.flatMap((values) => values ?? []);
    this.range = [Math.min(0, ...known), Math.max(0, ...known)];
    const svg = shape("svg", { viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, "aria-hidden": "true" });
    svg.append(...this.axes(moment.step));
    data.tasks.forEach((_, task) => svg.append(this.line(perStep.map((values) => values?.[task]), data.colours[task], 1.3)));
    svg.append(this.line(perStep.map((values) => values && average(values)), "#1f2328", 3));
    const caption = make("div", "caption", `D at every ${data.words.step} (thick: the mean)`);
    this.node.replaceChildren(caption, svg);
  }

  // Steps are evenly apart, as at the slider.
  x(step) {
    const { width, left, right } = CURVE;
    return left + (step / (this.data.steps.length - 1)) * (width - left - right);
  }

  y(value) {
    const { height, top, bottom } = CURVE;
    const [low, high] = this.range;
    return top + ((high - value) / (high - low || 1)) * (height - top - bottom);
  }

  axes(step) {
    const { width, height, left, right } = CURVE;
    const now = { x1: this.x(step), x2: this.x(step), y1: 0, y2: height - 14, class: "now" };
    const zero = { x1: left, x2: width - right, y1: this.y(0), y2: this.y(0), class: "zero" };
    const label = (text, x, y, anchor) => {
      const node = shape("text", { x, y, "text-anchor": anchor });
      node.textContent = text;
      return node;
    };
    const sides = [...new Set([0, ...this.range])].map((value) => label(value.toFixed(0), left - 5, this.y(value) + 3.5, "end"));
    const feet = this.data.steps.map((value, at) => {
      const anchor = at === this.data.steps.length - 1 ? "end" : at ? "middle" : "start";
      return label(String(+value.toPrecision(3)), this.x(at), height - 4, anchor);
    });
    return [shape("line", zero), shape("line", now), ...sides, ...(feet.length <= 8 ? feet : [feet[0], feet.at(-1)])];
  }

  line(values, colour, width) {
    const points = values.flatMap((value, at) => (value === undefined || value === null ? [] : [`${this.x(at)},${this.y(value)}`]));
    return shape("polyline", { points: points.join(" "), style: `stroke: ${colour}; stroke-width: ${width}` });
  }
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function shape(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
