"""A running integration between two calls of the compiled loop: start, continuation and results."""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_void_p, memmove, sizeof
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.contact.collision.layout import NO_DIRECTION
from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.case import Case
from trundle.integrate.loop_arrays import LoopArrays
from trundle.integrate.methods.tableau import Plan, StepControl
from trundle.integrate.options import OtherNormal, Sampling
from trundle.integrate.outcome import ALARM, Outcome
from trundle.integrate.problem import Compiled, Problem
from trundle.integrate.record import StepRecord
from trundle.integrate.tolerance import Tolerance
from trundle.integrate.trajectory import Counts, Doubts, EventLog, NearSingular, Trail, Trajectory
from trundle.kernel.memory import address_of, aligned, point_to

BUFFERS = {
    "written": ("out_t", "out_x", "out_events"),
    "logged": ("event_index", "event_t", "event_x", "event_p", "event_work", "event_lost"),
    "trail": ("trail_t", "trail_x", "trail_events"),
    "passages": ("near",),
}
"""Output buffers by the counter of their rows."""


@final
@dataclass(frozen=True, eq=False)
class Saved:
    """Complete state of a run at one time."""

    plan: Plan
    record: bytes
    arrays: dict[str, np.ndarray]
    owner: "Workspace"


class Workspace(LoopArrays):
    """One run, which can be started, saved, restored, continued with other values, and read."""

    def __init__(
        self, problem: Problem, plan: Plan, passing: Plan | None, case: Case, tolerance: Tolerance, samples: Sampling
    ) -> None:
        super().__init__(problem, plan, passing, case, tolerance, samples)
        self.take(plan, problem.rhs)
        self.start_at(case.x0, case.p)

    def start_at(self, x0: np.ndarray, p: np.ndarray) -> None:
        """Set state and parameters at the start of the run, and the tolerances that depend on them."""
        run, n_x, n_p = self.record, self.problem.rhs.n_x, self.problem.rhs.n_p
        if np.shape(x0) != (n_x,) or np.shape(p) != (n_p,):
            raise SolveError(
                f"the start state has shape {np.shape(x0)}, the parameters {np.shape(p)}; the rhs takes ({n_x},) and "
                f"({n_p},)."
            )
        self.set_state(x0, p)
        if self.tolerance.learns:
            slopes = self.tolerance.slopes_at_start(self.slope, run.t_start, run.t_last, self.x)
            span = self.tolerance.foreseen(self.slope, run.t_start, run.t_last, self.x)
            run.rhs_calls = 0
            first, expected_atol = self.tolerance.begin_each(self.x[None, :], slopes[:, None, :], span)
            self.atol[:], self.expected_atol[:] = first[0], expected_atol[0]

    def set_state(self, x0: np.ndarray, p: np.ndarray) -> None:
        """Set state and parameters, and the scales of the run, which are among the parameters."""
        run, places = self.record, self.problem.sizes
        self.x[:], self.p[: len(p)] = x0, p
        run.length_scale, run.speed_scale, _ = (1.0, 1.0, 1.0) if places is None else map(float, p[places])
        run.time_scale = run.length_scale / run.speed_scale
        if self.problem.stiff_onsets:
            length, speed = run.length_scale, run.speed_scale
            sizes = {"m": length, "m/s": speed, "rad/s": speed / length}
            self.sizes[:] = [sizes.get(unit, 1.0) for unit in self.problem.units]
            run.least_slip = NO_DIRECTION * float(np.sqrt(p[-1]))

    def take(self, plan: Plan, rhs: Compiled) -> None:
        """Use this method from now on, with this right-hand side."""
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

    def save(self) -> Saved:
        """Copy the record and all arrays, and the written part of output buffers."""
        run = self.record
        filled = {name: getattr(run, count) for count, names in BUFFERS.items() for name in names}
        arrays = {name: a[: filled.get(name)].copy() for name, a in self._held.items()}
        return Saved(self.plan, bytes(run), arrays, self)

    def restore(self, saved: Saved) -> None:
        """Restore a saved state."""
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

    def other_normal(self) -> OtherNormal:
        """The other common normal that was reached."""
        run, other_normals = self.record, self.problem.other_normals
        assert other_normals is not None
        which, lane = divmod(run.normal_met, other_normals.lanes)
        first, n = int(self._held["normal_first"][which]), int(self._held["normal_width"][which])
        s = self._held["normal_s"].reshape(-1, other_normals.lanes)[first : first + n, lane].copy()
        kept, p = run.trail, self.p[: run.n_p].copy()
        return OtherNormal(
            which, s, self.time, self.x.copy(), p, self.trail_t[:kept].copy(), self.trail_x[:kept].copy()
        )

    def continue_from(self, x: np.ndarray | None) -> None:
        """Continue after another common normal was reached, with the present state or with another one."""
        if x is not None:
            self.x[:], self.record.pending = x, 1
            self._held["normal_held"][:] = 0

    def change_parameters(self, places: Sequence[int], values: np.ndarray) -> None:
        """Continue with other parameters; slope and signs of events are computed anew."""
        self.p[list(places)], self.record.pending = values, 1

    def returned_events(self) -> list[int]:
        """Events of kind 3 that fired at the present time."""
        fired = (self.fired == 1) & (self.kind == at.RETURN)
        return [int(event) for event in np.flatnonzero(fired)]

    def trajectory(self, outcome: Outcome) -> Trajectory:
        """Results up to now; open passages near a singular position are closed."""
        run = self.record
        written, logged, near = run.written, run.logged, self.near[: run.passages]
        still = [(loop, t, v) for loop, (v, t, _, _) in enumerate(self.passage) if v < run.singular]
        near = np.vstack([near, np.array(still).reshape(-1, 3)])
        t, x, before = self.out_t[:written].copy(), self.out_x[:written].copy(), self.out_events[:written].copy()
        self.add_last_event_work()
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
            doubts=Doubts(*(rows[: run.n_events].copy() for rows in (self.unclear, self.leaps, self.lost))),
            atol=self.atol.copy(),
            trail=self.trail(),
            work_error=run.work_errors,
            alarm=(run.alarm_since, run.alarm_until) if outcome is ALARM or run.status == at.ALARM else None,
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
        """States of the run up to now; None if there is no energy audit."""
        if self.problem.energy is None:
            return None
        kept, t, x, logged = self.record.trail, self.trail_t, self.trail_x, self.record.logged
        return Trail(
            np.append(t[:kept], self.time),
            np.vstack([x[:kept], self.x[None, :]]),
            np.append(self.trail_events[:kept], logged),
        )

    def add_last_event_work(self) -> None:
        """Add the work of the last event if the run ends at it."""
        if self.record.open_event > 0 and self.problem.energy is not None:
            kernel = CFUNCTYPE(None, *[c_void_p] * 5)(self.problem.energy.address)
            self.clock[0] = self.time
            kernel(*(address_of(array) for array in (self.clock, self.x, self.p, self.energy, self.work)))
            row = self.record.open_event - 1
            self.event_work[row] += self.energy[0] + self.energy[1] - self.record.energy_before
            self.record.open_event = 0


def set_method(run: StepRecord, plan: Plan) -> None:
    """Write sizes and coefficients of a method, which its plan keeps alive, into the record."""
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
    """Write constants of the step control into the record."""
    run.alpha, run.beta, run.safety = control.alpha, control.beta, control.safety
    run.shrink, run.grow = control.shrink, control.growth
