
"use strict";
(() => {
  const told = JSON.parse(document.getElementById("figures").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const config = { displayModeBar: false, scrollZoom: false };
  const drawn = new Set();

  function draw(place, theme) {
    const figure = told.figures[place.dataset.chart];
    const layout = { ...structuredClone(figure.layout), template: told.templates[theme], autosize: true };
    drawn.add(place);
    return Plotly.react(place, figure.data, layout, config);
  }
  const theme = () => (dark.matches ? "dark" : "light");
  const charts = [...document.querySelectorAll(".chart")];

  // A figure is drawn shortly before it comes into sight, so that a long page is there at once.
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting && !drawn.has(target)) {
        near.unobserve(target);
        draw(target, theme());
      }
    }
  }, { rootMargin: "1200px" });
  // The page may be laid out anew without its window changing: a phone that is turned, a scroll bar that comes.
  const wide = new ResizeObserver((changed) => {
    for (const { target } of changed) if (drawn.has(target)) Plotly.Plots.resize(target);
  });
  for (const place of charts) {
    near.observe(place);
    wide.observe(place);
  }
  dark.addEventListener("change", () => drawn.forEach((place) => draw(place, theme())));
  addEventListener("beforeprint", () => charts.forEach((place) => draw(place, "light")));
  addEventListener("afterprint", () => drawn.forEach((place) => draw(place, theme())));

  const keyOf = (cell) => {
    const key = cell.dataset.key ?? cell.textContent;
    return key === "" || Number.isNaN(Number(key)) ? key : Number(key);
  };
  const order = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === typeof b) return a.localeCompare(b);
    return typeof a === "number" ? -1 : 1;
  };
  function sort(heading) {
    const table = heading.closest("table"), place = heading.cellIndex, body = table.tBodies[0];
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [keyOf(row.cells[place]), row]);
    rows.sort((a, b) => (down ? order(b[0], a[0]) : order(a[0], b[0])));
    body.append(...rows.map(([, row]) => row));
  }
  for (const heading of document.querySelectorAll(".sortable th")) {
    heading.tabIndex = 0;
    heading.addEventListener("click", () => sort(heading));
    heading.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort(heading);
    });
  }
  document.documentElement.dataset.ready = "yes";
})();
