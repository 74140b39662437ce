"""Draws every diagram at the edges of its layout (1 to 30 models, 2 to 26 classes, long names, few and many cases, axes
of a user's style) and says which texts leave the paper or lie on others.

    python examples/contact_sheet.py FOLDER [--seen grey|deutan|protan] [WORD ...]

Words choose the figures whose titles hold one of them. A figure is a .png in the folder; with --seen as somebody sees
it who prints it in grey, or who is colour-blind.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from diagrams import contact_sheet, legible
from karat import InputError

mpl.use("Agg")


SEEN = {
    "grey": [[0.2126, 0.7152, 0.0722]] * 3,
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
"""What becomes of linear red, green and blue; the last two by Machado et al. (2009)."""


def seen(pixels: Any, by: str) -> Any:
    """Pixels from 0 to 1 as they are seen."""
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    mixed = np.clip(linear @ np.array(SEEN[by]).T, 0, 1)
    return np.where(mixed <= 0.0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - 0.055)


def main(folder: Path, words: list[str], by: str | None) -> int:
    """Draw, look, and count what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    faults = 0
    for title, draw in contact_sheet.sheet():
        if words and not any(word in title for word in words):
            continue
        start = time.perf_counter()
        try:
            figure = draw()
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
        file = folder / f"{re.sub('[^a-z0-9_]+', '-', title.lower())}.png"
        figure.savefig(file, dpi=80)
        if by:
            plt.imsave(file, seen(plt.imread(file)[..., :3], by))
        plt.close(figure)
    print(f"{faults} figures with a fault")
    return faults


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("folder", type=Path)
    given.add_argument("words", nargs="*")
    given.add_argument("--seen", choices=SEEN)
    asked = given.parse_args()
    sys.exit(1 if main(asked.folder, asked.words, asked.seen) else 0)
