"""Stored answers of PyCM, and Weka's kappa, about confusion matrices."""

from __future__ import annotations

import math

import karat
from peers import Asked, compare, load, named, stored

PYCM: dict[str, Asked] = {
    **named("Overall_CEN=CEN Overall_MCEN=MCEN Overall_MCC=MCC Overall_ACC=Acc RCI Kappa=KapS MutualInformation=MI"),
    **named(
        "ReferenceEntropy=H_X ResponseEntropy=H_Y ConditionalEntropy=H_Y|X AUPR=SensPPA_mean AUC=BAcc GI=BM Y=BM BM"
    ),
    **named("TPR TNR GM=GMean PLR=LRP NLR=LRN F2 F05=F0.5"),
    "DP": lambda e: e["DP"] / math.log(10),
    "IS": lambda e: math.log2(e["PPV"] / e["Prev"]),
    "LS": lambda e: e["PPV"] / e["Prev"],
    "ACC": lambda e: e["TPR"] * e["Prev"] + e["TNR"] * (1 - e["Prev"]),
    "Q": lambda e: (e["OR"] - 1) / (e["OR"] + 1),
    "Overall_RACC": lambda e: 1 - (1 - e["Acc"]) / (1 - e["KapS"]),
}
PYCM_NOT_OURS = set(
    named("AC1 AGF AGM ARI Alpha B BCD C CBA CI95 Chi_Squared CrossEntropy IBA KL KappaNoPrevalence KappaUnbiased")
    | named("LambdaA LambdaB OC OOC OP PI PValue Phi_Squared SE V")
)


@stored
def test_pycm_verified_cases() -> None:
    compared, not_ours = 0, set()
    for case in load("confusion/pycm_verified_cases.json")["cases"]:
        for asserted, expected in case["asserted"].items():
            name, _, positive = asserted.partition("[")
            if name in PYCM_NOT_OURS:
                not_ours.add(name)
                continue
            said = positive.strip(']"') or None
            e = karat.evaluate_matrix(case["matrix_rows_truth"], labels=case["classes"], positive=said)
            compared += compare(e, {asserted: PYCM[name]}, {asserted: expected})
    assert (compared, not_ours) == (46, PYCM_NOT_OURS)  # of 76


def test_one_class_always_decided() -> None:
    """Weka calls kappa 1 there."""
    e = karat.evaluate_matrix([[7, 0], [0, 0]])
    assert math.isnan(e["KapS"])
    assert e["MCC"] == 0
    assert e.why("KapS")
