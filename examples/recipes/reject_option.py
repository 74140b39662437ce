"""
A reject option: abstain when unsure
====================================

Doubtful cases go to a person. The more the model may leave open, the fewer errors it makes on the rest.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import karat

data = load_breast_cancer()
y = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data[:, :4], y, test_size=0.5, stratify=y, random_state=1)
model = GaussianNB().fit(X_train, y_train)
p = model.predict_proba(X_test)
e = karat.evaluate(y_test, p, labels=list(model.classes_), positive="malignant")
e.plot("coverage_risk")

# %%
# Predictions with some withheld are evaluated as they are. The matrix has a column for those left open, and
# measures of information count what they still tell.

answer = np.where(p.max(axis=1) >= 0.8, model.classes_[p.argmax(axis=1)], "?")
withheld = karat.evaluate(y_test, y_pred=answer, reject="?", positive="malignant")
print(withheld.matrix())
print("left open:", int((answer == "?").sum()), "of", len(answer))
print(f"information transferred (NIT): {withheld['NIT']:.3f}, without abstaining {e['NIT']:.3f}")
