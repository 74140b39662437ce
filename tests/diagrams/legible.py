"""Can every word of a figure be read: does none leave the paper, and lie none on another?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def texts(figure: Any) -> Iterator[Any]:
    """What is written on a figure that was drawn."""
    yield from figure.texts
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        yield from (ax.title, ax._left_title, ax._right_title, *ax.texts)
        if ax.get_legend() is not None:
            yield from ax.get_legend().get_texts()
        if ax.axison and getattr(ax, "name", "") != "ternary":
            for axis in (ax.xaxis, ax.yaxis):
                yield axis.label
                for tick in axis._update_ticks():
                    yield from (tick.label1, tick.label2)


def boxes(figure: Any) -> list[tuple[str, Any]]:
    """Each text, and where it is."""
    shown = [t for t in texts(figure) if t.get_visible() and t.get_text().strip()]
    return [(t.get_text(), t.get_window_extent()) for t in shown]


def clipped(figure: Any) -> list[str]:
    """Texts that leave the paper."""
    paper = figure.bbox
    return [
        text
        for text, box in boxes(figure)
        if min(box.x0 - paper.x0, box.y0 - paper.y0, paper.x1 - box.x1, paper.y1 - box.y1) < -1
    ]


def overprinted(figure: Any) -> list[tuple[str, str]]:
    """Texts that lie on others."""
    found = boxes(figure)
    return [
        (a, b)
        for i, (a, one) in enumerate(found)
        for b, other in found[i + 1 :]
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1.5 and min(one.y1, other.y1) - max(one.y0, other.y0) > 1.5
    ]
