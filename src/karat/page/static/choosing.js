// @ts-check
/** Which models and classes are shown: lists with a search, and the tables that follow them. */
(function () {
  "use strict";
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const FEW = 8; // names that need no search

  /** The places of names that were chosen when the page was last seen; null if nobody chose. @param {string} what @param {string[]} names */
  function remembered(what, names) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(`karat-${what}`) || "null");
      const places = kept && names.flatMap((name, i) => (kept.includes(name) ? [i] : []));
      return places && places.length ? places : null;
    } catch {
      return null; // a browser may refuse
    }
  }

  /** @param {string} what @param {string[]} names */
  function remember(what, names) {
    try {
      sessionStorage.setItem(`karat-${what}`, JSON.stringify(names));
    } catch {
      // a page that may not store anything forgets
    }
  }

  /** Does a name have every word that is searched for? @param {string} name @param {string} search */
  function found(name, search) {
    const text = name.toLowerCase();
    return search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }

  /**
   * A list of names with boxes to tick; of many a search, and buttons for all that it finds.
   * @param {{what: string, names: string[], order: number[], shown: Set<number>, usual: number[], look: (i: number) => Node, change: () => void}} o
   */
  function chooser(o) {
    const count = element("span", { class: "quiet", "aria-live": "polite" });
    const list = element("div", { class: "names" });
    const box = element("fieldset", { class: "chooser" }, element("legend", {}, `${o.what} shown `, count), list);
    const boxes = new Map();
    let search = "";
    const matching = () => o.order.filter((i) => found(o.names[i], search));
    /** @param {Iterable<number>} places */
    const put = (places) => {
      const next = [...places];
      o.shown.clear();
      next.forEach((i) => o.shown.add(i));
      changed();
    };
    const tell = () => {
      count.textContent = o.names.length > FEW ? `${o.shown.size} of ${o.names.length}` : "";
      boxes.forEach((tick, i) => (tick.checked = o.shown.has(i)));
    };
    const changed = () => {
      remember(
        o.what,
        o.names.filter((_, i) => o.shown.has(i)),
      );
      tell();
      o.change();
    };
    const sift = () => {
      const left = new Set(matching());
      boxes.forEach((tick, i) => (tick.closest("label").hidden = !left.has(i)));
      none.hidden = left.size > 0;
    };
    const none = element("p", { class: "quiet", role: "status", hidden: true }, `no ${o.what} of that name`);
    if (o.names.length > FEW) {
      const field = element("input", {
        type: "search",
        placeholder: `search ${o.what}`,
        "aria-label": `search ${o.what}; Enter shows only those that are found`,
        id: `search-${o.what}`,
        oninput: () => {
          search = field.value.trim();
          sift();
        },
        onkeydown: (e) => {
          if (e.key === "Enter" && matching().length) put(matching());
          if (e.key === "Enter") e.preventDefault();
        },
      });
      const button = (text, label, f) =>
        element("button", { type: "button", class: "small", "aria-label": label, onclick: f }, text);
      const buttons = element(
        "div",
        { class: "choices" },
        button("all", `show all ${o.what} that are found`, () => put([...o.shown, ...matching()])),
        button("none", `show none of the ${o.what} that are found`, () => {
          const left = new Set(matching());
          put([...o.shown].filter((i) => !left.has(i)));
        }),
        button("reset", `show the ${o.what} of the beginning`, () => put(o.usual)),
      );
      list.before(element("div", { class: "search" }, field, buttons));
    }
    const fill = () => {
      boxes.clear();
      list.replaceChildren(
        ...o.order.map((i) => {
          const tick = element("input", {
            type: "checkbox",
            onchange: () => {
              if (tick.checked) o.shown.add(i);
              else o.shown.delete(i);
              changed();
            },
          });
          boxes.set(i, tick);
          return element("label", {}, tick, o.look(i));
        }),
        none,
      );
      tell();
      sift();
    };
    fill();
    return { root: box, fill };
  }

  /** What is about one model in the tables that were there before the script: rows, or the cells of a column. @param {any[]} models */
  function parts(models) {
    /** @type {HTMLElement[][]} */
    const of = models.map(() => []);
    for (const table of document.querySelectorAll("table.headline, table.measures")) {
      const rows = /** @type {HTMLTableRowElement[]} */ ([...table.querySelectorAll("tr")]);
      if (table.matches(".tall, .many"))
        rows
          .filter((row) => row.closest("tbody"))
          .forEach((row, i) => {
            const named = row.querySelector("[data-model]");
            of[named ? Number(named.getAttribute("data-model")) : i].push(row);
          });
      else
        for (const row of rows.filter((r) => r.cells.length > models.length))
          models.forEach((_, i) => of[i].push(row.cells[i + 1]));
    }
    const tables = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("details.classes table")]);
    tables.forEach((table, i) => of[i].push(table));
    return of;
  }

  /** Whiskers of the headline to the scale of the models that are shown. @param {any} data @param {Set<number>} shown */
  function rescale(data, shown) {
    const table = document.querySelector("table.headline.tall");
    if (!table || !shown.size) return;
    [...table.querySelectorAll("thead th")].forEach((head, column) => {
      const m = data.measures.find((one) => one.symbol === head.getAttribute("data-measure"));
      if (!m) return;
      const seen = [...shown].flatMap((i) => [m.values[i], m.low[i], m.high[i]]).filter((v) => Number.isFinite(v));
      const [low, high] = [Math.min(...seen), Math.max(...seen)];
      for (const named of table.querySelectorAll("tbody [data-model]")) {
        const i = Number(named.getAttribute("data-model"));
        const svg = shown.has(i) ? /** @type {any} */ (named.closest("tr")).cells[column].querySelector("svg") : null;
        if (!svg) continue;
        const [margin, room] = [5, svg.viewBox.baseVal.width - 10];
        const place = (v) => (margin + room * (high > low ? (v - low) / (high - low) : 0.5)).toFixed(1);
        svg.querySelector("circle").setAttribute("cx", place(m.values[i]));
        const line = svg.querySelector("path");
        if (line) line.setAttribute("d", `M${place(m.low[i])} 7.0H${place(m.high[i])}`);
      }
    });
  }

  /** Tables show the models that were chosen, from now on. @param {any} data @param {any} state @returns {() => void} */
  function follower(data, state) {
    const of = parts(data.models);
    const rows = /** @type {HTMLTableRowElement[]} */ ([...document.querySelectorAll("details.classes tbody tr")]);
    const count = document.getElementById("of-models");
    return () => {
      of.forEach((nodes, i) => nodes.forEach((node) => (node.hidden = !state.shown.has(i))));
      rows.forEach((row) => (row.hidden = !state.classes.has(row.sectionRowIndex)));
      if (count) count.textContent = `${state.shown.size} of ${data.models.length} models`;
      if (data.models.length > FEW) rescale(data, state.shown);
    };
  }

  /** A search in the findings, if there are many: their kinds open where something is found. */
  function findings() {
    const list = document.querySelector("ul.findings");
    const all = [...document.querySelectorAll("[data-finding]")];
    if (!list || all.length <= FEW) return;
    const said = element("span", { class: "quiet", id: "found-findings", role: "status" });
    const field = element("input", {
      type: "search",
      id: "search-findings",
      placeholder: "search findings",
      "aria-label": "search findings",
      oninput: () => {
        const search = field.value.trim();
        let count = 0;
        for (const kind of list.children) {
          const details = /** @type {HTMLDetailsElement} */ (kind.querySelector("details"));
          const title = /** @type {Element} */ (details.querySelector("strong")).textContent || "";
          let left = 0;
          for (const one of /** @type {NodeListOf<HTMLElement>} */ (kind.querySelectorAll("[data-finding]"))) {
            one.hidden = !found(`${title} ${one.textContent}`, search);
            if (!one.hidden) left += 1;
          }
          /** @type {HTMLElement} */ (kind).hidden = left === 0;
          details.open = search !== "" && left > 0;
          count += left;
        }
        said.textContent = search ? `${count} of ${all.length} findings` : "";
      },
    });
    list.before(element("div", { class: "search" }, field, said));
  }

  /** @type {any} */ (globalThis).karatChoosing = { FEW, chooser, found, remembered, follower, findings };
})();
