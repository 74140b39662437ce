"""How large the report of many models or classes is, and how soon it answers a slider, in a real browser.

    python benchmarks/page_sliders.py

A move is answered when the frame that follows it is done: tables and the charts in view are up to date. Of 20 moves the
median is printed, in milliseconds: as the clock of the wall has it, and of the processor time of the page (which other
programs do not disturb). The targets are 50 ms and 3 MB.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import karat

MOVES = 20
PLACES = ("#summary", "#conditions", "#figure-roi", "#curves", "#classes")
SLIDERS = ("prevalence-range", "miss-range", "threshold")
MOVE = """async ([id, share]) => {
  const range = document.getElementById(id);
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  const start = performance.now();
  range.value = String(Number(range.min) + (Number(range.max) - Number(range.min)) * share);
  range.dispatchEvent(new Event("input", { bubbles: true }));
  await frame();
  return performance.now() - start;
}"""


def probabilities(y: Any, classes: int, strength: float, rng: Any) -> Any:
    """Of a model that knows so much."""
    z = rng.normal(size=(len(y), classes)) + strength * np.eye(classes)[y]
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def problem(models: int, classes: int, n: int = 2000) -> dict[str, Any]:
    """So many models, better and better, on so many classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    p = {f"model_{i:02d}": probabilities(y, classes, 1 + i / 10, rng) for i in range(models)}
    return {name: karat.evaluate(y, x if classes > 2 else x[:, 1]) for name, x in p.items()}


def moved(page: Any, place: str, slider: str) -> tuple[float, float]:
    """The median answer to a move, with this place in view: by the wall's clock, and in processor time."""
    page.evaluate("place => document.querySelector(place).scrollIntoView({behavior: 'instant'})", place)
    page.wait_for_timeout(500)
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        found = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(found["TaskDuration"])

    wall, processor = [], []
    for i in range(MOVES):
        before = worked()
        wall.append(page.evaluate(MOVE, [slider, 0.3 + 0.02 * i]))
        processor.append(worked() - before)
    return statistics.median(wall), statistics.median(processor)


def main() -> None:
    """Print the table."""
    print("| models | classes | MB | in view | slider | ms | ms of processor time |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for models, classes in ((3, 2), (30, 2), (3, 26), (30, 26)):
            path = Path(folder) / f"{models}-{classes}.html"
            karat.report(problem(models, classes), path, replicates=50)
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=all]", state="attached", timeout=120_000)
            for place in PLACES:
                for slider in SLIDERS:
                    wall, processor = moved(page, place, slider)
                    size = f"{path.stat().st_size / 1e6:.2f}"
                    facts = (models, classes, size, place[1:], slider, f"{wall:.0f}", f"{processor:.0f}")
                    print(f"| {' | '.join(map(str, facts))} |", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
