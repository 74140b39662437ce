"""
Drift: what changed between two months?
=======================================

In May more customers left, and the scores were blurred. Class frequencies explain one part of the change, the
rest is the model's.
"""

import numpy as np

import karat

rng = np.random.default_rng(4)


def month(share, noise, n=3000):
    """Labels and probabilities of a month."""
    y = (rng.random(n) < share).astype(int)
    score = rng.normal(1.6 * y - 0.8 + np.log(share / (1 - share)), 1.2 + noise)
    return y, 1 / (1 + np.exp(-score))


april, may = (karat.evaluate(*month(share, noise)) for share, noise in ((0.2, 0.0), (0.35, 0.8)))
changes = karat.shift(april, may)
print(changes)

# %%
# Ranking does not depend on how many customers leave, so a lower ROC AUC is the model's own.

print(f"ROC AUC {april['roc_auc']:.3f} -> {may['roc_auc']:.3f}")
may.plot("reliability")
