"""Examples: YAML files in this folder, and Python functions where a model is a loop over its bodies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, final

from trundle.errors import UnknownNameError
from trundle.examples.askew_bicycle import askew_bicycle
from trundle.examples.bicycle_with_tyres import bicycle_with_tyres
from trundle.examples.chain import chain
from trundle.examples.dominoes import dominoes
from trundle.examples.n_four_bar import n_four_bar
from trundle.examples.roller_rig import roller_rig
from trundle.examples.satellite import satellite
from trundle.examples.sphere_on_tangent_surface import sphere_on_tangent_surface
from trundle.examples.spiral_column import spiral_column
from trundle.examples.wheelset_on_track import wheelset_on_track
from trundle.file.read import ModelFile, load_file
from trundle.model.model import Model

FOLDER = Path(__file__).parent

MADE_IN_PYTHON: dict[str, Callable[..., ModelFile]] = {
    "n-four-bar": n_four_bar,
    "askew-bicycle": askew_bicycle,
    "bicycle-with-tyres": bicycle_with_tyres,
    "chain": chain,
    "dominoes": dominoes,
    "spiral-column": spiral_column,
    "roller-rig": roller_rig,
    "satellite": satellite,
    "sphere-on-tangent-surface": sphere_on_tangent_surface,
    "wheelset-on-track": wheelset_on_track,
}
"""Each takes sizes with defaults and returns the model with its settings; its docstring is the sentence of the list."""


@final
@dataclass(frozen=True)
class Example:
    """Name, file (YAML, or Python source) and the way to make the model."""

    name: str
    path: Path
    make: Callable[..., ModelFile]

    @property
    def sizes(self) -> list[str]:
        """Names of its sizes, such as N; a YAML file has none."""
        function = MADE_IN_PYTHON.get(self.name)
        return [n for n in signature(function).parameters if n != "parameters"] if function is not None else []

    def sentence(self) -> str:
        """What the example shows, in one sentence."""
        function = MADE_IN_PYTHON.get(self.name)
        return (function.__doc__ or "").partition("\n")[0] if function is not None else self.make().text


def names() -> list[str]:
    """Names of all examples."""
    return sorted([*(path.stem for path in FOLDER.glob("*.yaml")), *MADE_IN_PYTHON])


def find(name: str) -> Example:
    """An example by its name."""
    if name in MADE_IN_PYTHON:
        return Example(name, FOLDER / f"{name.replace('-', '_')}.py", MADE_IN_PYTHON[name])
    if name not in names():
        raise UnknownNameError(name, names(), "example")
    path = FOLDER / f"{name}.yaml"
    return Example(name, path, partial(load_file, path))


def load(name: str, parameters: Mapping[str, float] | None = None, **sizes: Any) -> ModelFile:
    """Model and settings of an example; `sizes` such as N=10 are for examples made in Python."""
    made = find(name).make(parameters=parameters, **sizes)
    for parameter in parameters or {}:
        if parameter not in made.model.parameters:
            raise UnknownNameError(parameter, made.model.parameters, f"parameter of the example {name!r}")
    return made


def model(name: str, parameters: Mapping[str, float] | None = None, **sizes: Any) -> Model:
    """The model of an example."""
    return load(name, parameters, **sizes).model
