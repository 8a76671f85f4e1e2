"""The command line: the verbs of the Python API on model files and examples."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

import typer
from typer.core import TyperGroup

from trundle import __version__
from trundle.errors import FileError, TrundleError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from trundle.file import ModelFile
    from trundle.run.dataset import Run
    from trundle.solve.linearise import Linearisation
    from trundle.system import System


@final
class Verbs(TyperGroup):
    """Turns errors into one readable block and the exit code 1; --debug, anywhere, shows the traceback instead."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--debug" in args:
            args = ["--debug", *(a for a in args if a != "--debug")]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except TrundleError as error:
            if ctx.params.get("debug"):
                raise
            fail(str(error))


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Multibody dynamics: run, check and study mechanisms given as YAML files or examples.",
    epilog="Start with: trundle examples, then: trundle run four-bar --out out",
)

Source = Annotated[str, typer.Argument(metavar="FILE|EXAMPLE", help="A YAML model file, or the name of an example.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter; may be repeated.")
]
Start = Annotated[
    list[str] | None, typer.Option("--start", metavar="NAME=VALUE", help="Change a start value; may be repeated.")
]
Picture = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Also draw the eigenvalues.")]
Method = Literal["auto", "explicit", "order5", "order8", "stiff"]


def fail(text: str, code: int = 1) -> Any:
    """Print an error on stderr and leave."""
    typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
    typer.echo(text, err=True)
    raise typer.Exit(code)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"trundle {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of all verbs."""


def _assignments(texts: list[str] | None) -> dict[str, float]:
    from trundle.file.find import read_assignment

    try:
        return dict(read_assignment(text) for text in texts or [])
    except FileError as error:
        raise typer.BadParameter(str(error)) from error


def _load(source: str, changes: list[str] | None) -> "ModelFile":
    """The model; a name that does not exist is a fault of usage, a faulty file is not."""
    from trundle.file.find import find_model

    try:
        return find_model(source, _assignments(changes))
    except UnknownNameError as error:
        raise typer.BadParameter(str(error)) from error


def _start(file: "ModelFile", texts: list[str] | None) -> dict[str, float]:
    from trundle.file.scope import start_names

    start, known = _assignments(texts), start_names(file.model)
    for name in start:
        if name not in known:
            raise typer.BadParameter(str(UnknownNameError(name, known, "coordinate or rate")))
    return start


@app.command(epilog="Example: trundle run simple-pendulum --set l=2 --start pivot.angle=pi/2 --duration 20 --out out")
def run(
    source: Source,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate; else what the file says.")] = None,
    set_: Set = None,
    start: Start = None,
    method: Annotated[Method | None, typer.Option(help="Method of integration.")] = None,
    rtol: Annotated[
        float | None, typer.Option(min=1e-15, help="Relative tolerance; the absolute one follows in proportion.")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=2, help="Number of equally spaced times to keep.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("out"),
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Whether to draw pictures.")] = True,
) -> None:
    """Simulate a model; write its result and pictures, print a summary."""
    file = _load(source, set_)
    begin, wish = _start(file, start), file.run
    seconds = wish.duration if duration is None else duration
    if seconds is None:
        raise typer.BadParameter("the file does not say how long to run; give --duration SECONDS.")
    _make_folder(out)
    system = file.model.build()
    for name in wish.plot:
        _check_quantity(system, name)
    result = system.simulate(
        seconds,
        begin,
        method=method or wish.method,
        rtol=wish.rtol if rtol is None else rtol,
        atol=wish.atol if rtol is None else wish.atol * rtol / wish.rtol,
        samples=samples or wish.samples,
    )
    typer.echo(result.summary())
    _write(result, out, wish.plot, plot)
    assert result.trajectory is not None
    if not result.trajectory.outcome.ok:
        fail(f"the run ended early. {result.outcome}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"the folder {folder} cannot be made: {error.strerror}.") from error


def _check_quantity(system: "System", name: str) -> None:
    stem = name[:-2] if name[-2:] in ("_w", "_x", "_y", "_z") and name not in system.quantities else name
    if not stem.startswith("energy.work_") and not stem.endswith(".orientation"):
        system.quantity(stem)


def _write(result: "Run", out: Path, names: tuple[str, ...], pictures: bool) -> None:
    typer.echo(f"\nwritten: {result.save(out / 'result.nc')}")
    if pictures:
        result.plot(*names, path=out / "motion.png")
        result.energy.plot(path=out / "energy.png")
        result.draw(path=out / "mechanism.png")
        typer.echo("         " + ", ".join(str(out / f"{name}.png") for name in ("motion", "energy", "mechanism")))


@app.command(epilog="Example: trundle check four-bar")
def check(source: Source, set_: Set = None) -> None:
    """Tell every fault of a model, or that it is well posed and how freely it moves."""
    file = _load(source, set_)
    system = file.model.build()
    for name in file.run.plot:
        _check_quantity(system, name)
    state = system.start()
    bodies, joints, freedoms = len(file.model.bodies) - 1, len(file.model.connections), system.mobility.freedoms
    typer.echo(
        f"{file.model.name}: well posed. {bodies} {'body' if bodies == 1 else 'bodies'}, "
        f"{joints} connection{'' if joints == 1 else 's'}, {freedoms} degree{'' if freedoms == 1 else 's'} of freedom."
    )
    if system.mobility.redundant:
        typer.echo(f"Redundant constraints, taken out: {', '.join(system.mobility.redundant)}.")
    if state.changed:
        typer.echo(f"Start values that had to be changed:\n{state.report()}")


@app.command(epilog="Example: trundle describe four-bar")
def describe(source: Source, set_: Set = None) -> None:
    """Tell the story of a model: tree, loops, laws, degrees of freedom."""
    typer.echo(_load(source, set_).model.build().describe())


@app.command(epilog="Example: trundle equilibrium simple-pendulum --start pivot.angle=-1.5")
def equilibrium(source: Source, set_: Set = None, start: Start = None) -> None:
    """Find the static equilibrium nearest to the start."""
    file = _load(source, set_)
    begin = _start(file, start)
    system = file.model.build()
    _show(_coordinate_table(system, system.equilibrium(begin)))


@app.command(
    epilog="Example: trundle eigen simple-pendulum --start pivot.angle=-1.5 --sweep l=0.5:2:4 --plot locus.png"
)
def eigen(
    source: Source,
    set_: Set = None,
    start: Start = None,
    at_start: Annotated[
        bool, typer.Option("--at-start", help="Linearise about the start, not the equilibrium.")
    ] = False,
    sweep: Annotated[str | None, typer.Option(metavar="NAME=FIRST:LAST:COUNT", help="Vary a parameter.")] = None,
    plot: Picture = None,
) -> None:
    """Eigenvalues of small motions about the equilibrium, or a root locus over a parameter."""
    file = _load(source, set_)
    begin = _start(file, start)
    if sweep is None:
        linear = _small_motions(file.model.build(), begin, at_start=at_start)
        _show(_eigenvalue_table(linear))
        _draw_eigenvalues(plot, [linear])
        return
    name, values = _sweep(file, sweep)
    linears = _root_locus(file.model.build(), name, values, begin, at_start=at_start)
    _show(_locus_table(name, values, linears))
    _draw_eigenvalues(plot, linears, values=values, parameter=name)


def _sweep(file: "ModelFile", text: str) -> tuple[str, list[float]]:
    import numpy as np

    from trundle.file.find import read_sweep

    try:
        name, first, last, count = read_sweep(text)
    except FileError as error:
        raise typer.BadParameter(str(error)) from error
    if name not in file.model.parameters:
        raise typer.BadParameter(str(UnknownNameError(name, file.model.parameters, "parameter")))
    return name, [float(v) for v in np.linspace(first, last, count)]


def _draw_eigenvalues(path: Path | None, linears: list[Any], **options: Any) -> None:
    if path is not None:
        from trundle.view.plot import plot_eigenvalues

        _make_folder(path.parent)
        plot_eigenvalues(linears if len(linears) > 1 else linears[0], path=path, **options)
        typer.echo(f"written: {path}")


def _small_motions(
    system: "System",
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    at_start: bool = False,
) -> "Linearisation":
    """Linearise about the static equilibrium nearest to the start, or about the start itself."""
    return system.linearise(start if at_start else _rest(system, start, parameters), parameters)


def _root_locus(
    system: "System",
    parameter: str,
    values: Sequence[float],
    start: Mapping[str, Any] | None = None,
    at_start: bool = False,
) -> list["Linearisation"]:
    """Linearisations over values of a parameter; each equilibrium is looked for near the last one."""
    found = []
    state = start
    for value in values:
        parameters = {parameter: float(value)}
        if not at_start:
            state = _rest(system, state, parameters)
        found.append(system.linearise(state, parameters))
    return found


def _rest(system: "System", start: Mapping[str, Any] | None, parameters: Mapping[str, float] | None) -> dict[str, Any]:
    """The equilibrium, with the speeds that the start may have given set to zero."""
    speeds = {c.rate_name: 0.0 if c.n_u == 1 else (0.0, 0.0, 0.0) for c in system.layout.coordinates}
    given = {name: value for name, value in (start or {}).items() if name not in speeds}
    return {**system.equilibrium(given, parameters), **speeds}


def _show(table: "Table") -> None:
    """Print a table at its own width, so that a pipe or a narrow window cuts nothing."""
    from rich.console import Console

    console = Console()
    needed = table.__rich_measure__(console, console.options.update(max_width=10_000)).maximum
    Console(width=max(console.width, needed)).print(table)


def _table(title: str, *columns: str) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", no_wrap=True)
    return table


def _coordinate_table(system: "System", values: Mapping[str, Any]) -> "Table":
    """Coordinates by name with unit."""
    import numpy as np

    table = _table(f"{system.model.name}: static equilibrium", "coordinate", "value", "unit")
    for name, value in values.items():
        numbers = " ".join(f"{_tidy(v):.9g}" for v in np.atleast_1d(value))
        table.add_row(name, numbers, system.quantity(name).unit)
    return table


def _eigenvalue_table(linear: "Linearisation") -> "Table":
    """One row per real eigenvalue or conjugate pair."""
    import numpy as np

    table = _table("eigenvalues", "real (1/s)", "imaginary (rad/s)", "frequency (Hz)", "damping ratio", "mode")
    modes = linear.modes
    for i, row in enumerate(linear.table()):
        if row["imaginary"] < 0:
            continue
        sign = "±" if row["imaginary"] > 0 else " "
        shape = np.abs(modes[:, i])
        largest = [linear.speed_names[k].removesuffix("_rate") for k in np.argsort(-shape)[:3] if shape[k] > 0.1]
        table.add_row(
            f"{_tidy(row['real']):.6g}",
            f"{sign}{row['imaginary']:.6g}",
            f"{row['frequency_hz']:.6g}",
            f"{_tidy(row['damping_ratio']):.4g}",
            ", ".join(largest),
        )
    return table


def _locus_table(parameter: str, values: Sequence[float], linears: Sequence["Linearisation"]) -> "Table":
    """One row per value of the parameter; conjugate pairs stand once."""
    import numpy as np

    table = _table("root locus", parameter, "largest real part", "eigenvalues (1/s)")
    for value, linear in zip(values, linears, strict=True):
        roots = linear.eigenvalues
        upper = [root for root in roots if root.imag >= 0]
        texts = [f"{_tidy(r.real):.4g}" + (f"±{r.imag:.4g}i" if r.imag > 0 else "") for r in upper]
        largest = f"{_tidy(float(np.max(roots.real))):.4g}" if len(roots) else ""
        table.add_row(f"{value:.6g}", largest, "  ".join(texts))
    return table


def _tidy(value: float) -> float:
    """Round-off shown as zero."""
    return 0.0 if abs(value) < 1e-12 else float(value)


@app.command(epilog="Example: trundle examples four-bar > my-model.yaml")
def examples(name: Annotated[str | None, typer.Argument(help="Print the file of this example.")] = None) -> None:
    """List the examples, or print one to start from."""
    from trundle import examples as library

    if name is None:
        width = max(map(len, library.names()))
        for each in library.names():
            typer.echo(f"{each:<{width}}  {library.find(each).sentence()}")
        return
    try:
        typer.echo(library.find(name).path.read_text(encoding="utf-8"), nl=False)
    except UnknownNameError as error:
        raise typer.BadParameter(str(error)) from error


@app.command(epilog="Example: trundle bench")
def bench() -> None:
    """Run the benchmarks of the source tree against reference solutions and other programs."""
    import subprocess

    root = Path(__file__).parents[2]
    if not (root / "benchmarks" / "__main__.py").is_file():
        fail("the benchmarks are not part of the installed package; run `make bench` in a copy of the source tree.")
    raise typer.Exit(subprocess.run([sys.executable, "-m", "benchmarks"], cwd=root, check=False).returncode)


def main() -> None:
    """Entry point of the command `trundle`."""
    try:
        app()
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        typer.echo(f"error: Trundle itself failed ({type(error).__name__}: {error}). --debug shows where.", err=True)
        sys.exit(1)
