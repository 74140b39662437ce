"""All that karat has to say about a model, or about several, in plain words."""

from __future__ import annotations

from typing import Any

from karat.core.errors import InputError
from karat.core.finding import Check, Finding, Findings, checks
from karat.findings import (
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
    """What should be known about one model, the gravest first.

    >>> import karat
    >>> e = karat.evaluate_matrix([[940, 0], [60, 0]], labels=["well", "ill"])
    >>> for finding in e.findings():
    ...     print(finding.title)
    Accuracy .94 is no better than always saying well (.94)
    ill is never predicted
    """
    summary = summary_of(model)
    distinct = distinct_cases(summary)
    data = [(c, summary if c.every_row else distinct) for c in checks.values() if not c.several]
    return _gravest_first([c(s) for c, s in data if not _lacks(s, c)])


def findings_of(models: Any) -> Findings:
    """What should be known about several models together: {name: evaluation}, of the same classes and cases."""
    summaries = summaries_of(models)
    if len(summaries) < 2:
        raise InputError("only one model was given; give two or more, or ask the evaluation itself for its findings().")
    same_cases(summaries)
    distinct = distinct_cases_of_all(summaries)
    wanted = [c for c in checks.values() if c.several and not any(_lacks(s, c) for s in distinct.values())]
    return _gravest_first([c(distinct) for c in wanted])


def _lacks(s: Summary, check: Check) -> bool:
    return check.needs is not None and bool(s.source.lacks(check.needs))


def _gravest_first(answers: list[Finding | None]) -> Findings:
    return Findings(sorted((f for f in answers if f is not None), key=lambda f: f.severity.rank))
