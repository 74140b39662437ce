// @ts-check
/** Panels of one model and one class: measures by threshold, and the probabilities of the class and of the rest. */
(function () {
  "use strict";
  const V = /** @type {any} */ (globalThis).karatCharts;
  const P = /** @type {any} */ (globalThis).karatPoints;

  /** @param {any} data @param {any} about the class that is chosen: see panels.js @returns {any[]} */
  function panels(data, { classes, here, at, shows, size, height: H }) {
    const about = { one: (s) => s.detail, facts: size, context: (s) => P.observed(here(s), data) };
    /** @type {any[]} */
    const panelList = [];
    if (classes.some((k) => k.models.some((m) => m.measures))) {
      const names = Object.keys(classes.flatMap((k) => k.models).find((m) => m.measures).measures);
      /** @type {Map<string, any[]>} */
      const known = new Map();
      /** The measures of a model by threshold: the same rows for the same class. @param {any} klass @param {number} at */
      function measured(klass, at) {
        const key = `${klass.class} ${at}`;
        const m = klass.models[at];
        const of = (i) => (m.grid ? P.counts(m.grid[i], klass) : "");
        const x = (i, all) => data.thresholds[i * Math.round((data.thresholds.length - 1) / (all.length - 1))];
        const row = (kind) => (y, i, all) => ({ kind, x: x(i, all), y, i, name: data.models[at].name, counts: of(i) });
        const rows = () => names.flatMap((kind) => (m.measures?.[kind] || []).map(row(kind)).filter((r) => r.y !== null));
        if (!known.has(key)) known.set(key, rows());
        return /** @type {any[]} */ (known.get(key));
      }
      panelList.push({
        id: "threshold_curve",
        section: "classes",
        title: data.diagrams.threshold_curve.title,
        caption: (s) => shows("threshold_curve", s),
        height: H,
        live: true,
        zooms: true,
        axes: () => ({ x: "threshold", y: "value" }),
        ...about,
        facts: (s) => P.conditionsSaid(s, here(s).name, data), // the best threshold is marked
        context: (s) => P.context(s, here(s), data),
        spec: (theme, s) =>
          V.kinds(
            {
              height: H,
              description: shows("threshold_curve", s),
              x: { title: `threshold (${here(s).name})`, domain: [data.thresholds[0], data.thresholds[data.thresholds.length - 1]] },
              y: { title: "value" },
              kinds: names,
            },
            theme,
          ),
        rows: (s) => {
          const now = at({ ...s, shown: new Set([s.detail]) })[0];
          return {
            curves: measured(here(s), s.detail),
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
        axes: () => ({ x: "from", y: "share of the cases", x2: "to" }),
        ...about,
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
          const [own] = /** @type {any} */ (globalThis).karatMaps.distinct([here(s).name]);
          const bars = (y, kind) => y.map((v, i) => ({ kind, y: v, x: i / y.length, x2: (i + 1) / y.length }));
          return {
            bars: [...bars(d.rest, "rest"), ...bars(d.own, own)],
            means: [
              { kind: "rest", x: d.mean_rest },
              { kind: own, x: d.mean_own },
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
