// @ts-check
/** A report inside of another page: its scripts see a document of their own, the shadow tree of its element. */
/** @param {HTMLElement} host @returns {Document} */
function karatDocument(host) {
  "use strict";
  const template = host.querySelector("template"); // a parser that knows no declarative shadow trees leaves it there
  if (!host.shadowRoot && template) host.attachShadow({ mode: "open" }).append(template.content);
  const root = /** @type {any} */ (host.shadowRoot);
  /** @type {any} */
  const own = { documentElement: host, body: root };
  for (const name of ["getElementById", "querySelector", "querySelectorAll", "addEventListener"])
    own[name] = root[name].bind(root);
  return new Proxy(document, {
    get(target, name) {
      if (name in own) return own[name];
      const value = /** @type {any} */ (target)[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
