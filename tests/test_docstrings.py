"""Public functions document their parameters and results in numpydoc sections."""

import inspect
import re
import types
from collections.abc import Callable, Iterator

import pytest

import trundle as tr
from trundle.bond_graph.bonds import BondGraph
from trundle.run.energy import Energy
from trundle.run.power import Power
from trundle.run.trace import Trace
from trundle.study.linearise import Linearisation
from trundle.study.periodic import find_orbit
from trundle.study.stability import SteadyMotions
from trundle.study.state_space import StateSpace
from trundle.study.stepper import Stepper

RESULTS = (Linearisation, SteadyMotions, StateSpace, Stepper, Energy, Power, Trace, BondGraph)
"""Classes that are public, though no module lists them: methods give them."""
MODULES = [tr, *(m for m in (getattr(tr, n) for n in tr.__all__) if isinstance(m, types.ModuleType))]
PUBLIC = [getattr(m, n) for m in MODULES for n in getattr(m, "__all__", [])] + [*RESULTS, find_orbit]
EXAMPLES = [tr.examples.find, tr.examples.load, tr.examples.model]


def function_of(member: object) -> Callable[..., object] | None:
    """The function behind a method of a class or a public name; none for properties, classes and constants."""
    plain = member.__func__ if isinstance(member, staticmethod | classmethod) else getattr(member, "function", member)
    found = inspect.unwrap(plain) if callable(plain) else None
    return found if inspect.isfunction(found) else None


def public_functions() -> Iterator[tuple[str, list[Callable[..., object]]]]:
    """Names of all public functions and methods, each with itself and those that it overrides.

    Functions of math need no sections.
    """
    for one in [*PUBLIC, *EXAMPLES]:
        if inspect.isfunction(one) and one.__module__ != "trundle.math":
            yield f"{one.__module__}.{one.__qualname__}", [one]
        for kind in (
            (k for k in inspect.getmro(one) if k.__module__.startswith("trundle.")) if inspect.isclass(one) else ()
        ):
            for name, member in vars(kind).items():
                if not name.startswith("_") and function_of(member) is not None:
                    same = (function_of(vars(k)[name]) for k in inspect.getmro(kind) if name in vars(k))
                    yield f"{kind.__module__}.{kind.__name__}.{name}", [f for f in same if f is not None]


NAMED = dict(public_functions())


def section(text: str, title: str) -> str:
    """The lines below a title, up to the next title."""
    _, found, rest = text.partition(f"{title}\n{'-' * len(title)}\n")
    lines = rest.split("\n")
    end = next((i for i in range(1, len(lines)) if set(lines[i]) == {"-"}), len(lines) + 1)
    return "\n".join(lines[: end - 1]) if found else ""


def faults(function: Callable[..., object]) -> list[str]:
    """Parameters and results that are not described."""
    signature, text = inspect.signature(function), inspect.cleandoc(function.__doc__ or "")
    parameters = [p for p in signature.parameters if p not in ("self", "cls")]
    described = [
        word.strip().lstrip("*")
        for line in section(text, "Parameters").split("\n")
        if not line.startswith(" ")
        for word in line.partition(" :")[0].split(",")
    ]
    silent = parameters and signature.return_annotation not in (None, "None") and not section(text, "Returns")
    return [p for p in parameters if p not in described] + ["Returns"] * bool(silent)


def test_every_public_name_has_a_docstring() -> None:
    assert [name for name in tr.__all__ if not (inspect.getdoc(getattr(tr, name)) or "").strip()] == []
    assert [name for name, same in NAMED.items() if not any(f.__doc__ for f in same)] == []


def test_all_public_functions_and_methods_are_looked_at() -> None:
    assert len(NAMED) > 600
    for name in (
        "trundle.study.runs.Runs.simulate",
        "trundle.laws.efforts.Spring.effort",
        "trundle.sweeps.run_sweep.sweep",
    ):
        assert name in NAMED


@pytest.mark.parametrize("module", sorted({name.split(".")[1] for name in NAMED}))
def test_sections_follow_from_the_signature(module: str) -> None:
    """All parameters are described; functions with parameters also describe their result. An override may leave that to
    the method that it overrides.
    """
    names = [name for name in NAMED if name.split(".")[1] == module]
    found = {name: min((faults(f) for f in NAMED[name]), key=len) for name in names}
    assert {name: missing for name, missing in found.items() if missing} == {}


MADE = {
    "BatchRun", "BlockOutput", "Body", "Branch", "Cases", "Event", "Fit", "Frame", "ModelFile", "Optimum", "Run",
    "State", "System", "Assessment", "Coefficients", "ContactTable", "Continuity", "CreepBook", "CreepForce",
    "Creepages", "Curving", "Ellipse", "FittedLine", "Hunting", "Irregularity", "Jump", "LiftOff", "Patch",
    "PlacedVehicle", "PlacedWheelset", "Profile", "Ride", "RigPose", "RootLocus", "SpeedTable", "TableContact",
    "TrackMotion", "TrackPlace", "TransitionComparison", "Travel", "Weighting", "WheelContact", "WheelOnRail",
    "WheelPlace", "WheelsetContact", "Loop", "Pitch", "Collision", "ContactPhase", "Phase", "Scenario",
    "ScenarioArray", "Classification", "Condition", "Moved", "Osculating", "Row",
}  # fmt: skip
"""Public classes whose objects the package makes; users do not call them."""


def test_classes_describe_the_arguments_that_they_take() -> None:
    """By name, in the docstring of the class: `help` shows neither comments nor the docstrings of bases."""
    kinds = {one for one in PUBLIC if inspect.isclass(one) and not inspect.isabstract(one)}
    kinds -= {one for one in kinds if one.__name__ in MADE or one in RESULTS or issubclass(one, BaseException)}
    assert len(kinds) > 120
    silent = {}
    for kind in kinds:
        text = inspect.getdoc(kind) or ""
        names = [name for name in inspect.signature(kind).parameters if not re.search(rf"\b{name}\b", text)]
        if names:
            silent[f"{kind.__module__}.{kind.__name__}"] = names
    assert silent == {}


def not_called_optional(function: Callable[..., object]) -> list[str]:
    """Parameters that may be left out (None stands for that), and whose description does not say so."""
    known, text = inspect.signature(function).parameters, inspect.cleandoc(function.__doc__ or "")
    lines = [line.partition(" : ") for line in section(text, "Parameters").split("\n") if not line.startswith(" ")]
    kinds = {name: kind for name, _, kind in lines if kind and name in known and known[name].default is None}
    return [name for name, kind in kinds.items() if "optional" not in kind and "None" not in kind]


def test_what_may_be_left_out_is_called_optional() -> None:
    found = {name: missing for name, same in NAMED.items() if (missing := not_called_optional(same[0]))}
    assert found == {"trundle.model.declarations.Declarations.state": ["rate"]}  # left out, it is an error in words


def test_what_is_not_described_is_found() -> None:
    def area(width: float, height: float) -> float:
        """Of a rectangle.

        Parameters
        ----------
        width : float
            In m.
        """
        return width * height

    assert faults(area) == ["height", "Returns"]
