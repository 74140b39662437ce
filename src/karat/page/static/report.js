// @ts-check
/** Puts the page together: state, sections, and what happens when something is changed. */
(function () {
  "use strict";
  const C = /** @type {any} */ (globalThis).karatConditions;
  const P = /** @type {any} */ (globalThis).karatPoints;
  const { element, isDark, Figure, watch } = /** @type {any} */ (globalThis).karatFigures;
  const U = /** @type {any} */ (globalThis).karatControls;
  const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent || "{}");
  data.models.forEach((m, i) => (m.at = i));
  const { panels, classes, operating, reigns, first: firstCharts } = /** @type {any} */ (globalThis).karatPanels.panels(data);
  const H = /** @type {any} */ (globalThis).karatChoosing;

  const start = Math.max(
    0,
    classes.findIndex((k) => k.class === data.positive),
  );
  const observed = (rest) => (classes[rest] ? classes[rest].own / (classes[rest].own + classes[rest].rest) : 0.5);
  const names = data.models.map((m) => m.name);
  const everyone = names.map((_, i) => i);
  const atFirst = usual();
  /** @type {any} */
  const state = {
    rest: start,
    prevalence: observed(start),
    alarm: 1,
    miss: 1,
    hit: 0,
    pass: 0,
    cases: data.n,
    mode: "best",
    step: Math.floor(data.thresholds.length / 2),
    order: [...new Set([...atFirst, ...everyone])],
    shown: new Set(H.remembered("models", names) || atFirst),
    classes: new Set(H.remembered("classes", data.classes) || data.classes.keys()),
    detail: data.best,
    view: "counts",
  };

  /** The models that are shown at first: those of the table of the first screen, in its order. */
  function usual() {
    const rows = [...document.querySelectorAll(".headline tbody tr:not([hidden]) [data-model]")];
    return rows.length ? rows.map((e) => Number(e.getAttribute("data-model"))) : everyone;
  }

  const figures = panels.map((p) => new Figure(p, () => state, data.models));
  const answers = element("div", {
    class: "wide",
    id: "answers",
    tabindex: 0,
    role: "region",
    "aria-label": "operating points",
  });
  const where = element("div", { id: "ranges" });
  const at = element("div", { id: "at" });
  const sentence = element("p", { class: "sentence", id: "sentence", "aria-live": "polite" });
  const brief = element("span", { class: "quiet", id: "brief" });
  const conditionsText = element("p", { class: "paper", id: "said" }); // what the sliders say, for paper
  const undecided = element("p", { class: "quiet", id: "undecided" });

  let waiting = false;
  /** Bring everything that is linked up to date, at most once a frame. @param {boolean} [everything] */
  function changed(everything) {
    if (everything) {
      follow();
      figures.forEach((f) => !f.panel.live && f.show());
    }
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      tell();
      figures.forEach((f) => f.panel.live && f.show());
    });
  }

  /** The numbers in words and tables. */
  function tell() {
    if (!classes.length) return;
    const points = operating(state);
    const dark = isDark();
    if (!points.length) {
      answers.replaceChildren();
      sentence.textContent = "No model is shown.";
      return;
    }
    const pc = C.probabilityCost(state);
    const best = points.reduce((a, b) => (b.normalised < a.normalised - 1e-12 ? b : a));
    const trivial = Math.min(pc, 1 - pc);
    answers.replaceChildren(U.answers(points, data, dark));
    where.replaceChildren(U.ranges(reigns(state), state, data, dark, classes[state.rest].name));
    at.replaceChildren(/** @type {any} */ (globalThis).karatMatrices.matrices(points, classes[state.rest], state, data, dark));
    const nameOf = (p) => element("bdi", {}, /** @type {any} */ (globalThis).karatNames.short(p.name, 40));
    const others = points.filter((p) => p !== best);
    const next = others.length ? others.reduce((a, b) => (b.cost < a.cost ? b : a)) : null;
    if (Number.isNaN(pc)) sentence.replaceChildren("No error costs anything: set a cost above 0.");
    else if (state.mode === "best" && trivial < best.normalised - 1e-12)
      sentence.replaceChildren(
        `Use no model: ${P.trivial(pc < 0.5 ? C.NEVER : C.ALWAYS, classes[state.rest].name)}. This costs less than any model (${U.figure(trivial)} of the highest possible cost).`,
      );
    else
      sentence.replaceChildren(
        "Lowest expected cost: ",
        element("strong", {}, nameOf(best)),
        `, ${U.figure(best.cost)} per case: ${best.rule}. `,
        ...(next ? ["Next: ", nameOf(next), `, ${U.figure(next.cost)}. `] : []),
        ...recommended(best, nameOf),
        state.mode === "best" && best.scored
          ? element("span", { class: "quiet" }, "Optimistic: the threshold was chosen and evaluated on the same data.")
          : "",
      );
    advise();
    undecided.textContent = C.undecided(points, data.rejected, classes[state.rest].name);
    conditionsText.textContent = P.conditionsSaid(state, classes[state.rest].name, data);
    brief.replaceChildren(
      `prevalence ${U.figure(state.prevalence)}, `,
      element("span", { class: "whole" }, `cost ratio ${state.miss} : ${state.alarm} (FN : FP)`),
    );
  }

  /** Why another model than the cheapest is recommended: of two classes, under the conditions of the data. @param {any} best @param {(p: any) => any} nameOf */
  function recommended(best, nameOf) {
    const advised = data.models[data.best];
    if (said() !== unmoved || data.classes.length !== 2 || advised.name === best.name) return [];
    return ["The difference to ", nameOf(advised), ", which is recommended for its better probabilities, is not significant. "];
  }

  const unmoved = said(new Set(atFirst));
  /** The conditions as one text. @param {Set<number>} [shown] */
  function said(shown = state.shown) {
    const { rest, prevalence, alarm, miss, hit, pass, mode, step } = state;
    return JSON.stringify([rest, prevalence, alarm, miss, hit, pass, mode, mode === "best" ? 0 : step, [...shown].sort()]);
  }

  /** On the first screen: the advice as it was written, or that for the conditions that were set. */
  function advise() {
    const moved = said() !== unmoved;
    const now = /** @type {HTMLElement} */ (document.getElementById("now"));
    const advice = /** @type {HTMLElement} */ (document.getElementById("advice"));
    if (moved && !advice.hidden) now.style.minHeight = `${advice.getBoundingClientRect().height}px`; // what is below stays where it is
    advice.hidden = moved;
    now.hidden = !moved;
    now.replaceChildren(...(moved ? ["Under these conditions: ", ...[...sentence.childNodes].map((n) => n.cloneNode(true))] : []));
  }

  /** @param {Partial<any>} change @param {boolean} [everything] */
  function set(change, everything) {
    Object.assign(state, change);
    changed(everything);
  }

  /** What is to be done when another class is chosen. @type {((rest: number) => void)[]} */
  const choosing = [];
  /** Another class against the rest. @param {string} v */
  function chosen(v) {
    state.rest = Number(v);
    state.prevalence = observed(state.rest);
    choosing.forEach((f) => f(state.rest));
    figures.forEach((f) => f.show(true)); // the axes name the class
    changed();
  }

  /** The choice of a class beside the rule that it is about. */
  function looked() {
    if (classes.length < 2) return null;
    const options = classes.map((k, i) => [String(i), data.classes[k.class]]);
    const choice = U.choice("looked-for", "class of interest", options, String(state.rest), chosen);
    choosing.push((rest) => (choice.querySelector("select").value = String(rest)));
    const remark =
      data.positive === null
        ? "No positive class was given: choose the class that the thresholds below are for."
        : "Everything below is about this class against the rest.";
    return element("div", { class: "looked row" }, choice, element("p", { class: "quiet" }, remark));
  }

  function controls() {
    const place = /** @type {HTMLElement} */ (document.getElementById("controls"));
    const box = element("div", { id: "sliders", class: "sliders" });
    const opener = element(
      "button",
      {
        type: "button",
        id: "open-sliders",
        "aria-expanded": "false",
        "aria-controls": "sliders",
        onclick: () => {
          const open = place.classList.toggle("open");
          opener.setAttribute("aria-expanded", String(open));
          opener.textContent = open ? "Hide the sliders" : "Change conditions";
        },
      },
      "Change conditions",
    );
    const bar = element("div", { class: "bar" }, element("span", { class: "title" }, "Conditions"), brief);
    if (classes.length) bar.append(opener);
    if (classes.length) {
      const prevalence = U.slider({
        id: "prevalence",
        label: "prevalence of the class",
        scale: "share",
        value: state.prevalence,
        max: 1,
        change: (v) => set({ prevalence: v }),
      });
      const costs = [
        ["miss", "a missed case (FN) costs", "cost"],
        ["alarm", "a false alarm (FP) costs", "cost"],
        ["hit", "a detected case (TP) earns", "gain"],
        ["pass", "a correct negative (TN) earns", "gain"],
      ].map(([id, label, scale]) => U.slider({ id, label, scale, value: state[id], change: (v) => set({ [id]: v }) }));
      const count = U.slider({
        id: "cases",
        label: "number of cases",
        scale: "cost",
        value: state.cases,
        whole: true,
        change: (v) => set({ cases: v }),
      });
      count.root.querySelector("input[type=range]").remove();
      const cut = element("input", {
        type: "range",
        id: "threshold",
        min: 0,
        max: data.thresholds.length - 1,
        step: 1,
        value: state.step,
      });
      const cutText = element("output", { for: "threshold", id: "threshold-said" });
      const scored = classes.some((k) => k.models.some((m) => m.scored));
      const radio = (value, text) =>
        element(
          "label",
          { class: "inline" },
          element("input", {
            type: "radio",
            name: "mode",
            value,
            id: `mode-${value}`,
            checked: state.mode === value,
            onchange: () => mode(value),
          }),
          ` ${text}`,
        );
      const mode = (value) => {
        const button = /** @type {any} */ (document.getElementById(`mode-${value}`));
        if (button) button.checked = true;
        cutText.textContent = value === "best" ? "" : U.figure(data.thresholds[state.step]);
        cut.setAttribute("aria-valuetext", U.figure(data.thresholds[state.step]));
        set({ mode: value });
      };
      cut.addEventListener("input", () => {
        state.step = Number(cut.value);
        mode("threshold");
      });
      if (classes.length > 1) {
        box.append(
          U.choice(
            "class",
            "class against the rest",
            classes.map((k, i) => [String(i), data.classes[k.class]]),
            String(state.rest),
            chosen,
          ),
        );
        choosing.push((rest) => {
          prevalence.put(observed(rest));
          /** @type {any} */ (document.getElementById("class")).value = String(rest);
        });
      }
      const reset = element(
        "button",
        {
          type: "button",
          id: "reset",
          onclick: () => {
            Object.assign(state, {
              prevalence: observed(state.rest),
              miss: 1,
              alarm: 1,
              hit: 0,
              pass: 0,
              cases: data.n,
            });
            prevalence.put(state.prevalence);
            ["miss", "alarm", "hit", "pass"].forEach((id, i) => costs[i].put(state[id]));
            count.put(state.cases);
            mode("best");
          },
        },
        "Reset",
      );
      box.append(prevalence.root, ...costs.map((c) => c.root), count.root);
      if (scored)
        box.append(
          element(
            "fieldset",
            {},
            element("legend", {}, "threshold"),
            radio("best", "best for these conditions"),
            radio("threshold", "the same for all"),
            element(
              "div",
              { class: "control" },
              element("label", { for: "threshold", class: "hidden" }, "threshold for all models"),
              cut,
              cutText,
            ),
          ),
        );
      box.append(reset);
    }
    place.append(bar, models(), box);
  }

  /** Which models are shown; of many those of the first screen stand on top. */
  function models() {
    const list = H.chooser({
      what: "models",
      names,
      order: state.order,
      shown: state.shown,
      usual: atFirst,
      look: (i) => U.named(data.models[i], isDark()),
      change: () => changed(true),
    });
    list.root.classList.add("models");
    themed.push(list.fill);
    return list.root;
  }

  /** Which classes the tables and maps of classes show. */
  function classesShown() {
    const all = [...data.classes.keys()];
    const list = H.chooser({
      what: "classes",
      names: data.classes,
      order: all,
      shown: state.classes,
      usual: all,
      look: (i) => /** @type {any} */ (globalThis).karatNames.yielding(data.classes[i]),
      change: () => changed(true),
    });
    const summary = element("summary", {}, "Choose classes");
    return element("details", { class: "choose", open: state.classes.size < all.length }, summary, list.root);
  }

  /** What is to be done when the colours change. @type {(() => void)[]} */
  const themed = [];
  function recolour() {
    themed.forEach((f) => f());
    tell();
    figures.forEach((f) => f.show(true));
  }

  const SECTIONS = [
    [
      "conditions",
      "Costs and thresholds",
      "The controls set prevalence and costs; thresholds, operating points, confusion matrices and expected costs follow.",
    ],
    ["curves", "Curves", ""],
    ["classes", "Classes", ""],
    ["decisions", "Information in the predictions", ""],
    ["disagree", "Where measures disagree", ""],
  ];

  /** A section of the page; one that stands there already is filled. @param {string} id @param {string} title @param {string} words */
  function sectionOf(id, title, words) {
    const there = document.getElementById(id);
    if (there) return there;
    const section = element(
      "section",
      { id, "aria-labelledby": `${id}-title` },
      element("h2", { id: `${id}-title` }, title),
      words ? element("p", { class: "quiet" }, words) : null,
    );
    /** @type {HTMLElement} */ (document.getElementById("live")).append(section);
    return section;
  }

  function sections() {
    const priced = /** @type {any} */ (globalThis).karatPrices.prices(data, isDark, state.shown);
    following.push(() => priced && priced.show());
    /** @type {HTMLElement} */ (document.getElementById("first")).append(
      ...firstCharts.map((id) => /** @type {any} */ (figures.find((f) => f.panel.id === id)).root),
    );
    for (const [id, title, words] of SECTIONS) {
      const mine = figures.filter((f) => f.panel.section === id);
      if (!mine.length) continue;
      const section = sectionOf(id, title, words);
      if (id === "conditions") section.append(...[looked(), conditionsText, sentence, undecided, answers, where, at].filter((x) => x));
      if (id === "disagree") section.append(element("p", {}, data.rankings.verdict));
      if (id === "classes") {
        const row = element("div", { class: "row" });
        if (data.models.length > 1)
          row.append(
            U.choice(
              "detail-model",
              "model",
              state.order.map((i) => [String(i), names[i]]),
              String(state.detail),
              (v) => set({ detail: Number(v) }, true),
            ),
          );
        if (data.confusion.length)
          row.append(
            U.choice(
              "view",
              "cells show",
              Object.entries(/** @type {any} */ (globalThis).karatMaps.VIEWS),
              "counts",
              (v) => set({ view: v }, true),
            ),
          );
        section.append(row);
        if (data.classes.length > H.FEW) section.append(classesShown());
      }
      section.append(element("div", { class: "figures" }, ...mine.map((f) => f.root)));
      if (id === "conditions" && priced) section.after(priced.root);
    }
    if (priced) {
      if (!priced.root.parentNode) /** @type {HTMLElement} */ (document.getElementById("live")).append(priced.root);
      themed.push(priced.show);
    }
    const empty = /** @type {HTMLElement} */ (document.getElementById("classes"));
    if (empty.children.length < 2) empty.remove();
  }

  /** Names in the table of the first screen have the colours of the charts. */
  function swatches() {
    for (const place of document.querySelectorAll("[data-model]"))
      place.replaceChildren(U.named(data.models[Number(place.getAttribute("data-model"))], isDark()));
  }

  /** What is to be done when other models or classes are chosen. @type {(() => void)[]} */
  const following = [H.follower(data, state)];
  const follow = () => following.forEach((f) => f());

  const TALLEST = 300; // pixels of a chart of the first screen
  /** The charts of the first screen are as high as the window has room for. */
  function fill() {
    const page = /** @type {HTMLElement} */ (document.querySelector(".page")).getBoundingClientRect();
    const first = figures.filter((f) => firstCharts.includes(f.panel.id));
    const boxes = first.map((f) => f.root.getBoundingClientRect());
    const spare = innerHeight - Math.max(...boxes.map((b) => b.bottom)) + page.top - 12;
    if (new Set(boxes.map((b) => b.top)).size > 1) return; // below each other
    for (const f of first) f.heighten(Math.max(f.height, Math.min(f.height + spare, TALLEST)));
  }

  document.documentElement.classList.add("scripted");
  /** @type {any} */ (globalThis).karatActions.actions({ data, figures, themed, recolour });
  sections();
  controls();
  swatches();
  follow();
  H.findings();
  themed.push(swatches);
  if (data.groups.length) /** @type {any} */ (globalThis).karatGroups.groups(data);
  const Contents = /** @type {any} */ (globalThis).karatContents;
  Contents.foldable((section) => figures.forEach((f) => section.contains(f.root) && f.show(true)));
  Contents.following();
  Contents.reachable();
  Contents.printable();
  const Sorting = /** @type {any} */ (globalThis).karatSorting;
  Sorting.sortable();
  Sorting.intervals(data.bands.level);
  tell();
  fill();
  const look = /** @type {any} */ (globalThis).karatHighlight.highlight(figures);
  const enlarge = /** @type {any} */ (globalThis).karatEnlarge.enlarging(figures, look);
  figures.forEach((f) => Object.assign(f, { look, enlarge }));
  watch([...figures]);
  /** @type {any} */ (globalThis).karat = {
    data,
    state,
    set,
    figures,
    conditions: C,
    operating: () => operating(state),
    reigns: () => reigns(state),
  };
})();
