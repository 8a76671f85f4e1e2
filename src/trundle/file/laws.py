"""Laws of a file: seals of the bonds of a connection, and springs in place of constraints."""

from collections.abc import Mapping
from dataclasses import fields
from typing import final

from trundle.file.construct import Constructor
from trundle.file.faults import near
from trundle.file.field import in_words
from trundle.file.kinds import NORMAL_LAWS, RESTITUTIONS, contact_laws, effort_laws, laws
from trundle.file.tree import Path
from trundle.laws.efforts import Spring
from trundle.laws.law import EffortLaw, Law
from trundle.laws.restitution import Poisson
from trundle.model.connect import LawsGiven
from trundle.typing import Kind, ModelPart, Raw

SPRING = {f.name for f in fields(Spring)}


@final
class Laws:
    """Makes laws; a list of effort laws on one bond is their sum."""

    def __init__(self, constructor: Constructor) -> None:
        self.constructor, self.faults = constructor, constructor.faults
        self.laws, self.efforts, self.at_contacts = laws(), effort_laws(), contact_laws()

    def effort(self, raw: Raw, path: Path, kinds: Mapping[str, Kind] | None = None) -> ModelPart:
        """A law that returns a force or torque."""
        found = self._several(raw, path, kinds or self.efforts)
        return _sum(found)[0] if found else None

    def seal(self, raw: Raw, path: Path) -> ModelPart:
        """The seal of one bond of a joint: a law, or several, which the check of the model will reject."""
        found = _sum(self._several(raw, path, self.laws))
        return found[0] if len(found) == 1 else found or None

    def of_connection(self, raw: Raw, path: Path) -> LawsGiven:
        """Laws on the coordinates or bonds of a pair, and laws at its point of contact."""
        if raw is None:
            return None
        contact: dict[str, Law] = {}
        found: dict[str, list[Law]] = {}  # '' stands for the only coordinate of a pair
        for key, one, at in self._entries(raw, path):
            if key in self.at_contacts:
                made = self.constructor.one({key: one}, self.at_contacts, "law at a contact", at, of_signals=True)
                contact |= {} if made is None else {key: made[0]}
            else:
                found.setdefault(key, []).extend(self._several(one, at, self.laws))
        if "" in found and len(found) == 1:
            return [*_sum(found[""]), *contact.values()]
        if "" in found:
            text = "one of these laws has no name of a coordinate and others have one"
            self.faults.add(path, f"{text}; write {{coordinate: law}} for each")
        laws: dict[str, Law] = {}
        for key, several in found.items():
            added = _sum(several)
            if len(added) > 1:
                names = " and ".join(type(law).__name__ for law in added)
                self.faults.add(
                    path,
                    f"{names} cannot seal {key!r} together: forces add up, but where a motion is prescribed, the force "
                    "that it takes follows. Take one of them away",
                )
            laws |= dict([(key, added[0])] if added else [])
        return {**laws, **contact}

    def compliance(self, raw: Raw, path: Path) -> ModelPart:
        """A spring for all constrained bonds of a pair, or springs by the names of the bonds."""
        if raw is None:
            return None
        if not isinstance(raw, dict) or set(raw) <= SPRING or set(raw) <= {*self.laws, *NORMAL_LAWS}:
            return self._spring(raw, path)
        springs = {bond: self._spring(one, (*path, bond)) for bond, one in raw.items()}
        return {bond: spring for bond, spring in springs.items() if spring is not None}

    def restitution(self, raw: Raw, path: Path) -> ModelPart:
        """A number is Poisson's coefficient."""
        if raw is None or (isinstance(raw, dict) and set(raw) & set(RESTITUTIONS)):
            made = None if raw is None else self.constructor.one(raw, RESTITUTIONS, "law of restitution", path)
            return None if made is None else made[0]
        return self.constructor.of_class(Poisson, "a restitution", raw, path)

    def _spring(self, raw: Raw, path: Path) -> ModelPart:
        """A number (stiffness), stiffness and damping, or any effort law."""
        if isinstance(raw, list) or (isinstance(raw, dict) and not set(raw) & SPRING):
            return self.effort(raw, path, {**self.efforts, **NORMAL_LAWS})
        return self.constructor.of_class(Spring, "a spring", raw, path)

    def _entries(self, raw: Raw, path: Path) -> list[tuple[str, Raw, Path]]:
        """(coordinate, law, path) for each law that is given."""
        out: list[tuple[str, Raw, Path]] = []
        several = isinstance(raw, list)
        for i, one in enumerate(raw if several else [raw]):
            at = (*path, i) if several else path
            if isinstance(one, str) and one not in self.laws and one not in self.at_contacts:
                self.faults.add(at, f"there is no law called {one!r}. {near(one, [*self.laws, *self.at_contacts])}")
            elif isinstance(one, str):
                out.append((one, None, at) if one in self.at_contacts else ("", one, at))
            elif isinstance(one, dict) and one:
                out += [(key, law, at) for key, law in one.items() if key in self.at_contacts]
                rest = {key: law for key, law in one.items() if key not in self.at_contacts}
                named = not set(rest) & set(self.laws)
                out += [(key, law, (*at, key)) for key, law in rest.items()] if named else [("", rest, at)]
            else:
                out.append(("", one, at))
        return out

    def _several(self, raw: Raw, path: Path, kinds: Mapping[str, Kind]) -> list[ModelPart]:
        """Laws of one bond."""
        if isinstance(raw, list):
            return [law for i, one in enumerate(raw) for law in self._several(one, (*path, i), kinds)]
        words = ", ".join(kinds)
        if isinstance(raw, dict) and len(raw) != 1:
            found = " and ".join(raw) or "none"
            text = f"give exactly one kind of law ({words}); found {found}. Forces that add up are a list of laws"
            self.faults.add(path, text)
            return []
        if not isinstance(raw, str | dict):
            self.faults.add(path, f"give a law such as {{damper: 2}}, of the kinds {words}; not {in_words(raw)}")
            return []
        made = self.constructor.one(raw, kinds, "law", path)
        return [] if made is None else [made[0]]


def _sum(laws: list[ModelPart]) -> list[ModelPart]:
    """The sum of effort laws; lists with a law that prescribes a motion are returned as they are."""
    if len(laws) < 2 or not all(isinstance(law, EffortLaw) for law in laws):
        return laws
    total = laws[0]
    for law in laws[1:]:
        total = total + law
    return [total]
