// Second part: what is drawn on the canvas, and where on it the points are.

const INK = "#1f2328";
const REACH = 14; // px: how near the pointer must be to a point
const GLIDE = 500; // ms in which points move from one λ to the next
const WHOLE = { u: 0, v: 0, size: 1 }; // the part of the unit square in view

function inside(x, y, path) {
  let odd = false;
  for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
    const [[xi, yi], [xj, yj]] = [path[i], path[j]];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}

function heatMap(data, frame) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [data.cols, data.rows];
  const pixels = canvas.getContext("2d").createImageData(data.cols, data.rows);
  const rgb = data.colours.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  frame.classes.forEach((shown, i) => {
    const row = data.rows - 1 - Math.floor(i / data.cols); // row 0 lies at the bottom
    const at = 4 * (row * data.cols + (i % data.cols));
    const share = (data.strength * frame.certainty[i]) / 255;
    rgb[shown].forEach((value, channel) => (pixels.data[at + channel] = 255 - share * (255 - value)));
    pixels.data[at + 3] = 255;
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

class Picture {
  constructor(canvas, data) {
    Object.assign(this, { canvas, data, view: WHOLE, share: 1, heats: new Map(), sprites: new Map() });
    Object.assign(this, { chosen: [], listed: [], marks: {} });
    this.scene = document.createElement("canvas"); // all that stays while the pointer moves
    this.largest = this.radius = data.n > 1500 ? 3.2 : 4.6;
  }

  // ---- places

  // Where on the canvas a place of the unit square is.
  at(u, v) {
    const scale = this.canvas.clientWidth / this.view.size;
    return [(u - this.view.u) * scale, (v - this.view.v) * scale];
  }

  pixel(i) {
    return this.at(this.places[2 * i], this.places[2 * i + 1]);
  }

  distance(i, x, y) {
    const [px, py] = this.pixel(i);
    return Math.hypot(px - x, py - y);
  }

  nearest(x, y) {
    let [best, reach] = [null, REACH];
    for (const i of this.data.all) {
      const distance = this.distance(i, x, y);
      if (distance < reach) [best, reach] = [i, distance];
    }
    return best;
  }

  around(i, count) {
    const [x, y] = this.pixel(i);
    return this.data.all.toSorted((a, b) => this.distance(a, x, y) - this.distance(b, x, y)).slice(0, count);
  }

  within(path) {
    return this.data.all.filter((i) => inside(...this.pixel(i), path));
  }

  // The nearest point that way: what lies sideways counts double, and more than 60° off does not count.
  next(from, dx, dy) {
    const middle = this.canvas.clientWidth / 2;
    const [x, y] = from === null ? [middle, middle] : this.pixel(from);
    let [best, least] = [from, Infinity];
    for (const i of this.data.all) {
      const [px, py] = this.pixel(i);
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 0 && aside < 1.75 * along && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
    }
    return best;
  }

  get zoomed() {
    return this.view !== WHOLE;
  }

  zoom(points) {
    const spread = (axis) => {
      const values = points.map((i) => this.places[2 * i + axis]);
      return [Math.min(...values), Math.max(...values)];
    };
    const [[left, right], [top, bottom]] = [spread(0), spread(1)];
    const size = Math.min(1, Math.max(0.05, 1.3 * Math.max(right - left, bottom - top)));
    const start = (from, to) => Math.min(1 - size, Math.max(0, (from + to - size) / 2));
    this.view = { u: start(left, right), v: start(top, bottom), size };
    this.paint();
  }

  zoomOut() {
    this.view = WHOLE;
    this.paint();
  }

  // ---- from one λ to the next

  show(frame, smoothly) {
    const moves = smoothly && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    const from = { places: this.places, heat: this.heat };
    if (!this.heats.has(frame)) this.heats.set(frame, heatMap(this.data, frame));
    Object.assign(this, { frame, heat: this.heats.get(frame), before: from.heat, view: WHOLE });
    cancelAnimationFrame(this.moving);
    const start = performance.now();
    const tick = (now) => {
      const time = moves ? Math.min(1, Math.max(0, (now - start) / GLIDE)) : 1;
      this.share = time * time * (3 - 2 * time);
      const between = (to, i) => this.share * to + (1 - this.share) * from.places[i];
      this.places = time < 1 ? frame.places.map(between) : frame.places;
      this.paint();
      if (time < 1) this.moving = requestAnimationFrame(tick);
    };
    tick(start);
  }

  // ---- drawing

  fit(side) {
    // A small map of many points has small points.
    this.radius = this.largest * Math.min(1, Math.max(0.7, side / 360));
    for (const canvas of [this.canvas, this.scene]) canvas.width = canvas.height = Math.round(side * devicePixelRatio);
    this.sprites.clear();
    this.paint();
  }

  paint(chosen = this.chosen, listed = this.listed) {
    Object.assign(this, { chosen, listed });
    const context = this.scene.getContext("2d");
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.paintScene(context);
    this.draw();
  }

  paintScene(context) {
    const { chosen, listed } = this;
    this.paintHeat(context);
    const above = new Set(listed);
    const below = this.data.all.filter((i) => !above.has(i));
    this.drawPoints(context, below, above.size ? 0.3 : 1);
    if (chosen.length === 1) this.drawLinks(context, chosen[0], listed);
    this.drawPoints(context, listed, 1, true);
  }

  paintHeat(context) {
    if (this.share < 1) this.drawHeat(context, this.before, 1);
    this.drawHeat(context, this.heat, this.share);
  }

  // marks: { pointed, cursor, lasso }
  draw(marks = this.marks) {
    this.marks = marks;
    const { pointed = null, cursor = null, lasso = [] } = marks;
    if (!this.scene.width) return;
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.scene, 0, 0);
    context.scale(devicePixelRatio, devicePixelRatio);
    for (const i of [cursor, pointed]) if (i !== null) this.drawRing(context, i, this.radius + 7, INK, 1.5);
    if (lasso.length) this.drawLasso(context, lasso);
  }

  // The outer nodes of the grid lie on the edge of the map, so that half of their pixels is outside.
  drawHeat(context, heat, opacity) {
    const { u, v, size } = this.view;
    const [across, down] = [heat.width - 1, heat.height - 1];
    const side = this.canvas.clientWidth;
    context.globalAlpha = opacity;
    context.drawImage(heat, 0.5 + u * across, 0.5 + v * down, size * across, size * down, 0, 0, side, side);
    context.globalAlpha = 1;
  }

  drawPoints(context, points, opacity, outlined = false) {
    const { labels, colours } = this.data;
    context.globalAlpha = opacity;
    for (const i of points.filter((point) => this.data.ringed(this.frame, point))) {
      this.drawRing(context, i, this.radius + 4, INK, 3.6);
      this.drawRing(context, i, this.radius + 4, colours[this.frame.predicted[i]], 2.2);
    }
    for (const i of points) {
      const sprite = this.sprite(labels[i], outlined);
      const side = sprite.width / devicePixelRatio;
      const [x, y] = this.pixel(i);
      context.drawImage(sprite, x - side / 2, y - side / 2, side, side);
    }
    context.globalAlpha = 1;
  }

  // A point of a class, drawn once: thousands of copies are quicker than thousands of paths.
  sprite(label, outlined) {
    const key = `${label} ${outlined}`;
    if (!this.sprites.has(key)) {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = Math.ceil(4 * this.radius * devicePixelRatio);
      const context = canvas.getContext("2d");
      const path = new Path2D(SHAPES[this.data.markers[label]]);
      context.translate(canvas.width / 2, canvas.width / 2);
      context.scale(this.radius * devicePixelRatio, this.radius * devicePixelRatio);
      context.lineWidth = (outlined ? 3.2 : 1.8) / this.radius;
      context.strokeStyle = outlined ? INK : "white";
      context.stroke(path);
      context.fillStyle = this.data.colours[label];
      context.fill(path);
      this.sprites.set(key, canvas);
    }
    return this.sprites.get(key);
  }

  drawLinks(context, chosen, neighbours) {
    context.strokeStyle = INK;
    context.lineWidth = 1.4;
    context.beginPath();
    for (const neighbour of neighbours) {
      context.moveTo(...this.pixel(chosen));
      context.lineTo(...this.pixel(neighbour));
    }
    context.stroke();
  }

  drawRing(context, i, radius, colour, width) {
    context.beginPath();
    context.arc(...this.pixel(i), radius, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  drawLasso(context, lasso) {
    context.beginPath();
    lasso.forEach((place) => context.lineTo(...place));
    context.closePath();
    context.fillStyle = "rgb(31 35 40 / 0.12)";
    context.fill();
    context.setLineDash([5, 4]);
    context.strokeStyle = INK;
    context.lineWidth = 1.5;
    context.stroke();
    context.setLineDash([]);
  }
}
