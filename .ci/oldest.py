"""The oldest versions that pyproject.toml allows of what karat and the extras that are named need: one pin a line."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(requirements: list[str]) -> Iterator[str]:
    for requirement in map(Requirement, requirements):
        if requirement.name == project["name"]:  # karat[plot]: what that extra needs
            for extra in requirement.extras:
                yield from pins(project["optional-dependencies"][extra])
            continue
        lowest = [s.version for s in requirement.specifier if s.operator == ">="]
        if not lowest:
            raise SystemExit(f"pyproject.toml: {requirement} has no oldest version; write {requirement.name}>=VERSION.")
        requirement.specifier = type(requirement.specifier)(f"=={lowest[0]}")
        yield str(requirement)


needed = project["dependencies"] + [f"{project['name']}[{extra}]" for extra in sys.argv[1:]]
print(*dict.fromkeys(pins(needed)), sep="\n")
