"""What a fresh process waits for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from .measuring import COMPILED, Row, duration

IMPORT_KARAT = "import karat"
IMPORT_BASE = "import numpy, scipy.special"
IMPORT_SKLEARN = "import sklearn.metrics"
MAKE_DATA = "import numpy as np; i = np.arange(1000.0); y = (i % 2).astype(int); p = (0.3 * y + 0.618 * i) % 1"
EVALUATE = "karat.evaluate(y, p).values()"


def seconds(*steps: str, silent: str = "") -> float:
    """CPU seconds of the steps in a fresh process; `silent` comes after the first and is not counted."""
    timed = [f"t = clock(); {step}; total += clock() - t" for step in steps]
    lines = ["from time import process_time as clock", "total = 0.0", timed[0], silent, *timed[1:], "print(total)"]
    code = "\n".join(lines)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=COMPILED)
    return float(done.stdout)


def rows(quick: bool) -> Iterator[Row]:
    """Importing, and importing with a first evaluation; in turns."""
    seconds(IMPORT_KARAT, EVALUATE, silent=MAKE_DATA)  # compiles what an installed karat has compiled
    rounds = [
        (
            seconds(IMPORT_KARAT),
            seconds(IMPORT_BASE),
            seconds(IMPORT_KARAT, EVALUATE, silent=MAKE_DATA),
            seconds(IMPORT_SKLEARN),
        )
        for _ in range(5 if quick else 15)
    ]
    karat, base, first, sklearn = (median(times) for times in zip(*rounds, strict=True))
    yield Row(f"`{IMPORT_KARAT}`", duration(karat), f"`{IMPORT_BASE}` {duration(base)}", karat / base, 2.0, False)
    yield Row(
        "import and first evaluation, n = 1,000",
        duration(first),
        f"`{IMPORT_SKLEARN}` {duration(sklearn)}",
        first / sklearn,
        1.0,
        False,
    )
