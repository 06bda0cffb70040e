// A page opened as a file cannot read its neighbours: search then shows titles without excerpts, quietly.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What scrolls sideways must be reachable by keyboard.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = ".pst-scrollable-table-container, .cell_output, .highlight pre, div.math";
  for (const box of document.querySelectorAll(boxes)) {
    if (box.scrollWidth > box.clientWidth && !box.hasAttribute("tabindex")) box.tabIndex = 0;
  }
});
