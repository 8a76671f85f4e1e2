"""A model by the path of its file or by the name of an example, and values as typed on the command line."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from trundle import examples
from trundle.errors import FileError, UnknownNameError
from trundle.file.expression import parse
from trundle.file.read import ModelFile, load_file
from trundle.system import System

SUFFIXES = (".yaml", ".yml")


def find_model(source: str, changes: Mapping[str, float] | None = None) -> ModelFile:
    """The model of a YAML file or of an example, with parameters (or sizes of an example made in Python) changed."""
    changes = dict(changes or {})
    path = Path(source)
    if path.suffix in SUFFIXES or path.is_file():
        if not path.is_file():
            raise UnknownNameError(source, [str(p) for p in path.parent.glob("*.y*ml")], "model file")
        if path.suffix not in SUFFIXES:
            raise FileError(f"{source}: a model file ends in .yaml or .yml; Python models are run with Python.")
        known = load_file(path).model.parameters if changes else {}
        _refuse_unknown(changes, known)
        return load_file(path, changes)
    example = examples.find(source)
    sizes = {name: round(changes.pop(name)) for name in example.sizes if name in changes}
    known = examples.load(source, None, **sizes).model.parameters if changes else {}
    _refuse_unknown(changes, [*known, *example.sizes])
    return examples.load(source, changes, **sizes)


def refuse_unknown_plots(file: ModelFile, system: System) -> None:
    """What the file plots must be quantities of its model."""
    for name in file.run.plot:
        try:
            system.quantity(name)
        except UnknownNameError as error:
            raise FileError(f"'plot' in the section 'run' of the model {file.model.name!r}: {error}") from None


def model_path(source: str) -> Path:
    """The YAML file of a model or example; FileError for an example that is made in Python."""
    path = Path(source) if Path(source).is_file() else examples.find(source).path
    if path.suffix not in SUFFIXES:
        raise FileError(f"{source!r} is built in Python: this needs a model file, .yaml.")
    return path


def _refuse_unknown(changes: Iterable[str], known: Iterable[str]) -> None:
    for name in changes:
        if name not in known:
            raise UnknownNameError(name, known, "parameter")


def read_assignment(text: str) -> tuple[str, float]:
    """ "name=value" as typed; the value may be an expression such as pi/3."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise FileError(f"{text!r} is not of the form name=value.")
    return name.strip(), read_number(value)


def read_sweep(text: str) -> tuple[str, float, float, int]:
    """ "name=first:last:count" as typed."""
    name, _, span = text.partition("=")
    parts = span.split(":")
    if len(parts) != 3 or not name.strip():
        raise FileError(f"{text!r} is not of the form name=first:last:count, such as k=0:10:21.")
    first, last, count = (read_number(part) for part in parts)
    if count < 2 or count > 100_000 or count != round(count):
        raise FileError(f"{text!r}: the count must be an integer of at least 2.")
    return name.strip(), first, last, round(count)


def read_speeds(text: str, usual: int) -> tuple[float, float, int]:
    """ "first:last" or "first:last:count" as typed; `usual` is the default count."""
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise FileError(f"{text!r} is not of the form first:last or first:last:count, such as 0:10.")
    first, last = read_number(parts[0]), read_number(parts[1])
    count = read_number(parts[2]) if len(parts) == 3 else usual
    if not first < last:
        raise FileError(f"{text!r}: the first speed must be less than the last.")
    if count < 2 or count > 100_000 or count != round(count):
        raise FileError(f"{text!r}: the count must be an integer of at least 2.")
    return first, last, round(count)


def read_number(text: str) -> float:
    """A number or an expression of numbers and pi."""
    expression = parse(text)
    if expression.names:
        raise FileError(f"{text!r} is not a number: {expression.names[0]!r} is not defined here.")
    value = float(expression.evaluate(float))
    if value - value != 0.0:
        raise FileError(f"{text!r} is not a finite number.")
    return value
