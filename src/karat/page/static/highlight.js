// @ts-check
/** A model that is looked at, by pointer or by keyboard, stands out in every chart, legend and table. */
(function () {
  "use strict";

  /** The model that an element is about, by its place; "" if none. @param {any} target @returns {string} */
  function modelOf(target) {
    if (!(target instanceof Element)) return "";
    const own = target.closest("[data-at]") || (target.closest("label") || target.closest("button.sort"))?.querySelector("[data-at]");
    if (own) return own.getAttribute("data-at") || "";
    const cell = /** @type {any} */ (target.closest("td, th"));
    if (!cell || cell.querySelector("details")) return "";
    const table = cell.closest("table");
    const heads = table.tHead ? [...table.tHead.rows].pop().cells : [];
    const found = cell.parentElement.querySelector("th[scope=row] [data-at]") || heads[cell.cellIndex]?.querySelector("[data-at]");
    return found ? found.getAttribute("data-at") || "" : "";
  }

  /** What shows a model outside of the charts: the row or column of a table, or an entry of a legend. @param {Element} mark */
  function shown(mark) {
    const th = /** @type {any} */ (mark.closest("th"));
    if (!th) return [mark.closest("label") || mark];
    if (th.scope === "row") return [th.parentElement];
    return [...th.closest("table").rows].map((r) => r.cells[th.cellIndex]).filter((c) => c && c.colSpan === 1);
  }

  /**
   * Elements and charts follow the pointer and the focus.
   * @param {any[]} figures @returns {(model: string) => void} what looks at a model
   */
  function highlight(figures) {
    let lit = "";
    let waiting = false;
    function apply() {
      waiting = false;
      document.querySelectorAll(".lit").forEach((e) => e.classList.remove("lit"));
      if (lit !== "")
        document.querySelectorAll(`[data-at="${lit}"]`).forEach((mark) => shown(mark).forEach((e) => e.classList.add("lit")));
      figures.forEach((f) => f.light(lit));
    }
    function look(model) {
      if (model === lit) return;
      lit = model;
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(apply);
    }
    const follow = (e) => {
      const chart = e.type === "pointerover" && e.target instanceof Element && e.target.closest(".chart");
      if (!chart) look(modelOf(e.target)); // a chart says itself which line is meant
    };
    document.addEventListener("pointerover", follow);
    document.addEventListener("focusin", follow);
    document.addEventListener("focusout", () => look(""));
    document.documentElement.addEventListener("pointerleave", () => look(""));
    return look;
  }

  const NEAR = 12; // pixels from a line within which it is meant

  /** How far a place is from a line between two others. @param {number[]} p @param {number[]} a @param {number[]} b */
  function distance([x, y], [ax, ay], [bx, by]) {
    const [dx, dy] = [bx - ax, by - ay];
    const all = dx * dx + dy * dy;
    const along = all > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / all)) : 0;
    return Math.hypot(x - ax - along * dx, y - ay - along * dy);
  }

  /**
   * The model whose line or point is nearest to a place in a chart, if it is near.
   * @param {any} rows @param {(r: any) => number[]} place in pixels @param {number[]} at @returns {string}
   */
  function nearest(rows, place, at) {
    let [model, least] = ["", NEAR];
    const see = (r, far) => {
      if (far < least) [model, least] = [r.model, far];
    };
    for (const r of [...(rows.points || []), ...(rows.operating || [])]) {
      const p = place(r);
      see(r, distance(at, p, p));
    }
    /** @type {any} */
    let before = null;
    for (const r of rows.curves || []) {
      if (r.model === undefined) continue;
      const p = place(r);
      const joined = before && before.r.model === r.model && r.i > before.r.i;
      see(r, distance(at, joined ? before.p : p, p));
      before = { r, p };
    }
    return model;
  }

  const looking = { highlight, nearest, modelOf };
  if (typeof module !== "undefined" && module.exports) module.exports = looking;
  /** @type {any} */ (globalThis).karatHighlight = looking;
})();
