"""Faults of a file, collected and reported at once with line and field."""

import re
from collections.abc import Sequence
from types import UnionType
from typing import Annotated, Union, final, get_args, get_origin

from pydantic import BaseModel, ValidationError

from trundle.errors import FileError, near_names
from trundle.file.field import in_words
from trundle.file.place import Section
from trundle.file.tree import Path, Tree, read_tree
from trundle.typing import Raw

PLACE = re.compile(r"(?P<kind>body|connection|force) (?P<quote>['\"])(?P<name>.*?)(?P=quote)[:,]? ")
MAX_SHOWN = 25  # faults
MAX_FOUND = 100  # faults after which reading stops, so that a long faulty file does not take long
MAX_OFFERED = 12  # names
MAX_COMPARED = 2000  # names among which similar ones are searched


@final
class Faults:
    """Collects faults; `raise_any` raises one FileError for all of them, in the order of the lines."""

    def __init__(self, source: str, tree: Tree) -> None:
        self.source, self.tree = source, tree
        self.left_out: set[str] = set()  # names of invalid parts, to which others may still refer
        self.found: list[tuple[int, str]] = [(line, f"{text}.") for line, text in tree.faults]

    @staticmethod
    def of(text: str, source: str) -> "Faults":
        """From YAML text; FileError if it is not valid YAML."""
        try:
            return Faults(source, read_tree(text))
        except FileError as error:
            raise FileError(f"{source}: {error}") from error

    def add(self, path: Path, text: str) -> None:
        """A fault at a path of the file."""
        if any(repr(name) in text for name in self.left_out):
            return
        ending = "" if text.endswith((".", "?")) else "."
        where = field_name(path)
        self.found.append((self.tree.line(path), f"{where}: {text}{ending}" if where else f"{text}{ending}"))
        if len(self.found) >= MAX_FOUND:
            self.raise_any()

    def add_validation(self, error: ValidationError, path: Path = (), kind: type[BaseModel] = Section) -> None:
        """Every fault that pydantic found at a path of the file, in Trundle's own messages; `kind` is the expected
        type.
        """
        for item in error.errors(include_url=False):
            inside = tuple(part for part in item["loc"] if part not in ("", "[key]"))
            self.add((*path, *inside), _in_our_words(item, kind))

    def without_faulty_parts(self, content: dict[str, Raw], error: ValidationError) -> dict[str, Raw]:
        """The content of a file without the parts in which there are faults."""
        kept = dict(content)
        for item in error.errors(include_url=False):
            section, *inside = item["loc"]
            if section == "name":
                kept["name"] = "model"
            elif inside and isinstance(kept.get(str(section)), dict):
                kept[str(section)] = {key: v for key, v in kept[str(section)].items() if key != inside[0]}
                self.left_out.add(str(inside[0]))
            else:
                kept.pop(str(section), None)
                part = content.get(str(section))
                self.left_out |= set(map(str, part)) if isinstance(part, dict | list) else set()
        return kept

    def raise_any(self) -> None:
        """Raise FileError if there are faults."""
        if not self.found:
            return
        unique = list(dict.fromkeys(sorted(self.found, key=lambda fault: fault[0])))
        count = f"at least {len(unique)}" if len(self.found) >= MAX_FOUND else f"{len(unique)}"
        head = f"{self.source}: {count} fault{'s' if len(unique) > 1 else ''}"
        lines = [f"  line {line}, {text}" for line, text in unique[:MAX_SHOWN]]
        if len(unique) > MAX_SHOWN:
            lines.append(f"  ... and {len(unique) - MAX_SHOWN} more")
        raise FileError("\n".join([head, *lines]))


def field_name(path: Path) -> str:
    """Dotted name of a path, numbers in brackets."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return name.removeprefix(".")


FIELDS = {
    **dict.fromkeys(("type", "joint", "kind"), ("pair",)),
    **dict.fromkeys(("parent", "from", "body1", "body_a", "base"), ("first",)),
    **dict.fromkeys(("child", "to", "body2", "body_b", "follower"), ("second",)),
    **dict.fromkeys(("joints", "constraints", "pairs"), ("connections",)),
    **dict.fromkeys(("links", "parts"), ("bodies",)),
    **dict.fromkeys(("simulate", "simulation", "solver", "settings"), ("run", "method")),
    **dict.fromkeys(("time", "t_end", "tf", "end"), ("duration",)),
    **dict.fromkeys(("integrator",), ("method",)),
    **dict.fromkeys(("tol", "tolerance", "reltol"), ("rtol",)),
    **dict.fromkeys(("when", "condition", "function", "value"), ("expression",)),
    **dict.fromkeys(("file", "path"), ("csv",)),
    **dict.fromkeys(("cog", "center", "centre", "position"), ("com",)),
    **dict.fromkeys(("I", "moments"), ("inertia",)),
    **dict.fromkeys(("initial", "x0", "q0"), ("start",)),
    **dict.fromkeys(("title", "model", "id"), ("name",)),
    **dict.fromkeys(("description", "comment", "doc"), ("text",)),
}
"""Other words for the fields of a model file, with those that they are called here."""


def near(name: str, known: Sequence[str]) -> str:
    """A hint with similar names."""
    found = near_names(name, known[:MAX_COMPARED])
    if found:
        return f"Did you mean {', '.join(map(repr, found))}?"
    rest = f", and {len(known) - MAX_OFFERED} more" if len(known) > MAX_OFFERED else ""
    return f"There are: {', '.join(known[:MAX_OFFERED])}{rest}." if known else "There is none in this file."


EXAMPLES = {
    "bodies": "{mass: 1.0, inertia: 0.1}",
    "connections": "{pair: Revolute, axis: y, first: ground, second: bob}",
    "events": "{expression: bob.angle}",
    "parameters": "{value: 2.0, unit: m}, or the number alone",
    "run": "{duration: 10}",
}
"""What parts of a file look like."""


def _example(place: Sequence[object]) -> str:
    example = EXAMPLES.get(str(place[0])) if len(place) == 2 or place == ("run",) else None
    return f", {example}" if example else " (name: value)"


def _in_our_words(item: Raw, expected: type[BaseModel]) -> str:
    kind = item["type"]
    if kind == "extra_forbidden":
        *around, name = item["loc"]
        known = _fields_at(tuple(around), expected)
        meant = [one for one in FIELDS.get(str(name), ()) if one in known]
        hint = f"Did you mean {meant[0]!r}?" if meant else near(str(name), known)
        return f"there is no field called {str(name)!r} here. {hint}"
    if kind == "missing":
        return "this field is missing; it must be given"
    got = in_words(item.get("input"))
    if kind == "literal_error":
        return f"give {item['ctx']['expected']}, not {got}"
    if kind in ("too_short", "too_long"):
        wanted = item["ctx"].get("min_length", item["ctx"].get("max_length"))
        return f"give {wanted} values, not {item['ctx']['actual_length']}"
    words = {
        "string_type": f"give a text, not {got}",
        "dict_type": f"give a mapping (name: value), not {got}",
        "model_type": f"give a mapping{_example(item['loc'])}, not {got}",
        "list_type": f"give a list{', [0, 0, -9.81],' if 'gravity' in item['loc'] else ','} not {got}",
    }
    return words.get(kind, str(item["msg"]))


def _fields_at(path: Path, here: object) -> list[str]:
    """Names of the fields that the schema of `here` has at a path."""
    for part in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            here = _plain(here.model_fields[str(part)].annotation)
        else:
            here = _plain(get_args(here)[-1])  # type of the items of a mapping or list
    return here.words() if isinstance(here, type) and issubclass(here, Section) else []


def _plain(annotation: object) -> Raw:
    """The type in Annotated[type, ...] and type | None."""
    if get_origin(annotation) in (Annotated, Union, UnionType):
        return _plain(get_args(annotation)[0])
    return annotation
