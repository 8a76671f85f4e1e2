"""The command line: the verbs of the Python API on model files and examples."""

import gc
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, final

import typer
from typer.core import TyperGroup

from trundle import __version__
from trundle.command.impact import impact
from trundle.command.rail import rail
from trundle.command.source import (
    Method,
    Set,
    Source,
    Start,
    assignments,
    check_tolerance,
    fail,
    load_source,
    start_values,
)
from trundle.errors import FileError, TrundleError, UnknownNameError
from trundle.typing import Options, Untyped

OTHER_VERBS = {
    **dict.fromkeys(("simulate", "sim", "start", "exec"), "trundle run FILE|EXAMPLE"),
    **dict.fromkeys(("plot", "show", "animate"), "trundle view run.nc, a result that trundle run has written"),
    **dict.fromkeys(("eigenvalues", "modes", "linearise", "linearize", "stability"), "trundle eigen FILE|EXAMPLE"),
    **dict.fromkeys(("validate", "lint", "test"), "trundle check FILE|EXAMPLE"),
    **dict.fromkeys(("list", "models", "new", "init", "template"), "trundle examples, or trundle examples four-bar"),
    **dict.fromkeys(("info", "env", "cache"), "trundle doctor"),
    **dict.fromkeys(("compile", "build", "install"), "trundle warm"),
    **dict.fromkeys(("fmu", "to-fmu"), "trundle export FILE -o model.fmu"),
    **dict.fromkeys(("gui", "edit", "ui"), "trundle studio"),
    **dict.fromkeys(("version", "help"), "trundle --version, trundle --help"),
}
"""Verbs of other programs, and what to write here."""


@final
class Verbs(TyperGroup):
    """Turns errors into one readable block and the exit code 1; --debug, anywhere, shows the traceback instead."""

    def parse_args(self, ctx: Untyped, args: list[str]) -> list[str]:
        if "--debug" in args:
            args = ["--debug", *(a for a in args if a != "--debug")]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Untyped, args: list[str]) -> tuple[str | None, Untyped, list[str]]:
        if args and args[0] in OTHER_VERBS and args[0] not in self.commands:
            fail(f"there is no command {args[0]!r}: write {OTHER_VERBS[args[0]]}.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Untyped) -> object:
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

Picture = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw the eigenvalues; --speed always does.")
]


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
    from trundle.command.run import RunChanges, run_file

    file = load_source(source, set_)
    begin = start_values(file, start)
    check_tolerance(rtol)
    result = run_file(file, begin, RunChanges(duration, method, rtol, samples), out, plot)
    if view_:
        from trundle.command.view import serve

        serve(result, file.run.plot or None)
    if not result.ok:
        fail(f"the run ended early. {result.outcome}")


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

    file = load_source(source, set_)
    check_tolerance(rtol)
    span = file.run.duration if duration is None else duration
    if span is None:
        raise typer.BadParameter("the file gives no duration; use --duration SECONDS.")
    cases = read_cases(over, sample, seed)
    options: Options = {"keep": keep, "samples": samples, "method": method}
    options |= {} if rtol is None else {"rtol": rtol}
    try:
        for line in run_sweep(file.model.build(), cases, span, out, cluster, **options):
            typer.echo(line)
    except KeyboardInterrupt as interruption:
        fail(str(interruption) or "interrupted.")


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
    typer.echo(f"the studio is at {made.url} (for this machine only; Ctrl-C ends it)")
    made.wait()


@app.command(epilog="Example: trundle check four-bar")
def check(source: Source, set_: Set = None) -> None:
    """Report all errors of a model; if there are none, its degrees of freedom and the seal of each bond."""
    from trundle.command.check import print_check

    print_check(load_source(source, set_))


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

    print_graph(load_source(source, set_).model.build().graph, out, dual)


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

    load_source(source, set_)  # raises if it is no model, or has no such parameter
    typer.echo(f"written: {export_fmu(model_path(source), out, output or [], assignments(set_))}")


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

    show_structure(load_source(source, set_).model.build(), out)


@app.command(epilog="Example: trundle describe four-bar")
def describe(source: Source, set_: Set = None) -> None:
    """Summary of a model: tree, loops, laws, degrees of freedom."""
    typer.echo(load_source(source, set_).model.build().describe())


@app.command(epilog="Example: trundle equilibrium simple-pendulum --start pivot.angle=-1.5")
def equilibrium(source: Source, set_: Set = None, start: Start = None) -> None:
    """Find the static equilibrium nearest to the start."""
    from trundle.command.tables import coordinate_table, show

    file = load_source(source, set_)
    begin = start_values(file, start)
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
    file = load_source(source, set_)
    begin = start_values(file, start)
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
        from trundle.command.examples import example_list

        typer.echo(example_list(shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
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
        typer.echo(warm_model(load_source(source, None)))


@app.command(epilog="Example: trundle bench")
def bench() -> None:
    """Run the benchmarks of the source tree against reference solutions and other programs."""
    root = Path(__file__).parents[2]
    if not (root / "benchmarks" / "__main__.py").is_file():
        fail("the benchmarks are not part of the installed package; run `make bench` in a copy of the source tree.")
    raise typer.Exit(subprocess.run([sys.executable, "-m", "benchmarks"], cwd=root, check=False).returncode)


def main() -> None:
    """Entry point of the command `trundle`."""
    gc.set_threshold(100_000)  # objects; searching for garbage after each 700 takes a tenth of a short command's time
    try:
        app()
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        typer.echo(f"error: Trundle itself failed ({type(error).__name__}: {error}). --debug shows where.", err=True)
        sys.exit(1)
    finally:
        gc.freeze()  # at the end of the process nothing is searched for garbage, which would take 0.1 s


if __name__ == "__main__":
    main()
