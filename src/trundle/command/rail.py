"""The subcommands of `trundle rail` for tracks and wheel-rail contact."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trundle.command.rail_contact import EPILOG, contact
from trundle.command.rail_files import find_line
from trundle.command.rail_run import CRITICAL_EPILOG, RUN_EPILOG, critical, run
from trundle.errors import FileError
from trundle.typing import Columns

if TYPE_CHECKING:
    from rich.table import Table

    from trundle.file.track import TrackFile
    from trundle.rail import Alignment

GRAVITY = 9.81  # m/s^2
rail = typer.Typer(
    no_args_is_help=True,
    help="Rail: track alignments, wheel-rail contact, vehicles on a line.",
)


rail.command(epilog=EPILOG)(contact)
rail.command(epilog=RUN_EPILOG)(run)
rail.command(epilog=CRITICAL_EPILOG)(critical)


@rail.callback()
def _verbs() -> None:
    """Verbs of rail."""


@rail.command(
    epilog="Examples: trundle rail track sine-curve --speed 30, or: trundle rail track my-line.yaml --out out --step 1"
)
def track(
    source: Annotated[
        str | None,
        typer.Argument(metavar="FILE|LINE", help="A YAML file of a line, a CSV of measured points, or a line by name."),
    ] = None,
    speed: Annotated[float | None, typer.Option(help="Speed in m/s: adds accelerations and rates of cant.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the pictures and of the table.")] = Path("out"),
    step: Annotated[
        float | None, typer.Option(help="Write a CSV of the line, with a row every so many metres.")
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="For a CSV of places: root mean square distance (m).")] = None,
    plot: Annotated[bool, typer.Option(help="Draw the pictures.")] = True,
) -> None:
    """Tables and pictures of a line: segments, what jumps where, plan, curvature, cant, profile, irregularity."""
    from trundle.command.tables import show

    if source is None:
        for name, text in _examples().items():
            typer.echo(f"{name:<15}  {text}")
        return
    file = _find(source, tolerance)
    line = file.line
    show(_segment_table(line, speed))
    for note in line.notes:
        typer.echo(f"note: {note}")
    if file.fit is not None:
        typer.echo(str(file.fit))
    typer.echo(str(line.continuity()))
    for path in _written(file, out, step, plot):
        typer.echo(f"written: {path}")


def _lines() -> Path:
    from trundle import examples

    return examples.FOLDER / "lines"


def _examples() -> dict[str, str]:
    from trundle.file.track import load_track

    return {path.stem: load_track(path).text for path in sorted(_lines().glob("*.yaml"))}


def _find(source: str, tolerance: float | None) -> "TrackFile":
    from trundle.file.track import TrackFile
    from trundle.rail import fit_line

    path = Path(source)
    if path.suffix == ".csv":
        if tolerance is None:
            raise typer.BadParameter(
                "measured points need --tolerance, in metres; records of curvature need a YAML file with points: and "
                "tolerance:."
            )
        fit = fit_line(path, tolerance)
        return TrackFile(fit.line, fit=fit)
    return find_line(source)


def _segment_table(line: "Alignment", speed: float | None) -> "Table":
    import numpy as np

    from trundle.command.tables import word_table

    columns = ["segment", "from (m)", "to (m)", "radius at its end (m)", "cant (mm)", "steepest ramp (mm/m)"]
    if speed is not None:
        columns += ["rate of cant (mm/s)", "lateral acceleration (m/s^2)", "cant deficiency (mm)"]
    table = word_table(f"{line.name}: {line.length:g} m", *columns)
    for column in table.columns[1:]:
        column.justify = "right"
    wide = 2.0 * line.half_gauge
    for i, segment in enumerate(line.segments):
        begin, end = line.starts[i], line.starts[i + 1]
        inner = np.linspace(begin, end, 201)[1:-1]
        at, last = line.local(inner), segment.ends(line.ends_before(i))
        ramp = 1e3 * wide * np.abs(at.b1 * at.cos_b).max()
        row = [f"{i + 1} {type(segment).__name__}", f"{begin:g}", f"{end:g}", _radius(last.curvature)]
        row += [f"{1e3 * last.cant:g}", f"{ramp:.4g}"]
        if speed is not None:
            motion = line.motion(inner, speed)
            across = motion.a[:, 1] - GRAVITY * at.cos_g * at.sin_b
            worst = across[np.abs(across).argmax()]
            row += [f"{ramp * abs(speed):.4g}", f"{worst:.4g}", f"{1e3 * wide * worst / GRAVITY:.4g}"]
        table.add_row(*row)
    return table


def _radius(curvature: float) -> str:
    return "straight" if abs(curvature) < 1e-12 else f"{1.0 / curvature:.6g}"


def _written(file: "TrackFile", out: Path, step: float | None, plot: bool) -> list[Path]:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder {out} cannot be created: {error.strerror}.") from error
    written = []
    if plot:
        file.line.plot(out / "line.png")
        written.append(out / "line.png")
        if file.irregularity is not None:
            file.irregularity.plot(out / "irregularity.png", min(500.0, file.line.length))
            written.append(out / "irregularity.png")
    if step is not None:
        written.append(_write_table(file, out / "line.csv", step))
    return written


def _write_table(file: "TrackFile", path: Path, step: float) -> Path:
    import numpy as np

    line = file.line
    if not (np.isfinite(step) and 0.0 < step <= line.length):
        raise typer.BadParameter(
            f"--step is {step:g} m; it must be positive and at most the length, {line.length:g} m."
        )
    s = np.append(np.arange(0.0, line.length, step), line.length)
    place = line.position(s)
    columns: Columns = {"s": s, "x": place[:, 0], "y": place[:, 1], "z": place[:, 2], "heading": line.heading(s)}
    columns |= {"curvature": line.curvature(s), "cant": line.cant(s), "gradient": line.gradient(s)}
    if file.irregularity is not None:
        columns |= {f"rough_{name}": file.irregularity(name, s) for name in file.irregularity.signals}
    try:
        rows = np.column_stack(list(columns.values()))
        np.savetxt(path, rows, fmt="%.12g", delimiter=",", header=",".join(columns), comments="")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from error
    return path
