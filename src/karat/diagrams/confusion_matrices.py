"""Confusion heat maps."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.errors import InputError
from karat.core.table import Table
from karat.core.validation import one_of
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.statistics import Counts, ProbabilitySums, Summary

VIEWS = ("counts", "truth", "predicted", "joint")
EARLIER = {"decided": "predicted"}
"""What views were called before."""
MOST_CELLS = 400
"""Cells that can hold numbers."""
READABLE = 3.5
"""Points below which a number can't be read in print."""
ORDERS = ("given", "blocks", "frequency")


@diagram(
    name="confusion_matrix",
    title="Confusion matrix",
    cite="prati2011",
    aliases=("confusion", "heat_map", "confusion_heat_map"),
)
class ConfusionMatrix(PredictionDiagram):
    """Which classes are confused with which?

    `view` shows "counts", or shares of the true class ("truth": rows sum to 1), of the predicted class ("predicted":
    columns sum to 1) or of all cases ("joint"); `order` puts classes that are confused side by side ("blocks"); `top`
    shows the classes of the most frequent confusions only, for very many; `class_names` are shown instead of labels.
    """

    on_page = True
    statistic = Counts
    two_classes = False
    apart = "always"
    table: Array
    """what is shown: rows are true classes, columns predicted ones"""
    counts: Array
    """the same cells as they were counted"""
    classes: tuple[Any, ...]
    outputs: tuple[Any, ...]
    view: str
    order: str

    @classmethod
    def statistic_of(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """Counts, with the names of the rows and columns."""
        super().statistic_of(summary, positive)  # says what is lacking
        return cls.named_table(summary), None

    @classmethod
    def named_table(cls, summary: Summary) -> tuple[Array, tuple[Any, ...], tuple[Any, ...]]:
        """The table and the names of its rows and columns."""
        return summary.get(Counts).table, summary.source.classes, summary.source.outputs

    @classmethod
    def compute(
        cls,
        statistic: tuple[Array, tuple[Any, ...], tuple[Any, ...]],
        *,
        view: str = "counts",
        order: str = "given",
        top: int | None = None,
        class_names: Sequence[Any] | None = None,
    ) -> Self:
        """Normalise, choose and sort."""
        counts, classes, outputs = statistic
        view = EARLIER.get(view, view)
        one_of("view", view, VIEWS)
        one_of("order", order, ORDERS)
        cells = _normalised(counts, view)
        k = len(classes)
        rows = np.arange(k)
        if top is not None:
            if not (isinstance(top, int) and top > 0):
                raise InputError(f"top is {top!r}; give how many classes to show.")
            rows = np.sort(_worst(counts, min(top, k)))
        if order == "blocks":
            rows = rows[_by_blocks(_square(counts)[np.ix_(rows, rows)])]
        elif order == "frequency":
            rows = rows[np.argsort(-counts.sum(axis=1)[rows], kind="stable")]
        columns = np.append(rows[rows < len(outputs)], np.arange(k, len(outputs)))  # a class may have no column
        if class_names is not None:
            classes, outputs = _renamed(class_names, classes, outputs)
        return cls(
            table=cells[np.ix_(rows, columns)],
            counts=counts[np.ix_(rows, columns)],
            classes=tuple(classes[i] for i in rows),
            outputs=tuple(outputs[i] for i in columns),
            view=view,
            order=order,
        )

    def top_confusions(self, number: int = 10) -> Table:
        """The most frequent confusions.

        Parameters
        ----------
        number : int
            How many pairs of classes.

        Returns
        -------
        Table
            True class (`truth`), predicted class (`decided`), cases, and their share of the true class.
        """
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        share = _normalised(self.counts, "truth")
        places = [divmod(int(i), wrong.shape[1]) for i in np.argsort(-wrong, axis=None, kind="stable")[:number]]
        places = [(i, j) for i, j in places if wrong[i, j] > 0]
        names = {"truth": [self.classes[i] for i, _ in places], "decided": [self.outputs[j] for _, j in places]}
        cells = {"cases": [float(wrong[at]) for at in places], "share": [float(share[at]) for at in places]}
        return Table(names | cells, "most frequent confusions")

    def draw(
        self,
        ax: Any,
        label: str,
        *,
        bar: bool = True,
        numbers: bool = True,
        number_format: str | None = None,
        rotation: float | str | None = None,
        **style: Any,
    ) -> None:
        """A map of cells, darker for more; numbers in them while they can be read."""
        k, l = self.table.shape
        image = ax.imshow(self.table, **{"cmap": "Blues", "aspect": "equal", "vmin": 0} | style)
        ax.set_anchor("W")  # where its names are: the layout then knows at once how far they reach
        slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        turned = {} if rotation is None else {"rotation": rotation}
        slanted = slanted if self._names > 0.7 * self._side / l and not turned else turned
        ax.set_xticks(range(l), map(self._called, self.outputs), **slanted)
        ax.set_yticks(range(k), list(map(self._called, self.classes)))
        ax.grid(visible=False)
        ax.set(xlabel=self.across, ylabel="True class")
        for side in ("top", "right"):
            ax.spines[side].set_visible(True)
        if numbers and k * l <= MOST_CELLS:
            limit = image.get_clim()[1] * 0.55
            for (i, j), value in np.ndenumerate(self.table):
                text = _cell(float(value), self.view, number_format)
                colour = "white" if value > limit else "#222222"
                ax.text(j, i, text, ha="center", va="center", color=colour, gid="cell")
        if bar:
            ax.figure.colorbar(image, ax=ax, shrink=0.8, panchor=False).set_label(self.unit)
        if label:
            ax.set_title(label)

    @classmethod
    def settle(cls, drawn: Sequence[tuple[Any, Any]]) -> None:
        """Names and numbers as large as the cells allow; numbers that would be too small to read are left out."""
        if drawn:
            drawing.lay_out(drawn[0][1].figure)  # once: with many axes it takes its time
        for matrix, ax in drawn:
            matrix._fit(ax)

    def _fit(self, ax: Any) -> None:
        k, l = self.table.shape
        box = ax.get_position()
        width, height = (72 * ax.figure.get_size_inches() * (box.width / l, box.height / k)).tolist()
        ax.tick_params(labelsize=max(2.0, min(drawing.points(7.5), 0.85 * height / self._lines)))
        cells = [text for text in ax.texts if text.get_gid() == "cell"]
        longest = max((len(text.get_text()) for text in cells), default=1)
        size = min(drawing.points(8), 0.6 * height, 0.85 * width / (0.6 * longest))
        for text in cells:
            text.set(fontsize=size, visible=size >= READABLE)

    @classmethod
    def alike(cls, members: Any) -> dict[str, Any]:
        """One scale of colours."""
        return {"bar": False, "vmax": max(float(np.nanmax(m.table)) for m in members)}

    @property
    def figure_size(self) -> tuple[float, float]:
        """It grows with the number of the classes and the length of their names."""
        below = 0.7 * (self._names + 0.1 * self._lines)  # names are slanted
        return max(3.6, self._side + self._names + 1.2), max(3.0, self._side + below + 0.8)

    @property
    def _side(self) -> float:
        """Of the map, in inches."""
        return min(max(max(0.33, 0.2 * self._lines) * len(self.classes), 1.9), 8.0)

    @property
    def _names(self) -> float:
        """How long the longest line of a name is, in inches."""
        lines = [line for c in (*self.classes, *self.outputs) for line in self._called(c).split("\n")]
        return min(0.056 * max(map(len, lines)), 2.0)

    @property
    def _lines(self) -> int:
        """Of the name that has most."""
        return 1 + max(self._called(c).count("\n") for c in (*self.classes, *self.outputs))

    def _called(self, label: Any) -> str:
        """What is written beside a row or column: of few classes in lines that leave room for the map."""
        few = max(self.table.shape) <= MOST_FOLDED
        return textwrap.fill(str(label), LONGEST_LINE) or str(label) if few else str(label)

    across: ClassVar[str] = "Predicted class"
    units: ClassVar[tuple[str, ...]] = (
        "cases", "share of the true class", "share of the predicted class", "share of all cases"
    )  # fmt: skip
    """What a cell holds, in each view."""

    @property
    def unit(self) -> str:
        """What a cell holds."""
        return self.units[VIEWS.index(self.view)]


@diagram(
    name="probabilistic_confusion_matrix",
    title="Probabilistic confusion matrix",
    cite="wang2013",
    aliases=("pcm", "probability_heat_map"),
)
class ProbabilisticConfusionMatrix(ConfusionMatrix):
    """How is the predicted probability of the cases of each class spread over all classes?"""

    statistic = ProbabilitySums  # type: ignore[assignment]

    @classmethod
    def named_table(cls, summary: Summary) -> tuple[Array, tuple[Any, ...], tuple[Any, ...]]:
        """Sums of probabilities instead of counts."""
        return summary.get(ProbabilitySums).sums, summary.source.classes, summary.source.classes

    across = "Class, by its predicted probability"
    units = (
        "sum of probabilities (expected cases)",
        "mean probability in cases of the true class",
        "share of the column's probability",
        "share of all probability",
    )


MOST_FOLDED, LONGEST_LINE = 8, 26
"""Classes whose names may have several lines, and letters of a line."""


def _normalised(counts: Array, view: str) -> Array:
    if view == "counts":
        return counts
    total = {"truth": counts.sum(axis=1, keepdims=True), "predicted": counts.sum(axis=0, keepdims=True)}
    return np.asarray(ratio(counts, total.get(view, counts.sum())))


def _cell(value: float, view: str, number_format: str | None) -> str:
    if value != value:
        return "-"
    if number_format is not None:
        whole = number_format.endswith("d") and value.is_integer()
        return format(int(value) if whole else value, number_format)
    if view == "counts":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return drawing.number(value)


def _renamed(names: Sequence[Any], classes: Sequence[Any], outputs: Sequence[Any]) -> tuple[Any, Any]:
    """Rows and columns by other names; a column that is no class keeps its own."""
    if isinstance(names, str) or len(names) != len(classes):
        raise InputError(f"class_names is {names!r}; give {len(classes)} names, in the order of the classes.")
    called = dict(zip(classes, names, strict=True))
    return tuple(names), tuple(called.get(output, output) for output in outputs)


def _worst(counts: Array, number: int) -> Array:
    """The classes of the most frequent confusions, until there are enough."""
    k = len(counts)
    wrong = _square(counts)
    np.fill_diagonal(wrong, 0)
    worst: dict[int, None] = {}  # in their order, each once
    for cell in np.argsort(-wrong, axis=None, kind="stable"):
        worst |= dict.fromkeys(divmod(int(cell), k))
        if len(worst) >= number:
            break
    return np.array([*worst][:number])


def _square(counts: Array) -> Array:
    """A copy with one column for each class: none for other outputs, zeros for a class that is never predicted."""
    k = len(counts)
    return np.pad(counts[:, :k], ((0, 0), (0, k - min(k, counts.shape[1]))))


def _by_blocks(counts: Array) -> Array:
    """An order in which classes that are mixed up with each other stand side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(counts) < 3:
        return np.arange(len(counts))
    share = np.asarray(ratio(counts, counts.sum(axis=1, keepdims=True), 0.0))
    mixed = (share + share.T) / 2
    distance = mixed.max() - mixed
    np.fill_diagonal(distance, 0)
    flat = squareform(distance, checks=False)
    return np.asarray(leaves_list(optimal_leaf_ordering(linkage(flat, "average"), flat)))
