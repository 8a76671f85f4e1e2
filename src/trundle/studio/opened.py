"""A model that is open in the studio: its source, its system, and values that may be changed without compiling."""

import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

import numpy as np

from trundle import examples
from trundle.errors import TrundleError
from trundle.file.read import ModelFile, read_model
from trundle.file.text import read_text
from trundle.model.start_values import start_values
from trundle.system import System
from trundle.typing import Json, Raw

DURATION: Final = 10.0  # s, if the file does not give it
SENTENCE: Final = re.compile(r"^text: *(.+)$", re.MULTILINE)

Number = float | list[float]  # a start value; several for a vector


@final
@dataclass(frozen=True, eq=False)
class Opened:
    """A model with its system. `text` is that of its file, None for an example that is made in Python."""

    name: str
    text: str | None
    folder: Path | None
    sizes: Mapping[str, float]
    file: ModelFile
    system: System
    warned: tuple[str, ...] = ()
    _read: dict[str, ModelFile] = field(default_factory=dict)

    @property
    def is_example(self) -> bool:
        """Whether the model is an unchanged example."""
        return self.text is None or (self.name in examples.names() and self.text == example_text(self.name))

    def at(self, parameters: Mapping[str, float]) -> ModelFile:
        """The file with other parameters, with the start values and shapes that depend on them. Nothing is compiled."""
        key = repr(sorted(parameters.items()))
        if key not in self._read:
            self._read.clear()
            self._read[key] = _file(self.name, self.text, self.folder, self.sizes, parameters)
        return self._read[key]

    def start_at(self, parameters: Mapping[str, float]) -> dict[str, Number]:
        """Start values of the model with other parameters."""
        model, f = self.at(parameters).model, self.system.formulation
        found = start_values(model, f.parameter_vector(parameters)[f.parameters.parameter_slice])
        return {name: _number(value) for name, value in found.items()}

    def description(self) -> Json:
        """Description of the model for the page."""
        model, run = self.file.model, self.file.run
        return {
            "name": self.name,
            "title": model.name,
            "sentence": " ".join((self.file.text or _sentence(self.name)).split()),
            "text": self.text if self.text is not None else examples.find(self.name).path.read_text(encoding="utf-8"),
            "editable": self.text is not None,
            "sizes": dict(self.sizes),
            "parameters": [
                {"name": p.name, "value": p.value, "unit": p.unit, "text": p.text} for p in model.parameters.values()
            ],
            "start": list(self._starts()),
            "duration": DURATION if run.duration is None else run.duration,
            "plots": list(run.plot),
            "steady": _has(self.system, "speed"),
            "warnings": list(self.warned),
        }

    def _starts(self) -> Iterator[Json]:
        """Start values of the model, then the computed ones of the other coordinates and rates."""
        model = self.file.model
        given: set[str] = set()
        for name, value in self.start_at({}).items():
            q = self.system.quantity(name)
            given.add(q.name)
            yield {"name": name, "value": value, "unit": q.unit, "text": q.text, "given": True}
        short = {long: name for name, long in model.aliases.items()}
        layout, found = self.system.formulation.layout, self.system.start()
        for c in layout.coordinates:
            for name, values, i, n in ((c.name, found.q, c.i_q, c.n_q), (c.rate_name, found.u, c.i_u, c.n_u)):
                if name in given or n > 3 or not self._may_start(name):
                    continue
                q = self.system.quantity(name)
                base = short.get(c.name) if name == c.rate_name else None
                called = short.get(name) or (f"{base}_rate" if base else name)
                value = [float(v) for v in np.ravel(values[i : i + n])]
                yield {
                    "name": called, "value": value[0] if n == 1 else value, "unit": q.unit, "text": q.text,
                    "given": False,
                }  # fmt: skip

    def _may_start(self, name: str) -> bool:
        return self.system.quantity(name).start


def _number(value: Raw) -> Number:
    numbers = np.asarray(value, dtype=float).ravel()
    return float(numbers[0]) if np.ndim(value) == 0 else [float(v) for v in numbers]


def _has(system: System, name: str) -> bool:
    try:
        system.quantity(name)
    except TrundleError:
        return False
    return True


def example_text(name: str) -> str | None:
    """The file of an example; None for one that is made in Python."""
    example = examples.find(name)
    return example.path.read_text(encoding="utf-8") if example.path.suffix == ".yaml" else None


def example_list() -> list[dict[str, str]]:
    """Names of the examples with their sentences."""
    return [{"name": name, "sentence": _sentence(name)} for name in examples.names()]


def _sentence(name: str) -> str:
    """The sentence about an example, found in the text of its file: reading all files as models takes seconds."""
    if name not in examples.names():
        return ""
    example = examples.find(name)
    text = example_text(name)
    if text is None:
        return example.sentence()
    found = SENTENCE.search(text)
    return found[1].strip().strip("\"'") if found else ""


def open_example(name: str, sizes: Mapping[str, float] | None = None) -> Opened:
    """An example by its name; `sizes` such as N are for those made in Python."""
    text = example_text(name)
    return _opened(name, text, examples.FOLDER if text is not None else None, sizes_of(name) | dict(sizes or {}))


def sizes_of(name: str) -> dict[str, float]:
    """Sizes of an example made in Python, with their usual values."""
    example = examples.find(name)
    if not example.sizes:
        return {}
    given = inspect.signature(examples.maker(name)).parameters
    return {n: given[n].default for n in example.sizes if isinstance(given[n].default, int | float)}


def open_text(text: str, name: str, folder: Path | None = None) -> Opened:
    """A model from the text of a YAML file. Without a folder no tables are read from files."""
    return _opened(name, text, folder, {})


def open_source(source: str) -> Opened:
    """An example by its name, or a YAML file by its path."""
    if _is_example(source):
        return open_example(source)
    path = Path(source)
    return open_text(read_text(path), path.name, path.resolve().parent)


def check_source(source: str) -> None:
    """Raise for an unknown example or a file that cannot be read; faults of a model are shown on the page."""
    if _is_example(source):
        examples.find(source)
    else:
        read_text(Path(source))


def _is_example(source: str) -> bool:
    path = Path(source)
    return source in examples.names() or not (path.suffix in (".yaml", ".yml") or path.is_file())


def _opened(name: str, text: str | None, folder: Path | None, sizes: Mapping[str, float]) -> Opened:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        file = _file(name, text, folder, sizes, None)
        system = file.model.build()
        system.start()  # raises if the start is not possible
    return Opened(name, text, folder, sizes, file, system, tuple(dict.fromkeys(str(w.message) for w in caught)))


def _file(
    name: str, text: str | None, folder: Path | None, sizes: Mapping[str, float], parameters: Mapping[str, float] | None
) -> ModelFile:
    if text is None:
        return examples.load(name, parameters, **sizes)
    return read_model(text, name, parameters, folder)
