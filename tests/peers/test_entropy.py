"""Stored answers of MATLAB, R and PyCM about the matrices of the MEG challenge."""

from __future__ import annotations

import karat
from peers import Asked, ask, compare, load, named, stored

MEG: dict[str, dict[str, Asked]] = {
    "published_table_3_decimals": named("k_X_given_Y=k_X|Y mu_XY=mu accuracy=Acc EMA NIT MCC")
    | {"one_minus_CEN": lambda e: 1 - e["CEN"]},
    "matlab_octave_full_precision": named(
        "nDeltaH=ET_DH n2MI=ET_2MI nVI=ET_VI nDHx=ETX_DH nDHy=ETY_DH nVIx=ETX_VI nVIy=ETY_VI k_X m_Y k_X_given_Y=k_X|Y"
        " m_Y_given_X=m_Y|X mu_XY=mu EMA NIT CEN_matlab=CEN MCC_matlab=MCC acc=Acc"
    ),
    "R_entropies": named(
        "H_X H_Y H_U_X=H_UX MI H_X_given_Y=H_X|Y H_Y_given_X=H_Y|X DeltaH_X=DH_X DeltaH_Y=DH_Y sum_DeltaH=DH sum_VI=VI"
        " k_X mu_XY=mu k_X_given_Y=k_X|Y EMA NIT"
    )
    | {"sum_H_U": lambda e: e["H_UX"] + e["H_UY"], "sum_2MI": lambda e: 2 * e["MI"]},
    "R_eve": named("kappa=KapS mcc=MCC01 acc=Acc")
    | {"one_minus_CEN": lambda e: 1 - e["CEN"], "one_minus_MCEN": lambda e: 1 - e["MCEN"]}
    | {"nmi": lambda e: e["MI"] / e["H_XY"]},
    "pycm": named(
        "Overall_ACC=Acc Overall_CEN=CEN Overall_MCEN=MCEN Overall_MCC=MCC RCI Kappa=KapS Mutual_Information=MI"
    )
    | named("Reference_Entropy=H_X Response_Entropy=H_Y Joint_Entropy=H_XY Conditional_Entropy=H_Y|X"),
}


@stored
def test_meg_matrices() -> None:
    cases = load("entropy/meg_mind_reading.json")["classifiers"]
    assert len(cases) == 10
    for case in cases:
        e = karat.evaluate_matrix(case["matrix_rows_truth"])
        table = "published_table_3_decimals"
        rounded = {k: (lambda e, a=a: round(float(ask(e, a)), 3)) for k, a in MEG[table].items()}
        assert compare(e, rounded, case[table]) == 7
        for peer in set(MEG) - {table}:
            answers = {key.replace(" ", "_"): value for key, value in case[peer].items()}
            assert compare(e, MEG[peer], answers) == len(MEG[peer])
