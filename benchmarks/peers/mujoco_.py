"""MuJoCo: the chain as an MJCF tree, and the N-four-bar with its loops closed by soft connect constraints."""

from __future__ import annotations

import time
from functools import cache, partial
from xml.etree import ElementTree

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks import reference
from benchmarks.interleave import fastest
from benchmarks.reference import Array, Result

# RK4 steps per sample (0.1 s) for an energy drift of 1e-9 over ten seconds, found by hand on ladders of a few per cent
# (`search_chain` repeats it with ten); n = 100 was tried at 1600, 2850 (1.1e-9), 3100 and 3400 (7e-10).
CHAIN_STEPS = {3: 52, 5: 90, 7: 105, 20: 480, 100: 3100}
DRIFT = 1e-9
ERROR = 1e-4
# Four-bar: steps per second, found by `search_four_bar` (N = 40: refined by hand). The constraint is a spring-damper
# of frequency STIFFNESS / step and damping ratio DAMPING. Tried: RK4 and implicitfast (Euler gave the same error),
# frequencies 0.25 to 2 per step, ratios 0.1 to 1, not in every combination; these were the fastest that keep the error.
FOUR_BAR_STEPS = {10: 472, 40: 340}
STIFFNESS = 1.0
DAMPING = 0.1
IMPEDANCE = "0.9999 0.9999 0.001"  # as hard as MuJoCo allows
DENSE_UP_TO = 20  # loops; the sparse Jacobian is no faster at 10 and twice as fast at 40, between them untried


def _frame(gravity: str, **option: str) -> tuple[ElementTree.Element, ElementTree.Element]:
    """An empty MJCF model and its world body."""
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    options = ElementTree.SubElement(root, "option", {"gravity": gravity, **option})
    ElementTree.SubElement(options, "flag", contact="disable", autoreset="disable", refsafe="disable")
    return root, ElementTree.SubElement(root, "worldbody")


@cache
def chain_model(n: int, step: float = 0.002, integrator: str = "RK4") -> mujoco.MjModel:
    """The chain with n links, generated as MJCF: no contacts, no damping, no armature."""
    root, body = _frame(f"0 0 {-reference.GRAVITY}", timestep=repr(step), integrator=integrator)
    axes = {"x": "1 0 0", "y": "0 1 0"}
    for i, axis in enumerate(reference.chain_axes(n)):
        body = ElementTree.SubElement(body, "body", pos=f"0 0 {-reference.LINK_LENGTH if i else 0}")
        ElementTree.SubElement(body, "joint", type="hinge", axis=axes[axis])
        inertia = " ".join(map(repr, reference.LINK_INERTIA))
        centre = f"0 0 {-reference.LINK_LENGTH / 2}"
        ElementTree.SubElement(body, "inertial", pos=centre, mass=repr(reference.LINK_MASS), diaginertia=inertia)
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))


def chain_acceleration(n: int, q: Array, u: Array) -> Array:
    """Joint accelerations of the chain."""
    model = chain_model(n)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, u
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def chain_forward_dynamics(n: int) -> float:
    """Seconds for one mj_forward of the chain, without what the call from Python costs.

    The cost of the call is that of mj_fwdActuation on the same model, which has no actuators and so does nothing.
    """
    model = chain_model(n)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = reference.chain_start(n)
    cost = fastest(
        {"chain": partial(mujoco.mj_forward, model, data), "empty": partial(mujoco.mj_fwdActuation, model, data)},
        repeats=max(50, 3_000 // n),
    )
    return cost["chain"] - cost["empty"]


def run_chain(n: int, steps_per_sample: int) -> Result:
    """Ten seconds of the chain by RK4; Python is entered once per sample, a hundred times in all."""
    intervals = reference.SAMPLES - 1
    step = reference.DURATION / (intervals * steps_per_sample)
    model = chain_model(n, step)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = reference.chain_start(n)
    q, u = np.empty((intervals + 1, n)), np.empty((intervals + 1, n))
    q[0], u[0] = data.qpos, data.qvel
    start = time.perf_counter()
    for sample in range(1, intervals + 1):
        mujoco.mj_step(model, data, steps_per_sample)
        q[sample], u[sample] = data.qpos, data.qvel
    seconds = time.perf_counter() - start
    settings = {"integrator": "RK4", "step": step, "steps": intervals * steps_per_sample}
    return Result(seconds, reference.energy_drift(q, u), settings)


def chain_simulation(n: int, drift: float = DRIFT) -> Result:
    """Ten seconds of the chain within the energy drift."""
    if drift == DRIFT and n in CHAIN_STEPS:
        return run_chain(n, CHAIN_STEPS[n])
    return search_chain(n, drift)


def search_chain(n: int, drift: float = DRIFT) -> Result:
    """Coarsest step within the energy drift."""
    return reference.coarsest(lambda steps: run_chain(n, int(steps)), reference.counts(20, 5000), drift)


def four_bar_model(n_loops: int, steps_per_second: int) -> mujoco.MjModel:
    """The N-four-bar: a tree of hinged rods and couplers, each loop closed by a connect constraint."""
    frequency = STIFFNESS * steps_per_second
    option = {
        "timestep": repr(1 / steps_per_second),
        "integrator": "implicitfast",
        "solver": "Newton",
        "iterations": "1",  # equality constraints alone make a quadratic problem: one Newton step solves it
        "tolerance": "0",
        "jacobian": "dense" if n_loops <= DENSE_UP_TO else "sparse",
    }
    root, world = _frame(f"0 {-reference.GRAVITY} 0", **option)
    equality = ElementTree.SubElement(root, "equality")
    for i in range(n_loops + 1):
        rod = _four_bar_link(world, f"rod_{i}", i)
        if i < n_loops:
            _four_bar_link(rod, f"coupler_{i}", 1)
            solref = f"{-(frequency**2)} {-2 * DAMPING * frequency}"
            bodies = {"body1": f"coupler_{i}", "body2": f"rod_{i + 1}"}
            ElementTree.SubElement(equality, "connect", bodies, anchor="1 0 0", solref=solref, solimp=IMPEDANCE)
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    model.eq_data[:, :6] = (1, 0, 0, 1, 0, 0)  # tip to tip: MJCF takes the second anchor from the unfolded zero pose
    return model


def _four_bar_link(parent: ElementTree.Element, name: str, x: float) -> ElementTree.Element:
    body = ElementTree.SubElement(parent, "body", name=name, pos=f"{x} 0 0")
    ElementTree.SubElement(body, "joint", type="hinge", axis="0 0 1")
    # the inertia about the link's own axis never acts in the plane; it only must not be zero
    ElementTree.SubElement(body, "inertial", pos="0.5 0 0", mass="1", diaginertia=f"1e-3 {1 / 12!r} {1 / 12!r}")
    return body


def run_four_bar(n_loops: int, steps_per_second: int) -> Result:
    """Ten seconds of the N-four-bar."""
    model = four_bar_model(n_loops, steps_per_second)
    data = mujoco.MjData(model)
    data.qpos[0::2], data.qvel[0::2] = np.pi / 2, -1.0  # rods, then couplers, which stay level
    data.qpos[1::2], data.qvel[1::2] = -np.pi / 2, 1.0
    seconds, errors = 0.0, []
    for second in range(1, round(reference.DURATION) + 1):
        start = time.perf_counter()
        mujoco.mj_step(model, data, steps_per_second)
        seconds += time.perf_counter() - start
        errors.append(reference.angle_error(n_loops, data.qpos[0], second))
    settings = {
        "integrator": "implicitfast",
        "step": 1 / steps_per_second,
        "solref": model.eq_solref[0].tolist(),
        "jacobian": "dense" if n_loops <= DENSE_UP_TO else "sparse",
        "largest_error_at_whole_seconds": max(errors),
    }
    return Result(seconds, errors[-1], settings)


def four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Ten seconds of the N-four-bar with the first rod's final angle within the error."""
    if error == ERROR and n_loops in FOUR_BAR_STEPS:
        return run_four_bar(n_loops, FOUR_BAR_STEPS[n_loops])
    return search_four_bar(n_loops, error)


def search_four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Coarsest step within the error; the other settings stay as they are."""
    return reference.coarsest(lambda steps: run_four_bar(n_loops, int(steps)), reference.counts(200, 5000), error)


def chain_rollouts(
    count: int, n: int, duration: float, step: float = 0.002, integrator: str = "RK4", threads: int = 2
) -> Result:
    """Many chains from scattered initial angles at once, by MuJoCo's own threaded rollout.

    The accuracy is the largest energy drift of all rollouts, so that a faster but coarser run shows as such.
    """
    model = chain_model(n, step, integrator)
    data = [mujoco.MjData(model) for _ in range(threads)]
    q, u = reference.chain_scatter(count, n)
    state = np.hstack([np.zeros((count, 1)), q, u])  # full physics state: time, positions, velocities
    steps = round(duration / step)
    with rollout.Rollout(nthread=threads) as pool:
        pool.rollout(model, data, state[:threads], nstep=2)  # the threads are started before the clock is
        start = time.perf_counter()
        states, _ = pool.rollout(model, data, state, nstep=steps)
        seconds = time.perf_counter() - start
    drifts = []
    for first, path in zip(state, states, strict=True):
        path = np.vstack([first, path])
        drifts.append(reference.energy_drift(path[:, 1 : 1 + n], path[:, 1 + n :]))
    settings = {"integrator": integrator, "step": step, "threads": threads, "count": count}
    return Result(seconds, max(drifts), settings)
