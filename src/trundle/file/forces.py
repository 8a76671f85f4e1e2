"""The section `forces` of a file: one method per kind."""

from collections.abc import Callable, Collection
from typing import Any, final

from trundle.file import schema
from trundle.file.faults import near
from trundle.file.laws import Laws
from trundle.file.parts import Parts
from trundle.file.scope import Names
from trundle.file.tree import Path
from trundle.model import force as forces
from trundle.model.electric_motor import ElectricMotor
from trundle.model.series_damper import SeriesDamper


@final
class Forces:
    """Makes the forces of one model; `signals` are the names that their expressions may use."""

    def __init__(self, parts: Parts, laws: Laws, signals: Collection[str]) -> None:
        self.parts, self.laws, self.values, self.signals = parts, laws, parts.values, signals
        self.coordinates = dict.fromkeys(Names(parts.model).coordinates())
        self.makers: dict[str, Callable[[Any, Path], forces.Force | None]] = {
            "spring_damper": self._spring_damper,
            "series_damper": self._series_damper,
            "electric_motor": self._electric_motor,
            "torsion_spring": self._torsion_spring,
            "bushing": self._bushing,
            "wrench": self._wrench,
            "coordinate_force": self._coordinate_force,
            "line_force": self._line_force,
        }

    def make(self, one: schema.Force, path: Path) -> forces.Force | None:
        """The force, or None when one of its bodies is missing."""
        kind = next(k for k in type(one).model_fields if getattr(one, k) is not None)
        return self.makers[kind](getattr(one, kind), (*path, kind))

    def _ends(self, spec: Any, path: Path) -> tuple[Any, Any] | None:
        first = self.parts.place(spec.first, (*path, "first"))
        second = self.parts.place(spec.second, (*path, "second"))
        return None if first is None or second is None else (first, second)

    def _spring_damper(self, spec: schema.SpringDamper, path: Path) -> forces.Force | None:
        numbers = [self.values.number(getattr(spec, k), (*path, k)) for k in ("stiffness", "damping", "length")]
        ends = self._ends(spec, path)
        return forces.SpringDamper(*ends, *numbers) if ends else None

    def _series_damper(self, spec: schema.SeriesDamper, path: Path) -> forces.Force | None:
        numbers = [self.values.number(getattr(spec, k), (*path, k)) for k in ("damping", "stiffness")]
        ends = self._ends(spec, path)
        return SeriesDamper(*ends, *numbers) if ends else None

    def _bushing(self, spec: schema.Bushing, path: Path) -> forces.Force | None:
        vectors = [self.values.vector(getattr(spec, k), (*path, k)) for k in ("stiffness", "damping")]
        ends = self._ends(spec, path)
        return forces.Bushing(*ends, *vectors) if ends else None

    def _line_force(self, spec: schema.LineForce, path: Path) -> forces.Force | None:
        law = self.laws.effort(spec.law, (*path, "law"))
        ends = self._ends(spec, path)
        return forces.LineForce(*ends, law) if ends and law is not None else None

    def _torsion_spring(self, spec: schema.TorsionSpring, path: Path) -> forces.Force:
        coordinate = self._coordinate(spec.coordinate, path)
        numbers = [self.values.number(getattr(spec, k), (*path, k)) for k in ("stiffness", "damping", "rest")]
        return forces.TorsionSpring(coordinate, *numbers)

    def _electric_motor(self, spec: schema.ElectricMotor, path: Path) -> forces.Force:
        coordinate = self._coordinate(spec.coordinate, path)
        names = ("constant", "resistance", "inductance")
        constant, resistance, inductance = (self.values.number(getattr(spec, k), (*path, k)) for k in names)
        voltage = self.values.signal(spec.voltage, (*path, "voltage"), self.signals)
        return ElectricMotor(coordinate, constant, resistance, inductance, voltage)

    def _coordinate_force(self, spec: schema.CoordinateForce, path: Path) -> forces.Force | None:
        coordinate = self._coordinate(spec.coordinate, path)
        if spec.law is not None:
            law = self.laws.effort(spec.law, (*path, "law"))
            return None if law is None else forces.CoordinateForce(coordinate, law)
        assert spec.effort is not None
        effort = self.values.signal(spec.effort, (*path, "effort"), self.signals)
        return forces.CoordinateForce(coordinate, effort)

    def _wrench(self, spec: schema.Wrench, path: Path) -> forces.Force | None:
        place = self.parts.place(spec.place, (*path, "place"))
        force, moment = (
            [self.values.signal(e, (*path, k, i), self.signals) for i, e in enumerate(items)]
            for k, items in (("force", spec.force), ("moment", spec.moment))
        )
        if place is None:
            return None
        return forces.Wrench(place, lambda s: [f(s) for f in force], lambda s: [f(s) for f in moment], spec.axes)

    def _coordinate(self, name: str, path: Path) -> str:
        """The full name of a coordinate."""
        full = self.parts.model.resolve(name)
        if full not in self.coordinates:
            hint = near(name, list(self.coordinates))
            self.values.faults.add((*path, "coordinate"), f"there is no coordinate called {name!r}. {hint}")
        return full
