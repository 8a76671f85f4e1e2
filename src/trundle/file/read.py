"""Model files: YAML to a Model and its settings for a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path as FilePath
from typing import final

from pydantic import ValidationError

from trundle.errors import FileError, SolveError
from trundle.file.assemble import Assembler
from trundle.file.expression import tables_known
from trundle.file.faults import PLACE, Faults
from trundle.file.schema import ModelSection, RunSection
from trundle.file.text import read_text
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.messages.arguments import explain_calls_with
from trundle.model.check import check
from trundle.model.model import Model
from trundle.typing import Raw

RTOL = 1e-10
ROUNDS = 3  # of omitting invalid parts, to find the faults of the rest
SECTIONS = {"body": "bodies", "connection": "connections", "force": "forces"}


@final
@dataclass(frozen=True)
class RunSettings:
    """Settings for runs of the model of a file; `duration` is None if it is not given."""

    duration: float | None = None  # s
    samples: int | str | None = None
    method: str = "auto"
    rtol: float = RTOL
    atol: float | Mapping[str, float] | None = None
    plot: tuple[str, ...] = ()


_MODEL = "its model is .model: file.model.build().simulate(5.0)"


@explain_calls_with({"simulate": _MODEL, "build": _MODEL, "bodies": _MODEL, "parameters": _MODEL})
@final
@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model as read from a file, with its description and its settings for a run."""

    model: Model
    text: str = ""
    run: RunSettings = field(default_factory=RunSettings)


def load_model(path: str | FilePath, parameters: Mapping[str, float] | None = None) -> Model:
    """The model of a YAML file.

    Parameters
    ----------
    path : str or Path
    parameters : mapping, optional
        Values in place of the defaults of the file.

    Returns
    -------
    Model

    Raises
    ------
    FileError
        With every fault and its line.
    """
    return load_file(path, parameters).model


def load_file(path: str | FilePath, parameters: Mapping[str, float] | None = None) -> ModelFile:
    """A YAML file: the model and its settings for a run.

    Parameters
    ----------
    path : str or Path
    parameters : mapping, optional
        Values in place of the defaults of the file.

    Returns
    -------
    ModelFile

    Raises
    ------
    FileError
        With every fault and its line.
    """
    if not isinstance(path, str | PathLike):
        raise FileError(f"give the path of a YAML file, as text or a Path, not {path!r}.")
    if FilePath(path).suffix in (".nc", ".urdf"):
        reader = "tr.load(path), a result" if FilePath(path).suffix == ".nc" else "tr.load_urdf(path)"
        raise FileError(f"{path}: model files are YAML, .yaml or .yml; this one is read by {reader}.")
    return read_model(read_text(FilePath(path)), str(path), parameters, FilePath(path).parent)


def read_model(
    text: str,
    source: str = "model",
    parameters: Mapping[str, float] | None = None,
    folder: FilePath | None = None,
) -> ModelFile:
    """A model from YAML text; `source` is its name in messages, `folder` has the CSV files of its tables."""
    faults = Faults.of(text, source)
    tree = faults.tree
    if not isinstance(tree.content, dict):
        faults.add((), "a model file is a mapping with name, bodies, connections, ...")
        faults.raise_any()
    named = tree.content.get("tables")
    with tables_known(map(str, named) if isinstance(named, dict) else ()):
        section = _understood(tree.content, faults)
        assembler = Assembler(section, faults, parameters or {}, folder)
        model = assembler.assemble()
    settings = _settings(section.run, assembler.values)
    faults.raise_any()
    for fault in check(model):  # unphysical values, at the line of the body, connection or force
        place = PLACE.match(fault)
        path: Path = (SECTIONS[place["kind"]], place["name"]) if place else ()
        if place and place["kind"] == "connection":
            path = ("connections", assembler.keys.get(place["name"], place["name"]))
        faults.add(path, fault[place.end() :] if place else fault)
    faults.raise_any()
    return ModelFile(model, section.text, settings)


def _understood(content: dict[str, Raw], faults: Faults) -> ModelSection:
    """The contents of the file. Invalid parts are faults; the others are still checked."""
    for _ in range(ROUNDS):
        try:
            return ModelSection.model_validate(content)
        except ValidationError as error:
            faults.add_validation(error, (), ModelSection)
            content = faults.without_faulty_parts(content, error)
    faults.raise_any()
    raise FileError(f"{faults.source} has errors.")


def _settings(run: RunSection, values: Values) -> RunSettings:
    """Numbers of the section `run`; durations and tolerances are positive."""
    from trundle.integrate.tolerance import check_tolerances

    found: dict[str, Raw] = {}
    for name, given in (("duration", run.duration), ("rtol", run.rtol), ("atol", run.atol)):
        if isinstance(given, dict):
            found[name] = {unit: values.value(one, ("run", name, unit)) for unit, one in given.items()}
        elif given is not None:
            found[name] = values.value(given, ("run", name))
    if found.get("duration", 1.0) <= 0.0:
        values.faults.add(("run", "duration"), f"give a positive number, not {found['duration']:g}")
    for name, tolerances in (("rtol", (found["rtol"],)), ("atol", (RTOL, found.get("atol")))):
        try:
            check_tolerances(*tolerances)
        except SolveError as error:
            values.faults.add(("run", name), str(error))
    return RunSettings(samples=run.samples, method=run.method, plot=tuple(run.plot), **found)
