"""`karat.evaluate`: labels and probabilities in, every measure out."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.core.keywords import understand, unknown_keyword
from karat.core.measure import Measure
from karat.core.statistic import Needs
from karat.data import Matrix, Predictions
from karat.data.top_rows import are_top
from karat.evaluation.evaluation import Evaluation
from karat.measures.arguments import predictions_for
from karat.statistics.summary import summaries_of

if TYPE_CHECKING:
    from karat.statistics.added import AddedStatistics


@understand
def evaluate(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    y_score: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    ids: Any = None,
    by: Any = None,
    align: str = "row",
    rest: str | None = None,
) -> Evaluation:
    """Evaluate the predictions of a classifier: every measure, from labels and probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels (str, int or bool): array, list, pandas, polars or Arrow column.
    y_proba : array-like of shape (n, classes) or (n,), or data frame, optional
        Predicted probabilities, columns in the order of `labels` (by default the sorted labels); a data frame is
        matched by its column names, `<class>` or `p_<class>`; one column is the probability of the positive class.
    y_pred : array-like of shape (n,), optional
        Predicted labels. By default the most probable class, the first of equals.
    labels : sequence, optional
        All classes, in the order of the columns. Needed where a class has no case.
    sample_weight : array-like of shape (n,), optional
        Weights of at least 0. A whole weight equals repeating the case, for all measures but CalB, which counts cases
        and is undefined with weights.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.
    y_score : array-like of shape (n, classes) or (n,), optional
        Real scores instead of probabilities (`decision_function`, logits). Measures of probabilities are undefined for
        them. With a column for each class the highest score is the prediction; with one column there is none.
    normalise : bool, default False
        Divide each row of probabilities by its sum; otherwise a row must sum to 1 within the precision of its type.
    columns : dict, optional
        {class: column} for a data frame whose columns have other names.
    reject : label, optional
        The label in `y_pred` that stands for "no prediction".
    ids : array-like of shape (n,), optional
        An id (str or int) for each case, none of them twice. `karat.compare` joins models by them.
    by : dict or array-like of shape (n,), optional
        {name: the group of each case}, or one such column: `e.by()` evaluates each group, and the report shows them.
    align : {"row", "index"}, default "row"
        "row": rows belong together as they stand, and pandas columns with different indexes are an error. "index":
        everything is put in the order of `y_true` by its pandas index.
    rest : {"even", "scaled"}, optional
        Where there are very many classes `y_proba` may list the most probable ones of each case: {class: p}, a column
        of such maps, or a pair of arrays, places of classes and their probabilities, as torch.topk gives them. The
        other classes share what is left of 1 evenly, or have 0, those that are listed being scaled to sum to 1.
        Measures that need every class are undefined then, and no rows are kept.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        Where the input is not what it should be; the message says what to do.

    See Also
    --------
    compare : two or more models on the same cases.
    evaluate_matrix : from a confusion matrix alone.
    evaluate_estimator : from a model with scikit-learn's methods.
    report : an interactive page.

    Examples
    --------
    >>> e = evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> e["accuracy"], e["roc_auc"]
    (0.75, 0.75)
    """
    if are_top(y_proba):
        others = {"y_pred": y_pred, "y_score": y_score, "columns": columns, "reject": reject, "ids": ids, "by": by}
        return Evaluation(_of_top(y_true, y_proba, labels, rest, positive, sample_weight, others))
    if rest is not None:
        raise InputError("rest= is about {class: p} for each case, and y_proba has every class; leave it out.")
    e = Evaluation(
        Predictions.of(
            y_true,
            y_proba,
            y_pred,
            y_score=y_score,
            labels=labels,
            positive=positive,
            sample_weight=sample_weight,
            normalise=normalise,
            columns=columns,
            reject=reject,
            ids=ids,
            align=align,
        )
    )
    if by is not None:
        e.take_columns(by)
    return e


def _of_top(
    y_true: Any,
    y_proba: Any,
    labels: Any,
    rest: str | None,
    positive: Any,
    sample_weight: Any,
    others: Mapping[str, Any],
) -> AddedStatistics:
    """{class: p} for each case; of what else may be given, weights alone are understood."""
    from karat.statistics.top_sums import added_top

    for name, given in others.items():
        if given is not None:
            raise InputError(f"{name}= can't be given beside {{class: p}} for each case; leave it out.")
    return added_top(y_true, y_proba, labels, rest, positive, sample_weight)


@understand
def evaluate_matrix(matrix: Any, labels: Any = None, *, positive: Any = None) -> Evaluation:
    """Evaluate a confusion matrix.

    Parameters
    ----------
    matrix : array-like of shape (classes, columns), or data frame
        Counts; rows are the true classes, columns the predicted ones. More columns than rows mean a reject option.
    labels : sequence, optional
        The classes, in the order of the rows.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.

    Returns
    -------
    Evaluation
        Measures that need probabilities are undefined.

    Examples
    --------
    >>> round(evaluate_matrix([[3, 1, 1], [1, 2, 0], [0, 0, 2]])["MCC"], 6)
    0.547142
    """
    return Evaluation(Matrix.of(matrix, labels, positive))


def refuse_restated(name: Any, **said: Any) -> None:
    """What was said when a model was evaluated can't be said again: it would go unheard."""
    for what, value in said.items():
        if value is not None:
            raise InputError(f"{name} is an evaluation, which has its own {what}; leave {what} out.")


def identified(name: str, e: Evaluation, ids: Any) -> Evaluation:
    """A model with the id of each of its cases."""
    cases = e.statistics.source.cases
    if cases is None or cases.ids is not None:
        without = "was added up and" if e.statistics.source.added is not None else "is a confusion matrix, which"
        why = f"{without} has no cases to identify" if cases is None else "has ids already"
        raise InputError(f"{name} {why}; pass ids= to karat.evaluate instead of karat.compare.")
    return Evaluation(cases.identified(ids))


def evaluations_in_one_order(models: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """Models about the same classes; where their cases have ids, all in the order of the first."""
    summaries = summaries_of(models)
    return {
        str(name): e if summaries[str(name)] is e.statistics else Evaluation(summaries[str(name)].source)
        for name, e in models.items()
    }


def value_from_predictions(
    measure: Measure, y_true: Any = None, y_proba: Any = None, y_pred: Any = None, *others: Any, **options: Any
) -> float:
    """What a measure gives when it is called on labels and probabilities. One that needs only the order of the cases
    takes any real scores instead of probabilities, and one of predicted classes takes these."""
    given = (y_true, y_proba, y_pred, options.get("y_score"))
    _refuse_misuse(measure, given, others, options)
    y_proba, y_pred = predictions_for(measure, y_true, y_proba, y_pred)
    if measure.statistic.needs is Needs.SCORES and y_proba is not None and not {"y_score", "normalise"} & set(options):
        return evaluate(y_true, None, y_pred, y_score=y_proba, **options)[measure]
    return evaluate(y_true, y_proba, y_pred, **options)[measure]


def _refuse_misuse(
    measure: Measure, given: tuple[Any, ...], others: tuple[Any, ...], options: Mapping[str, Any]
) -> None:
    """Arguments that a measure does not take, in the words of its caller."""
    name, how = f"{measure.name}()", f"karat.measures.{measure.name}(y_true, y_pred or y_proba)"
    for word, value in options.items():
        if word not in OF_EVALUATE:
            advice = {
                "average": f"averages are measures of their own: karat.macro({measure.symbol!r}), micro or weighted",
                "normalize": "it is a share of the cases; multiply it by their number",
                "weights": "there is no weighted form of it; sample_weight= weighs cases",
            }
            raise InputError(unknown_keyword(name, word, value, list(OF_EVALUATE), advice))
    if others:
        raise InputError(f"{name} takes y_true, y_proba, y_pred by position; write {how}.")
    if all(value is None for value in given):
        raise InputError(f"{name} needs y_true and predictions; write {how}.")


OF_EVALUATE = tuple(inspect.signature(evaluate).parameters)
"""Its arguments."""
