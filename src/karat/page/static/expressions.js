// @ts-check
/**
 * Expressions of Vega as functions, each made once of its syntax tree. The page forbids `eval`, and Vega's own interpreter walks
 * the tree for every channel of every mark, which was half of the time that a move of a slider took.
 */
(function () {
  "use strict";

  /** What an expression can see. @typedef {{params?: any, datum?: any, event?: any, item?: any}} Scope */
  /** @typedef {(scope: Scope) => any} Made */

  const BINARY = {
    "*": (a, b) => (s) => a(s) * b(s),
    "+": (a, b) => (s) => a(s) + b(s),
    "-": (a, b) => (s) => a(s) - b(s),
    "/": (a, b) => (s) => a(s) / b(s),
    "%": (a, b) => (s) => a(s) % b(s),
    ">": (a, b) => (s) => a(s) > b(s),
    "<": (a, b) => (s) => a(s) < b(s),
    "<=": (a, b) => (s) => a(s) <= b(s),
    ">=": (a, b) => (s) => a(s) >= b(s),
    "==": (a, b) => (s) => a(s) == b(s),
    "!=": (a, b) => (s) => a(s) != b(s),
    "===": (a, b) => (s) => a(s) === b(s),
    "!==": (a, b) => (s) => a(s) !== b(s),
    "&&": (a, b) => (s) => a(s) && b(s),
    "||": (a, b) => (s) => a(s) || b(s),
  };
  const UNARY = { "+": (a) => (s) => +a(s), "-": (a) => (s) => -a(s), "!": (a) => (s) => !a(s) };
  const CONSTANTS = { NaN, E: Math.E, PI: Math.PI, SQRT2: Math.SQRT2, LN10: Math.LN10 };
  const text = (method) => (x, ...rest) => String(x)[method](...rest);
  const list = (method) => (x, ...rest) => x[method](...rest);
  /** Functions that Vega leaves to whoever evaluates. @type {Record<string, any>} */
  const FUNCTIONS = {
    isNaN: Number.isNaN,
    isFinite: Number.isFinite,
    ...Object.fromEntries("abs ceil cos exp floor log max min pow round sin sqrt".split(" ").map((name) => [name, Math[name]])),
    clamp: (x, low, high) => Math.max(low, Math.min(high, x)),
    now: Date.now,
    length: (x) => x.length,
    ...Object.fromEntries([["join", "join"], ["slice", "slice"], ["indexof", "indexOf"]].map(([name, method]) => [name, list(method)])), // prettier-ignore
    ...Object.fromEntries("substring split replace trim".split(" ").map((name) => [name, text(name)])),
    upper: text("toUpperCase"),
    lower: text("toLowerCase"),
    regexp: RegExp,
    test: (pattern, x) => RegExp(pattern).test(x),
  };
  const OF_EVENT = new Set(["view", "item", "group", "xy", "x", "y"]);
  const REFUSED = new Set([Function, eval, setTimeout, setInterval]); // whatever could run a text
  /** @param {any} value */
  function harmless(value) {
    if (REFUSED.has(value)) throw new Error("a chart may not call this");
    return value;
  }

  /** @type {Record<string, (node: any, functions: any) => Made>} */
  const MAKERS = {
    Literal: ({ value }) => () => value,
    Identifier: ({ name }) => {
      if (name === "datum") return (s) => s.datum;
      if (name === "event") return (s) => s.event;
      if (name === "item") return (s) => s.item;
      if (name in CONSTANTS) return () => CONSTANTS[name];
      const key = `$${name}`;
      return (s) => s.params[key];
    },
    MemberExpression: (node, functions) => {
      const of = made(node.object, functions);
      const known = named(node.property, node.computed);
      if (known !== undefined) return (s) => harmless(of(s)[known]);
      const property = made(node.property, functions);
      return (s) => harmless(of(s)[property(s)]);
    },
    CallExpression: (node, functions) => {
      const name = node.callee.name.replace(/^_/, "");
      const all = node.arguments.map((x) => made(x, functions));
      const [a, b, c] = all;
      if (name === "if") return (s) => (a(s) ? b(s) : c(s));
      if (OF_EVENT.has(name)) return (s) => s.event.vega[name](...all.map((f) => f(s)));
      const own = functions[name] || FUNCTIONS[name];
      if (!own) throw new Error(`no chart of this page knows the function ${name}`);
      if (all.length === 1) return (s) => own.call(functions, a(s));
      if (all.length === 2) return (s) => own.call(functions, a(s), b(s));
      return (s) => own.apply(functions, all.map((f) => f(s))); // prettier-ignore
    },
    ArrayExpression: (node, functions) => {
      const all = node.elements.map((x) => made(x, functions));
      return (s) => all.map((f) => f(s));
    },
    BinaryExpression: (node, functions) => BINARY[node.operator](made(node.left, functions), made(node.right, functions)),
    LogicalExpression: (node, functions) => BINARY[node.operator](made(node.left, functions), made(node.right, functions)),
    UnaryExpression: (node, functions) => UNARY[node.operator](made(node.argument, functions)),
    ConditionalExpression: (node, functions) => {
      const [test, yes, no] = [node.test, node.consequent, node.alternate].map((x) => made(x, functions));
      return (s) => (test(s) ? yes(s) : no(s));
    },
    ObjectExpression: (node, functions) => {
      const all = node.properties.map((p) => [named(p.key, false), made(p.value, functions)]);
      return (s) => {
        const object = {};
        for (const [key, value] of all) object[key] = harmless(value(s));
        return object;
      };
    },
  };

  /** The name of a property that is written out. @param {any} node @param {boolean} computed */
  const named = (node, computed) => (node.type === "Literal" ? node.value : computed ? undefined : node.name);

  /** @param {any} node of the tree @param {any} functions of the chart @returns {Made} */
  function made(node, functions) {
    const maker = MAKERS[node.type];
    if (!maker) throw new Error(`no chart of this page knows ${node.type}`);
    return maker(node, functions);
  }

  /** Widths and heights of what has two ends, as Vega has them. @param {any} item @param {any} channels @param {boolean} swap */
  function extend(item, channels, swap) {
    for (const [near, far, middle, size] of [["x", "x2", "xc", "width"], ["y", "y2", "yc", "height"]]) { // prettier-ignore
      if (channels[far]) {
        if (channels[near]) {
          if (swap && item[near] > item[far]) [item[near], item[far]] = [item[far], item[near]];
          item[size] = item[far] - item[near];
        } else item[near] = item[far] - (item[size] || 0);
      }
      if (channels[middle]) item[near] = item[middle] - (item[size] || 0) / 2;
    }
  }

  const BOXES = new Set(["group", "image", "rect"]);
  /** What a view of Vega asks for, in place of its interpreter. */
  const expressions = {
    operator: (chart, { ast }) => {
      const value = made(ast, chart.functions);
      return (params) => value({ params });
    },
    parameter: (chart, { ast }) => {
      const value = made(ast, chart.functions);
      return (datum, params) => value({ params, datum });
    },
    event: (chart, { ast }) => {
      const value = made(ast, chart.functions);
      return (event) => value({ event });
    },
    handler: (chart, { ast }) => {
      const value = made(ast, chart.functions);
      return (params, event) => value({ params, event, datum: event.item && event.item.datum });
    },
    encode: (chart, { marktype, channels }) => {
      const all = Object.entries(channels).map(([name, { ast }]) => /** @type {[string, Made]} */ ([name, made(ast, chart.functions)]));
      return (item, params) => {
        const scope = { params, datum: item.datum, item };
        let changed = 0;
        for (const [name, value] of all) {
          const now = value(scope);
          if (item[name] === now) continue;
          item[name] = now;
          changed = 1;
        }
        if (marktype !== "rule") extend(item, channels, BOXES.has(marktype));
        return changed;
      };
    },
  };

  /** @type {any} */ (globalThis).karatExpressions = expressions;
  if (typeof module !== "undefined" && module.exports) module.exports = expressions;
})();
