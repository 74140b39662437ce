"""All findings about a model, or about several: the declared checks, asked one by one."""

from __future__ import annotations

from typing import Any

from karat.core.errors import InputError
from karat.core.finding import Check, Finding, Findings, checks
from karat.core.keywords import understand
from karat.findings import (
    calibration_checks,  # noqa: F401 - they declare the checks
    data_checks,  # noqa: F401 - they declare the checks
    decision_checks,  # noqa: F401 - they declare the checks
    probability_checks,  # noqa: F401 - they declare the checks
    ranking_checks,  # noqa: F401 - they declare the checks
    rivalry_checks,  # noqa: F401 - they declare the checks
)
from karat.findings.copies import distinct_cases, distinct_cases_of_all
from karat.statistics import Summary
from karat.statistics.summary import same_cases, summaries_of, summary_of


def findings(model: Any) -> Findings:
    """Findings about one model, the most severe first: see `Evaluation.findings`.

    Parameters
    ----------
    model : Evaluation
        What `karat.evaluate` or `karat.evaluate_matrix` returns.

    Returns
    -------
    Findings

    See Also
    --------
    findings_of : Findings about several models on the same cases.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate_matrix([[940, 0], [60, 0]], labels=["well", "ill"])
    >>> for finding in e.findings():
    ...     print(finding.title)
    Accuracy (0.940) is no higher than that of always predicting well (0.940)
    The model never predicts ill
    """
    summary = summary_of(model)
    distinct = distinct_cases(summary)
    data = [(c, summary if c.every_row else distinct) for c in checks.values() if not c.several]
    return _gravest_first([c(s) for c, s in data if _can_be_asked(c, s)])


@understand(usage="karat.findings_of({'a': karat.evaluate(y_true, p1), 'b': karat.evaluate(y_true, p2)})")
def findings_of(models: Any) -> Findings:
    """Findings about several models on the same cases: do measures agree on the best, are there enough cases?

    Parameters
    ----------
    models : dict of str to Evaluation
        Two or more evaluations of the same classes, on the same cases.

    Returns
    -------
    Findings
        The most severe first. Findings about each single model are in `Evaluation.findings`.

    Raises
    ------
    InputError
        If there are fewer than two models, or their classes or cases differ.

    See Also
    --------
    Evaluation.findings : Findings about one model.
    karat.compare : Tests of the differences between models.

    Examples
    --------
    >>> import karat
    >>> y = [0, 1, 0, 1, 1, 0, 1, 0]
    >>> one, two = [0, 1, 0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0, 1, 1]
    >>> models = {name: karat.evaluate(y, y_pred=p) for name, p in {"one": one, "two": two}.items()}
    >>> karat.findings_of(models).codes
    ['too-few-cases']
    """
    summaries = summaries_of(models)
    if len(summaries) < 2:
        raise InputError("only one model was given; pass two or more, or call findings() of its evaluation.")
    same_cases(summaries)
    distinct = distinct_cases_of_all(summaries)
    wanted = [c for c in checks.values() if c.several and all(_can_be_asked(c, s) for s in distinct.values())]
    return _gravest_first([c(distinct) for c in wanted])


def _can_be_asked(check: Check, s: Summary) -> bool:
    """Is what it needs there, and is it not about frequencies that nobody has seen?"""
    lacks = check.needs is not None and bool(s.source.lacks(check.needs))
    return not lacks and (check.restated or not s.source.decreed)


def _gravest_first(answers: list[Finding | None]) -> Findings:
    return Findings(sorted((f for f in answers if f is not None), key=lambda f: f.severity.rank))
