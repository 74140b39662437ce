"""
A campaign: how many customers to contact
=========================================

An answer brings 50, a letter without one costs 3. The return curve has its maximum where the next letter no
longer pays.
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import karat

X, y = make_classification(4000, 10, n_informative=4, weights=[0.94], flip_y=0.02, random_state=5)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
p = LogisticRegression(max_iter=500).fit(X_train, y_train).predict_proba(X_test)
e = karat.evaluate(y_test, p)

# %%
# The best share of customers, and the profit, were chosen on these customers: on new ones expect less.

curve = e.diagram("roi", tp=50, fp=-3)
print(f"contact {curve.best_share:.0%} of the customers; profit {curve.best_profit:,.0f} on {len(y_test):,}")
curve.plot()

# %%
# The lift curve shows the same ranking without money: which share of the buyers is among the first so many
# customers?

e.plot("lift")
