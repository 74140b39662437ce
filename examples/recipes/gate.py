"""
A gate in continuous integration
================================

A pipeline should stop if a new model is worse than it may be. ``karat gate`` exits with 1 then.
"""

import tempfile
from pathlib import Path

import numpy as np

from karat.cli.main import main

rng = np.random.default_rng(1)
y = rng.integers(0, 2, 600)
p = np.clip(0.5 + 0.28 * (2 * y - 1) + rng.normal(0, 0.22, 600), 0.01, 0.99)
file = Path(tempfile.mkdtemp()) / "predictions.csv"
file.write_text("y_true,p_0,p_1\n" + "".join(f"{t},{1 - q:.4f},{q:.4f}\n" for t, q in zip(y, p, strict=True)))

# %%
# Bounds on values, and on ends of intervals: ``.lo`` asks that the model is surely good enough.


def gate(*requirements):
    """The exit code of the command."""
    try:
        main(["gate", str(file), *(part for r in requirements for part in ("--require", r))])
    except SystemExit as end:
        return end.code
    return 0


print("exit code", gate("MCC>=0.6", "roc_auc.lo>=0.9"))
print("exit code", gate("ECE<=0.01"))

# %%
# The workflow of GitHub that goes with it:
#
# .. code-block:: yaml
#
#    jobs:
#      model:
#        runs-on: ubuntu-latest
#        steps:
#          - uses: actions/checkout@v4
#          - uses: actions/setup-python@v5
#            with: {python-version: "3.12"}
#          - run: pip install karat
#          - run: python train.py  # writes predictions.csv
#          - run: karat gate predictions.csv --require "MCC>=0.6" --require "roc_auc.lo>=0.9" --github
#          - run: karat report predictions.csv -o report.html
#            if: always()
#          - uses: actions/upload-artifact@v4
#            if: always()
#            with: {name: report, path: report.html}
