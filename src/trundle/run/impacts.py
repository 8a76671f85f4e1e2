"""Collisions of a run: impulses, velocities before and after, energy lost; found again from states at the events."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.errors import StoreError
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.run import Run


@final
@dataclass(frozen=True, eq=False)
class Impact:
    """One collision. Arrays by contact: components along, across and normal to it, of the second body."""

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
    """The collisions of a run in their order; StoreError for one from a file in which contacts landed."""
    if run.trajectory is None or run.formulation is None:
        landed = [event for event in run.events if event.contact and event.kind in ("lands", "")]  # "": not known
        if landed:
            raise StoreError(
                f"the collisions of this run ({len(landed)} landings, the first at t = {landed[0].time:.6g} s) are not "
                "kept in files: use run.impacts of the run itself, before it is saved."
            )
        return []
    f, log = run.formulation, run.trajectory.events
    striking = {len(f.model.events) + i: c.contact for i, c in enumerate(f.transitions) if c.strikes}
    found = []
    for i, t, x, p in zip(log.index, log.t, log.x, log.p, strict=True):
        impact = _impact(run, striking[int(i)], float(t), x, p) if int(i) in striking else None
        if impact is not None:
            found.append(impact)
    return found


def _impact(run: "Run", contact: str, t: float, x: Array, p: Array) -> Impact | None:
    """The collision at a state, by the code of the time loop; None if it did not converge and the run stopped."""
    from trundle.contact.collision.collide import solve_collision

    f = run.formulation
    assert f is not None
    names = [c.name for c in f.model.connections.values() if c.unilateral]
    data = np.array(f.kernels("events")["impact"](t, x, p))
    found = solve_collision(data, len(names), numbers.TREATMENTS[f.model.impacts])
    if not found.good:
        return None
    before, after, impulse = (v.reshape(-1, 3) for v in (found.before, found.after, found.impulses))
    taking = {name: i for i, name in enumerate(names) if np.any(impulse[i]) or name == contact}
    return Impact(
        t,
        contact,
        {name: impulse[i].copy() for name, i in taking.items()},
        {name: before[i].copy() for name, i in taking.items()},
        {name: after[i].copy() for name, i in taking.items()},
        found.lost,
    )
