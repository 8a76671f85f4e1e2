"""A run up to the first violated guard, or to a second point of contact of two surfaces.

Where the loop reports that a guard has changed its sign, the run is repeated up to there with the guards as events that
stop it. So guards cost little while none is violated, and the time is located as accurately as that of any event.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.case import Case
from trundle.integrate.codes import STOP
from trundle.integrate.integrate import integrate
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling
from trundle.integrate.outcome import FINISHED, INTERFERENCE, INTERRUPTED, LIES_FLAT, TOO_MANY_STEPS, Outcome
from trundle.integrate.problem import Problem
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.study.guards import Guard, balances_at, find_guards, guarded_kernel, guards_at
from trundle.study.second_contacts import Watch, at_second_touch, find_earlier_touch, without_other_normals
from trundle.typing import Array

NEARLY = 1e-3  # relative balance of curvatures at which a run that breaks off is blamed on the contact
FIRST_LOOK = 20_000  # steps
MOST_FALSE_ALARMS = 4
MOST_BORN_INSIDE = 16  # common normals that appear with a gap below zero in a run
BROKEN_OFF = ("STEP_TOO_SMALL", "NOT_FINITE", "CONSTRAINT")
LOST_CONTACT = (*BROKEN_OFF, "INTERFERENCE", "SURFACE_LEFT")
PLACES, ZOOMS = 33, 4  # looks at a step with an alarm, each closer by 16
NODES = np.array([-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0])  # about a pose that cannot be computed well itself


def first_look(f: Formulation, max_steps: int) -> int:
    """Steps after which a run is checked before it continues: near a singular pose of a chain they get very short."""
    return min(max_steps, FIRST_LOOK) if f.once(find_guards) else max_steps


@final
@dataclass(frozen=True, eq=False)
class GuardedRun:
    """A run that can be repeated: with other events, at other samples, up to another time."""

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

    def until(self, t: float, problem: Problem | None = None) -> Trajectory:
        """The run up to another time."""
        samples = self.options.samples.times
        return self.again(None if samples is None else samples[samples <= t], t, problem=problem)

    @property
    def unwatched(self) -> Problem:
        """The problem without guards."""
        return replace(self.problem, guards=None, n_guards=0)


def integrate_guarded(f: Formulation, run: GuardedRun) -> Trajectory:
    """The run up to the first violated guard, or to a second point of contact of two surfaces."""
    most, watch, plain = run.options.limits.most, Watch(f), without_other_normals(f, run.unwatched)
    if run.problem.other_normals is not None:
        supervision = replace(
            run.options.supervision, on_other_normal=watch, on_stuck=watch.moved_on if watch.any_loose else None
        )
        run = replace(run, options=replace(run.options, supervision=supervision))

    def again(times: Array) -> Trajectory:
        return run.again(times, float(times[-1]), problem=plain)

    for _ in range(MOST_BORN_INSIDE):
        found = run.again(run.options.samples.times, run.case.t1, most=first_look(f, most))
        found = _up_to_guard(f, run, found, whole=most <= FIRST_LOOK)
        if watch.second is None and found.outcome.ok:
            watch.look_at_end(found)
        back = watch.second is None and found.outcome.name in LOST_CONTACT
        if back:
            watch.second = find_earlier_touch(f, run.case.t0, found, watch, again)
        while watch.second is not None:
            ended = at_second_touch(f, watch, lambda t: run.until(t, plain))
            if ended is not None:
                return _with_end(ended)
            watch.dismiss()
            if not back:
                break  # the run is made again, to be watched for others
            watch.second = find_earlier_touch(f, run.case.t0, found, watch, again)
        else:
            return _with_end(found)
    raise SolveError(
        f"the surfaces of a contact cut each other in more than {MOST_BORN_INSIDE} places without having touched there "
        "from outside: they pass through themselves. Take surfaces that do not, or a shorter run."
    )


def _up_to_guard(
    f: Formulation, run: GuardedRun, trajectory: Trajectory, whole: bool, false_alarms: int = 0
) -> Trajectory:
    """The trajectory up to the first guard that is broken.

    One that is not `whole`, because the first look has cut it short without a reason, is made again with all its steps.
    """
    watched = f.once(find_guards)
    if trajectory.outcome.name in BROKEN_OFF:
        trajectory = _lying(f, trajectory)
    if not watched:
        return trajectory
    if trajectory.alarm is not None:
        return _at_guard(f, trajectory, run, watched, false_alarms)
    if trajectory.outcome.name in BROKEN_OFF:
        return _named(f, trajectory, watched)
    if trajectory.outcome is TOO_MANY_STEPS and not whole:
        case = run.case
        first = guards_at(f, np.array([case.t0]), case.x0[None, :], case.p)[0]
        last = guards_at(f, np.array([trajectory.t_end]), trajectory.x_end[None, :], trajectory.p_end)[0]
        if not np.any(np.abs(last) < NEARLY * np.abs(first)):
            return _up_to_guard(f, run, run.until(case.t1), True, false_alarms)
        guard = watched[int(np.argmin(np.abs(last / first)))]
        return replace(trajectory, outcome=guard.outcome_at(_place(f, guard.contact, trajectory)))
    return trajectory


def _at_guard(
    f: Formulation, alarmed: Trajectory, run: GuardedRun, watched: list[Guard], false_alarms: int
) -> Trajectory:
    """The run up to the guard that is broken. After a false alarm they are looked at from there on, unless the run was
    interrupted; if there are many, they become events of the run.
    """
    assert alarmed.alarm is not None
    since, until = alarmed.alarm
    n_events, guarded = run.problem.n_events, _guarded(f, run.unwatched, len(watched))
    found = run.until(until, guarded)
    if not _stopped(found, n_events):
        passed = _passed(f, since, until, lambda t: run.again(t, float(t[-1]), problem=run.unwatched))
        if passed is not None:  # no step can end there: the pose itself is singular
            which, there = passed
            outcome = watched[which].outcome_at(_place(f, watched[which].contact, there))
            return _cut(run.until(until, run.unwatched), there, outcome)
        if alarmed.outcome is INTERRUPTED:
            return alarmed
        if until < run.case.t1 and false_alarms < MOST_FALSE_ALARMS:
            later = replace(run, problem=replace(run.problem, guards_from=until))
            found = _up_to_guard(f, later, later.until(run.case.t1), True, false_alarms + 1)
            if found.outcome.name not in BROKEN_OFF:
                return found
        found = run.until(run.case.t1, guarded)
        if not _stopped(found, n_events):
            return replace(found, doubts=found.doubts.of_first(n_events))
    guard = watched[int(found.events.index[-1]) - n_events]
    return _without_guards(found, run, guard.outcome_at(_place(f, guard.contact, found)))


def _cut(whole: Trajectory, there: Trajectory, outcome: Outcome) -> Trajectory:
    """A run up to the end of another one of the same motion."""
    log, near, audit, t = whole.events, whole.near_singular, whole.audit, there.t_end
    kept, mine, early = whole.t <= t, log.t <= t, near.t <= t
    return replace(
        whole,
        t=whole.t[kept],
        x=whole.x[kept],
        events_before=whole.events_before[kept],
        events=EventLog(log.index[mine], log.t[mine], log.x[mine], log.p[mine], log.work[mine], log.lost[mine]),
        near_singular=replace(near, loop=near.loop[early], t=near.t[early], value=near.value[early]),
        outcome=outcome,
        t_end=t,
        x_end=there.x_end,
        p_end=there.p_end,
        audit=audit if audit is not None and audit.time <= t else None,
    )


def _with_end(found: Trajectory) -> Trajectory:
    """The run with a sample at its end, as all have that end early."""
    if found.outcome is FINISHED or (len(found.t) and found.t[-1] >= found.t_end):
        return found
    return replace(
        found,
        t=np.append(found.t, found.t_end),
        x=np.vstack([found.x, found.x_end[None, :]]),
        events_before=np.append(found.events_before, len(found.events)),
    )


def _stopped(found: Trajectory, n_events: int) -> bool:
    """Whether a guard has ended the run."""
    return bool(len(found.events)) and bool(found.events.index[-1] >= n_events)


def _without_guards(found: Trajectory, run: GuardedRun, outcome: Outcome) -> Trajectory:
    """A run that a guard has ended, with the requested events and samples."""
    log, n_events, samples = found.events, run.problem.n_events, run.options.samples.times
    mine = log.index < n_events
    kept = np.arange(len(found.t)) < len(found.t) - 1 if samples is None else np.isin(found.t, samples)
    return replace(
        found,
        t=found.t[kept],
        x=found.x[kept],
        events_before=np.minimum(found.events_before[kept], int(np.sum(mine))),
        events=EventLog(log.index[mine], log.t[mine], log.x[mine], log.p[mine], log.work[mine], log.lost[mine]),
        doubts=found.doubts.of_first(n_events),
        outcome=outcome,
    )


def _place(f: Formulation, contact: str, trajectory: Trajectory) -> Array:
    """The point of a contact where a run ended."""
    name = f"{contact}.contact_point"
    found = f.evaluate(name, np.array([trajectory.t_end]), trajectory.x_end[None, :], trajectory.p_end)
    return np.asarray(found[name][0])


def _passed(
    f: Formulation, before: float, after: float, run: Callable[[Array], Trajectory]
) -> tuple[int, Trajectory] | None:
    """A guard with a zero between two times that cannot be stepped on, and the run up to it: by polynomials through
    states on both sides of it.
    """
    bracket = _bracket(f, before, after, run)
    if bracket is None:
        return None
    from numpy.polynomial import Polynomial

    which, before, after = bracket
    t, room, last = 0.5 * (before + after), 0.5 * (after - before), np.inf
    for _ in range(12):
        times = t + room * NODES
        found = run(times)
        if not np.array_equal(found.t, times):
            return None
        values = guards_at(f, times, found.x, found.p_end)[:, which]
        roots = Polynomial.fit(NODES, values, 7).roots()
        near = [r.real for r in roots if abs(r.imag) < 1e-7 and abs(r.real) <= 1.5]
        if not near:
            return None
        shift = float(min(near, key=abs))
        t += room * shift
        if abs(shift) * room < 1e-12 * max(1.0, abs(t)) or abs(shift * room) >= last:
            x = np.array([Polynomial.fit(NODES, column, 7)(shift) for column in found.x.T])
            return which, replace(found, t_end=t, x_end=x)
        last = abs(shift * room) if abs(shift) < 0.2 else np.inf
        room *= 0.7
    return None


def _bracket(
    f: Formulation, before: float, after: float, run: Callable[[Array], Trajectory]
) -> tuple[int, float, float] | None:
    """The first guard that changes its sign between two times, and times closely before and after that; where none
    seems to, closer looks are taken at where one is nearest to zero.
    """
    for _ in range(ZOOMS):
        times = np.linspace(before, after, PLACES)
        found = run(times)
        if not np.array_equal(found.t, times):
            return None
        values = guards_at(f, times, found.x, found.p_end)
        values = values * np.sign(values[0])
        broken = np.any(values < 0, axis=1)
        if np.any(broken):
            i = int(np.argmax(broken))
            return int(np.argmin(values[i])), float(times[i - 1]), float(times[i])
        size = np.max(np.abs(values), axis=0) + 1e-300
        i = int(np.clip(np.argmin(np.min(values / size, axis=1)), 1, PLACES - 2))
        before, after = float(times[i - 1]), float(times[i + 1])
    return None


def _lying(f: Formulation, trajectory: Trajectory) -> Trajectory:
    """The outcome LIES_FLAT for a run that broke off where a wheel lies flat."""
    from trundle.run.ending import flat_wheels

    for name in flat_wheels(f, trajectory, trajectory.p_end):
        return replace(trajectory, outcome=Guard(name, LIES_FLAT).outcome_at(_place(f, name, trajectory)))
    return trajectory


def _named(f: Formulation, trajectory: Trajectory, watched: list[Guard]) -> Trajectory:
    """The outcome of a run that broke off where a contact is nearly singular, with the contact."""
    risky = [guard for guard in watched if guard.outcome is INTERFERENCE]
    if not risky:
        return trajectory
    values = balances_at(f, trajectory.t_end, trajectory.x_end, trajectory.p_end)
    for guard, value in zip(risky, values, strict=True):
        if abs(value) < NEARLY:
            return replace(trajectory, outcome=guard.outcome_at(_place(f, guard.contact, trajectory)))
    return trajectory


def _guarded(f: Formulation, problem: Problem, count: int) -> Problem:
    """The problem with the guards as events that stop."""
    kernels = f.kernels("guarded events", guarded_kernel)
    return replace(
        problem,
        events=kernels["events"],
        jumps=(*problem.jumps, *[None] * count),
        event_directions=[*problem.event_directions, *[0] * count],
        event_kinds=[*problem.event_kinds, *[STOP] * count],
        event_due=[*problem.event_due, *[False] * count],
    )
