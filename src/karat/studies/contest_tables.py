"""The answers of a contest of measures as tables and figures, each number with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from karat.core.arithmetic import Array
from karat.core.study import Tables
from karat.core.table import Table
from karat.intervals.wilson import wilson
from karat.studies.inputs import table
from karat.studies.rounds import Shares, mean_regrets, ranks

PCEN = ("rpCEN", "pCEN")
AREAS = ("AUNU", "AUNP", "AU1U", "AU1P")
GROUPS = {"areas": (*PCEN, *AREAS), "errors": (*PCEN, "MAE", "MSE")}
"""Measures that the paper ranks together: Figures 5 and 6, and Figure 8."""
FIGURES = [
    *(("1", a, ("pCEN",), (b,)) for b in ("Acc", "CEN") for a in ("pCEN", b)),
    *((f, a, PCEN, AREAS) for f, pair in (("2", PCEN), ("3", AREAS[:2]), ("4", AREAS[2:])) for a in pair),
    *(("7", a, PCEN, ("MAE", "MSE")) for a in ("pCEN", "rpCEN", "MAE", "MSE")),
]
"""Figure, arbiter, and who is set against whom."""
HEADS = ["data set", "arbiter", "first", "second", "win", "loss", "equal"]
HEADS += ["win low", "win high", "loss low", "loss high", "rounds", "low", "high"]
CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "open"
OWN = "wins under its own arbiter"
BETWEEN = "mean rank between 1 and 2 under rpCEN"


@dataclass(frozen=True)
class Contests:
    """What all data sets tell."""

    names: tuple[str, ...]
    level: float
    shares: dict[str, Shares]
    regret: Array
    """[data sets, arbiters, measures]: mean over the rounds"""
    drawn: Array
    """[replicates, data sets, arbiters, measures]: of bootstrap replicates of the rounds"""

    @classmethod
    def of(
        cls, held: Mapping[str, tuple[Array, np.random.Generator]], names: Sequence[str], level: float, replicates: int
    ) -> Contests:
        """From the regrets [rounds, arbiters, measures] of each data set, and random numbers for its replicates."""
        shares = {name: Shares.of(regret) for name, (regret, _) in held.items()}
        means = [mean_regrets(regret, rng, replicates) for regret, rng in held.values()]
        drawn = np.stack([m[1] for m in means], axis=1)
        return cls(tuple(names), level, shares, np.stack([m[0] for m in means]), drawn)

    @property
    def z(self) -> float:
        return float(ndtri((1 + self.level) / 2))

    def tables(self) -> Tables:
        """The findings first."""
        mean, wide = self._ranks()
        sets = self._of_each_set()
        return {
            "findings": self._findings(mean),
            "pairs": self._pairs(),
            "ranks": mean,
            "ranks_of_sets": wide,
            "figures": _of_figures(sets),
            "sets": sets,
        }

    def _spread(self, mean: Array, variance: Array, rounds: Array) -> tuple[float, float, float]:
        """A mean over data sets of means over rounds, and its interval; sets without a round are left out."""
        held = (rounds > 0) & ~np.isnan(mean)
        if not held.any():
            return np.nan, np.nan, np.nan
        value = float(mean[held].mean())
        half = self.z * float(np.sqrt((variance[held] / rounds[held]).sum())) / int(held.sum())
        return value, value - half, value + half

    def _share(self, share: Array, rounds: Array) -> tuple[float, float, float]:
        """A mean share and Wilson's interval as if all rounds were of one data set: no narrower than it has to be, as
        rounds of different sets vary less about their own shares."""
        held = rounds > 0
        if not held.any():
            return np.nan, np.nan, np.nan
        value, n = float(share[held].mean()), float(rounds[held].sum())
        return value, *wilson(value * n, n, self.level)

    def _pairs(self) -> Table:
        win, loss, rounds = (np.stack([getattr(s, f) for s in self.shares.values()]) for f in ("win", "loss", "rounds"))
        rows = []
        for a, arbiter in enumerate(self.names):
            for i, first in enumerate(self.names):
                for j, second in enumerate(self.names):
                    if i == j:
                        continue
                    w, l, n = win[:, a, i, j], loss[:, a, i, j], rounds[:, a]
                    ahead, low, high = self._spread(w - l, w + l - (w - l) ** 2, n)
                    wins, losses = self._share(w, n), self._share(l, n)
                    sure = self.z * np.sqrt(np.maximum(w + l - (w - l) ** 2, 0) / np.maximum(n, 1))
                    rows.append(
                        {
                            "arbiter": arbiter, "first": first, "second": second, "win": wins[0], "loss": losses[0],
                            "equal": 1 - wins[0] - losses[0], "ahead": ahead, "low": low, "high": high,
                            "win low": wins[1], "win high": wins[2], "loss low": losses[1], "loss high": losses[2],
                            "sets won": int((w - l > sure).sum()), "sets lost": int((l - w > sure).sum()),
                        }
                    )  # fmt: skip
        note = f"mean of {len(self.shares)} data sets; ahead = win - loss with its interval of {self.level:.0%}"
        return table(rows, f"how often the choice of the first is better than that of the second: {note}")

    def _of_each_set(self) -> Table:
        rows = []
        for name, s in self.shares.items():
            for a, arbiter in enumerate(self.names):
                n = float(s.rounds[a])
                for i, first in enumerate(self.names):
                    for j, second in enumerate(self.names):
                        if i == j:
                            continue
                        w, l = float(s.win[a, i, j]), float(s.loss[a, i, j])
                        unknown = (np.nan, np.nan)
                        w_ends = wilson(w * n, n, self.level) if n else unknown
                        l_ends = wilson(l * n, n, self.level) if n else unknown
                        half = self.z * math.sqrt(max(w + l - (w - l) ** 2, 0) / n) if n else np.nan
                        ahead = (w - l - half, w - l + half)
                        rows.append((name, arbiter, first, second, w, l, 1 - w - l, *w_ends, *l_ends, int(n), *ahead))
        columns = {h: list(c) for h, c in zip(HEADS, zip(*rows, strict=True), strict=True)}
        return Table(
            columns, "shares of rounds of each data set; intervals of win and loss, and (low, high) of win - loss"
        )

    def _groups(self) -> dict[str, list[int]]:
        groups = {"all": list(range(len(self.names)))}
        for group, symbols in GROUPS.items():
            if set(symbols) <= set(self.names) and set(symbols) != set(self.names):
                groups[group] = [self.names.index(s) for s in symbols]
        return groups

    def _ranks(self) -> tuple[Table, Table]:
        rows, wide = [], []
        ends = [(1 - self.level) / 2, (1 + self.level) / 2]
        for group, which in self._groups().items():
            rank, drawn = ranks(self.regret[:, :, which]), ranks(self.drawn[..., which])
            for a, arbiter in enumerate(self.names):
                for k, i in enumerate(which):
                    mine = rank[:, a, k]
                    held = ~np.isnan(mine)
                    replicated = drawn[:, held, a, k].mean(axis=1) if held.any() else np.array([np.nan])
                    low, high = np.nanquantile(replicated, ends) if held.any() else (np.nan, np.nan)
                    rows.append(
                        {
                            "group": group, "arbiter": arbiter, "measure": self.names[i],
                            "mean rank": float(mine[held].mean()) if held.any() else np.nan,
                            "low": float(low), "high": float(high),
                            "best": float(mine[held].min()) if held.any() else np.nan,
                            "worst": float(mine[held].max()) if held.any() else np.nan,
                            "mean regret": float(np.nanmean(self.regret[held, a, i])) if held.any() else np.nan,
                        }
                    )  # fmt: skip
                    each = dict(zip(self.shares, mine.tolist(), strict=True))
                    wide.append({"group": group, "arbiter": arbiter, "name": self.names[i], **each})
        title = (
            f"ranks of mean regrets, mean of {len(self.shares)} data sets, interval of {self.level:.0%} by bootstrap"
        )
        return table(rows, title), table(wide, "ranks on each data set")

    def _findings(self, mean: Table) -> Table:
        rows = []
        own, variance, rounds = (
            np.stack([getattr(s, f) for s in self.shares.values()]) for f in ("own", "own_variance", "rounds")
        )
        for a, name in enumerate(self.names):
            value, low, high = self._spread(own[:, a], variance[:, a], rounds[:, a])
            sure = self.z * np.sqrt(variance[:, a] / np.maximum(rounds[:, a], 1))
            rows.append(
                {
                    "finding": OWN, "measure": name, "value": value, "low": low, "high": high,
                    "verdict": CONFIRMED if low > 0 else REFUTED if high < 0 else OPEN,
                    "sets for": int((own[:, a] > sure).sum()), "sets against": int((own[:, a] < -sure).sum()),
                }
            )  # fmt: skip
        place = [mean.columns[c] for c in ("group", "arbiter", "measure", "mean rank", "low", "high")]
        group = "areas" if "areas" in mean.columns["group"] else "all"
        for g, arbiter, name, value, low, high in zip(*place, strict=True):
            if g == group and arbiter == "rpCEN" and name in PCEN and set(GROUPS["areas"]) <= set(self.names):
                within, outside = low > 1 and high < 2, high <= 1 or low >= 2
                each = ranks(
                    self.regret[:, self.names.index("rpCEN")][:, [self.names.index(s) for s in GROUPS["areas"]]]
                )
                mine = each[:, GROUPS["areas"].index(name)]
                rows.append(
                    {
                        "finding": BETWEEN, "measure": name, "value": value, "low": low, "high": high,
                        "verdict": CONFIRMED if within else REFUTED if outside else OPEN,
                        "sets for": int((mine <= 2).sum()), "sets against": int((mine > 2).sum()),
                    }
                )  # fmt: skip
        return table(rows, "what the paper found, with intervals: wins less losses against all others, and mean ranks")


def _of_figures(sets: Table) -> Table:
    """The bars of the paper's figures."""
    wanted: dict[tuple[str, str, str], str] = {}
    for figure, arbiter, firsts, seconds in FIGURES:
        wanted |= {(arbiter, i, j): figure for i in firsts for j in seconds}
    heads = list(sets.columns)
    kept = [(wanted[row[1], row[2], row[3]], *row) for row in sets.rows if (row[1], row[2], row[3]) in wanted]
    kept.sort(key=lambda row: row[0])
    columns = {h: [row[i] for row in kept] for i, h in enumerate(["figure", *heads])}
    return Table(columns, "the bars of Figures 1 to 4 and 7: each pair and arbiter on each data set")


def figures(tables: Tables) -> dict[str, Any]:
    """Bars for each arbiter of the paper, means over data sets, and on each set where the arbiter takes part; ranks for
    each of its groups and arbiters."""
    from karat.diagrams import Ranks, WinLossEqual

    pairs = {(r[0], r[1], r[2]): dict(zip(tables["pairs"].columns, r, strict=True)) for r in tables["pairs"].rows}
    bars: dict[str, dict[str, Any]] = {}
    for _, arbiter, firsts, seconds in FIGURES:
        for i in firsts:
            for j in seconds:
                if (arbiter, i, j) in pairs:
                    bars.setdefault(arbiter, {})[f"{i} against {j}"] = pairs[arbiter, i, j]
    diagrams: dict[str, Any] = {}
    for arbiter, rows in bars.items():
        columns: dict[str, Any] = {"name": list(rows)}
        columns |= {key: [row[key] for row in rows.values()] for key in ("win", "loss", "low", "high")}
        diagrams[f"bars-{arbiter}"] = WinLossEqual.from_table(columns, name=f"arbiter: {arbiter}")
    on_sets: dict[tuple[str, str, str], list[list[Any]]] = {}
    for row in tables["figures"].rows:
        if row[2] in (row[3], row[4]) and row[12]:
            on_sets.setdefault((row[2], row[3], row[4]), []).append(row)
    for (arbiter, first, second), listed in on_sets.items():
        parts = zip(("name", "win", "loss", "low", "high"), (1, 5, 6, 13, 14), strict=True)
        columns = {key: [row[i] for row in listed] for key, i in parts}
        label = f"{first} against {second}, arbiter: {arbiter}"
        diagrams[f"sets-{arbiter}-{first}-{second}"] = WinLossEqual.from_table(columns, name=label)
    wide, mean = tables["ranks_of_sets"], tables["ranks"]
    spans = {(r[0], r[1], r[2]): (r[4], r[5]) for r in mean.rows}
    for group in dict.fromkeys(wide.columns["group"]):
        for arbiter in GROUPS.get(group, ()):
            rows_here = [r for r in wide.rows if r[0] == group and r[1] == arbiter]
            sets = [i for i in range(3, len(wide.columns)) if not any(np.isnan(r[i]) for r in rows_here)]
            if rows_here and sets:
                ranked = {r[2]: [r[i] for i in sets] for r in rows_here}
                against = [list(wide.columns)[i] for i in sets]
                ends = {r[2]: spans[group, arbiter, r[2]] for r in rows_here}
                diagrams[f"ranks-{group}-{arbiter}"] = Ranks.of(
                    ranked, against=against, intervals=ends, name=f"arbiter: {arbiter}"
                )
    return diagrams
