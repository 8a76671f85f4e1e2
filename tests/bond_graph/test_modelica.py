"""The Modelica package of a graph: every class is balanced, every input is bound, every name is declared."""

import re
from pathlib import Path

import pytest

import trundle as tr
from trundle import examples
from trundle.bond_graph.builder import build_graph
from trundle.bond_graph.modelica import to_modelica
from trundle.bond_graph.modelica_library import LIBRARY
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.errors import StoreError
from trundle.model.floating import floating
from trundle.model.spec import Spec

NAMES = ("fixed-controlled-joint", "fixed-servo-joint", "flyball-governor", "foucault-pendulum", "spiral-column")
SIZES = {"Frame": (6, 6), "Bond": (1, 1)}  # potentials, flow variables
BUILT_IN = {
    "time", "der", "abs", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "min", "max",
    "sign", "floor", "ceil", "if", "then", "else", "and", "or", "zeros", "connect", "rem", "e",
}  # fmt: skip


def exported(model: tr.Model) -> str:
    return to_modelica(build_graph(Formulation.of(Derivation(Spec(floating(model))), "kane")))


def classes() -> dict[str, tuple[str, str]]:
    """Declarations and equations of each class."""
    found = re.findall(r"^  (?:partial )?model (\w+).*?\n(.*?)^  end \1;", LIBRARY, re.S | re.M)
    return {name: tuple(body.partition("  equation\n")[::2]) for name, body in found}  # type: ignore[misc]


def inputs(name: str) -> set[str]:
    head = classes()[name][0]
    base = re.search(r"extends (\w+);", head)
    return set(re.findall(r"input Real (\w+)", head)) | (inputs(base[1]) if base else set())


def size(text: str) -> int:
    """Scalars of a reference such as p[4:6], Q[1] or arm."""
    ends = re.findall(r"\[(\d+):(\d+)\]", text)
    return int(ends[0][1]) - int(ends[0][0]) + 1 if ends else 0


def spare(name: str) -> int:
    """Equations of a class less its unknowns and the flow variables of its connectors, with what it extends."""
    head, body = classes()[name]
    own, lengths, flows = 0, {}, 0
    for kind, what, length in re.findall(r"^    (input Real|Real|Frame|Bond) (\w+)(?:\[(\d+)[^\]]*\])?", head, re.M):
        count = int(length) if length else 1
        lengths[what] = count
        if kind == "Real":
            own += count
        elif kind in SIZES:
            flows += count * SIZES[kind][1]
    equations = 0
    for line in body.strip().splitlines():
        left = line.strip().partition(" = ")[0]
        inner = re.sub(r"^der\((.*)\)$", r"\1", left)
        base, _, part = inner.partition(".")
        whole = {"v": 3, "w": 3, "F": 3, "M": 3, "f": lengths.get(base, 1), "e": lengths.get(base, 1)}
        single = bool(re.fullmatch(r"\w+\[\d\]", inner))
        equations += size(inner) or (1 if single else whole[part] if part else lengths[base])
    extended = re.search(r"extends (\w+);", head)
    return equations - own - flows + (spare(extended[1]) if extended else 0)


def test_classes_are_balanced() -> None:
    """As many equations as unknowns; no connector is left that nobody connects, for its flow would be zero."""
    assert {name: spare(name) for name in classes()} == dict.fromkeys(classes(), 0) | {"Junction": -6, "Joint": -2}
    for name in ("FixedIdealJoint", "FreeIdealJoint", "FreeSlideJoint", "FixedServoJoint"):
        assert "Bond" not in classes()[name][0]
    for name in ("SpringIdealJoint", "FixedControlledJoint"):
        assert re.findall(r"Bond (.*);", classes()[name][0]) == ["bond"]


@pytest.mark.parametrize("name", NAMES)
def test_every_input_is_bound_and_every_name_declared(name: str) -> None:
    text = exported(examples.model(name))
    model = text.partition("  model System")[2]
    head, _, body = model.partition("  equation\n")
    found = re.findall(r"^    (\w+) (\w+)[;(]", head, re.M)
    components = {own: kind for kind, own in found if kind not in ("Real", "parameter")}
    lines = [line.strip() for line in body.splitlines() if line.startswith("    ")]
    bound = [line.partition(" = ")[0] for line in lines]
    for own, kind in components.items():
        for needed in inputs(kind):
            assert bound.count(f"{own}.{needed}") == 1, (own, needed)
    declared = set(components) | set(re.findall(r"^    (?:parameter )?Real (\w+)", head, re.M))
    for line in lines:
        plain = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\.[A-Za-z_]\w*", "", line)))
        assert plain - BUILT_IN <= declared, plain - BUILT_IN - declared
    joined = [line for line in lines if line.startswith("connect")]
    seals = {own for own, kind in components.items() if kind in ("FC", "EC", "Effort", "Sf", "Servo")}
    assert {own for line in joined for own in re.findall(r", (\w+)\.bond\)", line)} == seals


def test_joints_on_an_axis_are_classes_of_their_own() -> None:
    text = exported(examples.model("fixed-ideal-joint"))
    assert re.search(r"^    FixedIdealJoint \w+;", text, re.M)
    assert re.search(r"^    FreeSlideJoint \w+;", exported(examples.model("free-slide-joint")), re.M)
    controlled = exported(examples.model("fixed-controlled-joint"))
    assert re.search(r"^    FixedControlledJoint (\w+);", controlled, re.M) and "Effort " in controlled


def test_a_law_is_exported_as_it_is_written() -> None:
    m = tr.Model("cart")
    k = m.parameter("k", 4.0)
    cart = m.body("cart", mass=3.0, inertia=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart, name="rail", law=tr.Motor(lambda t, q, u: k * tr.sin(t)))
    text = exported(m)
    assert "parameter Real k = 4.0;" in text
    assert re.search(r"\.effort = \(k \* sin\(time\)\);", text)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for name, told in (("pumped-swing", "'lean' is a table"), ("ball-on-step", "changes at events")):
        with pytest.raises(StoreError, match=told):
            exported(examples.model(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.names())
def test_a_parser_reads_it(name: str) -> None:
    parser = pytest.importorskip("pymoca.parser")
    try:
        text = exported(examples.model(name))
    except StoreError:
        return
    assert parser.parse(text) is not None
