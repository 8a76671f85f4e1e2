"""`trundle rail contact`: contact points of a wheelset on its rails, in tables and pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trundle.errors import FileError
from trundle.typing import Options

if TYPE_CHECKING:
    from rich.table import Table

    from trundle.rail import ContactGeometry, Patch, Profile, WheelsetContact

EPILOG = (
    "Examples: trundle rail contact --wheel S1002 --rail 60E1\n\n"
    "trundle rail contact --wheel cone:0.05 --rail arc:0.3 --amplitude 0.006\n\n"
    "trundle rail contact --wheel worn.csv --rail 60E1 --inclination 0.05 --z-down --smooth 20e-6 --out out"
)


def contact(
    wheel: Annotated[
        str, typer.Option(metavar="S1002|cone:TAN|arc:R|FILE", help="The wheel's profile; FILE: a CSV of points.")
    ] = "S1002",
    rail: Annotated[
        str, typer.Option(metavar="60E1|arc:R|FILE", help="The rail's profile; FILE: a CSV of points.")
    ] = "60E1",
    inclination: Annotated[float, typer.Option(help="Of the rail towards the middle of the track.")] = 1 / 40,
    gauge: Annotated[float, typer.Option(help="14 mm below the top of the rails, m.")] = 1.435,
    back_to_back: Annotated[float, typer.Option(help="Distance of the flange backs, m.")] = 1.360,
    radius: Annotated[float, typer.Option(help="Of the running circle, m.")] = 0.46,
    amplitude: Annotated[float, typer.Option(help="Largest lateral displacement, m.")] = 0.008,
    yaw: Annotated[float, typer.Option(help="Of the wheelset, rad.")] = 0.0,
    load: Annotated[float, typer.Option(help="Of one wheel, N.")] = 80e3,
    mu: Annotated[float, typer.Option(help="Coefficient of friction.")] = 0.3,
    unit: Annotated[Literal["m", "mm"], typer.Option(help="Of the points in files.")] = "mm",
    z_down: Annotated[bool, typer.Option("--z-down", help="Heights in files go downwards.")] = False,
    smooth: Annotated[
        float, typer.Option(help="Root mean square distance (m) from the points that smoothing may keep.")
    ] = 0.0,
    out: Annotated[Path, typer.Option(help="Folder of the pictures and of the table.")] = Path("out"),
    plot: Annotated[bool, typer.Option(help="Draw the pictures.")] = True,
) -> None:
    """Contact points, angles and radii over the lateral displacement, conicity, patch and creep forces of a pairing."""
    from trundle.command.tables import show
    from trundle.rail import ContactGeometry, Linear

    Linear(mu)  # raises for an invalid coefficient before anything is printed
    options = {"unit": unit, "z_down": z_down, "smooth": smooth}
    geometry = ContactGeometry(
        _profile(wheel, "wheel", options), _profile(rail, "rail", options, inclination),
        gauge=gauge, back_to_back=back_to_back, radius=radius,
    )  # fmt: skip
    patch, patch_table = _patch(geometry, load), _patch_table(geometry, load)
    show(_contact_table(geometry, amplitude, yaw))
    show(_conicity_table(geometry, amplitude))
    show(patch_table)
    for path in _written(geometry, patch, amplitude, yaw, load, mu, out, plot):
        typer.echo(f"written: {path}")


def _profile(text: str, kind: Literal["wheel", "rail"], options: Options, inclination: float = 0.0) -> "Profile":
    from trundle.rail import S1002, Profile, Rail60E1

    word, colon, number = text.partition(":")
    if text.upper() == "S1002" and kind == "wheel":
        return S1002()
    if text.upper() == "60E1" and kind == "rail":
        return Rail60E1(inclination)
    if colon and word in ("cone", "arc") and not Path(text).exists():
        try:
            value = float(number)
        except ValueError:
            raise typer.BadParameter(f"{text!r}: give a number after the colon, as in {word}:0.3.") from None
        if word == "cone" and kind == "wheel":
            return Profile.cone(value)
        if word == "arc":
            return Profile.arc(value, kind)
    path = Path(text)
    if not path.is_file():
        choices = "S1002, cone:0.05, arc:0.5" if kind == "wheel" else "60E1, arc:0.3"
        raise typer.BadParameter(f"there is no {kind} {text!r}: take {choices}, or a CSV file of points.")
    found = Profile.from_csv(path, kind, **options)
    return found.inclined(inclination) if kind == "rail" else found


def _rows(geometry: "ContactGeometry", amplitude: float, yaw: float, step: float) -> "WheelsetContact":
    import numpy as np

    if not 0.0 < amplitude <= 0.03:
        raise typer.BadParameter(f"--amplitude is {amplitude:g} m; it must lie above 0 and not above 0.03 m.")
    n = max(1, round(amplitude / step))
    return geometry.contact(np.linspace(-n * step, n * step, 2 * n + 1), yaw)


def _contact_table(geometry: "ContactGeometry", amplitude: float, yaw: float) -> "Table":
    import numpy as np

    from trundle.command.tables import word_table

    columns = ["y (mm)", "roll (mrad)", "lift (mm)", "r left - right (mm)"]
    for side in ("left", "right"):
        columns += [f"{side}: angle (rad)", "on wheel (mm)", "on rail (mm)", "second gap (mm)"]
    table = word_table(f"{geometry.wheel.name} on {geometry.rail.name}: contact", *columns)
    found = _rows(geometry, amplitude, yaw, 1e-3)
    for k, y in enumerate(found.lateral):
        row = [1e3 * y, 1e3 * found.roll[k], 1e3 * found.lift[k], 1e3 * found.radius_difference[k]]
        for wheel in (found.left, found.right):
            row += [wheel.angle[k], 1e3 * wheel.wheel_place[k], 1e3 * wheel.rail_place[k], 1e3 * wheel.second_gap[k]]
        table.add_row(*("-" if np.isinf(v) else f"{v:.4g}" if abs(v) > 1e-12 else "0" for v in row))
    for column in table.columns:
        column.justify = "right"
    return table


def _conicity_table(geometry: "ContactGeometry", amplitude: float) -> "Table":
    import numpy as np

    from trundle.command.tables import word_table

    table = word_table("equivalent conicity", "amplitude (mm)", "integration", "regression", "harmonic")
    a = np.arange(1e-3, amplitude + 1e-9, 1e-3) if amplitude >= 1e-3 else np.array([amplitude])
    columns = [geometry.conicity(a, method) for method in ("integration", "regression", "harmonic")]
    for k, value in enumerate(a):
        table.add_row(f"{1e3 * value:g}", *("none" if np.isnan(c[k]) else f"{c[k]:.4f}" for c in columns))
    for column in table.columns:
        column.justify = "right"
    return table


def _curvatures(geometry: "ContactGeometry") -> tuple[float, float]:
    found = geometry.contact(0.0).left
    return float(found.rolling_curvature), float(found.wheel_curvature + found.rail_curvature)


def _patch(geometry: "ContactGeometry", load: float) -> "Patch":
    from trundle.rail import Patch

    return Patch.hertz(load, *_curvatures(geometry))


def _patch_table(geometry: "ContactGeometry", load: float) -> "Table":
    from trundle.command.tables import word_table
    from trundle.rail import hertz

    patch, ellipse = _patch(geometry, load), hertz(load, *_curvatures(geometry))
    table = word_table(f"contact patch of the left wheel in the middle, under {1e-3 * load:g} kN", "", "value", "unit")
    rows = (
        ("semi-axis a, along the rail", 1e3 * ellipse.a, "mm"), ("semi-axis b, across it", 1e3 * ellipse.b, "mm"),
        ("approach", 1e3 * ellipse.approach, "mm"), ("largest pressure", 1e-6 * ellipse.pressure, "MPa"),
        ("f11 = G a b C11", 1e-6 * patch.f11, "MN"), ("f22 = G a b C22", 1e-6 * patch.f22, "MN"),
        ("f23 = G (a b)^1.5 C23", 1e-3 * patch.f23, "kN m"), ("f33 = G (a b)^2 C33", patch.f33, "N m^2"),
    )  # fmt: skip
    for name, value, unit in rows:
        table.add_row(name, f"{value:.5g}", unit)
    table.columns[1].justify = "right"
    return table


def _written(
    geometry: "ContactGeometry",
    patch: "Patch",
    amplitude: float,
    yaw: float,
    load: float,
    mu: float,
    out: Path,
    plot: bool,
) -> list[Path]:
    import numpy as np

    from trundle.rail import creep_plot

    try:
        out.mkdir(parents=True, exist_ok=True)
        found = _rows(geometry, amplitude, yaw, 1e-4)
        columns = {"y": found.lateral, "roll": found.roll, "lift": found.lift, "dr": found.radius_difference}
        for name, side in (("left", found.left), ("right", found.right)):
            columns |= {f"{name}_{field}": getattr(side, field) for field in side._fields}
        rows = np.column_stack(list(columns.values()))
        np.savetxt(out / "contact.csv", rows, fmt="%.9g", delimiter=",", header=",".join(columns), comments="")
    except OSError as error:
        raise FileError(f"{out} cannot be written: {error.strerror}.") from error
    written = [out / "contact.csv"]
    if plot:
        geometry.plot(out / "contact.png", amplitude)
        creep_plot(patch, load, mu, path=out / "creep.png")
        written += [out / "contact.png", out / "creep.png"]
    return written
