// @ts-check
/** Tables that are sorted by a click, the best on top; and what their intervals are. */
(function () {
  "use strict";
  const { element } = /** @type {any} */ (globalThis).karatFigures;

  /**
   * Which of two rows comes first. Numbers: the best first; measures of which higher is better stand before those of which
   * lower is, for the two have no scale in common. A row without a number is the last.
   * @param {any} a @param {any} b @param {{column: number, text: boolean, lower: boolean, back: boolean}} by
   */
  function order(a, b, { column, text, lower, back }) {
    const of = (r) => ({ key: r.children[column].getAttribute("data-sort"), lower: lower || r.children[0].dataset.better === "lower" });
    const [x, y] = [of(a), of(b)];
    if (x.key === null || y.key === null) return x.key === y.key ? 0 : x.key === null ? 1 : -1;
    if (!text && x.lower !== y.lower) return x.lower ? 1 : -1;
    const first = text ? x.key.localeCompare(y.key, undefined, { numeric: true }) : (Number(x.key) - Number(y.key)) * (x.lower ? 1 : -1);
    return back ? -first : first;
  }

  /** Columns of a table are sorted by a click; rows stay inside their group. */
  function sortable() {
    for (const table of document.querySelectorAll("table[data-sortable]")) {
      const heads = [...table.querySelectorAll("thead tr:last-child th")];
      heads.forEach((th, column) => {
        const label = /** @type {HTMLElement} */ (th.firstElementChild);
        const button = element("button", { type: "button", class: "sort" });
        th.append(button);
        button.append(label);
        const text = th.getAttribute("data-kind") === "text";
        const lower = th.getAttribute("data-better") === "lower";
        const [first, other] = text || lower ? ["ascending", "descending"] : ["descending", "ascending"];
        button.addEventListener("click", () => {
          const back = th.getAttribute("aria-sort") === first;
          heads.forEach((h) => h.removeAttribute("aria-sort"));
          th.setAttribute("aria-sort", back ? other : first);
          for (const body of table.querySelectorAll("tbody")) {
            const rows = [...body.querySelectorAll("tr:not(.family)")];
            rows.sort((a, b) => order(a, b, { column, text, lower, back }));
            body.append(...rows);
          }
        });
      });
    }
  }

  /** What each interval is, and how it was made, as its title. @param {number} level */
  function intervals(level) {
    for (const one of document.querySelectorAll(".interval[data-by]")) {
      one.setAttribute("title", `${Number((100 * level).toPrecision(6))} % confidence interval (${one.getAttribute("data-by")})`);
    }
  }

  /** @type {any} */ (globalThis).karatSorting = { sortable, intervals };
})();
