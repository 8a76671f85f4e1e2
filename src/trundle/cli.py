"""The command line: the verbs of the Python API on model files and examples."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

import typer
from typer.core import TyperGroup

from trundle import __version__
from trundle.command.impact import impact
from trundle.command.rail import rail
from trundle.errors import FileError, TrundleError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trundle.file import ModelFile
    from trundle.run.run import Run
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

app.add_typer(impact, name="impact")
app.add_typer(rail, name="rail")

Source = Annotated[str, typer.Argument(metavar="FILE|EXAMPLE", help="A YAML model file, or the name of an example.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter; may be repeated.")
]
Start = Annotated[
    list[str] | None, typer.Option("--start", metavar="NAME=VALUE", help="Change a start value; may be repeated.")
]
Picture = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw the eigenvalues; --speed always does.")
]
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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of all verbs."""


def _assignments(texts: list[str] | None) -> dict[str, float]:
    from trundle.command.find import read_assignment

    try:
        return dict(read_assignment(text) for text in texts or [])
    except FileError as error:
        raise typer.BadParameter(str(error)) from error


def _load(source: str, changes: list[str] | None) -> "ModelFile":
    """The model; a name that does not exist is a fault of usage, a faulty file is not."""
    from trundle.command.find import find_model

    try:
        return find_model(source, _assignments(changes))
    except UnknownNameError as error:
        raise typer.BadParameter(str(error)) from error


def _start(file: "ModelFile", texts: list[str] | None) -> dict[str, float]:
    from trundle.file.scope import Names

    start, known = _assignments(texts), Names(file.model).starts()
    for name in start:
        if name not in known:
            raise typer.BadParameter(str(UnknownNameError(name, known, "coordinate, rate or motion of a body")))
    return start


@app.command(epilog="Example: trundle run simple-pendulum --set l=2 --start pivot.angle=pi/2 --duration 20 --out out")
def run(
    source: Source,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate (default: from the file).")] = None,
    set_: Set = None,
    start: Start = None,
    method: Annotated[Method | None, typer.Option(help="Method of integration.")] = None,
    rtol: Annotated[
        float | None, typer.Option(help="Relative tolerance; an absolute one in the file is scaled with it.")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=2, help="Number of equally spaced samples.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("out"),
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Whether to draw pictures.")] = True,
    view_: Annotated[bool, typer.Option("--view", help="Show the motion in the browser afterwards.")] = False,
) -> None:
    """Simulate a model; write its result and pictures, print a summary."""
    file = _load(source, set_)
    begin, wish = _start(file, start), file.run
    seconds = wish.duration if duration is None else duration
    if seconds is None:
        raise typer.BadParameter("the file gives no duration; use --duration SECONDS.")
    _check_tolerance(rtol)
    _make_folder(out)
    system = file.model.build()
    for name in wish.plot:
        _check_quantity(system, name)
    result = system.simulate(
        seconds,
        begin,
        method=method or wish.method,
        rtol=wish.rtol if rtol is None else rtol,
        atol=_in_proportion(wish.atol, 1.0 if rtol is None else rtol / wish.rtol),
        samples=samples or wish.samples,
    )
    typer.echo(result.summary())
    _write(result, out, wish.plot, plot)
    if view_:
        from trundle.command.view import serve

        serve(result, wish.plot or None)
    assert result.trajectory is not None
    if not result.trajectory.outcome.ok:
        fail(f"the run ended early. {result.outcome}")


def _check_tolerance(rtol: float | None) -> None:
    from trundle.errors import SolveError
    from trundle.integrate.tolerance import check_tolerances

    try:
        check_tolerances(1e-10 if rtol is None else rtol)
    except SolveError as error:
        raise typer.BadParameter(str(error)) from error


def _in_proportion(atol: "float | Mapping[str, float] | None", factor: float) -> "float | dict[str, float] | None":
    if atol is None:
        return None
    return atol * factor if isinstance(atol, float) else {unit: value * factor for unit, value in atol.items()}


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"the folder {folder} cannot be created: {error.strerror}.") from error


def _check_quantity(system: "System", name: str) -> None:
    system.quantity(name)


def _write(result: "Run", out: Path, names: tuple[str, ...], pictures: bool) -> None:
    typer.echo(f"\nwritten: {result.save(out / 'result.nc')}")
    if pictures:
        result.plot(*names, path=out / "motion.png")
        result.energy.plot(path=out / "energy.png")
        result.draw(path=out / "mechanism.png")
        typer.echo("         " + ", ".join(str(out / f"{name}.png") for name in ("motion", "energy", "mechanism")))


@app.command(
    epilog="Examples: trundle sweep rolling-disc --over mass=1:10:100 --duration 10 --keep 'max(disc.roll)' --samples "
    "501 --out sweep.zarr; trundle sweep model.yaml --over k=1:10 --over mu=0.1:0.5 --sample latin:1000 --duration 5 "
    "--out sweep.zarr"
)
def sweep(
    source: Source,
    over: Annotated[
        list[str],
        typer.Option(metavar="NAME=FIRST:LAST:COUNT", help="Or NAME=V1,V2,...; all combinations; may be repeated."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER.zarr", help="Store of the results; an interrupted sweep is resumed.")
    ],
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate (default: from the file).")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="disc.roll, max(disc.roll), count(c lands), ...; may be repeated.")
    ] = None,
    samples: Annotated[int | None, typer.Option(help="Number of samples of each case.")] = None,
    sample: Annotated[
        str | None,
        typer.Option(metavar="latin:COUNT", help="Random cases in ranges NAME=LEAST:LARGEST; or sobol:COUNT."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of random cases.")] = 0,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Of a Dask scheduler.")] = None,
    set_: Set = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    method: Annotated[Method, typer.Option(help="Integration method.")] = "auto",
) -> None:
    """Run many cases of a model, and store their results in a Zarr store."""
    from trundle.command.sweep import read_cases, run_sweep

    file = _load(source, set_)
    _check_tolerance(rtol)
    span = file.run.duration if duration is None else duration
    if span is None:
        raise typer.BadParameter("the file gives no duration; use --duration SECONDS.")
    cases = read_cases(over, sample, seed)
    options: dict[str, Any] = {"keep": keep, "samples": samples, "method": method}
    options |= {} if rtol is None else {"rtol": rtol}
    for line in run_sweep(file.model.build(), cases, span, out, cluster, **options):
        typer.echo(line)


@app.command(epilog="Example: trundle view out/result.nc --compare other/result.nc")
def view(
    result: Annotated[Path, typer.Argument(metavar="RESULT.nc", help="A result written by `trundle run`.")],
    compare: Annotated[
        Path | None, typer.Option(metavar="OTHER.nc", help="A second result to show together with the first.")
    ] = None,
    plot: Annotated[
        list[str] | None, typer.Option("--plot", metavar="NAME", help="A quantity to plot; may be repeated.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page to this file instead; it needs no server.")
    ] = None,
    port: Annotated[int, typer.Option(help="First port to try on 127.0.0.1; 0 takes any.")] = 8321,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
) -> None:
    """Animate a saved result in the browser, on this machine only, or write the animation as a page."""
    from trundle.command.view import view_result

    view_result(result, compare, plot or None, html, port, browser)


@app.command(epilog="Example: trundle studio benchmark-bicycle")
def studio(
    source: Annotated[
        str | None, typer.Argument(metavar="[FILE|EXAMPLE]", help="A YAML model file or an example to open first.")
    ] = None,
    port: Annotated[int, typer.Option(help="First port to try on 127.0.0.1; 0 takes any.")] = 8321,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
) -> None:
    """Change, run and compare models in the browser, on this machine only."""
    from trundle.studio import studio as serve_studio

    made = serve_studio(source, port, browser)
    if made.note:
        typer.echo(made.note)
    typer.echo(f"the studio is at {made.url}, for this machine only; Ctrl-C ends it.")
    made.wait()


@app.command(epilog="Example: trundle check four-bar")
def check(source: Source, set_: Set = None) -> None:
    """Report all errors of a model; if there are none, its degrees of freedom and the seal of each bond."""
    from trundle.command.graph import print_seals

    file = _load(source, set_)
    system = file.model.build()
    for name in file.run.plot:
        _check_quantity(system, name)
    state = system.start()
    bodies, joints, freedoms = len(file.model.free_bodies), len(file.model.connections), system.mobility.freedoms
    typer.echo(
        f"{file.model.name}: well posed. {bodies} {'body' if bodies == 1 else 'bodies'}, "
        f"{joints} connection{'' if joints == 1 else 's'}, {freedoms} degree{'' if freedoms == 1 else 's'} of freedom."
    )
    if system.mobility.configuration > freedoms:
        typer.echo(f"Rolling holds velocities only: {system.mobility.configuration} coordinates are independent.")
    if system.mobility.redundant:
        typer.echo(f"Redundant constraints, taken out: {', '.join(system.mobility.redundant)}.")
    if state.changed:
        typer.echo(f"Start values that had to be changed:\n{state.report()}")
    print_seals(system.graph)
    typer.echo(system.graph.causality.counts())


@app.command(epilog="Example: trundle graph benchmark-bicycle -o graph.svg")
def graph(
    source: Source,
    set_: Set = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it here: .svg, .json, .graphml or .mo.")
    ] = None,
    dual: Annotated[bool, typer.Option("--dual", help="Wrenches as flows and twists as efforts.")] = False,
) -> None:
    """Draw or save the multibond graph of a model; without a file, print the seal of each bond and the causality."""
    from trundle.command.graph import print_graph

    print_graph(_load(source, set_).model.build().graph, out, dual)


@app.command(epilog="Example: trundle export simple-pendulum -o pendulum.fmu --output pivot.angle")
def export(
    source: Source,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The FMU, .fmu.")],
    output: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An output of the FMU (default: what the file plots).")
    ] = None,
    set_: Set = None,
) -> None:
    """Write a model file as an FMU for co-simulation (FMI 2.0); it runs where Python has trundle and pythonfmu."""
    from trundle.command.find import model_path
    from trundle.command.fmu import export_fmu

    _load(source, set_)  # refuses what is no model, or has no such parameter
    typer.echo(f"written: {export_fmu(model_path(source), out, output or [], _assignments(set_))}")


@app.command(epilog="Example: trundle structure benchmark-bicycle -o structure.svg")
def structure(
    source: Source,
    set_: Set = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write a picture here: .svg, .png or .pdf.")
    ] = None,
) -> None:
    """Draw links and joints with their loops, contacts as chains of lower pairs; without a file, list the joints."""
    from trundle.command.structure import show_structure

    show_structure(_load(source, set_).model.build(), out)


@app.command(epilog="Example: trundle describe four-bar")
def describe(source: Source, set_: Set = None) -> None:
    """Summary of a model: tree, loops, laws, degrees of freedom."""
    typer.echo(_load(source, set_).model.build().describe())


@app.command(epilog="Example: trundle equilibrium simple-pendulum --start pivot.angle=-1.5")
def equilibrium(source: Source, set_: Set = None, start: Start = None) -> None:
    """Find the static equilibrium nearest to the start."""
    from trundle.command.tables import coordinate_table, show

    file = _load(source, set_)
    begin = _start(file, start)
    system = file.model.build()
    show(coordinate_table(system, system.equilibrium(begin)))


@app.command(
    epilog="Example: trundle eigen simple-pendulum --start pivot.angle=-1.5 --sweep l=0.5:2:4 --plot locus.png\n\n"
    "Example: trundle eigen benchmark-bicycle --speed 0:10"
)
def eigen(
    source: Source,
    set_: Set = None,
    start: Start = None,
    at_start: Annotated[
        bool, typer.Option("--at-start", help="Linearise about the start, not the equilibrium.")
    ] = False,
    sweep: Annotated[str | None, typer.Option(metavar="NAME=FIRST:LAST:COUNT", help="Vary a parameter.")] = None,
    speed: Annotated[
        str | None, typer.Option(metavar="FIRST:LAST[:COUNT]", help="Over the quantity `speed` of a steady motion.")
    ] = None,
    plot: Picture = None,
) -> None:
    """Eigenvalues of small motions about the equilibrium, over a parameter (root locus), or over forward speed."""
    from trundle.command.eigen import print_eigenvalues, print_locus, print_speeds

    if sweep is not None and speed is not None:
        raise typer.BadParameter("give --sweep or --speed, not both; --set changes a parameter of a sweep over speed.")
    file = _load(source, set_)
    begin = _start(file, start)
    system = file.model.build()
    lines: list[str] = []
    try:
        if speed is not None:
            lines, written = print_speeds(system, speed, begin, at_start, plot)
        elif sweep is not None:
            written = print_locus(system, sweep, begin, at_start, plot)
        else:
            written = print_eigenvalues(system, begin, at_start, plot)
    except (FileError, UnknownNameError) as error:  # of what was typed; the file itself is read already
        raise typer.BadParameter(str(error)) from error
    for line in (*lines, *(f"written: {path}" for path in written)):
        typer.echo(line)


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


@app.command(epilog="Example: trundle pairs --table")
def pairs(
    table: Annotated[bool, typer.Option("--table", help="The surfaces that two joints in series sweep.")] = False,
) -> None:
    """Print which surfaces can touch in one point, and why others cannot."""
    from trundle.view.tables import pairs_text, table_text

    typer.echo(table_text() if table else pairs_text())


@app.command(epilog="Example: trundle doctor")
def doctor() -> None:
    """Show versions, processor, kernel cache and browser, for bug reports."""
    from trundle.command.doctor import report

    for name, value in report():
        typer.echo(f"{name:16} {value}")


@app.command(epilog="Example: trundle warm, or: trundle warm four-bar benchmark-bicycle")
def warm(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="FILE|EXAMPLE", help="Models whose equations are compiled as well.")
    ] = None,
) -> None:
    """Compile the time loops, and models, ahead of their first run."""
    from trundle.command.warm import warm_loops, warm_model

    typer.echo(warm_loops())
    for source in sources or []:
        typer.echo(warm_model(_load(source, None)))


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
