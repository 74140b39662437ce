"""Which cases a model is trained with and tested on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.validation import whole

NEEDS_SKLEARN = "cross-validation needs scikit-learn, which is not installed: pip install scikit-learn."


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of X that train a model, and those that it is tested on."""

    train: Array
    test: Array
    repeat: int = 1
    """which of the repetitions, counted from 1"""


def splits_of(cv: Any, X: Any, y: Array, codes: Array, groups: Array | None, repeats: Any, seed: int) -> list[Split]:
    """The folds of a cross-validation. `codes` and `groups` are y and the groups in numbers."""
    repeats = whole("repeats", repeats)
    if not isinstance(cv, str) and (hasattr(cv, "split") or isinstance(cv, Iterable)):
        if repeats > 1:
            raise InputError(
                f"{option('repeats')}{repeats} goes with a number of folds, and cv is a {type(cv).__name__}; give cv "
                "as a number, or a splitter that repeats, such as RepeatedStratifiedKFold."
            )
        splits = [Split(*two) for two in _pairs(cv, X, y, groups)]
    else:
        folds = whole("cv", cv, least=2)
        _refuse_too_many(folds, codes, groups)
        splits = list(_stratified(folds, codes, groups, repeats, seed))
    return [_checked(i, split, len(y)) for i, split in enumerate(splits, 1)]


def _stratified(folds: int, codes: Array, groups: Array | None, repeats: int, seed: int) -> Iterator[Split]:
    """The first repetition is that of StratifiedKFold(folds, shuffle=True, random_state=seed), or StratifiedGroupKFold;
    all of them are those of RepeatedStratifiedKFold."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    source = np.random.RandomState(seed)  # scikit-learn knows no other
    for repeat in range(1, repeats + 1):
        splitter = kind(folds, shuffle=True, random_state=source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of small classes: the evaluation says so itself
            for train, test in splitter.split(np.zeros(len(codes)), codes, groups):
                yield Split(train, test, repeat)


def _refuse_too_many(folds: int, codes: Array, groups: Array | None) -> None:
    """Every fold needs a case, and a group."""
    largest = np.bincount(codes).max()
    if folds > largest:
        raise InputError(f"cv is {folds}, and the largest class of y has {largest} cases; give cv={largest} or less.")
    several = 0 if groups is None else len(np.unique(groups))
    if groups is not None and folds > several:
        raise InputError(
            f"cv is {folds}, and there are {several} groups, none of which is split; give cv={several} or less."
            if several > 1
            else "groups names a single group, which can't be split into training and test cases; give several."
        )


def _pairs(cv: Any, X: Any, y: Array, groups: Array | None) -> list[tuple[Array, Array]]:
    """What a splitter of scikit-learn gives, or an iterable of (train, test)."""
    from sklearn.model_selection import check_cv

    kind = type(cv).__name__
    try:
        return [(np.asarray(train), np.asarray(test)) for train, test in check_cv(cv).split(X, y, groups)]
    except (TypeError, ValueError) as trouble:
        raise InputError(
            f"{kind} can't split these cases ({first_line(trouble)}); give a number of folds, a splitter of "
            "scikit-learn, or pairs of training and test rows."
        ) from trouble


def _checked(fold: int, split: Split, n: int) -> Split:
    """Rows of X, by number; none in both parts."""
    train, test = (_rows(fold, *part, n) for part in (("training", split.train), ("test", split.test)))
    both = np.intersect1d(train, test)
    if len(both):
        raise InputError(
            f"fold {fold} of cv has {len(both)} rows in both its training and its test cases (row {both[0]} is one); "
            "give each row to one of them."
        )
    return Split(train, test, split.repeat)


def _rows(fold: int, what: str, rows: Array, n: int) -> Array:
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu" or rows.min() < -n or rows.max() >= n:
        raise InputError(f"fold {fold} of cv has no valid {what} rows; give numbers of rows from 0 to {n - 1}.")
    return rows % n


def first_line(trouble: BaseException) -> str:
    """What went wrong, on one line that is not too long."""
    text = next(iter(str(trouble).strip().splitlines()), "").rstrip(". ")
    own = isinstance(trouble, InputError)
    words = text if own else f"{type(trouble).__name__}: {text}" if text else type(trouble).__name__
    return words if len(words) <= 240 else f"{words[:237]}..."
