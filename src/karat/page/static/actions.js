// @ts-check
/** What can be done with the whole page: its colours, paper, and its data as files. */
(function () {
  "use strict";
  const { element, download, csv, isDark, tip } = /** @type {any} */ (globalThis).karatFigures;

  /** Buttons at the top, printing, and what ends a tooltip. @param {any} page its data, figures and what colours them */
  function actions({ data, figures, themed, recolour }) {
    const place = /** @type {HTMLElement} */ (document.getElementById("actions"));
    const measures = () =>
      csv([
        ["measure", "name", "family", "better", "model", "value", "low", "high"],
        ...data.measures.flatMap((m) =>
          data.models.map((one, i) => [m.symbol, m.label, m.family, m.better, one.name, m.values[i], m.low[i], m.high[i]]),
        ),
      ]);
    const button = (id, text, f) => element("button", { type: "button", id, onclick: f }, text);
    place.append(
      button("theme", isDark() ? "Light" : "Dark", () => {
        document.documentElement.dataset.theme = isDark() ? "light" : "dark";
        recolour();
      }),
      button("print", "Print", () => print()),
      button("json", "Data (JSON)", () =>
        download("karat-report.json", new Blob([JSON.stringify(data)], { type: "application/json" })),
      ),
      button("csv", "Measures (CSV)", () =>
        download("karat-measures.csv", new Blob([measures()], { type: "text/csv" })),
      ),
    );
    themed.push(() => {
      /** @type {HTMLElement} */ (document.getElementById("theme")).textContent = isDark() ? "Light" : "Dark";
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    let before = "";
    /** @type {any[]} */
    let away = [];
    // Drawing needs no timer, only promises that are settled before the browser lays out its paper: so charts that
    // nobody has seen yet are drawn in time, and those of a dark page anew.
    addEventListener("beforeprint", () => {
      before = document.documentElement.dataset.theme || "";
      const dark = isDark();
      document.documentElement.dataset.theme = "light";
      away = figures.filter((f) => !f.inView);
      figures.forEach((f) => (f.seen = f.inView = true));
      if (dark) recolour();
      else figures.forEach((f) => f.stale && f.show());
    });
    addEventListener("afterprint", () => {
      away.forEach((f) => (f.inView = false));
      if (before) document.documentElement.dataset.theme = before;
      else delete document.documentElement.dataset.theme;
      if (isDark()) recolour();
    });
    addEventListener("keydown", (e) => {
      if (e.key === "Escape") tip().hidden = true;
    });
    addEventListener("scroll", () => (tip().hidden = true), { passive: true });
  }

  /** @type {any} */ (globalThis).karatActions = { actions };
})();
