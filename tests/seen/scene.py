"""The small data that questions are asked about, and how answers are put into words."""

from __future__ import annotations

import datetime
import inspect
import json
import math
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import karat
from karat.core.errors import InputError


def spread(n: int, first: int) -> Any:
    """Numbers in (0, 1) that are the same on every machine and with every library (Park and Miller)."""
    found, x = [], first
    for _ in range(n):
        x = 16807 * x % 2147483647
        found.append(x / 2147483647)
    return np.array(found)


def bell(n: int, first: int) -> Any:
    """Numbers around 0 with a spread of about 1."""
    return spread(12 * n, first).reshape(n, 12).sum(axis=1) - 6


def chances(truth: Any, skill: float, first: int, k: int, boldness: float = 1.0) -> Any:
    """Probabilities of k classes in parts of 64: some are equal, and sums are exact, so that no kernel rounds them."""
    z = boldness * (bell(len(truth) * k, first).reshape(-1, k) + skill * np.eye(k)[truth])
    p = np.round(64 * np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)) / 64
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    return np.clip(p, 0.0, 1.0)


N = 60
place = (spread(N, 5) < 0.4).astype(int)
y = np.array(["no", "yes"])[place]
pa, pb, pc = chances(place, 2.2, 11, 2), chances(place, 1.0, 12, 2), chances(place, 1.4, 13, 2, 3.0)
p, q = pa[:, 1], pb[:, 1]
site = np.array(["east", "north", "west"])[(3 * spread(N, 6)).astype(int)]
age = 20 + (60 * spread(N, 7)).astype(int)
w = np.round(0.5 + spread(N, 8), 1)
patient = np.arange(N) // 3
day = [str(datetime.date(2024, 1, 1) + datetime.timedelta(days=int(2 * i))) for i in range(N)]
predicted = np.where(p > 0.5, "yes", "no")
undecided = np.where(np.abs(p - 0.5) < 0.1, "?", predicted)
score = np.round(5 * (p - 0.5), 2)
place3 = (3 * spread(48, 9) ** 1.3).astype(int)
y3 = np.array(["cat", "dog", "owl"])[place3]
p3, q3 = chances(place3, 2.0, 14, 3), chances(place3, 1.2, 15, 3)
predicted3 = np.array(["cat", "dog", "owl"])[q3.argmax(axis=1)]
long_place = (spread(400, 21) < 0.3).astype(int)
long_y = np.array(["no", "yes"])[long_place]
long_p = chances(long_place, np.where(np.arange(400) < 250, 2.0, 0.4)[:, None], 22, 2)  # type: ignore[arg-type]
long_site = np.array(["east", "north", "west"])[(3 * spread(400, 23)).astype(int)]
long_age = 20 + (60 * spread(400, 24)).astype(int)
long_day = [str(datetime.date(2024, 1, 1) + datetime.timedelta(days=int(i // 4))) for i in range(400)]
weak_p = chances(long_place, 2.0, 25, 2)
weak_p = np.where(((long_site == "west") & (long_age >= 50))[:, None], weak_p[:, ::-1], weak_p)
MATRIX = [[50, 3, 2], [4, 30, 6], [1, 2, 12]]
LEADS = {"forest": 0.04, "boost": 0.03, "bayes": -0.03}
results = {
    "model": [name for name in LEADS for _ in range(8)],
    "dataset": [f"set {i}" for _ in LEADS for i in range(8)],
    "MCC": np.round(
        np.tile(0.7 + 0.2 * spread(8, 30), 3) + np.repeat(list(LEADS.values()), 8) + 0.05 * spread(24, 31), 3
    ).tolist(),
}
"""Of three models on eight data sets."""


def bent(proba: Any, power: float) -> Any:
    """More (power above 1) or less extreme probabilities in the same order."""
    return proba**power / (proba**power).sum(axis=1, keepdims=True)


def found(truth: Any, *given: Any, **options: Any) -> str:
    """What is noticed about predictions, with its evidence."""
    from seen.seen import laid_out

    seen = karat.evaluate(truth, *given, **options).findings()
    return "\n".join([repr(seen), *(laid_out(finding.evidence) for finding in seen)])


def evaluated(proba: Any = pa, **options: Any) -> karat.Evaluation:
    return karat.evaluate(y, proba, **({"positive": "yes"} | options))


def names() -> dict[str, Any]:
    """What a question can speak of; made anew for each, so that none is answered from what another has left."""
    e, f, g = (evaluated(proba) for proba in (pa, pb, pc))
    e3, f3 = karat.evaluate(y3, p3), karat.evaluate(y3, q3)
    made = {
        "e": e,
        "f": f,
        "g": g,
        "e3": e3,
        "f3": f3,
        "weighed": evaluated(sample_weight=w),
        "labelled": karat.evaluate(y, y_pred=undecided, reject="?", positive="yes", labels=["no", "yes"]),
        "scored": karat.evaluate(y, y_score=score, positive="yes"),
        "matrix": karat.evaluate_matrix(MATRIX, ["cat", "dog", "owl"]),
        "grouped": evaluated(by={"site": site, "age": (age // 20 * 20).astype(str)}),
        "long": karat.evaluate(long_y, long_p, positive="yes", by={"site": long_site}),
        "absent": karat.evaluate(["no"] * 6, [0.1, 0.2, 0.3, 0.4, 0.4, 0.6], positive="yes", labels=["no", "yes"]),
        "models": {"forest": e, "logit": f, "bayes": g},
        "models3": {"forest": e3, "logit": f3},
    }
    return globals() | made


def write(folder: Path) -> None:
    """The same data as files."""
    head = "y_true,p_no,p_yes,site,age,day,patient,id,w"
    for name, proba in (("a", pa), ("b", pb), ("c", pc)):
        columns = zip(y, proba, site, age, day, patient, w, strict=True)
        rows = [f"{t},{a:g},{b:g},{s},{o},{d},{g},k{i:02},{x}" for i, (t, (a, b), s, o, d, g, x) in enumerate(columns)]
        put(folder / f"{name}.csv", head, rows)
    put(folder / "labels.csv", "y_true,y_pred", [f"{t},{d}" for t, d in zip(y, undecided, strict=True)])
    put(folder / "scores.csv", "y_true,score", [f"{t},{s}" for t, s in zip(y, score, strict=True)])
    for name, proba in (("three", p3), ("three_b", q3)):
        rows = [f"{t},{','.join(f'{x:g}' for x in row)}" for t, row in zip(y3, proba, strict=True)]
        put(folder / f"{name}.csv", "y_true,p_cat,p_dog,p_owl", rows)
    for name, part in (("old", slice(0, 200)), ("new", slice(200, 400)), ("long", slice(None))):
        columns = zip(long_y[part], long_p[part], long_site[part], long_age[part], long_day[part], strict=True)
        rows = [f"{t},{a:g},{b:g},{s},{o},{d}" for t, (a, b), s, o, d in columns]
        put(folder / f"{name}.csv", "y_true,p_no,p_yes,site,age,day", rows)
        put(folder / f"{name}_blind.csv", "p_no,p_yes", [",".join(row.split(",")[1:3]) for row in rows])
    put(folder / "matrix.csv", ",cat,dog,owl", [",".join(map(str, ["cat", *MATRIX[0]])), "dog,4,30,6", "owl,1,2,12"])
    put(
        folder / "results.csv",
        ",".join(results),
        [",".join(map(str, row)) for row in zip(*results.values(), strict=True)],
    )
    columns = zip(long_y, weak_p, long_site, long_age, strict=True)
    put(folder / "weak.csv", "y_true,p_no,p_yes,site,age", [f"{t},{a:g},{b:g},{s},{o}" for t, (a, b), s, o in columns])
    (folder / "baseline.json").write_text(json.dumps({"measures": {"MCC": 0.9, "LogL": 0.4}}))


def put(file: Path, head: str, rows: list[str]) -> None:
    file.write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def table(record: Any) -> str:
    """As it is printed."""
    return repr(record)


def every(record: Any) -> str:
    """An answer as it is printed, its data, and its table in Markdown."""
    from seen.seen import laid_out

    parts = [repr(record)]
    if hasattr(record, "to_dict"):
        parts.append(laid_out(record.to_dict()))
    if hasattr(record, "to_markdown"):
        parts.append(record.to_markdown())
    return "\n--\n".join(dict.fromkeys(parts))


def drawn(figure: Any) -> str:
    """What is to be read in a drawing: the texts of each of its axes, and from where to where lines and areas go."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    with mpl.rc_context():
        mpl.use("agg")
        axes = figure() if callable(figure) else figure
        while isinstance(axes, list | tuple | np.ndarray):
            axes = axes[0]
        whole = getattr(axes, "figure_", None) or axes.figure
        whole.canvas.draw()
        text = "\n".join([*_titles(whole), *(line for ax in whole.axes if ax.get_visible() for line in _axes(ax))])
        plt.close("all")
        return text


NUMBER = re.compile(r"[-\u2212]?[\d.]*")


def _titles(whole: Any) -> list[str]:
    return [f"figure: {words}" for words in dict.fromkeys(t.get_text() for t in whole.texts) if words]


def _axes(ax: Any) -> list[str]:
    named = {"title": ax.get_title() or ax.get_title(loc="left"), "x": ax.get_xlabel(), "y": ax.get_ylabel()}
    if ax.name == "ternary":
        named |= {"top": ax.get_tlabel(), "left": ax.get_llabel(), "right": ax.get_rlabel()}
    lines = [f"axes: {', '.join(f'{name} {words!r}' for name, words in named.items() if words)}"]
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        if axis.get_visible() and ax.axison:
            low, high = axis.get_view_interval()
            ticks = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=False)  # shared ones have no labels
            inside = [t.get_text() for t, at in ticks if min(low, high) <= at <= max(low, high)]
            names = "" if all(NUMBER.fullmatch(text) for text in inside) else f": {' '.join(inside)}"  # as many as fit
            lines.append(f"  {name} from {_short(low)} to {_short(high)}, {axis.get_scale()}{names}")
    for line in ax.lines:
        lines.append(f"  line {_named(line)}: {_course(line.get_xydata())}")
    for area in ax.collections:
        kind = type(area).__name__
        if kind == "PathCollection":
            lines.append(f"  points {_named(area)}: {_course(area.get_offsets())}")
        elif area.get_paths() and kind != "QuadMesh":  # which is a scale of colours
            lines.append(
                f"  area {_named(area)}: {_course(np.concatenate([path.vertices for path in area.get_paths()]))}"
            )
    for patch in ax.patches:
        corners = patch.get_path().transformed(patch.get_patch_transform()).vertices
        lines.append(f"  {type(patch).__name__}: {_course(corners)}")
    words = [t.get_text() for t in ax.texts if t.get_text()]
    lines += [f"  texts {words}"] if words else []
    legend = ax.get_legend()
    if legend is not None:
        words = [legend.get_title().get_text(), *(t.get_text() for t in legend.get_texts())]
        lines.append(f"  legend {[word for word in words if word]}")
    return lines


def _named(artist: Any) -> str:
    name = str(artist.get_label())
    return "" if name.startswith("_") else repr(name)


def _course(points: Any) -> str:
    """How many points, the first, the middle, the last, and the mean of all: nearly any change of a number is seen."""
    points = np.ma.getdata(np.asarray(points, float))
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return "no points"
    chosen = [points[0], points[len(points) // 2], points[-1], points.mean(axis=0)]
    said = [f"({', '.join(_short(x) for x in at)})" for at in chosen]
    return f"{len(points)} points, {said[0]} .. {said[1]} .. {said[2]}, mean {said[3]}"


def _short(x: float) -> str:
    return f"{0.0 if abs(x) < 1e-9 else x:.4g}"


def page(*args: Any, **options: Any) -> str:
    """What is to be read on a page, and the data that its script is given."""
    from html.parser import HTMLParser

    from seen.seen import laid_out

    html = str(karat.report(*args, **options).html)
    words: list[str] = []

    class Texts(HTMLParser):
        hidden = ""

        def handle_starttag(self, tag: str, attributes: Any) -> None:
            if tag in ("script", "style"):
                self.hidden = tag
            words.extend(v for k, v in attributes if k in ("title", "aria-label", "alt") and v)

        def handle_endtag(self, tag: str) -> None:
            if tag == self.hidden:
                self.hidden = ""

        def handle_data(self, data: str) -> None:
            if not self.hidden and data.strip():
                words.append(" ".join(data.split()))

    Texts().feed(html)
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)
    data = json.loads(found[1]) if found else {}
    for told in ("karat", "measures"):  # the version; what is in the text
        data.pop(told, None)
    text = " | ".join(dict.fromkeys(words)).replace(karat.__version__, "VERSION")
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n--\n" + laid_out(few(data))


def group_texts(e: karat.Evaluation) -> str:
    """The tables of groups of a page."""
    from karat.page.content import Content
    from karat.page.group_section import group_section

    html, _ = group_section(Content.of(e, intervals=False, replicates=20))
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"<[^>]+>", "\n", html)).strip()


def few(value: Any) -> Any:
    """Plain data with long rows of numbers in short: how many, the first, the last and their mean."""
    if isinstance(value, dict):
        return {key: few(x) for key, x in value.items()}
    if not isinstance(value, list):
        return value
    known = [x for x in value if isinstance(x, int | float)]
    if len(value) < 8 or len(known) < 0.5 * len(value):
        return [few(x) for x in value]
    ends = f"{_short(known[0])} .. {_short(known[-1])}"
    return f"{len(value)} of which {len(known)} numbers: {ends}, mean {_short(float(np.mean(known)))}"


# ------------------------------------------------------------------------------------------- borders


def walk(asked: Callable[[Any], Any], places: Any) -> str:
    """What is answered on both sides of a border, and on it."""
    from seen.seen import shown

    def said(place: Any) -> str:
        try:
            return shown(asked(place))
        except InputError as refused:
            return f"refused: {refused}"

    return "\n".join(f"{place}: {said(place)}" for place in places)


def ways(e: karat.Evaluation, measures: Any = "papers", **options: Any) -> str:
    """How the intervals of the measures are made, or why there is none."""
    by_way: dict[str, list[str]] = {}
    for symbol, one in e.intervals(measures, replicates=20, **options).items():
        by_way.setdefault("; ".join(filter(None, (one.method, one.reason))), []).append(symbol)
    return "\n" + "\n".join(f"  {', '.join(symbols)}: {way}" for way, symbols in by_way.items())


def tests(n: int, **options: Any) -> str:
    """How models of so many cases are compared, measure by measure."""
    first, second = (karat.evaluate(long_y[:n], proba[:n], positive="yes") for proba in (long_p, bent(weak_p, 0.7)))
    pair = karat.compare({"a": first, "b": second}, replicates=20, **options)["a", "b"]
    by_way: dict[str, list[str]] = {}
    for symbol, one in pair.differences.items():
        by_way.setdefault("; ".join(filter(None, (one.method, one.reason))), []).append(symbol)
    return "\n" + "\n".join(f"  {', '.join(symbols)}: {way}" for way, symbols in by_way.items())


def codes(e: karat.Evaluation) -> list[str]:
    """What is noticed, in short."""
    return [f"{finding.severity} {finding.code}" for finding in e.findings()]


# ------------------------------------------------------------------------------------------- arguments

NUMBERS = (-1, 0, 1, 2, 0.5, 1.5, math.nan, math.inf)
ODD: tuple[Any, ...] = (*NUMBERS, None, True, "x", (), [1], {"x": 1})


def arguments(call: Callable[..., Any], *given: Any, skip: tuple[str, ...] = (), **valid: Any) -> str:
    """What is said when an argument that has a default gets one odd value after the other: a refusal, or the number
    of values that are taken."""
    lines = []
    for name, parameter in inspect.signature(call).parameters.items():
        if parameter.default is parameter.empty or name in skip or name in valid:
            continue
        said: dict[str, list[str]] = {}
        for value in ODD:
            try:
                call(*given, **valid, **{name: value})
                answer = "taken"
            except (InputError, ImportError) as refused:
                answer = re.sub(rf"(?<![\w.]){re.escape(repr(value))}(?![\w.])", "<value>", str(refused), count=1)
            except Exception as wrong:
                answer = f"{type(wrong).__name__}: {wrong}"
            said.setdefault(answer, []).append(repr(value))
        lines += [f"{name} = {', '.join(values)}: {words}" for words, values in said.items()]
    return "\n".join(lines)
