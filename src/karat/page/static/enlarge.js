// @ts-check
/** A chart in a window of its own, as large as the screen allows, where it can be zoomed. */
(function () {
  "use strict";
  const { element, Figure, tip } = /** @type {any} */ (globalThis).karatFigures;

  const CLOSE = 1.5; // how many times larger at a press of the button

  /** @param {any[]} figures @param {(model: string) => void} look @returns {(f: any) => void} opens a chart */
  function enlarging(figures, look) {
    const dialog = element("dialog", { class: "large", "aria-labelledby": "enlarged-title" });
    document.body.append(dialog);
    /** @type {any} */
    let shown = null;
    /** Once: the browser tells of a window that it is closed, but later, and another chart may be open by then. */
    function leave() {
      if (!shown) return;
      figures.splice(figures.indexOf(shown), 1);
      if (shown.result) shown.result.finalize();
      shown = null;
      tip().hidden = true;
      document.body.append(tip()); // it was inside, above the rest of the page
      dialog.replaceChildren();
      look("");
    }
    dialog.addEventListener("cancel", leave); // by the keyboard
    dialog.addEventListener("close", () => dialog.open || leave());
    return (f) => {
      dialog.showModal(); // its size is that of the chart
      const height = Math.max(240, Math.min(innerHeight - 260, 720, 0.9 * innerWidth));
      shown = new Figure(f.panel, f.state, f.models, { height });
      shown.look = look;
      shown.root.querySelector("h2").id = "enlarged-title";
      const button = (text, label, act) => element("button", { type: "button", class: "small", "aria-label": label, onclick: act }, text);
      const close = button("Close", "Close the enlarged chart", () => {
        dialog.close();
        leave();
      });
      const zoom = [
        button("+", "Zoom in", () => shown.zoom(CLOSE)),
        button("\u2212", "Zoom out", () => shown.zoom(1 / CLOSE)),
        button("Reset zoom", "Reset zoom", () => shown.zoom(1)),
        element("span", { class: "quiet" }, "Drag to move, turn the wheel to zoom."),
      ];
      shown.root.querySelector(".tools").append(...(f.panel.zooms ? zoom : []), close);
      dialog.replaceChildren(shown.root);
      dialog.append(tip());
      close.focus({ preventScroll: true });
      figures.push(shown);
      shown.show();
    };
  }

  /** @type {any} */ (globalThis).karatEnlarge = { enlarging };
})();
