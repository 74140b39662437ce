// @ts-check
/** Operating points of the models, from what the page carries: rates, rules and costs under a state of the controls. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;

  /**
   * @typedef {{rest: number, prevalence: number, alarm: number, miss: number, hit: number, pass: number, cases: number,
   *   mode: "best" | "threshold", step: number, shown: Set<number>, detail: number, view: string}} State
   */

  /**
   * Curves of one class as rates, made once for each class. The `cut` of a point is its threshold as it is written: the
   * fewest digits that decide the same. The `vertices` of the hull but (0, 0) and (1, 1) are exact; `hull` has them, or
   * points beside them whose thresholds can be read.
   * @param {any} data
   */
  function rated(data) {
    return data.rest.map((r) => ({
      ...r,
      name: spoken(data.classes[r.class]),
      models: r.models.map((m, at) => {
        const rates = (of, i) => ({ fpr: of.fp[i] / r.rest, tpr: of.tp[i] / r.own });
        const rate = (i) => ({
          ...rates(m, i),
          threshold: m.threshold[i],
          cut: m.threshold[i] === null ? null : String(m.threshold[i]),
        });
        const curve = m.tp.map((_, i) => rate(i));
        m.hull.forEach((i, at) => curve[i] && (curve[i].cut = m.cuts[at]));
        const decided = m.decided ? { fpr: m.decided[1] / r.rest, tpr: m.decided[0] / r.own, threshold: null } : null;
        const hull = curve.length ? m.hull.map((i) => curve[i]) : decided ? [decided] : [];
        const inner = curve.length ? hull.slice(1, -1) : hull;
        const vertices = m.vertices ? m.vertices.tp.map((_, i) => rates(m.vertices, i)) : inner;
        const grid = m.grid
          ? m.grid.tp.map((_, i) => ({
              ...rates(m.grid, i),
              threshold: data.thresholds[i],
              cut: String(data.thresholds[i]),
            }))
          : null;
        return {
          at,
          name: data.models[at].name,
          curve,
          hull,
          vertices,
          grid,
          decided,
          measures: m.measures,
          scored: curve.length > 0,
        };
      }),
    }));
  }

  /** The operating point of each shown model. @param {any} klass @param {State} s */
  function operating(klass, s) {
    const pc = C.probabilityCost(s);
    return klass.models
      .filter((m) => s.shown.has(m.at) && m.hull.length)
      .map((m) => {
        const p = s.mode === "threshold" && m.grid ? m.grid[s.step] : m.hull[C.bestPlace(m.hull, pc)];
        return {
          at: m.at,
          model: String(m.at),
          name: m.name,
          scored: m.scored,
          fpr: p.fpr,
          tpr: p.tpr,
          threshold: p.threshold,
          cut: p.cut ?? null,
          rule: rule(p, m.scored, klass.name),
          counts: counts(p, klass),
          precision: C.precision(p.fpr, p.tpr, s.prevalence),
          normalised: C.normalisedCost(p.fpr, p.tpr, pc),
          cost: C.expectedCost(p.fpr, p.tpr, s),
          profit: C.profit(p.fpr, p.tpr, s, s.cases),
          share: C.reached(p.fpr, p.tpr, s.prevalence),
        };
      });
  }

  /** A threshold in words. @param {any} p @param {boolean} scored @param {string} name of the class */
  function rule(p, scored, name) {
    if (!scored) return "as predicted";
    if (p.fpr === 0 && p.tpr === 0) return `never predict ${name}`;
    if (p.fpr === 1 && p.tpr === 1) return `always predict ${name}`;
    return `predict ${name} from ${p.cut} on`;
  }

  /** How many cases of the data a point gets right and wrong. @param {any} p @param {any} klass @returns {Record<string, number>} */
  function cells(p, klass) {
    if (!Number.isFinite(p.tpr) || !Number.isFinite(p.fpr)) return {};
    const [tp, fp] = [p.tpr * klass.own, p.fpr * klass.rest];
    const all = { TP: tp, FN: klass.own - tp, FP: fp, TN: klass.rest - fp };
    return Object.fromEntries(Object.entries(all).map(([name, v]) => [name, Number(v.toPrecision(12))]));
  }

  const NUMBER = new Intl.NumberFormat("en"); // made once: hundreds of points are told at a move of a slider
  /** The same in words. @param {any} p @param {any} klass */
  function counts(p, klass) {
    return Object.entries(cells(p, klass))
      .map(([name, v]) => `${name} ${NUMBER.format(v)}`)
      .join(", ");
  }

  /** The threshold of a point in a few words. @param {any} p */
  function cutSaid(p) {
    if (p.cut !== null && p.cut !== undefined) return p.cut;
    if (p.fpr === 0 && p.tpr === 0) return "above all scores";
    return p.fpr === 1 && p.tpr === 1 ? "below all scores" : "";
  }

  /** What a file says of a class, if conditions do not matter. @param {any} klass @param {any} data */
  function observed(klass, data) {
    const title = klass.class === data.positive ? "positive class" : "class";
    return { [title]: data.classes[klass.class], prevalence: klass.own / (klass.own + klass.rest) };
  }

  /** What a file says beside its numbers: the class and the conditions. @param {State} s @param {any} klass @param {any} data */
  function context(s, klass, data) {
    return {
      ...observed(klass, data),
      prevalence: s.prevalence,
      "cost of a false negative": s.miss,
      "cost of a false positive": s.alarm,
      "gain of a true positive": s.hit,
      "gain of a true negative": s.pass,
    };
  }

  /** A name inside a sentence: short, and with its own direction of writing. @param {string} name */
  function spoken(name) {
    const short = /** @type {any} */ (globalThis).karatNames.short(name, 24);
    return /^[ -~…]*$/.test(short) ? short : `\u2068${short}\u2069`;
  }

  /** What a diagram shows, with the name of the class that is looked for. @param {string} shows @param {string} name */
  function about(shows, name) {
    return shows
      .replace(/true positives/g, () => `detected cases of ${name}`)
      .replace(/(decided|predicted)( as)? positive/g, () => `predicted as ${name}`)
      .replace(/(?<!false )positives/g, () => `cases of ${name}`)
      .replace(/positive cases/g, () => `cases of ${name}`);
  }

  /** A trivial classifier by what it predicts. @param {string} best @param {string} name of the class */
  function trivial(best, name) {
    return best === C.NEVER ? `never predict ${name}` : best === C.ALWAYS ? `always predict ${name}` : best;
  }

  /** The state of the controls in words. @param {State} s @param {string} name of the class @param {any} data */
  function conditionsSaid(s, name, data) {
    const short = (v) => String(Number(v.toPrecision(4)));
    const cut =
      s.mode === "best" ? "the best threshold of each model" : `threshold ${data.thresholds[s.step]} for all models`;
    const hidden = data.models.length - s.shown.size;
    const named = data.rest[s.rest].class === data.positive ? "positive class " : "";
    return (
      `Conditions: ${named}${name} against the rest, prevalence ${short(s.prevalence)}; a missed case (FN) costs ${short(s.miss)}, ` +
      `a false alarm (FP) ${short(s.alarm)}; a detected case (TP) earns ${short(s.hit)}, a correct negative (TN) ${short(s.pass)}; ` +
      `${Math.round(s.cases).toLocaleString("en")} cases; ${cut}${hidden ? `; ${hidden} models not shown` : ""}.`
    );
  }

  /** @param {any[]} points @param {any} extra */
  const line = (points, extra) => points.map((p, i) => ({ i, ...extra, ...p }));
  /** @param {string} name @param {number[][]} xy */
  const reference = (name, xy) => xy.map(([x, y], i) => ({ name, i, x, y }));

  /** Precision and recall, with the bends between thresholds. @param {any[]} curve @param {number} prevalence */
  function precisionRecall(curve, prevalence) {
    /** @type {any[]} */
    const bends = [];
    for (let i = 1; i < curve.length; i++) {
      const [a, b] = [curve[i - 1], curve[i]];
      const gap = Math.abs(C.precision(b.fpr, b.tpr, prevalence) - (i > 1 ? C.precision(a.fpr, a.tpr, prevalence) : 0));
      const steps = i === 1 ? 1 : Math.min(12, Math.max(1, Math.ceil((b.tpr - a.tpr + gap) / 0.02)));
      if (i === 1) bends.push({ x: 0, y: C.precision(b.fpr, b.tpr, prevalence), between: true });
      for (let k = 1; k <= steps; k++) {
        const [fpr, tpr] = [a.fpr + ((b.fpr - a.fpr) * k) / steps, a.tpr + ((b.tpr - a.tpr) * k) / steps];
        const own = k === steps ? b : { between: true }; // no threshold leads to a place between two of them
        bends.push({ ...own, x: tpr, y: C.precision(fpr, tpr, prevalence) });
      }
    }
    return bends;
  }

  /** The line of equal cost through a point, inside the unit square. @param {any} p @param {number} pc */
  function equalCost(p, pc) {
    const slope = C.slopeAt(pc);
    if (!Number.isFinite(slope))
      return [
        [p.fpr, 0],
        [p.fpr, 1],
      ];
    if (slope === 0)
      return [
        [0, p.tpr],
        [1, p.tpr],
      ];
    const at = (x) => p.tpr + slope * (x - p.fpr);
    const back = (y) => p.fpr + (y - p.tpr) / slope;
    const left = at(0) >= 0 ? [0, at(0)] : [back(0), 0];
    const right = at(1) <= 1 ? [1, at(1)] : [back(1), 1];
    return [left, right];
  }

  /** Predictions as they are: a line of cost. @param {any[]} hull */
  const lineOfCost = (hull) =>
    hull.flatMap((p) => [
      { ...p, pc: 0, cost: p.fpr },
      { ...p, pc: 1, cost: 1 - p.tpr },
    ]);

  const points = { cells, counts, cutSaid, context, observed, lineOfCost, rated, operating, rule, conditionsSaid, spoken, about, trivial, line, reference, precisionRecall, equalCost };
  if (typeof module !== "undefined" && module.exports) module.exports = points;
  /** @type {any} */ (globalThis).karatPoints = points;
})();
