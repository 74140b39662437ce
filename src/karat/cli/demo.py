"""`karat demo`: three real models, and a report about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from karat.cli.main import command
from karat.cli.options import AsJson, Reader
from karat.cli.output import Form, form, print_json, say, working
from karat.cli.report import Out, write_report
from karat.core.documents import in_line
from karat.core.words import listed, number, p_value

if TYPE_CHECKING:
    from karat.comparisons.difference import Difference
    from karat.comparisons.model_comparison import Comparison
    from karat.evaluation import Evaluation

MODELS = ("random_forest", "adaboost", "naive_bayes")


@command
def demo(out: Out = Path("report.html"), as_json: AsJson = False) -> None:
    """Compare three real models on bundled predictions.

    Two of them are equally accurate, and not equally good. Writes a report about them, too.

    Examples
    --------
    karat demo
    karat demo -o breast_cancer.html
    karat demo --json
    """
    if not as_json:
        from karat.page.report import check_path

        check_path(out)
    models = demo_models()
    if as_json:
        print_json({name: e.to_dict() for name, e in models.items()})
        return
    from karat.cli.comparison_view import View, show_comparison
    from karat.comparisons.model_comparison import compare

    if form() is Form.TABLE:  # before anything is printed, whose reader may leave before its end
        write_report(demo_reader(), out, title="Three models on breast tumours")
    say("Breast tumours, benign or malignant: out-of-fold predictions of ten-fold cross-validation.\n")
    with working(f"comparison of {len(models)} models"):
        c = compare(models)
    show_comparison(View(c, hinted=False))
    say(f"\n{lesson(c)}")
    if form() is not Form.TABLE:
        return
    say(
        "\nNext:\n"
        "  karat evaluate YOURS.csv --intervals    your own predictions\n"
        "  karat explain ECE                       what a measure means\n"
        "  karat measures                          all measures"
    )
    print(f"\n{in_line(f'Wrote the report {out.absolute()}; open it in a browser.')}")


def demo_models() -> dict[str, Evaluation]:
    """The three models, evaluated."""
    return demo_reader().evaluations()


def demo_reader() -> Reader:
    """Their files."""
    folder = Path(__file__).parent / "demo_data"
    return Reader([str(folder / f"{name}.csv") for name in MODELS], positive="malignant")


def lesson(c: Comparison) -> str:
    """What accuracy says of the two most accurate models, and what the probabilities say."""
    accuracy = c.values_of("Acc")
    a, b = sorted(accuracy, key=lambda name: -accuracy[name])[:2]
    pair = c[a, b]
    by_accuracy = pair["Acc"]
    differ = "differ significantly" if by_accuracy.better else "do not differ significantly"
    sentence = f"By accuracy {a} and {b} {differ} ({_both(by_accuracy)})."
    lower: dict[str, list[str]] = {}
    for symbol in ("LogLoss", "ECE"):
        if better := pair[symbol].better:
            title = c.measure_of(symbol).title
            lower.setdefault(better, []).append(f"{title[0].lower()}{title[1:]} ({_both(pair[symbol])})")
    if by_accuracy.better or not lower:
        return sentence
    claims = [f"{name} has the lower {listed(titles)}" for name, titles in lower.items()]
    return f"{sentence} Their probabilities do: {'; '.join(claims)}."


def _both(d: Difference) -> str:
    return f"{number(d.values[0])} against {number(d.values[1])}, {p_value(d.adjusted)}"
