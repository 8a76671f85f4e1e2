"""Eigenvalues about an equilibrium, over a parameter or over speed."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.command.find import read_speeds, read_sweep
from trundle.command.tables import eigenvalue_table, locus_table, show
from trundle.errors import FileError, LostContactWarning, UnknownNameError, UnsteadyWarning
from trundle.study.lost_contacts import lost_contacts
from trundle.typing import Option, State, Values

if TYPE_CHECKING:
    from trundle.study.linearise import Linearisation
    from trundle.system import System

SPEEDS = 21  # default number of rows of the table
PICTURE = Path("out/eigenvalues.png")  # default file of eigenvalues over speed
UNSTEADY = "neither an equilibrium nor a steady motion: something accelerates, and the eigenvalues mean little."
LOST = "a real contact would be lost (the pose hangs under the surface). Try another --start, or --at-start."


def print_eigenvalues(system: "System", start: Values, at_start: bool, picture: Path | None) -> list[str]:
    """Print the eigenvalues of small motions; return the written files."""
    about = start if at_start else _rest(system, start, None)
    linear = _linear(system, about, None)
    show(eigenvalue_table(linear))
    if not linear.steady:
        _say(f"the state is {UNSTEADY}")
    lost = [] if at_start else lost_contacts(system.formulation, about)
    if lost:
        _say(f"at this equilibrium {' and '.join(lost)}: {LOST}")
    return _drawn(picture, linear)


def _linear(system: "System", state: Values | None, parameters: Mapping[str, float] | None) -> "Linearisation":
    """Linear equations without the warning about unsteady states, which the commands print themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsteadyWarning)
        return system.linearise(state, parameters)


def print_locus(system: "System", sweep: str, start: Values, at_start: bool, picture: Path | None) -> list[str]:
    """Print eigenvalues over a parameter, NAME=FIRST:LAST:COUNT."""
    name, first, last, count = read_sweep(sweep)
    if name not in system.model.parameters:
        raise UnknownNameError(name, system.model.parameters, "parameter")
    values = [float(v) for v in np.linspace(first, last, count)]
    linears, lost = root_locus(system, name, values, start, at_start=at_start)
    show(locus_table("root locus", name, values, [one.eigenvalues for one in linears]))
    moving = [value for value, one in zip(values, linears, strict=True) if not one.steady]
    if moving:
        _say(f"with {_span(name, moving)} the state is {UNSTEADY}")
    for fault in dict.fromkeys(each for found in lost for each in found):
        where = _span(name, [value for value, found in zip(values, lost, strict=True) if fault in found])
        _say(f"with {where}, at the equilibrium {fault}: {LOST}")
    return _drawn(picture, linears, values=values, parameter=name)


def print_speeds(
    system: "System", span: str, start: Values, at_start: bool, picture: Path | None
) -> tuple[list[str], list[str]]:
    """Print eigenvalues over speed, FIRST:LAST[:COUNT]; return messages and the written files."""
    from trundle.study.stability import SteadyMotions, moving
    from trundle.view.speeds import plot_stability

    first, last, count = read_speeds(span, SPEEDS)
    motions = SteadyMotions(system, start=start, keep_rates=at_start)
    found = motions.stability(first, last)
    speeds = [float(v) for v in np.linspace(first, last, count)]
    linears = motions.over(speeds)
    title = f"{system.model.name}: eigenvalues over speed"
    roots = [moving(one.eigenvalues, found.neutral) for one in linears]
    show(locus_table(title, f"speed ({found.unit})", speeds, roots, 7))
    lines = [found.summary()]
    if found.neutral:
        are = "eigenvalue is" if found.neutral == 1 else "eigenvalues are"
        lines.insert(0, f"{found.neutral} more {are} zero at every speed")
    target = picture or PICTURE
    plot_stability(found, _folder_made(target), title)
    return lines, [str(target)]


def _drawn(path: Path | None, linears: "Linearisation | Sequence[Linearisation]", **options: Option) -> list[str]:
    if path is None:
        return []
    from trundle.view.plot import plot_eigenvalues

    plot_eigenvalues(linears, path=_folder_made(path), **options)
    return [str(path)]


def _folder_made(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder {path.parent} cannot be created: {error.strerror}.") from error
    return path


def root_locus(
    system: "System",
    parameter: str,
    values: Sequence[float],
    start: Values | None = None,
    at_start: bool = False,
    parameters: Mapping[str, float] | None = None,
) -> tuple[list["Linearisation"], list[list[str]]]:
    """Linearisations over values of a parameter, and the warnings of lost contacts at each; every equilibrium is
    searched near the last one. `parameters` are values of the other parameters.
    """
    found, lost = [], []
    state = start
    for value in values:
        given = {**(parameters or {}), parameter: float(value)}
        if not at_start:
            state = _rest(system, state, given)
        found.append(_linear(system, state, given))
        lost.append([] if at_start else lost_contacts(system.formulation, state or {}, given))
    return found, lost


def _span(parameter: str, values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{parameter} = {values[0]:g}"
    return f"{len(values)} values of {parameter} between {values[0]:g} and {values[-1]:g}"


def _say(text: str) -> None:
    import typer

    typer.echo(text)


def _rest(system: "System", start: Values | None, parameters: Mapping[str, float] | None) -> State:
    """The equilibrium, with the speeds that the start may have given set to zero."""
    speeds = {c.rate_name: 0.0 if c.n_u == 1 else (0.0, 0.0, 0.0) for c in system.formulation.layout.coordinates}
    given = {name: value for name, value in (start or {}).items() if name not in speeds}
    with warnings.catch_warnings():  # the commands print it themselves
        warnings.simplefilter("ignore", LostContactWarning)
        return {**system.equilibrium(given, parameters), **speeds}
