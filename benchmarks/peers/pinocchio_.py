"""Pinocchio: articulated-body forward dynamics of the chain, its motion by SciPy's DOP853, and the N-four-bar."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from benchmarks import reference
from benchmarks.interleave import fastest
from benchmarks.reference import Array, Result

# DOP853 tolerance for an energy drift of 1e-9 over ten seconds, found by `search_chain` (quarter decades).
CHAIN_TOLERANCE = {3: 1e-9, 5: 1.78e-9, 7: 1e-9, 20: 1e-9, 100: 1e-10}
DRIFT = 1e-9
ERROR = 1e-4
# Four-bar: tried were stabilisations of 0 to 50 rad/s with proximal regularisations 1e-10 to 1e-4 (at N = 40: 20 and
# 30 rad/s with 3e-7 to 1e-5, and this pair). Of these, this pair is the one whose error depends least erratically on
# the tolerance; others reach 1e-4 at single tolerances, up to twice as fast, and miss it or jump to another branch at
# the next one. Even so, of twelve tolerances from 2e-5 to 2e-6 one misses (1.8e-4 at N = 10, 1.2e-4 at N = 40);
# these two pass with their neighbours. `search_four_bar` repeats the search for the tolerance.
STABILISATION = 50.0
PROXIMAL = 1e-5
FOUR_BAR_TOLERANCE = {10: 8e-6, 40: 1e-5}


@cache
def chain_model(n: int) -> pin.Model:
    """The chain with n links."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -reference.GRAVITY])
    centre = np.array([0.0, 0.0, -reference.LINK_LENGTH / 2])
    inertia = pin.Inertia(reference.LINK_MASS, centre, np.diag(reference.LINK_INERTIA))
    joint = {"x": pin.JointModelRX, "y": pin.JointModelRY}
    parent = 0
    for i, axis in enumerate(reference.chain_axes(n)):
        offset = np.array([0.0, 0.0, -reference.LINK_LENGTH if i else 0.0])
        parent = model.addJoint(parent, joint[axis](), pin.SE3(np.eye(3), offset), f"joint_{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def chain_acceleration(n: int, q: Array, u: Array) -> Array:
    """Joint accelerations of the chain."""
    model = chain_model(n)
    return np.array(pin.aba(model, model.createData(), q, u, np.zeros(n)))


def chain_forward_dynamics(n: int, convention: pin.Convention = pin.Convention.WORLD) -> float:
    """Seconds for one evaluation of the chain's accelerations, without what the call from Python costs.

    The cost of the call is measured as the same call on a model without joints, and subtracted. WORLD is the
    faster of the two conventions for long chains and no slower for short ones.
    """
    q, u = reference.chain_start(n)
    cost = fastest(
        {"chain": _aba(chain_model(n), q, u, convention), "empty": _aba(pin.Model(), q[:0], u[:0], convention)},
        repeats=max(50, 3_000 // n),
    )
    return cost["chain"] - cost["empty"]


def _aba(model: pin.Model, q: Array, u: Array, convention: pin.Convention) -> Callable[[], object]:
    return partial(pin.aba, model, model.createData(), q, u, np.zeros(model.nv), convention)


def run_chain(n: int, tolerance: float) -> Result:
    """Ten seconds of the chain by DOP853 with rtol = atol = tolerance; the samples are the accepted steps."""
    model = chain_model(n)
    data, effort, aba, convention = model.createData(), np.zeros(n), pin.aba, pin.Convention.WORLD

    def rhs(t: float, x: Array) -> Array:
        rate = np.empty(2 * n)
        rate[:n] = x[n:]
        rate[n:] = aba(model, data, x[:n], x[n:], effort, convention)
        return rate

    x0 = np.concatenate(reference.chain_start(n))
    start = time.perf_counter()
    run = solve_ivp(rhs, (0.0, reference.DURATION), x0, method="DOP853", rtol=tolerance, atol=tolerance)
    seconds = time.perf_counter() - start
    drift = reference.energy_drift(run.y[:n].T, run.y[n:].T)
    settings = {"method": "DOP853", "tolerance": tolerance, "steps": run.t.size - 1, "evaluations": run.nfev}
    return Result(seconds, drift, settings)


def chain_simulation(n: int, drift: float = DRIFT) -> Result:
    """Ten seconds of the chain within the energy drift."""
    if drift == DRIFT and n in CHAIN_TOLERANCE:
        return run_chain(n, CHAIN_TOLERANCE[n])
    return search_chain(n, drift)


def search_chain(n: int, drift: float = DRIFT) -> Result:
    """Loosest tolerance within the energy drift."""
    ladder = [10 ** (-7 - rung / 4) for rung in range(25)]
    return reference.coarsest(lambda tolerance: run_chain(n, tolerance), ladder, drift)


def run_four_bar(n_loops: int, tolerance: float) -> Result:
    """Ten seconds of the N-four-bar: a tree of rods and couplers, loops closed by stabilised point constraints."""
    model, rods, couplers = _four_bar_tree(n_loops)
    data = model.createData()
    tip = pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
    closures, closure_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    stabilised = pin.BaumgarteCorrectorParameters(STABILISATION**2, 2 * STABILISATION)
    for coupler, rod in zip(couplers, rods[1:], strict=True):
        kind, frame = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
        closure = pin.RigidConstraintModel(kind, model, coupler, tip, rod, tip, frame)
        closure.setBaumgarteCorrectorParameters(stabilised)
        closures.append(closure)
        closure_data.append(closure.createData())
    pin.initConstraintDynamics(model, data, closures, closure_data)
    proximal, effort, n = pin.ProximalSettings(1e-12, PROXIMAL, 3), np.zeros(model.nv), model.nv
    x0 = np.zeros(2 * n)
    for joints, sign in ((rods, 1.0), (couplers, -1.0)):
        at = np.array(joints) - 1
        x0[at], x0[n + at] = sign * np.pi / 2, -sign

    def rhs(t: float, x: Array) -> Array:
        rate = np.empty(2 * n)
        rate[:n] = x[n:]
        rate[n:] = pin.constraintDynamics(model, data, x[:n], x[n:], effort, closures, closure_data, proximal)
        return rate

    start = time.perf_counter()
    run = solve_ivp(rhs, (0.0, reference.DURATION), x0, method="DOP853", rtol=tolerance, atol=tolerance)
    seconds = time.perf_counter() - start
    settings = {
        "method": "DOP853",
        "tolerance": tolerance,
        "evaluations": run.nfev,
        "stabilisation": STABILISATION,
        "proximal": PROXIMAL,
    }
    return Result(seconds, reference.angle_error(n_loops, run.y[rods[0] - 1, -1]), settings)


def _four_bar_tree(n_loops: int) -> tuple[pin.Model, list[int], list[int]]:
    """Rods on the ground, each (but the last) carrying its coupler; joint numbers of both."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -reference.GRAVITY, 0.0])
    # the inertia about the link's own axis never acts in the plane; it only must not be zero
    inertia = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([1e-3, 1 / 12, 1 / 12]))
    joints: tuple[list[int], list[int]] = ([], [])
    for i in range(n_loops + 1):
        parent = 0
        for kind, at in ((0, float(i)), (1, 1.0))[: 2 if i < n_loops else 1]:
            place = pin.SE3(np.eye(3), np.array([at, 0.0, 0.0]))
            parent = model.addJoint(parent, pin.JointModelRZ(), place, f"{('rod', 'coupler')[kind]}_{i}")
            model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
            joints[kind].append(parent)
    return model, *joints


def four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Ten seconds of the N-four-bar with the first rod's final angle within the error."""
    if error == ERROR and n_loops in FOUR_BAR_TOLERANCE:
        return run_four_bar(n_loops, FOUR_BAR_TOLERANCE[n_loops])
    return search_four_bar(n_loops, error)


def search_four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Loosest tolerance within the error; the other settings stay as they are.

    Near the folded positions the error depends on the tolerance erratically, so ten neighbours must agree.
    """
    ladder = [2e-5 * 0.93**rung for rung in range(80)]
    return reference.coarsest(lambda tolerance: run_four_bar(n_loops, tolerance), ladder, error, confirm=10)
