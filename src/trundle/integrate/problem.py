"""The problem to be integrated: compiled functions by address, and the structure of the state vector."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Protocol, final

import numpy as np

from trundle.errors import SolveError
from trundle.kernel.memory import address_of, aligned


class Compiled(Protocol):
    """A compiled function `void f(t*, x*, p*, out*, work*)`; `trundle.kernel.jit.Kernel` is one."""

    @property
    def address(self) -> int: ...
    @property
    def n_x(self) -> int: ...
    @property
    def n_p(self) -> int: ...
    @property
    def n_out(self) -> int: ...
    @property
    def work_size(self) -> int: ...


class CompiledLanes(Compiled, Protocol):
    """A kernel for several lanes: every array has the lane index last."""

    @property
    def lanes(self) -> int: ...


@final
@dataclass(frozen=True, eq=False)
class OtherNormals:
    """Search for other common normals of contacts (see `integrate.other_normals`): for each contact a kernel of
    [coordinates, x], the range of the search in each coordinate, and whether the contact may be open or compliant.
    """

    kernels: tuple[CompiledLanes, ...]
    reach: tuple[np.ndarray, ...]
    loose: tuple[bool, ...]
    away: float  # m

    def places(self, n_x: int, packs: int) -> tuple[dict[str, np.ndarray], dict[str, int]]:
        """Arrays of the compiled loops, with `packs` packs of lanes for each contact, and their addresses.

        They are parts of two blocks, because separate allocations would slow down short runs.
        """
        fixed, known, reals, marks = self._fixed(n_x, packs)
        arrays, addresses = dict(fixed), dict(known)
        for block, layout in ((aligned(reals["end"]), reals), (np.zeros(marks["end"], np.int64), marks)):
            base, starts = address_of(block), list(layout.items())
            for (name, start), (_, end) in pairwise(starts):
                arrays[name], addresses[name] = block[start:end], base + 8 * start
        arrays["normal_s"][:] = np.nan
        return arrays, addresses

    @cache  # noqa: B019  (a model has only a few)
    def _fixed(
        self, n_x: int, packs: int
    ) -> tuple[dict[str, np.ndarray], dict[str, int], dict[str, int], dict[str, int]]:
        """Arrays that no run changes, with addresses, and the offsets of the other arrays in their blocks."""
        kernels = [kernel for kernel in self.kernels for _ in range(packs)]
        reach = [v for v in self.reach for _ in range(packs)]
        first = np.concatenate([[0], np.cumsum([len(v) for v in reach])])
        fixed = {
            "normal_kernel": np.array([kernel.address for kernel in kernels]),
            "normal_width": np.array([len(v) for v in reach]),
            "normal_first": first[:-1].copy(),
            "normal_loose": np.repeat(np.array(self.loose, np.int64), packs),
            "normal_reach": np.concatenate(reach),
        }
        w, lanes, coordinates = self.lanes, self.lanes * len(kernels), self.lanes * int(first[-1])
        reals = {
            "normal_x": w * (4 + n_x),
            "normal_out": w * max(kernel.n_out for kernel in self.kernels),
            "normal_work": w * (max(kernel.work_size for kernel in self.kernels) + 8),
            "normal_s": coordinates,
            "normal_rate": coordinates,
            "normal_since": lanes,
            "normal_value": lanes,
            "normal_slope": lanes,
        }
        marks = {"normal_held": lanes, "normal_age": lanes, "normal_hit": w, "normal_seeds": len(kernels)}
        return fixed, {name: address_of(array) for name, array in fixed.items()}, _starts(reals), _starts(marks)

    @property
    def lanes(self) -> int:
        return self.kernels[0].lanes


def _starts(sizes: dict[str, int]) -> dict[str, int]:
    """Offsets of arrays of these sizes in a block, each on a cache line, and the end of the block."""
    starts, end = {}, 0
    for name, size in sizes.items():
        starts[name], end = end, end + size + -size % 8
    return starts | {"end": end}


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """xdot = rhs(t, x, p) with x = [q, u, z], and optionally projection, Jacobian, metric, events and jumps.

    project:  [x projected, position residual, velocity residual, monitors]: one Newton step; residuals are before it
    jacobian: [df/dx column-major, df/dt]
    metric:   [M, K, D (n_u x n_u), J (m x n_u), g (m), rate (m), P (n_q x n_u)], column-major;
              replaces `project` in the stiff method
    near_folds: rhs at the nearest state on the constraints, with which an explicit method passes folds of linkages
              that the stiff method cannot pass
    events:   one value per event; `event_directions` -1, 0, +1 and `event_kinds` 0 record, 1 stop, 2 jump, 3 return
    enclosure: bounds of the first `watched` event functions and of their rates over a box of [t, x, xdot] (see
              `equations.enclosure`): used to find their roots; those of the others are searched at points in the step
    round_off: bounds of the round-off of these event functions
    breaks:   bounds of functions of time over an interval; steps end at their roots
    jumps:    one function per event (None if the kind is not 2): [x, p] after the event
    impact:   velocities, inverse masses and data of the contacts in a collision (see `impact.numbers`), for events of
              kind 4; `modes` returns the parameters with the modes of the contacts after it
    guards:   values that must keep their sign: otherwise the run ends with an alarm
    energy:   [kinetic, potential, ...] of the state, for its balance; the first `given_events` are those of the model,
              whose jumps add or remove energy
    free:     accelerations of these contacts without contact forces; if given, the modes are decided together at
              events of kind 5; `places` are their indices among the parameters (-1 for none). Events of kind 6 do the
              same, and end the run if the decided modes do not move their value above zero
    event_due: which events also fire without a crossing, if a start or a jump leaves their value below zero
    """

    rhs: Compiled
    project: Compiled | None = None
    jacobian: Compiled | None = None
    metric: Compiled | None = None
    near_folds: Compiled | None = None
    events: Compiled | None = None
    enclosure: Compiled | None = None
    round_off: Compiled | None = None
    breaks: Compiled | None = None
    jumps: Sequence[Compiled | None] = ()
    impact: Compiled | None = None
    modes: Compiled | None = None
    energy: Compiled | None = None
    guards: Compiled | None = None
    n_guards: int = 0
    guards_from: float = -math.inf  # up to this time they are not checked, except for their signs at the start
    other_normals: OtherNormals | None = None
    given_events: int = 0
    works: int = 0  # number of states after the speeds that are work done and lost: two, or none
    driven: bool = False  # whether there are drives, which do work in collisions too
    held: bool = False  # whether laws hold more than the slips of contacts that open, so that landings stop that too
    free: Compiled | None = None
    places: Sequence[int] = ()
    contacts: int = 0  # number of contacts that take part in collisions
    treatment: int = 0  # of several contacts in one collision
    n_q: int = 0
    n_u: int = 0
    quaternions: tuple[int, ...] = ()
    event_directions: Sequence[int] = ()
    event_kinds: Sequence[int] = ()
    event_due: Sequence[bool] = ()
    error_weight: np.ndarray | None = None
    position_tolerance: float = 1e-13
    velocity_tolerance: float = 1e-12
    in_metres: Sequence[bool] = ()  # which coordinates are lengths; all by default
    sizes: slice | None = None  # slice of a typical length and speed among the parameters; 1 m and 1 m/s by default
    singular_limit: float = 1e-10
    stiff_onsets: bool = False  # whether contacts may begin to slide in any direction, which is stiff
    units: Sequence[str] = ()  # of the states
    _faults: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        n_x = self.rhs.n_x
        for name in ("project", "jacobian", "metric", "events"):
            kernel: Compiled | None = getattr(self, name)
            if kernel is not None and kernel.n_x != n_x:
                self._faults.append(f"{name} has {kernel.n_x} states, rhs has {n_x}.")
        if self.jacobian is not None and self.jacobian.n_out != n_x * n_x + n_x:
            self._faults.append(f"jacobian has {self.jacobian.n_out} outputs; df/dx and df/dt are {n_x * n_x + n_x}.")
        if self.project is not None and self.project.n_out < n_x + 2:
            self._faults.append(f"project has {self.project.n_out} outputs; state and two residuals are {n_x + 2}.")
        for name in ("event_directions", "event_kinds"):
            if len(getattr(self, name)) != self.n_events:
                self._faults.append(f"{name} has {len(getattr(self, name))} entries for {self.n_events} events.")
        if self.event_due and len(self.event_due) != self.n_events:
            self._faults.append(f"event_due has {len(self.event_due)} entries for {self.n_events} events.")
        if (self.enclosure is None) != (self.round_off is None):
            self._faults.append("enclosure and round_off are given together.")
        for event, kind in enumerate(self.event_kinds):
            if kind == 2 and (event >= len(self.jumps) or self.jumps[event] is None):
                self._faults.append(f"event {event} is of kind 2 (jump) but jumps[{event}] is missing.")
        if self.metric is not None and self.loop_rows < 0:
            self._faults.append("metric: the number of outputs does not fit n_q and n_u.")
        if self._faults:
            raise SolveError("the problem for the integrator does not fit together: " + " ".join(self._faults))

    @property
    def n_events(self) -> int:
        """Number of event functions."""
        return 0 if self.events is None else self.events.n_out

    @property
    def watched(self) -> int:
        """Number of events with bounds, which come first."""
        return 0 if self.enclosure is None else self.enclosure.n_out // 4

    @property
    def n_monitors(self) -> int:
        """Number of loops that are monitored for singular positions."""
        return 0 if self.project is None else self.project.n_out - self.rhs.n_x - 2

    @property
    def loop_rows(self) -> int:
        """Number m of constraint rows in `metric`; -1 if the number of its outputs is wrong."""
        if self.metric is None:
            return 0
        rest = self.metric.n_out - 3 * self.n_u**2 - self.n_q * self.n_u
        rows, odd = divmod(rest, self.n_u + 2)
        return rows if rest >= 0 and odd == 0 else -1

    @property
    def kernels(self) -> list[Compiled]:
        """All compiled functions of the problem."""
        named = (
            self.rhs, self.project, self.jacobian, self.metric, self.events, self.enclosure, self.round_off,
            self.breaks, self.impact, self.modes, self.free, self.energy, self.near_folds, self.guards,
            *self.jumps,
        )  # fmt: skip
        return [kernel for kernel in named if kernel is not None]
