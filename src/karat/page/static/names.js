// @ts-check
/** Names that are too long for their place: shortened in the middle, for names differ at their ends. */
(function () {
  "use strict";
  const LONG = 16; // letters of a name whose end is kept apart
  const END = 9; // letters of that end

  /** A name that a sentence can hold. @param {string} name @param {number} most letters */
  function short(name, most) {
    if (name.length <= most) return name;
    const end = Math.floor((most - 1) / 3);
    return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
  }

  /** A name that gives way to others beside it, not at its end. @param {string} name @returns {HTMLElement} */
  function yielding(name) {
    const node = document.createElement("bdi");
    node.className = "name";
    node.title = name;
    if (name.length <= LONG) node.append(name);
    else {
      node.classList.add("halved");
      for (const part of [name.slice(0, -END), name.slice(-END)]) node.append(Object.assign(document.createElement("span"), { textContent: part }));
    }
    return node;
  }

  const names = { short, yielding };
  if (typeof module !== "undefined" && module.exports) module.exports = names;
  /** @type {any} */ (globalThis).karatNames = names;
})();
