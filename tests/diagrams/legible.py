"""Can every word of a figure be read: does none leave the paper, and lie none on another?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def texts(figure: Any) -> Iterator[Any]:
    """What is written on a figure that was drawn."""
    yield from figure.texts
    for legend in figure.legends:
        yield from legend.get_texts()
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        yield from (ax.title, ax._left_title, ax._right_title, *ax.texts)
        if ax.get_legend() is not None:
            yield from ax.get_legend().get_texts()
        if ax.axison:
            axes = (ax.taxis, ax.laxis, ax.raxis) if ax.name == "ternary" else (ax.xaxis, ax.yaxis)
            for axis in axes:
                yield axis.label
                for tick in axis._update_ticks():
                    yield from (tick.label1, tick.label2)


def shown(figure: Any) -> list[Any]:
    """Texts that can be seen."""
    return [t for t in texts(figure) if t.get_visible() and t.get_text().strip()]


def clipped(figure: Any) -> list[str]:
    """Texts that leave the paper."""
    paper = figure.bbox
    boxes = [(t.get_text(), t.get_window_extent()) for t in shown(figure)]
    return [
        text
        for text, box in boxes
        if min(box.x0 - paper.x0, box.y0 - paper.y0, paper.x1 - box.x1, paper.y1 - box.y1) < -1
    ]


def overprinted(figure: Any) -> list[tuple[str, str]]:
    """Texts that lie on others."""
    found = [(t.get_text(), t.get_window_extent(), corners(t)) for t in shown(figure)]
    return [
        (a, b)
        for i, (a, box, one) in enumerate(found)
        for b, other_box, other in found[i + 1 :]
        if box.overlaps(other_box) and overlap(one, other) > 1.5
    ]


def corners(text: Any) -> Any:
    """The four corners of a text, which may be slanted: its box has the same centre."""
    box, turned = text.get_window_extent(), text.get_rotation()
    text.set_rotation(0)
    flat = text.get_window_extent()
    text.set_rotation(turned)
    x, y = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]).T * [[flat.width / 2], [flat.height / 2]]
    c, s = np.cos(np.radians(turned)), np.sin(np.radians(turned))
    return np.column_stack([c * x - s * y + (box.x0 + box.x1) / 2, s * x + c * y + (box.y0 + box.y1) / 2])


def overlap(one: Any, other: Any) -> float:
    """How deep two rectangles lie in each other: the least over the directions of their sides."""
    sides = np.concatenate([np.diff(box[:3], axis=0) for box in (one, other)])
    directions = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    spans = [(box @ directions.T) for box in (one, other)]
    low, high = np.max([x.min(axis=0) for x in spans], axis=0), np.min([x.max(axis=0) for x in spans], axis=0)
    return float((high - low).min())


def entries(ax: Any) -> list[str]:
    """What the legend of these axes says, on them or below them."""
    legends = [ax.get_legend(), *ax.figure.legends]
    return [t.get_text() for legend in legends if legend is not None for t in legend.get_texts()]


def covered(figure: Any) -> list[str]:
    """Series that run behind a legend."""
    found = []
    for ax in figure.axes:
        lines = [(str(x.get_label()), _along(x)) for x in ax.lines if x.get_gid() == "series"]
        bars = [("bar", _sides(p)) for p in ax.patches]
        for legend in (ax.get_legend(), *figure.legends):
            if legend is not None:
                box, inside = legend.get_window_extent(), ax.bbox
                for name, at in lines + bars:
                    seen = at[(at > inside.min).all(axis=1) & (at < inside.max).all(axis=1)]
                    if ((seen > box.min + 1) & (seen < box.max - 1)).all(axis=1).any():
                        found.append(name)
    return found


def _along(line: Any) -> Any:
    """Points close together along a line, on the paper."""
    at = line.get_transform().transform(line.get_xydata())
    at = at[np.isfinite(at).all(axis=1)]
    steps = np.linspace(0, 1, 30)[:, None, None]
    return (at[None, :-1] * (1 - steps) + at[None, 1:] * steps).reshape(-1, 2)


def _sides(patch: Any) -> Any:
    """Points all over a bar, or along the outline of stairs."""
    return np.concatenate([patch.get_transform().transform(p) for p in patch.get_path().to_polygons(closed_only=False)])


def is_seen(ax: Any) -> bool:
    """Is there a map, bars, points or a line of some length within these axes, that shows a model?"""
    inside = ax.bbox
    lines = [x for x in ax.lines if x.get_gid() == "series"]
    for line in lines:
        at = line.get_transform().transform(line.get_xydata())
        at = at[((at >= inside.min - 2) & (at <= inside.max + 2)).all(axis=1)]
        long = len(at) > 1 and float(np.ptp(at, axis=0).max()) > 2
        above = len(at) > 0 and float(at[:, 1].max()) > inside.y0 + 1  # not hidden along the bottom
        if (long and above) or (len(at) > 0 and line.get_marker() not in ("None", None, "", " ")):
            return True
    bars = [p for p in ax.patches if p.get_window_extent().width > 2]
    points = [c for c in ax.collections if len(c.get_offsets()) and c.get_sizes() is not None and len(c.get_sizes())]
    return bool(ax.images or bars or points)
