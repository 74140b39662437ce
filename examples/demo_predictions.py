"""Makes the predictions that `karat demo` compares: three real models, ten-fold out-of-fold, on the Wisconsin breast
cancer data that comes with scikit-learn. Two are equally accurate, and what their probabilities are worth is not; the
third is sure of everything.

    python examples/demo_predictions.py
"""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

HERE = Path(__file__).resolve().parents[1] / "src" / "karat" / "cli" / "demo_data"
MODELS = {
    "random_forest": RandomForestClassifier(200, random_state=1),
    "adaboost": AdaBoostClassifier(random_state=1),
    "naive_bayes": GaussianNB(),
}


def main() -> None:
    data = load_breast_cancer()
    truth = data.target_names[data.target]
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    for name, model in MODELS.items():
        benign = cross_val_predict(model, data.data, truth, cv=folds, method="predict_proba")[:, 0]
        lines = [f"{y},{b:.6f},{1 - b:.6f}" for y, b in zip(truth, benign, strict=True)]
        (HERE / f"{name}.csv").write_text("\n".join(["y_true,p_benign,p_malignant", *lines]) + "\n")


if __name__ == "__main__":
    main()
