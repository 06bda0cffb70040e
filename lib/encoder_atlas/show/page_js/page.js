// First part of every widget: what they share. Python joins the parts into one module.
// No kernel and no network is needed, and whatever comes from data is set as text, never as markup.

function make(tag, className = "", text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}

function button(text, action) {
  const node = make("button", "", text);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
}

function buttonGroup(label, ...buttons) {
  const group = make("div", "buttons");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  group.append(...buttons);
  return group;
}

// What it says is read out when it changes.
function live(className) {
  const node = make("div", className);
  node.setAttribute("aria-live", "polite");
  return node;
}

// From 0 to ``most``, after the words that say where it stands; move(at) hears the reader.
class Slider {
  constructor(name, most, move) {
    [this.node, this.output, this.input] = [make("label", "slider"), make("output"), make("input")];
    Object.assign(this.input, { type: "range", min: 0, max: Math.max(0, most), step: 1 });
    this.input.setAttribute("aria-label", name);
    this.input.addEventListener("input", () => move(Number(this.input.value)));
    this.node.append(this.output, this.input);
  }

  show(at, words, spoken = words) {
    this.input.value = at;
    this.input.setAttribute("aria-valuetext", spoken);
    this.output.textContent = words;
  }
}

// Base of what a module shows.
class View {
  constructor(model, root) {
    Object.assign(this, { model, root, heard: [] });
  }

  entitle(title, otherwise) {
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", title || otherwise);
    if (title) this.root.append(make("div", "title", title));
  }

  keepKeys(escape) {
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") escape?.();
      event.stopPropagation(); // JupyterLab would take arrows and letters as its commands
    });
  }

  // Until the view closes.
  hear(traits, action) {
    for (const event of traits.map((name) => `change:${name}`)) {
      this.model.on(event, action);
      this.heard.push([event, action]);
    }
  }

  close() {
    for (const [event, action] of this.heard) this.model.off(event, action);
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }
}

// A trait of bytes comes as a DataView into a larger buffer, perhaps not aligned: copy its part out.
function numbers(model, name, Type) {
  const view = model.get(name);
  return new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// The module's entry; the file joined last says with which view.
function renderWith(Shown, className) {
  return ({ model, el }) => {
    const root = make("div", `atlas-widget ${className}`);
    el.append(root);
    const view = new Shown(model, root);
    return () => view.close();
  };
}
