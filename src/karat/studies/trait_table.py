"""What is each measure influenced by? Tried, declared and printed, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.core.measure import Invariance, Trait
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import whole
from karat.studies.inputs import batchable, headline, measures_of, table
from karat.studies.traits import EXPERIMENTS, applies, changed

T, K, R, F, D = Trait
# fmt: off
PRINTED: dict[str, tuple[tuple[Trait, ...], dict[str, str]]] = {
    "ferri2009": ((T, K, R, F), {
        "Acc": "yes no no yes", "KapS": "yes no no yes", "MFM": "yes no no partially", "MAvA": "yes no no no",
        "MAvG": "yes no no no", "AU1U": "no no yes no", "AU1P": "no no yes yes", "AUNU": "no no yes no",
        "AUNP": "no no yes yes", "SAUC": "no yes yes no", "PAUC": "no yes yes no", "MAPR": "no yes yes no",
        "MPR": "no yes yes yes", "MAE": "no yes yes yes", "MSE": "no yes yes yes", "LogL": "no yes yes yes",
        "CalL": "no yes yes no", "CalB": "no yes yes yes",
    }),
    "wang2013": ((T, K, R, F, D), {
        "Acc": "yes no no yes no", "RCI": "yes no no no yes", "AU1U": "no no yes no no", "AU1P": "no no yes yes no",
        "AUNU": "no no yes no no", "AUNP": "no no yes yes no", "PAUC": "no yes yes no no", "SAUC": "no yes yes no no",
        "MSE": "no yes yes yes yes", "MAE": "no yes yes yes no", "pCEN": "yes yes no yes yes",
        "rpCEN": "yes yes no no yes", "CEN": "yes no no yes yes", "rCEN": "yes no no no yes",
    }),
}
# fmt: on
"""Table 1 of Ferri et al. (2009) and Table 8 of Wang et al. (2013): is the measure influenced by these traits?"""

CRISP = "true only of how wrong decisions are spread over the classes, not of probabilities"
AREA = "probability moved between wrong classes changes the order of other classes' cases; so does the paper's own M3"
WHY: dict[tuple[str, str, Trait], str] = {
    ("ferri2009", "AUNU", F): "the mixture of the other classes changes; true for two classes only",
    ("ferri2009", "CalL", F): "the share of a class in each segment changes, as section 6.4 of the paper says itself",
    ("wang2013", "RCI", F): "mutual information and entropy change when a class is repeated",
    ("wang2013", "RCI", D): CRISP,
    ("wang2013", "AU1U", D): AREA,
    ("wang2013", "AU1P", D): AREA,
    ("wang2013", "AUNU", F): "the mixture of the other classes changes; true for two classes only",
    ("wang2013", "AUNU", D): AREA,
    ("wang2013", "AUNP", D): AREA,
    ("wang2013", "SAUC", D): AREA,
    ("wang2013", "pCEN", T): "it never looks at a decision",
    ("wang2013", "rpCEN", T): "it never looks at a decision",
    ("wang2013", "pCEN", R): "exchanging the probabilities of cases with the same decision changes it, as it does MAE",
    ("wang2013", "rpCEN", R): "exchanging the probabilities of cases with the same decision changes it, as it does MAE",
    ("wang2013", "CEN", D): CRISP,
    ("wang2013", "rCEN", D): CRISP,
}
"""Why a printed cell is not what shows."""


@study(name="traits", cite="ferri2009", aliases=("taxonomy",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Traits(Study):
    """What is each measure influenced by, what leaves it as it is, and where do printed tables say otherwise?

    Each round changes one thing in a random problem of four classes and keeps the rest; a measure has a trait if its
    value ever changes, and an invariance if it never does.
    """

    size: ClassVar[str] = "rounds"
    measures: Any = None
    rounds: int = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        measures = measures_of(self.measures, headline(batchable), lambda m: "")
        self._set(measures=measures, rounds=whole("rounds", self.rounds))

    def units(self) -> list[str]:
        """Rounds."""
        return [f"round-{i:05d}" for i in range(self.rounds)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Did it change? [measures, experiments]."""
        changes = changed(list(self.measures), rng)
        return {"changed": np.array([[changes[m.symbol, what] for what, _ in EXPERIMENTS] for m in self.measures])}

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Traits and invariances as they show, whether they were declared, and the printed cells."""
        shows = np.any([p["changed"] for p in parts.values()], axis=0)
        seen = {
            (m.symbol, what): bool(shows[i, j])
            for i, m in enumerate(self.measures)
            for j, (what, _) in enumerate(EXPERIMENTS)
        }
        rows = []
        for m in self.measures:
            traits = {t for t in Trait if seen[m.symbol, t]}
            kept = {i for i in Invariance if applies(i, m) and not seen[m.symbol, i]}
            row: dict[str, Any] = {"measure": m.symbol}
            row |= {t.name.lower(): "yes" if t in traits else "no" for t in Trait}
            row |= {"invariant under": " ".join(i for i in Invariance if i in kept)}
            rows.append(row | {"as declared": traits == m.traits and kept == m.invariant})
        return {"traits": table(rows, f"as they show in {self.rounds} rounds"), "printed": self._printed(seen)}

    def _printed(self, seen: dict[tuple[str, Any], bool]) -> Table:
        columns = ("paper", "measure", "trait", "printed", "shows", "verdict", "why")
        cells: list[tuple[Any, ...]] = []
        symbols = {m.symbol for m in self.measures}
        for paper, (traits, printed) in PRINTED.items():
            for symbol, words in printed.items():
                for trait, word in zip(traits, words.split(), strict=True):
                    if symbol in symbols:
                        shows = "yes" if seen[symbol, trait] else "no"
                        right = (word != "no") == seen[symbol, trait]
                        why = "" if right else WHY.get((paper, symbol, trait), "")
                        cells.append(
                            (paper, symbol, trait.name.lower(), word, shows, "agrees" if right else "wrong", why)
                        )
        return Table({name: [c[i] for c in cells] for i, name in enumerate(columns)}, "printed tables of traits")
