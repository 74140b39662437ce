"""
A measure of your own, through every study
==========================================

A hospital counts a missed case five times and a false alarm once. Declared once, the measure has intervals,
comparisons, a scorer, and a place in the studies of measures.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import karat
from karat.statistics import Counts


@karat.measure(symbol="Harm", title="Harm per case", formula=r"(5 C_{21} + C_{12}) / n", range=(0, 5), best=0)
def harm(c: Counts):
    """How much harm is done per case, a missed one being five times as bad?"""
    table = c.table
    return (5 * table[..., 1, 0] + table[..., 0, 1]) / table.sum(axis=(-2, -1))


# %%
# On predictions, with an interval:

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 300)
p = np.clip(0.5 + 0.25 * (2 * y - 1) + rng.normal(0, 0.25, 300), 0.01, 0.99)
e = karat.evaluate(y, p)
print(e[harm], e.intervals([harm]))

# %%
# As a scorer of scikit-learn:

X, z = load_breast_cancer(return_X_y=True)
print(cross_val_score(LogisticRegression(max_iter=5000), X[:, :4], z, cv=3, scoring=karat.scorer(harm)))

# %%
# In a study: how often does noise make it choose the worse of two models? Lower is better.

study = karat.catalogue.studies["sensitivity"](measures=["Acc", "MCC", "AUNU", harm], repetitions=200, steps=5)
found = study.run(workers=1)
print(found["averages"])
next(iter(study.figures(found).values())).plot()
