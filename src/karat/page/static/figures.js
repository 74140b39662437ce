// @ts-check
/** Figures: where a chart stands, how it is kept up to date, and how it is taken away as a file. */
(function () {
  "use strict";
  const QUIET = 1; // errors only: that a data set is empty for now is meant
  const embed = /** @type {any} */ (globalThis).vegaEmbed;
  const { thin } = /** @type {any} */ (globalThis).karatThinning;
  const expressions = /** @type {any} */ (globalThis).karatExpressions;

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

  const APART = 150; // milliseconds between two files: of more than ten within a second a browser drops the rest
  const KEPT = 60000; // milliseconds until a file must have been taken
  /** When the next file may be given. @type {Promise<any>} */
  let given = Promise.resolve();

  /** Give a text to the user as a file, after those that were asked for before. @param {string} name @param {Blob} blob */
  function download(name, blob) {
    given = given.then(() => {
      const url = URL.createObjectURL(blob);
      const link = element("a", { href: url, download: name });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(url), KEPT);
      return new Promise((done) => setTimeout(done, APART));
    });
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

  /** Without the signs that no XML may hold, which a name can bring along. @param {string} text */
  const inXML = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");

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
    const room = window.document.documentElement.clientWidth;
    box.style.left = `${Math.max(4, Math.min(x + 14, room - box.offsetWidth - 8))}px`;
    box.style.top = `${y + 18 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 10 : y + 18}px`;
  }

  /** A chart with its rows, and the ends of an axis that follows them. @param {any} spec @param {Record<string, any[]>} rows @param {any} panel */
  function filled(spec, rows, panel) {
    const none = Object.fromEntries(DATA.map((name) => [name, []]));
    const reach = panel.follows ? ends(rows, panel.zero) : {};
    const params = spec.params.map((p) => ({ ...p, value: reach[p.name] ?? p.value }));
    return { ...spec, params, datasets: { ...none, ...rows } };
  }

  const MARGIN = 56; // pixels beside an axis, about
  /** Titles of axes no longer than these: a name of a class is the user's. @param {any} spec @param {number} width @param {number} height */
  function titledWithin(spec, width, height) {
    const limits = { axisX: { titleLimit: width - MARGIN }, axisY: { titleLimit: height - MARGIN } };
    return { ...spec, config: { ...spec.config, ...limits } };
  }

  /** A chart whose axes can be dragged and turned by the wheel: only where nothing else scrolls. @param {any} spec */
  function zoomable(spec) {
    const zoom = { name: "zoom", select: "interval", bind: "scales" };
    const at = spec.layer.findIndex((one) => ["curves", "points"].includes(one.data.name));
    return { ...spec, layer: spec.layer.map((one, i) => ({ ...one, mark: { ...one.mark, clip: true }, ...(i === at ? { params: [zoom] } : {}) })) };
  }

  const ANSWERING = 360; // points of a chart that answer to the pointer: each costs the browser an element
  /** Of curves, what was made of them. @type {WeakMap<any[], {drawn?: any[], hover?: any[]}>} */
  const made = new WeakMap();
  /** @param {any[]} curves @param {"drawn" | "hover"} what @param {() => any[]} make */
  function once(curves, what, make) {
    const known = made.get(curves) || {};
    made.set(curves, known);
    return (known[what] ??= make());
  }

  /** The points of a panel that answer to the pointer. @param {any} panel @param {any[]} curves @param {any} state */
  function answering(panel, curves, state) {
    return once(curves, "hover", () => {
      const real = curves.filter((r) => !r.between);
      const step = Math.max(1, Math.ceil(real.length / ANSWERING));
      return real.filter((r, i) => i % step === 0).map((r) => (panel.told ? panel.told(r, state) : r));
    });
  }

  /** Where the nearest point answers, Vega-Lite asks the region around it for names, which only the point has. @param {any} spec of Vega */
  function namesOfPoints(spec) {
    for (const { encode } of spec.marks)
      if (encode?.update.isVoronoi) {
        const { tooltip: asked } = encode.update;
        asked.signal = asked.signal.replace(/(?<!datum\.)datum\[/g, "datum.datum[");
      }
    return spec;
  }

  /** Are these rows the same as before? @param {any[]} now @param {any[]} [before] */
  function same(now, before) {
    if (now === before || !before || now.length !== before.length) return now === before;
    const fields = Object.keys(now[0] || {});
    return now.length <= FEW && now.every((r, i) => fields.every((f) => Object.is(r[f], before[i][f])));
  }

  /** Between which ends the y axis of a chart lies. @param {any} rows @param {boolean} [zero] does it show 0? */
  function ends(rows, zero) {
    let [low, high] = zero ? [0, 0] : [Infinity, -Infinity];
    for (const { y } of [...rows.curves, ...rows.references, ...rows.operating]) {
      if (y < low) low = y;
      if (y > high) high = y;
    }
    return low < high ? { low, high } : { low: Math.min(low, 0), high: Math.max(low, 0) + 1 };
  }

  const DATA = "areas bands ticks references rule curves hover operating cells bars means points links".split(" ");
  const FEW = 256; // rows that are compared one by one
  const KEYS = 8; // entries of the legend of a chart

  /** One chart on the page. */
  class Figure {
    /** @param {any} panel @param {() => any} state @param {any[]} models @param {{height?: number, look?: (model: string) => void}} [large] */
    constructor(panel, state, models, large) {
      this.panel = panel;
      this.state = state;
      this.models = models;
      this.large = large;
      /** @type {any} */
      this.result = null;
      /** @type {Record<string, any[]>} */
      this.rows = {};
      this.seen = this.inView = Boolean(large);
      this.stale = true;
      this.busy = false;
      this.lit = this.drawnLit = "";
      /** Says which model is looked at here. @type {(model: string) => void} */
      this.look = () => {};
      /** Opens this chart in a window of its own. @type {(f: Figure) => void} */
      this.enlarge = () => {};
      this.words = element("p", { class: "quiet" });
      this.keys = element("ul", { class: "keys", "aria-label": "models" });
      this.place = element("div", { class: "chart", style: null });
      this.place.style.height = `${this.height + 4}px`;
      this.place.addEventListener("pointerenter", () => this.answer());
      const button = (text, label, onclick) => element("button", { type: "button", class: "small", "aria-label": label, onclick }, text);
      const files = ["SVG", "PNG", "CSV"].map((kind) => button(kind, `Download ${panel.title} as ${kind}`, () => this.save(kind)));
      const open = large ? null : button("Enlarge", `Enlarge ${panel.title}`, () => this.enlarge(this));
      this.root = element(
        "figure",
        { id: large ? "enlarged" : `figure-${panel.id}`, class: panel.wide ? "wide-figure" : null },
        element("figcaption", {}, element(large ? "h2" : "h3", {}, panel.title), this.words),
        this.place,
        this.keys,
        element("div", { class: "tools" }, open, ...files),
      );
      this.tell();
    }

    get height() {
      return this.large?.height || this.panel.height;
    }

    /** Before it is drawn. @param {number} height */
    heighten(height) {
      this.panel.height = height;
      this.place.style.height = `${height + 4}px`;
    }

    /** The caption, which may name the class that is chosen, and the legend. */
    tell() {
      const { caption, models, one } = this.panel;
      const state = this.state();
      const text = typeof caption === "function" ? caption(state) : caption;
      if (this.words.textContent !== text) this.words.textContent = text;
      const shown = one ? [one(state)] : models ? state.order.filter((i) => state.shown.has(i)) : [];
      const key = `${shown} ${isDark()}`;
      if (key === this.keysFor) return;
      this.keysFor = key;
      const { named } = /** @type {any} */ (globalThis).karatControls;
      const most = this.large ? shown.length : KEYS;
      const more = shown.length > most ? element("li", { class: "quiet" }, `and ${shown.length - most} more`) : null;
      this.keys.replaceChildren(...shown.slice(0, most).map((i) => element("li", {}, named(this.models[i], isDark()))), ...(more ? [more] : []));
      this.keys.hidden = !shown.length;
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
      this.rows = this.panel.rows(this.state());
      this.hover = this.rows.curves ? answering(this.panel, this.rows.curves, this.state()) : [];
      const rows = { ...this.drawn(this.rows), hover: this.hover };
      let spec = { ...filled(this.panel.spec(theme(), this.state()), rows, this.panel), height: this.height };
      spec = titledWithin(spec, this.place.clientWidth, this.height);
      if (this.large && this.panel.zooms) spec = zoomable(spec);
      const renderer = this.state().shown.size > 20 ? "canvas" : "svg";
      this.result = await embed(this.place, spec, {
        actions: false,
        ast: true,
        expr: expressions,
        renderer,
        defaultStyle: false,
        tooltip,
        mode: "vega-lite",
        patch: namesOfPoints,
        logLevel: QUIET,
        loader: { load: () => Promise.reject(new Error("nothing is loaded")) },
      });
      this.drawnLit = "";
      this.result.view.addEventListener("pointermove", (event, item) => this.look(this.pointed(event, item)));
      this.light(this.lit);
      this.hush();
    }

    /** The rows that are drawn: of lines that follow the sliders, what a pixel shows; all of them where one can zoom. @param {any} rows */
    drawn(rows) {
      if (!rows.curves || !this.panel.live || this.large) return rows;
      return { ...rows, curves: once(rows.curves, "drawn", () => thin(rows.curves)) };
    }

    /** Marks without a name, such as those that are not there for now, are nothing to a screen reader. */
    hush() {
      for (const mark of this.place.querySelectorAll("g[role=graphics-symbol]:not([aria-label])"))
        mark.setAttribute("aria-hidden", "true");
    }

    /** The model that is under the pointer. @param {any} event @param {any} item @returns {string} */
    pointed(event, item) {
      const { one } = this.panel;
      if (one) return String(one(this.state()));
      const { view } = this.result;
      if (this.rows.cells) return item && item.datum ? (item.datum.model ?? "") : "";
      const { left, top } = /** @type {Element} */ (this.place.querySelector("svg, canvas")).getBoundingClientRect();
      const [x, y] = [view.scale("x"), view.scale("y")];
      const [origin, padding] = [view.origin(), view.padding()];
      const at = [event.clientX - left - origin[0] - padding.left, event.clientY - top - origin[1] - padding.top];
      return /** @type {any} */ (globalThis).karatHighlight.nearest(this.rows, (r) => [x(r.x), y(r.y)], at);
    }

    /** Let a model stand out, or none. @param {string} model */
    light(model) {
      this.lit = model;
      const { one } = this.panel;
      this.root.classList.toggle("other", Boolean(one) && model !== "" && model !== String(one(this.state())));
      if (!this.result || !this.inView || model === this.drawnLit) return;
      this.drawnLit = model;
      this.result.view.signal("lit", model).runAsync();
    }

    async update() {
      const known = this.result.vgSpec.data.map((d) => d.name);
      const before = this.rows;
      this.rows = this.panel.rows(this.state());
      const fresh = Object.entries(this.drawn(this.rows)).filter(([name]) => known.includes(name) && !same(this.rows[name], before[name]));
      if (this.panel.follows) for (const [name, at] of Object.entries(ends(this.rows, this.panel.zero))) this.result.view.signal(name, at);
      for (const [name, rows] of fresh) this.result.view.data(name, rows);
      const resting = known.includes("hover") && this.rows.curves !== before.curves;
      if (resting && this.hover.length) this.result.view.data("hover", (this.hover = []));
      await this.result.view.runAsync();
      this.hush();
      if (resting && this.place.matches(":hover")) this.answer();
    }

    /** The points that answer to the pointer are taken away by a slider and come back with the pointer: each costs the
     * browser an element. */
    async answer() {
      if (!this.result || !this.rows.curves || !this.result.vgSpec.data.some((d) => d.name === "hover")) return;
      const hover = answering(this.panel, this.rows.curves, this.state());
      if (hover === this.hover) return;
      this.hover = hover;
      await this.result.view.data("hover", hover).runAsync();
    }

    /** Show a part of the axes: so many times larger; 1 shows all again. @param {number} times */
    async zoom(times) {
      if (times === 1) return this.embed();
      const { view } = this.result;
      for (const name of ["x", "y"]) {
        const [low, high] = view.scale(name).domain();
        const [middle, half] = [(low + high) / 2, (high - low) / 2 / times];
        view.signal(`zoom_${name}`, [middle - half, middle + half]);
      }
      await view.runAsync();
    }

    /** As a file: always as for paper. @param {string} kind */
    async save(kind) {
      const { alone, tidy } = /** @type {any} */ (globalThis).karatExports;
      const rows = this.panel.rows(this.state());
      const name = `karat-${this.panel.id}`;
      if (kind === "CSV") {
        const told = (r) => (this.panel.told && !r.between ? this.panel.told(r, this.state()) : r);
        const answering = { ...rows, curves: rows.curves?.map(told), operating: rows.operating?.map(told) };
        download(`${name}.csv`, new Blob([csv(tidy(this.panel, answering, this.state(), this.models))], { type: "text/csv" }));
        return;
      }
      const room = element("div", { class: "away" });
      const width = Math.max(this.place.clientWidth, 480);
      room.style.width = `${width}px`;
      document.body.append(room);
      try {
        const spec = { ...filled(this.panel.spec(theme(true), this.state()), rows, this.panel), height: this.height };
        const copy = await embed(room, titledWithin(asPaper(alone(spec, this.panel, this.state(), this.models, width)), width, this.height), {
          actions: false,
          ast: true,
          expr: expressions,
          renderer: "svg",
          defaultStyle: false,
          mode: "vega-lite",
          logLevel: QUIET,
        });
        if (kind === "SVG") download(`${name}.svg`, new Blob([inXML(await copy.view.toSVG())], { type: "image/svg+xml" }));
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

  /** @param {any} spec */
  const asPaper = (spec) => ({ ...spec, config: { ...spec.config, background: "#ffffff" } });

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
          if (f.inView) f.light(f.lit);
        }
      },
      { rootMargin: "40px" },
    );
    figures.forEach((f) => eye.observe(f.root));
    // a browser that is never idle, or shows another page, draws them all the same
    const later = /** @type {any} */ (globalThis).requestIdleCallback;
    const idle = (f) => (later ? later(f, { timeout: 500 }) : setTimeout(f, 50));
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
