"""The pseudo-inverse gives the motion of the other formalisms, whatever the rank of the rows, and obeys Gauss."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.equations.mechanisms import MECHANISMS, bricard, closed_by, four_bar, slider_crank
from tests.equations.random_states import largest, random_state

import trundle as tr
from trundle.bicycle import benchmark
from trundle.equations.formulation import FORMALISMS
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, SolveError
from trundle.linear_algebra.kkt import dense
from trundle.study.start_state import state_vector
from trundle.system import System, build


def disc() -> tr.Model:
    m = tr.Model("disc")
    body = m.body("disc", mass=2.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, body, law=tr.NoSlip())
    return m


TURNING = {"disc.roll": 0.3, "disc.yaw": 0.2, "disc.yaw_rate": 0.7, "disc.roll_rate": -0.4, "disc.pitch_rate": 5.0}
RIDING = {"roll": 0.3, "steer": -0.4, "yaw": 0.7, "rear_angle_rate": 10.0, "roll_rate": 0.5, "steer_rate": 0.8}


@cache
def built(name: str, formalism: str = "udwadia_kalaba") -> System:
    if formalism != "kane":
        return built(name, "kane").in_formalism(formalism)
    other = {"disc": disc, "bicycle": lambda: benchmark(0.03, 0.02)}
    return (MECHANISMS[name][0] if name in MECHANISMS else other[name])().build()


def state_of(name: str, seed: int, size: float = 0.2) -> dict[str, Any]:
    fixed = {"disc": TURNING, "bicycle": RIDING}
    return fixed.get(name) or random_state(built(name, "kane"), np.random.default_rng(seed), size)


def close(a: dict[str, Any], b: dict[str, Any], bound: float) -> None:
    for ending in ("acceleration", "reaction_force", "reaction_moment", "_drive"):
        scale = max(largest(b, ending), 1e-3)
        for key in (k for k in b if k in a and k.endswith(ending)):
            np.testing.assert_allclose(a[key], b[key], rtol=0, atol=bound * scale, err_msg=key)


# -- the same motion ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[*MECHANISMS, "disc", "bicycle"])
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_equal_accelerations(name: str, formalism: str) -> None:
    """Reactions are the same too: rows that depend on others only where the loops fold or close are taken last."""
    for seed in (1, 2):
        state, t = state_of(name, seed), 0.3 * seed
        found = built(name).accelerations(state, t=t)
        assert len(found) >= len(built(name).model.bodies)
        close(found, built(name, formalism).accelerations(state, t=t), 1e-9)


def test_equal_motion(name: str) -> None:
    state = state_of(name, 5, size=0.05)
    run = built(name).simulate(0.4, state, rtol=1e-12, atol=1e-12, samples=5)
    other = built(name, "kane").simulate(0.4, state, rtol=1e-12, atol=1e-12, samples=5)
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-9
    for body in built(name).model.bodies:
        if body != "ground":
            for quantity in ("position", "rotation", "velocity"):
                a, b = run.values(f"{body}.{quantity}"), other.values(f"{body}.{quantity}")
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * max(1.0, np.max(np.abs(b))), err_msg=body)


@pytest.mark.parametrize(("method", "exponent"), [("order5", 4), ("order5", 8), ("order8", 4), ("order8", 8)])
def test_a_loop_that_is_mobile_only_when_closed_keeps_its_freedom(method: str, exponent: int) -> None:
    """Off the manifold the redundant row of Bricard's linkage seems independent: it must not stop the motion."""
    state = state_of("Bricard", 5, size=0.05)
    exact = built("Bricard", "kane").simulate(3.0, state, rtol=1e-12, atol=1e-12, samples=4)
    tolerance = 10.0**-exponent
    run = built("Bricard").simulate(3.0, state, method=method, rtol=tolerance, atol=tolerance, samples=4)
    assert run.ok
    assert np.max(np.abs(run.values("b2.position") - exact.values("b2.position"))) < 50 * tolerance


# -- principles --------------------------------------------------------------------------------------------------------


def numbers(functions: Functions, state: np.ndarray, p: np.ndarray, t: float = 0.0) -> list[np.ndarray]:
    """M, h, A, b, udot, and the ideal constraint force."""
    e = functions.equations
    M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
    A = ca.vertcat(*[dense(row.jacobian, e.n_u).T for row in functions.rows])
    b = -ca.vertcat(*[row.gamma for row in functions.rows])
    out = [M, e.bias, A, b, functions.dynamics[0], functions.constraint_forces[0]]
    f = ca.Function("numbers", [e.t, e.q, e.u, e.p], [ca.densify(v) for v in out])
    return [np.array(ca.DM(v)).squeeze() for v in f(t, state[: e.n_q], state[e.n_q : e.n_q + e.n_u], p)]


def at(system: System, state: dict[str, Any]) -> list[np.ndarray]:
    p = system.formulation.default_parameters
    return numbers(system.formulation.functions, state_vector(system.formulation, system.start(state), p), p)


@pytest.mark.parametrize("which", ["carried four-bar", "RSSR", "Bricard", "closed by Universal", "disc", "bicycle"])
def test_principle_of_least_constraint(which: str) -> None:
    """No other acceleration that the rows allow is nearer to the free one in the metric M [Ikoki 2021, Eq. 14]."""
    M, h, A, b, udot, force = at(built(which), state_of(which, 4))
    a = np.linalg.solve(M, -h)
    assert np.max(np.abs(A @ udot - b)) < 1e-8 * (1 + np.max(np.abs(b)))
    np.testing.assert_allclose(M @ (udot - a), force, rtol=0, atol=1e-9 * np.max(np.abs(force)))
    values, directions = np.linalg.svd(A)[1:]
    tangents = directions[int(np.sum(values > 1e-8 * values[0])) :]
    assert len(tangents) == built(which).mobility.freedoms
    rng = np.random.default_rng(8)
    least = (udot - a) @ M @ (udot - a)
    for _ in range(200):
        other = udot + rng.normal(size=len(tangents)) * 10.0 ** rng.uniform(-3, 1) @ tangents
        assert (other - a) @ M @ (other - a) >= least * (1 - 1e-12)


def doubled(system: System, copies: int) -> Functions:
    """All rows given several times over."""
    e = system.formulation.equations
    e = replace(e, rows=e.rows * copies)
    return Functions(e, e.rows, system.formulation.length, system.mobility.redundant)


@pytest.mark.parametrize("which", ["four-bar", "RSSR", "Bricard", "disc"])
def test_rows_given_twice_change_nothing(which: str) -> None:
    system = built(which)
    p = system.formulation.default_parameters
    x = state_vector(system.formulation, system.start(state_of(which, 3)), p)
    once, thrice = (numbers(f, x, p)[4:] for f in (system.formulation.functions, doubled(system, 3)))
    for a, b in zip(once, thrice, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.max(np.abs(a)))


def test_a_row_that_vanishes_at_a_pose_needs_no_care() -> None:
    """The change-point linkage lying flat, where its two rows are one."""
    system = tr.examples.load("change-point-four-bar").model.build("udwadia_kalaba")
    f = system.formulation
    x = np.zeros(f.n_x)
    x[f.n_q] = 0.3  # only the crank moves: not allowed, brought onto what the folded linkage allows
    A, udot = (numbers(f.functions, x, f.default_parameters)[k] for k in (2, 4))
    regular = at(system, {})[2]
    assert np.linalg.matrix_rank(A, tol=1e-9) < np.linalg.matrix_rank(regular, tol=1e-9)
    assert np.all(np.isfinite(udot))
    rhs, project = (f.kernels("base")[k](0.0, x, f.default_parameters) for k in ("rhs", "project"))
    assert np.all(np.isfinite(rhs))
    u = project[f.n_q : f.n_q + f.n_u]
    assert np.max(np.abs(A @ u)) < 1e-14 < np.max(np.abs(A @ x[f.n_q : f.n_q + f.n_u]))


@pytest.mark.parametrize("exponent", [5, 8, 11])
@pytest.mark.parametrize("method", ["order5", "order8"])
def test_folding_linkage_stays_on_its_branch(method: str, exponent: int) -> None:
    model = tr.examples.load("change-point-four-bar").model
    tolerance = 10.0**-exponent
    run = model.build("udwadia_kalaba").simulate(
        10.0, {"crank.angle_rate": -2.5}, {"g": 9.81}, method=method, rtol=tolerance, atol=tolerance
    )
    theta = run.values("crank.angle")
    gamma = run.values("rocker.angle") - theta - run.values("coupler.angle")
    assert run.ok, run.outcome
    assert np.max(np.abs(np.sin(gamma / 2) - np.sqrt(1.2 / 1.43) * np.sin(theta / 2))) < 1e-9
    turns = np.count_nonzero(np.diff(np.floor(theta / (2 * np.pi))))
    assert len(run.near_singular) == turns >= 2


# -- what the formalism is asked ---------------------------------------------------------------------------------------


def test_a_run_may_choose_another_formalism() -> None:
    system = four_bar().build()
    start = {"A.angle_rate": 2.0}
    runs = {f: system.simulate(0.5, start, formalism=f, samples=3) for f in (None, *FORMALISMS)}
    twin = system.in_formalism("udwadia_kalaba")
    assert twin.formulation is system.in_formalism("udwadia_kalaba").formulation
    assert twin.in_formalism("kane").formulation is system.formulation
    for formalism, run in runs.items():
        assert run.settings["formalism"] == (formalism or "kane")
        np.testing.assert_allclose(run.values("rocker.position"), runs[None].values("rocker.position"), atol=1e-8)
    with pytest.raises(ModelError, match="'lagrange' is not known; choose 'kane' or"):
        system.simulate(1.0, formalism="lagrange")


def test_stiff_method_batch_and_events() -> None:
    model = slider_crank()
    model.event("low", lambda s: s["A.angle"] + 0.3, action={"A.angle_rate": lambda s: 0.5 * s["A.angle_rate"]})
    systems = [model.build(f) for f in ("kane", "udwadia_kalaba")]
    for options in ({}, {"method": "stiff", "rtol": 1e-9, "atol": 1e-9}):
        a, b = (s.simulate(1.0, {"A.angle_rate": -1.0}, samples=6, **options) for s in systems)
        assert len(a.events) == len(b.events) >= 1
        np.testing.assert_allclose(a.values("slide.position"), b.values("slide.position"), atol=1e-7)
    plain = [slider_crank().build(f) for f in ("kane", "udwadia_kalaba")]
    a, b = (s.batch(0.5, {"A.angle_rate": np.linspace(-1, 1, 5)}).end("A.angle") for s in plain)
    np.testing.assert_allclose(a, b, atol=1e-7)


def test_linear_equations_and_equilibrium_are_those_of_kane() -> None:
    kane, pseudo = (four_bar(laws=True).build(f) for f in ("kane", "udwadia_kalaba"))
    rest = kane.equilibrium()
    assert pseudo.equilibrium() == pytest.approx(rest, abs=1e-12)
    np.testing.assert_allclose(pseudo.linearise(rest).eigenvalues, kane.linearise(rest).eigenvalues, rtol=1e-9)
    relaxed = build(four_bar(laws=True), "udwadia_kalaba", {"C.x": 0.5})
    with pytest.raises(SolveError, match=r"a linearisation needs ideal constraints.*'C.x'"):
        relaxed.linearise()


def test_constraint_forces_by_coordinate() -> None:
    """They are the contributions of the multipliers of the loop to each joint of the tree."""
    system = closed_by(tr.Revolute("y")).build("udwadia_kalaba")
    state = random_state(system, np.random.default_rng(2))
    M, h, _, _, udot, force = at(system, state)
    run = system.simulate(1e-3, state, samples=2)
    np.testing.assert_allclose(force, M @ udot + h, atol=1e-9 * np.max(np.abs(force)))
    names = [f"{c.force_name}_ideal_force" for c in system.formulation.layout.coordinates]
    found = np.concatenate([np.atleast_1d(run.values(n)[0]) for n in names])
    np.testing.assert_allclose(found, force, atol=1e-9 * np.max(np.abs(force)))
    assert not np.any(run.values(names[0].replace("ideal", "nonideal")))
    assert "ideal constraints" in system.quantity(names[0]).text


def test_everything_redundant_at_once() -> None:
    """Bricard's linkage with its closing hinge twice: twelve rows, five of them independent."""
    m = bricard()
    m.connect(tr.Revolute("x"), m.bodies["b4"].at(0, 1, 0), m.ground.at(0, 1, 0), name="again")
    state = {"j0.angle": 0.1, "j0.angle_rate": 0.7}
    a, b = m.build("udwadia_kalaba").accelerations(state), bricard().build().accelerations(state)
    assert a["j2.angle_acceleration"] == pytest.approx(b["j2.angle_acceleration"], rel=1e-9)
