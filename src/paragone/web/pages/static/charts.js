"use strict";
// Draws the figures that the page brings as JSON, each shortly before it comes into sight, in the colours of the page.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const config = { displayModeBar: false, scrollZoom: false };
  const drawn = new Map();   // the width that each place was drawn for
  let told = { figures: {}, templates: {} };

  // One thing after another is done to a place: the library trips over a place that is cleared while it draws there.
  const turns = new WeakMap();
  function inTurn(place, act) {
    turns.set(place, (turns.get(place) ?? Promise.resolve()).then(act));
  }

  const theme = () => (dark.matches ? "dark" : "light");
  function draw(place) {
    const figure = told.figures[place.dataset.figure];
    if (!figure) return;
    const layout = { ...structuredClone(figure.layout), template: told.templates[theme()], autosize: true };
    if (place.clientWidth < 480 && layout.xaxis?.title) layout.xaxis.title.font = { size: 10 };
    drawn.set(place, place.clientWidth);
    if (layout.meta?.alt) place.setAttribute("aria-label", layout.meta.alt);
    place.style.height = `${layout.height}px`;
    inTurn(place, () => place.isConnected && Plotly.react(place, structuredClone(figure.data), layout, config));
  }

  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      if (!drawn.has(target)) draw(target);
    }
  }, { rootMargin: "800px" });
  // A place gets its height by being drawn: only another width is a reason to draw it anew.
  const wide = new ResizeObserver((changed) => {
    for (const { target } of changed) {
      if (!drawn.has(target) || drawn.get(target) === target.clientWidth) continue;
      drawn.set(target, target.clientWidth);
      inTurn(target, () => target.isConnected && drawn.has(target) && Plotly.Plots.resize(target));
    }
  });

  function read() {
    const text = document.getElementById("figures")?.textContent;
    if (text) told = JSON.parse(text);
  }
  function look() {   // elements may have been replaced since
    for (const place of drawn.keys()) {
      if (place.isConnected) continue;
      drawn.delete(place);
      inTurn(place, () => Plotly.purge(place));
    }
    for (const place of document.querySelectorAll(".chart[data-figure]")) {
      if (drawn.has(place)) continue;
      near.observe(place);
      wide.observe(place);
    }
  }
  read();
  look();
  document.addEventListener("paragone:figures", () => { read(); drawn.forEach((_, place) => draw(place)); });
  document.addEventListener("paragone:moved", look);
  dark.addEventListener("change", () => drawn.forEach((_, place) => draw(place)));
  document.documentElement.dataset.ready = "yes";
})();
