"""Arguments that several commands use: the model, changes of its parameters and of its start."""

from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from trundle.errors import FileError, SolveError, UnknownNameError

if TYPE_CHECKING:
    from trundle.file import ModelFile

Source = Annotated[str, typer.Argument(metavar="FILE|EXAMPLE", help="A YAML model file, or the name of an example.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter; may be repeated.")
]
Start = Annotated[
    list[str] | None, typer.Option("--start", metavar="NAME=VALUE", help="Change a start value; may be repeated.")
]
Method = Literal["auto", "explicit", "order5", "order8", "stiff"]


def fail(text: str) -> NoReturn:
    """Print an error to stderr and exit."""
    typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
    typer.echo(text, err=True)
    raise typer.Exit(1)


def assignments(texts: list[str] | None) -> dict[str, float]:
    """Numbers by name, from texts NAME=VALUE."""
    from trundle.command.find import read_assignment

    try:
        return dict(read_assignment(text) for text in texts or [])
    except FileError as error:
        raise typer.BadParameter(str(error)) from error


def load_source(source: str, changes: list[str] | None) -> "ModelFile":
    """The model; an unknown name is a usage error, a faulty file is not."""
    from trundle.command.find import find_model

    try:
        return find_model(source, assignments(changes))
    except UnknownNameError as error:
        raise typer.BadParameter(str(error)) from error


def start_values(file: "ModelFile", texts: list[str] | None) -> dict[str, float]:
    """Values of --start; names that are not start values of the model are usage errors."""
    from trundle.file.scope import Names

    start, known = assignments(texts), Names(file.model).starts
    for name in start:
        if name not in known:
            raise typer.BadParameter(str(UnknownNameError(name, known, "coordinate, rate or motion of a body")))
    return start


def check_tolerance(rtol: float | None) -> None:
    """Usage error for an invalid tolerance."""
    from trundle.integrate.tolerance import check_tolerances

    try:
        check_tolerances(1e-10 if rtol is None else rtol)
    except SolveError as error:
        raise typer.BadParameter(str(error)) from error
