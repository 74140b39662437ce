"""All 27 measures against what torchmetrics and CatBoost have of them."""

from __future__ import annotations

from collections.abc import Iterator

from .evaluate import against
from .measuring import Row, measured
from .others import catboost, torchmetrics
from .problems import predictions


def rows(quick: bool) -> Iterator[Row]:
    """Two and five classes, a million cases; and two classes of a thousand."""
    for k in (2, 5):
        y, p = predictions(100_000 if quick else 1_000_000, k)
        for name, made in (("torchmetrics", torchmetrics), ("CatBoost", catboost)):
            yield from measured(
                f"27 measures against {name}",
                lambda y=y, p=p, name=name, made=made: [  # type: ignore[misc]
                    against(name, made(y, p), y, p, 7.0, 3 if quick else 7)
                ],
            )
    y, p = predictions(1_000, 2)
    yield from measured(
        "27 measures, n = 1,000, against CatBoost",
        lambda: [against("CatBoost", catboost(y, p), y, p, 3.0, 3 if quick else 21)],
    )
