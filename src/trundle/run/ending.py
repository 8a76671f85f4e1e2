"""The ending of a run in words; a value that is not finite is traced to the law that gave it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.pairs.higher import HigherPair

if TYPE_CHECKING:
    from trundle.solve.trajectory import Trajectory
    from trundle.system import System


def explain(system: "System", trajectory: "Trajectory", p: np.ndarray[Any, Any]) -> str:
    """Name, sentence and remedy of the ending."""
    outcome = trajectory.outcome
    text = str(outcome)
    if not outcome.ok:
        text += f" It stopped at t = {trajectory.t_end:.9g} s."
    if outcome.name == "NOT_FINITE":
        culprits = culprit_laws(system, trajectory.t_end, trajectory.x_end, p)
        if culprits:
            text += f" Not finite there: {', '.join(culprits)}."
    text += _jammed(system, trajectory, p)
    if not outcome.ok and outcome.name != "LIES_FLAT":
        text += "".join(
            f" The wheel of contact {name!r} lies flat there (a roll of 90 degrees), a singular pose of its chain; "
            "an event on the roll can stop the run before."
            for name in flat_wheels(system, trajectory, p)
        )
    return text


def _jammed(system: "System", trajectory: "Trajectory", p: np.ndarray[Any, Any]) -> str:
    """Tells where rigid friction has no or several solutions."""
    from trundle.equations.modes import transitions

    changes = transitions(system.model)
    if not any(c.ends for c in changes) or trajectory.outcome.name == "FINISHED":
        return ""
    values = system.kernels("events")["events"](trajectory.t_end, trajectory.x_end, p)[len(system.model.events) :]
    jammed = [c.contact for c, value in zip(changes, values, strict=True) if c.ends and not value > 1e-6]
    if not jammed:
        return ""
    return (
        f" Friction at contact {', '.join(map(repr, jammed))} leaves no unique acceleration there (Painleve's "
        "paradox): rigid bodies jam, or several "
        "motions are possible. Less friction, another pose, or a compliant normal (compliance=tr.Spring(...)) makes "
        "the motion unique."
    )


def flat_wheels(system: "System", trajectory: "Trajectory", p: np.ndarray[Any, Any]) -> list[str]:
    """Contacts of wheels on planes whose plane has come down onto the road."""
    found = []
    for c in system.model.connections.values():
        if isinstance(c.pair, HigherPair) and c.pair.first.flat and c.pair.second.round:
            roll = system.evaluate(f"{c.name}.roll", np.array([trajectory.t_end]), trajectory.x_end[None, :], p)
            if abs(np.cos(roll[f"{c.name}.roll"][0, 0])) < 0.02:
                found.append(c.name)
    return found


def culprit_laws(system: "System", t: float, x: np.ndarray[Any, Any], p: np.ndarray[Any, Any]) -> list[str]:
    """Forces and laws whose contribution is not finite at a state, or just after it."""
    import casadi as ca

    e = system.functions.equations
    found = []
    xdot = system.kernels("base")["rhs"](t, x, p)
    step = np.where(np.isfinite(xdot), xdot, 0.0)
    for name, terms in e.terms.items():
        parts = [ca.vertcat(F, M) for _, F, M in terms.wrenches] + [ca.SX(v) for _, v in terms.efforts]
        f = ca.Function("law", [e.t, e.q, e.u, e.p], [ca.vertcat(ca.SX(0, 1), *parts)])
        for ahead in (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2):
            state = x + ahead * step
            q, u = state[: e.n_q], state[e.n_q : e.n_q + e.n_u]
            if not np.all(np.isfinite(np.array(ca.DM(f(t + ahead, q, u, p))))):
                found.append(name)
                break
    return found
