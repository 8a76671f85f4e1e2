"""Benchmarks and tools use names of the package that the type checker does not see: every module can be imported."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDS_MORE = {"tools.typeset", "tools.build_backend"}
"""What needs the packages of the extra `docs` or of a build."""
MODULES = [
    f"{folder}.{file.stem}"
    for folder in ("benchmarks", "tools")
    for file in sorted((ROOT / folder).glob("[!_]*.py"))
    if f"{folder}.{file.stem}" not in NEEDS_MORE
]


@pytest.mark.parametrize("name", MODULES)
def test_module_can_be_imported(name: str) -> None:
    assert importlib.import_module(name).__doc__
