"""`karat demo`: three real models, and a report about them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, Reader
from karat.cli.output import print_json, say, show
from karat.core.words import arrow

if TYPE_CHECKING:
    from karat.evaluation import Evaluation

MODELS = ("random_forest", "adaboost", "naive_bayes")
Out = Annotated[Path, typer.Option("-o", "--out", help="Where the report goes.")]


@command
def demo(out: Out = Path("report.html"), as_json: AsJson = False) -> None:
    """Compare three real models, two of them equally accurate and not equally good (bundled predictions), and write a
    report about them."""
    if not as_json:
        from karat.page.report import check_path

        check_path(out)
    models = demo_models()
    if as_json:
        print_json({name: e.to_dict() for name, e in models.items()})
        return
    (a, one), (b, two), (c, three) = models.items()
    classes = ", ".join(map(str, one.classes))
    say(f"Three models on {one.n} breast tumours ({classes}), ten-fold out-of-fold predictions; * marks the best.\n")
    show(_side_by_side(models), right=4)
    acc, auc, calibration, surprise = ([e[symbol] for e in (one, two)] for symbol in ("Acc", "AUNU", "CalB", "LogL"))
    say(
        f"\nAccuracy can't tell {a} from {b} ({acc[0]:.3f} and {acc[1]:.3f}), nor can the other measures of decisions "
        f"or the ranking (AUNU {auc[0]:.3f} and {auc[1]:.3f}). But only {a} says what it knows: its probabilities are "
        f"{calibration[0]:.2f} away from the frequencies they stand for, those of {b} {calibration[1]:.2f} (CalB), and "
        f"the truth surprises {b} by {surprise[1]:.2f} bits a case instead of {surprise[0]:.2f} (LogL). {c} is less "
        f"accurate ({three['Acc']:.3f}) and sure of everything, so that the truth surprises it by {three['LogL']:.2f}."
    )
    say("\nkarat measures        lists every measure\nkarat explain CalB    says what one of them means")
    if find_spec("vl_convert") is None:
        say("\nA report needs vl-convert-python: pip install 'karat[report]'")
        return
    from karat.cli.report import write_report

    write_report(lambda: models, out, title="Three models on breast tumours")
    print(f"\nThe report is in {out.absolute()}\nOpen it in a browser.")


def demo_models() -> dict[str, Evaluation]:
    """The three models, evaluated."""
    folder = Path(__file__).parent / "demo_data"
    return Reader([str(folder / f"{name}.csv") for name in MODELS], positive="malignant").evaluations()


def _side_by_side(models: dict[str, Evaluation]) -> list[list[str]]:
    """One row for each headline measure: symbol, which way is better, the values (the best marked), the question."""
    from karat.catalogue import headline, measures
    from karat.core.arithmetic import TOLERANCE

    lines = [["measure", "", *models, "question"]]
    for symbol in headline:
        m = measures[symbol]
        values = [e[symbol] for e in models.values()]
        best = max((v * m.orientation for v in values if v == v), default=0.0) - TOLERANCE
        cells = [f"{v:.4f}{'*' if v * m.orientation >= best else ' '}" if v == v else "-" for v in values]
        lines.append([symbol, arrow(m.orientation), *cells, m.question])
    return lines
