"""Write the stub of this package, by which editors know the function of each diagram: its signature, what it shows.

python -m karat.diagrams.diagram_stub
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import karat.diagrams
from karat.diagrams.calls import signature_of
from karat.diagrams.diagram import diagram, diagrams

STUB = Path(__file__).with_name("__init__.pyi")


def stub() -> str:
    """The text of the stub."""
    package: Any = karat.diagrams
    homes = {name: getattr(getattr(package, name), "__module__", "") for name in package.__all__}
    homes["diagrams"] = diagram.__module__
    lines = ['"""What editors know of `karat.diagrams`; `python -m karat.diagrams.diagram_stub` writes it."""']
    lines += ["", "from collections.abc import Mapping, Sequence", "from typing import Any, Literal, overload", ""]
    lines += [f"from {home} import {name} as {name}" for home, name in sorted((h, n) for n, h in homes.items())]
    lines += [""]
    for kind in diagrams.values():
        lines += _functions(kind)
    return "\n".join(lines)


def _functions(kind: type[Any]) -> list[str]:
    """A function for each kind of answer: of a table or of all models one record; of one model too, of several and of
    each class several."""
    own = list(signature_of(kind).parameters.values())
    if kind.made_from == "table":
        return _function(kind, own, kind.__name__, overloaded=False)
    models = [own[0].replace(name="models", annotation="Mapping[str, Any]")]
    models += [p.replace(name=name) for p, name in zip(own[1:3], ("y_true", "y_pred"), strict=True)]
    if kind.made_from == "models":
        return _function(kind, own, kind.__name__) + _function(kind, [*models, *own[3:]], kind.__name__)
    one = [p for p in own if p.name not in (*OF_CLASSES, *OF_FOLDS)]
    lines = _function(kind, [*models, *one[3:]], "Several")
    if kind.two_classes:
        lines += _function(kind, _asked("each_class", [p for p in own if p.name not in OF_FOLDS]), "Several")
    lines += _function(kind, _asked("each_fold", [p for p in own if p.name not in OF_CLASSES]), "Several")
    return lines + _function(kind, one, kind.__name__)


OF_CLASSES, OF_FOLDS = ("each_class", "classes", "averages"), ("each_fold", "spread")
"""What is said of several classes, or of several folds, only."""


def _asked(word: str, parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """The same parameters, this one of them being True."""
    return [p.replace(annotation="Literal[True]", default=p.empty) if p.name == word else p for p in parameters]


def _function(kind: type[Any], parameters: list[inspect.Parameter], answer: str, overloaded: bool = True) -> list[str]:
    star = next(i for i, p in enumerate(parameters) if p.kind is not p.POSITIONAL_OR_KEYWORD)
    texts = [_text(p) for p in parameters]
    texts.insert(star, "*")
    return [
        *(["@overload"] if overloaded else []),
        f"def {kind.name}(",
        *(f"    {text}," for text in texts[:-1]),
        f"    {texts[-1]},",
        f") -> {answer}:",
        f'    """{kind.shows}"""',
        "",
    ]


def _text(p: inspect.Parameter) -> str:
    kind = p.annotation if isinstance(p.annotation, str) else "Any"
    stars = "**" if p.kind is p.VAR_KEYWORD else ""
    return f"{stars}{p.name}: {kind}" + ("" if p.default is p.empty else f" = {p.default!r}".replace("'", '"'))


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
