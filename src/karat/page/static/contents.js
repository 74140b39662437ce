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
    /** What a link leads to is open. */
    const arrive = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
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
    addEventListener("hashchange", arrive);
    if (location.hash) arrive();
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
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
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

  /** @type {any} */ (globalThis).karatContents = { foldable, following };
})();
