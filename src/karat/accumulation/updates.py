"""One update of an accumulator: what was given for each model, checked, and put beside what was given before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from karat.accumulation.group_states import GroupsOfFile, GroupSplit, GroupState, Leaf, split_by
from karat.accumulation.model_states import Frame, KeyState, ModelState
from karat.accumulation.row_states import RowState
from karat.core.errors import InputError, option, quoted
from karat.data import Predictions
from karat.data.named_columns import named_columns

ONLY = ""
"""The name of the model where there is one."""


@dataclass(frozen=True)
class Update:
    """The predictions of each model for some cases."""

    parts: Mapping[str, Predictions]
    frames: Mapping[str, Frame]
    weighted: bool
    split: GroupSplit | None
    """the groups of these cases, if they were given"""

    @classmethod
    def of(cls, y_true: Any, y_proba: Any, y_pred: Any, by: Any, *, sample_weight: Any, **options: Any) -> Update:
        """Checked by the border."""
        given = _by_model(y_proba, y_pred)
        parts = {
            name: Predictions.of(y_true, proba, pred, sample_weight=sample_weight, **options)
            for name, (proba, pred) in given.items()
        }
        for part in parts.values():
            if part.held is not None and not part.probabilities:
                raise InputError(f"{option('y_score')} can't be accumulated; give probabilities or predicted labels.")
        beside = {name: proba is not None and pred is not None for name, (proba, pred) in given.items()}
        frames = {name: Frame.of(p, beside[name]) for name, p in parts.items()}
        split = None if by is None else split_by(_columns(by), next(iter(parts.values())).n)
        return cls(parts, frames, sample_weight is not None, split)

    @property
    def classes(self) -> tuple[Any, ...]:
        """All of them."""
        return next(iter(self.parts.values())).classes

    def beginning(self, keep: bool, paired: bool | None) -> dict[str, ModelState]:
        """The kind of state that fits the first update."""
        models: dict[str, ModelState] = {}
        paired = len(self.parts) > 1 if paired is None else paired
        for name, p in self.parts.items():
            frame = self.frames[name]
            mirrored = p.extent is not None and p.extent.given is not None and len(p.classes) == 2
            place = int(p.extent.given or 0) if mirrored and frame.probabilities and p.extent is not None else None
            plain = place is not None and not (self.weighted or frame.given_decisions)
            if place is not None and plain and len(self.parts) == 1 and p.ids is None and not paired:
                leaf: Leaf = KeyState(frame, place, keep=keep)
            else:
                leaf = RowState(frame, keep=keep, place=place, plain=plain, paired=paired)
            models[name] = leaf
            if self.split is not None:
                models[name] = GroupState(leaf, self.split.columns, untyped=self.split.untyped)
        return models

    def refuse_others(self, states: Mapping[str, ModelState]) -> None:
        """Parts that do not belong together are not added up."""
        if set(self.parts) != set(states):
            raise InputError(
                f"this update has the models {quoted(list(self.parts))} and those before had {quoted(list(states))}; "
                "give the same models each time."
            )
        for name, p in self.parts.items():
            state, frame = states[name], self.frames[name]
            if frame != state.frame:
                raise InputError(f"{_difference(state.frame, frame)}; give the same columns in each update.")
            place, plain = getattr(state, "place", None), getattr(state, "plain", True)
            alike = p.extent is not None and p.extent.given == place and (p.weight is None or not plain)
            identified = isinstance(getattr(state, "empty", state), RowState)
            if place is not None and not (alike and (p.ids is None or identified)):
                more = " and nothing else" if plain else ""
                raise InputError(
                    f"updates before gave one column of probabilities{more}; give the same in each update."
                )

    def refuse_other_groups(self, states: Mapping[str, ModelState]) -> None:
        """Every update has the same columns of groups, or none."""
        for state in states.values():
            before = state.columns if isinstance(state, GroupState) else ()
            now = () if self.split is None else self.split.columns
            if before != now:
                words = [f"by {quoted(columns)}" if columns else "without groups" for columns in (now, before)]
                raise InputError(
                    f"this update is {words[0]} and those before were {words[1]}; give the same columns each time."
                )
            if isinstance(state, GroupState) and self.split is not None:
                state.refuse_many(self.split.keys, len(self.split.places))

    def add_to(self, states: Mapping[str, ModelState], first: int) -> None:
        """Into the states of the models; `first`: the number of the first case among all."""
        for name, part in self.parts.items():
            state = states[name]
            if isinstance(state, GroupState):
                state.add(part, first, self.split)
            else:
                state.add(part, first)

    def only_right(self) -> dict[tuple[str, str], int]:
        """(one, other): on how many cases is the first model right and the second wrong?"""
        if len(self.parts) < 2 or not all(p.decides and p.weight is None for p in self.parts.values()):
            return {}
        right = {name: p.right[0] for name, p in self.parts.items()}
        return {(one, other): int((right[one] & ~right[other]).sum()) for one, other in permutations(right, 2)}


def refuse_unlike(one: Mapping[str, ModelState], other: Mapping[str, ModelState]) -> None:
    """States of other models or of another kind are not added up."""
    if set(one) != set(other):
        raise InputError(
            f"one has the models {quoted(list(one))} and the other {quoted(list(other))}; add up accumulators of the "
            "same models."
        )
    for name, state in one.items():
        theirs = other[name]
        if state.frame != theirs.frame or _kind(state) != _kind(theirs):
            raise InputError(f"{_difference(state.frame, theirs.frame)}; add up accumulators of the same columns.")


def _by_model(y_proba: Any, y_pred: Any) -> dict[str, tuple[Any, Any]]:
    """What was given for each model."""
    named = [x for x in (y_proba, y_pred) if isinstance(x, dict)]
    if not named:
        return {ONLY: (y_proba, y_pred)}
    names = list(named[0])
    alone = any(x is not None and not isinstance(x, dict) for x in (y_proba, y_pred))
    if not names or alone or any(list(x) != names for x in named):
        raise InputError(f"models are given by name: {{name: predictions, ...}}, all of them in {option('y_proba')}.")
    of = [x or dict.fromkeys(names) for x in (y_proba, y_pred)]
    return {str(name): (of[0][name], of[1][name]) for name in names}


def _kind(state: ModelState) -> tuple[Any, ...]:
    """What two states must share to be added up."""
    return type(state), *(getattr(state, name, None) for name in ("place", "plain", "paired", "columns"))


def _columns(by: Any) -> Mapping[str, Any]:
    return by if isinstance(by, GroupsOfFile) else named_columns(by)


def _difference(one: Frame, other: Frame) -> str:
    if one.classes != other.classes:
        return f"classes are {quoted(one.classes)} in one part and {quoted(other.classes)} in another"
    return "one part has predicted labels or probabilities that another lacks"
