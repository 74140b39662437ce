// @ts-check
/** Charts of information: points in a triangle, and stacked bars. */
(function () {
  "use strict";
  /** @typedef {any} Theme see charts.js @typedef {{field: string, title: string, format?: string}} Tip */
  const { seen, standing, tooltip, framed, WORDS } = /** @type {any} */ (globalThis).karatCharts;

  /** Points in a triangle. @param {{height: number, description: string, models: {id: string, colour: string, dash: number[]}[], corners: string[], shapes: boolean, tips: Tip[]}} o @param {Theme} theme */
  function triangle(o, theme) {
    const none = { type: "quantitative", axis: null, scale: { domain: [-0.16, 1.16], nice: false } };
    const x = { field: "x", ...none };
    const y = { field: "y", type: "quantitative", axis: null, scale: { domain: [-0.1, 0.98], nice: false } };
    const ids = o.models.map((m) => m.id);
    const colour = {
      field: "model",
      type: "nominal",
      legend: null,
      scale: { domain: ids, range: o.models.map((m) => seen(m.colour, theme.dark)) },
    };
    const h = Math.sqrt(3) / 2;
    const grid = [];
    for (const at of [0.2, 0.4, 0.6, 0.8]) {
      grid.push(
        [place(at, 1 - at, 0), place(at, 0, 1 - at)],
        [place(0, at, 1 - at), place(1 - at, at, 0)],
        [place(0, 1 - at, at), place(1 - at, 0, at)],
      );
    }
    const lines = grid.flatMap((two, g) => two.map((p, i) => ({ g, i, ...p })));
    const frame = [place(1, 0, 0), place(0, 1, 0), place(0, 0, 1), place(1, 0, 0)].map((p, i) => ({ g: -1, i, ...p }));
    const texts = [
      { x: 0.5, y: h + 0.06, text: o.corners[0], align: "center" },
      { x: -0.12, y: -0.06, text: o.corners[1], align: "left" },
      { x: 1.12, y: -0.06, text: o.corners[2], align: "right" },
    ];
    const layer = [
      {
        data: { values: lines },
        mark: { type: "line", stroke: theme.line, strokeWidth: 0.8, tooltip: null },
        encoding: { x, y, detail: { field: "g" }, order: { field: "i" } },
      },
      {
        data: { values: frame },
        mark: { type: "line", stroke: theme.quiet, strokeWidth: 1.2, tooltip: null },
        encoding: { x, y, order: { field: "i" } },
      },
      ...["left", "center", "right"].map((align) => ({
        data: { values: texts.filter((t) => t.align === align) },
        mark: { type: "text", align, fontSize: 11, color: theme.quiet, tooltip: null },
        encoding: { x, y, text: { field: "text" } },
      })),
      {
        data: { name: "links" },
        mark: { type: "line", stroke: theme.quiet, strokeWidth: 0.8, tooltip: null },
        encoding: { x, y, detail: { field: "model" }, order: { field: "i" } },
      },
      {
        data: { name: "points" },
        mark: { type: "point", filled: true, size: 90, stroke: theme.paper, strokeWidth: 1 },
        encoding: {
          x,
          y,
          color: colour,
          opacity: standing(0.95, 0.14),
          tooltip: tooltip(o.tips),
          ...(o.shapes
            ? {
                shape: {
                  field: "of",
                  type: "nominal",
                  legend: { orient: "top", title: null, symbolFillColor: theme.quiet, symbolStrokeColor: theme.quiet },
                  scale: { domain: ["truth", "predictions"], range: ["circle", "square"] },
                },
              }
            : {}),
        },
      },
    ];
    return framed(layer, o, theme);
  }

  /** Where shares of information, variation and imbalance lie. @param {number} top @param {number} left @param {number} right */
  function place(top, left, right) {
    const all = top + left + right || 1;
    return { x: (right + top / 2) / all, y: ((Math.sqrt(3) / 2) * top) / all };
  }

  /** Two stacked bars. @param {{height: number, description: string}} o @param {Theme} theme */
  function chain(o, theme) {
    const parts = ["imbalance", "information", "remaining uncertainty, or noise"];
    const range = [theme.dark ? "#6b7280" : "#BBBBBB", seen("#009E73", theme.dark), seen("#D55E00", theme.dark)];
    const y = { field: "of", type: "nominal", title: null, sort: ["truth", "predictions"], axis: { grid: false } };
    const x = { field: "bits", type: "quantitative", title: "bits", stack: "zero" };
    const layer = [
      {
        data: { name: "bars" },
        mark: { type: "bar", height: { band: 0.6 } },
        encoding: {
          x,
          y,
          order: { field: "i" },
          color: {
            field: "part",
            type: "nominal",
            title: null,
            sort: parts,
            scale: { domain: parts, range },
            legend: { orient: "top", columns: 2, labelLimit: WORDS },
          },
          tooltip: tooltip([
            { field: "of", title: "of" },
            { field: "part", title: "part" },
            { field: "bits", title: "bits", format: ".3f" },
            { field: "words", title: "perplexity" },
          ]),
        },
      },
    ];
    return framed(layer, o, theme);
  }

  const shapes = { triangle, place, chain };
  if (typeof module !== "undefined" && module.exports) module.exports = shapes;
  /** @type {any} */ (globalThis).karatShapes = shapes;
})();
