"""All arrays of a running integration: what the compiled loop reads and writes between two calls."""

import math
from ctypes import CFUNCTYPE, c_void_p

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.decision.request import Decision
from trundle.errors import SolveError
from trundle.integrate import layout as at
from trundle.integrate.methods.tableau import Plan
from trundle.integrate.outcome import Outcome
from trundle.integrate.problem import Compiled, Problem
from trundle.integrate.tolerance import LOOKS, UNITS, Tolerance
from trundle.integrate.trajectory import Counts, EventLog, NearSingular, Trail, Trajectory
from trundle.kernel import compiled

TRAIL = 2048  # states kept for the check of the energy; an even number
LINE = 64  # bytes: kernels want their work array on a cache line


def aligned(*shape: int) -> np.ndarray:
    """A zero array of doubles that starts on a cache line; it has at least one element, so its address is valid."""
    size = math.prod(shape)
    raw = np.zeros(max(size, 1) + LINE // 8)
    start = (-raw.ctypes.data % LINE) // 8
    flat = raw[start : start + max(size, 1)]
    return flat[:size].reshape(shape) if size else flat


class Memory:
    """Arrays of one run, made once; only the output buffers are replaced when they are full."""

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        t0: float,
        t1: float,
        x0: np.ndarray,
        p: np.ndarray,
        tolerance: Tolerance,
        samples: np.ndarray | None,
        passing: Plan | None = None,
    ) -> None:
        passing = passing or plan
        n_x, n_p, n_e = problem.rhs.n_x, problem.rhs.n_p, problem.n_events
        x0, p = np.asarray(x0, dtype=float), np.asarray(p, dtype=float)
        if x0.shape != (n_x,) or p.shape != (n_p,):
            raise SolveError(
                f"the start state has shape {x0.shape}, the parameters {p.shape}; the rhs wants ({n_x},) and ({n_p},)."
            )
        self.problem, self.plan = problem, plan
        self.n, self.c = np.zeros(at.N_SIZE, np.int64), np.zeros(at.C_SIZE, np.int64)
        self.r, self.address = np.zeros(at.R_SIZE), np.zeros(at.A_SIZE, np.int64)
        self.x, self.x_new, self.p = aligned(n_x), aligned(n_x), aligned(n_p)
        self.x[:] = x0
        self.p[:n_p] = p
        self.k = aligned(max(plan.rows, passing.rows) * n_x)
        self.dense = aligned(max(len(plan.dense), len(passing.dense)), n_x)
        self.tolerance = tolerance
        self.atol, self.foreseen, self.met = tolerance.atol.copy(), tolerance.atol.copy(), np.zeros(len(UNITS))
        weight = np.ones(n_x) if problem.error_weight is None else problem.error_weight
        self.weight = np.ascontiguousarray(weight, dtype=float)
        rows = problem.n_u + problem.loop_rows
        self.scratch = aligned(max(4 * n_x, 4 * rows + 2 * problem.n_q) + 8)
        self.sample, self.clock = aligned(n_x), aligned(1)
        self.corrected = aligned(n_x + 2 + 3 * problem.n_monitors)
        self.jumped = aligned(n_x + 2 + max(problem.n_monitors, n_p))
        self.quaternions = np.array(problem.quaternions or (0,), dtype=np.int64)
        metric_out = 0 if problem.metric is None else problem.metric.n_out
        # The stiff step keeps its Jacobian from one attempt to the next: the metric correction has a place of its own.
        self.matrix = aligned(2 * n_x * n_x + n_x if plan.needs_jacobian else 1)
        self.metric = aligned(metric_out + rows * rows + 1)
        self.pivots = np.zeros(max(n_x, rows, 1), np.int64)
        self.work = aligned(max(kernel.work_size for kernel in problem.kernels) + 8)
        self.flags, self.g = np.zeros((at.FLAG_ROWS, n_e), np.int64), aligned(at.G_ROWS, n_e)
        self.flags[at.DIRECTION] = problem.event_directions
        self.flags[at.KIND] = problem.event_kinds
        self.flags[at.DUE] = problem.event_due or 0
        jumps = [0 if jump is None else jump.address for jump in problem.jumps]
        self.jumps = np.array(jumps + [0] * (n_e + 1 - len(jumps)), dtype=np.int64)
        self.impact = aligned(numbers.size(problem.contacts, problem.n_u) + numbers.scratch(problem.contacts))
        breaks = 0 if problem.breaks is None else problem.breaks.n_out
        self.box, self.bounds = aligned(2 + 4 * n_x), aligned(max(4 * problem.watched, breaks))
        self.parts = aligned(at.LONGEST_SEARCH)
        self.decision = Decision(problem.contacts, self.impact)
        self.places = np.array(problem.places or (0,), dtype=np.int64)
        self.passage = np.full((max(problem.n_monitors, 1), at.PASSAGE), np.inf)
        self.near = np.zeros((64 + 4 * problem.n_monitors, 3))
        self.event_index, self.event_t = np.zeros(64 + n_e, np.int64), np.zeros(64 + n_e)
        self.event_x, self.event_p = np.zeros((64 + n_e, n_x)), np.zeros((64 + n_e, n_p))
        self.event_work, self.event_lost = np.zeros(64 + n_e), np.zeros(64 + n_e)
        kept = TRAIL if problem.energy is not None else 0
        self.trail_t, self.trail_x = np.empty(kept + 1), np.empty((kept + 1, n_x))
        self.trail_events = np.empty(kept + 1, np.int64)
        self.energy = aligned(0 if problem.energy is None else problem.energy.n_out)
        self.n[at.TRAIL_ROOM], self.c[at.STRIDE] = kept, 1
        self._set_samples(samples, t0, t1)
        self._set_sizes(t0, t1)
        if tolerance.learns:
            looks = np.array([self.slope(t, self.x) for t in np.linspace(t0, t1, LOOKS + 1)[:-1]])
            self.c[at.RHS] = 0
            self.atol[:], self.foreseen[:] = tolerance.begin(self.x[None, :], looks[:, None, :], t1 - t0)

    def _set_samples(self, samples: np.ndarray | None, t0: float, t1: float) -> None:
        n_x = self.problem.rhs.n_x
        if samples is None:
            self.sample_t = np.zeros(1)
            self.out_t, self.out_x = np.zeros(1024), np.zeros((1024, n_x))
            self.out_events = np.zeros(1024, np.int64)
            self.n[at.EVERY_STEP] = 1
            return
        self.sample_t = np.ascontiguousarray(samples, dtype=float)
        if self.sample_t.ndim != 1 or np.any(np.diff(self.sample_t) < 0.0):
            raise SolveError("the sample times must be one sorted array.")
        if len(self.sample_t) and (self.sample_t[0] < t0 or self.sample_t[-1] > t1):
            raise SolveError(
                f"the sample times {self.sample_t[0]} to {self.sample_t[-1]} do not lie within {t0} to {t1}."
            )
        self.n[at.SAMPLES] = len(self.sample_t)
        self.out_t, self.out_x = np.zeros(len(self.sample_t)), np.zeros((len(self.sample_t), n_x))
        self.out_events = np.zeros(len(self.sample_t), np.int64)

    def _set_sizes(self, t0: float, t1: float) -> None:
        n, r, problem = self.n, self.r, self.problem
        n[at.N_X], n[at.N_P], n[at.N_Q], n[at.N_U] = problem.rhs.n_x, problem.rhs.n_p, problem.n_q, problem.n_u
        n[at.EVENTS], n[at.MONITORS] = problem.n_events, problem.n_monitors
        n[at.WATCHED], n[at.BREAKS] = problem.watched, 0 if problem.breaks is None else problem.breaks.n_out // 4
        n[at.CONTACTS], n[at.TREATMENT], n[at.GIVEN] = problem.contacts, problem.treatment, problem.given_events
        n[at.DRIVEN] = int(problem.driven and problem.energy is not None)
        n[at.LOOP_ROWS], n[at.QUATERNIONS] = problem.loop_rows, len(problem.quaternions)
        n[at.WEIGHTED] = int(np.count_nonzero(self.weight))
        n[at.LEARNING], r[at.PART] = int(self.tolerance.learns), self.tolerance.part
        self.c[at.PENDING] = 1
        r[at.T], r[at.T_START], r[at.T_END], r[at.T_EVENT] = t0, t0, t1, -np.inf
        r[at.POSITION_TOL], r[at.VELOCITY_TOL] = problem.position_tolerance, problem.velocity_tolerance
        r[at.SINGULAR] = problem.singular_limit
        self._set_addresses()

    def _set_addresses(self) -> None:
        problem, address = self.problem, self.address
        by_kernel: tuple[tuple[int, Compiled | None], ...] = (
            (at.A_PROJECT, problem.project),
            (at.A_EVENTS, problem.events),
            (at.A_JACOBIAN, problem.jacobian),
            (at.A_METRIC, problem.metric),
            (at.A_IMPACT, problem.impact),
            (at.A_MODES, problem.modes),
            (at.A_ENERGY, problem.energy),
            (at.A_ENCLOSURE, problem.enclosure),
            (at.A_ROUND_OFF, problem.round_off),
            (at.A_BREAKS, problem.breaks),
            (at.A_FREE, problem.free),
        )
        for slot, kernel in by_kernel:
            address[slot] = 0 if kernel is None else kernel.address
        if self.plan.needs_jacobian and problem.jacobian is None:
            raise SolveError("the stiff method needs the kernel `jacobian`: [df/dx column-major, df/dt].")
        self._load_compiled_parts()
        self.take(self.plan, problem.rhs)

    def take(self, plan: Plan, rhs: Compiled) -> None:
        """Step by this method from now on, with this right-hand side."""
        n, address = self.n, self.address
        self.plan = plan
        n[at.ROWS], n[at.END_ROW], n[at.STAGES] = plan.rows, plan.end_row, plan.stages
        n[at.EXTRAS], n[at.DENSE], n[at.ERROR_ROWS] = len(plan.extra_nodes), len(plan.dense), plan.error_rows
        n[at.END_IN_STEP], n[at.STAGE_SCALE] = int(plan.end_in_step), int(plan.stage_scale)
        address[at.A_STEP], address[at.A_RHS] = plan.step_address(), rhs.address
        if self.n[at.PROJECTION] != at.NO_PROJECTION and self.problem.project is not None:
            by_metric = plan.needs_jacobian and self.problem.metric is not None
            self.n[at.PROJECTION] = at.BY_METRIC if by_metric else at.BY_KERNEL

    def _load_compiled_parts(self) -> None:
        """Load only those parts of the integrator that this problem needs: each takes time to compile at first use."""
        problem, address = self.problem, self.address
        if problem.events is not None or self.n[at.SAMPLES] > 0 or problem.n_monitors > 0:
            address[at.A_DENSE] = compiled.address("prepare_dense")
        if problem.metric is not None or problem.project is not None:
            address[at.A_BRING], address[at.A_WATCH] = compiled.address("project_sample"), compiled.address("watch")
            self.n[at.PROJECTION] = at.BY_KERNEL
        if problem.metric is not None and (self.plan.needs_jacobian or problem.project is None):
            address[at.A_CORRECT] = compiled.address("correct_in_metric")
            self.n[at.PROJECTION] = at.BY_METRIC
        if problem.events is not None:
            address[at.A_SEARCH], address[at.A_SIGNS] = compiled.address("find_event"), compiled.address("set_signs")
            address[at.A_FIRE] = compiled.address("fire")
        if problem.enclosure is not None:
            address[at.A_BOUNDED] = compiled.address("find_bounded")
        if problem.breaks is not None:
            address[at.A_NEXT_BREAK] = compiled.address("next_break")
        if problem.impact is not None:
            address[at.A_STRIKE] = compiled.address("strike")
        if problem.free is not None:
            address[at.A_DECIDE] = compiled.address("decide_modes")
            address[at.A_DECIDE_ONCE] = compiled.address("decide_once")

    def slope(self, t: float, x: np.ndarray) -> np.ndarray:
        """xdot at a state, by one call of the rhs."""
        point, out = aligned(len(x)), aligned(len(x))
        point[:], self.clock[0] = x, t
        kernel = CFUNCTYPE(None, *[c_void_p] * 5)(int(self.address[at.A_RHS]))
        kernel(*(array.ctypes.data for array in (self.clock, point, self.p, out, self.work)))
        self.c[at.RHS] += 1
        return out

    @property
    def time(self) -> float:
        """Time reached."""
        return float(self.r[at.T])

    def table(self) -> np.ndarray:
        """Addresses of the arrays, in the order of `layout`; made anew when a buffer has grown."""
        plan, n = self.plan, self.n
        n[at.OUT_ROOM], n[at.EVENT_ROOM], n[at.NEAR_ROOM] = len(self.out_t), len(self.event_t), len(self.near)
        arrays = (
            self.n, self.c, self.r, self.address, self.x, self.p, self.x_new, self.k, plan.coefficients, self.atol,
            self.weight, plan.extra_nodes, plan.extra_stages, plan.dense, self.dense, self.scratch, self.sample,
            self.corrected, self.quaternions, self.matrix, self.metric, self.pivots, self.clock, self.work,
            self.sample_t,
            self.out_t, self.out_x, self.flags, self.g, self.jumps, self.jumped, self.event_index, self.event_t,
            self.event_x, self.passage, self.near, self.event_p, self.impact, self.box, self.bounds, self.parts,
            self.tolerance.group, self.tolerance.bound, self.met, self.event_work, self.out_events, self.trail_t,
            self.trail_x, self.trail_events, self.energy, self.event_lost, self.decision.table, self.places,
        )  # fmt: skip
        return np.array([array.ctypes.data for array in arrays], dtype=np.int64)

    def grow(self) -> None:
        """Double those output buffers that are more than half full."""
        c = self.c
        if self.n[at.EVERY_STEP] == 1 and 2 * c[at.WRITTEN] > len(self.out_t):
            self.out_t, self.out_x = _doubled(self.out_t), _doubled(self.out_x)
            self.out_events = _doubled(self.out_events)
        if 2 * c[at.LOGGED] >= len(self.event_t) - self.n[at.EVENTS]:
            self.event_index, self.event_t = _doubled(self.event_index), _doubled(self.event_t)
            self.event_x, self.event_p = _doubled(self.event_x), _doubled(self.event_p)
            self.event_work, self.event_lost = _doubled(self.event_work), _doubled(self.event_lost)
        if 2 * c[at.NEAR] >= len(self.near) - 2 * self.n[at.MONITORS]:
            self.near = _doubled(self.near)

    def returned_events(self) -> list[int]:
        """Events of kind 3 that fired at the present time."""
        fired = (self.flags[at.FIRED] == 1) & (self.flags[at.KIND] == at.RETURN)
        return [int(event) for event in np.flatnonzero(fired)]

    def trajectory(self, outcome: Outcome) -> Trajectory:
        """What was computed up to now; passages near a singular position that are still open are closed."""
        c = self.c
        written, logged, near = int(c[at.WRITTEN]), int(c[at.LOGGED]), self.near[: c[at.NEAR]]
        still = [(loop, t, v) for loop, (v, t, _, _) in enumerate(self.passage) if v < self.r[at.SINGULAR]]
        near = np.vstack([near, np.array(still).reshape(-1, 3)])
        t, x, before = self.out_t[:written].copy(), self.out_x[:written].copy(), self.out_events[:written].copy()
        self._close_books()
        if outcome.name != "FINISHED" and (written == 0 or t[-1] < self.time):  # an early end is kept too
            t, x, before = np.append(t, self.time), np.vstack([x, self.x[None, :]]), np.append(before, logged)
        return Trajectory(
            t=t,
            x=x,
            events_before=before,
            events=EventLog(
                self.event_index[:logged].copy(),
                self.event_t[:logged].copy(),
                self.event_x[:logged].copy(),
                self.event_p[:logged].copy(),
                self.event_work[:logged].copy(),
                self.event_lost[:logged].copy(),
            ),
            near_singular=NearSingular(near[:, 0].astype(int), near[:, 1], near[:, 2]),
            outcome=outcome,
            counts=Counts(*(int(c[i]) for i in range(at.STEPS, at.PROJECTIONS + 1))),
            t_end=self.time,
            x_end=self.x.copy(),
            p_end=self.p[: self.n[at.N_P]].copy(),
            unclear=self.flags[at.UNCLEAR].copy(),
            atol=self.atol.copy(),
            trail=self._trail(logged),
            work_error=float(self.r[at.WORK_ERRORS]),
        )

    def _trail(self, logged: int) -> Trail | None:
        if self.problem.energy is None:
            return None
        kept, t, x = int(self.c[at.TRAIL]), self.trail_t, self.trail_x
        return Trail(
            np.append(t[:kept], self.time),
            np.vstack([x[:kept], self.x[None, :]]),
            np.append(self.trail_events[:kept], logged),
        )

    def _close_books(self) -> None:
        """A run that ends right at a jump has not come to ask what this brought."""
        if self.c[at.UNBOOKED] > 0 and self.problem.energy is not None:
            kernel = CFUNCTYPE(None, *[c_void_p] * 5)(self.problem.energy.address)
            self.clock[0] = self.time
            kernel(*(array.ctypes.data for array in (self.clock, self.x, self.p, self.energy, self.work)))
            row = self.c[at.UNBOOKED] - 1
            self.event_work[row] = self.energy[0] + self.energy[1] - self.r[at.ENERGY_BEFORE]
            self.c[at.UNBOOKED] = 0


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.zeros_like(array)])
