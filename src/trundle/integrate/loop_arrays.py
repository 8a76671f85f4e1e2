"""Arrays of the compiled loop, allocated once for a problem; its record points to them."""

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.decision.request import Decision
from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.case import Case
from trundle.integrate.methods.tableau import Plan
from trundle.integrate.options import Sampling
from trundle.integrate.problem import Compiled, OtherNormals, Problem
from trundle.integrate.record import LoopRecord
from trundle.integrate.tolerance import UNITS, Tolerance
from trundle.kernel import compiled
from trundle.kernel.memory import aligned, point_to

TRAIL = 2048  # states kept for the audit of the energy; an even number
KERNELS = (
    "project", "events", "jacobian", "metric", "impact", "modes", "energy", "enclosure", "round_off", "breaks", "free",
    "guards",
)  # fmt: skip
"""Names of the compiled equations that a problem may have."""
FIRST_LOOKS = 8  # common normals that are examined although they are behind the contact when they are found
GUARD_PLACES = tuple(f"guard_{name}" for name in ("sign", "before", "middle", "probe", "low", "high", "rate", "bend"))


class LoopArrays:
    """The record of the loop and all arrays that it points to. Only full output buffers are ever replaced."""

    def __init__(
        self, problem: Problem, plan: Plan, passing: Plan | None, case: Case, tolerance: Tolerance, samples: Sampling
    ) -> None:
        passing = passing or plan
        n_x, n_p = problem.rhs.n_x, problem.rhs.n_p
        self.problem, self.plan, self.record = problem, plan, LoopRecord()
        self._held: dict[str, np.ndarray] = {}
        self._addresses: dict[str, int] = {}
        self.x, self.x_new, self.p = aligned(n_x), aligned(n_x), aligned(n_p)
        self.k = aligned(max(plan.rows, passing.rows) * n_x)
        self.clock, self.work = aligned(1), aligned(max(kernel.work_size for kernel in problem.kernels) + 8)
        self._set_tolerances(tolerance)
        self._set_places(max(len(plan.dense), len(passing.dense)), plan.needs_jacobian or passing.needs_jacobian)
        if problem.other_normals is not None:
            self._set_other_normals(problem.other_normals, case)
        self._set_events()
        self._set_buffers()
        self._set_samples(samples.times, case.t0, case.t1)
        self._set_sizes(case.t0, case.t1)
        self._set_kernels()
        self._set_parts()

    def _hold(self, **arrays: np.ndarray) -> None:
        """Keep arrays alive and let the record point to them, in place of earlier ones of the same names."""
        self._held.update(arrays)
        self._addresses.update(point_to(self.record, **arrays))

    def _hold_at(self, arrays: dict[str, np.ndarray], addresses: dict[str, int]) -> None:
        """The same for arrays with known addresses."""
        self._held.update(arrays)
        self._addresses.update(addresses)
        for name, address in addresses.items():
            setattr(self.record, name, address)

    def _set_tolerances(self, tolerance: Tolerance) -> None:
        run, problem, n_x = self.record, self.problem, self.problem.rhs.n_x
        self.tolerance = tolerance
        self.atol, self.expected_atol = tolerance.atol.copy(), tolerance.atol.copy()
        weight = np.ones(n_x) if problem.error_weight is None else problem.error_weight
        self.weight = np.ascontiguousarray(weight, dtype=float)
        run.learning, run.part, run.weighted = int(tolerance.learns), tolerance.part, int(np.count_nonzero(self.weight))
        run.position_tol, run.velocity_tol = problem.position_tolerance, problem.velocity_tolerance
        run.singular = problem.singular_limit
        self._hold(atol=self.atol, weight=self.weight, group=tolerance.group, bound=tolerance.bound)
        self._hold(largest=np.zeros(len(UNITS)))
        self._hold(in_metres=np.array(problem.in_metres or np.ones(max(problem.n_q, 1)), np.int64))

    def _set_places(self, dense_rows: int, stiff: bool) -> None:
        """Allocate work arrays."""
        problem, n_x, n_p = self.problem, self.problem.rhs.n_x, self.problem.rhs.n_p
        rows, breaks = problem.n_u + problem.loop_rows, 0 if problem.breaks is None else problem.breaks.n_out
        metric_out = 0 if problem.metric is None else problem.metric.n_out
        impact = aligned(numbers.size(problem.contacts, problem.n_u) + numbers.scratch(problem.contacts))
        self.decision = Decision(problem.contacts, impact)
        self.sizes = aligned(n_x)
        self.energy = aligned(0 if problem.energy is None else problem.energy.n_out)
        self._hold(x=self.x, x_new=self.x_new, p=self.p, k=self.k, clock=self.clock, work=self.work)
        self._hold(
            dense=aligned(dense_rows, n_x),
            scratch=aligned(max(4 * n_x, 4 * rows + 2 * problem.n_q) + 8),
            sample=aligned(n_x),
            corrected=aligned(n_x + 2 + 3 * problem.n_monitors),
            jumped=aligned(n_x + 2 + max(problem.n_monitors, n_p)),
            quaternions=np.array(problem.quaternions or (0,), dtype=np.int64),
            # The stiff step keeps its Jacobian from one attempt to the next, so the metric needs its own array.
            matrix=aligned(2 * n_x * n_x + n_x if stiff else 1),
            sizes=self.sizes,
            metric=aligned(metric_out + rows * rows + 1),
            pivots=np.zeros(max(n_x, rows, 1), np.int64),
            impact=impact,
            decision=self.decision.table,
            places=np.array(problem.places or (0,), dtype=np.int64),
            energy=self.energy,
            box=aligned(2 + 4 * n_x),
            bounds=aligned(max(4 * problem.watched, breaks)),
            parts=aligned(at.LONGEST_SEARCH),
            given_up=np.zeros(max(problem.watched, breaks // 4, 1), np.int64),
        )
        guards = 0 if problem.guards is None else problem.guards.n_out
        self._hold(**{name: aligned(guards) for name in GUARD_PLACES})

    def _set_other_normals(self, other_normals: OtherNormals, case: Case) -> None:
        """Arrays for other common normals of contacts; lanes begin with the known ones."""
        w, n_x, n_p = other_normals.lanes, self.problem.rhs.n_x, self.problem.rhs.n_p
        arrays, addresses = other_normals.places(n_x, 1)
        self._hold_at(arrays, addresses)
        self._hold(normal_p=aligned(n_p, w), normal_clock=aligned(w))
        arrays["normal_since"][:] = case.t0
        due = -np.inf if any(other_normals.loose) else case.normals_until
        self.record.normal_rest, self.record.normal_due = at.NORMAL_STEPS - 1, due
        s, held, value = arrays["normal_s"].reshape(-1, w), arrays["normal_held"], arrays["normal_value"]
        for pack, known in enumerate(case.normals):
            first, n, count = arrays["normal_first"][pack], arrays["normal_width"][pack], min(len(known), w)
            s[first : first + n, :count] = known[:count, :n].T
            held[pack * w : pack * w + count], value[pack * w : pack * w + count] = 1, known[:count, n]

    def _set_events(self) -> None:
        problem, n_e = self.problem, self.problem.n_events
        self.kind, self.fired, self.unclear, self.leaps = (np.zeros(n_e + 1, np.int64) for _ in range(4))
        self.lost = np.full(n_e + 1, np.inf)
        direction, due = np.zeros(n_e + 1, np.int64), np.zeros(n_e + 1, np.int64)
        direction[:n_e], due[:n_e] = problem.event_directions, problem.event_due or 0
        self.kind[:n_e] = problem.event_kinds
        self._hold(direction=direction, due=due, kind=self.kind, fired=self.fired, unclear=self.unclear)
        self._hold(leaps=self.leaps, lost=self.lost)
        self._hold(**{name: np.zeros(n_e + 1, np.int64) for name in ("sign", "now", "just", "abrupt", "turned")})
        rows = ("g_start", "g_before", "g_left", "g_right", "g_probe", "g_root", "g_noise", "pole")
        self._hold(**{name: aligned(n_e) for name in rows})
        jumps = [0 if jump is None else jump.address for jump in problem.jumps]
        self._hold(jump_kernels=np.array(jumps + [0] * (n_e + 1 - len(jumps)), dtype=np.int64))

    def _set_buffers(self) -> None:
        """Buffers for events, passages near singular poses, and states for the audit of the energy."""
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
        """Set the addresses of output buffers, after they are allocated or enlarged."""
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
        run.n_guards, run.guards_from = problem.n_guards, problem.guards_from
        if problem.other_normals is not None:
            run.n_normal_packs, run.normal_lanes, run.normal_packs = (
                len(problem.other_normals.kernels),
                problem.other_normals.lanes,
                1,
            )
            run.normal_away, run.normal_fresh = problem.other_normals.away, FIRST_LOOKS
        if problem.energy is not None:
            run.driven = at.BY_DRIVES if problem.driven else at.BY_LAWS if problem.held else 0
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
        """Load only the parts of the integrator that this problem needs, because each is compiled on first use."""
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
        if problem.other_normals is not None:
            run.normal_part = compiled.address("track_other_normals")
        if problem.n_guards:
            run.guard_part = compiled.address("watch_guards")
        if problem.stiff_onsets:
            run.stiffness_part = compiled.address("watch_stiffness")
            run.difference_part = compiled.address("difference_jacobian")
        if problem.free is not None:
            run.decide_part, run.decide_once_part = compiled.address("decide_modes"), compiled.address("decide_once")

    def grow(self) -> None:
        """Double the output buffers that are more than half full."""
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


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.zeros_like(array)])


def check_samples(times: np.ndarray, t0: float, t1: float) -> None:
    """SolveError if sample times are not sorted or not within the run."""
    if times.ndim != 1 or np.any(np.diff(times) < 0.0):
        raise SolveError("the sample times must be one sorted array.")
    if len(times) and (times[0] < t0 or times[-1] > t1):
        raise SolveError(f"the sample times {times[0]} to {times[-1]} do not lie within {t0} to {t1}.")
