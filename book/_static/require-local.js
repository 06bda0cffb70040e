// Loaded between require.js and embed-amd.js.
// Widget modules (anywidget) and the icon font of the widget manager lie in offline/, next to this file.
requirejs.config({
  waitSeconds: 60,
  baseUrl: new URL("offline/", document.currentScript.src).href,
});

// The widget manager queues labels for MathJax 2; the pages have MathJax 3.
window.addEventListener("load", () => {
  const mathjax = window.MathJax;
  if (mathjax?.version && !mathjax.Hub) {
    mathjax.Hub = {
      Queue: (call) => mathjax.startup.promise.then(() => mathjax.typesetPromise([call[2]])),
    };
  }
});
