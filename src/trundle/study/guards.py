"""Where the contacts of a run cease to be contacts: the end of a surface, interference beside the point, a wheel that
lies flat.

A run is looked at through its samples. Where a guard has changed its sign, the run is made again up to there with the
guards as events that stop it: so they cost nothing while nothing happens, and tell the time as exactly as any event.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.contact.fit import fit_parts
from trundle.equations.events import event_functions
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import SolveError
from trundle.integrate.case import Case
from trundle.integrate.codes import STOP
from trundle.integrate.integrate import integrate
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling
from trundle.integrate.outcome import INTERFERENCE, LIES_FLAT, SURFACE_LEFT, TOO_MANY_STEPS, Outcome
from trundle.integrate.problem import Problem
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.kernel import evaluate
from trundle.model.connection import ConnectedPair
from trundle.pairs.edge import LineEdge
from trundle.pairs.higher import HigherPair
from trundle.pairs.surface import Cone, Cylinder, Plane, Surface, TangentSurface, Torus
from trundle.typing import Array

LINE = 1e-9  # balance of curvatures, relative to its terms, below which surfaces touch along a line
NEVER_FLATTER = (Plane, Cylinder, Cone, LineEdge)  # convex: a ball on them never interferes
NEARLY = 1e-3  # relative balance of curvatures at which a run that breaks off is blamed on the contact
FIRST_LOOK = 20_000  # steps
FEWEST = 101  # samples through which a run is looked at
BROKEN_OFF = ("STEP_TOO_SMALL", "NOT_FINITE", "CONSTRAINT")
NODES = np.array([-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0])  # about a pose that cannot be computed well itself


@final
@dataclass(frozen=True)
class Guard:
    """Something at a contact that must not change its sign."""

    contact: str
    outcome: Outcome
    surface: str = ""
    side: int = 0

    def outcome_at(self, place: Array) -> Outcome:
        """The outcome with contact and place."""
        where = ", ".join(f"{v:.6g}" for v in place)
        on = f" of the {self.surface}" if self.surface else ""
        sentence = self.outcome.sentence.format(contact=repr(self.contact), on=on)
        return replace(self.outcome, sentence=f"{sentence} The point of contact is ({where}) m there.")


def find_guards(f: Formulation) -> list[Guard]:
    """All guards of a system, known without deriving anything."""
    cut = f.topology.cut if f.in_joints else tuple(f.model.connections.values())
    return [guard for c in f.model.connections.values() for guard in _of(c, c in cut)]


def _of(c: ConnectedPair, cut: bool) -> list[Guard]:
    pair = c.pair
    if not isinstance(pair, HigherPair):
        return []
    found = []
    if pair.first.flat and pair.second.round:
        return [] if cut else [Guard(c.name, LIES_FLAT)]  # one that is cut measures its roll within 90 degrees
    for side, surface in enumerate((pair.first, pair.second)):
        if _ends(surface, pair):
            found.append(Guard(c.name, SURFACE_LEFT, type(surface).__name__, side))
    if _may_interfere(pair):
        found.append(Guard(c.name, INTERFERENCE))
    return found


def _ends(surface: Surface, pair: HigherPair) -> bool:
    """Whether a surface has an apex, a cusp, a fold or another end that its coordinates can reach."""
    if not surface.swept:
        return bool(pair.followers)  # ends, and poles of the coordinates
    return isinstance(surface, Cone | TangentSurface) or (isinstance(surface, Torus) and surface.inside)


def _may_interfere(pair: HigherPair) -> bool:
    """Whether the relative curvature can vanish anywhere."""
    surfaces = (pair.first, pair.second)
    if not all(s.carried for s in surfaces) or all(s.ball is not None for s in surfaces):
        return False
    if pair.supported:
        return False  # convex, on a plane
    for one, other in (surfaces, surfaces[::-1]):
        if other.ball is not None and not other.hollow:
            return not (isinstance(one, NEVER_FLATTER) and not one.hollow)
    return True


def guard_values(watched: list[Guard], functions: Functions) -> list[Any]:
    """One value for each guard, above or below zero, then the relative balance of curvatures of each contact that may
    interfere.
    """
    e = functions.equations
    values, relative = [], []
    for guard in watched:
        touch = e.contact_bonds[guard.contact]
        if guard.outcome is LIES_FLAT:
            values.append(ca.cos(e.signals[f"{guard.contact}.roll"]))
        elif guard.outcome is SURFACE_LEFT:
            values.append(fit_parts(e, touch).area(guard.side))
        else:
            parts = fit_parts(e, touch)
            values.append(parts.balance)
            relative.append(parts.balance / parts.size)
    return [*values, *relative]


def _guard_kernel(f: Formulation) -> dict[str, Any]:
    return {"guards": f.functions.function("guards", *guard_values(f.once(find_guards), f.functions))}


def _guarded_kernel(f: Formulation) -> dict[str, Any]:
    """Events of the model, and the guards behind them."""
    plain = event_functions(f.model, f.functions)["events"](*f.functions.inputs)
    guards = f.once(find_guards)
    return {"events": f.functions.function("events", plain, *guard_values(guards, f.functions)[: len(guards)])}


def check_lines(f: Formulation, t: float, x: Array, p: Array) -> None:
    """SolveError where surfaces touch along a line at the start."""
    watched = f.once(find_guards)
    risky = [guard for guard in watched if guard.outcome is INTERFERENCE]
    if not risky:
        return
    values = np.array(f.kernels("guards", _guard_kernel)["guards"](t, x, p))[len(watched) :]
    for guard, value in zip(risky, values, strict=False):
        if not abs(value) > LINE:
            pair = f.model.connections[guard.contact].pair
            assert isinstance(pair, HigherPair)
            raise SolveError(
                f"contact {guard.contact!r}: at the start the surfaces ({pair.title}) touch along a line or fit "
                "each other in one direction, not in a point, so that the motion is not determined. Turn one of them, "
                f"for instance by start values such as '{guard.contact}.yaw', or use tr.PlanarPair, tr.Cylindrical or "
                "another joint that holds a line."
            )


def first_look(f: Formulation, max_steps: int) -> int:
    """Steps after which a run is looked at before it goes on: near a singular pose of a chain they get very short."""
    return min(max_steps, FIRST_LOOK) if f.once(find_guards) else max_steps


def looked_at(f: Formulation, samples: Array | None, t0: float, t1: float) -> Array | None:
    """Sample times that are enough to look at the guards."""
    if samples is None or len(samples) >= FEWEST or not f.once(find_guards):
        return samples
    return np.union1d(samples, np.linspace(t0, t1, FEWEST))


@final
@dataclass(frozen=True, eq=False)
class GuardedRun:
    """A run that can be made again: with other events, at other samples, up to another time."""

    problem: Problem
    method: Method
    case: Case
    options: Options

    def again(
        self, samples: Array | None, until: float, *, most: int | None = None, problem: Problem | None = None
    ) -> Trajectory:
        """The run up to another time with other samples; on request with at most so many steps, or another problem."""
        limits = self.options.limits if most is None else replace(self.options.limits, most=most)
        options = replace(self.options, samples=Sampling(samples), limits=limits)
        return integrate(problem or self.problem, self.method, replace(self.case, t1=until), options)


def integrate_guarded(f: Formulation, run: GuardedRun) -> Trajectory:
    """The run up to the first guard that is broken, with only the samples that were asked for."""
    samples, case, most = run.options.samples.times, run.case, run.options.limits.most
    looks = looked_at(f, samples, case.t0, case.t1)
    found = run.again(looks, case.t1, most=first_look(f, most))
    trajectory = _up_to_guard(f, run, found, whole=most <= FIRST_LOOK)
    if samples is None or len(samples) >= FEWEST or not f.once(find_guards):
        return trajectory
    kept = np.isin(trajectory.t, samples)
    return replace(trajectory, t=trajectory.t[kept], x=trajectory.x[kept], events_before=trajectory.events_before[kept])


def _up_to_guard(f: Formulation, run: GuardedRun, trajectory: Trajectory, whole: bool) -> Trajectory:
    """The trajectory up to the first guard that is broken.

    One that is not `whole`, because the first look has cut it short without a reason, is made again with all its steps.
    """
    watched, problem = f.once(find_guards), run.problem
    if trajectory.outcome.name in BROKEN_OFF:
        trajectory = _lying(f, trajectory)
    if not watched:
        return trajectory
    table = trajectory.parameters() if len(trajectory.events) else run.case.p
    values = guards_at(f, trajectory.t, trajectory.x, table)
    last = guards_at(f, np.array([trajectory.t_end]), trajectory.x_end[None, :], trajectory.p_end)
    t, values = np.append(trajectory.t, trajectory.t_end), np.vstack([values, last])
    first, last = values[0], values[-1]
    changed = np.any(values * np.sign(first) < 0, axis=1)
    if np.any(changed):
        until = int(np.argmax(changed)) + 1
        end = _end(f, run, watched, t[:until], values[:until])
        trajectory = trajectory if end is None else _cut(trajectory, *end, problem.n_events)
    elif trajectory.outcome.name in BROKEN_OFF:
        trajectory = _named(f, trajectory, watched)
    elif trajectory.outcome is TOO_MANY_STEPS and not whole:
        if not np.any(np.abs(last) < NEARLY * np.abs(first)):
            case = run.case
            looks = looked_at(f, run.options.samples.times, case.t0, case.t1)
            return _up_to_guard(f, run, run.again(looks, case.t1), whole=True)
        guard = watched[int(np.argmin(np.abs(last / first)))]
        trajectory = replace(trajectory, outcome=guard.outcome_at(_place(f, guard.contact, trajectory)))
    return trajectory


def guards_at(f: Formulation, t: Array, x: Array, p: Array) -> Array:
    """Values of the guards at many states."""
    watched = f.once(find_guards)
    if all(guard.outcome is LIES_FLAT for guard in watched):  # a roll is a state: no kernel is needed
        rolls = {c.name: c.i_q for c in f.layout.coordinates}
        found: Array = np.cos(x[:, [rolls[f"{guard.contact}.roll"] for guard in watched]])
        return found
    kernel = f.kernels("guards", _guard_kernel)["guards"]
    return np.asarray(evaluate(kernel, kernel, t, x, p, threads=1)[:, : len(watched)])


def _end(
    f: Formulation, run: GuardedRun, watched: list[Guard], t: Array, values: Array
) -> tuple[Trajectory, Outcome] | None:
    """The run up to the first guard that is broken, and its outcome; values are those of samples up to the first after
    it. None where no run gets there.
    """
    problem = run.problem
    found = run.again(t[-1:], float(t[-1]), problem=_guarded(f, problem, len(watched)))
    if len(found.events) and found.events.index[-1] >= problem.n_events:
        which = int(found.events.index[-1]) - problem.n_events
    else:  # no step can end there: the pose itself is singular
        which = int(np.argmin(values[-1] * np.sign(values[0])))
        reached = _passed(f, which, float(t[-2]), float(t[-1]), lambda times: run.again(times, float(times[-1])))
        if reached is None:
            return None
        found = reached
    return found, watched[which].outcome_at(_place(f, watched[which].contact, found))


def _place(f: Formulation, contact: str, trajectory: Trajectory) -> Array:
    """The point of a contact where a run ended."""
    name = f"{contact}.contact_point"
    found = f.evaluate(name, np.array([trajectory.t_end]), trajectory.x_end[None, :], trajectory.p_end)
    return np.asarray(found[name][0])


def _passed(
    f: Formulation, which: int, before: float, after: float, run: Callable[[Array], Trajectory]
) -> Trajectory | None:
    """The run up to the zero of a guard that lies between two times and cannot be stepped on: by polynomials through
    states on both sides of it.
    """
    t, room, last = 0.5 * (before + after), 0.5 * (after - before), np.inf
    for _ in range(12):
        times = t + room * NODES
        found = run(times)
        if not np.array_equal(found.t, times):
            return None
        values = guards_at(f, times, found.x, found.p_end)[:, which]
        roots = [r.real for r in np.polynomial.Polynomial.fit(NODES, values, 7).roots() if abs(r.imag) < 1e-7]
        near = [r for r in roots if abs(r) <= 1.5]
        if not near:
            return None
        shift = float(min(near, key=abs))
        t += room * shift
        if abs(shift) * room < 1e-12 * max(1.0, abs(t)) or abs(shift * room) >= last:
            x = np.array([np.polynomial.Polynomial.fit(NODES, column, 7)(shift) for column in found.x.T])
            return replace(found, t_end=t, x_end=x)
        last = abs(shift * room) if abs(shift) < 0.2 else np.inf
        room *= 0.7
    return None


def _lying(f: Formulation, trajectory: Trajectory) -> Trajectory:
    """A run that broke off where a wheel lies flat tells so."""
    from trundle.run.ending import flat_wheels

    for name in flat_wheels(f, trajectory, trajectory.p_end):
        return replace(trajectory, outcome=Guard(name, LIES_FLAT).outcome_at(_place(f, name, trajectory)))
    return trajectory


def _named(f: Formulation, trajectory: Trajectory, watched: list[Guard]) -> Trajectory:
    """A run that broke off where a contact is nearly singular tells so."""
    kernel = f.kernels("guards", _guard_kernel)["guards"]
    values = np.array(kernel(trajectory.t_end, trajectory.x_end, trajectory.p_end))
    risky = [i for i, guard in enumerate(watched) if guard.outcome is INTERFERENCE]
    for i, value in zip(risky, values[len(watched) :], strict=False):
        if abs(value) < NEARLY:
            place = _place(f, watched[i].contact, trajectory)
            return replace(trajectory, outcome=watched[i].outcome_at(place))
    return trajectory


def _guarded(f: Formulation, problem: Problem, count: int) -> Problem:
    """The problem with the guards as events that stop."""
    kernels = f.kernels("guarded events", _guarded_kernel)
    return replace(
        problem,
        events=kernels["events"],
        jumps=(*problem.jumps, *[None] * count),
        event_directions=[*problem.event_directions, *[0] * count],
        event_kinds=[*problem.event_kinds, *[STOP] * count],
        event_due=[*problem.event_due, *[False] * count],
    )


def _cut(whole: Trajectory, found: Trajectory, outcome: Outcome, n_events: int) -> Trajectory:
    """A trajectory up to the end of another one."""
    kept = whole.t <= found.t_end
    log, mine = found.events, found.events.index < n_events
    near = whole.near_singular
    early = near.t <= found.t_end
    audit = whole.audit
    return replace(
        whole,
        t=whole.t[kept],
        x=whole.x[kept],
        events_before=np.minimum(whole.events_before[kept], int(np.sum(mine))),
        events=EventLog(log.index[mine], log.t[mine], log.x[mine], log.p[mine], log.work[mine], log.lost[mine]),
        near_singular=replace(near, loop=near.loop[early], t=near.t[early], value=near.value[early]),
        outcome=outcome,
        t_end=found.t_end,
        x_end=found.x_end,
        p_end=found.p_end,
        audit=audit if audit is not None and audit.time <= found.t_end else None,
    )
