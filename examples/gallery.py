"""Draws every diagram from real predictions into docs/gallery.

    python examples/gallery.py [FOLDER]

Models are scikit-learn's, data sets too: breast tumours (two classes, a few features, so that the models err), and
handwritten digits (ten classes). All predictions are out of fold.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import karat

mpl.use("svg")
mpl.rcParams["figure.max_open_warning"] = 0
mpl.rcParams["svg.hashsalt"] = "karat"  # the same file from the same numbers

DIAGRAMS = karat.catalogue.diagrams
MODELS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "naive Bayes": GaussianNB,
    "forest": lambda: RandomForestClassifier(100, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
}


def out_of_fold(X: Any, y: Any) -> dict[str, Any]:
    return {name: cross_val_predict(make(), X, y, cv=5, method="predict_proba") for name, make in MODELS.items()}


def tumours() -> tuple[Any, Any]:
    """Four features only, so that the models err."""
    data = load_breast_cancer()
    return data.data[:, [1, 4, 8, 9]], np.where(data.target == 1, "benign", "malignant")


OPTIONS: dict[str, dict[str, Any]] = {
    "attributes": {"grouping": "width"},
    "cost_lines": {"cost_fn": 2},
    "probabilistic_confusion_matrix": {"view": "truth"},
    "roc_graph": {"cost_fn": 2},
    "roi": {"tp": 50, "fp": -3, "cases": 100_000, "prevalence": 0.05},
    "threshold_curve": {"measures": ["TPR", "PPV", "F1", "MCC"]},
}
"""What diagrams are told; most need nothing."""


def two_classes(y: Any, proba: dict[str, Any]) -> dict[str, Any]:
    """All diagrams of predictions: of all models, or of one where they can't be drawn over each other."""
    labels = ["benign", "malignant"]
    common: dict[str, Any] = {"labels": labels, "positive": "malignant"}
    decided = {model: np.asarray(labels)[p.argmax(axis=1)] for model, p in proba.items()}
    forest = proba["forest"]
    drawn: dict[str, Any] = {}
    for name, kind in DIAGRAMS.items():
        options = common | OPTIONS.get(name, {})
        if not kind.in_gallery or kind.made_from == "table":
            continue
        if kind.made_from == "models":
            drawn[name] = kind.from_predictions(y, y_pred=decided, **options).plot().figure_
        elif kind.apart == "always":
            drawn[name] = kind.from_predictions(y, forest, **options).plot().figure_
        else:
            ax = None
            for model, p in proba.items():
                ax = kind.from_predictions(y, p, name=model, **options).plot(ax).ax_
            drawn[name] = ax.figure
    for name, kind, options, style in (
        ("discrimination_density", "discrimination", {"shape": "density"}, {}),
        ("reliability_band", "reliability", {"name": "forest", "band": 0.95}, {}),
        ("roc_curve_hull_and_cost", "roc_curve", {"name": "forest", "cost_fn": 5}, {"hull": True}),
    ):
        drawn[name] = DIAGRAMS[kind].from_predictions(y, forest, **common, **options).plot(**style).figure_
    return drawn


def ten_classes() -> dict[str, Any]:
    """Digits: the classes against the rest, the triangles, the heat maps."""
    X, y = load_digits(return_X_y=True)
    proba = out_of_fold(X, y)
    decided = {model: p.argmax(axis=1) for model, p in proba.items()}
    every = {f"{name}_of_each_class": DIAGRAMS[name].for_each_class(y, proba["tree"]) for name in ("roc_curve", "lift")}
    drawn = {name: several.plot().figure_ for name, several in every.items()}
    drawn["reliability_multiples"] = (
        DIAGRAMS["reliability"].for_each_class(y, proba["naive Bayes"]).plot(layout="multiples").figure_
    )
    for name in ("entropy_triangle", "split_entropy_triangle"):
        drawn[name] = DIAGRAMS[name].from_predictions(y, y_pred=decided, cloud=200).plot().figure_
    matrix = DIAGRAMS["confusion_matrix"]
    drawn["confusion_matrix"] = matrix.from_predictions(y, proba["tree"], name="tree").plot().figure_
    drawn["confusion_matrix_blocks"] = (
        matrix.from_predictions(y, proba["tree"], name="tree, sorted", view="truth", order="blocks").plot().figure_
    )
    return drawn


def of_studies(X: Any, y: Any) -> dict[str, Any]:
    """Figures of many evaluations: values of measures over folds, ranks of models."""
    values: dict[str, list[float]] = {}
    symbols = [s for s in karat.catalogue.papers if s not in ("AU1U", "AU1P", "AUNP", "tMCC", "rCEN", "MPR", "PAUC")]
    by_model: dict[str, list[float]] = {}
    for model, make in MODELS.items():
        folds = cross_validate(make(), X, y, cv=10, return_estimator=True, return_indices=True)
        if model == "forest":
            several = DIAGRAMS["roc_curve"].from_cv_results(folds, X, y, positive="malignant")
        for estimator, test in zip(folds["estimator"], folds["indices"]["test"], strict=True):
            e = karat.evaluate(y[test], estimator.predict_proba(X[test]), labels=list(estimator.classes_))
            by_model.setdefault(model, []).append(e["MCC"])
            for s in symbols:
                values.setdefault(s, []).append(e[s] * karat.catalogue.measures[s].orientation)
    table = np.array(list(by_model.values()))
    ranks = (-table).argsort(axis=0).argsort(axis=0) + 1.0
    mean = dict(zip(by_model, ranks.mean(axis=1), strict=True))
    cd = 2.569 * np.sqrt(len(mean) * (len(mean) + 1) / (6 * table.shape[1]))  # Nemenyi, four models, 95 %
    best = table.max(axis=0)
    shares = {m: (float((v == best).mean()), float((v < best).mean())) for m, v in zip(by_model, table, strict=True)}
    noise = np.arange(0, 101, 10)
    rng = np.random.default_rng(0)
    wrong = {s: _wrong_choices(s, noise, rng) for s in ("Acc", "MCC", "AUNU", "MSE", "LogL")}
    return {
        "roc_curve_of_folds": several.plot().figure_,
        "dendrogram": DIAGRAMS["dendrogram"].of_values(values).plot().figure_,
        "critical_difference": DIAGRAMS["critical_difference"].of(mean, cd, datasets=table.shape[1]).plot().figure_,
        "ranks": DIAGRAMS["ranks"].of(dict(zip(by_model, ranks, strict=True))).plot().figure_,
        "win_loss_equal": DIAGRAMS["win_loss_equal"].of(shares).plot().figure_,
        "sensitivity": DIAGRAMS["sensitivity"].of(noise, wrong, axis="labels redrawn (%)").plot().figure_,
    }


def _wrong_choices(symbol: str, noise: Any, rng: Any) -> list[float]:
    """How often a measure prefers the worse of two models, as more labels are redrawn (a small cut of the study)."""
    m = karat.catalogue.measures[symbol]
    shares = []
    for level in noise:
        p = rng.random((400, 100))
        truth = np.where(rng.random(p.shape) < level / 100, rng.random(p.shape) > 0.5, p > 0.5).astype(int)
        one, two = (np.where(rng.random(p.shape) < share, rng.random(p.shape), p) for share in (0.1, 0.2))
        a, b = (karat.evaluate_batch(truth, q, [symbol])[symbol] * m.orientation for q in (one, two))
        shares.append(float((b > a).mean() + (a == b).mean() / 2))
    return shares


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    X, y = tumours()
    drawn = two_classes(y, out_of_fold(X, y)) | ten_classes() | of_studies(X, y)
    missing = {name for name, kind in DIAGRAMS.items() if kind.in_gallery} - set(drawn)
    assert not missing, f"the gallery lacks {missing}"
    for name, figure in drawn.items():
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
    lines = ["# Gallery", "", "Drawn by `python examples/gallery.py` from out-of-fold predictions of real models.", ""]
    for name in sorted(drawn):
        kind = max((d for d in DIAGRAMS if name.startswith(d)), key=len)
        lines += [f"### {name}", "", DIAGRAMS[kind].shows, "", f"![{name}]({name}.svg)", ""]
    (folder / "README.md").write_text("\n".join(lines))
    print(f"{len(drawn)} figures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "docs" / "gallery")
