"""Vehicles as YAML files: parts in typed slots by their Python names, or a predefined vehicle with changes.

The allowed parts of a slot follow from the annotation of its field.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter
from pathlib import Path as FilePath
from types import UnionType
from typing import Literal, Union, final, get_args, get_origin, get_type_hints

from trundle import rail
from trundle.errors import ModelError, TrundleError
from trundle.file.faults import Faults, near
from trundle.file.numbers import Numbers
from trundle.file.text import read_text
from trundle.file.tree import Path
from trundle.pairs.discover import final_classes
from trundle.rail.suspension.suspension import Parallel
from trundle.rail.vehicle.change import changed, slot
from trundle.rail.vehicle.running_gear import RunningGear
from trundle.real_array import is_integer
from trundle.typing import Expr, Kind, Maker, ModelPart, Options, Raw

WORDS = ("name", "text", "vehicle")
COMES_WITH = "Vehicles that come with Trundle: tr.load_vehicle(tr.examples.FOLDER / 'vehicles' / '{name}.yaml')."
CHANGE = "change"
READY = (rail.manchester_vehicle, rail.cooperrider_vehicle, rail.y25_wagon)
NOT_IN_FILES = (Parallel, rail.Book)  # the first is written as a list; the second is a table of a model


@final
@dataclass(frozen=True, eq=False)
class VehicleFile:
    """A vehicle as read from a file, with the other contents of the file."""

    vehicle: rail.Vehicle
    name: str
    text: str = ""


def load_vehicle(path: str | FilePath) -> VehicleFile:
    """The vehicle of a YAML file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    VehicleFile

    Raises
    ------
    FileError
        With every fault and its line.
    """
    path = FilePath(path)
    return read_vehicle(read_text(path, COMES_WITH), str(path), path.parent)


def read_vehicle(text: str, source: str = "vehicle", folder: FilePath | None = None) -> VehicleFile:
    """A vehicle from YAML text; files of profiles are searched in `folder`."""
    faults = Faults.of(text, source)
    content = faults.tree.content
    if not isinstance(content, dict) or "vehicle" not in content:
        faults.add((), "a file of a vehicle is a mapping with name, text and vehicle; `vehicle` is missing")
        faults.raise_any()
    for key in content:
        if key not in WORDS:
            faults.add((key,), f"there is no field called {key!r} here. {near(key, list(WORDS))}")
    found = _Parts(faults, folder or FilePath()).part(rail.Vehicle, content["vehicle"], ("vehicle",))
    faults.raise_any()
    return VehicleFile(found, str(content.get("name", "vehicle")), str(content.get("text", "")))


def _wheel_file(folder: FilePath, kind: Literal["wheel", "rail"]) -> Maker:
    def read(path: str, unit: Literal["m", "mm"] = "mm", z_down: bool = False, smooth: float = 0.0) -> rail.Profile:
        return rail.Profile.from_csv(folder / path, kind, unit=unit, z_down=z_down, smooth=smooth)

    return read


@final
class _Parts:
    """Makes parts from the contents of a file; invalid ones become a fault and None."""

    def __init__(self, faults: Faults, folder: FilePath) -> None:
        self.faults, self.folder, self.numbers = faults, folder, Numbers(faults)

    def kinds(self, slot_kind: object, path: Path) -> dict[str, Maker]:
        """Constructors of the parts that a slot accepts, by name."""
        if slot_kind in (rail.Vehicle, rail.Suspension, rail.CreepLaw):
            for name in rail.__all__:
                getattr(rail, name)  # kinds are found when they are imported
            found = [one for one in final_classes(slot_kind) if one not in NOT_IN_FILES]
            return _by_name(*found, *(READY if slot_kind is rail.Vehicle else ()))
        if slot_kind is RunningGear:
            return _by_name(rail.Wheelset)
        wheel = "wheel" in str(path[-1])
        own: dict[str, Maker] = {"Rail60E1": rail.Rail60E1}
        if wheel:
            own = {"S1002": rail.S1002, "cone": rail.Profile.cone}
        file = _wheel_file(self.folder, "wheel" if wheel else "rail")
        return {**own, "arc": rail.Profile.arc, "file": file}

    def part(self, kind: object, raw: Raw, path: Path) -> ModelPart:
        """The part at a path of the file, for a slot of this kind."""
        if get_origin(kind) in (Union, UnionType):
            return None if raw is None else self.part(get_args(kind)[0], raw, path)
        if get_origin(kind) is tuple:
            return self._tuple(get_args(kind), raw, path)
        if get_origin(kind) is Literal:
            if raw not in get_args(kind):
                self.faults.add(path, f"give one of {', '.join(map(repr, get_args(kind)))}, not {raw!r}")
            return raw
        simple = {float: self.numbers.one, Expr: self.numbers.one, int: self._whole, str: self._text, bool: self._flag}
        if kind in simple:
            return simple[kind](raw, path)
        if kind in (rail.Vehicle, rail.Suspension, rail.CreepLaw, rail.Profile, RunningGear):
            return self._named(kind, raw, path)
        if isinstance(kind, type) and is_dataclass(kind):
            return self._made(kind, kind.__name__, raw, path)
        self.faults.add(path, "this cannot be given in a file; make the vehicle in Python")
        return None

    def _tuple(self, kinds: tuple[ModelPart, ...], raw: Raw, path: Path) -> tuple[ModelPart, ...]:
        many = len(kinds) == 2 and kinds[1] is Ellipsis
        if not isinstance(raw, list) or not (many or len(raw) == len(kinds)):
            wanted = "a list" if many else f"a list of {len(kinds)} numbers"
            self.faults.add(path, f"give {wanted}")
            return ()
        each = [kinds[0]] * len(raw) if many else list(kinds)
        return tuple(self.part(kind, one, (*path, i)) for i, (kind, one) in enumerate(zip(each, raw, strict=True)))

    def _whole(self, raw: Raw, path: Path) -> int:
        if not is_integer(raw):
            self.faults.add(path, "give an integer")
            return 1
        return raw

    def _text(self, raw: Raw, path: Path) -> str:
        if not isinstance(raw, str):
            self.faults.add(path, f"give a text, not {raw!r}")
        return str(raw)

    def _flag(self, raw: Raw, path: Path) -> bool:
        if not isinstance(raw, bool):
            self.faults.add(path, f"give true or false, not {raw!r}")
        return bool(raw)

    def _named(self, kind: object, raw: Raw, path: Path) -> ModelPart:
        """One of several kinds, {Name: {slot: value}} or a name alone; parallel suspensions are a list."""
        if isinstance(raw, list) and kind is rail.Suspension and raw:
            found = [self._named(kind, one, (*path, i)) for i, one in enumerate(raw)]
            return Parallel(tuple(found)) if all(one is not None for one in found) else None
        kinds = self.kinds(kind, path)
        if isinstance(raw, str):
            raw = {raw: {}}
        if isinstance(raw, dict) and kind is RunningGear and set(raw) - set(kinds):
            raw = {"Wheelset": raw}  # there is one kind only
        if not isinstance(raw, dict) or len(raw) != 1:
            self.faults.add(
                path, f"give one of {', '.join(kinds)} with its slots, such as {next(iter(kinds))}: {{...}}"
            )
            return None
        ((name, slots),) = raw.items()
        if name not in kinds:
            self.faults.add((*path, name), f"there is no {name!r} here. {near(name, list(kinds))}")
            return None
        at = path if name == "Wheelset" and (*path, name) not in self.faults.tree.lines else (*path, name)
        return self._made(kinds[name], name, {} if slots is None else slots, at)

    def _made(self, make: Maker, name: str, raw: Raw, path: Path) -> ModelPart:
        """A part from the values of its slots; for a predefined vehicle also its changes."""
        known = _slots(make)
        if not isinstance(raw, dict):
            self.faults.add(path, f"give the slots of {name}, a mapping of {', '.join(known)}")
            return None
        before, changes = len(self.faults.found), raw.get(CHANGE) if inspect.isfunction(make) else None
        values: Options = {}
        for key, value in raw.items():
            if key in known:
                values[key] = self.part(known[key].annotation, value, (*path, key))
            elif not (key == CHANGE and changes is not None):
                self.faults.add(
                    (*path, key), f"there is no slot called {key!r} here; {name} has {', '.join(known)}. "
                    f"{near(key, list(known))}"
                )  # fmt: skip
        missing = [key for key, one in known.items() if one.default is Parameter.empty and key not in raw]
        if missing:
            self.faults.add(path, f"{' and '.join(missing)} must be given; {name} has {', '.join(known)}")
        if len(self.faults.found) > before:
            return None
        try:
            made = make(**values)
        except (TrundleError, ValueError) as error:
            for fault in error.faults if isinstance(error, ModelError) else [str(error)]:
                self.faults.add(path, fault)
            return None
        return made if changes is None else self._changed(made, changes, (*path, CHANGE))

    def _changed(self, made: Raw, changes: Raw, path: Path) -> ModelPart:
        if not isinstance(changes, Mapping):
            self.faults.add(path, "give paths with their values, such as body.mass: 36e3")
            return None
        for key, value in changes.items():
            before = len(self.faults.found)
            try:
                new = self.part(slot(made, key).kind, value, (*path, key))
                made = made if len(self.faults.found) > before else changed(made, {key: new})
            except (TrundleError, ValueError) as error:
                for fault in error.faults if isinstance(error, ModelError) else [str(error)]:
                    self.faults.add((*path, key), fault)
        return made


def _by_name(*kinds: Kind) -> dict[str, Maker]:
    return {one.__name__: one for one in kinds}


def _slots(make: Maker) -> dict[str, Parameter]:
    """Slots of a class or function, with resolved annotations, without those that only a program can fill."""
    hints = get_type_hints(make if not inspect.isclass(make) else make.__init__)
    if is_dataclass(make):
        hints = {field.name: get_type_hints(make)[field.name] for field in fields(make) if field.init}
    given = inspect.signature(make).parameters.values()
    return {one.name: one.replace(annotation=hints[one.name]) for one in given if one.name != "kind"}
