// @ts-check
/** Panels of one model and one class: measures by threshold, and the probabilities of the class and of the rest. */
(function () {
  "use strict";
  const V = /** @type {any} */ (globalThis).karatCharts;

  /** @param {any} data @param {any} about the class that is chosen: see panels.js @returns {any[]} */
  function panels(data, { classes, here, at, shows, height: H }) {
    /** @type {any[]} */
    const panelList = [];
    if (classes.some((k) => k.models.some((m) => m.measures))) {
      const names = Object.keys(classes.flatMap((k) => k.models).find((m) => m.measures).measures);
      panelList.push({
        id: "threshold_curve",
        section: "classes",
        title: data.diagrams.threshold_curve.title,
        caption: (s) => shows("threshold_curve", s),
        height: H,
        live: true,
        spec: (theme, s) =>
          V.kinds(
            {
              height: H,
              description: shows("threshold_curve", s),
              x: { title: `threshold (${here(s).name})` },
              y: { title: "value" },
              kinds: names,
            },
            theme,
          ),
        rows: (s) => {
          const m = here(s).models[s.detail];
          const values = m.measures || {};
          const now = at({ ...s, shown: new Set([s.detail]) })[0];
          return {
            curves: names.flatMap((kind) =>
              (values[kind] || [])
                .map((y, i) => ({
                  kind,
                  x: data.thresholds[i],
                  y,
                  i,
                }))
                .filter((r) => r.y !== null),
            ),
            rule: now && now.threshold !== null ? [{ x: now.threshold }] : [],
          };
        },
      });
    }
    if (classes.some((k) => k.discrimination.some((d) => d))) {
      panelList.push({
        id: "discrimination",
        section: "classes",
        title: data.diagrams.discrimination.title,
        caption: (s) => shows("discrimination", s),
        height: H,
        live: false,
        spec: (theme, s) =>
          V.likelihoods(
            {
              height: H,
              description: shows("discrimination", s),
              x: `predicted probability (${here(s).name})`,
              y: "share of the cases",
            },
            theme,
          ),
        rows: (s) => {
          const d = here(s).discrimination[s.detail];
          if (!d) return { bars: [], means: [] };
          const bars = (y, kind) => y.map((v, i) => ({ kind, y: v, x: i / y.length, x2: (i + 1) / y.length }));
          return {
            bars: [...bars(d.rest, "rest"), ...bars(d.own, "class")],
            means: [
              { kind: "rest", x: d.mean_rest },
              { kind: "class", x: d.mean_own },
            ],
          };
        },
      });
    }
    return panelList;
  }

  const details = { panels };
  if (typeof module !== "undefined" && module.exports) module.exports = details;
  /** @type {any} */ (globalThis).karatDetails = details;
})();
