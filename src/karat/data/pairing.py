"""Whose case is it: ids of cases, checked, and the predictions of several models joined by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.words import listed
from karat.data.arrays import is_missing, objects, plain_values

if TYPE_CHECKING:
    from karat.data.predictions import Predictions

BY_ID, BY_INDEX, BY_ROW = "by id", "by the index of y_true", "by row, as no ids were given"
"""How the cases of several models were put beside each other."""
EXPECTED = "one str or int for each case"
MOST_EXACT = 2**53
"""Beyond which different whole numbers may be one float."""


def checked_ids(given: Any, n: int) -> Array:
    """[n]: the id of each case, a str, an int or anything else that can be looked up; none is missing or doubled."""
    values = [_whole(value) if isinstance(value, float) else value for value in plain_values(given, "ids", EXPECTED)]
    if len(values) != n:
        raise ShapeError(f"there are {len(values)} ids and y_true has {n} cases; give one id for each case of y_true.")
    lost = [row for row, value in enumerate(values) if is_missing(value) or (isinstance(value, str) and not value)]
    if lost:
        raise InputError(
            f"ids are missing in {len(lost)} of {n} rows (counted from 0: {_few(lost)}); give every case an id, or "
            f"leave {option('ids')} out to pair by row."
        )
    try:
        if len(set(values)) < n:
            doubled = [value for value, times in Counter(values).items() if times > 1]
            raise InputError(f"ids are not unique: {_few(doubled)}; give each case an id of its own.")
    except TypeError:
        kind = next(type(value).__name__ for value in values if type(value).__hash__ is None)
        raise InputError(f"ids holds a {kind}; give {EXPECTED}.") from None
    return objects(values)


def _whole(value: float) -> Any:
    """A column of whole numbers may come as floats; any other is a measurement, which rounding would part."""
    if is_missing(value):
        return value
    if not value.is_integer() or abs(value) > MOST_EXACT:
        raise InputError(f"ids holds {value!r}; give {EXPECTED}.")
    return int(value)


def of_model(what: str, given: Any, name: Any) -> Any:
    """What belongs to one model: of {model: ...} its own, otherwise what was given for all."""
    if not isinstance(given, Mapping):
        return given
    if name not in given:
        raise InputError(f"{what} has entries for {quoted(given)} and none for {name!r}; give one for each model.")
    return given[name]


def refuse_own_orders(y_true: Any, ids: Any, sample_weight: Any) -> None:
    """Models that come each in an order of its own need all that belongs to a case by model."""
    by_model = {"y_true": y_true, "ids": ids, "sample_weight": sample_weight}
    given = {what: isinstance(value, Mapping) for what, value in by_model.items() if value is not None}
    if y_true is not None and any(given.values()) and (ids is None or not all(given.values())):
        others = [what for what, value in by_model.items() if not given.get(what, what == "sample_weight")]
        raise InputError(
            f"{listed(what for what in given if given[what])} came by model, and {listed(others)} did not; pass "
            "{model: ...} for all of them if each model has an order of its own, else one array for all models."
        )


def refuse_shared_ids(models: Mapping[str, Predictions]) -> None:
    """Models that are said to have different cases must not have one in common."""
    owner: dict[Any, str] = {}
    for name, p in models.items():
        ids = [] if p.ids is None else p.ids.tolist()
        if shared := [value for value in ids if value in owner]:
            raise InputError(
                f"{owner[shared[0]]} and {name} share {_ids(shared)}, and {option('paired')} is for models with "
                "different cases; leave it out to pair them by id."
            )
        owner |= dict.fromkeys(ids, name)


def pairing_of(ids: Iterable[Any], align: str = "row") -> str:
    """How models are paired, given the ids of each (None: it has none), and how rows were matched with the truth."""
    by_row = BY_INDEX if align == "index" else BY_ROW
    return by_row if any(its is None for its in ids) else BY_ID


def joined(models: Mapping[str, Predictions]) -> dict[str, Predictions]:
    """The predictions of each model, all in the order of the first: joined by id. Without ids they are taken as they
    are, row by row."""
    without = [name for name, p in models.items() if p.ids is None]
    if len(without) == len(models):
        return dict(models)
    if without:
        having = [name for name in models if name not in without]
        raise InputError(
            f"{listed(having)} {'have' if len(having) > 1 else 'has'} ids and {listed(without)} "
            f"{'have' if len(without) > 1 else 'has'} none; give {option('ids')} for every model, or for none to pair "
            "by row."
        )
    (first, a), *others = models.items()
    return {first: a} | {name: _in_order_of(first, a, name, b) for name, b in others}


def _in_order_of(first: str, a: Predictions, name: str, b: Predictions) -> Predictions:
    """The cases of b in the order of those of a."""
    assert a.ids is not None
    assert b.ids is not None
    if not (a.ids is b.ids or np.array_equal(a.ids, b.ids)):
        b = replace(b.take(_places(first, a.ids.tolist(), name, b.ids.tolist())), ids=a.ids)
    differ = np.flatnonzero(a.truth[0] != b.truth[0] if a.classes == b.classes else _labels(a) != _labels(b))
    _refuse_contradictions(first, name, a.ids[differ].tolist(), "y_true", "one true label: correct y_true")
    return b


def refuse_other_values(what: str, values: Mapping[str, Iterable[Any]], ids: Mapping[str, Iterable[Any]]) -> None:
    """What is known of the cases of each model, by model as their ids are: the same id must have the same value."""
    (first, known), *others = ((name, dict(zip(ids[name], its, strict=True))) for name, its in values.items())
    for name, its in others:
        differ = [i for i, value in known.items() if i in its and not _same(value, its[i])]
        _refuse_contradictions(first, name, differ, what, "one value: correct it")


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) or (is_missing(one) and is_missing(other))


def _refuse_contradictions(first: str, name: str, ids: list[Any], what: str, its: str) -> None:
    """Two models say something different of the same cases."""
    if ids:
        raise InputError(
            f"{first} and {name} have different {what} for {_ids(ids)}; a case has {its} or {option('ids')}."
        )


def _places(first: str, wanted: list[Any], name: str, ids: list[Any]) -> Array:
    """Where each of the wanted ids stands among those of another model."""
    place = {value: i for i, value in enumerate(ids)}
    at = [place.get(value, -1) for value in wanted]
    lacking = [value for value, i in zip(wanted, at, strict=True) if i < 0] if -1 in at else []
    if not lacking and len(ids) == len(wanted):  # none of either is doubled, so that none can be left over
        return np.array(at)
    known = set(wanted)
    foreign = [value for value in ids if value not in known]
    parts = [f"{name} lacks {_ids(lacking)} of {first}"] if lacking else []
    parts += [f"{name} has {_ids(foreign)}, which {first} lacks"] if foreign else []
    raise InputError(f"{'; '.join(parts)}; give all models the same cases{_other_type(wanted, ids)}.")


def _other_type(wanted: list[Any], ids: list[Any]) -> str:
    """What may be behind ids none of which is known."""
    kinds = [{type(value).__name__ for value in some} for some in (wanted, ids)]
    if kinds[0] & kinds[1]:
        return ""
    return f" (ids are {listed(sorted(kinds[0]))} here and {listed(sorted(kinds[1]))} there: give both in one type)"


def _labels(p: Predictions) -> Array:
    return np.asarray(objects(list(p.classes))[p.truth[0]])


def _ids(values: list[Any]) -> str:
    return f"the id{'s' if len(values) > 1 else ''} {_few(values)}"


def _few(values: list[Any]) -> str:
    """The first five of them, whole: an id that is cut short can't be looked for."""
    return quoted(values, 5, widest=80, room=400)
