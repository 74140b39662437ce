"""`karat.Accumulator`: predictions taken in part by part, evaluated at the end."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from karat.accumulation.group_states import GroupState
from karat.accumulation.model_states import Frame, KeyState, ModelState
from karat.accumulation.rows_read import FilesRead, OverBudgetError, Skipped
from karat.accumulation.small_updates import MOST, SmallUpdates
from karat.accumulation.state_bytes import DAMAGED, packed, unpacked
from karat.accumulation.top_probabilities import TopState
from karat.accumulation.updates import ONLY, Update, refuse_unlike
from karat.core.errors import InputError, option
from karat.core.other_names import OF_ACCUMULATOR, instead
from karat.core.validation import size_in_bytes, whole
from karat.data.labels import class_order, positive_place
from karat.data.top_rows import TopRows, are_top
from karat.evaluation import Evaluation
from karat.statistics.added import AddedStatistics, Company

BYTES_OF_A_CASE = 500
"""What a case takes while its statistics are made one by one; where that is too much they are made of sorted keys."""


class Accumulator:
    """Predictions taken in part by part: batches of a training loop, chunks of a file, requests of a service.

    Rows are kept while they fit into `memory`, and the evaluation is that of `karat.evaluate` on all of them. Beyond
    that sums and grids of scores are kept: measures of sums and counts stay exact, and measures of the order of the
    scores are known between certified bounds (`Evaluation.bounds`).

    Parameters
    ----------
    labels : sequence, optional
        All classes, in the order of the columns. By default those of the first update; one that appears later is an
        error.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.
    exact : {"auto", True, False}, default "auto"
        "auto": rows are kept while they fit into `memory`. True: always, and more than fits is an error. False: never.
    memory : str or int, default "1GB"
        What rows may take, such as "200MB", or a number of bytes.
    paired : bool, optional
        Keep what is needed to compare models on the same cases once the rows are gone: statistics of 200 random blocks
        of the cases. By default if several models are given at once.

    See Also
    --------
    karat.evaluate : all predictions at once.
    karat.accumulate : files, folders and datasets.

    Examples
    --------
    >>> import karat
    >>> a = karat.Accumulator()
    >>> for y, p in (([0, 1, 1], [0.2, 0.7, 0.4]), ([1, 0], [0.9, 0.3])):
    ...     a.update(y, p)
    >>> a.rows, a.evaluation()["roc_auc"]
    (5, 1.0)
    """

    def __init__(
        self,
        labels: Any = None,
        positive: Any = None,
        exact: Any = "auto",
        memory: str | int = "1GB",
        paired: bool | None = None,
    ) -> None:
        if exact is not True and exact is not False and exact != "auto":
            raise InputError(f"exact is {exact!r}; choose 'auto', True or False.")
        self.labels = None if labels is None else class_order(labels)
        self.positive = positive
        self.exact = exact
        self.memory = size_in_bytes("memory", memory)
        self.paired = paired
        self._states: dict[str, ModelState] = {}
        self._small: SmallUpdates | None = None
        self._only_right: dict[tuple[str, str], int] = {}
        self._plain = False
        self.skipped = Skipped()
        """what `karat.accumulate` left out, if it was asked to"""
        self.files: FilesRead | None = None
        """what `karat.accumulate` read"""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)
            own = {*dir(type(self)), *vars(self)}
            raise instead("an Accumulator", name, OF_ACCUMULATOR, own, lambda _: "", "karat.Accumulator")

    @property
    def _models(self) -> dict[str, ModelState]:
        """The state of each model, once updates that wait are taken in."""
        small = self._small
        if small is not None and small.rows:
            self._small = None
            self.update(*small.joined())
            self._small = SmallUpdates(self._states)
        return self._states

    @_models.setter
    def _models(self, models: dict[str, ModelState]) -> None:
        self._states, self._small = models, SmallUpdates(models)

    @property
    def rows(self) -> int:
        """Number of cases taken in so far.

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1, 1], [0.2, 0.7, 0.4])
        >>> a.rows
        3
        """
        return next((m.rows for m in self._models.values()), 0)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, where they were given by name.

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1], {"forest": [0.2, 0.7], "tree": [0.4, 0.6]})
        >>> a.models
        ('forest', 'tree')
        """
        return tuple(name for name in self._models if name != ONLY)

    def update(
        self,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        sample_weight: Any = None,
        by: Any = None,
        first_row: int | None = None,
        rest: str | None = None,
        **options: Any,
    ) -> None:
        """Take in more cases.

        Parameters
        ----------
        y_true, y_proba, y_pred, sample_weight : array-like
            As `karat.evaluate` takes them. For several models at once `y_proba` (or `y_pred`) is {name: predictions}.
        by : dict or array-like of shape (n,), optional
            {name: the group of each case}, or one such column, in every update: the evaluation has them, as
            `e.by("site")`. Times are kept by day, for `e.over("date")`.
        first_row : int, optional
            The number of the first of these rows among all, where other parts are taken in elsewhere; by default that
            of rows so far. Models are compared by the numbers of their rows, or by `ids`.
        rest : {"even", "scaled"}, optional
            Where there are very many classes (`labels` of the accumulator names all in their order), `y_proba` may list
            the most probable: {class: p} for each case, a column of such maps of Arrow, or a pair of arrays (or columns
            of lists), places of classes and their probabilities, as torch.topk gives them. The others share what is
            left of 1 evenly, or have 0, those that are listed being scaled to sum to 1. Counts and losses are kept.
        **options : of `karat.evaluate`: `columns`, `reject`, `normalise`, `ids`.

        Raises
        ------
        InputError
            Where these are not what they should be; nothing of them is taken in then.

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1, 1], [0.2, 0.7, 0.4])
        >>> a.update([1, 0], [0.9, 0.3])  # the next batch
        >>> a
        Accumulator(5 rows, kept)
        """
        alone = y_pred is None and sample_weight is None and by is None and not options.keys() - {"certain"}
        if alone and (self._taken(y_true, y_proba) if self._plain else self._waits(y_true, y_proba, first_row)):
            return
        if alone and "certain" in options and not self._states and self._begun(y_true, y_proba):
            return
        if isinstance(y_proba, TopRows) or are_top(y_proba):
            if y_pred is not None or by is not None or options.keys() - {"certain"} or self.exact is True:
                raise InputError("beside {class: p} for each case only weights are taken in, and rows can't be kept.")
            self._add_top(y_true, y_proba, rest, sample_weight)
            return
        given = Update.of(
            y_true,
            y_proba,
            y_pred,
            by,
            labels=self.labels,
            positive=self.positive,
            sample_weight=sample_weight,
            **options,
        )
        begun = bool(self._models)
        if begun:
            given.refuse_others(self._models)
        models = self._models if begun else given.beginning(keep=self.exact is not False, paired=self.paired)
        given.refuse_other_groups(models)
        if not begun:
            self._models = models
            self.labels = list(given.classes)
            self._plain = self._is_plain()
        given.add_to(self._models, self.rows if first_row is None else whole("first_row", first_row, least=0))
        for two, only in given.only_right().items():
            self._only_right[two] = self._only_right.get(two, 0) + only
        self._keep_to_budget()

    def _add_top(self, y_true: Any, y_proba: Any, rest: str | None, sample_weight: Any) -> None:
        """Take in {class: p} for each case."""
        if self.labels is None:
            raise InputError(f"{{class: p}} does not tell all classes; give Accumulator({option('labels')}...).")
        classes = tuple(self.labels)
        positive = positive_place(self.positive, list(classes))
        state = self._models.get(ONLY) if self._models else TopState(Frame(classes, classes, positive, True, False))
        if not isinstance(state, TopState):
            raise InputError("updates before gave other probabilities than {class: p}; give the same in each update.")
        state.add_rows(y_true, y_proba, rest, sample_weight)
        if not self._models:
            self._models = {ONLY: state}

    def _waits(self, y_true: Any, y_proba: Any, first_row: int | None) -> bool:
        """Were these put beside other small updates?"""
        small = self._small
        if small is None or first_row is not None or not small.take(y_true, y_proba):
            return False
        if small.rows > MOST:
            _ = self._models
        return True

    def _begun(self, y_true: Any, y_proba: Any) -> bool:
        """Were these taken in as the first, a few by the border and the others as plain arrays, which is faster? Then
        all classes are known, and that the columns are probabilities. (If not, nothing was taken in.)"""
        if self.labels is None or type(y_true) is not np.ndarray or type(y_proba) is not np.ndarray:
            return False  # several models, for one
        if len(y_true) <= MOST:
            return False
        few = Accumulator(self.labels, self.positive, self.exact, self.memory, self.paired)
        try:
            few.update(y_true[:MOST], y_proba[:MOST], certain=True)
        except InputError:
            return False
        if not few._plain or not few._taken(y_true[MOST:], y_proba[MOST:]):
            return False
        self._models, self.labels, self._plain = few._states, few.labels, True
        return True

    def _taken(self, y_true: Any, y_proba: Any) -> bool:
        """Were these taken in as plain arrays of places and probabilities? (What is wrong with them others say.)"""
        if type(y_true) is not np.ndarray or type(y_proba) is not np.ndarray or y_true.ndim != 1:
            return False
        if y_true.dtype.kind not in "biu" or y_proba.dtype.char not in "fd" or y_proba.shape != y_true.shape:
            return False
        state = self._models[ONLY]
        assert isinstance(state, KeyState)
        if not len(y_true) or state.add_columns(np.ascontiguousarray(y_true), np.ascontiguousarray(y_proba)) >= 0:
            return False
        self._keep_to_budget()
        return True

    def _keep_to_budget(self) -> None:
        size = sum(m.size for m in self._models.values())
        if size <= self.memory or self.exact is False:
            return
        if self.exact is True:
            raise OverBudgetError(
                f"{self.rows:,} rows take {size / 1e6:,.0f} MB, and {option('memory')} is {self.memory / 1e6:,.0f} MB; "
                f"allow more, or leave {option('exact')} out, so that they are added up."
            )
        for model in self._models.values():
            model.fold()

    def _ends_strand(self, number: int) -> bool:
        """May another strand of a dataset (see `strands`) go on in here, whose sums stay apart? So it is where cells of
        all strands are counted in one large table; else rows that wait are brought to where they belong."""
        only = self._models.get(ONLY)
        if self.exact is False and isinstance(only, KeyState) and not self.skipped:
            only.end_strand(number)
            return True
        for model in self._models.values():
            model.before_merge()
        return False

    def __iadd__(self, other: Accumulator) -> Self:
        if not isinstance(other, Accumulator):
            return NotImplemented
        self.skipped += other.skipped
        if not other._models:
            return self
        if not self._models:
            self._models = {name: deepcopy(m) for name, m in other._models.items()}
            self.labels, self._plain, self._only_right = other.labels, other._plain, dict(other._only_right)
            return self
        refuse_unlike(self._models, other._models)
        for name, state in self._models.items():
            state.merge(other._models[name])
        self._only_right = {two: n + other._only_right.get(two, 0) for two, n in self._only_right.items()}
        self._keep_to_budget()
        return self

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        both = Accumulator(self.labels, self.positive, self.exact, self.memory, self.paired)
        both += self
        both += other
        return both

    def evaluation(self) -> Evaluation:
        """The evaluation of all cases so far.

        Raises
        ------
        InputError
            If there are none, or if several models were given (use `evaluations`).

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1, 1], [0.2, 0.7, 0.4])
        >>> a.evaluation()["accuracy"]
        0.6666666666666666
        """
        if len(self._models) > 1:
            raise InputError(f"there are {len(self._models)} models; use evaluations(), which gives each by its name.")
        return next(iter(self.evaluations().values()))

    def evaluations(self) -> dict[str, Evaluation]:
        """Name to evaluation, where several models were given by name.

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1], {"forest": [0.2, 0.7], "tree": [0.6, 0.9]})
        >>> {name: e["accuracy"] for name, e in a.evaluations().items()}
        {'forest': 1.0, 'tree': 0.5}
        """
        if not self.rows:
            raise InputError("nothing was accumulated; call update(y_true, y_proba) first.")
        most, together = self.memory // BYTES_OF_A_CASE, dict(self._only_right)
        evaluations = {}
        for name, model in self._models.items():
            source = model.source(most)
            if isinstance(source, AddedStatistics) and together:
                source = replace(source, company=Company(name, together))
            evaluations[name] = Evaluation(source)
            if isinstance(model, GroupState):
                evaluations[name].columns = model.columns_of(source)
        for e in evaluations.values():
            e.left_out = str(self.skipped)
        return evaluations

    def to_bytes(self) -> bytes:
        """All of it, to be kept or sent: `karat.Accumulator.from_bytes` reads it. (Ids of cases are left out.)

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1, 1], [0.2, 0.7, 0.4])
        >>> kept = a.to_bytes()  # of one machine
        >>> sum_of_both = a + karat.Accumulator.from_bytes(kept)
        >>> sum_of_both.rows
        6
        """
        about = {"labels": self.labels, "positive": self.positive, "exact": self.exact, "memory": self.memory}
        about |= {"paired": self.paired, "skipped": asdict(self.skipped)}
        about["only_right"] = [[*two, cases] for two, cases in self._only_right.items()]
        for model in self._models.values():
            if not getattr(model, "keep", True):
                model.fold()
        return packed(about, self._models)

    @classmethod
    def from_bytes(cls, raw: bytes) -> Accumulator:
        """What `to_bytes` gave.

        Raises
        ------
        InputError
            If these bytes are damaged, or of another version.

        Examples
        --------
        >>> import karat
        >>> a = karat.Accumulator()
        >>> a.update([0, 1, 1], [0.2, 0.7, 0.4])
        >>> karat.Accumulator.from_bytes(a.to_bytes()).rows
        3
        """
        about, models = unpacked(raw)
        try:
            skipped = Skipped(**about.pop("skipped"))
            only_right = {(one, other): cases for one, other, cases in about.pop("only_right")}
            accumulator = cls(**about)
        except (TypeError, KeyError, ValueError) as trouble:
            raise InputError(DAMAGED) from trouble
        accumulator._only_right = only_right
        accumulator.skipped = skipped
        accumulator._models = models
        accumulator._plain = accumulator._is_plain()
        return accumulator

    def _is_plain(self) -> bool:
        """May places and probabilities be taken in as they are?"""
        only = self._models.get(ONLY)
        return isinstance(only, KeyState) and only.place == 1 and only.frame.classes == (0, 1)

    def __repr__(self) -> str:
        kept = all(getattr(m, "keep", True) for m in self._models.values())
        left_out = f", {self.skipped}" if self.skipped else ""
        return f"Accumulator({self.rows:,} rows, {'kept' if kept else 'added up'}{left_out})"
