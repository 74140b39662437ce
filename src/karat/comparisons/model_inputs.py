"""What `karat.compare` is given: models by name, checked, as evaluations of the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.comparisons.paired_blocks import same_blocks
from karat.core.errors import InputError, option, python, speaking, type_words
from karat.core.validation import one_of
from karat.data.pairing import of_model, refuse_own_orders, refuse_shared_ids
from karat.evaluation import Evaluation, evaluate, evaluations_in_one_order, identified, refuse_restated
from karat.statistics.summary import same_cases, summaries_of

KINDS = {"probabilities": "y_proba", "scores": "y_score", "predictions": "y_pred", "decisions": "y_pred"}
"""What models can be given as, and what `karat.evaluate` calls that."""
BY_NAME = 'compare({"first": p1, "second": p2}, y_true)'
"""How it goes."""


def models_by_name(models: Any, y_true: Any, others: tuple[Any, ...]) -> tuple[Mapping[Any, Any], Any]:
    """{name: model} and the truth, from what people write: evaluations may come without names, and the truth first;
    of arrays nobody knows which is which."""
    given = (models, *((y_true,) if y_true is not None else ()), *others)
    several = given[0] if len(given) == 1 and isinstance(models, list | tuple) else given
    if several and all(isinstance(one, Evaluation) for one in several):
        return {f"model {i}": e for i, e in enumerate(several, 1)}, None
    if any(hasattr(one, "predict") for one in given):
        raise InputError("models were given; use karat.compare_estimators({name: model, ...}, X, y).")
    if isinstance(models, Mapping) and others and any(hasattr(one, "predict") for one in models.values()):
        raise InputError("models were given; use karat.compare_estimators({name: model, ...}, X, y).")
    if others:
        raise InputError(f"{len(given)} arguments were given; models are given by name: {BY_NAME}.")
    if isinstance(y_true, Mapping) and not isinstance(models, Mapping):
        return y_true, models
    if not isinstance(models, Mapping):
        raise InputError(f"models is {type_words(models)}; models are given by name: {BY_NAME}.")
    if not models:
        raise InputError(f"models is empty; give two or more by name: {BY_NAME}.")
    return models, y_true


def evaluations_of(
    models: Mapping[Any, Any], y_true: Any, *, kind: str, ids: Any, sample_weight: Any, paired: bool, **options: Any
) -> dict[str, Evaluation]:
    """{name: evaluation} of two models or more, about the same classes and, if paired, the same cases in one order."""
    one_of("kind", kind, KINDS)
    if paired:
        refuse_own_orders(y_true, ids, sample_weight)
    evaluations: dict[str, Evaluation] = {}
    for name, given in models.items():
        if isinstance(given, Evaluation):
            if y_true is not None:
                raise InputError(f"{name} is an evaluation, which has its true labels; leave y_true out.")
            refuse_restated(name, sample_weight=sample_weight, **{k: v for k, v in options.items() if k != "align"})
            evaluations[str(name)] = given if ids is None else identified(name, given, of_model("ids", ids, name))
            continue
        _refuse_other_things(name, given, y_true)
        own = {"ids": of_model("ids", ids, name), "sample_weight": of_model("sample_weight", sample_weight, name)}
        truth = of_model("y_true", y_true, name)
        with speaking(_kinds):
            evaluations[str(name)] = evaluate(truth, **own, **options, **{KINDS[kind]: given})
    if len(evaluations) < len(models):
        raise InputError(f"two of the names {list(models)[:6]} are written the same way; rename one of them.")
    if len(evaluations) < 2:
        raise InputError("only one model was given; give two or more, or evaluate it alone.")
    if paired:
        evaluations = evaluations_in_one_order(evaluations)
    else:
        sources = {name: e.statistics.source.cases for name, e in evaluations.items()}
        refuse_shared_ids({name: cases for name, cases in sources.items() if cases is not None})
    summaries = summaries_of(
        {name: e.statistics for name, e in evaluations.items()}, join=paired
    )  # of the same classes
    if any(s.source.added is not None for s in summaries.values()):
        same_blocks(summaries, paired)
    elif paired and not same_cases(summaries, unpaired=True):
        matrix = next(name for name, s in summaries.items() if s.source.cases is None)
        raise InputError(
            f"{matrix} is a confusion matrix, which has no individual cases; give the predictions of each case, or "
            f"compare models on different cases ({option('paired')})."
        )
    return evaluations


def _kinds(name: str) -> str:
    """What to write here where `karat.evaluate` would take another argument."""
    return {"y_pred": 'kind="predictions"', "y_score": 'kind="scores"'}.get(name) or python(name)


def _refuse_other_things(name: Any, given: Any, y_true: Any) -> None:
    """An estimator, or predictions without the truth."""
    if hasattr(given, "predict"):
        raise InputError(
            f"{name} is given as {type(given).__name__}; use karat.compare_estimators({{name: estimator}}, X, y), or "
            "give its predicted probabilities."
        )
    if isinstance(given, Mapping):
        raise InputError(
            f"{name} is {type_words(given)}; give its probabilities, or an evaluation, such as "
            "karat.evaluate(y_true, y_pred=y_pred)."
        )
    if y_true is None:
        raise InputError(f"y_true is missing; give the true labels after the models: {BY_NAME}.")
