"""Pairs of a file with their options or surfaces, and laws at points of contact: classes by name, sizes by field."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, final

from trundle.errors import ModelError
from trundle.file import schema
from trundle.file.faults import near
from trundle.file.parts import Parts
from trundle.file.tree import Path
from trundle.model.law import ContactLaw
from trundle.pairs.edge import EDGES, Vertex
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import LOWER_PAIRS, Pair
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.pairs.surface import SURFACES

LOWER = {pair.__name__: pair for pair in LOWER_PAIRS}
HIGHER: dict[str, tuple[type[Any], dict[str, type[Any]]]] = {
    "HigherPair": (HigherPair, {kind.__name__: kind for kind in (*SURFACES, *EDGES)}),
    "PlanarPair": (PlanarPair, {kind.__name__: kind for kind in (Circle, Line, Vertex)}),
}
"""Pairs made of two surfaces, and the surfaces by name."""


@final
class Pairs:
    """Makes pairs and contact laws of one model."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.values, self.faults = parts, parts.values, parts.values.faults

    def make(self, connection: schema.Connection, path: Path) -> Pair | None:
        """The pair of a connection; None when it could not be understood."""
        if connection.pair in HIGHER:
            return self._of_surfaces(connection, path)
        kind = LOWER.get(connection.pair)
        if kind is None:
            hint = near(connection.pair, [*LOWER, *HIGHER])
            self.faults.add((*path, "pair"), f"there is no pair called {connection.pair!r}. {hint}")
            return None
        options: dict[str, Any] = {}
        if connection.axis is not None:
            options["axis"] = self.parts.axis(connection.axis, (*path, "axis"))
        if connection.cross is not None:
            options["cross"] = self.parts.axis(connection.cross, (*path, "cross"))
        if connection.pitch is not None:
            options["pitch"] = self.values.number(connection.pitch, (*path, "pitch"))
        known = [f.name for f in fields(kind)]
        self._refuse(connection, known, path)
        pair = kind(**{k: v for k, v in options.items() if k in known})
        pair.frame()  # refuses axes that have no direction or are not at right angles
        return pair

    def _refuse(self, connection: schema.Connection, known: list[str], path: Path) -> None:
        """Options that belong to other pairs."""
        for option in ("axis", "cross", "pitch", "surfaces"):
            if getattr(connection, option) is not None and option not in known:
                takes = " and ".join(known) or "no options"
                self.faults.add((*path, option), f"{connection.pair} has no {option}; it takes {takes}")

    def _of_surfaces(self, connection: schema.Connection, path: Path) -> Pair | None:
        """A pair of two surfaces; sizes that are parameters are checked with their values."""
        pair, kinds = HIGHER[connection.pair]
        self._refuse(connection, ["surfaces"], path)
        if connection.surfaces is None:
            some = ", ".join(list(kinds)[:3])
            text = f"{connection.pair} needs surfaces: one of the first body and one of the second, such as {some}"
            self.faults.add(path, text)
            return None
        first, second = (
            self._one(surface, kinds, "surface", (*path, "surfaces", i))
            for i, surface in enumerate(connection.surfaces)
        )
        if first is None or second is None:
            return None
        pair(first[1], second[1])
        made: Pair = pair(first[0], second[0])
        return made

    def contact_law(self, named: Mapping[str, Mapping[str, Any]], path: Path) -> ContactLaw | None:
        """A law at the point of contact."""
        made = self._one(named, schema.CONTACT_LAWS, "law at a contact", path)
        return None if made is None else made[0]

    def _one(
        self, named: Mapping[str, Mapping[str, Any]], kinds: Mapping[str, type[Any]], what: str, path: Path
    ) -> tuple[Any, Any] | None:
        """An object of one of these classes: with symbols, and with the values of the parameters."""
        ((name, sizes),) = named.items()
        kind = kinds.get(name)
        if kind is None:
            self.faults.add(path, f"there is no {what} called {name!r}. {near(name, list(kinds))}")
            return None
        known = {f.name: f for f in fields(kind)}
        given = {field or next(iter(known), ""): size for field, size in sizes.items()}
        good = self._check_names(name, given, known, (*path, name))
        symbols, numbers = {}, {}
        for field, size in given.items():
            if field in known:
                at = (*path, name, field)
                symbols[field], numbers[field] = self._size(known[field].type, size, at)
        if not good:
            return None
        try:
            return kind(**symbols), kind(**numbers)
        except ModelError as error:
            self.faults.add((*path, name), str(error))
            return None

    def _check_names(self, name: str, given: Mapping[str, Any], known: Mapping[str, Any], path: Path) -> bool:
        takes = f"{name} takes {', '.join(known)}" if known else f"{name} has no sizes"
        good = True
        for field in given:
            if not field:
                self.faults.add(path, f"{takes}; write the name alone")
                good = False
            elif field not in known:
                hint = near(field, list(known)) if known else ""
                self.faults.add((*path, field), f"there is no field called {field!r} here; {takes}. {hint}".rstrip())
                good = False
        missing = [f.name for f in known.values() if f.default is MISSING and f.name not in given]
        if missing:
            self.faults.add(path, f"{' and '.join(missing)} must be given; {takes}")
        return good and not missing

    def _size(self, annotation: Any, size: Any, path: Path) -> tuple[Any, Any]:
        """A size as a symbol and as a number; what is declared as a float shapes the equations."""
        if annotation is bool or isinstance(size, bool):
            if annotation is not bool or not isinstance(size, bool):
                wanted = "true or false" if annotation is bool else "a number or an expression"
                self.faults.add(path, f"give {wanted}, not {size if isinstance(size, bool) else size.text}")
                size = False
            return size, size
        if annotation is float:
            number = self.values.fixed(size, path)
            return number, number
        return self.values.number(size, path), self.values.value(size, path)
