"""Which models differ from one control model, by their average ranks?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.errors import InputError, quoted
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_false_alarms
from karat.core.words import PValue, listed, number, p_value
from karat.statistics.p_values import correction as correction_named
from karat.statistics.ranks import RankTable


@dataclass(frozen=True, eq=False, repr=False)
class AgainstControl(Verdict):
    """Each other model against the control: z, p-value and adjusted p-value, the surest first."""

    control: str
    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    """of the other models"""
    control_rank: float
    z: tuple[float, ...]
    """above 0 where the other model ranks better than the control"""
    p_values: tuple[float, ...]
    adjusted: tuple[float, ...]
    correction: str
    n: int
    level: float = 0.05

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        found = list(zip(self.names, self.z, self.adjusted, strict=True))
        better = [m for m, z, p in found if p <= self.level and z > 0]
        worse = [m for m, z, p in found if p <= self.level and z < 0]
        said = [f"{listed(better)} {_are(better)} better than {self.control}"] if better else []
        if worse:
            said.append(f"{listed(worse)} {_are(worse)} worse{'' if better else f' than {self.control}'}")
        if said:
            return f"{' and '.join(said)} ({self.correction.capitalize()} at {number(self.level)})."
        name, _, p = found[0]
        return f"No model can be told apart from {self.control} (the nearest to it: {name}, adjusted {p_value(p)})."

    def to_table(self) -> Table:
        """One row for each model, the surest first."""
        columns: dict[str, list[Any]] = {
            "model": list(self.names),
            "average rank": list(self.average_ranks),
            "z": list(self.z),
            "p": list(map(PValue, self.p_values)),
            "adjusted p": list(map(PValue, self.adjusted)),
        }
        return Table(columns, self.verdict)


def against_control(
    values: Any,
    control: str,
    names: Any = None,
    *,
    lower_is_better: bool = False,
    correction: str = "holm",
    level: float = 0.05,
) -> AgainstControl:
    """Every model against one, by average ranks and the normal law, adjusted for their number by [holm1979] (or another
    correction) as in [demsar2006]: more powerful than Nemenyi's test, which asks about all pairs. `values` as in
    `friedman`.

    >>> found = against_control(
    ...     [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]], "tree", ["tree", "net", "forest"]
    ... )
    >>> found.verdict
    'forest is better than tree (Holm at .05).'
    """
    from scipy.special import ndtr

    checked_false_alarms(level)
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    if control not in ranked.names:
        raise InputError(f"there is no model {control!r} to be the control; name one of {quoted(ranked.names, 8)}.")
    at = ranked.names.index(control)
    z = (ranked.average[at] - ranked.average) / ranked.standard_error
    p = 2 * ndtr(-np.abs(z))
    others = sorted((j for j in range(ranked.k) if j != at), key=lambda j: p[j])
    adjusted = correction_named(correction)(p[others])
    return AgainstControl(
        control,
        tuple(ranked.names[j] for j in others),
        tuple(ranked.average[others].tolist()),
        float(ranked.average[at]),
        tuple(z[others].tolist()),
        tuple(p[others].tolist()),
        tuple(adjusted.tolist()),
        correction,
        ranked.n,
        level,
    )


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
