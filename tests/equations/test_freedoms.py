"""Degrees of freedom of known mechanisms, redundant rows by name, contradictions refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import trundle as tr
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.errors import AssemblyError, ModelError
from trundle.linear_algebra.rank import tied_sets
from trundle.model.spec import Spec

INERTIA = (0.1, 0.11, 0.12)


def body(m: tr.Model, name: str, x: float, y: float, z: float = 0.0) -> tr.Body:
    return m.body(name, mass=1.0, inertia=INERTIA, com=(x, y, z))


def hinge(
    m: tr.Model, a: tr.Body, b: tr.Body, name: str, x: float, y: float, z: float = 0.0, **options: object
) -> None:
    m.connect(tr.Revolute("z"), a.at(x, y, z), b.at(x, y, z), name=name, **options)


def planar_arm() -> tr.Model:
    m = tr.Model("arm", gravity=(0, -9.81, 0))
    last = m.ground
    for i in range(4):
        link = body(m, f"link{i}", i + 0.5, 0)
        hinge(m, last, link, f"link{i}", i, 0)
        last = link
    return m


def parallelogram(cranks: int) -> tr.Model:
    """Equal parallel cranks on one coupler: the third one is redundant, and yet it moves."""
    m = tr.Model("parallelogram", gravity=(0, -9.81, 0))
    coupler = body(m, "coupler", 1.3, 1.0)
    for i in range(cranks):
        crank = body(m, f"crank{i}", i + 0.15, 0.5)
        hinge(m, m.ground, crank, f"foot{i}", i, 0)
        hinge(m, crank, coupler, f"head{i}", i + 0.3, 1.0)
    return m


def double_loop() -> tr.Model:
    """Two four-bars in a row on one rocker."""
    m = tr.Model("double loop", gravity=(0, -9.81, 0))
    cranks = [body(m, f"crank{i}", 1.5 * i, 0.5) for i in range(3)]
    for i, crank in enumerate(cranks):
        hinge(m, m.ground, crank, f"foot{i}", 1.5 * i, 0)
    for i in range(2):
        coupler = body(m, f"coupler{i}", 1.5 * i + 0.7, 1.0)
        hinge(m, cranks[i], coupler, f"left{i}", 1.5 * i + 0.1, 1.0 + 0.1 * i)
        hinge(m, coupler, cranks[i + 1], f"right{i}", 1.5 * i + 1.4, 1.1 - 0.1 * i)
    return m


def truss() -> tr.Model:
    """A triangle of hinged bars on the ground: a structure."""
    m = tr.Model("truss", gravity=(0, -9.81, 0))
    left, right = body(m, "left", 0.5, 0.5), body(m, "right", 1.5, 0.5)
    hinge(m, m.ground, left, "A", 0, 0)
    hinge(m, m.ground, right, "B", 2, 0)
    hinge(m, left, right, "C", 1, 1)
    return m


def stewart(first: tr.pairs.Pair) -> tr.Model:
    """Platform on six legs: `first` joint at the ground, slide, ball at the platform."""
    m = tr.Model("Stewart platform")
    top = m.body("top", mass=5.0, inertia=(1, 1, 2), com=(0, 0, 1))
    for i in range(6):
        low = np.array([*(1.2 * np.array([math.cos(a := math.pi / 3 * i + (-1) ** i * 0.2), math.sin(a)])), 0.0])
        high = np.array(
            [
                *(
                    0.8
                    * np.array([math.cos(a := math.pi / 3 * (i + (i + 1) % 2 - 0.5) - (-1) ** i * 0.2), math.sin(a)])
                ),
                1.0,
            ]
        )
        foot, rod = body(m, f"foot{i}", *low), body(m, f"rod{i}", *high)
        m.connect(first, m.ground.at(*low), foot.at(*low))
        m.connect(tr.Prismatic(tuple(high - low)), foot.at(*low), rod.at(*low))
        m.connect(tr.Spherical(), rod.at(*high), top.at(*high), name=f"ball{i}")
    return m


def slider_in_two_guides() -> tr.Model:
    """One slide in two parallel guides: the second one is redundant altogether."""
    m = tr.Model("guides")
    slide = body(m, "slide", 0, 0)
    m.connect(tr.Prismatic("x"), m.ground, slide)
    m.connect(tr.Prismatic("x"), m.ground.at(0, 1, 0), slide.at(0, 1, 0), name="second")
    return m


FREEDOMS: dict[str, tuple[Callable[[], tr.Model], int, int]] = {  # model, freedoms, redundant rows
    "planar arm": (planar_arm, 4, 0),
    "four-bar": (lambda: parallelogram(2), 1, 3),
    "three parallel cranks": (lambda: parallelogram(3), 1, 3 + 4),
    "double loop": (double_loop, 1, 6),
    "truss": (truss, 0, 3),
    "guides": (slider_in_two_guides, 1, 5),
    "Stewart platform with cardan joints": (lambda: stewart(tr.Universal((1, 0.3, 0.1))), 6, 0),
    "Stewart platform with balls at both ends": (lambda: stewart(tr.Spherical()), 12, 0),  # every leg can spin
}


def analysed(name: str) -> Formulation:
    """Without machine code: the rank needs none."""
    return Formulation.of(Derivation(Spec(FREEDOMS[name][0]())), "kane")


@pytest.mark.parametrize("name", FREEDOMS)
def test_degrees_of_freedom_and_redundant_rows(name: str) -> None:
    _, freedoms, redundant = FREEDOMS[name]
    mobility = analysed(name).mobility
    assert mobility.freedoms == freedoms
    assert len(mobility.redundant) == redundant
    assert len(mobility.independent) == freedoms


def test_redundant_rows_of_a_planar_loop_are_the_ones_out_of_plane() -> None:
    system = analysed("four-bar")
    closer = system.topology.loops[0].name
    assert set(system.mobility.redundant) == {f"{closer}.z", f"{closer}.rx", f"{closer}.ry"}


def test_joint_that_is_redundant_as_a_whole_carries_nothing() -> None:
    system = slider_in_two_guides().build()
    force = system.reactions()
    np.testing.assert_allclose(force["slide.reaction_force"], [0, 0, 9.81], atol=1e-12)
    np.testing.assert_allclose(force["second.reaction_force"], 0)
    run = system.simulate(1.0, {"slide.displacement_rate": 2.0}, samples=3)
    np.testing.assert_allclose(run.values("slide.displacement"), [0, 1, 2], atol=1e-12)


def test_structure_stands_still() -> None:
    system = truss().build()
    run = system.simulate(0.5, samples=3)
    assert run.ok
    np.testing.assert_allclose(run.values("A.angle"), 0, atol=1e-12)
    force = system.reactions()
    total = force["A.reaction_force"] + force["B.reaction_force"]
    np.testing.assert_allclose(total, [0, 2 * 9.81, 0], atol=1e-9)


def test_story_of_a_model() -> None:
    m = parallelogram(2)
    m.connections["foot0"].laws["angle"] = tr.Damper(0.1)
    m.apply(tr.SpringDamper(m.ground, m.bodies["coupler"], 10.0), "stay")
    m.parameter("gain", 2.5, "N m")
    text = m.build().describe()
    for words in (
        "3 bodies, 4 connections",
        "ground -> crank0: Revolute 'foot0' (foot0.angle)  [Damper on angle]",
        " closes ",
        " - ground - ",
        "stay (SpringDamper)",
        "gain = 2.5 N m",
        "1 degree of freedom.",
        "Independent: ",
        "Redundant constraints, left out",
    ):
        assert words in text, (words, text)


def two_drives(second: Callable[[object], object]) -> tr.Model:
    """A four-bar with a servo on both grounded cranks; equal cranks always have equal angles."""
    m = parallelogram(2)
    m.connections["foot0"].laws["angle"] = tr.Servo(lambda t: 0.3 * t)
    m.connections["foot1"].laws["angle"] = tr.Servo(second)
    return m


def test_two_drives_that_fight_are_refused() -> None:
    with pytest.raises(ModelError, match=r"contradict each other at t = .*foot[01]\.angle \(servo\).*Two drives"):
        two_drives(lambda t: 0.2 * t).build()


def test_two_drives_that_agree_are_redundant() -> None:
    system = two_drives(lambda t: 0.3 * t).build()
    assert system.mobility.freedoms == 0
    assert sum(name.endswith("(servo)") for name in system.mobility.redundant) == 1


def test_singular_start_is_refused() -> None:
    """Folded flat, a parallelogram can go on in two ways."""
    system = parallelogram(2).build()
    flat = -math.atan2(1.0, 0.3)
    with pytest.raises(tr.TrundleError, match=r"singular.*Start slightly away"):
        system.start({"foot0.angle": flat, "foot1.angle": flat})


def test_rows_that_are_tied_through_others() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(1, 30))
        tied = rng.random((n, n)) < rng.uniform(0, 2) / n
        tied |= tied.T | np.eye(n, dtype=bool)
        count, label = connected_components(csr_array(tied), directed=False)
        assert tied_sets(tied) == [[int(i) for i in np.flatnonzero(label == k)] for k in range(count)]


def ball_in_bowl(**options: object) -> tr.Model:
    """A ball on a compliant bowl: without a start value it is at the centre, where it touches nowhere or everywhere."""
    m = tr.Model("ball in a bowl")
    ball = m.body("ball", mass=1.0, inertia=0.02)
    pair = tr.HigherPair(tr.Sphere(0.8, inside=True), tr.Sphere(0.2))
    m.connect(pair, m.ground, ball, name="bowl", law=tr.NoSlip(), compliance=tr.Spring(3e3, 10.0))
    return m


def test_a_pose_without_a_point_of_contact_does_not_count() -> None:
    system = ball_in_bowl().build()
    assert (system.mobility.freedoms, system.mobility.configuration) == (4, 6)
    run = system.simulate(0.5, {"ball.position": (0.05, 0, -0.6)})
    assert run.ok and run.energy.drift < 1e-8
    assert np.max(np.abs(run["bowl.slip_x"].values)) < 1e-9


def test_no_pose_with_a_point_of_contact_is_refused() -> None:
    m = ball_in_bowl()
    m.connect(tr.Spherical(), m.ground, m.bodies["ball"], name="pivot")
    with pytest.raises(AssemblyError, match=r"bowl.slip_x .* a ball may be held at the centre"):
        m.build()
