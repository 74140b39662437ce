// @ts-check
/** Costs of every kind of error, typed into a table: what the predictions of each model cost on average. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const { table, named, figure } = /** @type {any} */ (globalThis).karatControls;

  const FEW = 5; // classes whose costs have ample room

  /** @param {any} data @param {() => boolean} dark @param {Set<number>} chosen the models that are shown @returns {{root: HTMLElement, show: () => void} | null} */
  function prices(data, dark, chosen) {
    const p = data.priced;
    if (!p || data.classes.length < 2) return null;
    const k = data.classes.length;
    const cost = data.classes.map((_, i) => p.outputs.map((__, j) => (i === j ? 0 : 1)));
    let prior = [...p.prior];
    const out = element("div", { class: "wide", "aria-live": "polite" });
    const short = (n) => element("bdi", { class: "name", title: n }, /** @type {any} */ (globalThis).karatNames.short(n, 18));
    const number = (label, value, change, more) => {
      const box = element("input", { type: "number", step: "any", "aria-label": label, value, ...more });
      box.addEventListener("input", () => {
        const v = Number(box.value);
        const fit = box.value !== "" && Number.isFinite(v) && change(v, box);
        box.setAttribute("aria-invalid", String(!fit));
        if (fit) show();
      });
      return box;
    };
    /** @type {any[]} */
    const shares = [];
    const body = data.classes.map((c, i) => {
      shares[i] = number(
        `share of ${c}`,
        Number(prior[i].toPrecision(4)),
        (v, box) => {
          if (v < 0 || v > 1) return false;
          prior = C.withShare(prior, i, v);
          shares.forEach(
            (other) => other !== box && (other.value = String(Number(prior[shares.indexOf(other)].toPrecision(4)))),
          );
          return true;
        },
        { min: 0, max: 1, id: `prior-${i}` },
      );
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, short(c)),
        element("td", {}, shares[i]),
        ...p.outputs.map((o, j) =>
          element(
            "td",
            {},
            number(
              `cost of predicting ${o} for ${c}`,
              cost[i][j],
              (v) => {
                cost[i][j] = v;
                return true;
              },
              { id: `cost-${i}-${j}` },
            ),
          ),
        ),
      );
    });
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "true class"),
      element("th", { scope: "col" }, "share"),
      ...p.outputs.map((o) => element("th", { scope: "col" }, short(o))),
    );
    const input = element(
      "table",
      { class: k > FEW ? "plain prices many" : "plain prices" },
      element("caption", {}, "Cost of each prediction (columns) for a case of each class (rows); gains are negative"),
      element("thead", {}, head),
      element("tbody", {}, ...body),
    );

    function show() {
      const rows = p.tables
        .filter((t) => chosen.has(t.model))
        .map((t) => ({ m: data.models[t.model], cost: C.expectedCostOf(t.cells, cost, prior) }));
      rows.sort((a, b) => a.cost - b.cost);
      const constant = C.bestConstant(cost, prior);
      const shown = rows.map((r) => [named(r.m, dark()), figure(r.cost, 4)]);
      shown.push([
        element("span", { class: "quiet" }, "always ", short(p.outputs[constant.decision])),
        figure(constant.cost, 4),
      ]);
      const priceTable = table(
        ["model", "expected cost per case"],
        shown,
        "Expected cost of the predictions of each model",
        (i) => i < rows.length && rows[i].cost <= rows[0].cost + 1e-12,
      );
      priceTable.id = "priced";
      out.replaceChildren(priceTable);
    }
    show();
    const back = element(
      "button",
      {
        type: "button",
        onclick: () => {
          prior = [...p.prior];
          cost.forEach((r, i) => r.forEach((_, j) => (r[j] = i === j ? 0 : 1)));
          body.forEach((tr, i) =>
            tr
              .querySelectorAll("input")
              .forEach((box, j) => (box.value = String(j === 0 ? Number(prior[i].toPrecision(4)) : cost[i][j - 1]))),
          );
          show();
        },
      },
      "Reset",
    );
    const root = element(
      "section",
      { id: "costs", "aria-labelledby": "costs-title" },
      element("h2", { id: "costs-title" }, k === 2 ? "Cost matrix, for the predictions as given" : "Cost matrix"),
      element(
        "p",
        { class: "quiet" },
        "Predictions are used as given; changing the share of a class rescales the other shares in proportion.",
      ),
      p.outputs.length > k && data.rejected.some((r) => r > 0)
        ? element(
            "p",
            { class: "quiet", id: "priced-rejects" },
            "Rejecting a case has a cost of its own here (",
            short(p.outputs[k]),
            "): at 1 a rejected case costs as much as an error, while the operating conditions above count it as predicted as the rest, which is correct for cases of the rest.",
          )
        : null,
      element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "cost matrix" }, input),
      back,
      out,
    );
    return { root, show };
  }

  /** @type {any} */ (globalThis).karatPrices = { prices };
})();
