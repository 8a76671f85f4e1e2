"""Write the table of every public name into docs/reference.md, from the first sentences of their docstrings.

python -m tools.public_names
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import trundle

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"
BEGIN, END = "<!-- every public name -->\n", "<!-- end of names -->\n"
VALUES = {  # names without docstrings
    "tr.__version__": "Version of the package, as text.",
    "tr.pi": "The number π.",
    "tr.rail.JOINTS": "The sixteen joints of a roller rig by name, with a sentence on each.",
}


def public_names() -> Iterator[tuple[str, Any]]:
    """Public names of `trundle` and its public modules, with their objects."""
    for name in sorted(trundle.__all__, key=str.lower):
        found = getattr(trundle, name)
        yield f"tr.{name}", found
        if isinstance(found, ModuleType):
            for inner in sorted(names_of(found), key=str.lower):
                yield f"tr.{name}.{inner}", getattr(found, inner)


def names_of(module: ModuleType) -> list[str]:
    """What a module exports, or else the classes and functions that it defines."""
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return listed
    own = (name for name, part in vars(module).items() if getattr(part, "__module__", None) == module.__name__)
    return [name for name in own if not name.startswith("_")]


def sentence(name: str, part: Any) -> str:
    """The first sentence of a docstring on one line; of a value its type."""
    if name in VALUES:
        return VALUES[name]
    has_own = isinstance(part, ModuleType | type) or inspect.isroutine(part)
    if not has_own and type(part).__module__ == "builtins":
        return f"A value of the type {type(part).__name__}."
    text = " ".join((inspect.getdoc(part if has_own else type(part)) or "").split())
    return _first_sentence(text).replace("|", "\\|")


def _first_sentence(text: str) -> str:
    """Text up to the first full stop that ends a sentence: not in a reference in brackets, not an ellipsis."""
    for stop in re.finditer(r"(?<!\.\.)\.(?=\s|$)", text):
        first = text[: stop.end()]
        if first.count("[") == first.count("]"):
            return first
    return text.rstrip(".") + "."


def table() -> str:
    """One row for each name."""
    rows = [f"| `{name}` | {sentence(name, part)} |" for name, part in public_names()]
    return "\n".join(["| name | |", "|---|---|", *rows]) + "\n"


def main() -> None:
    """Exchange the table of the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
