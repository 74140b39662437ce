// @ts-check
/** Panels of class predictions: heat maps, entropy triangles, information, and where the measures disagree. */
(function () {
  "use strict";
  const { short } = /** @type {any} */ (globalThis).karatNames;
  const V = /** @type {any} */ (globalThis).karatCharts;
  const S = /** @type {any} */ (globalThis).karatShapes;
  const P = () => /** @type {any} */ (globalThis).karatPoints;

  /** A cell as people write it. @param {number | null} v @param {boolean} count */
  function written(v, count) {
    if (v === null || Number.isNaN(v)) return "–";
    if (count) return Number.isInteger(v) ? v.toLocaleString("en") : v.toFixed(1);
    return v.toFixed(2);
  }

  /** What cells show. */
  const VIEWS = {
    counts: "cases",
    truth: "share of the true class",
    predicted: "share of the predictions",
    joint: "share of all cases",
  };

  /** A table seen as counts, or as shares of rows, columns or all. @param {number[][]} table @param {string} view */
  function shared(table, view) {
    if (view === "counts") return table;
    const rows = table.map((r) => r.reduce((a, b) => a + b, 0));
    const columns = table[0].map((_, j) => table.reduce((a, r) => a + r[j], 0));
    const all = rows.reduce((a, b) => a + b, 0);
    return table.map((r, i) =>
      r.map((v, j) => {
        const of = view === "truth" ? rows[i] : view === "predicted" ? columns[j] : all;
        return of > 0 ? v / of : NaN;
      }),
    );
  }

  /** Names that differ from each other, and from what every object has: they become keys. @param {string[]} names @param {number} [most] letters */
  function distinct(names, most = 40) {
    /** @type {Set<string>} */
    const taken = new Set();
    return names.map((n) => {
      let name = short(n, most);
      if (name in Object.prototype) name = `\u200b${name}`;
      while (taken.has(name)) name += "\u2032";
      taken.add(name);
      return name;
    });
  }

  /** @param {any} data @param {any[]} models @param {(id: string) => any} about */
  function panels(data, models, about) {
    /** @type {any[]} */
    const panelList = [];
    const positive = data.rest.find((r) => r.class === data.positive);
    const context = () => (positive ? P().observed(positive, data) : {});
    const all = `${data.n.toLocaleString("en")} cases, ${data.classes.length} classes${
      positive ? `; positive class ${P().spoken(data.classes[positive.class])} (${positive.own.toLocaleString("en")} cases)` : ""
    }`;
    for (const id of ["confusion_matrix", "probabilistic_confusion_matrix"]) {
      const maps = data.confusion.filter((c) => c.diagram === id);
      if (!maps.length) continue;
      const size = Math.max(...maps.map((m) => m.cells.length));
      const room = V.headroom(data.classes.filter((_, i) => maps[0].rows.includes(i)));
      const height = (size <= 4 ? 260 : Math.min(260 + 10 * (size - 4), 520)) + Math.max(room, 40);
      const of = (s) => maps.find((m) => m.model === s.detail);
      /** Was a class chosen to be shown? What is no class always is. @param {any} s @param {number} k */
      const kept = (s, k) => k >= data.classes.length || s.classes.has(k);
      const names = (m) => ({
        rows: distinct(m.rows.map((i) => data.classes[i])),
        columns: distinct(m.outputs),
      });
      panelList.push({
        id,
        section: "classes",
        title: about(id).title,
        height,
        live: false,
        redraw: true,
        one: (s) => s.detail,
        scale: (s) => VIEWS[s.view],
        context,
        facts: (s) => `${all}; cells show: ${VIEWS[s.view]}.`,
        caption: about(id).shows + (maps[0].top ? ` Only the ${maps[0].top} classes with the most confusions.` : ""),
        spec: (theme, s) => {
          const m = of(s) || maps[0];
          const columns = m.outputs.filter((_, j) => kept(s, m.columns[j]));
          return V.cells(
            {
              across: columns.length,
              columns,
              rowTitle: "true class",
              columnTitle: "predicted as",
              height,
              description: about(id).shows,
              text: columns.length <= 16,
              scale: VIEWS[s.view],
              tips: [
                { field: "truth", title: "true class" },
                { field: "prediction", title: "predicted as" },
                { field: "count", title: "cases", format: ",.12~g" },
                { field: "ofTruth", title: "of the true class", format: ".1%" },
                { field: "ofPredicted", title: "of the predictions", format: ".1%" },
              ],
            },
            theme,
          );
        },
        rows: (s) => {
          const m = of(s);
          if (!m) return { cells: [] };
          const { rows, columns } = names(m);
          const shown = shared(m.cells, s.view);
          const truth = shared(m.cells, "truth");
          const predicted = shared(m.cells, "predicted");
          const most = Math.max(...shown.flat().filter((v) => !Number.isNaN(v)));
          return {
            cells: m.cells.flatMap((r, i) =>
              r.flatMap((count, j) => (kept(s, m.rows[i]) && kept(s, m.columns[j]) ? [{
                row: rows[i],
                column: columns[j],
                truth: data.classes[m.rows[i]],
                prediction: m.outputs[j],
                rowAt: i,
                columnAt: j,
                count,
                shade: shown[i][j],
                text: written(shown[i][j], s.view === "counts"),
                strong: shown[i][j] > 0.7 * most,
                ofTruth: truth[i][j],
                ofPredicted: predicted[i][j],
              }] : [])),
            ),
          };
        },
      });
    }
    if (data.triangles) {
      const t = data.triangles;
      for (const [id, parts, corners] of /** @type {[string, string[], string[]][]} */ ([
        ["entropy_triangle", ["both"], ["information", "variation", "imbalance"]],
        ["split_entropy_triangle", ["truth", "predictions"], ["information", "remaining uncertainty", "imbalance"]],
      ])) {
        const tips = [
          { field: "name", title: "model" },
          ...(parts.length > 1 ? [{ field: "of", title: "of" }] : []),
          { field: "information", title: "information", format: ".3f" },
          { field: "variation", title: corners[1], format: ".3f" },
          { field: "imbalance", title: "imbalance", format: ".3f" },
          { field: "EMA", title: "EMA", format: ".3f" },
          { field: "note", title: "note" },
        ];
        panelList.push({
          id,
          section: "decisions",
          title: about(id).title,
          caption: about(id).shows,
          height: 320,
          live: false,
          models,
          zooms: true,
          facts: () => `${all}.`,
        context,
          spec: (theme) =>
            S.triangle(
              { models, height: 320, description: about(id).shows, corners, shapes: parts.length > 1, tips },
              theme,
            ),
          rows: (s) => {
            const points = parts
              .flatMap((of) =>
                t.shares[of].map((share, i) => ({
                  ...S.place(share[1], share[2], share[0]),
                  of,
                  i: parts.indexOf(of),
                  model: String(t.models[i]),
                  at: t.models[i],
                  name: data.models[t.models[i]].name,
                  imbalance: share[0],
                  information: share[1],
                  variation: share[2],
                  EMA: t.EMA[i],
                  note: t.cross_labelled[i] ? "exchanging its class labels would raise its accuracy" : "",
                })),
              )
              .filter((p) => s.shown.has(p.at));
            return { points, links: parts.length > 1 ? points : [] };
          },
        });
      }
    }
    if (data.chains.some((c) => c)) {
      panelList.push({
        id: "information_chain",
        section: "classes",
        title: about("information_chain").title,
        caption: about("information_chain").shows,
        height: 200,
        live: false,
        one: (s) => s.detail,
        facts: () => `${all}.`,
        context,
        spec: (theme) => S.chain({ height: 200, description: about("information_chain").shows }, theme),
        rows: (s) => {
          const c = data.chains[s.detail];
          const parts = ["imbalance", "information", "remaining uncertainty, or noise"];
          if (!c) return { bars: [] };
          return {
            bars: ["truth", "predictions"].flatMap((of) =>
              Object.values(c.bits[of]).map((bits, i) => ({
                of,
                i,
                bits: Math.max(Number(bits), 0),
                part: parts[i],
                words: `${c.perplexity[of].map((v) => v.toFixed(2)).join(" → ")} ${of === "truth" ? "classes" : "predictions"}`,
              })),
            ),
          };
        },
      });
    }
    if (data.rankings) {
      const r = data.rankings;
      const height = 60 + 20 * r.measures.length + V.headroom(data.models.map((m) => short(m.name, 20)));
      panelList.push({
        id: "rankings",
        section: "disagree",
        title: "Ranks of the models by each measure",
        height,
        live: false,
        redraw: true,
        wide: true,
        scale: () => "rank (1 is best)",
        facts: () => `${all}.`,
        context,
        caption:
          "1 is the best model by that measure. A row that differs from the others is a measure that disagrees with them.",
        spec: (theme, s) => {
          return V.cells(
            {
              across: s.shown.size,
              columns: data.models.filter((_, i) => s.shown.has(i)).map((m) => short(m.name, 20)),
              rowTitle: "",
              columnTitle: "",
              height,
              description: "ranks of the models by each measure",
              text: s.shown.size <= 20,
              scale: "rank",
              models: true,
              reverse: true,
              rowLimit: /** @type {any} */ (globalThis).innerWidth < 700 ? 0 : 320,
              tips: [
                { field: "measure", title: "measure" },
                { field: "name", title: "model" },
                { field: "rank", title: "rank", format: ".1~f" },
                { field: "value", title: "value", format: ".4~g" },
              ],
            },
            theme,
          );
        },
        rows: (s) => {
          const of = (symbol) => data.measures.find((m) => m.symbol === symbol);
          const labels = distinct(r.measures.map((symbol) => of(symbol).label), 70);
          const columns = distinct(data.models.map((m) => m.name), 20); // whole names are in the tooltips
          const worst = data.models.length;
          return {
            cells: r.measures
              .flatMap((symbol, i) =>
                r.ranks[i].map((rank, j) => ({
                  measure: labels[i],
                  name: data.models[j].name,
                  row: labels[i],
                  column: columns[j],
                  rowAt: i,
                  columnAt: s.order.indexOf(j),
                  at: j,
                  model: String(j),
                  rank,
                  shade: rank,
                  text: Number.isInteger(rank) ? String(rank) : rank.toFixed(1),
                  strong: rank <= 1 + 0.2 * (worst - 1),
                  value: of(symbol).values[j],
                })),
              )
              .filter((c) => s.shown.has(c.at)),
          };
        },
      });
    }
    return panelList;
  }

  const maps = { VIEWS, panels, shared, distinct, written };
  if (typeof module !== "undefined" && module.exports) module.exports = maps;
  /** @type {any} */ (globalThis).karatMaps = maps;
})();
