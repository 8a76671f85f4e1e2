"""Events of a run as they are reported, without internal events of laws."""

from typing import NamedTuple, Self

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.trajectory import EventLog
from trundle.typing import Array


class _NameAndTime(NamedTuple):
    name: str
    time: float


class EventTime(_NameAndTime):
    """An event of a run: `name` and `time` (s); it prints and unpacks as the pair (name, time).

    An event that the user has not defined is a change of a contact: `contact` is its name, and `kind` what it does
    ("lands", "parts", "slips", "stops"). Both are empty for events of the user.
    """

    contact: str
    kind: str

    def __new__(cls, name: str, time: float, contact: str = "", kind: str = "") -> Self:
        made = super().__new__(cls, name, time)
        made.contact, made.kind = contact, kind
        return made

    def __repr__(self) -> str:
        return repr(tuple(self))


def contact_changes(f: Formulation) -> dict[str, tuple[str, str]]:
    """Name of an event -> contact and kind of the change, for events that no user has defined."""
    return {c.name: (c.contact, c.kind) for c in f.transitions if c.name not in f.model.events}


def reported_events(f: Formulation, log: EventLog, p_end: Array) -> list[EventTime]:
    """Names and times in their order. Contacts that change together with the one whose event it was are named too: they
    are decided together. Left out are turns of a slip, a contact that would slip by its share alone but holds on with
    the others, which take it over, and contacts that would jam but part, stop or slip instead.
    """
    if not len(log.t):
        return []
    model, changes = f.model, f.transitions
    names = [*model.events, *(c.name if c.reported else "" for c in changes)]
    holding = [-1] * len(model.events)
    holding += [f.parameters.mode(c.contact, "stick") if c.together and c.kind == "slips" else -1 for c in changes]
    before = np.asarray(log.p)
    after = np.vstack([before[1:], np.asarray(p_end)[None]])
    beside = _changes_of_contacts(f, before, after)
    of_contacts = contact_changes(f)
    jams = {len(model.events) + i for i, c in enumerate(changes) if c.kind == "jams"}
    logged = {(names[int(i)], float(t)) for i, t in zip(log.index, log.t, strict=True)}
    out = []
    for row, (i, t) in enumerate(zip(log.index, log.t, strict=True)):
        found = []
        holds_on = holding[int(i)] >= 0 and after[row, holding[int(i)]] == 1.0
        goes_on = int(i) in jams and not np.array_equal(before[row], after[row])
        if names[int(i)] and not holds_on and not goes_on:
            found.append(names[int(i)])
        found += [name for name in beside.get(row, ()) if (name, float(t)) not in logged]
        out += [EventTime(name, float(t), *of_contacts.get(name, ())) for name in found]
    return out


def _changes_of_contacts(f: Formulation, before: Array, after: Array) -> dict[int, list[str]]:
    """Row of the log -> what contacts do after it that they did not do before, by names of events."""
    known = {c.name for c in f.transitions if c.reported}
    found: dict[int, list[str]] = {}
    for contact in dict.fromkeys(c.contact for c in f.transitions):
        closed, stick = (f.parameters.mode(contact, state) for state in ("closed", "stick"))
        was, now = (p[:, closed] == 1.0 if closed >= 0 else np.ones(len(p), bool) for p in (before, after))
        changed = {"parts": was & ~now, "lands": now & ~was}
        if stick >= 0:
            held, holds = before[:, stick] == 1.0, after[:, stick] == 1.0
            changed |= {"stops": was & now & holds & ~held, "slips": was & now & held & ~holds}
        for kind, rows in changed.items():
            if f"{contact} {kind}" in known:
                for row in np.flatnonzero(rows):
                    found.setdefault(int(row), []).append(f"{contact} {kind}")
    return found
