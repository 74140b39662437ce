// @ts-check
/** The contents bar: where the reader is; and sections that fold, and stay folded while the page is visited. */
(function () {
  "use strict";
  const { element } = /** @type {any} */ (globalThis).karatFigures;
  const KEY = "karat-folded";

  /** Sections that are folded, by id; a browser may refuse to remember them. @returns {string[]} */
  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY) || "[]");
    } catch {
      return [];
    }
  }

  /** @param {string[]} ids */
  function remember(ids) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(ids));
    } catch {
      // a page that may not store anything forgets
    }
  }

  /** Sections fold at their heading. @param {(section: Element) => void} opened */
  function foldable(opened) {
    const before = remembered();
    /** @type {Map<string, (folded: boolean) => void>} */
    const folds = new Map();
    for (const section of document.querySelectorAll("main section")) {
      const title = section.querySelector("h2");
      if (!title || title.classList.contains("hidden")) continue;
      const body = element("div", { class: "body", id: `${section.id}-body` });
      body.append(...[...section.childNodes].filter((n) => n !== title));
      const button = element("button", { type: "button", class: "fold", "aria-controls": body.id });
      button.append(...title.childNodes);
      title.append(button);
      section.append(body);
      const fold = (folded) => {
        section.classList.toggle("folded", folded);
        button.setAttribute("aria-expanded", String(!folded));
      };
      button.addEventListener("click", () => {
        const folded = !section.classList.contains("folded");
        fold(folded);
        remember([...document.querySelectorAll("section.folded")].map((s) => s.id));
        if (!folded) opened(section);
      });
      folds.set(section.id, fold);
      fold(before.includes(section.id));
    }
    /** What a link leads to is open. @param {string} [hash] */
    const arrive = (hash = location.hash) => {
      const target = document.getElementById(decodeURIComponent(hash.slice(1)));
      const section = target && target.closest("section.folded");
      if (section) {
        /** @type {any} */ (folds.get(section.id))(false);
        remember([...document.querySelectorAll("section.folded")].map((s) => s.id));
        opened(section);
      }
      const details = target && target.closest("details");
      if (details) details.open = true;
      if (target) target.scrollIntoView();
    };
    if (document.body !== window.document.body || location.protocol === "about:") return inside(arrive);
    addEventListener("hashchange", () => arrive());
    if (location.hash) arrive();
  }

  /** In another page, or a frame of a notebook, the address is left alone, and links lead to places of the report. @param {(hash: string) => void} arrive */
  function inside(arrive) {
    document.addEventListener("click", (e) => {
      const link = /** @type {Element} */ (e.target).closest("a[href^='#']");
      if (!link) return;
      e.preventDefault();
      arrive(/** @type {HTMLAnchorElement} */ (link).hash);
    });
  }

  /** The link of the section that is read is marked; links to sections that are not on this page go. */
  function following() {
    const bar = /** @type {HTMLElement} */ (document.getElementById("contents"));
    for (const item of bar.querySelectorAll("li")) {
      const link = /** @type {HTMLAnchorElement} */ (item.firstElementChild);
      if (!document.getElementById(link.hash.slice(1))) item.remove();
    }
    const links = [...bar.querySelectorAll("a")];
    let waiting = false;
    const mark = () => {
      waiting = false;
      const line = innerHeight / 3;
      const passed = links.filter((a) => {
        const target = document.getElementById(a.hash.slice(1));
        return target && target.getBoundingClientRect().top <= line;
      });
      const end = innerHeight + scrollY >= window.document.documentElement.scrollHeight - 2 && scrollY > 0;
      const now = end ? links[links.length - 1] : passed[passed.length - 1] || links[0];
      for (const a of links) {
        if (a === now) a.setAttribute("aria-current", "true");
        else a.removeAttribute("aria-current");
      }
      const list = /** @type {HTMLElement} */ (bar.firstElementChild);
      if (now && list.scrollWidth > list.clientWidth) list.scrollLeft = now.offsetLeft - list.clientWidth / 3;
    };
    addEventListener(
      "scroll",
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(mark);
      },
      { passive: true },
    );
    mark();
  }

  /** What scrolls sideways inside of a measure's details can be scrolled by keys. */
  function reachable() {
    document.addEventListener(
      "toggle",
      (e) => {
        for (const dd of /** @type {Element} */ (e.target).querySelectorAll("dd"))
          if (dd.scrollWidth > dd.clientWidth) dd.setAttribute("tabindex", "0");
      },
      true,
    );
  }

  const PAPER = 690; // pixels between the margins of A4 and of Letter, upright
  /** On paper nothing can be opened or scrolled: what is folded is open there, and what is too wide is smaller. */
  function printable() {
    /** @type {HTMLDetailsElement[]} */
    let closed = [];
    /** @type {HTMLElement[]} */
    let shrunk = [];
    addEventListener("beforeprint", () => {
      closed = [...document.querySelectorAll("details:not(.about, .about-all, [open])")].map((d) => /** @type {any} */ (d));
      closed.forEach((d) => (d.open = true));
      const folded = [...document.querySelectorAll("section.folded")];
      folded.forEach((s) => s.classList.remove("folded")); // to be measured
      document.documentElement.classList.add("printing");
      shrunk = [...document.querySelectorAll(".wide > table")].map((t) => /** @type {any} */ (t));
      for (const table of shrunk) {
        table.style.width = "min-content";
        const zoom = Math.min(1, PAPER / Math.max(table.offsetWidth, 1));
        table.style.width = "";
        table.style.zoom = String(zoom);
      }
      folded.forEach((s) => s.classList.add("folded"));
    });
    addEventListener("afterprint", () => {
      closed.forEach((d) => (d.open = false));
      shrunk.forEach((table) => (table.style.zoom = ""));
      document.documentElement.classList.remove("printing");
    });
  }

  /** @type {any} */ (globalThis).karatContents = { foldable, following, reachable, printable };
})();
