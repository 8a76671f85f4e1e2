"""Joints by their seals: pendulums on each of the six joints on an axis, two bodies in free space, and doors, against
closed forms.
"""

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from trundle import examples
from trundle.model.joint import JOINTS
from trundle.run.run import Run

G = 9.81
L = 0.4
MASS = 1.5
INCLINE = 0.3
FORMALISMS = ("kane", "newton_euler")
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12, "samples": 201}
Array = np.ndarray[Any, np.dtype[np.float64]]


def swing(t: Array, amplitude: float, gravity: float) -> Array:
    """Angle of the bar let go at rest: a pendulum by Jacobi's elliptic functions."""
    k = math.sin(amplitude / 2)
    _, cn, dn, _ = ellipj(math.sqrt(3 * gravity / (4 * L)) * t, k**2)
    return 2 * np.arcsin(k * cn / dn)


def damped(t: Array, mass: float, damping: float, stiffness: float, first: float) -> Array:
    """Solution of mass q'' + damping q' + stiffness q = 0 from rest at q = first, for any damping but critical."""
    roots = np.roots([mass, damping, stiffness]).astype(complex)
    a, b = first * roots[1] / (roots[1] - roots[0]), -first * roots[0] / (roots[1] - roots[0])
    return np.real(a * np.exp(roots[0] * t) + b * np.exp(roots[1] * t))


def ride(name: str, formalism: str = "kane", **options: Any) -> Run:
    file = examples.load(name)
    assert file.run.duration is not None
    run = file.model.build(formalism).simulate(file.run.duration, **{**TIGHT, **options})
    assert run.ok, run.outcome
    return run


def largest(values: Any) -> float:
    return float(np.max(np.abs(values)))


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_fixed_ideal_joint_swings_by_elliptic_functions(formalism: str) -> None:
    run = ride("fixed-ideal-joint", formalism)
    assert largest(run.values("hinge.angle") - swing(run.time, 2.0, G)) < 1e-9


def test_the_period_of_the_elliptic_functions_is_that_of_the_pendulum() -> None:
    """The reference itself: after a period it is where it began, and small swings are harmonic."""
    w = math.sqrt(3 * G / (4 * L))
    assert swing(np.array([4 * ellipk(math.sin(1.0) ** 2) / w]), 2.0, G)[0] == pytest.approx(2.0, abs=1e-12)
    t = np.linspace(0, 1, 11)
    assert swing(t, 1e-4, G) == pytest.approx(1e-4 * np.cos(w * t), abs=1e-12)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_free_ideal_joint_slides_while_it_swings(formalism: str) -> None:
    run = ride("free-ideal-joint", formalism)
    slid = G * math.sin(INCLINE) * run.time**2 / 2
    assert largest(run.values("sleeve.displacement") - slid) < 1e-10
    assert largest(run.values("sleeve.angle") - swing(run.time, 1.0, G * math.cos(INCLINE))) < 1e-9


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_spring_ideal_joint_oscillates_along_and_swings_about_its_axis(formalism: str) -> None:
    run = ride("spring-ideal-joint", formalism)
    rest = MASS * G * math.sin(INCLINE) / 60.0
    assert largest(run.values("sleeve.displacement") - rest - damped(run.time, MASS, 3.0, 60.0, -rest)) < 1e-10
    assert largest(run.values("sleeve.angle") - swing(run.time, 1.0, G * math.cos(INCLINE))) < 1e-9


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_fixed_controlled_joint_restores(formalism: str) -> None:
    """f = k q + d u acts on the first body, so the second is turned back."""
    run = ride("fixed-controlled-joint", formalism)
    inertia = MASS * L**2 * (1 / 3 + 1)
    assert largest(run.values("hinge.angle") - damped(run.time, inertia, 0.2, 4.0, 0.8)) < 1e-10


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_free_slide_joint_falls_along_its_axis(formalism: str) -> None:
    run = ride("free-slide-joint", formalism)
    slid = -run.time + G * math.sin(INCLINE) * run.time**2 / 2
    assert largest(run.values("slider.displacement") - slid) < 1e-11
    assert largest(run.values("bar.rotation") - run.values("bar.rotation")[0]) < 1e-12


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_fixed_servo_joint_follows_its_acceleration(formalism: str) -> None:
    run = ride("fixed-servo-joint", formalism)
    angle = 0.3 - 0.2 * run.time + 2 / 9 * (1 - np.cos(3 * run.time))
    assert largest(run.values("hinge.angle") - angle) < 1e-10
    # What the servo must give: inertia and weight.
    drive = MASS * L**2 * 4 / 3 * 2 * np.cos(3 * run.time) + MASS * G * L * np.sin(angle)
    assert largest(run.values("hinge.angle_drive") - drive) < 1e-9


@pytest.mark.parametrize("joint", JOINTS, ids=lambda kind: kind.__name__)
def test_every_joint_has_an_example(joint: type[Any]) -> None:
    name = "".join(f"-{c.lower()}" if c.isupper() else c for c in joint.__name__).removeprefix("-")
    (connection,) = examples.model(name).connections.values()
    assert connection.kind == joint.__name__


# -- two bodies in free space ---------------------------------------------------------------------------------------


def cross(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class TwoBodies:
    """The joint of the paper on acceleration level: two free bodies and six unknowns of the wrench between them
    [Kosenko 2022, Eqs. 1-3], integrated as they stand.
    """

    def __init__(self, with_term: bool) -> None:
        model = examples.model("two-bodies-on-a-hinge")
        self.with_term = with_term
        hinge = model.connections["hinge"]
        self.bodies = []
        for frame in (hinge.first, hinge.second):
            inertia = frame.body.mass_properties()
            mass, com, matrix = (np.array(ca.DM(ca.SX(v))) for v in (inertia.mass, inertia.com, inertia.matrix))
            self.bodies.append((float(mass[0, 0]), matrix, np.array(frame.position, dtype=float) - com.ravel()))
        self.axis = hinge.first.rotation @ hinge.pair.frame()[:, 2]

    def unpack(self, x: Array) -> list[tuple[Array, Array, Array, Array]]:
        """Mass centre, velocity, angular velocity and rotation of each body."""
        return [(x[i : i + 3], x[i + 3 : i + 6], x[i + 6 : i + 9], x[i + 9 : i + 18].reshape(3, 3, order="F"))
                for i in (0, 18)]  # fmt: skip

    def rate(self, t: float, x: Array) -> Array:
        """Unknowns: a_A, eps_A, a_B, eps_B, F, M (on the first body at the joint), lambda."""
        states = self.unpack(x)
        K, b = np.zeros((19, 19)), np.zeros(19)
        for i, ((m, I_body, arm), (_, _, w, R), sign) in enumerate(zip(self.bodies, states, (1.0, -1.0), strict=True)):
            a, e, inertia, r = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6), R @ I_body @ R.T, R @ arm
            K[a, a], K[a, 12:15] = m * np.eye(3), -sign * np.eye(3)
            K[e, e], K[e, 12:15], K[e, 15:18] = inertia, -sign * cross(r), -sign * np.eye(3)
            b[e] = -np.cross(w, inertia @ w)
            K[12:15, a], K[12:15, e] = sign * np.eye(3), -sign * cross(r)  # Eq. 2 with mu = 0
            b[12:15] -= sign * np.cross(w, np.cross(w, r))
            K[15:18, e] = -sign * np.eye(3)  # Eq. 3
        w_A, w_B, n = states[0][2], states[1][2], states[0][3] @ self.axis
        K[15:18, 18] = -n
        b[15:18] = np.cross(w_A, w_B - w_A) if self.with_term else 0.0
        K[18, 15:18] = n  # M = 0 about the axis
        unknown = np.linalg.solve(K, b)
        out = []
        for i, (_, v, w, R) in enumerate(states):
            a, e = unknown[6 * i : 6 * i + 3], unknown[6 * i + 3 : 6 * i + 6]
            out += [v, a, e, (cross(w) @ R).ravel(order="F")]
        return np.concatenate(out)

    def energy(self, x: Array) -> float:
        total = 0.0
        for (m, I_body, _), (_, v, w, R) in zip(self.bodies, self.unpack(x), strict=True):
            total += m * v @ v / 2 + w @ R @ I_body @ R.T @ w / 2
        return total

    def momenta(self, x: Array) -> tuple[Array, Array]:
        """Momentum, and moment of momentum about the common mass centre."""
        states = self.unpack(x)
        p = sum(m * v for (m, _, _), (_, v, _, _) in zip(self.bodies, states, strict=True))
        centre = sum(m * c for (m, _, _), (c, _, _, _) in zip(self.bodies, states, strict=True)) / 5.0
        h = np.zeros(3)
        for (m, I_body, _), (c, v, w, R) in zip(self.bodies, states, strict=True):
            h += m * np.cross(c - centre, v) + R @ I_body @ R.T @ w
        return np.asarray(p), h


@pytest.fixture(scope="module")
def tumbling() -> Run:
    return ride("two-bodies-on-a-hinge", samples=41)


def states_of(run: Run) -> Array:
    """Mass centre, velocity, angular velocity and rotation of both bodies at all times."""
    names = [f"{b}.{q}" for b in ("first", "second") for q in ("com_position", "com_velocity", "angular_velocity")]
    blocks = [run.values(n) for n in names]
    return np.hstack([*blocks[:3], run.values("first.rotation"), *blocks[3:], run.values("second.rotation")])


def test_two_bodies_keep_energy_and_momentum(tumbling: Run) -> None:
    paper = TwoBodies(True)
    states = states_of(tumbling)
    energies = np.array([paper.energy(x) for x in states])
    momenta = [paper.momenta(x) for x in states]
    assert largest(energies - energies[0]) < 1e-9 * energies[0]
    assert largest([p - momenta[0][0] for p, _ in momenta]) < 1e-9
    assert largest([h - momenta[0][1] for _, h in momenta]) < 1e-9
    assert float(np.ptp(tumbling.values("hinge.angle_rate"))) > 1.0  # it does tumble


@pytest.mark.parametrize("with_term", [True, False])
def test_the_term_of_equation_three_keeps_the_energy(tumbling: Run, with_term: bool) -> None:
    paper, told = TwoBodies(with_term), states_of(tumbling)
    until = len(tumbling.time) if with_term else 13  # what goes wrong is seen after 3 s
    times, rtol = tumbling.time[:until], 1e-11 if with_term else 1e-8
    found = solve_ivp(paper.rate, (0, times[-1]), told[0], "DOP853", times, rtol=rtol, atol=1e-12).y.T
    drift = largest([paper.energy(x) / paper.energy(told[0]) - 1 for x in found])
    difference = largest(found - told[:until])
    if with_term:
        assert drift < 1e-9
        assert difference < 1e-8
    else:
        assert drift > 0.05
        assert difference > 0.1


@pytest.mark.parametrize("name", ["two-bodies-on-a-hinge", "spring-door"])
def test_formalisms_agree(name: str) -> None:
    body = "second" if name.startswith("two") else "door"
    kane, absolute = (ride(name, f, samples=11).values(f"{body}.com_position") for f in FORMALISMS)
    assert largest(kane - absolute) < 1e-9


# -- doors ----------------------------------------------------------------------------------------------------------


def test_spring_door_closes() -> None:
    run = ride("spring-door")
    assert largest(run.values("hinge.angle") - damped(run.time, 20.0 * 0.9**2 / 3, 18.0, 12.0, 1.4)) < 1e-10
    assert 0 < run.values("hinge.angle")[-1] < 0.01


def test_the_door_on_two_hinges_reports_its_redundant_rows() -> None:
    system = examples.model("two-hinge-door").build()
    assert system.mobility.redundant == tuple(f"upper.{bond}" for bond in ("x", "y", "z", "rx", "ry"))
    assert system.mobility.freedoms == 1
    run = system.simulate(10.0, **TIGHT)
    # A pendulum of length 2/3 w under the gravity that the lean leaves.
    k = math.sin(0.6)
    _, cn, dn, _ = ellipj(math.sqrt(G * math.sin(0.1) * 3 / (2 * 0.9)) * run.time, k**2)
    assert largest(run.values("lower.angle") - 2 * np.arcsin(k * cn / dn)) < 1e-9


def test_compliant_hinges_share_the_load() -> None:
    """At rest: half the weight each, and the moment of the weight as a couple of horizontal forces and by tilting."""
    system = examples.model("two-hinge-door-compliant").build()
    assert system.mobility.redundant == ()
    rest = system.equilibrium({"lower.angle": 0.1})
    assert rest["lower.angle"] == pytest.approx(0.0, abs=1e-9)
    load = system.reactions(rest)
    down, aside, span, k, k_turn = 20.0 * G * math.cos(0.1), 20.0 * G * math.sin(0.1), 1.4, 1e6, 1e3
    tilt = down * 0.45 / (k * span**2 / 2 + 2 * k_turn)
    for hinge, sign in (("lower", 1.0), ("upper", -1.0)):
        x, y, z = load[f"{hinge}.reaction_force"]
        assert z == pytest.approx(down / 2, rel=1e-4)
        assert x == pytest.approx(sign * k * span / 2 * tilt - aside / 2, rel=1e-3)
        assert y == pytest.approx(0.0, abs=1e-9)
        assert load[f"{hinge}.reaction_moment"] == pytest.approx([0.0, -k_turn * tilt, 0.0], abs=1e-5)
    couple = (load["lower.reaction_force"][0] - load["upper.reaction_force"][0]) * span / 2
    moments = load["lower.reaction_moment"][1] + load["upper.reaction_moment"][1]
    assert couple - moments == pytest.approx(down * 0.45, rel=1e-3)


def test_compliant_hinges_converge_to_rigid_ones() -> None:
    """The angle differs from that of rigid hinges as 1/k; springs against tilting and dampers grow with k."""
    rigid = ride("two-hinge-door", samples=[0.0, 2.0]).values("lower.angle")[-1]
    system = examples.model("two-hinge-door-compliant").build()
    stiffness = np.array([1e5, 1e6, 1e7])
    errors = []
    for k in stiffness:
        given = {"k": k, "d": 5e-3 * k, "k_turn": k / 100, "d_turn": 5e-5 * k}
        run = system.simulate(2.0, None, given, method="stiff", rtol=1e-10, atol=1e-12, samples=[0.0, 2.0])
        assert run.ok, run.outcome
        errors.append(abs(run.values("lower.angle")[-1] - rigid))
    order = -np.polyfit(np.log(stiffness), np.log(errors), 1)[0]
    assert 0.9 < order < 1.1
