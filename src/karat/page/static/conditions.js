// @ts-check
/**
 * Operating conditions: the formulas of `karat.statistics.hull`, `karat.measures.costs` and `karat.comparisons.dominance`
 * for the live page. Pure functions; the tests ask them and karat the same questions.
 */
(function () {
  "use strict";

  /**
   * One threshold of a model: cases at or above it are predicted positive.
   * @typedef {{fpr: number, tpr: number, threshold: number | null}} Point
   * `threshold` null: never positive (0, 0), or class predictions as they are.
   *
   * Under which conditions a model is used.
   * @typedef {{prevalence: number, alarm: number, miss: number, hit: number, pass: number}} Condition
   * `alarm` and `miss` are what a false positive and a false negative cost, `hit` and `pass` what a true positive and a
   * true negative earn.
   *
   * @typedef {{from: number, to: number, best: string[]}} Reign
   */

  const SAME = 1e-12;

  /** What an error costs more than the correct prediction. @param {Condition} c */
  function stakes(c) {
    return { alarm: Math.max(c.alarm + c.pass, 0), miss: Math.max(c.miss + c.hit, 0) };
  }

  /** PC: the part of the highest possible cost that missed positives make. @param {Condition} c @returns {number} */
  function probabilityCost(c) {
    const { alarm, miss } = stakes(c);
    const missed = miss * c.prevalence;
    const all = missed + alarm * (1 - c.prevalence);
    return all > 0 ? missed / all : NaN;
  }

  /** The prevalence at which these stakes give this PC. @param {number} pc @param {Condition} c @returns {number} */
  function prevalenceAt(pc, c) {
    const { alarm, miss } = stakes(c);
    const all = pc * alarm + (1 - pc) * miss;
    return all > 0 ? (pc * alarm) / all : NaN;
  }

  /** The slope of lines of equal cost in ROC space. @param {number} pc @returns {number} */
  function slopeAt(pc) {
    return pc > 0 ? (1 - pc) / pc : Infinity;
  }

  /** What part of the highest possible cost arises. @param {number} fpr @param {number} tpr @param {number} pc */
  function normalisedCost(fpr, tpr, pc) {
    return (1 - tpr) * pc + fpr * (1 - pc);
  }

  /** The place of the cheapest of some points, the first of equals. @param {Point[]} points @param {number} pc */
  function bestPlace(points, pc) {
    let best = 0;
    let least = Infinity;
    points.forEach((p, i) => {
      const cost = normalisedCost(p.fpr, p.tpr, pc);
      if (cost < least - SAME) {
        least = cost;
        best = i;
      }
    });
    return best;
  }

  /** Share of the cases predicted positive that are so. @param {number} fpr @param {number} tpr @param {number} prevalence */
  function precision(fpr, tpr, prevalence) {
    const own = tpr * prevalence;
    const all = own + fpr * (1 - prevalence);
    return all > 0 ? own / all : NaN;
  }

  /** Share of all cases that are predicted positive. @param {number} fpr @param {number} tpr @param {number} prevalence */
  function reached(fpr, tpr, prevalence) {
    return tpr * prevalence + fpr * (1 - prevalence);
  }

  /** Shares of all cases: rows truth, columns predicted (rest, class). @param {number} fpr @param {number} tpr @param {number} prevalence */
  function shares(fpr, tpr, prevalence) {
    const rest = 1 - prevalence;
    return [
      [rest * (1 - fpr), rest * fpr],
      [prevalence * (1 - tpr), prevalence * tpr],
    ];
  }

  /** The mean cost of a case; gains are negative costs. @param {number} fpr @param {number} tpr @param {Condition} c */
  function expectedCost(fpr, tpr, c) {
    const [[tn, fp], [fn, tp]] = shares(fpr, tpr, c.prevalence);
    return fp * c.alarm + fn * c.miss - tp * c.hit - tn * c.pass;
  }

  /** What acting on these cases earns in all. @param {number} fpr @param {number} tpr @param {Condition} c @param {number} cases */
  function profit(fpr, tpr, c, cases) {
    return -cases * expectedCost(fpr, tpr, c);
  }

  /** Net benefit at a threshold probability. @param {number} fpr @param {number} tpr @param {number} prevalence @param {number} t */
  function netBenefit(fpr, tpr, prevalence, t) {
    return tpr * prevalence - fpr * (1 - prevalence) * (t / (1 - t));
  }

  /**
   * The lowest of some lines over [0, 1], given by their values at 0 and at 1: breaks from 0 to 1, and which line is
   * lowest between them; of equal lines the first.
   * @param {number[][]} lines
   */
  function lowerEnvelope(lines) {
    let now = 0;
    lines.forEach(([l, r], i) => {
      const [bl, br] = lines[now];
      if (l < bl || (l === bl && r < br)) now = i;
    });
    const breaks = [0];
    const which = [now];
    for (;;) {
      const [left, right] = lines[now];
      let nearest = Infinity;
      /** @type {[number, number][]} */
      const steeper = [];
      lines.forEach(([l, r], i) => {
        if (r < right - SAME) {
          const ahead = Math.max(l - left, 0);
          const where = ahead / (ahead + (right - r));
          steeper.push([i, where]);
          nearest = Math.min(nearest, where);
        }
      });
      if (!steeper.length || nearest >= 1 - SAME) break;
      const first = steeper.filter(([, where]) => where <= nearest + SAME);
      now = first.reduce((a, b) => (lines[b[0]][1] < lines[a[0]][1] ? b : a))[0];
      if (nearest - breaks[breaks.length - 1] <= SAME) which[which.length - 1] = now;
      else {
        breaks.push(nearest);
        which.push(now);
      }
    }
    breaks.push(1);
    return { breaks, which };
  }

  /** How many cases a model rejected, if its predictions are taken as they are. @param {any} p @param {number[]} rejected */
  function rejecting(p, rejected) {
    return p.scored ? 0 : rejected[p.at] || 0;
  }

  /**
   * What operating points count of rejected cases. @param {{at: number, name: string, scored: boolean}[]} points
   * @param {number[]} rejected of each model @param {string} name of the class
   */
  function undecided(points, rejected, name) {
    const rejectors = points.filter((p) => rejecting(p, rejected) > 0);
    if (!rejectors.length) return "";
    const { short } = /** @type {any} */ (globalThis).karatNames;
    const who = (p) => `${rejected[p.at].toLocaleString("en")} of ${short(p.name, 40)}`;
    const more = rejectors.length > 4 ? ` and those of ${rejectors.length - 4} more` : "";
    const all = rejectors.slice(0, 4).map(who).join(", ");
    return `Rejected cases (${all}${more}) count as not predicted as ${name} here: a rejected case of ${name} is a false negative (missed), any other costs nothing.`;
  }

  const NEVER = "always negative";
  const ALWAYS = "always positive";

  /**
   * Which model is best between which PC, of the operating points of each.
   * @param {{name: string, points: Point[]}[]} models
   * @returns {Reign[]}
   */
  function reigns(models) {
    /** @type {{name: string, fpr: number, tpr: number}[]} */
    const flat = [
      { name: NEVER, fpr: 0, tpr: 0 },
      { name: ALWAYS, fpr: 1, tpr: 1 },
    ];
    for (const m of models) for (const p of m.points) flat.push({ name: m.name, fpr: p.fpr, tpr: p.tpr });
    const lines = flat.map((p) => [p.fpr, 1 - p.tpr]);
    const { breaks, which } = lowerEnvelope(lines);
    /** @type {Reign[]} */
    const regions = [];
    which.forEach((i, at) => {
      const [l, r] = lines[i];
      const tied = flat.filter((_, j) => Math.abs(lines[j][0] - l) <= SAME && Math.abs(lines[j][1] - r) <= SAME);
      const best = [...new Set(tied.map((p) => p.name))];
      const last = regions[regions.length - 1];
      if (last && last.best.join("\u0000") === best.join("\u0000")) last.to = breaks[at + 1];
      else regions.push({ from: breaks[at], to: breaks[at + 1], best });
    });
    return regions;
  }

  /** The corners (PC, cost) of the lower envelope of a hull, both trivial classifiers included, and which point of it is
   * the best from there on. @param {Point[]} hull */
  function costCurve(hull) {
    const points = [{ fpr: 0, tpr: 0, threshold: null }, ...hull, { fpr: 1, tpr: 1, threshold: null }];
    const lines = points.map((p) => [p.fpr, 1 - p.tpr]);
    const { breaks, which } = lowerEnvelope(lines);
    return breaks.map((pc, i) => {
      const at = which[Math.min(i, which.length - 1)];
      const [l, r] = lines[at];
      return { ...points[at], pc, cost: l + (r - l) * pc };
    });
  }

  /**
   * The expected cost of predictions with this confusion matrix under these class frequencies.
   * @param {number[][]} table rows truth, columns predicted
   * @param {number[][]} cost the same cells
   * @param {number[]} prior
   * @returns {number} nan if a class has a prior and no case
   */
  function expectedCostOf(table, cost, prior) {
    let sum = 0;
    table.forEach((row, i) => {
      if (!(prior[i] > 0)) return;
      const cases = row.reduce((a, b) => a + b, 0);
      sum += cases > 0 ? (prior[i] * row.reduce((a, x, j) => a + x * cost[i][j], 0)) / cases : NaN;
    });
    return sum;
  }

  /** The cheapest constant prediction. @param {number[][]} cost @param {number[]} prior */
  function bestConstant(cost, prior) {
    const costs = cost[0].map((_, j) => prior.reduce((a, p, i) => a + p * cost[i][j], 0));
    const least = Math.min(...costs);
    return { decision: costs.indexOf(least), cost: least };
  }

  /** Shares that sum to one, after one of them was set. @param {number[]} prior @param {number} at @param {number} value */
  function withShare(prior, at, value) {
    const rest = prior.reduce((a, p, i) => (i === at ? a : a + p), 0);
    return prior.map((p, i) => {
      if (i === at) return value;
      return rest > 0 ? (p * (1 - value)) / rest : (1 - value) / (prior.length - 1);
    });
  }

  /** The share of a standard normal variable below x (Abramowitz and Stegun 7.1.26: five digits and more). @param {number} x */
  function normal(x) {
    const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
    const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    const upper = (tail * Math.exp((-x * x) / 2)) / 2;
    return x > 0 ? 1 - upper : upper;
  }

  const conditions = {
    NEVER,
    ALWAYS,
    stakes,
    probabilityCost,
    prevalenceAt,
    slopeAt,
    normalisedCost,
    bestPlace,
    precision,
    reached,
    shares,
    expectedCost,
    profit,
    netBenefit,
    lowerEnvelope,
    reigns,
    costCurve,
    expectedCostOf,
    bestConstant,
    withShare,
    rejecting,
    undecided,
    normal,
  };
  if (typeof module !== "undefined" && module.exports) module.exports = conditions;
  /** @type {any} */ (globalThis).karatConditions = conditions;
})();
