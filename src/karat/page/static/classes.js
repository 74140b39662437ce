// @ts-check
/** Curves of all classes at once, of one model, with their macro average; and the macro averages of all models. */
(function () {
  "use strict";
  const V = /** @type {any} */ (globalThis).karatCharts;
  const P = /** @type {any} */ (globalThis).karatPoints;
  const MACRO = "macro average";
  const PLACES = 400; // of a macro average, at most

  /** The values of a curve just before and just after a place; x rises, and may stand still. @param {any[]} curve @param {number} x */
  function limits(curve, x) {
    let [low, high] = [0, curve.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (curve[middle].x < x) low = middle + 1;
      else high = middle;
    }
    if (curve[low].x !== x) {
      const [a, b] = [curve[Math.max(low - 1, 0)], curve[low]];
      const y = b.x > a.x ? a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x) : b.y;
      return [y, y];
    }
    let last = low;
    while (last + 1 < curve.length && curve[last + 1].x === x) last += 1;
    return [curve[low].y, curve[last].y];
  }

  /** The mean of some curves at each place. @param {any[][]} curves @returns {{x: number, y: number}[]} */
  function macro(curves) {
    const all = [...new Set(curves.flatMap((c) => c.map((p) => p.x)))].sort((a, b) => a - b);
    const step = Math.ceil(all.length / PLACES);
    const places = all.filter((_, i) => i % step === 0 || i === all.length - 1);
    return places.flatMap((x) => {
      const ends = curves.map((c) => limits(c, x));
      const mean = (side) => ends.reduce((sum, e) => sum + e[side], 0) / curves.length;
      return mean(0) === mean(1) ? [{ x, y: mean(0) }] : [{ x, y: mean(0) }, { x, y: mean(1) }];
    });
  }

  /** @param {{x: number, y: number}[]} curve */
  const area = (curve) => curve.reduce((sum, p, i) => (i ? sum + ((p.x - curve[i - 1].x) * (p.y + curve[i - 1].y)) / 2 : 0), 0);

  const KINDS = {
    roc: {
      title: "ROC curves of all classes",
      x: "false positive rate",
      y: "recall",
      of: (klass, m) => m.curve.map((p) => ({ ...p, x: p.fpr, y: p.tpr })),
      mean: "the mean recall of the classes at each false positive rate",
    },
    precision_recall: {
      title: "Precision-recall curves of all classes",
      x: "recall",
      y: "precision",
      of: (klass, m) => P.precisionRecall(m.curve, klass.own / (klass.own + klass.rest)),
      mean: "the mean precision of the classes at each recall",
    },
  };

  /** @param {any} data @param {any[]} classes see points.js @param {any[]} models @param {number} height @returns {any[]} */
  function panels(data, classes, models, height) {
    if (data.classes.length < 3 || !classes.some((k) => k.models.some((m) => m.scored))) return [];
    const names = /** @type {any} */ (globalThis).karatMaps.distinct(classes.map((k) => data.classes[k.class]));
    const kinds = [...names, MACRO];
    const left = data.classes.length - classes.length;
    const over = left ? ` Of ${data.classes.length} classes the ${classes.length} most frequent are drawn and averaged.` : "";
    const facts = () => `${data.n.toLocaleString("en")} cases, ${data.classes.length} classes, each against the rest.`;
    /** @type {Map<string, any[]>} */
    const known = new Map();
    /** The curves of a model: of each class, and their mean. @param {string} id @param {number} at */
    function curves(id, at) {
      const key = `${id} ${at}`;
      if (!known.has(key)) {
        const each = classes.map((k) => (k.models[at].scored ? KINDS[id].of(k, k.models[at]) : []));
        known.set(key, [...each, each.every((c) => c.length) ? macro(each) : []]);
      }
      return /** @type {any[]} */ (known.get(key));
    }
    const room = Math.min(/** @type {any} */ (globalThis).innerWidth - 90, 420); // of a chart without its axis
    const { columns, rows } = V.arrangement(kinds, room);
    const tall = height + 14 * rows + 12; // the legend stands above the chart
    const axis = (title) => ({ title, domain: [0, 1] });
    const one = Object.entries(KINDS).map(([id, kind]) => ({
      id: `${id}_of_classes`,
      section: "classes",
      title: kind.title,
      caption: `Each class against the rest. Bold: macro average, ${kind.mean}.${over}`,
      height: tall,
      live: false,
      zooms: true,
      one: (s) => s.detail,
      facts,
      axes: () => ({ x: kind.x, y: kind.y, kind: "class" }),
      told: (r) => (r.macro ? r : { ...r, cut: P.cutSaid(r), ...P.cells(r, classes[r.of]), counts: P.counts(r, classes[r.of]) }),
      spec: (theme) =>
        V.kinds(
          {
            height: tall,
            description: `${kind.title}. Macro average: ${kind.mean}.`,
            x: axis(kind.x),
            y: axis(kind.y),
            kinds,
            strong: true,
            columns,
            tips: [
              { field: "name", title: "model" },
              { field: "kind", title: "class" },
              { field: "cut", title: "threshold" },
              { field: "x", title: kind.x, format: ".3~g" },
              { field: "y", title: kind.y, format: ".4~g" },
              { field: "counts", title: "counts" },
            ],
          },
          theme,
        ),
      rows: (s) => ({
        curves: curves(id, s.detail).flatMap((c, of) =>
          P.line(c, { of, kind: kinds[of], name: data.models[s.detail].name, macro: of === classes.length }),
        ),
      }),
    }));
    return left ? one : [...one, averages(data, models, curves, facts, height)];
  }

  /** The macro averages of all models. @param {any} data @param {any[]} models @param {(id: string, at: number) => any[]} curves @param {() => string} facts @param {number} height */
  function averages(data, models, curves, facts, height) {
    const kind = KINDS.roc;
    const mean = (at) => curves("roc", at)[data.classes.length] || [];
    const title = "Macro-average ROC curve";
    const caption = `How well does each model separate the classes on average? ${kind.mean[0].toUpperCase()}${kind.mean.slice(1)}. Grey: chance.`;
    return {
      id: "macro_roc",
      section: "curves",
      title,
      caption,
      height,
      live: false,
      zooms: true,
      models,
      facts,
      axes: () => ({ x: kind.x, y: `mean ${kind.y}` }),
      spec: (theme) =>
        V.curves(
          {
            models,
            height,
            description: `${title}. ${caption}`,
            x: { title: kind.x, domain: [0, 1] },
            y: { title: `mean ${kind.y}`, domain: [0, 1] },
            tips: [
              { field: "name", title: "model" },
              { field: "label", title: "area" },
              { field: "x", title: kind.x, format: ".3~g" },
              { field: "y", title: `mean ${kind.y}`, format: ".4~g" },
            ],
          },
          theme,
        ),
      rows: (s) => ({
        curves: models.flatMap((m, at) => {
          const curve = s.shown.has(at) ? mean(at) : [];
          return P.line(curve, { model: String(at), name: m.name, label: String(Number(area(curve).toPrecision(4))) });
        }),
        references: P.reference("chance", [
          [0, 0],
          [1, 1],
        ]),
      }),
    };
  }

  const classes = { panels, macro, area };
  if (typeof module !== "undefined" && module.exports) module.exports = classes;
  /** @type {any} */ (globalThis).karatClasses = classes;
})();
