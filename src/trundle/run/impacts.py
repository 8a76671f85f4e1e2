"""Collisions of a run: impulses, velocities before and after, energy lost; found again from states at the events."""

from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.modes import transitions
from trundle.impact import numbers
from trundle.solve import layout as at

if TYPE_CHECKING:
    from trundle.run.dataset import Run

Array = np.ndarray[Any, np.dtype[np.float64]]


@final
@dataclass(frozen=True, eq=False)
class Impact:
    """One collision. Arrays go by contact: components along, across and normal to it, of the second body."""

    time: float  # s
    contact: str  # the one whose closing began it
    impulse: dict[str, Array]  # N s, of all contacts that took part
    before: dict[str, Array]  # m/s, velocity of the second body against the first
    after: dict[str, Array]  # m/s
    energy_lost: float  # J

    def __repr__(self) -> str:
        normal = ", ".join(f"{name} {value[2]:.4g} N s" for name, value in self.impulse.items())
        return f"<Impact at {self.time:.6g} s: {normal}; {self.energy_lost:.4g} J lost>"


def impacts_of(run: "Run") -> list[Impact]:
    """The collisions of a run in their order; empty for a run that was read from a file."""
    if run.trajectory is None or run.system is None:
        return []
    model, log = run.system.model, run.trajectory.events
    changes = transitions(model)
    striking = {len(model.events) + i: c.contact for i, c in enumerate(changes) if c.strikes}
    found = []
    for i, t, x, p in zip(log.index, log.t, log.x, log.p, strict=True):
        if int(i) in striking:
            found.append(_impact(run, striking[int(i)], float(t), x, p))
    return found


def _impact(run: "Run", contact: str, t: float, x: Array, p: Array) -> Impact:
    """The collision at a state, by the code of the time loop."""
    from trundle.solve import compiled
    from trundle.solve.memory import aligned

    system = run.system
    assert system is not None
    kernels = system.kernels("events")
    names = [c.name for c in system.model.connections.values() if c.unilateral]
    contacts = len(names)
    n, c, r = np.zeros(at.N_SIZE, np.int64), np.zeros(at.C_SIZE, np.int64), np.zeros(at.R_SIZE)
    address = np.zeros(at.A_SIZE, np.int64)
    n[at.N_X], n[at.N_P], n[at.N_Q], n[at.N_U] = len(x), len(p), system.n_q, system.n_u
    n[at.CONTACTS], n[at.TREATMENT], r[at.T] = contacts, numbers.TREATMENTS[system.model.impacts], t
    address[at.A_IMPACT], address[at.A_MODES] = kernels["impact"].address, kernels["start"].address
    arrays = {at.M_N: n, at.M_C: c, at.M_R: r, at.M_ADDRESS: address, at.M_CLOCK: aligned(1)}
    arrays[at.M_X], arrays[at.M_P], arrays[at.M_JUMPED] = aligned(len(x)), aligned(len(p)), aligned(len(p))
    arrays[at.M_X][:], arrays[at.M_P][: len(p)] = x, p
    arrays[at.M_WORK] = aligned(max(k.work_size for k in kernels.values()) + 8)
    b = arrays[at.M_IMPACT] = aligned(numbers.size(contacts, system.n_u) + numbers.scratch(contacts))
    table = np.zeros(at.M_IMPACT + 1, np.int64)
    for place, array in arrays.items():
        table[place] = array.ctypes.data
    CFUNCTYPE(None, c_void_p)(compiled.address("strike"))(table.ctypes.data)
    size, first = 3 * contacts, numbers.size(contacts, system.n_u)
    before, after, impulse = (b[first + k * size : first + (k + 1) * size].reshape(-1, 3) for k in range(3))
    taking = {name: i for i, name in enumerate(names) if np.any(impulse[i]) or name == contact}
    return Impact(
        t,
        contact,
        {name: impulse[i].copy() for name, i in taking.items()},
        {name: before[i].copy() for name, i in taking.items()},
        {name: after[i].copy() for name, i in taking.items()},
        float(b[first + 3 * size + 1]),
    )
