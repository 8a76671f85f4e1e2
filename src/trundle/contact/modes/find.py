"""Which modes the contacts of a model have, known without deriving anything."""

from collections.abc import Mapping

from trundle.contact.modes.jam import Jam
from trundle.contact.modes.mode import Mode, Transition
from trundle.contact.modes.open_close import OpenClose
from trundle.contact.modes.share import Share
from trundle.contact.modes.side import Side
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.quantities.parameters import ModeState


def modes_of(c: ConnectedPair) -> tuple[Mode, ...]:
    """Modes of one contact: those of its laws of friction, whether it is open, the side on which it presses."""
    if not c.unilateral and all(law.relaxes for law in c.friction_laws):
        return ()
    found: list[Mode] = [kind(c, law) for law in c.friction_laws for kind in law.modes]
    sticks = c.friction is not None and c.friction.sticks
    if c.unilateral or (sticks and c.separates):
        found.append(OpenClose(c))
    elif not c.separates:
        found.append(Side(c))
    if c.friction is not None and not c.relaxes and "z" in c.holds:
        found.append(Jam(c))
    return tuple(found)


def contact_modes(model: Model) -> dict[str, tuple[Mode, ...]]:
    """Modes of all contacts that have any, by connection."""
    found = {c.name: modes_of(c) for c in model.connections.values()}
    return {name: modes for name, modes in found.items() if modes}


def decides_together(model: Model) -> bool:
    """Whether contacts that open share loads or friction, and what they do is decided for all of them at once: all of
    them are rigid, or all have compliant normals.
    """
    changing = [c for c in model.connections.values() if any(mode.states for mode in modes_of(c))]
    if len(changing) < 2 or model.relaxed():
        return False
    return all(map(_rigid_with_others, changing)) or all(map(_compliant_with_others, changing))


def contacts_to_decide(model: Model) -> list[ConnectedPair]:
    """Contacts that take part in collisions, or in decisions on all contacts at once."""
    together = decides_together(model)
    return [c for c in model.connections.values() if c.unilateral or (together and _compliant_with_others(c))]


def _rigid_with_others(c: ConnectedPair) -> bool:
    """Rigid, with exact friction, none, or a slip that is held."""
    laws = c.bond_laws.values()
    plain = all(law.sticks for law in c.friction_laws) and not any(law.imposes_flow for law in laws)
    return c.unilateral and "z" in c.holds and plain and set(c.held) <= {"slip_x", "slip_y"}


def _compliant_with_others(c: ConnectedPair) -> bool:
    """With a compliant normal that pushes only, exact friction and no other law."""
    sticks = c.friction is not None and all(law.sticks for law in c.friction_laws)
    return c.separates and sticks and set(c.bond_laws) == {"normal"}


def mode_states(model: Model) -> tuple[ModeState, ...]:
    """The numbers of all modes, in the order in which they stand among the parameters."""
    together = decides_together(model)
    found = []
    for name, modes in contact_modes(model).items():
        kept = [mode for mode in modes if mode.states]
        if kept and together:
            kept.append(Share(model.connections[name]))
        found += [ModeState(name, s, mode.default, s in mode.switches) for mode in kept for s in mode.states]
    return tuple(found)


def transitions(model: Model) -> list[Transition]:
    """All transitions that are to be detected at contacts."""
    together = decides_together(model)
    return [t for modes in contact_modes(model).values() for mode in modes for t in mode.transitions(together)]


def transition_modes(modes: Mapping[str, tuple[Mode, ...]], together: bool) -> list[tuple[Mode, Transition]]:
    """The same, each with its mode."""
    return [(mode, t) for of in modes.values() for mode in of for t in mode.transitions(together)]
