"""C4.5 as Weka's J48 grows it, as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.learners.base import Learner, class_codes, nominal_columns
from karat.learners.columns import Columns
from karat.learners.kernel import trees
from karat.learners.rules import Rules
from karat.learners.tree import Tree


class C45Classifier(Learner):
    """A decision tree by gain ratio, with nominal columns, missing values (nan) and error-based pruning.

    With the same data it is Weka's J48: the same tree and the same probabilities. Nominal columns hold codes from 0 and
    are named in `nominal` with the number of their declared values; `classes` are the declared classes if some of them
    may have no cases. Both change a tree, so both are said, not guessed; `C45Classifier.of(data)` takes them from a
    data set.

    >>> from karat.datasets import load
    >>> iris = load("iris")
    >>> model = C45Classifier.of(iris).fit(iris.X, iris.y)
    >>> print(model.to_text(iris.attributes, iris.values, iris.classes))
    petal width (cm) <= 0.6: setosa (50.0)
    petal width (cm) > 0.6
    |   petal width (cm) <= 1.7
    |   |   petal length (cm) <= 4.9: versicolor (48.0/1.0)
    |   |   petal length (cm) > 4.9
    |   |   |   petal width (cm) <= 1.5: virginica (3.0)
    |   |   |   petal width (cm) > 1.5: versicolor (3.0/1.0)
    |   petal width (cm) > 1.7: virginica (46.0/1.0)

    Parameters
    ----------
    nominal : dict or DataSet, optional
        {column: number of declared values} of the nominal columns; all others are numeric.
    classes : list, optional
        Declared classes in their order; by default those of `y`, sorted.
    unpruned : bool
        Do not prune (Weka's -U); subtrees that do not reduce the training errors are still removed.
    laplace : bool
        Probabilities of leaves are (n_c + 1) / (n + classes) (-A).
    min_cases : int
        At least two branches of a split have this many cases (-M).
    confidence : float
        Confidence level of error-based pruning (-C).
    subtree_raising : bool
        Let the largest branch replace its node (without: -S).
    collapse : bool
        Remove subtrees that do not reduce the training errors.
    binary_splits : bool
        Separate one nominal value from all others (-B).
    """

    def __init__(
        self,
        *,
        nominal: Any = None,
        classes: Any = None,
        unpruned: bool = False,
        laplace: bool = False,
        min_cases: int = 2,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        collapse: bool = True,
        binary_splits: bool = False,
    ) -> None:
        self.nominal = nominal
        self.classes = classes
        self.unpruned = unpruned
        self.laplace = laplace
        self.min_cases = min_cases
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.binary_splits = binary_splits

    @property
    def rules(self) -> Rules:
        """The options as the kernels take them."""
        return Rules(
            least=self.min_cases,
            binary=self.binary_splits,
            collapse=self.collapse,
            prune=not self.unpruned,
            raising=self.subtree_raising,
            confidence=self.confidence,
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree. A weight counts as so many cases, and 0 leaves a case out: weights that sum to 1, as boosting
        makes them, have to be multiplied by the number of cases first (Weka does so), or no branch has `min_cases`."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_, codes = class_codes(y, self.classes, weight > 0)
        columns = Columns.of(X, nominal_columns(self.nominal))
        none = np.zeros((1, columns.width), np.uint8)
        (tree,) = trees(columns, codes, weight, len(self.classes_), none, self.rules)
        return self._fitted(tree)

    def _fitted(self, tree: Tree) -> Self:
        self.tree_ = tree
        self.n_leaves_ = tree.leaves
        self.n_nodes_ = tree.size
        return self

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of `classes_`. Missing and undeclared values go down all branches by the branches' weights."""
        X = self.new_cases(X)
        return self.tree_.probabilities(X, self.laplace)

    def to_text(
        self,
        names: Sequence[str] | None = None,
        values: Sequence[Sequence[str] | None] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> str:
        """The tree as Weka prints it."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if names is None else names
        return self.tree_.to_text(names, values, self.classes_.tolist() if classes is None else classes)


def fit_masked(
    model: C45Classifier, X: Any, y: Any, masks: Iterable[Iterable[int]], rows: Any = None
) -> list[C45Classifier]:
    """One copy of the model for each set of left-out columns, fitted to the same cases as if each had been alone.

    Nodes that hold the same cases in several trees are scored once, so this costs much less than fitting them one by
    one. `X` may be `Columns`, which are sorted once and serve many calls; `rows` are then the cases to fit to.
    """
    columns = X if isinstance(X, Columns) else Columns.of(_matrix(X), nominal_columns(model.nominal))
    y = np.asarray(y)
    if y.shape != (columns.cases,):
        raise InputError(f"y has the shape {y.shape}, but X has {columns.cases} cases; pass one class for each case.")
    weight = np.ones(columns.cases)
    if rows is not None:
        weight[:] = 0
        weight[rows] = 1
    classes, codes = class_codes(y, model.classes, weight > 0)
    table = _mask_table(masks, columns.width)
    if len(table) == 0:
        return []
    options, fitted = model.get_params(deep=False), []
    for tree in trees(columns, codes, weight, len(classes), table, model.rules):
        copy = type(model)(**options)
        copy.classes_, copy.n_features_in_ = classes, columns.width
        fitted.append(copy._fitted(tree))
    return fitted


def _matrix(X: Any) -> Array:
    matrix: Array = np.asarray(X, float)
    if matrix.ndim != 2 or np.isinf(matrix).any():
        raise InputError(f"X has the shape {matrix.shape}; pass a matrix (cases, columns) of finite numbers or nan.")
    return matrix


def _mask_table(masks: Iterable[Iterable[int]], width: int) -> Array:
    table = []
    for mask in masks:
        left_out = np.asarray(list(mask), int)
        if len(left_out) and not (left_out.min() >= 0 and left_out.max() < width):
            raise InputError(f"a mask names the columns {left_out.tolist()}, but the columns are 0 to {width - 1}.")
        row = np.zeros(width, np.uint8)
        row[left_out] = 1
        table.append(row)
    return np.array(table, np.uint8).reshape(len(table), width)
