"""What `karat study [NAME] --help` and `karat reproduce --help` show, read from what is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.cli.study import OWN_OPTIONS

if TYPE_CHECKING:
    import typer

    from karat.core.study import Study, StudyOption

IN_PLACE = {"": "", "matrices": "MATRICES...", "values": "RESULTS"}
"""How the files that a study takes are called in its usage."""
SHOWN_ABOVE = {"name", "files", "measures", "size", "option", "seed", "data"}
"""Parameters of the command that are shown as options of a study, or are the study."""


def help_of_all(context: typer.Context) -> str:
    """The help of the command, with all studies."""
    from karat.catalogue import studies

    return _with_list(context, "Studies", [(kind.name, kind.question) for kind in studies.values()])


def help_of_papers(context: typer.Context) -> str:
    """The help of `karat reproduce`, with all papers and what each can be given."""
    from karat.reproductions import PAPERS, inputs_of

    listed = []
    for key, paper in PAPERS.items():
        given = [f"--{name}" for name in inputs_of(paper)]
        takes = f" Takes {' and '.join(given)}." if given else ""
        drawn = f" Draws Figs. {numbers_in_words([f.number for f in paper.FIGURES])}."
        listed.append((key, " ".join((paper.__doc__ or "").split()) + takes + drawn))
    return _with_list(context, "Papers", listed)


def help_of_one(context: typer.Context, name: str) -> str:
    """The question, what is done, all options, and an example of one study."""
    from karat.catalogue import studies

    kind = studies[name]
    options = kind.options()
    seed = {"seed": options.pop("seed")}
    files = options.pop(kind.takes, None)
    formatter = context.make_formatter()
    formatter.write_usage(f"karat study {kind.name} {IN_PLACE[kind.takes]}".rstrip(), "[OPTIONS]")
    with formatter.indentation():
        for paragraph in (kind.question, *kind.description().split("\n\n")):
            formatter.write_paragraph()
            formatter.write_text(paragraph)
    if files is not None:
        with formatter.section("Arguments"):
            formatter.write_dl([(IN_PLACE[kind.takes], files.words)])
    with formatter.section(f"Options of {kind.name}"):
        formatter.write_dl([(_flag(kind, n, o), _described(o)) for n, o in (options | seed).items()])
    records = [p.get_help_record(context) for p in context.command.params if p.name not in SHOWN_ABOVE]
    with formatter.section("Options of every study"):
        formatter.write_dl([record for record in records if record is not None])
    with formatter.section("Examples"):  # on one line, however narrow the terminal is: they are copied
        formatter.write(f"  karat study {kind.name} {kind.example}".rstrip() + "\n")
    return str(formatter.getvalue()).rstrip()


def numbers_in_words(numbers: list[int]) -> str:
    """Neighbouring numbers as a range.

    >>> numbers_in_words([1, 2, 4, 5, 6])
    '1 to 2, 4 to 6'
    """
    ends: list[list[int]] = []
    for n in numbers:
        if ends and n == ends[-1][1] + 1:
            ends[-1][1] = n
        else:
            ends.append([n, n])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in ends)


def _with_list(context: typer.Context, head: str, listed: list[tuple[str, str]]) -> str:
    formatter = context.make_formatter()
    with formatter.section(head):
        formatter.write_dl(listed)
    return f"{context.get_help()}\n\n{formatter.getvalue().strip()}"


def _flag(kind: type[Study], name: str, option: StudyOption) -> str:
    """How an option is given on the command line.

    >>> from karat.studies import Population
    >>> [_flag(Population, name, Population.options()[name]) for name in ("measures", "draws", "method")]
    ['--measures <names>', '--size <int>', '--set method=<dirichlet|bootstrap>']
    """
    choices = option.kind.strip("{}").replace('"', "").replace(", ", "|")
    if name in OWN_OPTIONS or name == kind.size:
        return f"--{'size' if name == kind.size else name} <{choices}>"
    return f"--set {name}=<{choices}>"


def _described(option: StudyOption) -> str:
    """What it does, and its default if that can be shown in few words."""
    default = option.default
    if isinstance(default, tuple):
        default = None if default and isinstance(default[0], tuple) else ",".join(map(str, default))
    default = str(default).lower() if isinstance(default, bool) else default
    return option.words if default in (None, "") else f"{option.words}  [default: {default}]"
