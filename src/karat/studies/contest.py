"""Results of a contest of measures: choices, regrets, wins and losses, ranks; as tables and figures, with intervals.

Values are arrays [rounds, classifiers, measures], higher being better, nan where undefined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy.special import ndtri

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Tables
from karat.core.table import Table
from karat.core.words import percent
from karat.intervals.rate_interval import wilson
from karat.statistics.ranks import mid_ranks, places

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


def choices(values: Array, rng: np.random.Generator | None = None) -> Array:
    """The classifier that each measure chooses in each round, [rounds, measures]: the best, of equals the first, or any
    of them if random numbers are given. One whose value is undefined is chosen only if all are."""
    known = np.where(np.isnan(values), -np.inf, values)
    best = known.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        tied = (known == best) | (best - known <= TOLERANCE)
    if rng is None:
        return np.asarray(tied.argmax(axis=1))
    rounds, classifiers, _ = values.shape
    luck = rng.random((rounds, classifiers))[:, :, None]
    return np.asarray(np.where(tied, luck, -1.0).argmax(axis=1))


def regrets(arbiter: Array, choice: Array) -> Array:
    """What each choice lacks to the best, [rounds, arbiters, measures]; nan in rounds in which the arbiter is undefined
    for a classifier. `arbiter` are the values on other cases than those of the choice."""
    finite = np.isfinite(arbiter).all(axis=1)
    best = np.where(finite, arbiter.max(axis=1), np.nan)
    got = np.take_along_axis(arbiter, choice[:, :, None], axis=1)  # [rounds, measures, arbiters]
    return np.asarray(best[:, :, None] - got.transpose(0, 2, 1))


def sign(a: Array, b: Array) -> Array:
    """1 where the regret a is smaller than b, -1 where it is larger, 0 where they are equal, nan where unknown."""
    gap = b - a
    return np.where(np.abs(gap) <= TOLERANCE, 0.0, np.sign(gap))


@dataclass(frozen=True, eq=False)
class Shares:
    """Of one data set: how often each measure's choice is better than each other's, by each arbiter."""

    win: Array
    loss: Array
    """[arbiters, measures, measures]: the first against the second"""
    rounds: Array
    """[arbiters]: in which the arbiter is defined"""
    own: Array
    """[arbiters]: a measure's wins less losses against all others, itself being the arbiter, mean over rounds"""
    own_variance: Array
    """of one round"""

    @classmethod
    def of(cls, regret: Array) -> Shares:
        """From regrets [rounds, arbiters, measures]; measure i is arbiter i."""
        _, arbiters, measures = regret.shape
        win, loss = np.zeros((2, arbiters, measures, measures))
        rounds, own, variance = np.zeros(arbiters), np.full(arbiters, np.nan), np.full(arbiters, np.nan)
        for a in range(arbiters):
            r = regret[:, a]
            r = r[~np.isnan(r).any(axis=1)]
            rounds[a] = len(r)
            if not len(r):
                win[a] = loss[a] = np.nan
                continue
            for i in range(measures):
                score = sign(r[:, i, None], r)
                win[a, i], loss[a, i] = (score > 0).mean(axis=0), (score < 0).mean(axis=0)
                if i == a and measures > 1:
                    mine = score.sum(axis=1) / (measures - 1)
                    own[a], variance[a] = mine.mean(), mine.var()
        return cls(win, loss, rounds, own, variance)


def mean_regrets(regret: Array, rng: np.random.Generator, replicates: int) -> tuple[Array, Array]:
    """Mean regret over the rounds, [arbiters, measures]; and that of bootstrap replicates of the rounds, with a leading
    axis."""
    known: Array = ~np.isnan(regret).any(axis=2)  # type: ignore[assignment]
    n = len(regret)
    flat = np.where(known[:, :, None], regret, 0.0).reshape(n, -1)

    def mean(weight: Array) -> Array:
        total = (weight @ flat).reshape(len(weight), *regret.shape[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / (weight @ known.astype(float))[:, :, None])

    drawn = rng.integers(0, n, (replicates, n)) + n * np.arange(replicates)[:, None]
    weight = np.bincount(drawn.ravel(), minlength=replicates * n).reshape(replicates, n).astype(float)
    return mean(np.ones((1, n)))[0], mean(weight)


def ranks(regret: Array) -> Array:
    """Ranks along the last axis: 1 for the least mean regret, equal ones share their mean rank; nan if unknown."""
    unknown = np.isnan(regret).any(axis=-1, keepdims=True)
    mean_ranks, _ = mid_ranks(places(np.where(unknown, 0.0, regret)))
    return np.where(unknown, np.nan, mean_ranks)


@dataclass(frozen=True, eq=False)
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

    def _triples(self) -> Iterator[tuple[str, str, str, int, int, int]]:
        """Arbiter, first and second measure, and their places."""
        for a, (i, j) in product(range(len(self.names)), permutations(range(len(self.names)), 2)):
            yield self.names[a], self.names[i], self.names[j], a, i, j

    def _stacked(self, name: str) -> Array:
        return np.stack([getattr(shares, name) for shares in self.shares.values()])

    def _pairs(self) -> Table:
        win, loss, rounds = (self._stacked(name) for name in ("win", "loss", "rounds"))
        rows = []
        for arbiter, first, second, a, i, j in self._triples():
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
        note = f"mean of {len(self.shares)} data sets; ahead is win - loss, with its {percent(self.level)} interval"
        return Table.of(rows, f"how often the choice of the first measure is better than that of the second: {note}")

    def _of_each_set(self) -> Table:
        rows = []
        for (name, s), (arbiter, first, second, a, i, j) in product(self.shares.items(), list(self._triples())):
            n, w, l = float(s.rounds[a]), float(s.win[a, i, j]), float(s.loss[a, i, j])
            w_ends, l_ends = (wilson(x * n, n, self.level) if n else (np.nan, np.nan) for x in (w, l))
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
        title = f"ranks by mean regret, mean of {len(self.shares)} data sets, {percent(self.level)} bootstrap intervals"
        return Table.of(rows, title), Table.of(wide, "ranks on each data set")

    def _findings(self, mean: Table) -> Table:
        rows = []
        own, variance, rounds = (self._stacked(name) for name in ("own", "own_variance", "rounds"))
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
        group = "areas" if "areas" in mean.columns["group"] else "all"
        for row in mean.records if set(GROUPS["areas"]) <= set(self.names) else ():
            if (row["group"], row["arbiter"]) == (group, "rpCEN") and row["measure"] in PCEN:
                low, high = row["low"], row["high"]
                within, outside = low > 1 and high < 2, high <= 1 or low >= 2
                areas = [self.names.index(s) for s in GROUPS["areas"]]
                each = ranks(self.regret[:, self.names.index("rpCEN")][:, areas])
                mine = each[:, GROUPS["areas"].index(row["measure"])]
                rows.append(
                    {
                        "finding": BETWEEN, "measure": row["measure"], "value": row["mean rank"],
                        "low": low, "high": high,
                        "verdict": CONFIRMED if within else REFUTED if outside else OPEN,
                        "sets for": int((mine <= 2).sum()), "sets against": int((mine > 2).sum()),
                    }
                )  # fmt: skip
        return Table.of(
            rows, "the findings of the paper, with intervals: wins less losses against all others, and mean ranks"
        )


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
    from karat.diagrams import Ranks

    pairs = {(r["arbiter"], r["first"], r["second"]): r for r in tables["pairs"].records}
    bars: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for _, arbiter, firsts, seconds in FIGURES:
        for i, j in product(firsts, seconds):
            if (arbiter, i, j) in pairs:
                bars.setdefault(arbiter, []).append((f"{i} against {j}", pairs[arbiter, i, j]))
    on_sets: dict[tuple[str, str, str], list[tuple[str, dict[str, Any]]]] = {}
    for r in tables["figures"].records:
        if r["arbiter"] in (r["first"], r["second"]) and r["rounds"]:
            on_sets.setdefault((r["arbiter"], r["first"], r["second"]), []).append((r["data set"], r))
    diagrams: dict[str, Any] = {}
    for arbiter, rows in bars.items():
        diagrams[f"bars-{arbiter}"] = _bars(rows, f"arbiter: {arbiter}")
    for (arbiter, i, j), rows in on_sets.items():
        diagrams[f"sets-{arbiter}-{i}-{j}"] = _bars(rows, f"{i} against {j}, arbiter: {arbiter}")
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


def _bars(rows: list[tuple[str, dict[str, Any]]], name: str) -> Any:
    from karat.diagrams import WinLossEqualFigure

    columns: dict[str, Any] = {"name": [label for label, _ in rows]}
    columns |= {key: [row[key] for _, row in rows] for key in ("win", "loss", "low", "high")}
    return WinLossEqualFigure.from_table(columns, name=name)
