"""Draws every diagram at the edges of its layout (1 to 30 models, 2 to 26 classes, long names, few and many cases) and
says which texts leave the paper or lie on others.

    python examples/contact_sheet.py FOLDER [WORD ...]

Words choose the figures whose titles hold one of them. A figure is a .png in the folder.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from diagrams import contact_sheet, legible
from karat import InputError

mpl.use("Agg")


def main(folder: Path, words: list[str]) -> int:
    """Draw, look, and count what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    faults = 0
    for title, make, look in contact_sheet.sheet():
        if words and not any(word in title for word in words):
            continue
        start = time.perf_counter()
        try:
            figure = make().plot(**look).figure_
        except InputError as refusal:
            print(f"{title}: {refusal}")
            continue
        figure.canvas.draw()
        seconds = time.perf_counter() - start
        found = {check.__name__: check(figure) for check in (legible.clipped, legible.overprinted, legible.covered)}
        faulty = {name: texts[:3] for name, texts in found.items() if texts}
        faults += bool(faulty)
        if faulty or seconds > 5:
            print(f"{title}: {seconds:.1f} s {faulty or ''}", flush=True)
        figure.savefig(folder / f"{re.sub('[^a-z0-9_]+', '-', title.lower())}.png", dpi=80)
        plt.close(figure)
    print(f"{faults} figures with a fault")
    return faults


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(1 if main(Path(sys.argv[1]), sys.argv[2:]) else 0)
