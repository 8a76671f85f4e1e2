"""Points of contact with their state, contact forces and joint reactions over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.run.geometry import Geometry
from trundle.typing import Array, Integers
from trundle.view.contact_states import STRIKES, TOUCHES, states_of, strikes_of
from trundle.view.scene.scene import Arrow, Colour, Contact, named

if TYPE_CHECKING:
    from trundle.run.run import Run

PUSH: Final[Colour] = (0.80, 0.18, 0.16)
REACTION: Final[Colour] = (0.45, 0.25, 0.65)
ROUND_OFF: Final = 1e-12  # of the weight of all bodies: smaller forces, as in free joints, are round-off
FEW_JOINTS: Final = 40  # connections up to which reactions are shown


def arrows(
    run: "Run", shape: Geometry, kept: Integers, p: Array, R: Array, bodies: Sequence[str]
) -> tuple[tuple[Arrow, ...], dict[str, float]]:
    """Forces on the second body of contacts and joints, and the largest of each kind (N); p and R are the poses at the
    kept samples.
    """
    known = set(run.names)
    out: list[Arrow] = []
    for name in shape["contacts"]:
        if {f"{name}.reaction_force", f"{name}.contact_point"} <= known:
            points = run.values(f"{name}.contact_point")[kept]
            out.append(Arrow(name, "contact forces", PUSH, points, run.values(f"{name}.reaction_force")[kept]))
    for name in wheel_contacts(run):
        points, forces = (run.values(f"{name}.{kind}")[kept] for kind in ("contact_point", "contact_force"))
        out.append(Arrow(name, "contact forces", PUSH, points, forces))
    for name, _, body, point, _ in shape["joints"] if len(shape["joints"]) <= FEW_JOINTS else ():
        if f"{name}.reaction_force" in known:
            i = named(bodies, body)
            points = p[:, i] + R[:, i] @ np.array(point, dtype=float)
            out.append(Arrow(name, "reactions", REACTION, points, run.values(f"{name}.reaction_force")[kept]))
    longest: dict[str, float] = {"contact forces": 0.0, "reactions": 0.0}
    for arrow in out:
        sizes = np.linalg.norm(arrow.vectors, axis=1)
        if np.any(np.isfinite(sizes)):
            longest[arrow.layer] = max(longest[arrow.layer], float(np.nanmax(sizes)))
    weight = 9.81 * sum(float(body.get("mass", 0.0)) for body in shape["bodies"].values())
    least = ROUND_OFF * max(weight, *longest.values())
    longest = {layer: size if size > least else 0.0 for layer, size in longest.items()}
    return tuple(arrow for arrow in out if longest[arrow.layer] > 0), longest


def wheel_contacts(run: "Run") -> list[str]:
    """Forces of contacts, such as those of wheels on rails."""
    known = run.owners("contact_point", "force")
    return [name for name in run.owners("contact_force", "force") if name in known]


def contacts(run: "Run", shape: Geometry, kept: Integers) -> tuple[Contact, ...]:
    """Every contact of surfaces; a collision is shown at the sample where it happens."""
    known = set(run.names)
    out = []
    for name in shape["contacts"]:
        if f"{name}.contact_point" not in known:
            continue
        states = states_of(run, name)[kept].astype(float) if f"{name}.state" in known else np.zeros(0)
        if len(states):
            hits = np.searchsorted(run.time[kept], strikes_of(run, name))
            states[np.clip(hits, 0, len(states) - 1)] = STRIKES
        out.append(Contact(name, run.values(f"{name}.contact_point")[kept], states))
    for name in wheel_contacts(run):
        pressed = np.linalg.norm(run.values(f"{name}.contact_force")[kept], axis=1) > 0
        out.append(Contact(name, run.values(f"{name}.contact_point")[kept], np.where(pressed, TOUCHES, 0.0)))
    return tuple(out)
