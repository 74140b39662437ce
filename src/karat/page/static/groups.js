// @ts-check
/** Groups of cases: a table of every group for one measure, or of every measure for one group; its curves beside all cases. */
(function () {
  "use strict";
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const SVG = "http://www.w3.org/2000/svg";
  const FEW = 30; // cases below which a group is faded
  const OTHERS = 40; // groups whose curves are drawn behind the chosen one
  const [WIDTH, SIDE, EDGE] = [120, 250, 34];

  /** @param {string} tag @param {Record<string, any>} attributes @param {...any} children */
  function draw(tag, attributes, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
    node.append(...children);
    return node;
  }

  const number = (v) => (v === null ? "–" : v === 0 ? "0" : Math.abs(v) < 1e-4 ? v.toExponential(1) : v.toPrecision(3));
  const span = (m, i) => (m.low[i] === null || m.high[i] === null ? "" : `[${number(m.low[i])}, ${number(m.high[i])}]`);

  /** A choice with a name. @param {string} id @param {string} label @param {[string, string][]} options @param {(value: string) => void} chosen */
  function choice(id, label, options, chosen) {
    const select = element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)));
    select.addEventListener("change", () => chosen(select.value));
    return element("label", { class: "choice", for: id }, `${label} `, select);
  }

  /** The range that all values and intervals of a measure need. @param {any} m */
  function range(m) {
    const all = [...m.value, ...m.low, ...m.high, m.overall].filter((v) => v !== null);
    const [low, high] = all.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    return high > low ? [low, high] : [low - 0.5, low + 0.5];
  }

  /** A dot and a bar. @param {any} m @param {number} i @param {number[]} ends @param {boolean} faded */
  function dot(m, i, ends, faded) {
    const x = (v) => 4 + ((v - ends[0]) / (ends[1] - ends[0])) * (WIDTH - 8);
    const root = draw("svg", { viewBox: `0 0 ${WIDTH} 14`, width: WIDTH, height: 14, class: faded ? "dot faded" : "dot", "aria-hidden": "true" });
    if (m.overall !== null) root.append(draw("line", { x1: x(m.overall), x2: x(m.overall), y1: 0, y2: 14, class: "overall" }));
    if (m.low[i] !== null && m.high[i] !== null) root.append(draw("line", { x1: x(m.low[i]), x2: x(m.high[i]), y1: 7, y2: 7, class: "bar" }));
    if (m.value[i] !== null) root.append(draw("circle", { cx: x(m.value[i]), cy: 7, r: 3.5 }));
    return root;
  }

  /** A table whose rows may be chosen. @param {string[]} heads @param {any[][]} rows @param {string} caption */
  function table(heads, rows, caption) {
    const head = element("tr", {}, ...heads.map((h) => element("th", { scope: "col" }, h)));
    const body = rows.map((cells) => element("tr", {}, ...cells.map((c) => element("td", {}, c))));
    return element("table", { class: "by-group" }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body));
  }

  /** The frame of a diagram of shares. @param {string} title @param {string} across @param {string} up */
  function frame(title, across, up) {
    const size = SIDE + EDGE + 8;
    const root = draw("svg", { viewBox: `0 0 ${size} ${size}`, class: "curves", role: "img", "aria-label": title });
    for (const v of [0, 0.5, 1]) {
      const [x, y] = [EDGE + v * SIDE, 8 + (1 - v) * SIDE];
      root.append(draw("line", { x1: x, x2: x, y1: 8, y2: 8 + SIDE, class: "grid" }), draw("line", { x1: EDGE, x2: EDGE + SIDE, y1: y, y2: y, class: "grid" }));
      root.append(draw("text", { x, y: SIDE + 20, "text-anchor": "middle" }, String(v)), draw("text", { x: EDGE - 4, y: y + 3, "text-anchor": "end" }, String(v)));
    }
    root.append(draw("line", { x1: EDGE, y1: 8 + SIDE, x2: EDGE + SIDE, y2: 8, class: "chance" }));
    root.append(draw("text", { x: EDGE + SIDE / 2, y: SIDE + 34, "text-anchor": "middle" }, across));
    root.append(draw("text", { x: 10, y: 8 + SIDE / 2, "text-anchor": "middle", transform: `rotate(-90 10 ${8 + SIDE / 2})` }, up));
    return root;
  }

  /** @param {number[][]} xy @param {string} kind */
  function line(xy, kind) {
    const points = xy[0].map((x, i) => `${(EDGE + x * SIDE).toFixed(1)},${(8 + (1 - xy[1][i]) * SIDE).toFixed(1)}`);
    return draw("polyline", { points: points.join(" "), class: kind });
  }

  const DIAGRAMS = [
    { kind: "roc", title: "ROC curve by group", across: "False positive rate", up: "True positive rate" },
    { kind: "bins", title: "Reliability by group", across: "Mean predicted probability", up: "Observed frequency" },
  ];

  /** The chosen group over all cases and some others. @param {any} column @param {number} chosen -1: none */
  function diagrams(column, chosen) {
    return DIAGRAMS.filter(({ kind }) => column.all[kind]).map(({ kind, title, across, up }) => {
      const root = frame(title, across, up);
      column.curves.slice(0, OTHERS).forEach((c, i) => c[kind] && i !== chosen && root.append(line(c[kind], "other")));
      root.append(line(column.all[kind], "all"));
      const own = chosen < 0 ? null : column.curves[chosen][kind];
      if (own) root.append(line(own, "chosen"));
      const some = column.groups.length > OTHERS ? `${OTHERS} of the groups thin` : "groups thin";
      const absent = chosen >= 0 && !own ? "; this group has no curve" : "";
      return element("figure", { class: "by-group", "data-kind": kind }, element("h4", {}, title), root, element("figcaption", { class: "quiet" }, `All cases dark, ${some}, the chosen group in colour${absent}.`));
    });
  }

  /** The section: what is chosen, and what follows from it. @param {any} data */
  function groups(data) {
    const place = document.getElementById("groups-live");
    if (!place) return;
    const state = { column: 0, measure: 0, group: -1, order: "groups" };
    const column = () => data.groups[state.column];
    const shown = element("div", {});
    const picker = element("div", { class: "row of-groups" });

    /** Every group, for one measure. */
    function all() {
      const [c, m] = [column(), column().measures[state.measure]];
      const ends = range(m);
      const order = c.groups.map((_, i) => i);
      const key = { value: (i) => (m.value[i] === null ? Infinity : m.value[i]), cases: (i) => -c.cases[i] }[state.order];
      if (key) order.sort((a, b) => key(a) - key(b));
      const choose = (i) => element("button", { type: "button", class: "pick", onclick: () => set({ group: i }) }, element("bdi", {}, c.groups[i]));
      const rows = order.map((i) => [choose(i), c.cases[i].toLocaleString("en"), number(m.value[i]), span(m, i), dot(m, i, ends, c.cases[i] < FEW), number(m.difference[i]), m.why[i] || ""]);
      return table([c.by, "cases", m.title, "interval", "", "minus the rest", ""], rows, `${m.title} by ${c.by}; the line is all cases (${number(m.overall)})`);
    }

    /** Every measure, of one group. */
    function one() {
      const [c, i] = [column(), state.group];
      const rows = c.measures.map((m) => [m.title, number(m.value[i]), span(m, i), dot(m, i, range(m), c.cases[i] < FEW), number(m.difference[i]), m.why[i] || ""]);
      return table(["measure", "value", "interval", "", "minus the rest", ""], rows, `${c.groups[i]}: ${c.cases[i].toLocaleString("en")} cases`);
    }

    function show() {
      const c = column();
      const notes = [c.note, c.left ? `${c.left} smaller groups are not shown` : ""].filter(Boolean).join("; ");
      shown.replaceChildren(
        element("div", { class: "wide high", tabindex: "0", role: "region", "aria-label": "measures by group" }, state.group < 0 ? all() : one()),
        element("div", { class: "row" }, ...diagrams(c, state.group)),
        notes ? element("p", { class: "quiet" }, `${notes}.`) : "",
      );
    }

    /** What can be chosen of this column. */
    function pick() {
      const c = column();
      const name = (d) => (data.models.length > 1 ? `${data.models[d.model].name}, ${d.by}` : d.by);
      const columns = data.groups.map((d, i) => [String(i), name(d)]);
      const members = [["-1", `all ${c.groups.length}`], ...c.groups.map((g, i) => [String(i), g])];
      picker.replaceChildren(
        ...(columns.length > 1 ? [choice("by-column", "Groups by", columns, (v) => set({ column: Number(v), group: -1, measure: 0 }, true))] : []),
        choice("by-group", "Group", members, (v) => set({ group: Number(v) })),
        choice("by-measure", "Measure", c.measures.map((m, i) => [String(i), m.title]), (v) => set({ measure: Number(v), group: -1 })),
        choice("by-order", "Order", [["groups", "by group"], ["value", "lowest first"], ["cases", "largest first"]], (v) => set({ order: v })),
      );
      const said = /** @type {any} */ (picker.querySelector("#by-column"));
      if (said) said.value = String(state.column);
    }

    /** @param {Partial<typeof state>} change @param {boolean} [other] of another column */
    function set(change, other) {
      Object.assign(state, change);
      if (other) pick();
      const group = /** @type {any} */ (picker.querySelector("#by-group"));
      group.value = String(state.group);
      show();
    }

    pick();
    place.append(picker, shown);
    show();
  }

  /** @type {any} */ (globalThis).karatGroups = { groups };
})();
