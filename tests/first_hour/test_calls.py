"""Calls that do not fit: each public class, function and method gives a clear message. Names are found by discovery, so
that new public names are tested without a change here.
"""

import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.test_docstrings import EXAMPLES, PUBLIC, RESULTS

import trundle as tr
from trundle.messages.arguments import advised_class, explain_calls
from trundle.messages.refused_call import fits
from trundle.model.joint import Connection

TALKED_TO = (
    tr.Model, tr.System, tr.Run, tr.BatchRun, tr.Body, tr.Frame, tr.Table, tr.Cases, tr.Fit, tr.Optimum, tr.Branch,
    *RESULTS,
)  # fmt: skip
"""Classes whose methods users call; those of the parts of a model are called by what derives equations."""


def public_calls() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """Each with its name and the number of arguments (self) before those that users write."""
    for one in {id(p): p for p in [*PUBLIC, *EXAMPLES]}.values():
        if inspect.isclass(one) and (inspect.isabstract(one) or issubclass(one, BaseException)):
            continue  # Python says which methods are to be written; errors are made by the package
        if callable(one):
            yield f"{one.__module__}.{one.__qualname__}", one, 0
    for kind in TALKED_TO:
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            member = getattr(member, "function", member)  # of a method that explains missing brackets
            bound = isinstance(member, classmethod | staticmethod)
            if not name.startswith("_") and (bound or inspect.isfunction(member)):
                yield f"{kind.__module__}.{kind.__qualname__}.{name}", getattr(kind, name), 0 if bound else 1


CALLS = {name: (call, first) for name, call, first in public_calls()}


def answer(call: Callable[..., Any], *args: object, **named: object) -> str:
    """Message of a call with wrong arguments."""
    with pytest.raises(TypeError) as caught:
        call(*args, **named)
    return str(caught.value)


def test_all_public_calls_are_looked_at() -> None:
    assert len(CALLS) > 400
    for name in ("trundle.laws.efforts.Spring", "trundle.fitting.fit.fit", "trundle.run.run.Run.plot"):
        assert name in CALLS, sorted(CALLS)


@pytest.mark.parametrize("module", sorted({name.split(".")[1] for name in CALLS}))
def test_a_misspelt_or_missing_argument_is_reported_with_all_valid_ones(module: str) -> None:
    found = {}
    for name, (call, first) in CALLS.items():
        parameters = list(inspect.signature(call).parameters.values())[first:]
        if name.split(".")[1] == module and all(p.kind is not p.VAR_KEYWORD for p in parameters):
            found[name] = answer(call, *[None] * first, no_such_argument=1)
    assert [
        n for n, text in found.items() if "has no argument 'no_such_argument'" not in text or "It takes" not in text
    ] == []


@pytest.mark.parametrize("module", sorted({name.split(".")[1] for name in CALLS}))
def test_a_forgotten_argument_is_named(module: str) -> None:
    found = {}
    for name, (call, first) in CALLS.items():
        parameters = list(inspect.signature(call).parameters.values())[first:]
        needed = [
            p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ]
        if name.split(".")[1] == module and needed:
            found[name] = (answer(call, *[None] * first), needed)
    assert [n for n, (text, needed) in found.items() if f"needs {' and '.join(needed)}" not in text] == []


TRUTHS = [True, np.False_, [1.0, True], np.array([True, False]), {"a": (0.0, False)}]
FLAGS = {"condition", "touches", "settings", "_"}  # besides those that are declared as bool


@pytest.mark.parametrize("module", sorted({name.split(".")[1] for name in CALLS}))
def test_truth_values_are_not_numbers(module: str) -> None:
    """Every argument of every public call, but those that are flags."""
    taken = []
    for name, (call, first) in CALLS.items():
        parameters = list(inspect.signature(call).parameters.values())[first:]
        others = {p.name: None for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD}
        for p in parameters if name.split(".")[1] == module else ():
            is_flag = isinstance(p.default, bool) or "bool" in str(p.annotation) or p.name in FLAGS
            if is_flag or p.kind is p.VAR_KEYWORD:
                continue
            for value in TRUTHS:
                before = (*[None] * len(others), value) if p.kind is p.VAR_POSITIONAL else ()
                named = {} if before else others | {p.name: value}
                try:
                    call(*[None] * first, *before, **named)
                except tr.errors.TruthValueError as error:
                    assert f"{p.name} cannot have truth values" in str(error)
                    continue
                except Exception as error:
                    taken.append((name, p.name, value, error))
                else:
                    taken.append((name, p.name, value, None))
    assert taken == []


TAKEN_BEFORE = {
    "inputs of a batch": "system.batch(0.1, {'bob.angle': [0.0, 1.0]}, inputs={'torque': [True, False]})",
    "measured data": "tr.fit(system, {'time': [0.0, 0.1], 'bob.angle': np.array([True, False])}, ['k'])",
    "a first value": "tr.fit(system, {'time': [0.0, 0.1], 'bob.angle': [0.1, 0.2]}, {'k': True})",
    "a range": "tr.optimise(lambda v: v['k'] ** 2, {'k': (False, True)})",
    "a tolerance": "system.simulate(0.1, atol=True)",
    "a tolerance by unit": "system.simulate(0.1, atol={'m': True})",
    "a size": "tr.shape.Sphere(np.True_)",
    "a mass": "tr.Model('other').body('bob', mass=True)",
    "a step": "system.simulate(0.1, steps=tr.Steps(longest=True))",
    "a speed": "tr.rail.Trip(None, None, speed=True)",
}


@pytest.mark.parametrize("case", TAKEN_BEFORE)
def test_truth_values_that_were_taken_as_numbers(case: str) -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)))
    with pytest.raises(tr.errors.TruthValueError, match="cannot have truth values"):
        eval(TAKEN_BEFORE[case], {"tr": tr, "np": np, "system": m.build()})


def test_flags_are_taken() -> None:
    assert tr.where(np.float64(2.0) > 1.0, 3.0, 4.0) == 3.0 and tr.Sphere(1.0, inside=True).hollow


WRONG = {
    "a number as a file": ("tr.load(5)", r"load: path cannot be 5\. It takes str or Path: A netCDF file"),
    "cases by number": ("tr.grid(5)", r"values cannot be 5.*mapping"),
    "names by number": ("run.plot(path=3)", r"path cannot be 3"),
    "a pose by number": ("run.draw(5)", r"times of a picture must lie between 0 and 0\.1 s"),
    "a resistance as text": (
        "tr.ElectricMotor('joint', 1.0, 'a', 0.1)",
        r"resistance of an .* is 'a'; it must be",
    ),
    "a revolution of nothing": ("tr.rpm(None)", r"rpm takes numbers, arrays of numpy and expressions, got None"),
    "a step of a text": ("tr.step('a')", r"step takes numbers and expressions, got the text 'a'"),
    "steps of a chain": ("tr.Chain(5)", r"steps cannot be 5\. It takes Screw or Ball"),
    "a path of another system": ("system.inertial_residual(5)", r"run cannot be 5"),
    "an option of a picture": ("run.energy.plot(widht=3)", r"did you mean width\?"),
    "a value twice": ("tr.Spring(1.0, stiffness=2.0)", r"stiffness twice, by its place and by its name"),
    "a number as a matrix": ("tr.weighted_inverse(1, 2, 3)", r"N must be a matrix of numbers, got 3"),
    "a text as weights": ("tr.relaxed_inverse([[1]], [[1]], 'a')", r"one number for each row, or a matrix, got 'a'"),
    "an impact that never ends": ("tr.walker.step_impact(-1.0, 0.5, 0.3, 1.0)", r"inertia_ratio is -1\.0"),
    "gravity upwards": ("tr.walker.rimless_wheel(g=-1.0)", r"gravity g is above zero"),
    "the mean of nothing": ("tr.rail.sliding_mean([], [])", r"needs a signal that is longer"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_that_cannot_be_used_is_named_with_what_it_should_be(case: str) -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)))
    system = m.build()
    code, words = WRONG[case]
    names = {"tr": tr, "system": system, "run": system.simulate(0.1)}
    with pytest.raises((TypeError, tr.TrundleError), match=words):
        eval(code, names)


def test_the_last_line_of_the_user_is_that_of_the_call() -> None:
    try:
        exec(compile("\n\ntr.Sphere()", "script.py", "exec"), {"tr": tr})
    except TypeError as error:
        lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        assert ("script.py", 3) in lines[-2:]
        assert error.__suppress_context__  # Python's own words are not shown before ours


def test_signatures_and_names_are_those_of_the_functions() -> None:
    assert list(inspect.signature(tr.Sphere).parameters) == ["radius", "inside"]
    assert list(inspect.signature(tr.Model.connect).parameters)[:3] == ["self", "pair", "first"]
    assert tr.fit.__name__ == "fit" and tr.fit.__doc__


def test_errors_of_the_functions_of_users_are_left_alone() -> None:
    def objective(k: float) -> float:
        return {}["missing"] * k

    with pytest.raises(KeyError) as caught:
        tr.optimise(objective, {"k": (0.0, 1.0)})
    assert "objective" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_an_inherited_factory_method_reports_the_name_of_the_class() -> None:
    @explain_calls
    class First:
        def __init__(self, size: float) -> None:
            self.size = float(size)

        def grown(self, by: float) -> float:
            """The size, larger."""
            return self.size + by

    @advised_class("write Second(2.0)")
    class Second(First):
        """A second one."""

    assert answer(First).startswith("First needs size")
    assert answer(Second) == "Second needs size: write Second(2.0). It takes size. A second one."
    assert answer(First(1.0).grown, "a") == "grown: by cannot be 'a'. It takes float."
    assert First(1.0).grown(2.0) == 3.0


def test_what_an_annotation_allows() -> None:
    good: list[tuple[object, Any]] = [
        (1, float), (np.float64(1), float), (None, float | None), ("a", str | Path), ([1.0], Sequence[float]),
        (np.ones(2), Sequence[float]), ({}, Mapping[str, float]), (len, Callable[..., int]), ("x", Literal["x", "y"]),
        (3, ArrayLike), ([1, 2], ArrayLike), (object(), Any), (np.ones(1), "Unknown"), (None, "Unknown | None"),
    ]  # fmt: skip
    bad: list[tuple[object, Any]] = [
        ("1", float), (None, float), (5, str | Path), ("ab", Sequence[str]), (5, Sequence[float]),
        ([], Mapping[str, int]), (5, Callable[..., int]), ("z", Literal["x", "y"]), ("a", ArrayLike), (5, "Unknown"),
        (5, Connection),
    ]  # fmt: skip
    assert [pair for pair in good if not fits(*pair)] == []
    assert [pair for pair in bad if fits(*pair)] == []


@pytest.mark.parametrize("kind", [kind for kind in TALKED_TO if kind not in (tr.Run, tr.System, tr.Model)])
def test_for_a_missing_attribute_similar_names_are_suggested(kind: type) -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_name'\. (It has|Did you mean) "):
        getattr(kind.__new__(kind), "no_such_name")  # noqa: B009  what is asked for


@pytest.mark.parametrize("package", ["bicycle", "pairs", "rail", "walker"])
def test_for_a_missing_name_of_a_package_similar_names_are_suggested(package: str) -> None:
    found = getattr(tr, package)
    name = next(n for n in found.__all__ if len(n) > 4)
    with pytest.raises(AttributeError, match=rf"Did you mean .*{package}\.{name}"):
        getattr(found, name[:-1])
