"""The message about the ending of a run; a value that is not finite is traced to the law that gave it."""

from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from trundle.constraints.row import Role
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import friction_contacts
from trundle.integrate.audit import FACTOR
from trundle.integrate.outcome import (
    CONSTRAINT,
    ENTERED,
    EVENT_STOP,
    JAMMED,
    STEP_TOO_SMALL,
    TABLE_LEFT,
    TOO_MANY_STEPS,
    ZENO,
    Outcome,
)
from trundle.linear_algebra.kkt import dense
from trundle.model.connection import ConnectedPair
from trundle.model.line_forces import LineForce, SpringDamper
from trundle.model.series_damper import SeriesDamper
from trundle.pairs.lower import ROTATIONS
from trundle.run.several_motions import several_motions
from trundle.run.table_limit import FAILED, refused_lookup
from trundle.run.undetermined_slip import accumulated_slips, undetermined_slips
from trundle.typing import AnyArray

DEPENDENT = 1e-3  # least over largest singular value of the rows at a limit, where steps have become too small

if TYPE_CHECKING:
    from trundle.integrate.trajectory import Trajectory

ONE_AXIS = 1e-3  # cosine of the second of three turns below which the other two have one axis
MANY = 20  # events, from which on it matters how dense they are


def explain(f: Formulation, trajectory: "Trajectory", p: AnyArray) -> str:
    """Name, sentence and remedy of the ending."""
    outcome = trajectory.outcome
    text = str(outcome)
    if outcome is EVENT_STOP:
        last = trajectory.events.index[-1:]
        names = [name for i, name in enumerate(f.model.events) if i in last]
        text = f"{outcome.name}: The event {names[0]!r} ended the run." if names else text
    if not outcome.ok and trajectory.audit is None and outcome.name not in ("HALF_TURN", "EVENT_REFUSED"):
        text += f" It stopped at t = {trajectory.t_end:.9g} s."
    if outcome.name == "NOT_FINITE":
        culprits = nonfinite_laws(f, trajectory.t_end, trajectory.x_end, p)
        if culprits:
            text += f" Not finite there: {', '.join(culprits)}.{points_that_meet(f, culprits)}"
    if outcome is TOO_MANY_STEPS:
        text += fastest(f, trajectory.t_end, trajectory.x_end, p)
    if outcome.name == "CONSTRAINT":
        driven = driven_past_limit(f, trajectory.t_end, trajectory.x_end, p)
        if driven:
            text += (
                f" The prescribed motion of {', '.join(map(repr, driven))} has reached a limit of the mechanism: its "
                "loops cannot close beyond this position. Prescribe less, or drive by a force (tr.Motor)."
            )
    if outcome is ZENO:
        text += accumulated_slips(f, trajectory.events)
    if outcome is TABLE_LEFT:
        text += f" {refused_lookup(f, trajectory.t_end, trajectory.x_end, p)}"
    text += _audit_text(f, trajectory)
    if not outcome.ok and outcome.name != "LIES_FLAT":
        text += "".join(
            f" The wheel of contact {name!r} lies flat there (a roll of 90 degrees), a singular pose of its chain; "
            "an event on the roll can stop the run before."
            for name in flat_wheels(f, trajectory, p)
        )
        text += "".join(
            f" The second of the three turns of {c.name!r}, {c.name}.{second}, is 90 degrees there, where {first} and "
            f"{third} have one axis and forces along them are not bounded. Let a law hold {second} below that, or use "
            f"tr.Spherical() or tr.Free() with a tr.Bushing in place of laws on angles."
            for c, (first, second, third) in turns_with_one_axis(f, trajectory, p)
        )
    return text


def fastest(f: Formulation, t: float, x: AnyArray, p: AnyArray) -> str:
    """A sentence about the largest rate, which may have diverged."""
    rates = [c.rate_name for c in f.layout.coordinates]
    names = [name for name in rates if f.register.find(name)]  # those of joints are none in absolute coordinates
    times, states = np.array([t]), x[None, :]
    speeds = {name: float(np.max(np.abs(f.evaluate(name, times, states, p)[name]))) for name in names}
    if not speeds:
        return ""
    name = max(speeds, key=lambda one: speeds[one])
    return f" The fastest there is {name}, with {speeds[name]:.3g} {f.register.get(name).quantity.unit}."


def _audit_text(f: Formulation, trajectory: "Trajectory") -> str:
    """Sentences about a violated check of energy or friction, and when it began."""
    audit = trajectory.audit
    if audit is None:
        return ""
    if audit.contact >= 0:
        name = friction_contacts(f.model)[audit.contact]
        what = f" Friction drives at contact {name!r} from t = {audit.time:.9g} s on."
    else:
        what = (
            f" Energy is off from t = {audit.time:.9g} s on, by up to {audit.off:.2g} J where {audit.allowed:.2g} J "
            f"are {FACTOR:.0f} times what the tolerance explains."
        )
    stopped = "" if trajectory.outcome is audit.outcome else f" It stopped at t = {trajectory.t_end:.9g} s."
    return stopped + what


def event_warnings(f: Formulation, trajectory: "Trajectory") -> list[str]:
    """Warnings where the search for events was at its limits, or one of several motions was chosen."""
    model, changes = f.model, f.transitions
    names = [*model.events, *(c.name for c in changes)]
    doubts = trajectory.doubts
    found = [
        f"In {count} steps the function of event {name!r} could not be distinguished from zero: there its sign was "
        "checked at a few points only. A function that is zero over an interval has no crossings; give one that is not."
        for name, count in zip(names, doubts.unclear, strict=True)
        if count
    ]
    for name, leaps, lost in zip(names, doubts.leaps, doubts.lost, strict=True):
        if leaps:
            found.append(
                f"Event {name!r} fired {leaps} times where its function jumps over zero without being zero (tr.floor, "
                "tr.where, tr.atan2 at half a turn). If that is not intended, write a function without jumps."
            )
        if lost < np.inf:
            found.append(
                f"The function of event {name!r} was not a number at t = {lost:.6g} s: there it has no crossings. "
                "Check the arguments of its roots, logarithms and quotients."
            )
    steps, log = trajectory.counts.steps, trajectory.events
    own = log.index < len(model.events)
    turning = [i for i, c in enumerate(changes, start=len(model.events)) if c.kind == "turns"]  # follow the steps
    for which, text in (
        (own, "Events of the model set the length of the steps; all crossings were found."),
        (
            ~own & ~np.isin(log.index, turning),
            "Contacts are checked at seven points of a step: what changes and changes back between two of them may "
            "have been missed. Compare with a shorter longest step, steps=tr.Steps(longest=...).",
        ),
    ):
        times = np.unique(log.t[which])
        if len(times) >= MANY and 2 * len(times) >= steps:
            found.append(f"Events were as dense as the steps ({len(times)} times in {steps} steps). {text}")
    p = log.p[0] if len(log) else trajectory.p_end
    start = (float(trajectory.t[0]), trajectory.x[0], p) if len(trajectory.t) else None
    return [*found, *several_motions(f, log, trajectory.p_end), *undetermined_slips(f, log, start)]


def at_limit(f: Formulation, trajectory: "Trajectory", p: AnyArray) -> "Trajectory":
    """The trajectory with the outcome that names the cause of its ending: constraints that cannot be satisfied, where
    steps vanish because a drive meets a limit of the mechanism; a table that was left, where values are not finite; or
    friction without a unique acceleration.
    """
    log = trajectory.events
    at_jam = trajectory.outcome is EVENT_STOP and len(log) > 0 and log.index[-1] >= len(f.model.events)
    if at_jam or trajectory.outcome in (*FAILED, CONSTRAINT):
        jammed = jammed_at(f, trajectory.t_end, trajectory.x_end, p) or (jammed_within_step(f, p) if at_jam else None)
        if jammed is not None:
            return replace(trajectory, outcome=jammed)
    if trajectory.outcome in FAILED and refused_lookup(f, trajectory.t_end, trajectory.x_end, p):
        return replace(trajectory, outcome=TABLE_LEFT)
    if trajectory.outcome is not STEP_TOO_SMALL:
        return trajectory
    if not driven_past_limit(f, trajectory.t_end, trajectory.x_end, p):
        return trajectory
    return replace(trajectory, outcome=CONSTRAINT)


def driven_past_limit(f: Formulation, t: float, x: AnyArray, p: AnyArray) -> list[str]:
    """Coordinates with a prescribed motion if the constraint rows have become dependent; otherwise empty."""
    if not any(c.driven for c in f.model.connections.values()):
        return []
    functions = f.functions
    e, rows = functions.equations, [row for row in functions.independent if row.active is None]
    driven = [row.place.coordinate for row in rows if row.role is Role.DRIVE]
    if not driven or not np.all(np.isfinite(x)):
        return []
    J = ca.vertcat(*[dense(row.jacobian, e.n_u).T / (functions.length if row.unit == "m" else 1.0) for row in rows])
    q, u = x[f.states.q], x[f.states.u]
    values = np.array(ca.DM(ca.Function("J", [e.t, e.q, e.u, e.p], [ca.densify(J)])(t, q, u, p)))
    units = f.states.units[f.states.u]
    values = values * np.array([functions.length if unit == "m/s" else 1.0 for unit in units])
    singular = np.linalg.svd(values, compute_uv=False)
    return driven if len(rows) <= e.n_u and singular[-1] < DEPENDENT * singular[0] else []


def jammed_at(f: Formulation, t: float, x: AnyArray, p: AnyArray, stopped: bool = False) -> Outcome | None:
    """The ending at a state in which rigid friction has no or several solutions, or something has come into a body
    past the end of one of its faces; None if neither is so, unless the run was stopped and only contacts can do so.
    """
    changes = f.transitions
    if not any(c.ends for c in changes):
        return None
    values = f.kernels("events")["events"](t, x, p)[len(f.model.events) :]
    found = [
        c
        for c, value in zip(changes, values, strict=True)
        if c.ends and not value > (1e-6 if c.kind == "jams" else 1e-12)
    ]
    if not found:
        by_contact = stopped and all(event.action != "stop" for event in f.model.events.values())
        return jammed_within_step(f, p) if by_contact else None
    outcome = JAMMED if any(c.kind == "jams" for c in found) else ENTERED
    names = ", ".join(repr(c.contact) for c in found if (c.kind == "jams") == (outcome is JAMMED))
    return replace(outcome, sentence=outcome.sentence.format(contact=names))


def jammed_within_step(f: Formulation, p: AnyArray) -> Outcome:
    """The ending of a run whose contacts jammed inside the last step, though they do not at its end."""
    places = {c.contact: f.parameters.mode(c.contact, "closed") for c in f.transitions if c.kind == "jams"}
    names = [repr(name) for name, place in places.items() if place < 0 or p[place] == 1.0] or list(map(repr, places))
    return replace(
        JAMMED,
        sentence=(
            f"Friction at contact {', '.join(names)} left no unique acceleration (Painleve's paradox), or none that "
            "is finite, inside the last step: rigid bodies jam, or forces diverge."
        ),
    )


def points_that_meet(f: Formulation, culprits: list[str]) -> str:
    """A sentence about forces along a line whose two points coincide."""
    lines = [n for n in culprits if isinstance(f.model.forces.get(n), LineForce | SpringDamper | SeriesDamper)]
    if not lines:
        return ""
    return (
        f" The two points of {', '.join(map(repr, lines))} meet there: a force along the line between them has no "
        "direction. Start with the points apart, or give the spring the natural length 0."
    )


def flat_wheels(f: Formulation, trajectory: "Trajectory", p: AnyArray) -> list[str]:
    """Contacts of wheels that lie flat on a plane."""
    found = []
    for c in f.model.connections.values():
        if c.pair.can_lie_flat:
            roll = f.evaluate(f"{c.name}.roll", np.array([trajectory.t_end]), trajectory.x_end[None, :], p)
            if abs(np.cos(roll[f"{c.name}.roll"][0, 0])) < 0.02:
                found.append(c.name)
    return found


def turns_with_one_axis(f: Formulation, trajectory: "Trajectory", p: AnyArray) -> list[tuple[ConnectedPair, list[str]]]:
    """Connections with three angles of which the second is 90 degrees, and the names of the three."""
    found = []
    for c in f.model.connections.values():
        names = [name for name, bond in c.pair.coordinate_bonds.items() if bond in ROTATIONS]
        if len(names) == 3 and not c.is_contact:
            second = f"{c.name}.{names[1]}"
            value = f.evaluate(second, np.array([trajectory.t_end]), trajectory.x_end[None, :], p)[second][0, 0]
            if abs(np.cos(value)) < ONE_AXIS:
                found.append((c, names))
    return found


def nonfinite_laws(
    f: Formulation,
    t: float,
    x: AnyArray,
    p: AnyArray,
    times: tuple[float, ...] = (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2),
) -> list[str]:
    """Forces and laws whose contribution is not finite at a state, or at these times after it."""
    e = f.functions.equations
    found = []
    xdot = f.kernels("base")["rhs"](t, x, p)
    step = np.where(np.isfinite(xdot), xdot, 0.0)
    for name, terms in e.terms.items():
        parts = [ca.vertcat(F, M) for _, F, M in terms.wrenches] + [ca.SX(v) for _, v in terms.efforts]
        law = ca.Function("law", [e.t, e.q, e.u, e.p], [ca.vertcat(ca.SX(0, 1), *parts)])
        for ahead in times:
            state = x + ahead * step
            q, u = state[f.states.q], state[f.states.u]
            if not np.all(np.isfinite(np.array(ca.DM(law(t + ahead, q, u, p))))):
                found.append(name)
                break
    return found
