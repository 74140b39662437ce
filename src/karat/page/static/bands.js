// @ts-check
/** How uncertain curves are: the bands that the page carries as rows of a chart, and what they are in words. */
(function () {
  "use strict";

  /** @param {any} data @param {(s: any) => any} here the class that is chosen */
  function bands(data, here) {
    /** @type {Map<string, {key: string, rows: any}>} */
    const remembered = new Map();

    /** The bands of the models that are shown, and how often each forecast is made. @param {string} id @param {any} s */
    function rows(id, s) {
      const key = [s.rest, ...s.shown].join(" ");
      const kept = remembered.get(id);
      if (kept && kept.key === key) return kept.rows;
      const mine = ((here(s).bands || {})[id] || []).filter((b) => s.shown.has(b.model));
      const high = Math.max(...mine.flatMap((b) => (b.ticks ? b.ticks[1] : [])));
      const bandRows = {
        bands: mine.flatMap((b) =>
          b.x.map((x, i) => ({ i, x, low: b.low[i], high: b.high[i], model: String(b.model) })),
        ),
        ticks: mine.flatMap((b, n) =>
          (b.ticks ? b.ticks[0] : [])
            .map((x, i) => ({ x: x + 0.008 * n, low: 0, high: (0.2 * b.ticks[1][i]) / high, model: String(b.model) }))
            .filter((t) => t.high > 0),
        ),
      };
      remembered.set(id, { key, rows: bandRows });
      return bandRows;
    }

    /** What the bands of a panel are, or why there are none. @param {string} id @param {(level: number, n: number) => string} words @param {string} needs @param {any} s */
    function shaded(id, words, needs, s) {
      const { asked, level, replicates, models: most } = data.bands;
      if (!asked || !here(s).models.some((m) => m.scored)) return "";
      if (data.models.length > most) return ` Bands are drawn for up to ${most} models.`;
      if (!here(s).bands[id]) return " With so many classes, this one has no band.";
      if (!here(s).bands[id].length) return ` No band: it needs ${needs}.`;
      return ` Shaded: ${words(Number((100 * level).toPrecision(6)), replicates)}.`;
    }

    const sampled = (level, n) =>
      `pointwise ${level} % confidence band of each curve (bootstrap, ${n} replicates)`;
    const drawn = (level, n) =>
      `${level} % consistency band, where the curve of calibrated probabilities would lie (${n} draws). ` +
      "Bars: how often each probability is predicted";
    return {
      rows,
      confidence: (s) => shaded("roc_curve", sampled, "at least two cases of the class and two others", s),
      consistency: (s) => shaded("reliability", drawn, "whole-number weights", s),
    };
  }

  if (typeof module !== "undefined" && module.exports) module.exports = { bands };
  /** @type {any} */ (globalThis).karatBands = { bands };
})();
