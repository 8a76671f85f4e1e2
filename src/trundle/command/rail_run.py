"""`trundle rail run` and `trundle rail critical`: a vehicle from a file running along a line."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trundle.command.rail_files import find_line, find_vehicle
from trundle.errors import FileError

if TYPE_CHECKING:
    from rich.table import Table

    from trundle.rail import Irregularity, Trip
    from trundle.run.run import Run

RUN_EPILOG = (
    "Examples: trundle rail run two-axle-wagon --track sine-curve --speed 30\n\n"
    "trundle rail run wagon.yaml --track curve.yaml --speed 30 --irregularity erri-low --seed 1 --out x.nc --assess\n\n"
    "trundle rail run two-axle-wagon --track sine-curve --speed 20 --speed 25 --speed 30 --out speeds.csv"
)
CRITICAL_EPILOG = "Example: trundle rail critical two-axle-wagon --from 10 --to 60 --plot locus.png"
Vehicle = Annotated[
    str, typer.Argument(metavar="FILE|VEHICLE", help="A YAML file of a vehicle, or the name of an example.")
]


def run(
    vehicle: Vehicle,
    track: Annotated[str, typer.Option(metavar="FILE|LINE", help="A YAML file of a line, or the name of an example.")],
    speed: Annotated[list[float], typer.Option(help="m/s, at the start; several for one table over speed.")],
    acceleration: Annotated[float, typer.Option(help="m/s^2.")] = 0.0,
    duration: Annotated[float | None, typer.Option(help="Seconds (default: to the end of the line).")] = None,
    irregularity: Annotated[
        str | None,
        typer.Option(
            metavar="erri-low|erri-high|fra-N|none", help="Irregularities (default: from the file of the line)."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the irregularity.")] = 1,
    rtol: Annotated[float, typer.Option(help="Relative tolerance.")] = 1e-6,
    samples: Annotated[int, typer.Option(min=2, help="Number of equally spaced samples.")] = 1501,
    out: Annotated[Path | None, typer.Option(metavar="FILE.nc|FILE.csv", help="Write the results.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw forces and accelerations.")] = None,
    assess: Annotated[bool, typer.Option("--assess", help="Print forces and comfort with their limits.")] = False,
) -> None:
    """Run a vehicle along a line; print its wheel forces and how the run ended."""
    from trundle import rail
    from trundle.command.tables import show

    file, line = find_vehicle(vehicle), find_line(track)
    rough = line.irregularity if irregularity is None else _rough(irregularity, seed)
    if len(speed) > 1:
        if acceleration or plot is not None:
            raise typer.BadParameter("several speeds make one table: leave out --acceleration and --plot.")
        table = rail.over_speeds(file.vehicle, line.line, speed, irregularity=rough, duration=duration, rtol=rtol)
        typer.echo(f"{file.name} on {line.line.name}: the worst at each speed; * exceeds its limit")
        typer.echo(table.table())
        if out is not None:
            table.save(out)
            typer.echo(f"written: {out}")
        return
    trip = rail.Trip(file.vehicle, line.line, speed[0], acceleration=acceleration, irregularity=rough, name=file.name)
    result = trip.simulate(duration, rtol=rtol, samples=samples)
    show(_force_table(trip, result))
    typer.echo(f"{file.name} on {line.line.name}: {result.outcome}")
    if assess:
        typer.echo(rail.assess(result).table())
    try:
        if out is not None:
            typer.echo(f"written: {result.save(out)}")
        if plot is not None:
            rail.assess(result).plot(plot)
            typer.echo(f"written: {plot}")
    except OSError as error:
        raise FileError(f"{error.filename} cannot be written: {error.strerror}.") from error
    if not result.ok:
        raise typer.Exit(1)


def _rough(text: str, seed: int) -> "Irregularity | None":
    from trundle.rail import Irregularity

    kind, _, level = text.partition("-")
    if text == "none":
        return None
    levels: dict[str, Literal["low", "high"]] = {"low": "low", "high": "high"}
    if kind == "erri" and level in levels:
        return Irregularity.erri(levels[level], seed=seed)
    if kind == "fra" and level.isdigit():
        return Irregularity.fra(int(level), seed=seed)
    raise typer.BadParameter(f"{text!r} is not valid: use erri-low, erri-high, fra-1 to fra-6 or none.")


def _force_table(trip: "Trip", result: "Run") -> "Table":
    import numpy as np

    from trundle.command.tables import word_table

    table = word_table(
        "largest forces of wheels on rails", "wheel", "Q (kN)", "lowest Q (kN)", "Y (kN)", "Y/Q", "at (m)"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    s = result.values("distance")
    for wheel in trip.placed.wheels:
        q, y, ratio = (result.values(f"{wheel.contact}.{name}") for name in ("Q", "Y", "Y_over_Q"))
        worst = int(np.argmax(np.abs(y)))
        row = [1e-3 * q.max(), 1e-3 * q.min(), 1e-3 * y[worst], ratio[int(np.argmax(np.abs(ratio)))], s[worst]]
        table.add_row(wheel.contact, *(f"{value:.4g}" for value in row))
    return table


def critical(
    vehicle: Vehicle,
    first: Annotated[float, typer.Option("--from", help="Lowest speed, m/s.")] = 10.0,
    last: Annotated[float, typer.Option("--to", help="Highest speed, m/s.")] = 80.0,
    count: Annotated[int, typer.Option(min=2, help="Number of speeds to evaluate.")] = 29,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the eigenvalues over speed.")] = None,
) -> None:
    """Linear critical speed of a vehicle on straight track."""
    import numpy as np

    from trundle import rail

    if not 0.0 < first < last:
        raise typer.BadParameter(f"--from {first:g} --to {last:g}: give two rising speeds above zero.")
    file = find_vehicle(vehicle)
    locus = rail.critical_speed(file.vehicle, first, last, count)
    if np.isfinite(locus.critical):
        typer.echo(f"{file.name}: critical speed {locus.critical:.4f} m/s, hunting at {locus.frequency:.4g} Hz")
    else:
        typer.echo(f"{file.name}: small motions decay at all speeds from {first:g} to {last:g} m/s")
    if plot is not None:
        locus.plot(plot)
        typer.echo(f"written: {plot}")
