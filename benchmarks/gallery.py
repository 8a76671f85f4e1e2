"""Pictures of all examples, surfaces and contacts for docs/gallery.md.

python -m benchmarks.gallery [NAME ...] [--out DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np
from matplotlib.figure import Figure

from benchmarks import rail_pictures, trace_pictures
from trundle import examples
from trundle.bicycle import Geometry
from trundle.bicycle.picture import draw_pitch
from trundle.command.structure import show_structure
from trundle.lookup.table import Table
from trundle.pairs import (
    Cone,
    Cylinder,
    HigherPair,
    Plane,
    Sphere,
    SpiralColumn,
    TangentSurface,
    Torus,
)
from trundle.run.run import Run
from trundle.study.stability import SteadyMotions
from trundle.view import draw_lower_pairs, draw_pair, draw_surfaces
from trundle.view.speeds import plot_stability

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"
WIDTH, HEIGHT, DOTS = 7.0, 4.8, 100  # inches and dots per inch: at most about 700 x 480


@final
@dataclass(frozen=True)
class Picture:
    """How to show an example: drawn at some times (s), or `plot` over time."""

    times: tuple[float, ...] = ()
    plot: tuple[str, ...] = ()
    duration: float | None = None  # s; else what the example says
    parameters: Mapping[str, float] = field(default_factory=dict)
    title: str | None = None
    plane: str = "auto"


PICTURES = {
    "simple-pendulum": Picture(tuple(np.linspace(0.0, 1.1, 9))),
    "planetary-gear": Picture((0.3,)),
    "four-bar": Picture((0.0, 0.28, 0.45, 0.56, 0.65, 0.80, 0.88, 1.0)),
    "n-four-bar": Picture((0.0, 0.35, 0.5, 0.6)),
    "andrews-squeezer": Picture((0.0, 0.0085, 0.0095, 0.0105, 0.0115)),
    "bricard": Picture((0.0, 0.5, 0.7, 0.87, 1.02, 1.17)),
    "governed-engine": Picture(plot=("speed", "lift", "engine.output")),
    "flyball-governor": Picture((0.0, 0.1, 0.21, 0.32, 0.43, 0.54)),
    "spatial-slider-crank": Picture((0.0, 0.155, 0.25, 0.295, 0.345, 0.43)),
    "dzhanibekov": Picture(plot=("nut.angular_rate_x", "nut.angular_rate_y", "nut.angular_rate_z"), duration=44.0),
    "heavy-top": Picture((0.0, 0.15, 0.3, 0.45, 0.6), parameters={"rate": -4.61538}, title="heavy top, nutating"),
    "four-bar-diagonal-spring": Picture((0.0, 0.4, 0.6, 0.8, 1.0, 1.5)),
    "change-point-four-bar": Picture((0.0, 0.56, 1.0524, 1.66, 2.22, 2.78)),
    "stiff-four-bar": Picture(plot=("left.angle", "extension.displacement")),
    "chain": Picture((0.0, 0.33, 0.46, 0.55, 0.65, 0.9)),
    "rattleback": Picture(plot=("stone.angular_rate_z", "table.pitch", "table.roll"), duration=10.0),
    "pumped-swing": Picture(plot=("seat.angle", "rider.angle", "height"), duration=40.0),
    "rolling-disc": Picture((0.0, 0.6, 1.2, 1.8, 2.4, 3.0)),
    "ball-in-bowl": Picture(plot=("x", "y", "ball.normal_force")),
    "ball-in-turning-pipe": Picture((0.0, 0.3, 0.6, 0.9, 1.2)),
    "wheel-climbs-kerb": Picture((0.0, 0.264, 0.4, 0.52)),
    "ball-on-step": Picture((0.0, 0.29, 0.45, 0.63, 0.8)),
    "chaplygin-sleigh": Picture((0.0, 0.8, 1.3, 1.7, 2.1, 2.5, 3.2), plane="xy"),
    "spinning-disc": Picture(plot=("speed", "spin", "ratio")),
    "single-track-car": Picture((0.0, 1.3, 2.2, 3.1, 4.0), plane="xy"),
    "bicycle-with-tyres": Picture(plot=("roll", "steer", "front.slip_y")),
    "snakeboard": Picture((0.0, 2.8, 4.2, 5.2), plane="xy"),
    "benchmark-bicycle": Picture((0.0, 0.35, 0.7)),
    "two-bodies-on-a-hinge": Picture((0.0, 0.4, 0.8, 1.2)),
    "two-hinge-door-compliant": Picture(plot=("lower.angle", "lower.reaction_force_z", "upper.reaction_force_z")),
    "four-wheel-vehicle": Picture((0.0, 0.7, 1.4)),
    "four-wheel-vehicle-compliant": Picture(
        plot=("front left road.normal_force", "front right road.normal_force", "rear left road.normal_force")
    ),
}


def _seven_surfaces() -> Figure:
    kinds = (Plane(), Cylinder(0.5), Cone(0.5, 0.4), Torus(0.5, 0.15), Sphere(0.5))
    return draw_surfaces((*kinds, SpiralColumn(1.0, 0.5, 0.5), TangentSurface(1.0, 0.5, 1.0)))


def _column_and_cylinder() -> Figure:  # [Meijaard 2024, Sec. 3.1]
    pair = HigherPair(SpiralColumn(1.0, 1.0, 0.5**0.5), Cylinder(0.2 * 2**0.5))
    return draw_pair(pair, (0.0, 0.0, 1.2, 0.0, 0.0), reach=2.2, width=WIDTH)


def _ball_on_tangent_surface() -> Figure:  # [Meijaard 2024, Sec. 3.1]
    return draw_pair(HigherPair(TangentSurface(1.0, 1.0, 1.5), Sphere(0.5**0.5)), reach=2.4, width=5.0)


def _bicycle_over_speed() -> Figure:
    found = SteadyMotions(examples.model("benchmark-bicycle").build()).stability(0.0, 10.0)
    return plot_stability(found, title="benchmark bicycle: eigenvalues over speed", width=WIDTH)


def _pitch_of_the_bicycle() -> Figure:
    """Of the benchmark bicycle."""
    return draw_pitch(Geometry(1.02, 0.08, np.pi / 10, 0.3, 0.35))


def _engine_map() -> Figure:
    """As on the page of tables."""
    speed, throttle = [0.0, 50, 100, 200, 300, 400], [0.0, 0.25, 0.5, 1.0]
    torque = [[0, 40, 70, 90], [-4, 45, 80, 105], [-6, 42, 88, 120]]
    torque += [[-12, 30, 85, 130], [-20, 10, 70, 118], [-30, -10, 40, 90]]
    words = {"unit": "N m", "text": "torque of the engine", "arguments": ["speed (rad/s)", "throttle"]}
    return Table((speed, throttle), torque, **words).plot()


SCENES: dict[str, Callable[[], Figure]] = {
    "engine-map": _engine_map,
    "lower-pairs": draw_lower_pairs,
    "pitch": _pitch_of_the_bicycle,
    "surfaces": _seven_surfaces,
    "wheel-on-plane": lambda: draw_pair(HigherPair(Plane(), Torus(0.5, 0.12)), (0, 0, 0.4, 0.25, 0.3), width=WIDTH),
    "column-and-cylinder": _column_and_cylinder,
    "ball-on-tangent-surface": _ball_on_tangent_surface,
    "two-tori": lambda: draw_pair(HigherPair(Torus(0.6, 0.2), Torus(0.5, 0.15)), (0, 0, 1.0, 0.3, 0.4), width=5.0),
    "reverse-curve": rail_pictures.line_over_a_crest,
    "irregularity": rail_pictures.light_irregularity,
    "contact-points": rail_pictures.wheels_on_rails,
    "creep-laws": rail_pictures.creep_laws,
    "wagon-on-a-curve": rail_pictures.wagon_on_a_curve,
    "wagon-in-plan": rail_pictures.wagon_in_plan,
    "root-locus": rail_pictures.root_locus,
    "hunting-mode": rail_pictures.hunting_mode,
    "hunting": rail_pictures.limit_cycles,
    "curving": rail_pictures.curving_over_radius,
    "transition-comparison": rail_pictures.transitions_compared,
    "roller-rig": rail_pictures.rig_in_space,
    "roller-rig-pose": rail_pictures.roll_and_lift,
    "roller-rig-oscillation": rail_pictures.oscillation,
    "spiral-column": trace_pictures.column_in_space,
    "spiral-column-curves": trace_pictures.column_curves,
    "sphere-on-tangent-surface": trace_pictures.ball_in_space,
    "sphere-on-tangent-surface-curves": trace_pictures.ball_curves,
    "benchmark-bicycle-eigenvalues": _bicycle_over_speed,
}


STRUCTURES = {"structure-bicycle": "benchmark-bicycle", "structure-roller-rig": "roller-rig"}


def make_structure(name: str, folder: Path) -> Path:
    """Write the links and joints of an example."""
    path = folder / f"{name}.svg"
    show_structure(examples.model(STRUCTURES[name]).build(), path)
    return path


def make_scene(name: str, folder: Path) -> Path:
    """Write a picture of surfaces."""
    path = folder / f"{name}.png"
    SCENES[name]().savefig(path, dpi=DOTS, bbox_inches="tight", pad_inches=0.06)
    return path


def make(name: str, picture: Picture, folder: Path) -> Path:
    """Run the example and write its picture."""
    file = examples.load(name, picture.parameters)
    wish = file.run
    duration = picture.duration or wish.duration
    assert duration is not None
    run = file.model.build().simulate(duration, method=wish.method, rtol=wish.rtol, atol=wish.atol, samples=2001)
    assert run.ok, run.outcome
    title = picture.title or file.model.name
    figure = _plotted(run, picture, title) if picture.plot else _drawn(run, picture, title)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=DOTS)
    return path


def _plotted(run: Run, picture: Picture, title: str) -> Figure:
    figure = run.plot(*picture.plot, title=title)
    figure.set_size_inches(WIDTH, HEIGHT)
    return figure


def _drawn(run: Run, picture: Picture, title: str) -> Figure:
    """A tall mechanism is drawn narrower, so that the letters keep their size."""
    figure = run.draw(times=picture.times, plane=picture.plane, title=title, width=WIDTH)
    height = float(figure.get_size_inches()[1])
    if height <= HEIGHT:
        return figure
    return run.draw(times=picture.times, plane=picture.plane, title=title, width=WIDTH * HEIGHT / height)


def main() -> None:
    """Make the pictures that are asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures; all when none is given")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the pictures")
    options = parser.parse_args()
    known = (*PICTURES, *SCENES, *STRUCTURES)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no picture is known for {', '.join(unknown)}; choose from {', '.join(known)}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or known:
        if name in PICTURES:
            path = make(name, PICTURES[name], options.out)
        else:
            path = make_scene(name, options.out) if name in SCENES else make_structure(name, options.out)
        print(path, flush=True)


if __name__ == "__main__":
    main()
