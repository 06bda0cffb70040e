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

// A trait of bytes comes as a DataView into a larger buffer, perhaps not aligned: copy its part out.
function numbers(model, name, Type) {
  const view = model.get(name);
  return new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// The module's entry; the file joined last says with which view.
function renderWith(View, className) {
  return ({ model, el }) => {
    const root = make("div", `atlas-widget ${className}`);
    el.append(root);
    const view = new View(model, root);
    return () => view.close();
  };
}
