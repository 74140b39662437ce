// @ts-check
/** The panels of the page: what each draws for a state of the controls. Numbers come from `conditions.js` or the data. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;
  const V = /** @type {any} */ (globalThis).karatCharts;
  const P = /** @type {any} */ (globalThis).karatPoints;
  const { rated, operating, reference, precisionRecall, equalCost } = P;

  /**
   * @typedef {any} State see points.js
   * @typedef {{id: string, section: string, title: string, caption: string | ((s: State) => string), height: number, live: boolean,
   *   spec: (theme: any, state: State) => any, rows: (state: State) => Record<string, any[]>, facts: (s: State) => string,
   *   context?: (s: State) => Record<string, any>, axes?: (s: State) => {x: string, y: string}, models?: any[],
   *   one?: (s: State) => number, told?: (row: any, s: State) => any, zooms?: boolean, follows?: boolean, zero?: boolean}} Panel
   * `facts` and `context`: what a file says in words, and in columns, of the class and the conditions; `one`: the model
   * that it is about, if it is about one; `told`: what a point that answers to the pointer says more; `follows`: the ends of its
   * y axis follow the rows.
   */

  const NAME = { field: "name", title: "model" };
  const SHARE = { domain: [0, 1] };
  const COUNTS = [
    { field: "cut", title: "threshold" },
    { field: "counts", title: "counts" },
  ];

  const FIRST_HEIGHT = 198; // of the charts on the first screen
  const RARE = 0.2; // prevalence below which precision and recall tell more than a ROC curve
  const CURVES = new Set(["roc_curve", "precision_recall", "lift"]);
  /** Diagrams of lines whose places are rates: which, and their threshold if it is none of the curve. @type {Record<string, any>} */
  const THRESHOLDED = {
    det: { rates: (x, y) => ({ fpr: C.normal(x), tpr: 1 - C.normal(y) }) },
    roc_graph: { rates: (x, y) => ({ fpr: x, tpr: y }), cut: "as predicted" },
  };
  const SAME = 1e-3; // lines are carried with four digits

  /** A point of lines with its rates, and counts and threshold where they are known. @param {any} r @param {any} p @param {any} klass */
  function measured(r, p, klass) {
    const kind = THRESHOLDED[p.id];
    if (!kind) return r;
    const at = kind.rates(r.x, r.y);
    const off = (q) => Math.abs(q.fpr - at.fpr) + Math.abs(q.tpr - at.tpr);
    const m = klass.models[Number(r.model)];
    const known = [...m.curve, ...(m.decided ? [m.decided] : [])].filter((q) => off(q) < SAME);
    const near = known.length ? known.reduce((a, b) => (off(b) < off(a) ? b : a)) : at;
    return { ...r, rateX: at.fpr, rateY: 1 - at.tpr, cut: kind.cut || P.cutSaid(near), ...P.cells(near, klass), counts: P.counts(near, klass) };
  }

  /** Diagrams of the page alone. */
  const OWN = {
    expected_cost: {
      title: "Expected cost by prevalence",
      shows: "What does a case cost on average, by prevalence, at the cost ratio and the best threshold of each model?",
    },
  };

  /** All panels that are available. @param {any} data @returns {{panels: Panel[], classes: any[], operating: (s: State) => any[], reigns: (s: State) => any[], first: string[]}} */
  function panels(data) {
    const classes = rated(data);
    const models = data.models.map((m, i) => ({
      id: String(i),
      name: m.name,
      colour: m.colour,
      dash: m.dash,
    }));
    const here = (s) => classes[s.rest];
    const seen = (s) => here(s).models.filter((m) => s.shown.has(m.at));
    const at = (s) => operating(here(s), s);
    const about = (id) => OWN[id] || data.diagrams[id];
    /** What a diagram of the class shows. @param {string} id @param {State} s */
    const shows = (id, s) => P.about(about(id).shows, here(s).name);
    /** An axis whose title names the class: of two classes and of many in the same words. @param {any} axis @param {State} s */
    const titled = (axis, s) => {
      if (!axis.of) return axis;
      const title = axis.title === "true positive rate" ? "recall" : axis.title;
      return { ...axis, title: `${title} (${here(s).name})` };
    };
    const told = (r, s) => ({ ...r, cut: P.cutSaid(r), ...P.cells(r, here(s)), counts: P.counts(r, here(s)) });
    const context = (s) => P.context(s, here(s), data);
    /** @param {State} s */
    const size = (s) => {
      const { own, rest, name } = here(s);
      const positive = here(s).class === data.positive ? "Positive class" : "Class";
      return `${positive} ${name}: ${own.toLocaleString("en")} of ${(own + rest).toLocaleString("en")} cases (prevalence ${Number((own / (own + rest)).toPrecision(4))}).`;
    };
    /** @type {Panel[]} */
    const panelList = [];
    const H = 300;
    const start = classes.find((k) => k.class === data.positive) || classes[0];
    const rare = start && start.own / (start.own + start.rest) < RARE;
    const first = start ? [rare ? "precision_recall" : "roc_curve", "expected_cost"] : [];

    /** @param {string} id @param {any} o @param {(s: State) => Record<string, any[]>} rows @param {string} [grey] @param {(s: State) => string} [more] */
    function live(id, o, rows, grey, more) {
      const places = (s) => [
        { field: "x", title: titled(o.x, s).title, format: ".3~g" },
        { field: "y", title: titled(o.y, s).title, format: ".4~g" },
      ];
      const height = first.includes(id) ? FIRST_HEIGHT : H;
      panelList.push({
        id,
        section: first.includes(id) ? "first" : CURVES.has(id) ? "curves" : "conditions",
        title: about(id).title,
        caption: (s) => shows(id, s) + (grey ? ` Grey: ${grey}.` : "") + (more ? more(s) : ""),
        height,
        live: true,
        follows: !o.y.domain,
        zero: o.y.zero,
        models,
        zooms: true,
        told,
        facts: (s) => P.conditionsSaid(s, here(s).name, data),
        context,
        axes: (s) => ({ x: titled(o.x, s).title, y: titled(o.y, s).title }),
        spec: (theme, s) =>
          V.curves(
            {
              models,
              height,
              description: `${about(id).title}. ${shows(id, s)}`,
              operating: [NAME, { field: "rule", title: "rule" }, ...places(s), COUNTS[1]],
              tips: [NAME, COUNTS[0], ...places(s), COUNTS[1]],
              ...o,
              x: titled(o.x, s),
              y: { ...titled(o.y, s), follows: !o.y.domain },
            },
            theme,
          ),
        rows,
      });
    }

    /**
     * The curves of the models that are shown; the same rows again while nothing that they depend on has changed.
     * @param {string} id @param {State} s @param {any[]} on @param {(p: any, m: any) => any} xy @param {(m: any) => any[]} [of]
     */
    function all(id, s, on, xy, of) {
      const key = [s.rest, ...s.shown, "on", ...on].join(" ");
      const kept = remembered.get(id);
      if (kept && kept.key === key) return kept.rows;
      const rows = seen(s).flatMap((m) => {
        const model = String(m.at);
        return (of ? of(m) : m.curve).map((p, i) => Object.assign({ i, model, name: m.name }, p, xy(p, m))); // one object a point
      });
      remembered.set(id, { key, rows });
      return rows;
    }
    /** @type {Map<string, {key: string, rows: any[]}>} */
    const remembered = new Map();
    const B = /** @type {any} */ (globalThis).karatBands.bands(data, here);
    /** @param {State} s @param {(p: any) => any} xy */
    const marks = (s, xy) => at(s).map((p) => ({ ...p, ...xy(p) }));

    if (classes.length) {
      const roc = (p) => ({ x: p.fpr, y: p.tpr });
      live(
        "roc_curve",
        {
          x: { title: "false positive rate", of: true, ...SHARE },
          y: { title: "true positive rate", of: true, ...SHARE },
          bands: true,
        },
        (s) => {
          const points = at(s);
          const best = points.length ? points.reduce((a, b) => (b.normalised < a.normalised ? b : a)) : null;
          return {
            ...B.rows("roc_curve", s),
            curves: all("roc_curve", s, [], roc),
            operating: marks(s, roc),
            references: [
              ...reference("chance", [
                [0, 0],
                [1, 1],
              ]),
              ...(best ? reference("equal cost", equalCost(best, C.probabilityCost(s))) : []),
            ],
          };
        },
        "chance, and the line of equal cost through the best point",
        B.confidence,
      );
      live(
        "expected_cost",
        {
          x: { title: "prevalence", of: true, ...SHARE },
          y: { title: "expected cost per case", zero: true },
          rule: true,
        },
        (s) => {
          const { alarm, miss } = C.stakes(s);
          const earned = (x) => x * s.hit + (1 - x) * s.pass;
          const there = (p) => Number.isFinite(C.prevalenceAt(p.pc, s));
          const of = (m) => (m.scored ? C.costCurve(m.hull) : P.lineOfCost(m.hull)).filter(there);
          const xy = (p) => {
            const x = C.prevalenceAt(p.pc, s);
            return { x, y: p.cost * (miss * x + alarm * (1 - x)) - earned(x) };
          };
          const curves = all("expected_cost", s, [alarm, miss, s.hit, s.pass], xy, of);
          const points = marks(s, (p) => ({ x: s.prevalence, y: p.cost }));
          const top = 1.3 * Math.max(...curves.map((r) => r.y), ...points.map((r) => r.y));
          const shown = ([, y]) => y <= top;
          const shares = data.thresholds.map((_, i, all) => i / (all.length - 1));
          return {
            curves,
            operating: points,
            references: [
              ...reference("never predicting the class", shares.map((x) => [x, miss * x - earned(x)]).filter(shown)),
              ...reference("always predicting it", shares.map((x) => [x, alarm * (1 - x) - earned(x)]).filter(shown)),
            ],
            rule: [{ x: s.prevalence }],
          };
        },
        "always, or never, predicting the class",
      );
      live(
        "cost_curve",
        {
          x: { title: "probability cost PC", of: true, ...SHARE },
          y: { title: "normalised expected cost", domain: [0, 0.52] },
          rule: true,
        },
        (s) => {
          const pc = C.probabilityCost(s);
          const of = (m) => (m.scored ? C.costCurve(m.hull) : P.lineOfCost(m.hull));
          return {
            curves: all("cost_curve", s, [], (p) => ({ x: p.pc, y: p.cost }), of),
            operating: marks(s, (p) => ({ x: pc, y: p.normalised })),
            references: reference("trivial classifiers", [
              [0, 0],
              [0.5, 0.5],
              [1, 0],
            ]),
            rule: [{ x: pc }],
          };
        },
        "always, or never, predicting the class",
      );
      live(
        "precision_recall",
        { x: { title: "recall", of: true, ...SHARE }, y: { title: "precision", of: true, ...SHARE } },
        (s) => ({
          curves: all(
            "precision_recall",
            s,
            [s.prevalence],
            () => null,
            (m) => precisionRecall(m.curve, s.prevalence),
          ),
          operating: marks(s, (p) => ({ x: p.tpr, y: p.precision })),
          references: reference("random", [
            [0, s.prevalence],
            [1, s.prevalence],
          ]),
        }),
        "a random ranking",
      );
      const gains = (s) => (p) => ({
        x: C.reached(p.fpr, p.tpr, s.prevalence),
        y: p.tpr,
      });
      live(
        "lift",
        { x: { title: "share of all cases", ...SHARE }, y: { title: "share of the class found", of: true, ...SHARE } },
        (s) => ({
          curves: all("lift", s, [s.prevalence], gains(s)),
          operating: marks(s, gains(s)),
          references: [
            ...reference("random", [
              [0, 0],
              [1, 1],
            ]),
            ...reference("perfect", [
              [0, 0],
              [s.prevalence, 1],
              [1, 1],
            ]),
          ],
        }),
        "a random and a perfect ranking",
      );
      live(
        "roi",
        { x: { title: "share of all cases acted on", ...SHARE }, y: { title: "total profit", format: "~s" } },
        (s) => {
          const xy = (p) => ({
            x: C.reached(p.fpr, p.tpr, s.prevalence),
            y: C.profit(p.fpr, p.tpr, s, s.cases),
          });
          return {
            curves: all("roi", s, [s.prevalence, s.alarm, s.miss, s.hit, s.pass, s.cases], xy),
            operating: marks(s, xy),
            references: reference("random", [
              [0, C.profit(0, 0, s, s.cases)],
              [1, C.profit(1, 1, s, s.cases)],
            ]),
          };
        },
        "a random ranking",
      );
      if (data.probabilities) {
        live(
          "decision_curve",
          { x: { title: "threshold probability", of: true, ...SHARE }, y: { title: "net benefit" }, rule: true },
          (s) => {
            const benefit = (p) => ({
              x: p.threshold,
              y: C.netBenefit(p.fpr, p.tpr, s.prevalence, p.threshold),
            });
            const grid = data.thresholds.slice(0, -1);
            const low = -0.3 * s.prevalence;
            return {
              curves: all("decision_curve", s, [s.prevalence], benefit, (m) =>
                m.grid ? m.grid.slice(0, -1).filter((p) => benefit(p).y >= low) : [],
              ),
              operating:
                s.mode === "threshold" && s.step < data.thresholds.length - 1
                  ? marks(s, benefit).filter((p) => p.scored && p.y >= low)
                  : [],
              references: [
                ...reference("no case", [
                  [0, 0],
                  [1, 0],
                ]),
                ...reference(
                  "every case",
                  grid.map((t) => [t, C.netBenefit(1, 1, s.prevalence, t)]).filter((p) => p[1] >= low),
                ),
              ],
              rule: s.mode === "threshold" ? [{ x: data.thresholds[s.step] }] : [],
            };
          },
          "acting on every case, and on none",
        );
      }
      for (const p of classes[0].panels) {
        const get = (s) => here(s).panels.find((q) => q.id === p.id) || p;
        panelList.push(fixed(p, get, true));
      }
      panelList.push(.../** @type {any} */ (globalThis).karatClasses.panels(data, classes, models, H));
      panelList.push(.../** @type {any} */ (globalThis).karatDetails.panels(data, { classes, here, at, shows, size, height: H }));
    }
    for (const p of data.panels) panelList.push(fixed(p, () => p));

    /** A panel of lines that conditions do not change. @param {any} p @param {(s: State) => any} get @param {boolean} [classed] is it about the class that is chosen? @returns {Panel} */
    function fixed(p, get, classed) {
      const { title } = about(p.id);
      const words = (s) => (classed ? shows(p.id, s) : about(p.id).shows);
      const axes = (s) => ({
        x: titled({ ...p.x, of: classed }, s),
        y: titled({ ...p.y, zero: !p.y.domain, of: classed && p.y.title.endsWith(" rate") }, s),
      });
      const grey = (s) => [...new Set(get(s).references.map((r) => r.name))].join(", ");
      return {
        id: p.id,
        section: "curves",
        title,
        caption: (s) => words(s) + (grey(s) ? ` Grey: ${grey(s)}.` : "") + (p.id === "reliability" ? B.consistency(s) : ""),
        height: H,
        live: false,
        models,
        zooms: !p.x.ticks,
        told: (r, s) => measured(r, p, here(s)),
        facts: (s) => (classed ? size(s) : `${data.n.toLocaleString("en")} cases, ${data.classes.length} classes.`),
        context: (s) => (classed ? P.observed(here(s), data) : {}),
        axes: (s) => ({ x: axes(s).x.title, y: axes(s).y.title }),
        spec: (theme, s) =>
          V.curves(
            {
              models,
              height: H,
              description: `${title}. ${words(s)}`,
              ...axes(s),
              points: p.points,
              areas: p.areas.length > 0,
              bands: p.id === "reliability",
              tips: [
                NAME,
                { field: "label", title: "overall" },
                ...(p.id in THRESHOLDED ? [COUNTS[0]] : []),
                { field: p.x.ticks ? "rateX" : "x", title: axes(s).x.title, format: ".3~g" },
                { field: p.x.ticks ? "rateY" : "y", title: axes(s).y.title, format: ".3~g" },
                ...(p.id in THRESHOLDED ? [COUNTS[1]] : []),
              ],
            },
            theme,
          ),
        rows: (s) => {
          const now = get(s);
          return {
            ...(p.id === "reliability" ? B.rows(p.id, s) : {}),
            curves: now.lines
              .filter((l) => s.shown.has(l.model))
              .flatMap((l) =>
                l.x.map((x, i) => ({
                  i,
                  x,
                  y: l.y[i],
                  model: String(l.model),
                  name: data.models[l.model].name,
                  label: l.label,
                })),
              ),
            references: now.references.flatMap((r) => r.x.map((x, i) => ({ name: r.name, i, x, y: r.y[i] }))),
            areas: now.areas.flatMap((a, n) => a.map(([x, y], i) => ({ name: String(n), i, x, y }))),
          };
        },
      };
    }

    panelList.push(.../** @type {any} */ (globalThis).karatMaps.panels(data, models, about));
    return {
      panels: panelList,
      classes,
      first,
      operating: at,
      reigns: (s) =>
        C.reigns(
          seen(s)
            .filter((m) => m.hull.length)
            .map((m) => ({ name: m.name, points: m.vertices })),
        ),
    };
  }

  /** @type {any} */ (globalThis).karatPanels = { panels };
  if (typeof module !== "undefined" && module.exports) module.exports = { panels };
})();
