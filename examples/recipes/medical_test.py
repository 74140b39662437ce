"""
A medical test: unequal costs, another prevalence
=================================================

A missed tumour costs ten times as much as a false alarm, and in the clinic where the test is used one patient
in fifty is ill, not one in three.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import karat

data = load_breast_cancer()
y = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data[:, :6], y, test_size=0.5, stratify=y, random_state=1)
e = karat.evaluate_estimator(GaussianNB().fit(X_train, y_train), X_test, y_test, positive="malignant")

# %%
# Rows of the cost matrix are true classes (benign, malignant), columns predicted ones. ``prior`` are the
# frequencies of the clinic.

best = e.operating(cost=[[0, 1], [10, 0]], prior=[0.98, 0.02])
print(best)

# %%
# Every measure as it would be at that prevalence: recall stays, precision falls.

there = e.at_prevalence(0.02)
for name in ("recall", "precision"):
    print(f"{name:10} here {e[name]:.3f}   there {there[name]:.3f}")

# %%
# The cost curve shows all conditions at once: below the grey lines the model is better than treating
# everybody or nobody.

e.plot("cost_curve")
