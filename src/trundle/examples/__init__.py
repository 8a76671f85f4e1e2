"""Examples: YAML files in this folder, and Python functions for models that are built in loops."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import final

from trundle.errors import UnknownNameError
from trundle.file.read import ModelFile, load_file
from trundle.messages.arguments import explain_module_calls
from trundle.model.model import Model
from trundle.typing import Option

FOLDER = Path(__file__).parent

MADE_IN_PYTHON = (
    "n-four-bar", "askew-bicycle", "bicycle-with-tyres", "chain", "dominoes", "spiral-column", "roller-rig",
    "satellite", "sphere-on-tangent-surface", "wheelset-on-track",
)  # fmt: skip
"""Examples whose function, of the same name, is in a module of that name, imported on first use."""


def maker(name: str) -> Callable[..., ModelFile]:
    """The function of an example made in Python: it takes sizes with defaults and returns the model with its settings;
    the first line of its docstring is shown in the list of examples.
    """
    own = name.replace("-", "_")
    made: Callable[..., ModelFile] = getattr(import_module(f"trundle.examples.{own}"), own)
    return made


@final
@dataclass(frozen=True)
class Example:
    """Name, file (YAML or Python source) and function that makes the model."""

    name: str
    path: Path
    make: Callable[..., ModelFile]

    @property
    def sizes(self) -> list[str]:
        """Names of its sizes, such as N; a YAML file has none."""
        if self.name not in MADE_IN_PYTHON:
            return []
        return [n for n in signature(maker(self.name)).parameters if n != "parameters"]

    def sentence(self) -> str:
        """What the example shows, in one sentence."""
        if self.name not in MADE_IN_PYTHON:
            return self.make().text
        return (maker(self.name).__doc__ or "").partition("\n")[0]


def names() -> list[str]:
    """Names of all examples."""
    return sorted([*(path.stem for path in FOLDER.glob("*.yaml")), *MADE_IN_PYTHON])


def find(name: str) -> Example:
    """An example by its name.

    Parameters
    ----------
    name : str
        As `trundle examples` lists it.

    Returns
    -------
    Example

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests similar names.
    """
    if name in MADE_IN_PYTHON:
        return Example(name, FOLDER / f"{name.replace('-', '_')}.py", maker(name))
    if name not in names():
        raise UnknownNameError(name, names(), "example")
    path = FOLDER / f"{name}.yaml"
    return Example(name, path, partial(load_file, path))


def load(name: str, parameters: Mapping[str, float] | None = None, **sizes: Option) -> ModelFile:
    """Model and settings of an example.

    Parameters
    ----------
    name : str
        As `trundle examples` lists it.
    parameters : mapping, optional
        Values of its parameters by name.
    **sizes
        Such as N=10, for examples made in Python.

    Returns
    -------
    ModelFile
    """
    example = find(name)
    for size in sizes:
        if size not in example.sizes:
            raise UnknownNameError(size, example.sizes, f"size of the example {name!r}")
    made = example.make(parameters=parameters, **sizes)
    for parameter in parameters or {}:
        if parameter not in made.model.parameters:
            raise UnknownNameError(parameter, made.model.parameters, f"parameter of the example {name!r}")
    return made


def model(name: str, parameters: Mapping[str, float] | None = None, **sizes: Option) -> Model:
    """The model of an example.

    Parameters
    ----------
    name : str
        As `trundle examples` lists it.
    parameters : mapping, optional
        Values of its parameters by name.
    **sizes
        Such as N=10, for examples made in Python.

    Returns
    -------
    Model
    """
    return load(name, parameters, **sizes).model


EXAMPLES = "tr.examples.names() lists the examples, tr.examples.model('four-bar') makes the model of one"
explain_module_calls(
    globals(), ["find", "load", "model", "names"],
    dict.fromkeys(("list", "all", *(name.replace("-", "_") for name in names())), EXAMPLES),
)  # fmt: skip
