// The strip of layers: what the model's traits hold, and what of it is shown.

class StripData {
  constructor(model) {
    for (const name of ["layers", "models", "texts", "series", "colours", "panels", "timeline", "words"]) {
      this[name] = model.get(name);
    }
    this.shares = this.timeline.shares ?? [];
  }

  // Lines and words that name a model or text are shown for that one only.
  isOf(moment, { model, text }) {
    return (!model || model === moment.model) && (!text || text === moment.text);
  }

  linesOf(chart, moment) {
    return chart.lines.filter((line) => this.isOf(moment, line));
  }

  wordsAt(moment) {
    return this.words.filter((word) => word.layer === moment.layer && this.isOf(moment, word));
  }

  // The texts on which the words of a model are listed, to be named where the one chosen is none of them.
  textsWithWords(moment) {
    return [...new Set(this.words.filter(({ model }) => !model || model === moment.model).map(({ text }) => text))];
  }

  // The line of a series has its colour and dash in every chart; the one that is chosen is bold.
  look(line, moment) {
    const at = this.series.indexOf(line.series);
    if (at < 0) return { colour: "#1f2328", dash: "", width: 2 };
    const bold = line.series === moment.model || line.series === moment.text;
    return { colour: this.colours[at], dash: DASHES[at % DASHES.length], width: bold ? 3 : 1.6 };
  }
}

const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

const number = (value) => (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3));
const percent = (share) => `${+(100 * share).toFixed(1)} %`;

// What a line says at a layer, and its band there; a dash where it was not measured.
function told(line, layer) {
  const at = line.layers.indexOf(layer);
  if (at < 0) return { value: "–", band: "" };
  return { value: number(line.values[at]), band: line.band ? `[${line.band[at].map(number).join(", ")}]` : "" };
}
