"""`karat.advise`: from the task to a short list of measures and diagrams, each with its reason and its source."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import signature
from numbers import Real
from textwrap import fill
from typing import Any

from karat.advice.guidelines import CIRCUMSTANCES, GOALS, GUIDELINES, INTERCHANGEABLE, Circumstance, Goal, Predicted
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.measure import FREQUENCIES, Measure, measures
from karat.core.record import Record
from karat.core.references import references
from karat.core.statistic import Needs
from karat.core.table import Table
from karat.core.validation import number_between, whole
from karat.decisions.prevalence import observed_shares
from karat.findings.decision_checks import FEW_CASES_OF_A_CLASS
from karat.findings.ranking_checks import RARE_CLASS_SHARE
from karat.statistics.summary import summary_of

UNEVEN_SHARE = 0.5
"""The smallest class has less than this part of an equal share: imbalanced."""
WIDTH = 120
"""Of the printed form."""
MOST_OF_ONE_GOAL, MOST_OF_EACH_GOAL = 4, 2
"""How many measures are advised for one goal, and for each of several; of diagrams one more."""
OUTPUTS = {"decisions": Needs.DECISIONS, "scores": Needs.SCORES, "probabilities": Needs.PROBABILITIES}
PURPOSES = {
    "classify": "class predictions",
    "rank": "ranking",
    "probability": "probabilities",
    "contact": "contacting the top of the ranking",
}
"""Goals in words."""
NEEDED = {
    Predicted.CLASSES: Needs.DECISIONS,
    Predicted.RANKINGS: Needs.SCORES,
    Predicted.PROBABILITIES: Needs.PROBABILITIES,
}


@dataclass(frozen=True)
class Task(Record):
    """What is known of a task; None is unknown. Its fields are the parameters of `karat.advise`."""

    classes: int = 2
    outputs: str = "probabilities"
    balance: float | None = None
    n: float | None = None
    costs: bool | None = None
    frequencies_change: bool = False
    noisy_labels: bool = False
    distorted: bool = False
    decision: str | None = None

    def circumstances(self) -> Iterator[Circumstance]:
        """What speaks for some measures and against others."""
        share, n = self.balance, self.n
        here = {
            "label noise": self.noisy_labels,
            "distorted probabilities": self.distorted,
            "few cases of a class": share is not None and n is not None and share * n < FEW_CASES_OF_A_CLASS,
            "imbalanced": share is not None and share < UNEVEN_SHARE / self.classes,
            "rare positive": share is not None and share < RARE_CLASS_SHARE and self.classes == 2,
            "frequencies change": self.frequencies_change,
            "costs known": self.costs is True,
            "costs unknown": self.costs is False,
        }
        return (c for c in CIRCUMSTANCES if here[c.name])


@dataclass(frozen=True)
class Advised(Record):
    """A measure or a diagram, the reason, and its source."""

    name: str
    """symbol of a measure, name of a diagram"""
    kind: str
    """measure or diagram"""
    goal: str
    why: str
    cites: tuple[str, ...]

    @property
    def source(self) -> str:
        """Authors and year of the sources."""
        return "; ".join(f"{r.surnames} ({r.year})" for r in (references()[cite] for cite in self.cites))

    @property
    def label(self) -> str:
        """Title and symbol of a measure, name of a diagram."""
        return measures[self.name].label if self.kind == "measure" else self.name

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the label and the source."""
        return super().to_dict() | {"label": self.label, "source": self.source}


@dataclass(frozen=True, repr=False)
class Advice(Record):
    """Measures and diagrams for a task, with reasons and sources; and measures to avoid.

    Attributes
    ----------
    task : Task
        What is known of the task.
    circumstances : tuple of str
        What about the task matters for the choice.
    measures, diagrams : tuple of Advised
        What to use: each has `name`, `label`, `goal`, `why` and `source`.
    against : tuple of Advised
        Measures that are often used but should be avoided here, and why.
    """

    task: Task
    circumstances: tuple[str, ...]
    measures: tuple[Advised, ...]
    diagrams: tuple[Advised, ...]
    against: tuple[Advised, ...]

    def to_table(self) -> Table:
        """One row for each measure and diagram: what for, which (those to avoid after a "not"), reason and source."""
        marked = [("", row) for row in (*self.measures, *self.diagrams)] + [("not ", row) for row in self.against]
        return Table.of(
            {"to": row.goal, "use": f"{mark}{row.label}", "kind": row.kind, "because": row.why, "source": row.source}
            for mark, row in marked
        )

    def __repr__(self) -> str:
        outputs = {"decisions": "class predictions"}.get(self.task.outputs, self.task.outputs)
        about = [f"{self.task.classes} classes", outputs, *self.circumstances]
        lines = fill(f"Advice for {'; '.join(about)}", WIDTH).split("\n")
        for title, rows in (("Measures", self.measures), ("Diagrams", self.diagrams), ("Avoid", self.against)):
            lines += [title] if rows else []
            reasons = dict.fromkeys((row.goal, row.why) for row in rows)
            for goal, why in reasons:
                same = [row for row in rows if (row.goal, row.why) == (goal, why)]
                sources = "; ".join(dict.fromkeys(row.source for row in same)) if len(same) == 1 else ""
                names = ", ".join(row.label for row in same)
                text = f"{why[0].upper()}{why[1:]}{sources and f' [{sources}]'}"
                lines += [_indented(f"{names}, for {PURPOSES[goal]}", 2), _indented(text, 6)]
        return "\n".join(lines)


def _indented(text: str, blanks: int) -> str:
    indent = " " * blanks
    return fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


@understand(
    usage="karat.advise(e, decision='rank')",
    goal="decision= is classify, rank, probability or contact",
)
def advise(
    model: Any = None,
    *,
    decision: str | None = None,
    classes: int | None = None,
    balance: float | None = None,
    n: float | None = None,
    outputs: str | None = None,
    costs: Any = None,
    frequencies_change: bool = False,
    noisy_labels: bool = False,
    distorted: bool = False,
) -> Advice:
    """Which measures and diagrams to use for a task, by the guidelines of the literature.

    Parameters
    ----------
    model : Evaluation, optional
        What `karat.evaluate` or `karat.evaluate_matrix` returns: it tells the number of classes and cases, the class
        balance and the outputs. Without it, describe the task by the other parameters.
    decision : {"classify", "rank", "probability", "contact"}, optional
        What the predictions are for: class predictions, rankings, probabilities, or contacting the highest-ranked
        cases. By default everything that the outputs allow.
    classes : int, default=2
        Number of classes.
    balance : float, optional
        Share of the smallest class; of two classes that of the positive one.
    n : int, optional
        Number of cases.
    outputs : {"probabilities", "scores", "decisions"}, default="probabilities"
        What the model gives; "decisions" are class predictions.
    costs : bool or array-like, optional
        Are the costs of errors known (True, or the costs themselves) or unknown (False)? By default they are ignored.
    frequencies_change : bool, default=False
        Will the class frequencies in use differ from those in the data?
    noisy_labels : bool, default=False
        May test labels be wrong?
    distorted : bool, default=False
        Are the probabilities noisy (weak learner, little training data)?

    Returns
    -------
    Advice
        It has `measures`, `diagrams` and `against`, each with reason and source; it prints itself.

    Raises
    ------
    InputError
        If the outputs do not allow the decision, or a parameter has no meaning.

    See Also
    --------
    karat.explain : What a measure is.

    Examples
    --------
    >>> [m.name for m in advise(decision="rank", balance=0.01).measures]
    ['AP', 'AUC', 'H']
    """
    given = {"classes": classes, "balance": balance, "n": n, "outputs": outputs}
    known = {} if model is None else _known(model)
    task = _checked(
        Task(
            **known | {name: value for name, value in given.items() if value is not None},
            costs=None if costs is None else costs is not False,
            frequencies_change=frequencies_change,
            noisy_labels=noisy_labels,
            distorted=distorted,
            decision=decision,
        )
    )
    here = list(task.circumstances())
    goals = _goals(task)
    most = MOST_OF_ONE_GOAL if len(goals) == 1 else MOST_OF_EACH_GOAL
    advised: dict[str, Advised] = {}
    against: dict[str, Advised] = {}
    diagrams: dict[str, Advised] = {}
    for goal in goals:
        for row in _measures(task, goal, here, against)[:most]:
            advised.setdefault(row.name, row)
        for row in _diagrams(task, goal, here)[: most + 1]:
            diagrams.setdefault(row.name, row)
    refused = tuple(row for row in against.values() if row.name not in advised)
    return Advice(task, tuple(c.meaning for c in here), tuple(advised.values()), tuple(diagrams.values()), refused)


def _known(model: Any) -> dict[str, Any]:
    """What a model tells about its task."""
    summary = summary_of(model)
    source = summary.source
    share = observed_shares(summary)
    smallest = share[source.positive] if source.positive is not None else share[share > 0].min()
    outputs = [name for name, needs in OUTPUTS.items() if not source.lacks(needs)]
    return {"classes": len(source.classes), "balance": float(smallest), "n": float(source.n), "outputs": outputs[-1]}


def _checked(task: Task) -> Task:
    if not (isinstance(task.outputs, str) and task.outputs in OUTPUTS):
        raise InputError(f"outputs is {task.outputs!r}; pass 'decisions', 'scores' or 'probabilities'.")
    task = replace(task, classes=whole("classes", task.classes, least=2))
    if task.balance is not None and not (isinstance(task.balance, Real) and 0 <= task.balance <= 1):
        raise InputError(f"balance is {task.balance!r}; pass the share of the smallest class, a number from 0 to 1.")
    if task.n is not None:
        number_between("n", task.n, 0, math.inf, ends="()")
    return task


def _goals(task: Task) -> list[Goal]:
    """The goal that was named; or all that the outputs allow (contacting a fraction only if it is named)."""
    has = OUTPUTS[task.outputs]
    if task.decision is None:
        return [g for g in GOALS if NEEDED[g.predicted] <= has and g.name != "contact"]
    for goal in GOALS:
        if isinstance(task.decision, str) and task.decision.casefold() in (goal.name, *goal.aliases):
            if NEEDED[goal.predicted] > has:
                raise InputError(
                    f"decision {goal.name!r} needs {NEEDED[goal.predicted].name.lower()}, and the outputs are "
                    f"{task.outputs}; choose another decision, or evaluate {NEEDED[goal.predicted].name.lower()}."
                )
            return [goal]
    raise InputError(f"decision is {task.decision!r}; it is one of {', '.join(g.name for g in GOALS)}.")


def fits(m: Measure, goal: Goal) -> bool:
    """Do the declared traits and invariances of a measure suit a goal?"""
    return goal.traits <= m.traits and goal.invariant <= m.invariant


def _measures(task: Task, goal: Goal, here: list[Circumstance], against: dict[str, Advised]) -> list[Advised]:
    usual = list(goal.two if task.classes == 2 else goal.more)
    preferred: list[tuple[str, Circumstance]] = []
    for c in reversed(here):  # those named last in the list are the most particular
        for named in c.prefer:
            symbol = "AUC" if task.classes == 2 and named in INTERCHANGEABLE else named
            suits = fits(measures[symbol], goal) and (task.classes == 2 or not measures[symbol].classwise)
            if suits and symbol not in [s for s, _ in preferred]:
                preferred.append((symbol, c))
    rows: list[Advised] = []
    for symbol, cause in [*preferred, *((s, None) for s in usual if s not in [p for p, _ in preferred])]:
        m = measures[symbol]
        no = next((c for c in here if _opposes(c, m, task.classes)), None)
        if no is not None:
            against.setdefault(symbol, _advised(m, goal, f"{no.meaning.capitalize()}: {no.why_not}.", no))
        elif not (symbol in INTERCHANGEABLE and any(r.name in ("AUC", *INTERCHANGEABLE) for r in rows)):
            why = "" if cause is None else f" {cause.meaning.capitalize()}: {cause.why}."
            rows.append(_advised(m, goal, m.question + why, cause))
    return rows or _restated(goal, usual, here)


def _advised(m: Measure, goal: Goal, why: str, cause: Circumstance | None) -> Advised:
    sources = (m.cite,) if cause is None else (m.cite, cause.cite)
    return Advised(m.symbol, "measure", goal.name, why, tuple(dict.fromkeys(sources)))


def _restated(goal: Goal, usual: list[str], here: list[Circumstance]) -> list[Advised]:
    """Where everything depends on frequencies that will change, or is to be avoided: the least of the evils."""
    allowed = [s for s in usual if not any(s in c.avoid for c in here)] or usual[:1]
    changing = any(FREQUENCIES in c.without for c in here)
    hint = "use it at the class frequencies in use (e.at_prevalence)" if changing else "look at its interval as well"
    why = f"Every suitable measure has a drawback here; {hint}."
    return [_advised(measures[s], goal, f"{measures[s].question} {why}", None) for s in allowed[:1]]


def _opposes(c: Circumstance, m: Measure, classes: int) -> bool:
    """Is the measure to be avoided? An AUC of two classes does not depend on their frequencies, and a measure that can
    be told the priors is told those to come."""
    free = (classes == 2 and m.symbol in ("AUC", *INTERCHANGEABLE)) or "prior" in signature(m.function).parameters
    return m.symbol in c.avoid or bool(c.without & m.traits and not free)


def _diagrams(task: Task, goal: Goal, here: list[Circumstance]) -> list[Advised]:
    """Those of the goal first, then those that circumstances ask for, then the rest of the guidelines for what is
    predicted; what is about costs only where costs were mentioned."""
    first = [*goal.tools, *(tool for c in here for tool in c.tools)]
    rows = [g for g in GUIDELINES if g.predicted == goal.predicted or g.tool in goal.tools]
    rows = [g for g in rows if g.tool in first or task.costs is not None or not g.costs]
    rows = sorted(rows, key=lambda g: first.index(g.tool) if g.tool in first else len(first))
    several = "" if task.classes == 2 else ", one class against the rest"
    return [
        Advised(g.tool, "diagram", goal.name, f"to {g.objective}{several if g.two_classes else ''}", (g.cite,))
        for g in rows
    ]
