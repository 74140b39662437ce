// @ts-check
/** Confusion matrices of a class: as the model predicted, and at its operating point, side by side. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;
  const P = /** @type {any} */ (globalThis).karatPoints;
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const { table, named } = /** @type {any} */ (globalThis).karatControls;
  const MOST = 3; // models whose matrices are shown

  const text = (v) => (Math.abs(v - Math.round(v)) < 1e-6 || v >= 100 ? Math.round(v).toLocaleString("en") : v.toFixed(1));

  /** Names of the class and of the rest, and which comes first: two classes stand in their order everywhere. @param {any} klass @param {any} data */
  function sides(klass, data) {
    const two = data.classes.length === 2;
    const rest = two ? data.classes[1 - klass.class] : "rest";
    return { names: [rest, data.classes[klass.class]], order: two && klass.class === 1 ? [0, 1] : [1, 0] };
  }

  /** @param {{fpr: number, tpr: number}} p @param {any} state in cases: rows truth, columns predicted (rest, class) */
  const cells = (p, state) => C.shares(p.fpr, p.tpr, state.prevalence).map((r) => r.map((v) => v * state.cases));

  const KINDS = [
    ["TN", "FP"],
    ["FN", "TP"],
  ];

  /** @param {{fpr: number, tpr: number}} p @param {string} title @param {any} klass @param {any} state @param {any} data @param {boolean} rejects */
  function matrix(p, title, klass, state, data, rejects) {
    const { names, order } = sides(klass, data);
    const short = names.map((n) => /** @type {any} */ (globalThis).karatNames.short(n, 16));
    const counts = cells(p, state);
    const value = (i, j) => element("span", {}, text(counts[i][j]), element("span", { class: "quiet kind" }, ` ${KINDS[i][j]}`));
    const head = (j) => `predicted as ${P.spoken(short[j])}${j === 0 && rejects ? ", or rejected" : ""}`;
    return table(
      ["true class", ...order.map(head)],
      order.map((i) => [element("bdi", {}, short[i]), ...order.map((j) => value(i, j))]),
      title,
    );
  }

  /** How an operating point differs from the predictions, in cases. @param {any} p @param {any} decided @param {any} state */
  function difference(p, decided, state) {
    const [now, before] = [cells(p, state), cells(decided, state)];
    const more = (v, what) => `${text(Math.abs(v))} ${v > 0 ? "more" : "fewer"} ${what}${text(Math.abs(v)) === "1" ? "" : "s"}`;
    const parts = [
      [now[1][1] - before[1][1], "true positive"],
      [now[0][1] - before[0][1], "false positive"],
    ].filter(([v]) => Math.abs(Number(v)) > 1e-6);
    return parts.length ? `${parts.map(([v, what]) => more(v, what)).join(", ")} than as predicted.` : "The same as predicted.";
  }

  /** @param {any} p an operating point @param {any} klass @param {any} state @param {any} data @param {boolean} dark */
  function pair(p, klass, state, data, dark) {
    const { decided } = klass.models[p.at];
    const rejects = C.rejecting(p, data.rejected) > 0;
    const predicted = decided && matrix(decided, "As predicted", klass, state, data, rejects);
    const cut = P.cutSaid(p);
    const at = p.scored && matrix(p, `At this threshold${cut ? `: ${cut}` : ""}`, klass, state, data, false);
    return element(
      "div",
      { class: "pair" },
      element("h4", {}, named(data.models[p.at], dark)),
      element("div", { class: "row" }, ...[predicted, at].filter(Boolean)),
      predicted && at ? element("p", { class: "quiet" }, difference(p, decided, state)) : null,
    );
  }

  /** Those of the cheapest models. @param {any[]} points @param {any} klass @param {any} state @param {any} data @param {boolean} dark */
  function matrices(points, klass, state, data, dark) {
    const sorted = [...points].sort((a, b) => a.normalised - b.normalised).slice(0, MOST);
    const why =
      "As predicted: the labels that a model gives, usually the most probable class. At this threshold: " +
      `${klass.name} is predicted from the threshold of the operating point on, whatever the label was.`;
    const both = sorted.some((p) => p.scored && klass.models[p.at].decided);
    return element(
      "div",
      {},
      element("h3", {}, `Confusion matrices, for ${Math.round(state.cases).toLocaleString("en")} cases`),
      both ? element("p", { class: "quiet", id: "two-matrices" }, why) : null,
      element("div", { class: "matrices" }, ...sorted.map((p) => pair(p, klass, state, data, dark))),
    );
  }

  /** @type {any} */ (globalThis).karatMatrices = { matrices };
})();
