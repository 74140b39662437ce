"""What the options of diagrams mean, in the form of numpydoc: each is said once, for all diagrams that have it."""

from __future__ import annotations

from typing import NamedTuple


class OptionDoc(NamedTuple):
    """The type of an option, and what it does."""

    kind: str
    text: str


DATA: dict[str, OptionDoc] = {
    "y_true": OptionDoc(
        "array-like, evaluation, comparison or dict",
        "The true labels; or what `karat.evaluate` or `karat.compare` returns; or {model: predictions} and then the "
        "true labels.",
    ),
    "y_proba": OptionDoc("array-like or dict, optional", "Predicted probabilities, or {model: probabilities}."),
    "y_pred": OptionDoc("array-like or dict, optional", "Predicted labels, or {model: labels}."),
    "y_score": OptionDoc("array-like or dict, optional", "Real scores in place of probabilities."),
    "labels": OptionDoc("list, optional", "All classes, in the order of the columns of probabilities."),
    "positive": OptionDoc("label, optional", "The positive class; of 0 and 1 it is 1."),
    "sample_weight": OptionDoc("array-like, optional", "A weight for each case."),
    "normalise": OptionDoc("bool, optional", "Divide each row of probabilities by its sum."),
    "columns": OptionDoc("dict, optional", "{class: column} of a table of probabilities with other names."),
    "reject": OptionDoc("label, optional", "The label in `y_pred` that stands for no prediction."),
    "each_class": OptionDoc("bool, optional", "Show each class against the rest, with the average of the curves."),
    "classes": OptionDoc("list, optional", "Show each of these classes against the rest."),
    "averages": OptionDoc('iterable of {"macro", "weighted"}, optional', "Averages of the curves over the classes."),
    "each_fold": OptionDoc(
        "bool, optional",
        "Show each fold of a model that `karat.evaluate_estimator(..., cv=5)` trained, with the mean of the curves.",
    ),
    "spread": OptionDoc(
        "float, optional",
        "With `each_fold`: the band around the mean curve, in standard deviations over the folds; None for no band.",
    ),
    "name": OptionDoc("str, optional", "What the legend calls it."),
    "ax": OptionDoc("matplotlib.axes.Axes, optional", "Draw on these axes at once."),
    "table": OptionDoc("dict of columns, Table or data frame", "Results: {columns}."),
}
"""What the functions of diagrams take, whichever it is."""

OPTIONS: dict[str, OptionDoc] = {
    "axis": OptionDoc("str, optional", "The label of the horizontal axis."),
    "band": OptionDoc("float, optional", "The confidence of a band around the curve, for example 0.95."),
    "bins": OptionDoc("int, optional", "The number of bins."),
    "changed": OptionDoc("str, optional", "The first period after a change: a line before it."),
    "cases": OptionDoc("float, optional", "The number of cases; by default as many as were given."),
    "class_names": OptionDoc("list, optional", "Names to show instead of the labels, in their order."),
    "cloud": OptionDoc("int, optional", "Draws from the posterior of each confusion matrix."),
    "colour": OptionDoc("str, optional", "The measure, or the column, that colours the points."),
    "cost_fn": OptionDoc("float, optional", "The cost of a false negative."),
    "cost_fp": OptionDoc("float, optional", "The cost of a false positive."),
    "critical_difference": OptionDoc("float, optional", "The critical difference, for a table of ranks."),
    "few": OptionDoc("int, optional", "Groups with fewer cases are faded."),
    "fn": OptionDoc("float, optional", "The gain of a positive case that is not acted on."),
    "fp": OptionDoc("float, optional", "The gain of a negative case that is acted on; a loss is negative."),
    "fpr_range": OptionDoc(
        "float or (float, float), optional",
        "Shade the area between these false positive rates, and write its value; 0.1 is (0, 0.1).",
    ),
    "grouping": OptionDoc(
        '{"corp", "width", "mass", "identical"}, optional',
        "Join probabilities by isotonic regression (the default), in bins of equal width (the default with `bins`) or "
        "of equally many cases, or where they are identical.",
    ),
    "groups": OptionDoc("array-like, optional", "Which cases belong together: the bootstrap draws whole groups."),
    "interval": OptionDoc(
        "bool or float, optional",
        "An interval of the AUC, or of the frequency in each group; True is one of 0.95.",
    ),
    "level": OptionDoc("float, optional", "The confidence of the test."),
    "lower_is_better": OptionDoc("bool, optional", "Are lower values better?"),
    "measure": OptionDoc("str, optional", "The measure whose values the table holds."),
    "measures": OptionDoc("str or list of str, optional", "Measures of predicted labels, by name or symbol."),
    "order": OptionDoc('{"given", "blocks", "frequency"}, optional', "The order of the classes."),
    "overall": OptionDoc("float, optional", "The value of all cases, which is drawn as a line."),
    "parts": OptionDoc("int, optional", "Parts of the ranking."),
    "points": OptionDoc("int, optional", "The number of thresholds."),
    "prevalence": OptionDoc("float, optional", "The share of the positive class, if it differs from the data's."),
    "prior": OptionDoc(
        "float or array-like, optional", "What is added to each cell before drawing from the posterior."
    ),
    "replicates": OptionDoc("int, optional", "Replicates of the bootstrap."),
    "seed": OptionDoc("int, optional", "The seed of random draws."),
    "shape": OptionDoc('{"histogram", "step", "density"}, optional', "How the distributions are shown."),
    "simultaneous": OptionDoc("bool, optional", "A band for the curve as a whole, not for each of its points."),
    "smooth": OptionDoc(
        "bool or float, optional",
        "Smooth the curve by local linear regression over this share of the thresholds; True is 0.2.",
    ),
    "threshold": OptionDoc("float, optional", "Mark the point of this threshold."),
    "threshold_range": OptionDoc(
        "float or (float, float), optional", "Show these threshold probabilities only; 0.5 is (0, 0.5)."
    ),
    "tn": OptionDoc("float, optional", "The gain of a negative case that is not acted on."),
    "top": OptionDoc("int, optional", "Show only so many classes, those of the most frequent confusions."),
    "tp": OptionDoc("float, optional", "The gain of a positive case that is acted on."),
    "tpr_range": OptionDoc(
        "float or (float, float), optional",
        "Shade the area right of the curve between these true positive rates, and write its value; 0.8 is (0.8, 1).",
    ),
    "view": OptionDoc(
        '{"counts", "truth", "predicted", "joint"}, optional',
        "Show counts, or shares of the true class, of the predicted class, or of all cases.",
    ),
    "x": OptionDoc("str, optional", "The column along the horizontal axis; by default the first of numbers."),
    "y": OptionDoc("str, optional", "The column along the vertical axis; by default the next of numbers."),
}
"""What single diagrams can be told."""


def lines_of(name: str, doc: OptionDoc) -> list[str]:
    """An entry of the section Parameters."""
    return [f"{name} : {doc.kind}", f"    {doc.text}"]
