"""Pages of the site that nobody writes: what is declared of measures, diagrams, comparisons, findings, studies and
commands becomes a page for each, an index for each kind, and tables of names elsewhere."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from finding_examples import example_of as finding_example
from measure_facts import intervals_of, relations_of
from worked_example import example_of, slug
from worked_steps import label

import karat
from karat.core.elsewhere import names_elsewhere
from karat.core.explanation import Explanation
from karat.core.measure import Invariance, Trait
from karat.page.mathml import mathml

KINDS = {
    "measures": ("Measures", "What one number says about a classifier."),
    "diagrams": ("Diagrams", "What a picture shows that one number can't."),
    "comparisons": ("Comparisons", "Tests and intervals of differences."),
    "findings": ("Findings", "What karat notices by itself, and says in a sentence."),
    "studies": ("Studies", "Experiments about measures."),
}
SKIPPED = ("title", "name", "question", "shows", "formula", "symbol", "code", "options", "kind")
"""Facts that stand elsewhere on a page than in its table."""


CLAIMS = ("influenced by", "invariant under")
IN_WORDS = {"value per class": "of one class", "same for both": "whichever of two classes is positive"}
LAST = (
    "influenced by",
    "invariant under",
    "of one class",
    "whichever of two classes is positive",
    "citation",
    "known elsewhere as",
)
"""The order of the last facts; names elsewhere are many."""


def claimed(names: Iterable[str]) -> str:
    """Traits or invariances in words.

    >>> claimed(["ranking"])
    'the order of the cases, the predicted classes unchanged'
    """
    words = {claim.name.lower(): claim.meaning for claim in (*Trait, *Invariance)}
    return "; ".join(words[name] for name in names)


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    return {"parallel_read_safe": True}


def write(docs: Path) -> None:
    """All generated pages below `reference/` and `coming_from/`; one whose text is as before is left alone."""
    reference = docs / "reference"
    for kind, (title, about) in KINDS.items():
        things = registry(kind)
        pages = {slug(key): page(kind, key, thing) for key, thing in things.items()}
        clear(reference / kind, pages)
        for name, text in pages.items():
            put(reference / kind / f"{name}.md", text)
        put(reference / f"{kind}.md", index(kind, title, about, things))
    put(reference / "index_of_names.md", names())
    put(reference / "traits.md", traits())
    put(reference / "command_line.md", commands())
    put(reference / "python.md", python_pages(reference / "python"))
    libraries = {row.library for row in names_elsewhere()}
    for library in sorted(libraries):
        put(docs / "coming_from" / f"{slug(library)}.md", coming_from(library))


def clear(folder: Path, pages: Iterable[str]) -> None:
    """Without pages of what is no longer declared."""
    for path in folder.glob("*.md"):
        if path.stem not in pages:
            path.unlink()


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def registry(kind: str) -> Mapping[str, Any]:
    return getattr(karat.catalogue, "checks" if kind == "findings" else kind)


def explained(kind: str, key: str) -> Explanation:
    return karat.explain(key, kind={"studies": "study"}.get(kind, kind.removesuffix("s")))


def heading(kind: str, key: str, thing: Any) -> str:
    if kind == "findings":
        return f"{explained(kind, key).facts['question']} ({key})"
    title = getattr(thing, "title", "") if kind == "measures" else ""
    return f"{title} ({key})" if title and title != key else title or key.replace("_", " ").replace("-", " ")


def page(kind: str, key: str, thing: Any) -> str:
    """The page of one thing."""
    told = explained(kind, key)
    facts = {name: text for name, text in told.lines.items() if name not in SKIPPED}
    facts |= {"family": facts["family"].replace("_", " ")} if "family" in facts else {}
    facts |= {IN_WORDS[name]: facts.pop(name) for name in IN_WORDS if name in facts}
    facts |= {name: claimed(told.facts[name]) for name in CLAIMS if told.facts.get(name)}
    facts |= {name: facts.pop(name) for name in LAST if name in facts}
    asks = "" if kind == "findings" else told.facts.get("question") or told.facts.get("shows") or ""
    parts = [f"# {heading(kind, key, thing)}", asks]
    if formula := told.facts.get("formula"):
        lines = f"{label(key)} = {formula}".split(r",\quad")  # what its letters are stands below it
        parts.append("".join(f'<div class="formula">{mathml(line.strip())}</div>' for line in lines))
    call, more = PARTS[kind](key, thing)
    parts += [call, table({"": facts.keys(), " ": facts.values()}, "facts"), more]
    return "\n\n".join(filter(None, parts)) + "\n"


def of_measure(key: str, thing: Any) -> tuple[str, str]:
    call = f'```python\ne = karat.evaluate(y_true, y_proba)\ne["{key}"]  # or karat.measures.{thing.name}(...)\n```'
    return call, "\n\n".join(filter(None, (example_of(thing), relations_of(thing), intervals_of(thing))))


def of_diagram(key: str, thing: Any) -> tuple[str, str]:
    options = thing.options()
    picture = f"![{key}](../../gallery/{key}.svg)" if (GALLERY / f"{key}.svg").exists() else ""
    call = f"```python\nkarat.diagrams.{key}(y_true, y_proba).plot()\n```" if thing.made_from == "predictions" else ""
    listed = "Options: " + ", ".join(f"`{name}`" for name in options) + "." if options else ""
    return "\n\n".join(filter(None, (picture, call))), listed


def of_study(key: str, thing: Any) -> tuple[str, str]:
    options = ", ".join(f"`{name}`" for name in explained("studies", key).facts["options"])
    call = f"```sh\nkarat study {key} -o {key}.csv\n```"
    listed = f"Options: {options}. `karat study {key} --help` explains them."
    return call, f"{listed}\n\n{described('autoclass', f'{thing.__module__}.{thing.__name__}')}"


def described(directive: str, path: str) -> str:
    """What its docstring says, without a second entry in the index."""
    return f"```{{eval-rst}}\n.. {directive}:: {path}\n   :no-index:\n```"


def of_finding(key: str, thing: Any) -> tuple[str, str]:
    links = [f"[{symbol}](../measures/{slug(symbol)}.md)" for symbol in thing.measures]
    links += [f"[{thing.diagram}](../diagrams/{slug(thing.diagram)}.md)"] if thing.diagram else []
    return f"To look at: {', '.join(links)}." if links else "", finding_example(key)


PARTS: dict[str, Callable[[str, Any], tuple[str, str]]] = {
    "measures": of_measure,
    "diagrams": of_diagram,
    "comparisons": lambda key, thing: ("", described("autofunction", thing.path)),
    "findings": of_finding,
    "studies": of_study,
}
CLASSES = ("Accumulator", "Comparison", "Evaluation", "InputError")
GALLERY = Path(__file__).parents[1] / "gallery"


def index(kind: str, title: str, about: str, things: Mapping[str, Any]) -> str:
    """The list of all of a kind; measures by family."""
    groups: dict[str, list[str]] = {}
    for key, thing in things.items():
        groups.setdefault(thing.family.replace("_", " ") if kind == "measures" else "", []).append(key)
    parts = [f"# {title}", f"{about} {len(things)} in all."]
    for group, keys in groups.items():
        parts.append(f"## {group.capitalize()}" if group else "")
        links = [f"[{heading(kind, key, things[key])}]({kind}/{slug(key)}.md)" for key in keys]
        asks = [explained(kind, key).facts.get("question") or explained(kind, key).facts.get("shows") for key in keys]
        parts.append(markdown({"finding": links} if kind == "findings" else {"name": links, "question": asks}))
    toctree = "\n".join(f"{kind}/{slug(key)}" for key in things)
    return "\n\n".join(filter(None, parts)) + f"\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"


def names() -> str:
    """Every name that a measure has, of karat and elsewhere."""
    rows: dict[str, str] = {}
    for key, thing in karat.catalogue.measures.items():
        for name in (key, thing.title, thing.name, *thing.aliases):
            rows.setdefault(name, key)
    for name in karat.catalogue.diagrams:
        rows.setdefault(name, f"diagram {name}")
    ordered = sorted(rows, key=str.casefold)
    where = [
        f"[{rows[n]}](diagrams/{slug(n)}.md)"
        if rows[n].startswith("diagram ")
        else f"[{rows[n]}](measures/{slug(rows[n])}.md)"
        for n in ordered
    ]
    parts = ["# Index of names", "By [name, symbol and alias](#names), by [family](#families), by [trait](#traits)."]
    parts += ["## Names", markdown({"name": ordered, "is": where})]
    measures = karat.catalogue.measures
    families: dict[str, list[str]] = {}
    for key, thing in measures.items():
        families.setdefault(thing.family.replace("_", " "), []).append(key)
    parts += ["## Families", markdown({"family": families, "measures": [linked(keys) for keys in families.values()]})]
    held = {f"influenced by {t.name.lower()}": [k for k, m in measures.items() if t in m.traits] for t in Trait}
    held |= {f"same under {i.name.lower()}": [k for k, m in measures.items() if i in m.invariant] for i in Invariance}
    parts += ["## Traits", markdown({"trait": held, "measures": [linked(keys) for keys in held.values()]})]
    return "\n\n".join(parts) + "\n"


def linked(keys: Iterable[str]) -> str:
    return ", ".join(f"[{key}](measures/{slug(key)}.md)" for key in keys)


def traits() -> str:
    """The computed table of traits: what influences each measure, and what does not change it."""
    measures = karat.catalogue.measures
    columns: dict[str, Iterable[str]] = {"measure": [f"[{key}](measures/{slug(key)}.md)" for key in measures]}
    for trait in Trait:
        columns[trait.name.lower()] = ["✓" if trait in m.traits else "" for m in measures.values()]
    for invariance in Invariance:
        columns[f"same under {invariance.name.lower()}"] = [
            "✓" if invariance in m.invariant else "" for m in measures.values()
        ]
    about = (
        "What influences a measure, and what leaves it as it is. Every mark was found by experiment: a claim that does"
        " not hold, and a trait that is not claimed, both fail karat's tests."
    )
    groups = (
        "## Which measures say the same\n\nMeasures that join far to the left rank models alike: 30 data sets, six"
        " learners, after [Ferri et al.](../reproductions/ferri2009.md). Each measure's page names its nearest"
        " relatives.\n\n"
        "![Dendrogram of measures](../reproductions/ferri2009-correlation/correlation-all-spearman.svg)"
    )
    return f"# Traits\n\n{about}\n\n{markdown(columns)}\n\n{groups}\n"


def commands() -> str:
    """What `--help` says of each command."""
    import typer

    from karat.cli.main import ORDER, application, help_of

    tree = typer.main.get_command(application())
    parts = ["# Command line", "Exit code 0: well; 1: a gate failed; 2: bad input, with one line that says what to do."]
    known = [name for name in ORDER if name in tree.commands] + [n for n in tree.commands if n not in ORDER]
    for name in known:
        one = tree.commands[name]
        text, examples = help_of(one.callback) if one.callback else (one.help or "", [])
        rows = [
            (
                ", ".join(f"`{o}`" for o in (*p.opts, *p.secondary_opts)),
                " ".join((getattr(p, "help", "") or "").split()),
            )
            for p in one.params
            if p.name != "help"
        ]
        parts += [f"## karat {name}", " ".join(text.split())]
        if examples:
            parts.append("```sh\n" + "\n".join(examples) + "\n```")
        parts.append(markdown({"option": [r[0] for r in rows], "meaning": [r[1] for r in rows]}))
    return "\n\n".join(filter(None, parts)) + "\n"


def python_pages(folder: Path) -> str:
    """A page for each public name, from its docstring; the list of them."""
    public = [name for name in karat.__all__ if inspect.isroutine(getattr(karat, name)) or name in CLASSES]
    clear(folder, public)
    for name in public:
        directive = "autoclass" if name in CLASSES else "autofunction"
        members = "\n   :members:\n   :exclude-members: __init__" if name in CLASSES else ""
        put(folder / f"{name}.md", f"# karat.{name}\n\n```{{eval-rst}}\n.. {directive}:: karat.{name}{members}\n```\n")
    first = [(inspect.getdoc(getattr(karat, name)) or "").partition("\n\n")[0].replace("\n", " ") for name in public]
    rows = markdown({"name": [f"[`karat.{name}`](python/{name}.md)" for name in public], "gives": first})
    toctree = "\n".join(f"python/{name}" for name in public)
    also = (
        "Every measure is a function of `karat.measures`, every diagram one of `karat.diagrams`, by the names of"
        " [measures](measures.md) and [diagrams](diagrams.md)."
    )
    return f"# Python\n\n{rows}\n\n{also}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"


def differences() -> dict[str, dict[str, str]]:
    """Library to what its users should know besides the names, and how the names were checked."""
    with (Path(__file__).parent / "differences.csv").open(encoding="utf-8", newline="") as lines:
        return {row["library"]: row for row in csv.DictReader(lines)}


def coming_from(library: str) -> str:
    """Name for name, what another library's measures are called here."""
    rows = [row for row in names_elsewhere() if row.library == library]
    about = differences()[library]
    said = f"{about['differs']}\n\n**How these names were checked.** {about['seen']}"
    return f"# Coming from {library}\n\n{said}\n\n" + markdown({
        f"{library}": [f"`{row.name}`" for row in rows],
        "karat": [f'`e["{row.measure}"]`' if row.measure else "" for row in rows],
        "what differs": [row.note for row in rows],
    }) + "\n"  # fmt: skip


def markdown(columns: Mapping[str, Iterable[Any]]) -> str:
    lists = [[str(x).replace("|", "\\|").replace("\n", " ") for x in column] for column in columns.values()]
    if not lists or not lists[0]:
        return ""
    head = [f"| {' | '.join(columns)} |", "|" + "---|" * len(lists)]
    return "\n".join(head + [f"| {' | '.join(row)} |" for row in zip(*lists, strict=True)])


def table(columns: Mapping[str, Iterable[Any]], kind: str) -> str:
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(x))}</td>" for x in row) + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return f'<table class="{kind}"><tbody>{rows}</tbody></table>'
