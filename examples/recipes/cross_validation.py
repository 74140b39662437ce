"""
A cross-validated comparison
============================

Two models that are not trained yet. Folds share training cases, so a plain t-test of fold values is too sure;
the corrected one is not.
"""

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import karat

X, y = load_wine(return_X_y=True)
models = {"naive Bayes": GaussianNB(), "logistic": make_pipeline(StandardScaler(), LogisticRegression())}
c = karat.compare_estimators(models, X[:, :4], y, cv=5, workers=1, progress=False)
print(c.verdict)

# %%
# The table marks what has no significant difference from the best value of its row.

print(c.summary())
c.plot("confusion_matrix")
