"""Warnings where friction left several motions possible, and a run went on with one of them."""

from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np

from trundle.contact.collision.layout import PARTED
from trundle.contact.modes.find import contact_modes
from trundle.equations.formulation import Formulation
from trundle.integrate.trajectory import EventLog
from trundle.run.undetermined_slip import undetermined_slips
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.integrate.lanes.batch_events import BatchEvents


def several_motions(f: Formulation, log: EventLog, p_end: Array) -> list[str]:
    """A sentence for each set of contacts of which one was chosen to part or to slide, with the first time."""
    if not f.decides_together:
        return []
    names = [name for name, modes in contact_modes(f.model).items() if any(mode.states for mode in modes)]
    places = [f.parameters.mode(name, "choice") for name in names]
    noted = np.vstack([*np.asarray(log.p), p_end])[:, places]
    found: dict[tuple[str, ...], str] = {}
    for row in np.flatnonzero(np.any(noted > 0.0, axis=1)):
        could = tuple(name for name, value in zip(names, noted[row], strict=True) if value > 0.0)
        parted = [name for name, value in zip(names, noted[row], strict=True) if value == PARTED]
        when = f"At t = {log.t[row - 1]:.9g} s" if row else "At the start"
        instead = f"with {', '.join(map(repr, parted))} parting" if parted else "with another motion of these"
        found.setdefault(
            could,
            f"{when} friction left several motions possible (Painleve's paradox): contacts "
            f"{', '.join(map(repr, could))} could all go on pressing, in a state that the slightest disturbance ends, "
            f"and the run went on {instead}. Others may be as possible: compare with compliant normals "
            "(compliance=tr.Spring(...)), or with less friction.",
        )
    return list(found.values())


def choices_of_cases(f: Formulation, log: "BatchEvents", refused: Container[int]) -> dict[int, list[str]]:
    """All warnings of the cases of a batch: several motions, and slips under statically indeterminate forces."""
    runs = enumerate(zip(log.events, log.p_end, strict=True))
    found = {i: [*several_motions(f, *run), *undetermined_slips(f, run[0])] for i, run in runs if i not in refused}
    return {case: texts for case, texts in found.items() if texts}
