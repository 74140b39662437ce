// @ts-check
/** What the charts look like: Vega-Lite specifications, without any data of their own. */
(function () {
  "use strict";

  /** @typedef {{ink: string, quiet: string, line: string, paper: string, accent: string, good: string, dark: boolean}} Theme */
  /** @typedef {{title: string, domain?: number[], format?: string, ticks?: [number, string][], zero?: boolean, follows?: boolean}} Axis
   * `follows`: its ends are the signals `low` and `high`, so that rows which leave them as they are leave the chart as it is */
  /** @typedef {{field: string, title: string, format?: string}} Tip */

  const LIGHT = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#555555"];
  const DARK = ["#4DA9E8", "#FF8A3D", "#2CC9A0", "#E59CC4", "#8AD0F5", "#F2BE3E", "#BDBDBD"];

  /** The colour of a model on this background. @param {string} colour @param {boolean} dark */
  function seen(colour, dark) {
    const at = LIGHT.indexOf(colour);
    return dark && at >= 0 ? DARK[at] : colour;
  }

  /** Fonts, lines and colours of every chart. @param {Theme} t */
  function config(t) {
    const font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    return {
      background: "transparent",
      font,
      view: { stroke: null },
      axis: {
        gridColor: t.line,
        gridOpacity: 0.6,
        domainColor: t.line,
        tickColor: t.line,
        tickSize: 4,
        labelColor: t.quiet,
        titleColor: t.quiet,
        titleFontWeight: "normal",
        titleFontSize: 12,
        labelFontSize: 11,
        titlePadding: 6,
        labelLimit: 110,
      },
      legend: {
        labelColor: t.quiet,
        titleColor: t.quiet,
        labelFontSize: 11,
        titleFontWeight: "normal",
        symbolStrokeWidth: 2,
      },
      text: { color: t.ink },
      title: { color: t.ink, subtitleColor: t.quiet },
    };
  }

  const LIT = "lit === '' || datum.model === lit"; // the model that is looked at, by its place; see highlight.js
  /** An opacity: of the model that is looked at, or of all while there is none; and of the others. @param {number} value @param {number} others */
  const standing = (value, others) => ({ condition: { test: LIT, value }, value: others });
  const WIDTH = 1.8; // of a line

  /** @param {string} field @param {Axis} axis */
  function channel(field, axis) {
    /** @type {any} */
    const encoding = {
      field,
      type: "quantitative",
      title: axis.title,
      scale: { nice: !axis.domain, zero: axis.zero ?? false },
      axis: { tickCount: 5 },
    };
    if (axis.domain) encoding.scale.domain = axis.domain;
    if (axis.follows) encoding.scale.domain = [{ expr: "low" }, { expr: "high" }];
    if (axis.format) encoding.axis.labelExpr = `format(datum.value, '${axis.format}')`; // each by itself: 0, not 0k
    if (axis.ticks) {
      encoding.axis.values = axis.ticks.map(([at]) => at);
      const labels = axis.ticks.map(
        ([at, text]) => `abs(datum.value - ${Number(at)}) < 1e-6 ? '${text.replace(/[^0-9. %]/g, "")}' : `,
      );
      encoding.axis.labelExpr = `${labels.join("")}''`;
    }
    return encoding;
  }

  /** @param {Tip[]} tips */
  function tooltip(tips) {
    return tips.map((t) => ({
      field: t.field,
      title: t.title,
      type: t.format ? "quantitative" : "nominal",
      ...(t.format ? { format: t.format } : {}),
    }));
  }

  /**
   * Curves of models over each other, with references, hover values and operating points.
   * @param {{x: Axis, y: Axis, models: {id: string, colour: string, dash: number[]}[], tips: Tip[], height: number,
   *   description: string, points?: boolean, step?: boolean, rule?: boolean, areas?: boolean, bands?: boolean, operating?: Tip[]}} o
   * @param {Theme} theme
   */
  function curves(o, theme) {
    const x = channel("x", o.x);
    const y = channel("y", o.y);
    const ids = o.models.map((m) => m.id);
    const colour = {
      field: "model",
      type: "nominal",
      legend: null,
      scale: { domain: ids, range: o.models.map((m) => seen(m.colour, theme.dark)) },
    };
    const dash = {
      field: "model",
      type: "nominal",
      legend: null,
      scale: { domain: ids, range: o.models.map((m) => (m.dash.length ? m.dash : [1, 0])) },
    };
    const order = { field: "i", type: "quantitative" };
    const plain = { x, y };
    /** @type {any[]} */
    const layer = [];
    if (o.areas) {
      layer.push({
        data: { name: "areas" },
        mark: { type: "line", fill: theme.good, fillOpacity: 0.12, strokeWidth: 0, tooltip: null },
        encoding: { ...plain, detail: { field: "name" }, order },
      });
    }
    if (o.bands) {
      layer.push(
        {
          data: { name: "bands" },
          mark: { type: "area", strokeWidth: 0, clip: true, tooltip: null, aria: false },
          encoding: {
            x,
            opacity: standing(0.14, 0.03),
            y: { ...y, field: "low" },
            y2: { field: "high" },
            color: colour,
            detail: { field: "model" },
          },
        },
        {
          data: { name: "ticks" },
          mark: { type: "rule", strokeWidth: 1.6, clip: true, tooltip: null, aria: false },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color: colour, opacity: standing(0.45, 0.06) },
        },
      );
    }
    layer.push({
      data: { name: "references" },
      mark: { type: "line", stroke: theme.quiet, strokeWidth: 1, strokeDash: [3, 3], clip: true },
      encoding: {
        ...plain,
        detail: { field: "name" },
        order,
        tooltip: tooltip([{ field: "name", title: "reference" }]),
      },
    });
    if (o.rule) {
      layer.push({
        data: { name: "rule" },
        mark: { type: "rule", stroke: theme.accent, strokeWidth: 1 },
        encoding: { x: { field: "x", type: "quantitative" } },
      });
    }
    layer.push({
      data: { name: "curves" },
      mark: {
        type: "line",
        clip: true,
        ...(o.step ? { interpolate: "step-before" } : {}),
        ...(o.points ? { point: { size: 30 } } : {}),
      },
      encoding: {
        ...plain,
        color: colour,
        strokeDash: dash,
        detail: { field: "model" },
        description: { field: "name" }, // to a screen reader a line is its model, not the first of its points
        order,
        opacity: standing(1, 0.2),
        strokeWidth: { condition: { test: "lit !== '' && datum.model === lit", value: 1.6 * WIDTH }, value: WIDTH },
      },
    });
    layer.push({
      data: { name: "hover" },
      params: [{ name: "near", select: { type: "point", on: "pointermove", nearest: true, clear: "pointerout" } }],
      mark: { type: "point", filled: true, size: 55, clip: true, aria: false },
      encoding: {
        ...plain,
        color: colour,
        tooltip: tooltip(o.tips),
        fillOpacity: { condition: { param: "near", empty: false, value: 1 }, value: 0 },
      },
    });
    if (o.operating) {
      layer.push({
        data: { name: "operating" },
        mark: { type: "point", filled: true, size: 110, stroke: theme.paper, strokeWidth: 1.5 },
        encoding: { ...plain, color: colour, opacity: standing(1, 0.2), tooltip: tooltip(o.operating) },
      });
    }
    const ends = { low: 0, high: 1 };
    return framed(layer, o, theme, o.y.follows ? ends : {});
  }

  /** @param {any[]} layer @param {{height: number, description: string}} o @param {Theme} theme @param {Record<string, number>} [signals] */
  function framed(layer, o, theme, signals = {}) {
    return {
      description: o.description,
      width: "container",
      height: o.height,
      autosize: { type: "fit", contains: "padding" },
      config: config(theme),
      params: [{ name: "lit", value: "" }, ...Object.entries(signals).map(([name, value]) => ({ name, value }))],
      layer,
      resolve: { scale: { color: "shared" } },
    };
  }

  const LABEL = 130; // the longest label of a map in pixels; the whole name is in the cell's tooltip
  /** Have the names of columns no room side by side? @param {string[]} names */
  const upright = (names) => names.reduce((all, n) => all + 2 + n.length, 0) > 36 || names.length > 8;
  /** How much higher a map is for the names of its columns. @param {string[]} names */
  const headroom = (names) => (upright(names) ? Math.min(LABEL, 7 * Math.max(...names.map((n) => n.length))) : 0);

  /**
   * A map of cells with numbers in them. Names are data only, sorted by their places: a name in an expression could break it.
   * @param {{across: number, columns: string[], rowTitle: string, columnTitle: string, tips: Tip[], height: number,
   *   description: string, text: boolean, scale: string, models?: boolean, reverse?: boolean, rowLimit?: number}} o
   * @param {Theme} theme
   */
  function cells(o, theme) {
    const x = {
      field: "column",
      type: "nominal",
      title: o.columnTitle,
      sort: { field: "columnAt", op: "min" },
      axis: {
        orient: "top",
        labelAngle: upright(o.columns) ? -90 : 0, // slanted ones would leave the chart on the right
        labelFontSize: o.across > 12 ? 9 : 11,
        labelLimit: LABEL,
        labelOverlap: false,
        grid: false,
      },
    };
    const y = {
      field: "row",
      type: "nominal",
      title: o.rowTitle,
      sort: { field: "rowAt", op: "min" },
      axis: { labelLimit: o.rowLimit || LABEL, grid: false },
    };
    const low = theme.dark ? "#16222b" : "#f3f7fb";
    const high = theme.dark ? "#4DA9E8" : "#0072B2";
    const range = o.reverse ? [high, low] : [low, high];
    /** @type {any[]} */
    const layer = [
      {
        data: { name: "cells" },
        mark: { type: "rect", stroke: theme.paper, strokeWidth: 1 },
        encoding: {
          x,
          y,
          color: {
            field: "shade",
            type: "quantitative",
            legend: o.text ? null : { title: o.scale, orient: "bottom", gradientLength: 160 },
            scale: { range, zero: !o.reverse },
          },
          ...(o.models ? { opacity: standing(1, 0.3) } : {}),
          tooltip: tooltip(o.tips),
        },
      },
    ];
    if (o.text) {
      layer.push({
        data: { name: "cells" },
        mark: { type: "text", fontSize: o.across > 12 ? 9 : 11, tooltip: null },
        encoding: {
          x,
          y,
          text: { field: "text" },
          color: { condition: { test: "datum.strong", value: theme.dark ? "#06121b" : "#ffffff" }, value: theme.ink },
        },
      });
    }
    return framed(layer, o, theme);
  }

  /** Bars of two kinds over each other, in bins. @param {{height: number, description: string, x: string, y: string}} o @param {Theme} theme */
  function likelihoods(o, theme) {
    const colours = [seen(LIGHT[0], theme.dark), seen(LIGHT[1], theme.dark)];
    const layer = [
      {
        data: { name: "bars" },
        mark: { type: "bar", fillOpacity: 0.4, strokeWidth: 1 },
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            bin: "binned",
            title: o.x,
            scale: { domain: [0, 1] },
            axis: { tickCount: 5 },
          },
          x2: { field: "x2" },
          y: { field: "y", type: "quantitative", stack: null, title: o.y },
          color: {
            field: "kind",
            type: "nominal",
            title: null,
            sort: null,
            scale: { range: colours },
            legend: { orient: "top" },
          },
          stroke: { field: "kind", type: "nominal", sort: null, scale: { range: colours }, legend: null },
          tooltip: tooltip([
            { field: "kind", title: "cases" },
            { field: "x", title: "from", format: ".2f" },
            { field: "x2", title: "to", format: ".2f" },
            { field: "y", title: "share", format: ".3f" },
          ]),
        },
      },
      {
        data: { name: "means" },
        mark: { type: "rule", strokeDash: [4, 3], strokeWidth: 1.5 },
        encoding: {
          x: { field: "x", type: "quantitative" },
          color: { field: "kind", type: "nominal", sort: null, scale: { range: colours } },
          tooltip: tooltip([
            { field: "kind", title: "mean of" },
            { field: "x", title: "mean", format: ".3f" },
          ]),
        },
      },
    ];
    return framed(layer, o, theme);
  }

  const WORDS = 210; // pixels of a name in a legend
  const SIGN = 42; // pixels of the line beside a name, and of the gap after it
  /** How many names stand side by side above a chart, and in how many rows. @param {string[]} names @param {number} room in pixels */
  function arrangement(names, room) {
    const width = (name) => Math.min(6.5 * name.length, WORDS) + SIGN;
    const fits = (columns) => {
      const widest = new Array(columns).fill(0);
      names.forEach((name, i) => (widest[i % columns] = Math.max(widest[i % columns], width(name))));
      return widest.reduce((a, b) => a + b, 0) <= room;
    };
    let columns = names.length;
    while (columns > 1 && !fits(columns)) columns -= 1;
    return { columns, rows: Math.ceil(names.length / columns) };
  }

  const DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]; // prettier-ignore
  /** Lines of one model, named at the top. @param {{height: number, description: string, x: Axis, y: Axis, kinds: string[], columns?: number,
   *   strong?: boolean, tips?: Tip[]}} o `strong`: the last of them stands out @param {Theme} theme */
  function kinds(o, theme) {
    const colours = LIGHT.map((c) => seen(c, theme.dark));
    const x = channel("x", o.x);
    const y = channel("y", o.y);
    const strong = (i) => o.strong && i === o.kinds.length - 1;
    const dashed = (i) => DASHES[(o.strong ? Math.floor(i / colours.length) : i) % DASHES.length];
    const look = { field: "kind", type: "nominal", title: null }; // the domain is their order: sorted, names would be in expressions
    const legend = {
      orient: "top",
      columns: o.columns || 2,
      labelLimit: WORDS,
      symbolType: "stroke",
      symbolSize: 300,
      symbolOpacity: 1,
    };
    const colour = { ...look, legend, scale: { domain: o.kinds, range: o.kinds.map((_, i) => (strong(i) ? theme.ink : colours[i % colours.length])) } };
    const dash = { ...look, legend, scale: { domain: o.kinds, range: o.kinds.map((_, i) => (strong(i) ? [1, 0] : dashed(i))) } };
    const layer = [
      {
        data: { name: "rule" },
        mark: { type: "rule", stroke: theme.accent },
        encoding: { x: { field: "x", type: "quantitative" } },
      },
      {
        data: { name: "curves" },
        mark: { type: "line" },
        encoding: {
          x,
          y,
          color: colour,
          strokeDash: dash,
          description: { field: "kind" },
          order: { field: "i", type: "quantitative" },
          strokeWidth: { condition: { test: "datum.macro", value: 3 }, value: o.strong ? 1.4 : WIDTH },
        },
      },
      {
        data: { name: "hover" },
        params: [{ name: "near", select: { type: "point", on: "pointermove", nearest: true, clear: "pointerout" } }],
        mark: { type: "point", filled: true, size: 50, aria: false },
        encoding: {
          x,
          y,
          color: colour,
          fillOpacity: { condition: { param: "near", empty: false, value: 1 }, value: 0 },
          tooltip: tooltip(
            o.tips || [
              { field: "name", title: "model" },
              { field: "kind", title: "measure" },
              { field: "x", title: "threshold", format: ".3~g" },
              { field: "y", title: "value", format: ".3f" },
              { field: "counts", title: "counts" },
            ],
          ),
        },
      },
    ];
    return framed(layer, o, theme);
  }

  const charts = { LIGHT, WORDS, arrangement, headroom, seen, standing, config, channel, tooltip, framed, curves, cells, likelihoods, kinds };
  if (typeof module !== "undefined" && module.exports) module.exports = charts;
  /** @type {any} */ (globalThis).karatCharts = charts;
})();
