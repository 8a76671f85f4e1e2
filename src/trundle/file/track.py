"""Lines as YAML files: segments, profile and irregularity, or a file of measured points."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path as FilePath
from typing import NoReturn, final

from trundle import rail
from trundle.errors import ModelError, TrundleError
from trundle.file.faults import Faults, near
from trundle.file.numbers import Numbers
from trundle.file.text import read_text
from trundle.file.tree import Path
from trundle.rail.track import cubic_parabola  # noqa: F401  to be found among the segments
from trundle.rail.track.gradient import Grade, VerticalCurve
from trundle.rail.track.segment import Segment
from trundle.rail.track.transition import segments
from trundle.typing import Maker, ModelPart, Options, Raw, Settings

PLACE = re.compile(r"(?P<what>segment|part) (?P<number>\d+) (?:of the profile )?\(")
WORDS = ("name", "text", "half_gauge", "position", "heading", "pivot", "curvature_jumps", "segments", "profile")
OTHERS = ("points", "tolerance", "irregularity")
TEXTS = ("ramp", "shape")
COMES_WITH = "Lines that come with Trundle: tr.load_track(tr.examples.FOLDER / 'lines' / '{name}.yaml')."


@final
@dataclass(frozen=True, eq=False)
class TrackFile:
    """A line as read from a file, with the other contents of the file."""

    line: rail.Alignment
    irregularity: rail.Irregularity | None = None
    fit: rail.FittedLine | None = None  # of a line from measured points
    text: str = ""


def load_track(path: str | FilePath) -> TrackFile:
    """The line of a YAML file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    TrackFile

    Raises
    ------
    FileError
        With every fault and its line.
    """
    path = FilePath(path)
    return read_track(read_text(path, COMES_WITH), str(path), path.parent)


def read_track(text: str, source: str = "line", folder: FilePath | None = None) -> TrackFile:
    """A line from YAML text; names of other files are relative to `folder`."""
    faults = Faults.of(text, source)
    tree = faults.tree
    if not isinstance(tree.content, dict):
        faults.add((), "a file of a line is a mapping with half_gauge, segments, profile, ...")
        faults.raise_any()
    return _Reader(faults, tree.content, folder or FilePath()).read()


@final
class _Reader:
    def __init__(self, faults: Faults, content: dict[str, Raw], folder: FilePath) -> None:
        self.faults, self.content, self.folder = faults, content, folder
        self.numbers = Numbers(faults)

    def read(self) -> TrackFile:
        for key in self.content:
            if key not in (*WORDS, *OTHERS):
                known = [*WORDS, *OTHERS]
                self.faults.add((key,), f"there is no field called {key!r} here. {near(key, known)}")
        measured = "points" in self.content
        if measured == ("segments" in self.content):
            self.faults.add((), "a line is made of `segments` or of measured `points`; give one of them")
            self.faults.raise_any()
        fit = self._points() if measured else None
        line = fit.line if fit is not None else self._line()
        rough = self._irregularity(self.content["irregularity"]) if "irregularity" in self.content else None
        self.faults.raise_any()
        return TrackFile(line, rough, fit, str(self.content.get("text", "")))

    def _line(self) -> rail.Alignment:
        kinds = {_word(name): kind for name, kind in segments().items()}
        plan: list[Segment] = self._list("segments", kinds)
        profile = self._list("profile", {"grade": Grade, "vertical_curve": VerticalCurve})
        options: Options = {"name": str(self.content.get("name", "line"))}
        for name in ("half_gauge", "heading"):
            if name in self.content:
                options[name] = self.numbers.one(self.content[name], (name,))
        if "position" in self.content:
            options["position"] = self.numbers.many(self.content["position"], ("position",))
        for name, kind in (("pivot", str), ("curvature_jumps", bool)):
            if name in self.content:
                options[name] = self.content[name]
                if not isinstance(self.content[name], kind):
                    self.faults.add((name,), "give 'centre' or 'low rail'" if kind is str else "give true or false")
        self.faults.raise_any()
        try:
            return rail.Alignment(plan, profile=profile, **options)
        except ModelError as error:
            for fault in error.faults:
                place = PLACE.search(fault)
                found: Path = ()
                if place:
                    found = ("segments" if place["what"] == "segment" else "profile", int(place["number"]) - 1)
                self.faults.add(found, fault)
            self._fail()

    def _list(self, name: str, kinds: Mapping[str, Maker]) -> list[ModelPart]:
        """Items {kind: {field: value}} of a list."""
        given = self.content.get(name, [])
        if not isinstance(given, list):
            self.faults.add((name,), "give a list of items such as - straight: {length: 50}")
            return []
        found = [self._item(item, (name, i), kinds) for i, item in enumerate(given)]
        return [item for item in found if item is not None]

    def _item(self, item: Raw, path: Path, kinds: Mapping[str, Maker]) -> ModelPart:
        if not (isinstance(item, dict) and len(item) == 1 and isinstance(next(iter(item.values())), dict)):
            self.faults.add(path, f"give one of {', '.join(kinds)} with its sizes, such as straight: {{length: 50}}")
            return None
        ((word, sizes),) = item.items()
        if word not in kinds:
            self.faults.add(path, f"there is no {word!r} here. {near(word, list(kinds))}")
            return None
        kind: ModelPart = kinds[word]
        known = {field.name: field for field in fields(kind)}
        values: Options = {}
        for key, value in sizes.items():
            place = (*path, word, key)
            if key not in known:
                self.faults.add(place, f"there is no field called {key!r} here. {near(key, list(known))}")
            elif key in TEXTS:
                values[key] = str(value)
            elif key == "coefficients":
                values[key] = self.numbers.many(value, place)
            else:
                values[key] = self.numbers.one(value, place)
        needed = [n for n, f in known.items() if f.default is MISSING or (word, n) == ("arc", "radius")]
        for key in needed:
            if key not in sizes:
                self.faults.add((*path, word), f"the field {key!r} is missing; it must be given")
        return None if self.faults.found else kind(**values)

    def _points(self) -> rail.FittedLine:
        for key in ("segments", "profile", "position", "heading", "pivot", "curvature_jumps"):
            if key in self.content:
                self.faults.add((key,), f"this follows from the measured points; leave {key!r} out")
        given = self.content.get("tolerance")
        if isinstance(given, dict):
            tolerance: Raw = {key: self.numbers.one(value, ("tolerance", key)) for key, value in given.items()}
        else:
            tolerance = self.numbers.one(given, ("tolerance",))
        half_gauge = self.numbers.one(self.content.get("half_gauge", 0.75), ("half_gauge",))
        self.faults.raise_any()
        try:
            return rail.fit_line(self.folder / str(self.content["points"]), tolerance, half_gauge)
        except TrundleError as error:
            self.faults.add(("points",), str(error))
            self._fail()

    def _irregularity(self, given: Raw) -> rail.Irregularity | None:
        """One of erri, fra and file, with seed, wavelengths, fade_in and tolerance."""
        path: Path = ("irregularity",)
        makers: dict[str, Callable[..., rail.Irregularity]] = {
            "erri": rail.Irregularity.erri,
            "fra": rail.Irregularity.fra,
            "file": rail.Irregularity.measured,
        }
        known = [*makers, "seed", "wavelengths", "fade_in", "tolerance"]
        if not isinstance(given, dict) or len(set(given) & set(makers)) != 1 or set(given) - set(known):
            self.faults.add(path, f"give one of {', '.join(makers)}, and perhaps {', '.join(known[3:])}")
            return None
        options: Options = {}
        for key in ("wavelengths", "fade_in"):
            if key in given:
                options[key] = self.numbers.many(given[key], (*path, key))
                if len(options[key]) != 2:
                    self.faults.add((*path, key), "give two numbers")
        if "seed" in given:
            options["seed"] = given["seed"]
            if not isinstance(given["seed"], int) or given["seed"] < 0:
                self.faults.add((*path, "seed"), "give an integer from 0 on")
        if "tolerance" in given:
            options["tolerance"] = self.numbers.one(given["tolerance"], (*path, "tolerance"))
        (word,) = set(given) & set(makers)
        self.faults.raise_any()
        try:
            return makers[word](self.folder / str(given[word]) if word == "file" else given[word], **options)
        except (TrundleError, TypeError) as error:
            self.faults.add((*path, word), str(error) if isinstance(error, TrundleError) else _unfit(word, options))
        return None

    def _fail(self) -> NoReturn:
        self.faults.raise_any()
        raise AssertionError("a fault was added")


def _unfit(word: str, options: Settings) -> str:
    wanted = "tolerance, fade_in" if word == "file" else "seed, wavelengths, fade_in"
    return f"{word!r} takes {wanted}; there is {', '.join(options) or 'nothing'}"


def _word(name: str) -> str:
    """CubicParabola as cubic_parabola."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
