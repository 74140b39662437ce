"""
Calibration before and after
============================

Naive Bayes is too sure of itself. Recalibrated, it ranks as before, and its probabilities can be used.
"""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import karat

data = load_breast_cancer()
y = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data, y, test_size=0.5, stratify=y, random_state=1)
models = {
    "before": GaussianNB().fit(X_train, y_train),
    "after": CalibratedClassifierCV(GaussianNB(), cv=5).fit(X_train, y_train),
}
found = {name: karat.evaluate_estimator(m, X_test, y_test, positive="malignant") for name, m in models.items()}
print(found["before"].findings())

# %%
# Is the difference more than chance? Both models were tested on the same cases, so the comparison is paired.

c = karat.compare(found)
print(c.verdict)

# %%
# Where the forecasts lie, and how often they come true.

karat.diagrams.reliability({n: m.predict_proba(X_test) for n, m in models.items()}, y_test, positive="malignant").plot()
