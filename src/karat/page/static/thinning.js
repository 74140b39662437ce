// @ts-check
/** What a pixel can show of lines: fewer corners, none of them off by more than is seen. */
(function () {
  "use strict";
  const ACROSS = 400; // pixels of a chart, about
  const SEEN = 0.4; // pixels by which a line may be off
  const MOST = 1200; // corners of all lines of a chart: of more the lines may be off by more

  /** The least and the largest of some numbers. @param {any[]} rows @param {"x" | "y"} side */
  function span(rows, side) {
    let [low, high] = [Infinity, -Infinity];
    for (const r of rows) {
      if (r[side] < low) low = r[side];
      if (r[side] > high) high = r[side];
    }
    return high > low ? high - low : 1;
  }

  /**
   * The places of corners that a line needs. From each corner, the directions that pass all places since at this distance
   * or nearer are a sector; where it is left, or the line turns back, the last place is a corner. Ends are kept, and what
   * is next to a gap.
   * @param {Float64Array} xs @param {Float64Array} ys @param {number} from @param {number} to the place after the last
   * @param {number} off @param {number[]} kept
   */
  function corners(xs, ys, from, to, off, kept) {
    let [anchor, middle, left, right, far] = [from, 0, 0, 0, 0];
    kept.push(from);
    for (let i = from + 1; i < to; i++) {
      const [dx, dy] = [xs[i] - xs[anchor], ys[i] - ys[anchor]];
      const distance = Math.hypot(dx, dy);
      if (distance <= off && !far) continue;
      const whole = Number.isFinite(distance);
      const half = Math.asin(off / distance);
      const angle = Math.atan2(dy, dx);
      const turn = Math.atan2(Math.sin(angle - middle), Math.cos(angle - middle));
      if (whole && !far) [middle, left, right, far] = [angle, -half, half, distance];
      else if (whole && distance > Math.max(off, far - off) && turn >= left && turn <= right) {
        [left, right, far] = [Math.max(left, turn - half), Math.min(right, turn + half), Math.max(far, distance)];
      } else {
        if (i - 1 > anchor) kept.push(i - 1);
        if (!whole) kept.push(i);
        [anchor, far] = [whole ? i - 1 : i, 0];
        if (whole) i -= 1; // looked at again, from its corner
      }
    }
    if (kept[kept.length - 1] !== to - 1) kept.push(to - 1);
  }

  /** The rows of lines that are drawn. @param {any[]} rows with x, y, and the model or kind that they belong to @returns {any[]} */
  function thin(rows) {
    const [wide, high] = [ACROSS / span(rows, "x"), ACROSS / span(rows, "y")];
    const xs = Float64Array.from(rows, (r) => wide * r.x);
    const ys = Float64Array.from(rows, (r) => high * r.y);
    /** @type {number[]} */
    const starts = [];
    rows.forEach((r, i) => (!i || r.model !== rows[i - 1].model || r.kind !== rows[i - 1].kind) && starts.push(i));
    starts.push(rows.length);
    for (let off = SEEN; ; off *= 2) {
      /** @type {number[]} */
      const kept = [];
      for (let l = 1; l < starts.length; l++) corners(xs, ys, starts[l - 1], starts[l], off, kept);
      if (kept.length <= MOST || off > 4) return kept.map((i) => rows[i]);
    }
  }

  const thinning = { thin, MOST };
  if (typeof module !== "undefined" && module.exports) module.exports = thinning;
  /** @type {any} */ (globalThis).karatThinning = thinning;
})();
