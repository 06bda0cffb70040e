// The decision map in the page: what the model's traits hold.

// matplotlib's marker names as unit paths, for the canvas and the legend alike
const SHAPES = {
  o: "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z",
  s: "M-.85-.85H.85V.85H-.85Z",
  "^": "M0-1.1L1 .8H-1Z",
  v: "M0 1.1L1-.8H-1Z",
  D: "M0-1.15L1.15 0 0 1.15-1.15 0Z",
  P: "M-.38-1.1H.38V-.38H1.1V.38H.38V1.1H-.38V.38H-1.1V-.38H-.38Z",
  X: "M0-.55L.6-1.1 1.1-.6 .55 0 1.1 .6 .6 1.1 0 .55-.6 1.1-1.1 .6-.55 0-1.1-.6-.6-1.1Z",
  p: "M0-1.1L1.05-.34 .65 .89H-.65L-1.05-.34Z",
};

// Places in the unit square, y downwards as on the screen.
function unitPlaces(embedding, [left, right, bottom, top]) {
  return embedding.map((value, i) => (i % 2 ? (top - value) / (top - bottom) : (value - left) / (right - left)));
}

class MapData {
  constructor(model) {
    for (const name of ["texts", "ids", "class_names", "colours", "markers", "strength"]) this[name] = model.get(name);
    [this.rows, this.cols] = model.get("grid");
    this.labels = numbers(model, "labels", Uint8Array);
    this.n = this.labels.length;
    this.all = Array.from({ length: this.n }, (_, i) => i);
    this.index = new Map(this.ids.map((id, i) => [id, i]));
    this.frames = this.readFrames(model);
  }

  readFrames(model) {
    const frames = model.get("frames");
    const parts = (name, Type) => {
      const values = numbers(model, name, Type);
      const size = values.length / frames.length;
      return frames.map((_, i) => values.subarray(i * size, (i + 1) * size));
    };
    // A row for each frame, or one that holds for all.
    const rows = (name, Type) => {
      const values = numbers(model, name, Type);
      return frames.map((_, i) => (values.length > this.n ? values.subarray(i * this.n, (i + 1) * this.n) : values));
    };
    const predicted = rows("predicted", Uint8Array);
    const confidence = rows("confidence", Float32Array);
    const embeddings = parts("embeddings", Float32Array);
    const backgrounds = parts("backgrounds", Uint8Array);
    const classes = parts("grid_class", Uint8Array);
    const certainty = parts("grid_certainty", Uint8Array);
    const neighbours = parts("neighbours", Uint16Array);
    this.k = neighbours[0].length / this.n;
    return frames.map((frame, i) => ({
      ...frame,
      name: frame.name ?? `λ = ${+frame.lambda.toFixed(3)}`,
      predicted: predicted[i],
      confidence: confidence[i],
      places: unitPlaces(embeddings[i], frame.extent),
      background: backgrounds[i],
      classes: classes[i],
      certainty: certainty[i],
      neighbours: (point) => [...neighbours[i].subarray(point * this.k, (point + 1) * this.k)],
    }));
  }

  ringed(frame, i) {
    return frame.predicted[i] !== frame.background[i];
  }

  wrong(frame, i) {
    return frame.predicted[i] !== this.labels[i];
  }

  // The probability of the predicted class, or where none was given the background's certainty at the point.
  certainty(frame, i) {
    if (frame.confidence.length) return frame.confidence[i];
    const [u, v] = frame.places.subarray(2 * i, 2 * i + 2);
    return frame.certainty[Math.round((1 - v) * (this.rows - 1)) * this.cols + Math.round(u * (this.cols - 1))];
  }

  leastCertain(frame, count) {
    return this.all.toSorted((a, b) => this.certainty(frame, a) - this.certainty(frame, b)).slice(0, count);
  }

  describe(frame, i) {
    const name = (classes) => this.class_names[classes[i]];
    const sure = frame.confidence.length ? ` (${frame.confidence[i].toFixed(2)})` : "";
    const ring = this.ringed(frame, i) ? ` · background: ${name(frame.background)}` : "";
    return `true: ${name(this.labels)} · predicted: ${name(frame.predicted)}${sure}${ring}`;
  }
}
