"""All arrays of a running integration: what the compiled loop reads and writes between two calls."""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_void_p, memmove, sizeof
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.decision.request import Decision
from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.case import Case
from trundle.integrate.methods.tableau import Plan, StepControl
from trundle.integrate.options import Rival, Sampling
from trundle.integrate.outcome import ALARM, Outcome
from trundle.integrate.problem import Compiled, Problem
from trundle.integrate.record import LoopRecord, StepRecord
from trundle.integrate.tolerance import LOOKS, UNITS, Tolerance
from trundle.integrate.trajectory import Counts, EventLog, NearSingular, Trail, Trajectory
from trundle.kernel import compiled
from trundle.kernel.memory import address_of, aligned, point_to

TRAIL = 2048  # states kept for the check of the energy; an even number
KERNELS = (
    "project", "events", "jacobian", "metric", "impact", "modes", "energy", "enclosure", "round_off", "breaks", "free",
    "guards",
)  # fmt: skip
"""Compiled equations that a problem may have, by their names there."""
FIRST_LOOKS = 8  # at common normals that are behind the contact when they are found
BUFFERS = {
    "written": ("out_t", "out_x", "out_events"),
    "logged": ("event_index", "event_t", "event_x", "event_p", "event_work", "event_lost"),
    "trail": ("trail_t", "trail_x", "trail_events"),
    "passages": ("near",),
}
"""Output buffers, by the count of the rows that are written."""
GUARD_PLACES = ("guard_sign", "guard_before", "guard_middle", "guard_probe", "guard_low", "guard_high")


@final
@dataclass(frozen=True, eq=False)
class Saved:
    """A run at one moment."""

    plan: Plan
    record: bytes
    arrays: dict[str, np.ndarray]
    owner: "Workspace"


class Workspace:
    """Arrays of one run, made once; only the output buffers are replaced when they are full."""

    def __init__(
        self, problem: Problem, plan: Plan, passing: Plan | None, case: Case, tolerance: Tolerance, samples: Sampling
    ) -> None:
        passing = passing or plan
        n_x, n_p = problem.rhs.n_x, problem.rhs.n_p
        t0, t1 = case.t0, case.t1
        self.problem, self.plan, self.record = problem, plan, LoopRecord()
        self._held: dict[str, np.ndarray] = {}
        self._addresses: dict[str, int] = {}
        self.x, self.x_new, self.p = aligned(n_x), aligned(n_x), aligned(n_p)
        self.k = aligned(max(plan.rows, passing.rows) * n_x)
        self.clock, self.work = aligned(1), aligned(max(kernel.work_size for kernel in problem.kernels) + 8)
        self._set_tolerances(tolerance)
        self._set_places(max(len(plan.dense), len(passing.dense)))
        self._set_events()
        self._set_buffers()
        self._set_samples(samples.times, t0, t1)
        self._set_sizes(t0, t1)
        self._set_kernels()
        self._set_parts()
        self.take(plan, problem.rhs)
        self.start_at(case.x0, case.p)

    def start_at(self, x0: np.ndarray, p: np.ndarray) -> None:
        """State and parameters at the start of the run, and the tolerances that follow from them."""
        run, n_x, n_p = self.record, self.problem.rhs.n_x, self.problem.rhs.n_p
        if np.shape(x0) != (n_x,) or np.shape(p) != (n_p,):
            raise SolveError(
                f"the start state has shape {np.shape(x0)}, the parameters {np.shape(p)}; the rhs wants ({n_x},) and "
                f"({n_p},)."
            )
        self.set_state(x0, p)
        if self.tolerance.learns:
            span = run.t_last - run.t_start
            looks = np.array([self.slope(t, self.x) for t in np.linspace(run.t_start, run.t_last, LOOKS + 1)[:-1]])
            run.rhs_calls = 0
            first, foreseen = self.tolerance.begin_each(self.x[None, :], looks[:, None, :], span)
            self.atol[:], self.foreseen[:] = first[0], foreseen[0]

    def set_state(self, x0: np.ndarray, p: np.ndarray) -> None:
        """State and parameters, and the sizes of the run that stand among them."""
        run, places = self.record, self.problem.sizes
        self.x[:], self.p[: len(p)] = x0, p
        run.length_scale, run.speed_scale, _ = (1.0, 1.0, 1.0) if places is None else map(float, p[places])
        run.time_scale = run.length_scale / run.speed_scale

    def _hold(self, **arrays: np.ndarray) -> None:
        """Keep arrays alive and let the record point to them; where they were before they are replaced."""
        self._held.update(arrays)
        self._addresses.update(point_to(self.record, **arrays))

    def _hold_at(self, arrays: dict[str, np.ndarray], addresses: dict[str, int]) -> None:
        """The same, where the addresses are known."""
        self._held.update(arrays)
        self._addresses.update(addresses)
        for name, address in addresses.items():
            setattr(self.record, name, address)

    def _set_tolerances(self, tolerance: Tolerance) -> None:
        run, problem, n_x = self.record, self.problem, self.problem.rhs.n_x
        self.tolerance = tolerance
        self.atol, self.foreseen = tolerance.atol.copy(), tolerance.atol.copy()
        weight = np.ones(n_x) if problem.error_weight is None else problem.error_weight
        self.weight = np.ascontiguousarray(weight, dtype=float)
        run.learning, run.part, run.weighted = int(tolerance.learns), tolerance.part, int(np.count_nonzero(self.weight))
        run.position_tol, run.velocity_tol = problem.position_tolerance, problem.velocity_tolerance
        run.singular = problem.singular_limit
        self._hold(atol=self.atol, weight=self.weight, group=tolerance.group, bound=tolerance.bound)
        self._hold(met=np.zeros(len(UNITS)))
        self._hold(in_metres=np.array(problem.in_metres or np.ones(max(problem.n_q, 1)), np.int64))

    def _set_places(self, dense_rows: int) -> None:
        """Places to work in."""
        problem, n_x, n_p = self.problem, self.problem.rhs.n_x, self.problem.rhs.n_p
        rows, breaks = problem.n_u + problem.loop_rows, 0 if problem.breaks is None else problem.breaks.n_out
        metric_out = 0 if problem.metric is None else problem.metric.n_out
        impact = aligned(numbers.size(problem.contacts, problem.n_u) + numbers.scratch(problem.contacts))
        self.decision = Decision(problem.contacts, impact)
        self.energy = aligned(0 if problem.energy is None else problem.energy.n_out)
        self._hold(x=self.x, x_new=self.x_new, p=self.p, k=self.k, clock=self.clock, work=self.work)
        self._hold(
            dense=aligned(dense_rows, n_x),
            scratch=aligned(max(4 * n_x, 4 * rows + 2 * problem.n_q) + 8),
            sample=aligned(n_x),
            corrected=aligned(n_x + 2 + 3 * problem.n_monitors),
            jumped=aligned(n_x + 2 + max(problem.n_monitors, n_p)),
            quaternions=np.array(problem.quaternions or (0,), dtype=np.int64),
            # The stiff step keeps its Jacobian from one attempt to the next: the metric has a place of its own.
            matrix=aligned(2 * n_x * n_x + n_x if self.plan.needs_jacobian else 1),
            metric=aligned(metric_out + rows * rows + 1),
            pivots=np.zeros(max(n_x, rows, 1), np.int64),
            impact=impact,
            decision=self.decision.table,
            places=np.array(problem.places or (0,), dtype=np.int64),
            energy=self.energy,
            box=aligned(2 + 4 * n_x),
            bounds=aligned(max(4 * problem.watched, breaks)),
            parts=aligned(at.LONGEST_SEARCH),
        )
        if problem.rivals is not None:
            w = problem.rivals.lanes
            self._hold_at(*problem.rivals.places(n_x, 1))
            self._hold(rival_p=aligned(n_p, w), rival_clock=aligned(w))
        guards = 0 if problem.guards is None else problem.guards.n_out
        self._hold(**{name: aligned(guards) for name in GUARD_PLACES})

    def _set_events(self) -> None:
        problem, n_e = self.problem, self.problem.n_events
        self.kind, self.fired, self.unclear = (np.zeros(n_e + 1, np.int64) for _ in range(3))
        direction, due = np.zeros(n_e + 1, np.int64), np.zeros(n_e + 1, np.int64)
        direction[:n_e], due[:n_e] = problem.event_directions, problem.event_due or 0
        self.kind[:n_e] = problem.event_kinds
        self._hold(direction=direction, due=due, kind=self.kind, fired=self.fired, unclear=self.unclear)
        self._hold(**{name: np.zeros(n_e + 1, np.int64) for name in ("sign", "now", "just", "abrupt")})
        rows = ("g_start", "g_before", "g_left", "g_right", "g_probe", "g_root", "g_noise")
        self._hold(**{name: aligned(n_e) for name in rows})
        jumps = [0 if jump is None else jump.address for jump in problem.jumps]
        self._hold(jump_kernels=np.array(jumps + [0] * (n_e + 1 - len(jumps)), dtype=np.int64))

    def _set_buffers(self) -> None:
        """Room for events, passages near singular poses, and states by which the energy is checked."""
        problem, n_x, n_p, n_e = self.problem, self.problem.rhs.n_x, self.problem.rhs.n_p, self.problem.n_events
        self.passage = np.full((max(problem.n_monitors, 1), at.PASSAGE), np.inf)
        self.near = np.zeros((64 + 4 * problem.n_monitors, 3))
        self.event_index, self.event_t = np.zeros(64 + n_e, np.int64), np.zeros(64 + n_e)
        self.event_x, self.event_p = np.zeros((64 + n_e, n_x)), np.zeros((64 + n_e, n_p))
        self.event_work, self.event_lost = np.zeros(64 + n_e), np.zeros(64 + n_e)
        kept = TRAIL if problem.energy is not None else 0
        self.trail_t, self.trail_x = np.empty(kept + 1), np.empty((kept + 1, n_x))
        self.trail_events = np.empty(kept + 1, np.int64)
        self.record.trail_room, self.record.stride = kept, 1
        self._hold(passage=self.passage, trail_t=self.trail_t, trail_x=self.trail_x, trail_events=self.trail_events)

    def _set_samples(self, samples: np.ndarray | None, t0: float, t1: float) -> None:
        n_x = self.problem.rhs.n_x
        self.sample_t = np.zeros(1) if samples is None else np.ascontiguousarray(samples, dtype=float)
        rows = 1024
        if samples is not None:
            check_samples(self.sample_t, t0, t1)
            rows = self.record.n_samples = len(self.sample_t)
        self.record.every_step = int(samples is None)
        self.out_t, self.out_x, self.out_events = np.zeros(rows), np.zeros((rows, n_x)), np.zeros(rows, np.int64)
        self._hold(sample_t=self.sample_t)
        self._point_to_buffers()

    def _point_to_buffers(self) -> None:
        """Output buffers, where they have been made or have grown."""
        run = self.record
        self._hold(out_t=self.out_t, out_x=self.out_x, out_events=self.out_events, near=self.near)
        self._hold(event_index=self.event_index, event_t=self.event_t, event_x=self.event_x, event_p=self.event_p)
        self._hold(event_work=self.event_work, event_lost=self.event_lost)
        run.out_room, run.event_room, run.near_room = len(self.out_t), len(self.event_t), len(self.near)

    def _set_sizes(self, t0: float, t1: float) -> None:
        run, problem = self.record, self.problem
        run.n_x, run.n_p, run.n_q, run.n_u = problem.rhs.n_x, problem.rhs.n_p, problem.n_q, problem.n_u
        run.n_events, run.n_monitors, run.watched = problem.n_events, problem.n_monitors, problem.watched
        run.n_breaks = 0 if problem.breaks is None else problem.breaks.n_out // 4
        run.n_contacts, run.treatment, run.given_events = problem.contacts, problem.treatment, problem.given_events
        run.n_guards = problem.n_guards
        if problem.rivals is not None:
            run.n_rivals, run.rival_lanes = len(problem.rivals.kernels), problem.rivals.lanes
            run.rival_away, run.rival_fresh = problem.rivals.away, FIRST_LOOKS
        run.driven = int(problem.driven and problem.energy is not None)
        run.loop_rows, run.n_quaternions = problem.loop_rows, len(problem.quaternions)
        run.pending = 1
        run.t, run.t_start, run.t_end, run.t_last, run.t_event = t0, t0, t1, t1, -np.inf

    def _set_kernels(self) -> None:
        run, problem = self.record, self.problem
        if self.plan.needs_jacobian and problem.jacobian is None:
            raise SolveError("the stiff method needs the kernel `jacobian`: [df/dx column-major, df/dt].")
        for name in KERNELS:
            kernel: Compiled | None = getattr(problem, name)
            setattr(run, f"{name}_kernel", 0 if kernel is None else kernel.address)

    def _set_parts(self) -> None:
        """Load only those parts of the integrator that this problem needs: each takes time to compile at first use."""
        run, problem = self.record, self.problem
        if problem.events is not None or run.n_samples > 0 or problem.n_monitors > 0:
            run.dense_part = compiled.address("prepare_dense")
        if problem.metric is not None or problem.project is not None:
            run.project_part, run.watch_part = compiled.address("project_sample"), compiled.address("watch")
            run.projection = at.BY_KERNEL
        if problem.metric is not None and (self.plan.needs_jacobian or problem.project is None):
            run.correct_part = compiled.address("correct_in_metric")
            run.projection = at.BY_METRIC
        if problem.events is not None:
            run.search_part, run.signs_part = compiled.address("find_event"), compiled.address("set_signs")
            run.fire_part = compiled.address("fire")
        if problem.enclosure is not None:
            run.bounded_part = compiled.address("find_bounded")
        if problem.breaks is not None:
            run.break_part = compiled.address("next_break")
        if problem.impact is not None:
            run.strike_part = compiled.address("strike")
        if problem.rivals is not None:
            run.rival_part = compiled.address("pursue_rivals")
        if problem.n_guards:
            run.guard_part = compiled.address("watch_guards")
        if problem.free is not None:
            run.decide_part, run.decide_once_part = compiled.address("decide_modes"), compiled.address("decide_once")

    def take(self, plan: Plan, rhs: Compiled) -> None:
        """Step by this method from now on, with this right-hand side."""
        run, self.plan = self.record, plan
        set_method(run, plan)
        run.end_row, run.stage_scale = plan.end_row, int(plan.stage_scale)
        run.step_part, run.rhs_kernel = plan.step_address(), rhs.address
        if run.projection != at.NO_PROJECTION and self.problem.project is not None:
            by_metric = plan.needs_jacobian and self.problem.metric is not None
            run.projection = at.BY_METRIC if by_metric else at.BY_KERNEL

    def slope(self, t: float, x: np.ndarray) -> np.ndarray:
        """xdot at a state, by one call of the rhs."""
        point, out = aligned(len(x)), aligned(len(x))
        point[:], self.clock[0] = x, t
        kernel = CFUNCTYPE(None, *[c_void_p] * 5)(self.record.rhs_kernel)
        kernel(*(address_of(array) for array in (self.clock, point, self.p, out, self.work)))
        self.record.rhs_calls += 1
        return out

    @property
    def time(self) -> float:
        """Time reached."""
        return self.record.t

    def grow(self) -> None:
        """Double those output buffers that are more than half full."""
        run = self.record
        if run.every_step == 1 and 2 * run.written > len(self.out_t):
            self.out_t, self.out_x = _doubled(self.out_t), _doubled(self.out_x)
            self.out_events = _doubled(self.out_events)
        if 2 * run.logged >= len(self.event_t) - run.n_events:
            self.event_index, self.event_t = _doubled(self.event_index), _doubled(self.event_t)
            self.event_x, self.event_p = _doubled(self.event_x), _doubled(self.event_p)
            self.event_work, self.event_lost = _doubled(self.event_work), _doubled(self.event_lost)
        if 2 * run.passages >= len(self.near) - 2 * run.n_monitors:
            self.near = _doubled(self.near)
        self._point_to_buffers()

    def save(self) -> Saved:
        """The record and all arrays, as they are now; of the output buffers what is written."""
        run = self.record
        filled = {name: getattr(run, count) for count, names in BUFFERS.items() for name in names}
        arrays = {name: a[: filled.get(name)].copy() for name, a in self._held.items()}
        return Saved(self.plan, bytes(run), arrays, self)

    def restore(self, saved: Saved) -> None:
        """Everything as it was saved."""
        run, self.plan = self.record, saved.plan
        memmove(run.address, saved.record, sizeof(run))
        for name, address in self._addresses.items() if saved.owner is not self else ():
            setattr(run, name, address)
        other = saved.owner is not self
        for name, array in saved.arrays.items():
            held = self._held[name]
            if len(held) > len(array):
                held[: len(array)] = array
            elif len(held) == len(array):
                held[...] = array
            else:  # a buffer that has grown
                setattr(self, name, array.copy())
                other = True
        if other or (run.out_room, run.event_room, run.near_room) != tuple(
            map(len, (self.out_t, self.event_t, self.near))
        ):
            self._point_to_buffers()

    def rival(self) -> Rival:
        """The other common normal that was met."""
        run, rivals = self.record, self.problem.rivals
        assert rivals is not None
        which, lane = divmod(run.rival_met, rivals.lanes)
        first, n = int(self._held["rival_first"][which]), int(self._held["rival_width"][which])
        s = self._held["rival_s"].reshape(-1, rivals.lanes)[first : first + n, lane].copy()
        kept, p = run.trail, self.p[: run.n_p].copy()
        return Rival(which, s, self.time, self.x.copy(), p, self.trail_t[:kept].copy(), self.trail_x[:kept].copy())

    def go_on_from(self, x: np.ndarray | None) -> None:
        """After a rival was met: with the state as it is, or with another one."""
        if x is not None:
            self.x[:], self.record.pending = x, 1
            self._held["rival_held"][:] = 0

    def change_parameters(self, places: Sequence[int], values: np.ndarray) -> None:
        """Go on with other parameters: slope and signs of events are made anew."""
        self.p[list(places)], self.record.pending = values, 1

    def returned_events(self) -> list[int]:
        """Events of kind 3 that fired at the present time."""
        fired = (self.fired == 1) & (self.kind == at.RETURN)
        return [int(event) for event in np.flatnonzero(fired)]

    def trajectory(self, outcome: Outcome) -> Trajectory:
        """What was computed up to now; passages near a singular position that are still open are closed."""
        run = self.record
        written, logged, near = run.written, run.logged, self.near[: run.passages]
        still = [(loop, t, v) for loop, (v, t, _, _) in enumerate(self.passage) if v < run.singular]
        near = np.vstack([near, np.array(still).reshape(-1, 3)])
        t, x, before = self.out_t[:written].copy(), self.out_x[:written].copy(), self.out_events[:written].copy()
        self.close_books()
        if outcome.name != "FINISHED" and (written == 0 or t[-1] < self.time):  # an early end is kept too
            t, x, before = np.append(t, self.time), np.vstack([x, self.x[None, :]]), np.append(before, logged)
        return Trajectory(
            t=t,
            x=x,
            events_before=before,
            events=self.events(),
            near_singular=NearSingular(near[:, 0].astype(int), near[:, 1], near[:, 2]),
            outcome=outcome,
            counts=self._counts(),
            t_end=self.time,
            x_end=self.x.copy(),
            p_end=self.p[: run.n_p].copy(),
            unclear=self.unclear[: run.n_events].copy(),
            atol=self.atol.copy(),
            trail=self.trail(),
            work_error=run.work_errors,
            alarm=(run.alarm_since, run.alarm_until) if outcome is ALARM else None,
        )

    def _counts(self) -> Counts:
        run = self.record
        done = run.jacobians, run.factorisations, run.projections
        return Counts(run.steps, run.rejected, run.rhs_calls, *done)

    def events(self) -> EventLog:
        """Events up to now."""
        n = self.record.logged
        kept = (self.event_index, self.event_t, self.event_x, self.event_p, self.event_work, self.event_lost)
        return EventLog(*(rows[:n].copy() for rows in kept))

    def trail(self) -> Trail | None:
        """States along the way up to now; None where no energy is to be checked."""
        if self.problem.energy is None:
            return None
        kept, t, x, logged = self.record.trail, self.trail_t, self.trail_x, self.record.logged
        return Trail(
            np.append(t[:kept], self.time),
            np.vstack([x[:kept], self.x[None, :]]),
            np.append(self.trail_events[:kept], logged),
        )

    def close_books(self) -> None:
        """A run that ends right at a jump has not come to ask what this brought."""
        if self.record.unbooked > 0 and self.problem.energy is not None:
            kernel = CFUNCTYPE(None, *[c_void_p] * 5)(self.problem.energy.address)
            self.clock[0] = self.time
            kernel(*(address_of(array) for array in (self.clock, self.x, self.p, self.energy, self.work)))
            row = self.record.unbooked - 1
            self.event_work[row] += self.energy[0] + self.energy[1] - self.record.energy_before
            self.record.unbooked = 0


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.zeros_like(array)])


def check_samples(times: np.ndarray, t0: float, t1: float) -> None:
    """Sample times must rise and lie within the run."""
    if times.ndim != 1 or np.any(np.diff(times) < 0.0):
        raise SolveError("the sample times must be one sorted array.")
    if len(times) and (times[0] < t0 or times[-1] > t1):
        raise SolveError(f"the sample times {times[0]} to {times[-1]} do not lie within {t0} to {t1}.")


def set_method(run: StepRecord, plan: Plan) -> None:
    """Sizes and coefficients of a method, which its plan keeps alive."""
    run.rows, run.stages, run.extras, run.dense_rows = plan.rows, plan.stages, len(plan.extra_nodes), len(plan.dense)
    run.end_in_step, run.error_rows = int(plan.end_in_step), plan.error_rows
    point_to(
        run,
        coefficients=plan.coefficients,
        extra_nodes=plan.extra_nodes,
        extra_stages=plan.extra_stages,
        dense_weights=plan.dense,
    )


def set_control(run: StepRecord, control: StepControl) -> None:
    """Constants of the step control."""
    run.alpha, run.beta, run.safety = control.alpha, control.beta, control.safety
    run.shrink, run.grow = control.shrink, control.growth
