"""Every bond is sealed exactly once; otherwise the error names connection, axis, pair of variables and remedy."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.model.joint import JOINTS
from trundle.model.seal import ELEMENTS, VARIABLES, find_seals, seal_faults
from trundle.pairs import lower_pairs
from trundle.pairs.lower import BONDS


def joined(joint: Any, **options: Any) -> tr.Model:
    m = tr.Model("joined")
    body = m.body("body", 1.0, (0.1, 0.2, 0.15))
    m.connect(joint, m.ground, body, name="joint", **options)
    return m


def elements(m: tr.Model) -> dict[str, str]:
    return {s.bond: s.element for s in find_seals(m)["joint"]}


@pytest.mark.parametrize("pair", lower_pairs(of_user=False), ids=lambda p: p.__name__)
def test_lower_pairs_seal_themselves(pair: type[Any]) -> None:
    m = joined(pair())
    found = elements(m)
    assert tuple(found) == BONDS
    assert [b for b in BONDS if found[b] == "FC"] == [b for b in BONDS if b not in pair().free]
    assert seal_faults(m) == []


def test_joints_of_the_family() -> None:
    laws = {
        "FreeIdealJoint": ("EC", "EC"),
        "FixedIdealJoint": ("FC", "EC"),
        "SpringIdealJoint": ("C", "EC"),
        "FixedControlledJoint": ("FC", "Se"),
        "FreeSlideJoint": ("EC", "FC"),
        "FixedServoJoint": ("FC", "Sf"),
    }
    settings = {"SpringIdealJoint": (5.0, 0.1), "FixedControlledJoint": (1.0,), "FixedServoJoint": (2.0,)}
    assert {j.__name__ for j in JOINTS} == set(laws)
    for joint in JOINTS:
        found = elements(joined(joint("y", *settings.get(joint.__name__, ()))))
        assert (found["z"], found["rz"]) == laws[joint.__name__], joint.__name__
        assert all(found[b] == "FC" for b in ("x", "y", "rx", "ry"))


def test_elements_follow_from_the_energies_of_the_laws() -> None:
    m = joined(
        tr.Connection(
            x=tr.Spring(3.0),
            y=tr.Damper(1.0),
            z=tr.Motor(lambda t, q, u: tr.sin(t)),
            rx=tr.Servo(tr.sin),
            ry=tr.Locked(),
            rz=tr.Open(),
        )
    )
    assert list(elements(m).values()) == ["C", "R", "Se", "Sf", "FC", "EC"]
    assert set(elements(m).values()) == set(ELEMENTS) - {"GY"}  # a gyrator leads to another domain
    both = joined(tr.Revolute("z"), law=tr.Spring(2.0) + tr.Motor(1.0))
    assert elements(both)["rz"] == "Se"
    assert elements(joined(tr.Revolute("z"), law=tr.Spring(2.0) + tr.Damper(1.0)))["rz"] == "C"


def test_contacts_have_bonds_of_their_own() -> None:
    m = joined(tr.HigherPair(tr.Plane(), tr.Sphere(0.2)), law=[tr.NoSlip()])
    names = {s.called: s.element for s in find_seals(m)["joint"]}
    assert names == {"slip_x": "FC", "slip_y": "FC", "normal": "FC", "roll_x": "EC", "roll_y": "EC", "spin": "EC"}
    planar = joined(tr.PlanarPair(tr.Line(), tr.Circle(0.2)), law=tr.NoSlip())
    assert [s.called for s in find_seals(planar)["joint"] if s.element == "EC"] == ["roll_y"]


def test_a_force_on_an_open_coordinate_seals_it() -> None:
    m = joined(tr.Revolute("z"))
    m.apply(tr.CoordinateForce("joint.angle", tr.Spring(3.0)), "closer")
    (seal,) = [s for s in find_seals(m)["joint"] if s.bond == "rz"]
    assert (seal.element, seal.by, seal.coordinate) == ("C", "force 'closer'", "joint.angle")
    m.apply(tr.CoordinateForce("joint.angle", lambda s: 1.0), "push")
    assert seal_faults(m) == []  # efforts add up


def touching(normal: Any) -> tr.Model:
    open_ = dict.fromkeys(("x", "y", "rx", "ry", "rz"), tr.Open())
    m = tr.Model("touching")
    ball = m.body("ball", 1.0, 0.01)
    m.connect(tr.Free(), m.ground, ball, name="free")
    m.connect(tr.Connection(z=normal, surfaces=(tr.Plane(), tr.Sphere(0.2)), **open_), m.ground, ball, name="joint")
    return m


@dataclass(frozen=True)
class Careless(tr.EffortLaw):
    """A spring that does not define its energy."""

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        return -3 * q


@dataclass(frozen=True)
class Jerk(tr.FlowLaw):
    level: ClassVar[str] = "jerk"

    def motion(self, t: Any, q: Any, u: Any) -> Any:
        return t


@dataclass(frozen=True)
class Selfish(tr.FlowLaw):
    level: ClassVar[str] = "velocity"

    def motion(self, t: Any, q: Any, u: Any) -> Any:
        return t - u


FAULTS: dict[str, tuple[Any, str]] = {
    "translation not sealed": (
        lambda: joined(tr.AxisJoint("y", rotation=tr.Open())),
        r"connection 'joint', bond 'z' \(along its z axis, y of its frames\) is not sealed: of the pair \(mu, F\)",
    ),
    "rotation not sealed": (
        lambda: joined(tr.AxisJoint(translation=tr.Locked())),
        r"bond 'rz' \(about its z axis\) is not sealed: of the pair \(lambda, M\).*no moment",
    ),
    "two seals on one side": (
        lambda: joined(tr.AxisJoint(translation=[tr.Locked(), tr.Spring(3.0)], rotation=tr.Open())),
        r"bond 'z'.*sealed 2 times, by the AxisJoint and Spring\. Each bond has one law.*force.*compliance=\{'z'",
    ),
    "two efforts": (
        lambda: joined(tr.Revolute("z"), law=[tr.Spring(1.0), tr.Motor(2.0)]),
        r"bond 'rz'.*sealed 2 times, by Spring and Motor.*as a sum: tr\.Spring",
    ),
    "law on what the pair holds": (
        lambda: joined(tr.Revolute("z"), law={"x": tr.Spring(1.0)}),
        r"bond 'x'.*by the Revolute and Spring.*compliance=\{'x': tr\.Spring",
    ),
    "law and law of contact": (
        lambda: joined(tr.HigherPair(tr.Plane(), tr.Sphere(0.2)), law={"slip_x": tr.Damper(1.0), "c": tr.NoSlip()}),
        r"bond 'slip_x'.*sealed 2 times, by Damper and NoSlip",
    ),
    "bond of a connection not sealed": (
        lambda: joined(tr.Connection(x=tr.Open(), y=tr.Open(), z=tr.Locked(), rx=tr.Open(), ry=tr.Open())),
        r"bond 'rz'.*not sealed",
    ),
    "slip without a law": (
        lambda: joined(
            tr.Connection(
                x=tr.Damper(1.0), rx=tr.Open(), ry=tr.Open(), rz=tr.Open(), surfaces=(tr.Plane(), tr.Sphere(0.1))
            )
        ),
        r"bond 'slip_y' \(along the y axis of the contact\) is not sealed",
    ),
    "law on a joint that is open for good": (
        lambda: joined(tr.FixedIdealJoint("z"), law=tr.Spring(1.0)),
        r"bond 'rz'.*by Open and Spring.*use tr\.AxisJoint",
    ),
    "normal not sealed": (lambda: touching(None), r"bond 'normal' \(along the z axis of the contact\) is not sealed"),
    "normal sealed twice": (lambda: touching([tr.Locked(), tr.Spring(1.0)]), r"bond 'normal'.*sealed 2 times"),
    "two springs on the normal": (
        lambda: touching([tr.Spring(1.0), tr.Spring(2.0)]),
        r"bond 'normal'.*Spring and Spring",
    ),
    "normal that is driven": (lambda: touching(tr.Flow(0.1)), r"bond 'normal'.*by the Connection and Flow"),
    "law without energy": (
        lambda: joined(tr.Revolute("z"), law=Careless()),
        r"Careless on joint\.angle does not account for its energy.*supplied = effort \* u",
    ),
    "flow law of no level": (
        lambda: joined(tr.Revolute("z"), law=Jerk()),
        r"its level is 'jerk'; there are 'position'",
    ),
    "rate that depends on itself": (
        lambda: joined(tr.Revolute("z"), law=Selfish()),
        r"Selfish on joint\.angle prescribes the velocity and must not depend on the rate",
    ),
    "rate of spin that depends on a place": (
        lambda: joined(tr.HigherPair(tr.Plane(), tr.Sphere(0.2)), law={"spin": tr.Flow(lambda t, q: -q)}),
        r"Flow on joint\.spin prescribes a rate that depends on the coordinate.*have rates only",
    ),
    "such a rate that yields": (
        lambda: joined(
            tr.HigherPair(tr.Plane(), tr.Sphere(0.2)),
            law={"spin": tr.Flow(lambda t, q: -q)},
            compliance={"spin": tr.Spring(1.0)},
        ),
        r"on joint\.spin prescribes a rate that depends on the coordinate",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_fault_is_reported_when_the_model_is_built(case: str) -> None:
    make, text = FAULTS[case]
    with pytest.raises(ModelError, match=text):
        make().build()


def test_a_force_on_a_driven_coordinate_is_refused() -> None:
    m = joined(tr.Revolute("z"), law=tr.Servo(tr.sin))
    m.apply(tr.TorsionSpring("joint.angle", 3.0), "closer")
    with pytest.raises(ModelError, match=r"bond 'rz'.*by Servo and force 'closer'.*the force that it takes follows"):
        m.build()


SAID: dict[str, tuple[Any, str]] = {
    "compliance of an open bond": (
        lambda: joined(tr.Revolute("z"), compliance={"rz": tr.Spring(1.0)}),
        r"compliance on 'rz', but a Revolute does not constrain this bond.*x, y, z, rx, ry, translation, rotation",
    ),
    "compliance that is a word": (lambda: joined(tr.Revolute("z"), compliance={"x": "soft"}), r"compliance is a law"),
    "compliance that is a list": (
        lambda: joined(tr.Revolute("z"), compliance=[3.0]),
        r"or springs by bond, got \[3\.0\]",
    ),
    "compliance below zero": (
        lambda: joined(tr.Revolute("z"), compliance=tr.Spring(-3.0)),
        r"would push the bodies apart",
    ),
    "compliance of nothing": (lambda: joined(tr.Free(), compliance=tr.Spring(3.0)), r"a Free has no constraint"),
    "seal that is a word": (lambda: joined(tr.Connection(x="locked")), r"'locked' cannot seal a bond"),
    "turn of a ball": (lambda: joined(tr.Spherical(), law={"rx": tr.Spring(1.0)}), r"one quaternion.*tr\.Connection"),
    "servo on slip": (
        lambda: joined(tr.HigherPair(tr.Plane(), tr.Sphere(0.2)), law={"slip_x": tr.Servo(tr.sin)}),
        r"'slip_x' at a contact has only a rate; give tr\.Flow",
    ),
    "what cannot seal": (lambda: joined(tr.AxisJoint(translation=3.0)), r"AxisJoint, translation: 3\.0 cannot seal"),
    "law of contact in a joint": (lambda: joined(tr.Connection(x=tr.NoSlip())), r"Connection, bond x:.*cannot seal"),
}


@pytest.mark.parametrize("case", SAID)
def test_fault_is_reported_at_once(case: str) -> None:
    make, text = SAID[case]
    with pytest.raises(ModelError, match=text):
        make()


def test_numbers_are_springs_where_compliance_is_expected() -> None:
    m = joined(tr.Revolute("z"), compliance=1e5)
    assert [s.element for s in find_seals(m)["joint"]] == ["C", "C", "C", "C", "C", "EC"]
    assert find_seals(joined(tr.Revolute("z"), law=tr.Spring(2.0) + tr.Motor(1.0)))["joint"][-1].by == "Spring + Motor"


def test_variables_are_named_by_kind_of_bond() -> None:
    assert VARIABLES["x"] == ("mu", "F")
    assert VARIABLES["ry"] == ("lambda", "M")
