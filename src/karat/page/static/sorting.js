// @ts-check
/** The table of measures, sorted by a click. */
(function () {
  "use strict";
  const { element } = /** @type {any} */ (globalThis).karatFigures;

  /** Columns of a table are sorted by a click; rows stay inside their group. */
  function sortable() {
    for (const table of document.querySelectorAll("table[data-sortable]")) {
      const heads = [...table.querySelectorAll("thead tr:last-child th")];
      heads.forEach((th, column) => {
        const label = /** @type {HTMLElement} */ (th.firstElementChild);
        const button = element("button", { type: "button", class: "sort" });
        th.append(button);
        button.append(label);
        button.addEventListener("click", () => {
          const first = th.getAttribute("data-better") === "lower" ? "ascending" : "descending"; // the best on top
          const other = first === "ascending" ? "descending" : "ascending";
          const way = th.getAttribute("aria-sort") === first ? other : first;
          heads.forEach((h) => h.removeAttribute("aria-sort"));
          th.setAttribute("aria-sort", way);
          for (const body of table.querySelectorAll("tbody")) {
            const rows = [...body.querySelectorAll("tr:not(.family)")];
            const key = (r) => r.children[column].getAttribute("data-sort");
            rows.sort((a, b) => {
              const [x, y] = [key(a), key(b)];
              if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
              const order = th.getAttribute("data-kind") === "number" ? Number(x) - Number(y) : -x.localeCompare(y);
              return way === "ascending" ? order : -order;
            });
            body.append(...rows);
          }
        });
      });
    }
  }

  /** @type {any} */ (globalThis).karatSorting = { sortable };
})();
