"""
Many classes
============

Ten digits. One number for all of them hides which are confused.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import karat

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
e = karat.evaluate(y_test, GaussianNB().fit(X_train, y_train).predict_proba(X_test))
print({name: round(e[name], 3) for name in ("accuracy", "f1_macro", "mcc", "roc_auc_ovr", "NIT")})

# %%
# Each class against the rest, worst recall first.

table = e.per_class(["recall", "precision"])
rows = sorted(zip(*table.columns.values(), strict=True), key=lambda row: row[-2])
for row in rows[:3]:
    print(*row)

# %%
# Which are confused with which? Findings name the pair; the matrix shows all.

print(e.findings())
e.plot("confusion_matrix")
