"""docs/architecture.md agrees with the code: its picture, its functions in the order of their calls."""

import importlib
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import networkx as nx
import pytest
from tools.folders import PICTURE, draw, imports

from trundle.kernel.cache import ObjectCache

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CALLED = re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE)
COMPILED = re.findall(r"^\| \(`([\w.]+)`\) \|", PAGE, re.MULTILINE)


def test_the_picture_of_the_folders_is_that_of_the_code() -> None:
    told = "the folders import each other in a new way: look whether you want that, then `python -m tools.folders`"
    assert PICTURE.read_text(encoding="utf-8") == draw(imports()), told


def test_folders_import_each_other_without_circles() -> None:
    graph = imports()
    order = {node: i for i, node in enumerate(nx.topological_sort(graph))}
    assert len(order) > 20 and all(order[a] < order[b] for a, b in graph.edges)


def test_the_compiled_functions_exist() -> None:
    assert COMPILED
    for name in COMPILED:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"trundle.{module}"), function))


def test_a_connect_call_takes_the_documented_path_from_model_to_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first calls of all functions, recorded while the lines of the page run with nothing in the cache."""
    (lines,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.setattr(ObjectCache, "load_bundle", lambda self, key: None)
    monkeypatch.chdir(tmp_path)
    first: dict[str, int] = {}

    def record(frame: FrameType, event: str, arg: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("trundle."):
            first.setdefault(f"{module}.{frame.f_code.co_qualname}".removeprefix("trundle."), len(first))

    sys.setprofile(record)
    try:
        exec(compile(lines, "docs/architecture.md", "exec"), {})
    finally:
        sys.setprofile(None)
    assert len(CALLED) > 30
    assert [name for name in CALLED if name not in first] == []
    assert sorted(CALLED, key=first.__getitem__) == CALLED
    assert (tmp_path / "pendulum.png").exists()
