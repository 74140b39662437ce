"""The page's script as a path to numbers: what it computes from a page's data under random operating conditions, beside
what karat says of the same decisions. `python tests/paths/page_script.py FIRST COUNT` prints what differs."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import karat
from karat.page.content import Content
from karat.page.json_numbers import embedded
from karat.page.payload import page_data
from karat.page.plain_thresholds import UNSEEN

sys.path.insert(0, str(Path(__file__).parents[1]))
from paths.paths import Random, far

STATIC = Path(karat.__file__).parent / "page" / "static"
EC = karat.catalogue.measures["EC"]
ASK = """
const asked = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const P = globalThis.karatPoints, C = globalThis.karatConditions;
const answers = asked.map(({ data, conditions, cost, prior }) => ({
  points: P.rated(data).map((klass) => conditions.map((c) => ["threshold", "best"].map((mode) =>
    P.operating(klass, { ...c, mode, shown: new Set(data.models.map((_, i) => i)) })))),
  reigns: P.rated(data).map((klass) => C.reigns(klass.models.map((m) => ({ name: m.name, points: m.vertices })))),
  priced: data.priced && data.priced.tables.map((t) => C.expectedCostOf(t.cells, cost, prior)),
}));
console.log(JSON.stringify(answers));
"""


def answers(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the script says, in node."""
    files = ("names.js", "conditions.js", "points.js")
    code = "".join(f"require({json.dumps(str(STATIC / file))});" for file in files) + ASK
    done = subprocess.run(["node", "-e", code], input=json.dumps(asked), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def priced(c: dict[str, Any]) -> list[list[float]]:
    """Costs by truth and decision, gains negative."""
    return [[-c["pass"], c["alarm"]], [c["miss"], -c["hit"]]]


class Problem:
    """Two models on the same cases, and conditions under which they are used."""

    def __init__(self, seed: int) -> None:
        self.first = Random.of(seed)
        rng = np.random.default_rng([79, seed])
        mixed = (self.first.p + rng.dirichlet(np.ones(self.first.k), len(self.first.y))) / 2
        self.second = Random(self.first.y, mixed, self.first.w, self.first.k)
        self.models = {"a": self.first.evaluated(), "b": self.second.evaluated()}
        keys = ("alarm", "miss", "hit", "pass")
        self.conditions = [
            {"prevalence": rng.random(), "step": int(rng.integers(101)), "cases": int(rng.integers(1, 10**6))}
            | {key: float(rng.random() * 10 ** rng.uniform(-2, 2)) for key in keys}
            for _ in range(3)
        ]
        self.cost = rng.random((self.first.k, self.first.k)).tolist()
        self.prior = rng.dirichlet(np.ones(self.first.k)).tolist()
        content = Content.of(self.models, intervals=False, replicates=10)
        self.data = json.loads(embedded(page_data(content)))
        self.asked = {"data": self.data, "conditions": self.conditions, "cost": self.cost, "prior": self.prior}

    def against_rest(self, data: Random, place: int, cut: float | None) -> karat.Evaluation:
        """A class against the rest: decisions from a threshold on, or its probabilities."""
        own, score = (data.y == place).astype(int), data.p[:, place]
        given: dict[str, Any] = (
            {"y_proba": np.column_stack([1 - score, score])} if cut is None else {"y_pred": (score >= cut).astype(int)}
        )
        return karat.evaluate(own, **given, labels=[0, 1], positive=1, sample_weight=data.w)

    def of_point(self, e: karat.Evaluation, c: dict[str, Any]) -> dict[str, float]:
        """What karat says of decisions under a condition."""
        restated = e.at_prevalence(c["prevalence"])
        mean = float(restated[EC.at(cost=priced(c))])
        rates = {"tpr": float(restated["TPR"]), "fpr": float(restated["FPR"]), "precision": float(restated["PPV"])}
        return rates | {"cost": mean, "profit": -mean * c["cases"]}

    def excess(self, data: Random, place: int, c: dict[str, Any], cost: float) -> float:
        """By how much the page's best threshold costs more than the best one and the share that a short number may."""
        prior = [1 - c["prevalence"], c["prevalence"]]
        best = self.against_rest(data, place, None).operating(cost=priced(c), prior=prior).threshold
        assert best is not None
        (tn, fp), (fn, tp) = best.matrix
        alarms, misses = prior[0] * (c["alarm"] + c["pass"]), prior[1] * (c["miss"] + c["hit"])
        errors = alarms * fp / (tn + fp) + misses * fn / (fn + tp)
        return max(cost - best.cost - UNSEEN * errors, best.cost - cost, 0.0)

    def differences(self, said: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
        """Everything that the script says, beside karat."""
        for r, of_class in zip(self.data["rest"], said["points"], strict=True):
            for c, (at_step, best) in zip(self.conditions, of_class, strict=True):
                for data, point, other in zip((self.first, self.second), at_step, best, strict=True):
                    cuts = self.data["thresholds"][c["step"]], other["threshold"]
                    for p, cut in zip((point, other), cuts, strict=True):
                        e = self.against_rest(data, r["class"], np.inf if cut is None else cut)
                        for name, value in self.of_point(e, c).items():
                            yield f"{name} of class {r['class']} from {cut} on", value, p[name]
                    yield "excess of cost", 0.0, self.excess(data, r["class"], c, other["cost"])
        for m in self.data["measures"]:
            for e, value in zip(self.models.values(), m["values"], strict=True):
                yield m["symbol"], float(e[m["symbol"]]), value
        for e, value in zip(self.models.values(), said["priced"] or (), strict=bool(said["priced"])):
            yield "EC of all classes", float(e[EC.at(cost=self.cost, prior=self.prior)]), value
        if self.first.k == 2 and said["reigns"]:
            regions = karat.dominance(self.models, replicates=0).regions
            yield "number of regions", float(len(regions)), float(len(said["reigns"][0]))
            for region, other in zip(regions, said["reigns"][0], strict=False):
                yield "end of a region", region.end, other["to"]
                yield f"best before {region.end}: {region.best}", 1.0, float(other["best"] == list(region.best))


def compared(seeds: Sequence[int]) -> tuple[int, list[dict[str, Any]]]:
    """How many numbers were compared, and what differs."""
    problems = [Problem(seed) for seed in seeds]
    count, different = 0, []
    for seed, problem, said in zip(seeds, problems, answers([p.asked for p in problems]), strict=True):
        for what, here, there in problem.differences(said):
            count += 1
            other = float("nan") if there is None else there
            if far(here, other):
                different.append({"seed": seed, "what": what, "karat": here, "page": other})
    return count, different


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    first, most = int(sys.argv[1]), int(sys.argv[2])
    numbers = 0
    for start in range(first, first + most, 20):
        some, wrong = compared(range(start, min(start + 20, first + most)))
        numbers += some
        for line in wrong:
            print(json.dumps(line), flush=True)
    print(json.dumps({"problems": most, "numbers": numbers}))
