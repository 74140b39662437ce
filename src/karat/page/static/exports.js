// @ts-check
/** A chart that stands alone, as a file: with its title, its legend, the class and the conditions. */
(function () {
  "use strict";
  const LINE = 14; // pixels of a line of small print
  const ROW = 22; // pixels of a row of a legend

  /** Sentences in lines of so many letters. @param {string} text @param {number} letters */
  function wrapped(text, letters) {
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= letters) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines;
  }

  /** What a panel says below its title. @param {any} panel @param {any} state @param {any[]} models */
  function saidOf(panel, state, models) {
    const { caption, facts, one } = panel;
    return [
      one ? `Model: ${models[one(state)].name}.` : "",
      typeof caption === "function" ? caption(state) : caption,
      facts(state),
    ].filter(Boolean);
  }

  /**
   * A chart with its title, what is said about it, and a legend. Names are data, in no expression.
   * @param {any} spec with its data @param {any} panel @param {any} state @param {any[]} models @param {number} width
   */
  function alone(spec, panel, state, models, width) {
    const subtitle = saidOf(panel, state, models).flatMap((text) => wrapped(text, Math.floor(width / 6.2)));
    const title = { text: panel.title, anchor: "start", fontSize: 14, subtitle, subtitleFontSize: 11, frame: "bounds" };
    const titled = { ...spec, title, height: spec.height + LINE * subtitle.length + ROW };
    if (panel.scale) return scaled(titled, panel.scale(state));
    return panel.models ? legended(titled, panel.models, state.order.filter((i) => state.shown.has(i)), width) : titled;
  }

  /** What the shades of cells mean. @param {any} spec @param {string} title */
  function scaled(spec, title) {
    const legend = { title, orient: "bottom", gradientLength: 160 };
    const layer = spec.layer.map((one) =>
      one.encoding.color && one.encoding.color.field === "shade"
        ? { ...one, encoding: { ...one.encoding, color: { ...one.encoding.color, legend } } }
        : one,
    );
    return { ...spec, layer, height: spec.height + 2 * ROW };
  }

  /** Colours, dashes and names of the models that are drawn. @param {any} spec @param {any[]} models @param {number[]} shown @param {number} width */
  function legended(spec, models, shown, width) {
    const names = /** @type {any} */ (globalThis).karatMaps.distinct(models.map((m) => m.name), 36);
    const values = shown.map((i) => names[i]);
    const longest = Math.min(240, 7 * Math.max(...values.map((n) => n.length), 1)) + 45;
    const columns = Math.max(1, Math.floor((width - 60) / longest));
    const stroke = spec.layer.some((one) => one.encoding.strokeDash);
    const symbol = stroke ? { symbolType: "stroke", symbolSize: 300, symbolStrokeWidth: 2 } : { symbolType: "circle" };
    const legend = { orient: "top", title: null, ...symbol, symbolOpacity: 1, values, columns, labelLimit: 240 };
    const named = (channel) =>
      channel && channel.field === "model" ? { ...channel, legend, scale: { ...channel.scale, domain: names } } : channel;
    const layer = spec.layer.map((one) => {
      const { color, strokeDash, opacity, strokeWidth, ...rest } = one.encoding; // no model is looked at on paper
      const looks = { ...(color ? { color: named(color) } : {}), ...(strokeDash ? { strokeDash: named(strokeDash) } : {}) };
      const plain = opacity && opacity.condition && opacity.condition.test ? { opacity: { value: opacity.condition.value } } : { opacity };
      return { ...one, encoding: { ...rest, ...looks, ...(opacity ? plain : {}) } };
    });
    const renamed = (rows) => rows.map((r) => (r.model === undefined ? r : { ...r, model: names[Number(r.model)] }));
    const datasets = Object.fromEntries(Object.entries(spec.datasets).map(([name, rows]) => [name, renamed(rows)]));
    return { ...spec, layer, datasets, height: spec.height + ROW * Math.ceil(values.length / columns) };
  }

  const INSIDE = new Set(["i", "at", "model", "strong", "shade", "text", "row", "column", "rowAt", "columnAt", "between",
    "threshold", "scored", "rule", "counts", "note", "words", "pc", "fpr", "tpr", "rateX", "rateY", "precision", "normalised",
    "cost", "profit", "share", "of", "macro"]); // prettier-ignore
  const TITLES = {
    name: "model",
    cut: "threshold",
    label: "overall",
    truth: "true class",
    prediction: "predicted as",
    count: "cases",
    ofTruth: "share of the true class",
    ofPredicted: "share of the predictions",
  };
  /** Where the rows of a chart come from, and what they are called in a file. */
  const SERIES = { curves: "curve", operating: "operating point", references: "reference", means: "mean" };

  /**
   * The numbers of a chart as rows of a table, the first of them its columns; the class and the conditions stand in
   * columns of their own, the same in each row.
   * @param {any} panel @param {Record<string, any[]>} rows @param {any} state @param {any[]} models
   */
  function tidy(panel, rows, state, models) {
    const main = ["curves", "cells", "bars", "points"].find((name) => (rows[name] || []).length);
    const also = main === "curves" ? ["operating", "references"] : main === "bars" ? ["means"] : [];
    const all = [main, ...also].flatMap((name) =>
      (name ? rows[name] || [] : []).map((r) => (also.length ? { series: SERIES[name] || "bar", ...r, ...named(name, r) } : r)),
    );
    const keys = [...new Set(all.flatMap((r) => Object.keys(r)))].filter((c) => !INSIDE.has(c));
    const same = {
      chart: panel.title,
      ...(panel.one ? { model: models[panel.one(state)].name } : {}),
      ...(panel.context ? panel.context(state) : {}),
    };
    const axes = panel.axes ? panel.axes(state) : {};
    const titles = keys.map((key) => axes[key] || TITLES[key] || key);
    return [
      [...titles, ...Object.keys(same)],
      ...all.map((r) => [...keys.map((key) => r[key]), ...Object.values(same)]),
    ];
  }

  /** Lines of reference have names, but are no models. @param {string} name @param {any} row */
  const named = (name, row) => (name === "references" ? { name: undefined, reference: row.name } : {});

  const files = { alone, tidy, wrapped };
  if (typeof module !== "undefined" && module.exports) module.exports = files;
  /** @type {any} */ (globalThis).karatExports = files;
})();
