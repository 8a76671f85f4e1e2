"""Machine code of the time loops is kept under a key of exactly the sources it is made from."""

import importlib
import inspect
import re
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from trundle.kernel import compiled, loop_sources
from trundle.kernel.record import Record


def copied_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources in which files can be edited."""
    for file in loop_sources.PACKAGE.rglob("*.py"):
        place = tmp_path / file.relative_to(loop_sources.PACKAGE)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
    monkeypatch.setattr(loop_sources, "PACKAGE", tmp_path)
    return tmp_path


def clear() -> None:
    """Forget the texts and digests of sources."""
    loop_sources.digest.cache_clear()
    loop_sources._text.cache_clear()


@pytest.mark.parametrize(
    ("edited", "changes"),
    [
        ("integrate/loop.py", {"advance"}),
        ("contact/collision/routh.py", {"strike", "collide_once", "collide_nearby"}),
        ("integrate/record.py", {"advance", "explicit_step", "find_event", "strike"}),
        ("study/equilibrium.py", set()),
        ("model/model.py", set()),
    ],
)
def test_only_parts_that_import_an_edited_file_are_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str, changes: set[str]
) -> None:
    package = copied_package(tmp_path, monkeypatch)

    def keys() -> dict[str, str]:
        clear()
        return {part: loop_sources.digest(f"trundle.{home}") for part, home in compiled.PARTS.items()}

    before = keys()
    with (package / edited).open("a") as file:
        file.write("# edited\n")
    changed = {part for part, key in keys().items() if key != before[part]}
    clear()
    assert changes <= changed
    if edited != "integrate/record.py":
        assert changed == changes


def names_in(code: CodeType) -> set[str]:
    """Global names and attributes that a function uses, with those of functions inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(names_in(constant) for constant in inner))


def modules_used_by(function: Any) -> set[str]:
    """Modules whose code goes into a compiled function: its own, and those of all functions and numbers it uses."""
    found: set[str] = set()
    waiting, seen = [function], set()
    while waiting:
        python = getattr(waiting.pop(), "py_func", None)
        if python is None or python in seen:
            continue
        seen.add(python)
        found.add(python.__module__)
        for record in python.__annotations__.values():  # its fields
            found |= {base.__module__ for base in getattr(record, "__mro__", ()) if issubclass(base, Record)}
        used = names_in(python.__code__)
        for name in used & python.__globals__.keys():
            value = python.__globals__[name]
            waiting.append(value)
            if isinstance(value, ModuleType) and value.__name__.startswith("trundle."):
                found.add(value.__name__)
                waiting += [vars(value)[inner] for inner in used & vars(value).keys()]
            elif getattr(value, "__module__", "").startswith("trundle."):
                found.add(value.__module__)
    return found


@pytest.mark.parametrize("part", compiled.PARTS)
def test_the_key_covers_what_is_compiled_and_hardly_more(part: str) -> None:
    """The code itself, walked function by function, is the other way to find the sources of a part."""
    home = f"trundle.{compiled.PARTS[part]}"
    used, keyed = modules_used_by(getattr(importlib.import_module(home), part)), set(loop_sources.imported(home))
    assert used <= keyed
    # The types of records are made from the first by the second, which also holds the decorators.
    numbers = {"trundle.kernel.record", "trundle.kernel.pointers"}
    for name in keyed:  # numbers that are imported by their names cannot be traced to their modules
        source = inspect.getsource(importlib.import_module(name))
        numbers |= set(re.findall(r"^from (trundle\S+) import [A-Z_, ]+$", source, re.MULTILINE))
    assert keyed - used <= numbers
