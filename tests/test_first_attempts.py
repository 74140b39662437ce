"""What newcomers type first, by the habits of scikit-learn, PyCM, torchmetrics and yardstick: it works and gives the
number that they know, or one sentence says how it goes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import karat
from optional import metrics, pandas  # noqa: F401 - the tables name both

rng = np.random.default_rng(14)
n = 120
y = (rng.random(n) < 0.35).astype(int)
p = np.clip(0.25 * y + 0.75 * rng.random(n), 0.01, 0.99).round(3)
q = np.clip(0.45 * y + 0.55 * rng.random(n), 0.01, 0.99).round(3)
P, Q = np.column_stack([1 - p, p]), np.column_stack([1 - q, q])
pred = (p > 0.5).astype(int)
text = np.where(y == 1, "fraud", "ok")
text_pred = np.where(pred == 1, "fraud", "ok")
y3 = rng.integers(0, 3, n)
P3 = rng.dirichlet([1, 1, 1], n) * 0.5 + 0.5 * np.eye(3)[y3]
pred3 = P3.argmax(axis=1)


class Model:
    """What scikit-learn calls a fitted classifier."""

    classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> Model:
        return self

    def predict(self, X: Any) -> Any:
        return pred

    def predict_proba(self, X: Any) -> Any:
        return P


def namespace() -> dict[str, Any]:
    e, f = karat.evaluate(y, p), karat.evaluate(y, q)
    here = {name: value for name, value in globals().items() if not name.startswith("test_")}
    return here | {"e": e, "f": f, "e3": karat.evaluate(y3, P3), "X": np.zeros((n, 2)), "model": Model()}


NUMBERS = {
    # by the names of scikit-learn
    "e['accuracy']": "metrics.accuracy_score(y, pred)",
    "e['f1']": "metrics.f1_score(y, pred)",
    "e['f1_score']": "metrics.f1_score(y, pred)",
    "e['F1 score']": "metrics.f1_score(y, pred)",
    "e['precision']": "metrics.precision_score(y, pred)",
    "e['recall']": "metrics.recall_score(y, pred)",
    "e['roc_auc']": "metrics.roc_auc_score(y, p)",
    "e['ROC AUC']": "metrics.roc_auc_score(y, p)",
    "e['roc_auc_score']": "metrics.roc_auc_score(y, p)",
    "e['AUROC']": "metrics.roc_auc_score(y, p)",
    "e['average_precision']": "metrics.average_precision_score(y, p)",
    "e['log_loss']": "metrics.log_loss(y, p)",
    "e['logloss']": "metrics.log_loss(y, p)",
    "e['Log loss']": "metrics.log_loss(y, p)",
    "e['neg_log_loss']": "-metrics.log_loss(y, p)",
    "e['brier_score_loss']": "metrics.brier_score_loss(y, p)",
    "e['balanced_accuracy']": "metrics.balanced_accuracy_score(y, pred)",
    "e['Balanced accuracy']": "metrics.balanced_accuracy_score(y, pred)",
    "e['mcc']": "metrics.matthews_corrcoef(y, pred)",
    "e['matthews_corrcoef']": "metrics.matthews_corrcoef(y, pred)",
    "e['cohen_kappa_score']": "metrics.cohen_kappa_score(y, pred)",
    "e['kappa']": "metrics.cohen_kappa_score(y, pred)",
    "e['zero_one_loss']": "metrics.zero_one_loss(y, pred)",
    "e3['f1_macro']": "metrics.f1_score(y3, pred3, average='macro')",
    "e3['precision_weighted']": "metrics.precision_score(y3, pred3, average='weighted')",
    "e3['recall_micro']": "metrics.recall_score(y3, pred3, average='micro')",
    "e3['roc_auc_ovr']": "metrics.roc_auc_score(y3, P3, multi_class='ovr')",
    "e3['roc_auc_ovr_weighted']": "metrics.roc_auc_score(y3, P3, multi_class='ovr', average='weighted')",
    "e3['roc_auc_ovo']": "metrics.roc_auc_score(y3, P3, multi_class='ovo')",
    "e3['log_loss']": "metrics.log_loss(y3, P3)",
    "karat.measures.mcc(y, p)": "metrics.matthews_corrcoef(y, pred)",
    "karat.measures.mcc(y, pred)": "metrics.matthews_corrcoef(y, pred)",
    "karat.measures.f1(y, pred)": "metrics.f1_score(y, pred)",
    "karat.measures.f1_score(y, pred)": "metrics.f1_score(y, pred)",
    "karat.measures.accuracy(text, text_pred)": "metrics.accuracy_score(y, pred)",
    "karat.measures.roc_auc(y, p)": "metrics.roc_auc_score(y, p)",
    "karat.measures.roc_auc(y_true=y, y_score=p)": "metrics.roc_auc_score(y, p)",
    "karat.measures.roc_auc(y, 3 * p - 7)": "metrics.roc_auc_score(y, p)",
    "karat.measures.log_loss(y, P)": "metrics.log_loss(y, p)",
    "karat.measures.balanced_accuracy(y, p)": "metrics.balanced_accuracy_score(y, pred)",
    "karat.evaluate(y, p, pred)['f1']": "metrics.f1_score(y, pred)",
    "karat.evaluate(text, y_pred=text_pred, positive='fraud')['recall']": "metrics.recall_score(y, pred)",
    "karat.evaluate(y.reshape(-1, 1), p.reshape(-1, 1))['roc_auc']": "metrics.roc_auc_score(y, p)",
    "karat.evaluate(y, P.astype('float32'))['accuracy']": "metrics.accuracy_score(y, pred)",
    "karat.evaluate(list(y), list(p))['accuracy']": "metrics.accuracy_score(y, pred)",
    "karat.evaluate_matrix(metrics.confusion_matrix(y, pred))['mcc']": "metrics.matthews_corrcoef(y, pred)",
    "karat.evaluate(y, y_score=p)['roc_auc']": "metrics.roc_auc_score(y, p)",
    "karat.catalogue.measures['f1'](y, p)": "metrics.f1_score(y, pred)",
    "karat.evaluate_estimator(model, X, y)['roc_auc']": "metrics.roc_auc_score(y, p)",
    "dict(e)['MCC']": "metrics.matthews_corrcoef(y, pred)",
    "e.get('mcc')": "metrics.matthews_corrcoef(y, pred)",
    "dict(e.items())['MCC']": "metrics.matthews_corrcoef(y, pred)",
    "e.to_dict()['measures']['MCC']": "metrics.matthews_corrcoef(y, pred)",
    "karat.diagrams.roc_curve(y, p).area": "metrics.roc_auc_score(y, p)",
    "karat.compare(e, f)['model 1', 'model 2']['accuracy'].difference": (
        "metrics.accuracy_score(y, pred) - metrics.accuracy_score(y, q > 0.5)"
    ),
    "karat.compare({'a': p, 'b': q}, y).models['a']['mcc']": "metrics.matthews_corrcoef(y, pred)",
    # as people write names
    "e3['macro precision']": "metrics.precision_score(y3, pred3, average='macro')",
    "e3['f1 macro']": "metrics.f1_score(y3, pred3, average='macro')",
    "e3['weighted f1']": "metrics.f1_score(y3, pred3, average='weighted')",
    "e3['recall-weighted']": "metrics.recall_score(y3, pred3, average='weighted')",
    "e['binary_f1_score']": "metrics.f1_score(y, pred)",
    "e['BinaryJaccardIndex']": "metrics.jaccard_score(y, pred)",
    "e3['multiclass_f1_score']": "metrics.f1_score(y3, pred3, average='macro')",
    "e['CohenKappa']": "metrics.cohen_kappa_score(y, pred)",
    "e['Overall ACC']": "metrics.accuracy_score(y, pred)",
    "e['sensitivity']": "metrics.recall_score(y, pred)",
    "e['spec']": "metrics.recall_score(y, pred, pos_label=0)",
    "e['f1-score']": "metrics.f1_score(y, pred)",
    "e.values('f1')['F1Score']": "metrics.f1_score(y, pred)",
    "karat.compare({'a': pred, 'b': 1 - pred}, y, kind='predictions').models['a']['mcc']": (
        "metrics.matthews_corrcoef(y, pred)"
    ),
    "e.operating(cost={'fp': 1, 'fn': 5}).strategies[0].cost": (
        "((y == 0) & (pred == 1)).mean() + 5 * ((y == 1) & (pred == 0)).mean()"
    ),
}
"""What works, and the number that its user knows."""

WORKS = [
    "e.summary()",
    "e.keys()",
    "e.plot()",
    "e.plot('roc_curve')",
    "e.plot('confusion_matrix')",
    "e.plot('roc')",
    "e.plot('calibration_curve')",
    "e.to_markdown()",
    "e.to_latex()",
    "e.to_html()",
    "e.to_json()",
    "e.to_frame(backend='pandas')",
    "karat.compare([e, f]).summary()",
    "e.report()",
    "karat.report({'a': p, 'b': q}, y)",
    "karat.report({'a': e, 'b': f})",
    "karat.compare({'a': e, 'b': f}).summary()",
    "karat.compare({'a': p, 'b': q}, y).plot()",
    "karat.compare({'a': p, 'b': q}, y).plot('roc_curve')",
    "karat.compare({'a': p, 'b': q}, y).report()",
    "karat.compare({'a': p, 'b': q}, y).to_markdown()",
    "karat.diagrams.roc_curve(y, p).plot()",
    "karat.diagrams.cost_curve({'a': p, 'b': q}, y).plot()",
    "karat.diagrams.confusion_matrix(y, pred).plot()",
    "karat.diagrams.reliability(y, p, bins=10)",
    "karat.catalogue.diagrams['confusion_matrix'].from_predictions(y, pred).plot()",
    "karat.explain('MCC')",
    "karat.explain('roc_auc')",
    "karat.scorer('f1')",
    "karat.scorer('neg_log_loss')",
    "karat.compare_estimators({'a': model, 'b': model}, X, y)",
]

SENTENCES = {
    "karat.roc_curve(y, p)": "karat.diagrams.roc_curve",
    "karat.f1_score(y, pred)": "karat.measures.f1_score",
    "karat.metrics": "karat.measures",
    "karat.confusion_matrix(y, pred)": "matrix()",
    "karat.classification_report(y, pred)": "per_class()",
    "karat.cross_val_score(model, X, y)": "evaluate_estimator",
    "karat.ConfusionMatrix(actual_vector=y, predict_vector=pred)": "karat.evaluate",
    "karat.evalute(y, p)": "evaluate",
    "karat.measures.f1_scor(y, p)": "F1",
    "karat.measures.fbeta_score(y, pred, beta=2)": "beta",
    "karat.measures.f1(y, pred, average='macro')": "macro",
    "karat.measures.log_loss(y, pred)": "y_proba|probabilit",
    "karat.measures.roc_auc(text, p)": "positive",
    "karat.diagrams.roc_curv(y, p)": "roc_curve",
    "karat.diagrams.precision_recall_curve(y, p, pos_label=5)": "5",
    "e.f1": r"e\['f1'\]",
    "e.confusion_matrix": r"matrix\(\)",
    "e.ci()": r"intervals\(\)",
    "e.to_pandas()": "to_frame",
    "e['f1_scor']": "Did you mean",
    "e['xyzzy']": "karat measures",
    "e['r2']": "regression",
    "e.plot('rocc')": "roc",
    "e.intervals(confidence=0.9)": "level",
    "karat.evaluate(y, pred)": "y_pred",
    "karat.evaluate(y, pred.astype(float))": "y_pred",
    "karat.evaluate(text, text_pred)": "y_pred",
    "karat.evaluate(p, y)": "y_true|order",
    "karat.evaluate(y, y_prob=p)": "y_proba",
    "karat.evaluate(y, y_scores=p)": "y_score",
    "karat.evaluate(y, p, pos_label=2)": "positive",
    "karat.evaluate(y, p, average='macro')": r"macro",
    "karat.evaluate(y, p, threshold=0.3)": "y_pred",
    "karat.evaluate(preds=p, target=y)": "y_proba|y_true",
    "karat.evaluate(truth=y, estimate=p)": "y_true|y_pred",
    "karat.evaluate(model, X, y)": "evaluate_estimator",
    "karat.evaluate(metrics.confusion_matrix(y, pred))": "evaluate_matrix",
    "karat.evaluate(np.eye(2)[y], P)": "argmax",
    "karat.evaluate(y, 100 * p)": "y_score|between 0 and 1",
    "karat.evaluate(y, y_pred=P)": "y_proba",
    "karat.evaluate(y, P[:50])": "120",
    "karat.evaluate(y, np.where(y == 1, np.nan, p))": "nan|missing",
    "karat.evaluate(text, p)": "positive",
    "karat.evaluate(y)": "y_proba",
    "karat.evaluate()": "y_true",
    "karat.compare(p, q, y)": r"compare\(\{",
    "karat.compare(y, {'a': p})": r"compare\(\{|two",
    "karat.compare({'a': p, 'b': q})": "y_true",
    "karat.compare({'a': p}, y)": "two or more",
    "karat.report(p, y)": r"karat\.report\(\{",
    "karat.scorer('nonsense')": "karat measures|Did you mean|nearest",
    "karat.explain('nonsense')": "karat measures|Did you mean|nearest",
    "karat.evaluate_estimator(object(), X, y)": "predict_proba",
    "karat.catalogue.measures['F1'].at(b=2)": "beta",
    "karat.evaluate(pandas.DataFrame({'y': y, 'p': p}), 'y', 'p')": "column|y_true",
    # other attributes
    "e.roc_curve()": r"e\.plot\('roc_curve'\)",
    "e.plot_roc()": r"e\.plot\('roc_curve'\)",
    "e.to_csv('x.csv')": r"to_frame\(\)\.to_csv",
    "e.save('x')": "to_json",
    "e.score": r"e\['mcc'\]",
    "e.TP": r"matrix\(\)",
    "e.compare(f)": r"karat\.compare\(\{",
    "e.at_threshold(0.3)": "y_pred=",
    "e.compute()": r"values\(\)",
    "e.warnings": r"findings\(\)",
    "e.nonsense": r"help\(karat\.Evaluation\)",
    "karat.compare(e, f).winner": "verdict",
    "karat.compare(e, f).p_values": r"\.p",
    "karat.compare(e, f)['model 1', 'model 2']['mcc'].pvalue": r"use \.p\.",
    "karat.compare(e, f)['model 1', 'model 2'].p": r"\['mcc'\]\.p",
    "e.intervals('f1').low": r"\['mcc'\]\.low",
    "e.intervals('f1')['f1'].lower": r"use \.low\.",
    "e.per_class().to_pandas()": "to_frame",
    "karat.diagrams.roc_curve(y, p).auc": r"use \.area",
    "karat.diagrams.roc_curve(y, p).savefig('x.png')": r"\.save\(path\)",
    "karat.diagrams.roc_curve(y, p).figure_": r"plot\(\) first",
    "karat.diagrams.RocCurveDisplay.from_predictions(y, p)": "karat.diagrams.roc_curve",
    "karat.diagrams.DetCurveDisplay": "karat.diagrams.det",
    "karat.diagrams.gain_chart": "lift",
    "karat.diagrams.nonsense": "karat.catalogue.diagrams",
    "karat.plot_roc_curve(y, p)": "karat.diagrams.roc_curve",
    "karat.get_scorer_names()": "karat.catalogue.measures",
    "karat.delong_test(e, f)": "compare",
    "karat.read_csv('x.csv')": "accumulate",
    "karat.version": "__version__",
    "karat.accuracy_vec(y, pred)": "karat.measures.accuracy",
    "karat.BinaryAUROC()": "AUC",
    "karat.nonsense": r"help\(karat\)",
    "karat.catalogue.metrics": "karat.catalogue.measures",
    "karat.catalogue.measures.mcc": r"\['mcc'\] instead",
    "karat.Accumulator().add(y, p)": "update",
    "karat.Accumulator().compute()": "evaluation",
    "karat.Evaluation(y, p)": r"karat\.evaluate\(y_true, y_proba\)",
    "karat.Evaluation(y)": r"karat\.evaluate\(y_true, y_proba\)",
    # other names of measures
    "e[['f1', 'mcc']]": r"e\.values\(\[",
    "e['f1', 'mcc']": r"e\.values\(\[",
    "e[0]": "by a str",
    "e[None]": "by a str",
    "e[metrics.f1_score]": "measure_from_function",
    "e['BinaryAUROC']": r"use AUC \(torchmetrics",
    "e['binary_auroc']": r"use AUC \(torchmetrics",
    "e['brier_class']": "use BrierLoss",
    "e['bal_accuracy']": "use BAcc",
    "e['f_meas']": "use F1",
    "e['MatthewsCorrCoef']": "use MCC",
    "e['gain_capture']": "use Gini",
    "e['geometric_mean_score']": "use GMean",
    "e['tn']": r"matrix\(\)",
    "e['support']": r"per_class\(\)",
    "e['macro avg']": "f1_macro",
    "e['lift']": r"diagram\('lift'\)",
    "e['macro mcc']": "all classes already",
    "e['StatScores']": r"matrix\(\)",
    # keywords
    "karat.evaluate(y, p, metrics=['f1'])": r"e\['f1'\]",
    "karat.evaluate(y, p, target_names=['no', 'yes'])": "rename",
    "karat.evaluate(y, p, weights=np.ones(n))": "pass sample_weight= instead",
    "karat.evaluate(y, p, n_bins=15)": r"at\(bins=15\)",
    "karat.evaluate(y, p, digits=3)": "to_dict",
    "karat.evaluate('predictions.csv')": "accumulate",
    "karat.evaluate(y, {'a': p, 'b': q})": r"karat\.compare\(\{",
    "karat.evaluate_matrix(tp=50, fp=3, fn=8, tn=20)": r"\[\[tn, fp\], \[fn, tp\]\]",
    "karat.evaluate_matrix({'a': {'a': 1, 'b': 2}, 'b': {'a': 3, 'b': 4}})": "DataFrame",
    "karat.measures.mcc()": "y_true",
    "karat.measures.mcc(preds=p, target=y)": "y_proba",
    "karat.measures.accuracy_score(y, pred, normalize=False)": "share",
    "karat.measures.cohen_kappa_score(y, pred, weights='quadratic')": "no weighted form",
    "karat.measures.f1_score(y3, pred3, average='weighted')": r"karat\.macro\('F1Score'\)",
    "karat.measure_from_function(metrics.f1_score)": "symbol=",
    "karat.compare({'a': p, 'b': q}, y, alpha=0.05)": r"level=0\.95",
    "karat.compare({'a': p, 'b': q}, y, metric='f1')": "measures='f1'",
    "karat.compare({'a': pred, 'b': pred}, y)": 'kind="predictions"',
    "karat.compare({'a': model, 'b': model}, X, y)": "compare_estimators",
    "karat.compare({'a': {'y_pred': pred}, 'b': {'y_pred': pred}}, y)": "karat.evaluate",
    "karat.compare()": r"karat\.compare\(\{",
    "karat.evaluate_estimator(model, X)": r"model, X, y",
    "karat.evaluate_estimator(model, X, y, cv=5, random_state=0)": "seed=0",
    "karat.evaluate_estimator(model, X, y, cv=5, n_jobs=2)": "workers=2",
    "karat.evaluate_estimator(model, X, y, scoring='f1')": r"e\['f1'\]",
    "karat.compare_estimators(model, model, X, y)": r"compare_estimators\(\{",
    "karat.mcnemar(e, f)": r"mcnemar\(y_true, y_pred_1, y_pred_2\)",
    "karat.permutation_test(e, f, 'f1')": "Evaluation",
    "karat.equivalence(e, f, margin=0.02)": r"karat\.compare",
    "karat.dominance({'a': p, 'b': q}, y)": r"karat\.evaluate",
    "karat.findings_of({'a': p, 'b': q}, y)": r"karat\.evaluate",
    "karat.advise(y, p)": r"karat\.advise\(e",
    "karat.explain(e)": "MCC",
    "karat.explain()": "MCC",
    "karat.scorer()": "scorer",
    "karat.scorer(['f1', 'mcc'])": "one measure",
    "karat.report({'a': p, 'b': q}, y, output='x.html')": "path=",
    "e.report(__import__('io').StringIO())": "path",
    "e.per_class(output_dict=True)": "to_dict",
    "e.matrix(normalize='true')": "confusion_matrix",
    "e.summary(digits=2)": r"summary\(\)",
    "e.plot('roc', 'pr')": r"e\.plot\(",
    "e.plot(['roc', 'pr'])": "one diagram",
    "e.plot('mcc')": "is a measure",
    "e.plot(kind='roc')": r"e\.plot\('roc_curve'\)",
    "e.plot('roc_curve', figsize=(4, 4))": "subplots",
    "e.plot('roc_curve', title='x')": "set_title",
    "e.at_prevalence('1%')": "from 0 to 1",
    "e.operating(cost_fp=1, cost_fn=5)": "'fp': 1, 'fn': 5",
    "e3.operating({'fp': 1, 'fn': 5})": "positive=",
    "e.operating({'fp': 1})": "both",
    "e.intervals(method='wilson')": "analytic",
}
"""What does not work, and a word of the sentence that says how it goes."""


@pytest.fixture(autouse=True)
def no_screen() -> Any:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("code", NUMBERS)
def test_a_familiar_call_gives_the_familiar_number(code: str) -> None:
    here = namespace()
    expected = float(eval(NUMBERS[code], here))
    assert float(eval(code, here)) == pytest.approx(expected, rel=1e-12 if "float32" not in code else 1e-6)


@pytest.mark.parametrize("code", WORKS)
def test_a_first_call_works(code: str) -> None:
    if "pandas" in code:
        pandas.DataFrame  # noqa: B018 - skips where it is not installed
    assert eval(code, namespace()) is not None


@pytest.mark.parametrize("code", SENTENCES)
def test_a_first_call_that_fails_says_how_it_goes(code: str) -> None:
    with pytest.raises((karat.InputError, AttributeError, TypeError)) as caught:
        eval(code, namespace())
    said = str(caught.value)
    assert re.search(SENTENCES[code], said), said
    assert "\n" not in said
    assert len(said) < 400, said
    assert "unexpected keyword" not in said, said
    assert "positional argument" not in said, said
    assert "object has no attribute" not in said, said
