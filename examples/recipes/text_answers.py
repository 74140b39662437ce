"""
A model that answers in text
============================

A language model was asked to sort messages. It answers in words, sometimes beside the point. karat never
guesses what an answer meant: map answers to classes yourself, and
give the rest as withheld.
"""

import numpy as np

import karat

rng = np.random.default_rng(0)
classes = np.array(["billing", "shipping", "other"])
y = rng.choice(classes, 400, p=[0.3, 0.3, 0.4])
texts = [
    f"Category: {t.title()}." if rng.random() < 0.8 else rng.choice(["I think this is billing", "Not sure, sorry."])
    for t in y
]


def parsed(text):
    """The one class that is named; nothing if none or several are."""
    named = [c for c in classes if c in text.lower()]
    return named[0] if len(named) == 1 else "?"


# %%
# Unparsed answers are a column of the confusion matrix. They count as wrong in accuracy, and are not dropped.

answers = [parsed(t) for t in texts]
e = karat.evaluate(y, y_pred=answers, reject="?", labels=list(classes))
print(e.summary())

# %%
# Dropping them makes the model look better than it is.

kept = np.array(answers) != "?"
dropped = karat.evaluate(y[kept], y_pred=np.array(answers)[kept], labels=list(classes))
print(f"accuracy of all {e['accuracy']:.3f}, of the parsed ones alone {dropped['accuracy']:.3f}")
e.plot("confusion_matrix")
