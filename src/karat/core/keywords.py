"""Keywords that people bring from other libraries, and karat's words for them: whatever a public function does not take
is refused in one sentence that says what to write."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar, overload

from karat.core.errors import InputError

CALLED_ELSEWHERE: Mapping[tuple[str, ...], str] = {
    ("y_true",): "y target targets truth true y_test y_actual actual actuals actual_vector labels_true ground_truth gt "
    "references reference gold y_valid",
    ("y_proba",): "y_prob y_probs y_probas y_probability y_pred_proba y_pred_prob pred_proba prob probs proba probas "
    "probability probabilities predict_proba prediction_scores",
    ("y_score",): "y_scores score scores decision_function logits y_logits margin margins",
    ("y_pred",): "y_hat yhat y_predicted pred predicted predict_vector predicted_labels hypothesis decisions decided",
    ("y_pred", "y_proba"): "preds prediction predictions estimate output outputs input",
    ("models",): "y_preds y_probs models_proba estimators classifiers",
    ("positive",): "pos_label positive_class positive_label pos_class pos event_level",
    ("labels",): "classes class_labels class_order",
    ("classes",): "labels",
    ("sample_weight",): "sample_weights weight weights case_weights case_weight w",
    ("normalise",): "normalize normalized normalised",
    ("reject",): "reject_label ignore_index abstain",
    ("ids",): "id index case_id sample_id",
    ("measures",): "metrics metric scoring measure scorers scorer",
    ("measure",): "metrics metric scoring measures scorer",
    ("level",): "alpha confidence confidence_level conf_level significance significance_level ci",
    ("replicates",): "n_bootstraps n_bootstrap n_boot n_resamples n_permutations n_replicates num_permutations times",
    ("seed",): "random_state rng random_seed",
    ("workers",): "n_jobs num_workers processes",
    ("bins",): "n_bins num_bins nbins",
    ("cost",): "costs cost_matrix",
    ("path",): "output out outfile output_file file filename file_name dest",
    ("model",): "estimator clf classifier",
    ("estimator",): "model clf classifier",
}
"""Karat's words, and what others call them: scikit-learn, torchmetrics, PyCM, yardstick, evaluate, SciPy. The first
that a function takes is the one it says."""

NOT_AN_ARGUMENT: Mapping[str, str] = {
    "average": "an average has a name of its own, as in e['macro(F1)'], e['micro(F1)'] or e['weighted(F1)']",
    "mdmc_average": "join all cases into one axis first",
    "multidim_average": "join all cases into one axis first",
    "multi_class": "ROC AUC one-vs-rest is AUNU (AUNP weighted), one-vs-one AU1U (AU1P weighted)",
    "threshold": "pass y_pred=(p >= threshold).astype(int) to evaluate at a threshold",
    "thresholds": "pass y_pred=(p >= threshold).astype(int) to evaluate at a threshold",
    "num_classes": "pass labels= with all classes if some have no case",
    "n_classes": "pass labels= with all classes if some have no case",
    "num_labels": "evaluate each label by itself",
    "task": "leave it out, as it follows from y_true",
    "estimator": "pass its predictions, or use karat.evaluate_estimator(model, X, y)",
    "model": "pass its predictions, or use karat.evaluate_estimator(model, X, y)",
    "X": "pass predictions, or use karat.evaluate_estimator(model, X, y)",
    "validate_args": "leave it out, as input is always checked",
    "zero_division": "a measure without a value is nan, and e.why(name) says why",
    "target_names": "classes are named as in y_true; rename them there: np.array(['no', 'yes'])[y_true]",
    "class_names": "classes are named as in y_true; rename them there: np.array(['no', 'yes'])[y_true]",
    "display_labels": "classes are named as in y_true; rename them there: np.array(['no', 'yes'])[y_true]",
    "label_names": "classes are named as in y_true; rename them there: np.array(['no', 'yes'])[y_true]",
    "metrics": "every measure is available afterwards, as in e['f1'] or e.values(['f1', 'mcc'])",
    "metric": "every measure is available afterwards, as in e['f1'] or e.values(['f1', 'mcc'])",
    "measures": "every measure is available afterwards, as in e['f1'] or e.values(['f1', 'mcc'])",
    "measure": "every measure is available afterwards, as in e['f1'] or e.values(['f1', 'mcc'])",
    "scoring": "every measure is available afterwards, as in e['f1'] or e.values(['f1', 'mcc'])",
    "digits": "tables show three digits, and e['f1'] or to_dict() has all of them",
    "output_dict": "use .to_dict() of the result",
    "n_bins": "choose the measure, as in karat.catalogue.measures['ECE'].at(bins=15)",
    "bins": "choose the measure, as in karat.catalogue.measures['ECE'].at(bins=15)",
    "eps": "log_loss clips probabilities as scikit-learn does; LogL takes none below 1e-5",
    "adjusted": "of two classes the adjusted balanced accuracy is Youden's J, e['youden']",
    "normalize": "leave it out; a measure is a share, and e.matrix() has the counts",
    "name": "name models where they are compared: karat.compare({'forest': e, ...})",
    "cv": "use karat.evaluate_estimator(model, X, y, cv=5)",
    "shuffle": "pass a splitter of scikit-learn as cv=, such as StratifiedKFold(5, shuffle=False)",
    "tp": "pass the matrix [[tn, fp], [fn, tp]]",
    "tn": "pass the matrix [[tn, fp], [fn, tp]]",
    "fp": "pass the matrix [[tn, fp], [fn, tp]]",
    "fn": "pass the matrix [[tn, fp], [fn, tp]]",
    "cost_fp": "pass cost={'fp': 1, 'fn': 5}",
    "cost_fn": "pass cost={'fp': 1, 'fn': 5}",
    "figsize": "size the figure first: fig, ax = plt.subplots(figsize=(4, 4)), then pass ax=ax",
    "na_rm": "fill or remove the cases with missing values first",
    "beta": "choose the measure, as in e['F2'] or karat.catalogue.measures['F1'].at(beta=3)",
    "max_fpr": "choose the measure, as in karat.catalogue.measures['partAUC'].at(max_fpr=0.1)",
    "top_k": "leave it out, as there are no top-k measures",
}
"""What others take as an argument and karat has elsewhere, or needs not; with what to do."""

LONGEST_VALUE = 24
"""A value is repeated in the sentence if it takes at most so many characters."""

P = ParamSpec("P")
R = TypeVar("R")


@overload
def understand(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def understand(*, usage: str = "", **advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def understand(function: Callable[..., Any] | None = None, /, *, usage: str = "", **advice: str) -> Any:
    """A public function whose misused arguments are an `InputError` of one sentence, never a bare `TypeError`.

    `advice` says what to do about arguments that people try on this function alone, `usage` how it is called.

    >>> @understand(model="pass its predictions")
    ... def judge(y_true, y_proba=None, *, positive=None):
    ...     return positive
    >>> judge([0, 1], positive=1)
    1
    >>> for arguments in ({"pos_label": "ill"}, {"model": 0}, {"postive": 1}):
    ...     try:
    ...         judge([0, 1], **arguments)
    ...     except InputError as problem:
    ...         print(problem)
    pos_label is called positive here: pass positive='ill'.
    judge() takes no model: pass its predictions.
    judge() has no argument 'postive'; did you mean positive=?
    """
    if function is None:
        return lambda wrapped: _understanding(wrapped, advice, usage)
    return _understanding(function, advice, usage)


def _understanding(function: Callable[..., Any], advice: Mapping[str, str], usage: str) -> Callable[..., Any]:
    @wraps(function)
    def understanding(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:  # the call is looked at only if it failed
            if problem := _misuse(function, args, kwargs, advice, usage):
                raise InputError(problem) from None
            raise

    return understanding


def _misuse(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    advice: Mapping[str, str],
    usage: str = "",
) -> str:
    """What is wrong with the arguments; empty if the function takes them."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return ""
    parameters = signature.parameters
    named = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    placed = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    name = f"{function.__qualname__.removesuffix('.__init__').rpartition('.')[2]}()"
    for word, value in kwargs.items():
        if word not in parameters:
            return unknown_keyword(name, word, value, [n for n in named if n != "self"], advice)
    if len(args) > len(placed):
        itself = placed[:1] == ["self"]
        there = ", ".join(placed[itself:])
        how = f"write {usage}" if usage else "pass the others by name"
        if not there:
            return f"{name} takes no arguments by position; {how}."
        return f"{name} takes {there} by position and got {len(args) - itself} arguments; {how}."
    twice = [word for word in placed[: len(args)] if word in kwargs]
    if twice:
        return f"{name} got {twice[0]} twice, by position and by name; pass it once."
    needed = [n for n in placed[len(args) :] if parameters[n].default is inspect.Parameter.empty and n not in kwargs]
    needed += [
        n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY and p.default is p.empty and n not in kwargs
    ]
    how = f"write {usage}" if usage else f"its arguments are {', '.join(n for n in named if n != 'self')}"
    return f"{name} needs {' and '.join(needed)}; {how}."


def unknown_keyword(name: str, word: str, value: Any, known: list[str], advice: Mapping[str, str] | None = None) -> str:
    """What to say of a keyword that a function does not take.

    >>> unknown_keyword("evaluate()", "alpha", 0.05, ["measures", "level"])
    'alpha is called level here, a confidence: pass level=0.95.'
    """
    if advice and word in advice:
        return f"{name} takes no {word}: {advice[word]}."
    for words, elsewhere in CALLED_ELSEWHERE.items():
        mine = [w for w in words if w in known]
        if mine and word in elsewhere.split() and not _means_another(word, value):
            return _renamed(word, value, mine)
    if word in NOT_AN_ARGUMENT:
        return f"{name} takes no {word}: {NOT_AN_ARGUMENT[word]}."
    from difflib import get_close_matches

    near = get_close_matches(word.casefold(), known, 1, 0.7)
    if near:
        return f"{name} has no argument {word!r}; did you mean {near[0]}=?"
    return f"{name} has no argument {word!r}; its arguments are {', '.join(known)}."


def _means_another(word: str, value: Any) -> bool:
    """Weights of classes or errors, and shares of a matrix, have the names of weights of cases and rows."""
    return isinstance(value, str) and word in ("weights", "normalize")


def _renamed(word: str, value: Any, mine: list[str]) -> str:
    if len(mine) > 1:
        return f"{word} is called {' (labels) or '.join(mine)} (probabilities) here: pass one of the two."
    meaning = ""
    if mine == ["level"]:
        meaning = ", a confidence"
        value = round(1 - value, 12) if isinstance(value, float) and 0 < value < 0.5 else value
    said = repr(value) if isinstance(value, str | int | float) and word != "event_level" else ""
    if not said or len(said) > LONGEST_VALUE:
        return f"{word} is called {mine[0]} here{meaning}: pass {mine[0]}= instead."
    return f"{word} is called {mine[0]} here{meaning}: pass {mine[0]}={said}."
