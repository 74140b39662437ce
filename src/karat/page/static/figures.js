// @ts-check
/** Figures: where a chart stands, how it is kept up to date, and how it is taken away as a file. */
(function () {
  "use strict";
  const QUIET = 1; // errors only: that a data set is empty for now is meant
  const embed = /** @type {any} */ (globalThis).vegaEmbed;

  /**
   * An element with attributes and children; text stays text.
   * @param {string} tag @param {Record<string, any>} [attributes] @param {(Node | string | null)[]} children @returns {any}
   */
  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "class") node.className = value;
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) if (child !== null) node.append(child);
    return node;
  }

  /** Give a text to the user as a file. @param {string} name @param {Blob} blob */
  function download(name, blob) {
    const url = URL.createObjectURL(blob);
    const link = element("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  /** Rows as CSV; what a spreadsheet would take for a formula is text. @param {any[][]} rows */
  function csv(rows) {
    const cell = (v) => {
      let text = v === null || v === undefined || Number.isNaN(v) ? "" : String(v);
      if (typeof v === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
      return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return rows.map((r) => r.map(cell).join(",")).join("\n") + "\n";
  }

  /** The colours in use. @param {boolean} [paper] as for paper, whatever the screen has */
  function theme(paper) {
    const dark = !paper && isDark();
    if (paper)
      return {
        ink: "#1c2530",
        quiet: "#566270",
        line: "#d5dbe1",
        paper: "#ffffff",
        accent: "#0b6e6e",
        good: "#009E73",
        dark: false,
      };
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return {
      ink: of("--ink"),
      quiet: of("--quiet"),
      line: of("--line"),
      paper: of("--paper"),
      accent: of("--accent"),
      good: of("--good"),
      dark,
    };
  }

  /** @returns {boolean} */
  function isDark() {
    const setting = document.documentElement.dataset.theme;
    return setting ? setting === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  const tip = () => /** @type {HTMLElement} */ (document.getElementById("tip"));

  /** The values under the pointer. @param {any} _ @param {MouseEvent} event @param {any} __ @param {any} value */
  function tooltip(_, event, __, value) {
    const box = tip();
    if (value === null || value === undefined || value === "" || typeof value !== "object") {
      box.hidden = true;
      return;
    }
    box.replaceChildren(
      ...Object.entries(value)
        .filter(([, v]) => v !== "" && v !== null && !["null", "undefined", "NaN"].includes(v))
        .map(([name, v]) =>
          element("div", {}, element("span", { class: "quiet" }, `${name} `), element("bdi", {}, String(v))),
        ),
    );
    box.hidden = false;
    const { clientX: x, clientY: y } = event;
    const room = document.documentElement.clientWidth;
    box.style.left = `${Math.max(4, Math.min(x + 14, room - box.offsetWidth - 8))}px`;
    box.style.top = `${y + 18 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 10 : y + 18}px`;
  }

  /** @param {any} spec @param {Record<string, any[]>} rows */
  const filled = (spec, rows) => ({
    ...spec,
    datasets: {
      areas: [],
      bands: [],
      ticks: [],
      references: [],
      rule: [],
      curves: [],
      hover: [],
      operating: [],
      cells: [],
      bars: [],
      means: [],
      points: [],
      links: [],
      ...rows,
    },
  });

  /**
   * A chart that stands alone: with its title, and a legend of the models that are drawn. Names are data, in no expression.
   * @param {any} spec with its data @param {any} panel @param {any} state
   */
  function alone(spec, panel, state) {
    const titled = { ...spec, title: { text: panel.title, anchor: "start", fontSize: 14 } };
    if (!panel.models) return titled;
    const names = panel.models.map((m) => m.name);
    const values = names.filter((_, i) => state.shown.has(i));
    const legend = { orient: "top", title: null, symbolType: "stroke", values, columns: 3, labelLimit: 220 };
    const named = (channel) =>
      channel && channel.field === "model" ? { ...channel, legend, scale: { ...channel.scale, domain: names } } : channel;
    const layer = spec.layer.map((one) => {
      const { color, strokeDash, ...rest } = one.encoding;
      const looks = { ...(color ? { color: named(color) } : {}), ...(strokeDash ? { strokeDash: named(strokeDash) } : {}) };
      return { ...one, encoding: { ...rest, ...looks } };
    });
    const renamed = (rows) => rows.map((r) => (r.model === undefined ? r : { ...r, model: names[Number(r.model)] }));
    const datasets = Object.fromEntries(Object.entries(spec.datasets).map(([name, rows]) => [name, renamed(rows)]));
    return { ...titled, layer, datasets, height: spec.height + 22 * Math.ceil(values.length / 3) };
  }

  const ANSWERING = 360; // points of a chart that answer to the pointer: each costs the browser an element
  /** The rows of a panel, and which of its points answer to the pointer. @param {any} panel @param {any} state */
  function rowsOf(panel, state) {
    const rows = panel.rows(state);
    if (!rows.curves) return rows;
    let hover = thinned.get(rows.curves);
    if (!hover) {
      const step = Math.max(1, Math.ceil(rows.curves.length / ANSWERING));
      hover = step === 1 ? rows.curves : rows.curves.filter((r) => r.i % step === 0);
      thinned.set(rows.curves, hover);
    }
    return { ...rows, hover };
  }

  /** Of curves that were drawn, the points that answer. @type {WeakMap<any[], any[]>} */
  const thinned = new WeakMap();

  /** One chart on the page. */
  class Figure {
    /** @param {any} panel @param {() => any} state */
    constructor(panel, state) {
      this.panel = panel;
      this.state = state;
      /** @type {any} */
      this.result = null;
      /** @type {Record<string, any[]>} */
      this.rows = {};
      this.seen = false;
      this.inView = false;
      this.stale = true;
      this.busy = false;
      this.words = element("p", { class: "quiet" });
      this.place = element("div", { class: "chart", style: null });
      this.place.style.height = `${panel.height + 4}px`;
      const button = (kind) =>
        element(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": `Download ${panel.title} as ${kind}`,
            onclick: () => this.save(kind),
          },
          kind,
        );
      this.root = element(
        "figure",
        { id: `figure-${panel.id}`, class: panel.wide ? "wide-figure" : null },
        element("figcaption", {}, element("h3", {}, panel.title), this.words),
        this.place,
        element("div", { class: "tools" }, button("SVG"), button("PNG"), button("CSV")),
      );
      this.tell();
    }

    /** The caption; it may name the class that is chosen. */
    tell() {
      const { caption } = this.panel;
      const text = typeof caption === "function" ? caption(this.state()) : caption;
      if (this.words.textContent !== text) this.words.textContent = text;
    }

    /** Draw, or bring up to date. @param {boolean} [again] from scratch */
    async show(again) {
      this.stale = true;
      this.tell();
      if (!this.seen || this.busy || (this.result && !this.inView)) {
        this.again = this.again || again;
        return;
      }
      this.busy = true;
      try {
        while (this.stale && (this.inView || !this.result)) {
          const anew = again || this.again || !this.result || this.panel.redraw;
          this.stale = this.again = again = false;
          await (anew ? this.embed() : this.update());
        }
      } finally {
        this.busy = false;
      }
    }

    async embed() {
      if (this.result) this.result.finalize();
      this.rows = rowsOf(this.panel, this.state());
      const filledSpec = filled(this.panel.spec(theme(), this.state()), this.rows);
      const renderer = this.state().shown.size > 20 ? "canvas" : "svg";
      this.result = await embed(this.place, filledSpec, {
        actions: false,
        ast: true,
        renderer,
        defaultStyle: false,
        tooltip,
        mode: "vega-lite",
        logLevel: QUIET,
        loader: { load: () => Promise.reject(new Error("nothing is loaded")) },
      });
    }

    async update() {
      const known = this.result.vgSpec.data.map((d) => d.name);
      const before = this.rows;
      this.rows = rowsOf(this.panel, this.state());
      for (const [name, rows] of Object.entries(this.rows))
        if (known.includes(name) && rows !== before[name]) this.result.view.data(name, rows);
      await this.result.view.runAsync();
    }

    /** As a file: always as for paper. @param {string} kind */
    async save(kind) {
      const rows = this.panel.rows(this.state());
      const name = `karat-${this.panel.id}`;
      if (kind === "CSV") {
        const main = rows.curves || rows.cells || rows.bars || rows.points || [];
        const columns = [...new Set(main.flatMap((r) => Object.keys(r)))].filter(
          (c) => !["i", "at", "cut", "model", "strong", "shade", "text", "row", "column", "rowAt", "columnAt"].includes(c),
        );
        download(
          `${name}.csv`,
          new Blob([csv([columns, ...main.map((r) => columns.map((c) => r[c]))])], { type: "text/csv" }),
        );
        return;
      }
      const room = element("div", { class: "away" });
      room.style.width = `${Math.max(this.place.clientWidth, 480)}px`;
      document.body.append(room);
      try {
        const spec = alone(filled(this.panel.spec(theme(true), this.state()), rows), this.panel, this.state());
        spec.config = { ...spec.config, background: "#ffffff" };
        const copy = await embed(room, spec, {
          actions: false,
          ast: true,
          renderer: "svg",
          defaultStyle: false,
          mode: "vega-lite",
          logLevel: QUIET,
        });
        if (kind === "SVG") download(`${name}.svg`, new Blob([await copy.view.toSVG()], { type: "image/svg+xml" }));
        else {
          const canvas = await copy.view.toCanvas(2);
          const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
          download(`${name}.png`, blob);
        }
        copy.finalize();
      } finally {
        room.remove();
      }
    }
  }

  /** Charts are drawn when they come near, and the others when there is time. @param {Figure[]} figures */
  function watch(figures) {
    const seen = (f) => {
      if (f.seen) return;
      f.seen = true;
      f.show();
    };
    const eye = new IntersectionObserver(
      (entries) => {
        for (const e of entries) {
          const f = figures.find((x) => x.root === e.target);
          if (!f) continue;
          f.inView = e.isIntersecting;
          if (f.inView && !f.seen) seen(f);
          else if (f.inView && f.stale) f.show();
        }
      },
      { rootMargin: "200px" },
    );
    figures.forEach((f) => eye.observe(f.root));
    const idle = /** @type {any} */ (globalThis).requestIdleCallback || ((f) => setTimeout(f, 50));
    const rest = async () => {
      const next = figures.find((f) => !f.seen);
      if (!next) {
        document.documentElement.dataset.ready = "all";
        return;
      }
      next.seen = true;
      await next.show();
      idle(rest);
    };
    idle(rest);
  }

  /** @type {any} */ (globalThis).karatFigures = { element, download, csv, theme, isDark, Figure, watch, tip };
})();
