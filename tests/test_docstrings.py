"""What is public says what it takes and gives, in numpydoc sections."""

import inspect

import pytest

import trundle as tr
from trundle.bond_graph.bonds import BondGraph
from trundle.run.energy import Energy
from trundle.run.power import Power
from trundle.run.trace import Trace
from trundle.study.linearise import Linearisation
from trundle.study.periodic import find_orbit
from trundle.study.stability import SteadyMotions

CLASSES = (
    tr.Model, tr.System, tr.Run, tr.BatchRun, tr.Branch, tr.Table, Linearisation, SteadyMotions, Energy, Power, Trace,
    BondGraph,
)  # fmt: skip
METHODS = {f"{c.__name__}.{n}": f for c in CLASSES for n, f in inspect.getmembers(c) if not n.startswith("_")}
MODULES = (tr, tr.bicycle, tr.impact, tr.walker)
FUNCTIONS = {f"{m.__name__}.{n}": getattr(m, n) for m in MODULES for n in m.__all__}
FUNCTIONS |= {"find_orbit": find_orbit, "Body.at": tr.Body.at, "Body.frame": tr.Body.frame}
FUNCTIONS |= {f"examples.{f.__name__}": f for f in (tr.examples.find, tr.examples.load, tr.examples.model)}
NAMED = {n: f for n, f in (METHODS | FUNCTIONS).items() if inspect.isfunction(f) and f.__module__ != "trundle.math"}


def section(text: str, title: str) -> str:
    """The lines below a title, up to the next title."""
    _, found, rest = text.partition(f"{title}\n{'-' * len(title)}\n")
    lines = rest.split("\n")
    end = next((i for i in range(1, len(lines)) if set(lines[i]) == {"-"}), len(lines) + 1)
    return "\n".join(lines[: end - 1]) if found else ""


def test_every_public_name_has_a_docstring() -> None:
    assert [name for name in tr.__all__ if not (inspect.getdoc(getattr(tr, name)) or "").strip()] == []
    assert [name for name, member in METHODS.items() if callable(member) and not inspect.getdoc(member)] == []


@pytest.mark.parametrize("name", NAMED)
def test_sections_follow_from_the_signature(name: str) -> None:
    """All parameters are described; what takes any also says what it returns. Functions of math need no sections."""
    signature, text = inspect.signature(NAMED[name]), inspect.getdoc(NAMED[name]) or ""
    parameters = [p for p in signature.parameters if p not in ("self", "cls")]
    described = [
        word.strip().lstrip("*")
        for line in section(text, "Parameters").split("\n")
        if not line.startswith(" ")
        for word in line.partition(" :")[0].split(",")
    ]
    assert [p for p in parameters if p not in described] == []
    assert not parameters or signature.return_annotation in (None, "None") or section(text, "Returns")
