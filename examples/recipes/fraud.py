"""
A rare class: fraud
===================

Two of a hundred transactions are fraudulent. A model can be 98 % accurate and find none of them.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import karat

X, y = make_classification(6000, 12, weights=[0.98], class_sep=0.9, flip_y=0.008, random_state=3)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
p = LogisticRegression(max_iter=500).fit(X_train, y_train).predict_proba(X_test)
e = karat.evaluate(y_test, p)
constant = karat.evaluate(y_test, y_pred=np.zeros_like(y_test), labels=[0, 1])

# %%
# Accuracy hardly differs from that of never raising an alarm; MCC and recall do.

for name in ("accuracy", "recall", "precision", "mcc"):
    print(f"{name:10} {e[name]:.3f}   never an alarm: {constant.value_or_nan(name):.3f}")
print(e.findings())

# %%
# With so few positives the precision-recall curve shows more than the ROC curve: its baseline is the share of
# positives.

e.plot("precision_recall")

# %%
# Few positives also mean wide intervals. Report them.

print(e.intervals("recall"))
