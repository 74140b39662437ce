"""The commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.terminal import say, say_named, show
from karat.core.words import arrow, direction

if TYPE_CHECKING:
    from karat.evaluation import Evaluation

app = typer.Typer(
    name="karat",
    help="What a classifier is really worth.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


DEMO = ("random_forest", "adaboost", "naive_bayes")
Out = Annotated[Path, typer.Option("-o", "--out", help="Where the report goes.")]


@app.command()
def demo(out: Out = Path("report.html"), as_json: AsJson = False) -> None:
    """Compare three real models, two of them equally accurate and not equally good (bundled predictions), and write a
    report about them."""
    if not as_json:
        from karat.page.report import check_path

        check_path(out)
    models = {name: _evaluated(name) for name in DEMO}
    if as_json:
        print(json.dumps({name: e.to_dict() for name, e in models.items()}, indent=2))
        return
    (a, one), (b, two), (c, three) = models.items()
    classes = ", ".join(map(str, one.classes))
    say(f"Three models on {one.n} breast tumours ({classes}), ten-fold out-of-fold predictions; * marks the best.\n")
    show(_comparison(models), right=4)
    acc, auc, calibration, surprise = ([e[symbol] for e in (one, two)] for symbol in ("Acc", "AUNU", "CalB", "LogL"))
    say(
        f"\nAccuracy can't tell {a} from {b} ({acc[0]:.3f} and {acc[1]:.3f}), nor can the other measures of decisions "
        f"or the ranking (AUNU {auc[0]:.3f} and {auc[1]:.3f}). But only {a} says what it knows: its probabilities are "
        f"{calibration[0]:.2f} away from the frequencies they stand for, those of {b} {calibration[1]:.2f} (CalB), and "
        f"the truth surprises {b} by {surprise[1]:.2f} bits a case instead of {surprise[0]:.2f} (LogL). {c} is less "
        f"accurate ({three['Acc']:.3f}) and sure of everything, so that the truth surprises it by {three['LogL']:.2f}."
    )
    say("\nkarat measures        lists every measure\nkarat explain CalB    says what one of them means")
    from importlib.util import find_spec

    from karat.cli.report import write

    if find_spec("vl_convert") is None:
        say("\nA report needs vl-convert-python: pip install 'karat[report]'")
        return
    write(models, out, title="Three models on breast tumours")
    print(f"\nThe report is in {out.absolute()}\nOpen it in a browser.")


def _evaluated(name: str) -> Evaluation:
    import csv

    from karat.evaluation import evaluate

    with (Path(__file__).parent / "demo" / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    classes = ["benign", "malignant"]
    proba = [[float(row[f"p_{c}"]) for c in classes] for row in rows]
    return evaluate([row["y_true"] for row in rows], proba, labels=classes, positive="malignant")


def _comparison(models: dict[str, Evaluation]) -> list[list[str]]:
    """One row for each headline measure: symbol, which way is better, the values (the best marked), the question."""
    from karat.catalogue import headline, measures
    from karat.core.arithmetic import TOLERANCE

    lines = [["measure", "", *models, "question"]]
    for symbol in headline:
        m = measures[symbol]
        values = [e[symbol] for e in models.values()]
        best = max((v * m.orientation for v in values if v == v), default=0.0) - TOLERANCE
        shown = [f"{v:.4f}{'*' if v * m.orientation >= best else ' '}" if v == v else "-" for v in values]
        lines.append([symbol, arrow(m.orientation), *shown, m.question])
    return lines


@app.command()
def measures(
    family: Annotated[str | None, typer.Option(help="Only this family, for example ranking.")] = None,
    traits: Annotated[bool, typer.Option("--traits", help="What each is influenced by and invariant under.")] = False,
    as_json: AsJson = False,
) -> None:
    """List every measure: its symbol, which way is better, its family, and the question that it answers."""
    from karat.catalogue import measures as declared
    from karat.core.errors import InputError

    families = list(dict.fromkeys(m.family for m in declared.values()))
    if family is not None and family not in families:
        raise InputError(f"there is no family {family!r}; the families are {', '.join(families)}.")
    chosen = [m for m in declared.values() if family in (None, m.family)]
    if as_json:
        print(json.dumps([_facts(m) for m in chosen], indent=2))
    elif traits:
        from karat.core.measure import Invariance, Trait
        from karat.studies.traits import table

        found = table(chosen)
        show([list(found.columns), *found.rows])
        for title, claims in (("influenced by", Trait), ("invariant under", Invariance)):
            say(f"\n{title}\n" + "\n".join(f"  {claim}  {claim.meaning}" for claim in claims))
    else:
        rows = [[m.symbol, arrow(m.orientation), m.family, m.question] for m in chosen]
        show([["symbol", "", "family", "question"], *rows])


def _symbols(incomplete: str) -> list[str]:
    """For the shell to complete."""
    from karat.catalogue import measures

    return [symbol for symbol in measures if symbol.startswith(incomplete)]


@app.command()
def explain(
    symbol: Annotated[str, typer.Argument(help="Symbol, name or alias of a measure.", autocompletion=_symbols)],
    as_json: AsJson = False,
) -> None:
    """Say all that is known of a measure: question, formula, range, traits, citation."""
    from karat.core.references import references
    from karat.measures.lookup import find

    facts = _facts(find(symbol))
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    cite = facts.pop("cite")
    facts["citation"] = str(references()[cite]) if cite else ""
    for name, value in facts.items():
        if value not in ("", None, []):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            say_named(name, text)


def _facts(m: Any) -> dict[str, Any]:
    from karat.core.measure import Invariance, Trait

    finite = [None if abs(x) == float("inf") else x for x in m.range]
    return {
        "symbol": m.symbol,
        "name": m.name,
        "aliases": list(m.aliases),
        "family": m.family,
        "question": m.question,
        "formula": m.formula,
        "range": finite if None in finite else list(m.range),
        "better": direction(m.orientation) or None,
        "by chance": m.chance,
        "influenced by": [t.name.lower() for t in Trait if t in m.traits],
        "invariant under": [i.name.lower() for i in Invariance if i in m.invariant],
        "undefined where": m.undefined,
        "of one class": m.classwise,
        "cite": m.cite,
    }


@app.command()
def versions(as_json: AsJson = False) -> None:
    """Print what karat runs on."""
    from karat import show_versions

    found = show_versions()
    print(json.dumps(found, indent=2) if as_json else "\n".join(f"{name:<14}{v}" for name, v in found.items()))


def _version(asked: bool) -> None:
    if asked:
        from karat import __version__

        print(f"karat {__version__}")
        raise typer.Exit


@app.callback()
def karat(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What a classifier is really worth."""
