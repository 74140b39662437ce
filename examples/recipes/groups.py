"""
By group: does it work for everybody?
=====================================

Recall at two hospitals. A largest difference is never exactly zero; the test says whether it is more than
chance.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import karat

rng = np.random.default_rng(2)
data = load_breast_cancer()
y = data.target_names[data.target]
site = rng.choice(["north", "south"], len(y))
X = data.data[:, :6] + (site == "south")[:, None] * rng.normal(0, 2.0 * data.data[:, :6].std(axis=0), (len(y), 6))
parts = train_test_split(X, y, site, test_size=0.6, stratify=y, random_state=1)
X_train, X_test, y_train, y_test, _, site_test = parts
e = karat.evaluate_estimator(GaussianNB().fit(X_train, y_train), X_test, y_test, positive="malignant")

# %%
# The scanner of the south is noisier.

g = e.by(site_test)
print(g["recall"])
print(g.gap("recall"))
g.plot("recall")
