// @ts-check
/** The controls: sliders with numbers, the list of models, and the tables that answer them. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;
  const P = /** @type {any} */ (globalThis).karatPoints;
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const { short, yielding } = /** @type {any} */ (globalThis).karatNames;

  const logit = (p) => Math.log(p / (1 - p));
  const SCALES = {
    share: {
      to: (v) => logit(Math.min(Math.max(v, 1e-4), 1 - 1e-4)),
      from: (x) => 1 / (1 + Math.exp(-x)),
      min: logit(1e-4),
      max: -logit(1e-4),
    },
    cost: {
      to: (v) => Math.log10(Math.min(Math.max(v, 0.01), 1000)),
      from: (x) => 10 ** x,
      min: -2,
      max: 3,
    },
    gain: {
      to: (v) => Math.min(v, 100) ** 0.5,
      from: (x) => x * x,
      min: 0,
      max: 10,
    },
  };

  /** A number with so many significant digits, as `karat.core.table.shown` writes it. @param {number | null} v @param {number} [digits] */
  function figure(v, digits = 3) {
    if (v === null || v === undefined || Number.isNaN(v)) return "–";
    if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
    const size = Math.abs(v);
    if (size >= 1000) return Math.round(v).toLocaleString("en").replace("-", "−");
    const rounded = Number(size.toExponential(digits - 1));
    if (size > 0 && rounded < 1e-4) return v.toExponential(digits - 1).replace(/-/g, "−");
    const power = Number(size.toExponential(digits - 1).split("e")[1]);
    let decimals = size === 0 || (size <= 1 && power === 0) ? digits : Math.max(digits - 1 - power, 0);
    while (size < 1 && decimals < 17 && Number(size.toFixed(decimals)) === 1) decimals += 1; // never as 1 if it is not
    return v.toFixed(decimals).replace("-", "−");
  }

  /**
   * A slider and a number that move each other.
   * @param {{id: string, label: string, scale: keyof typeof SCALES, value: number, max?: number, whole?: boolean, change: (v: number) => void}} o
   */
  function slider(o) {
    const scale = SCALES[o.scale];
    const round = (v) => (o.whole ? Math.round(v) : Number(v.toPrecision(3)));
    const range = element("input", {
      type: "range",
      id: `${o.id}-range`,
      min: scale.min,
      max: scale.max,
      step: (scale.max - scale.min) / 400,
      "aria-label": o.label,
    });
    const box = element("input", { type: "number", id: o.id, min: 0, max: o.max ?? null, step: "any" });
    const put = (v, except) => {
      if (except !== range) range.value = String(scale.to(v));
      range.setAttribute("aria-valuetext", String(round(v)));
      if (except !== box) box.value = String(round(v));
    };
    range.addEventListener("input", () => {
      const v = round(scale.from(Number(range.value)));
      put(v, range);
      o.change(v);
    });
    box.addEventListener("input", () => {
      const v = Number(box.value);
      const fit = box.value !== "" && Number.isFinite(v) && v >= 0 && (o.max === undefined || v <= o.max);
      box.setAttribute("aria-invalid", String(!fit));
      if (!fit) return;
      put(v, box);
      o.change(v);
    });
    put(o.value, null);
    return {
      root: element("div", { class: "control" }, element("label", { for: o.id }, o.label), range, box),
      put: (v) => put(v, null),
    };
  }

  /** A choice from a list. @param {string} id @param {string} label @param {[string, string][]} options @param {string} value @param {(v: string) => void} change */
  function choice(id, label, options, value, change) {
    const select = element(
      "select",
      { id },
      ...options.map(([v, text]) =>
        element("option", { value: v, dir: "auto" }, short(text, 60)),
      ),
    );
    select.value = value;
    select.addEventListener("change", () => change(select.value));
    return element("div", { class: "control" }, element("label", { for: id }, label), select);
  }

  const PC =
    "Probability cost: prevalence and costs in one number. PC 0: only false alarms (FP) matter; PC 1: only missed cases (FN) do.";

  /** A small table. @param {(string | Node)[]} head @param {(string | Node)[][]} rows @param {string} caption @param {(i: number) => boolean} [best] */
  function table(head, rows, caption, best) {
    return element(
      "table",
      { class: "plain" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...head.map((h) => element("th", { scope: "col" }, h)))),
      element(
        "tbody",
        {},
        ...rows.map((r, i) =>
          element(
            "tr",
            { class: best && best(i) ? "best" : null },
            ...r.map((c, j) => (j === 0 ? element("th", { scope: "row" }, c) : element("td", {}, c))),
          ),
        ),
      ),
    );
  }

  /** A model's name with its colour and dash. @param {any} m @param {boolean} dark */
  function named(m, dark) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "swatch");
    svg.setAttribute("viewBox", "0 0 26 8");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M1 4H25");
    path.setAttribute("stroke", /** @type {any} */ (globalThis).karatCharts.seen(m.colour, dark));
    path.setAttribute("stroke-width", "2.5");
    if (m.dash.length) path.setAttribute("stroke-dasharray", m.dash.join(" "));
    svg.append(path);
    return element("span", { class: "model", "data-at": m.at }, svg, yielding(m.name));
  }

  /**
   * Which model to use in which range: a strip and a table.
   * @param {any[]} reigns @param {any} state @param {any} data @param {boolean} dark @param {string} positive the class
   */
  function ranges(reigns, state, data, dark, positive) {
    const nameOf = (name) => P.trivial(name, positive);
    const pc = C.probabilityCost(state);
    const by = new Map(data.models.map((m) => [m.name, m]));
    const shown = (name) => (by.has(name) ? named(by.get(name), dark) : element("span", { class: "quiet" }, nameOf(name)));
    const list = (best) =>
      element(
        "span",
        { class: "names" },
        ...best.slice(0, 3).flatMap((n, i) => (i ? [" = ", shown(n)] : [shown(n)])),
        best.length > 3 ? ` and ${best.length - 3} more` : null,
      );
    const strip = element("div", { class: "strip", "aria-hidden": "true" });
    for (const r of reigns) {
      const part = element("span", { title: r.best.map(nameOf).join(" = ") });
      part.style.flexGrow = String(r.to - r.from);
      const m = by.get(r.best[0]);
      if (m) part.style.background = /** @type {any} */ (globalThis).karatCharts.seen(m.colour, dark);
      strip.append(part);
    }
    const pin = element("i", {});
    pin.style.left = `${100 * pc}%`;
    strip.append(pin);
    const rows = reigns.map((r) => [
      list(r.best),
      `${figure(C.prevalenceAt(r.from, state))} to ${figure(C.prevalenceAt(r.to, state))}`,
      element("span", { class: "quiet" }, `${figure(r.from)} to ${figure(r.to)}`),
    ]);
    const here = (i) => pc >= reigns[i].from && pc <= reigns[i].to;
    return element(
      "div",
      {},
      element("h3", {}, "Best model by operating condition"),
      strip,
      element(
        "div",
        { class: "wide" },
        table(
          [
            "model",
            "prevalence, at this cost ratio",
            element("abbr", { title: PC, tabindex: 0 }, "PC"),
          ],
          rows,
          `Prevalence now ${figure(state.prevalence)}, cost ratio ${state.miss} : ${state.alarm} (FN : FP)`,
          here,
        ),
      ),
    );
  }

  /** What each model does at its operating point. @param {any[]} points @param {any} data @param {boolean} dark */
  function answers(points, data, dark) {
    const least = Math.min(...points.map((p) => p.normalised));
    const sorted = [...points].sort((a, b) => a.normalised - b.normalised);
    const rows = sorted.map((p) => [
      named(data.models[p.at], dark),
      p.rule.startsWith("predict ") ? `from ${p.cut} on` : p.rule, // the sentence above names the class
      figure(p.tpr),
      figure(p.fpr),
      figure(p.precision),
      figure(p.normalised, 4),
      figure(p.cost, 4),
      figure(p.profit),
    ]);
    return table(
      ["model", "threshold", "recall", "false positive rate", "precision", "normalised cost", "expected cost", "profit"],
      rows,
      "The operating point of each model",
      (i) => sorted[i].normalised <= least + 1e-12,
    );
  }

  /** @type {any} */ (globalThis).karatControls = { slider, choice, table, named, ranges, answers, figure };
})();
