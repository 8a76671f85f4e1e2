"""Pictures and numbers of docs/wheel.md: the wheel of [Ikoki 2021] as printed, corrected, and with exact friction.

python -m benchmarks.wheel_pictures [--out DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import trundle as tr
from trundle import examples
from trundle.examples import every_law, slippery_wheel
from trundle.examples.law_picture import draw
from trundle.examples.slippery_wheel import BRAKED_FROM, INERTIA, MASS, RADIUS, WEIGHT
from trundle.run.run import Run
from trundle.view.style import COLOURS, INK, QUIET, WARNING, new_figure, style

FOLDER = Path(__file__).parents[1] / "docs" / "wheel"
DOTS = 110  # per inch
SLIDES, STANDS = 0.02, 0.01  # m/s: above it a wheel slides, below it one stands
PRINTED, CORRECTED = "relaxed, as printed", "relaxed, corrected"
ROLLING, EXACT, DRY = "relaxed, traction of rolling", "Coulomb", "Coulomb, μ = 0.9 throughout"
STORIES = {"k = 1, v0 = 1 m/s": (1, 1, 1.0), "k = 3": (3, 3, 1.0), "k = 2 and 6, v0 = 0.1 m/s": (2, 6, 0.1)}
SHOWN = (PRINTED, CORRECTED, EXACT)
Mu = Callable[[Any], Any]


def laws(mu: Mu, torque: float) -> dict[str, Any]:
    """The four laws that are compared."""
    traction = slippery_wheel.traction(torque)
    return {
        PRINTED: tr.Relaxed(mu, as_printed=True, traction=traction),
        CORRECTED: tr.Relaxed(mu, traction=traction),
        ROLLING: tr.Relaxed(mu),
        EXACT: tr.Coulomb(mu),
    }


def runs(make: Callable[[Any], tr.Model], mu: Mu, torque: float, duration: float) -> dict[str, Run]:
    """One run for each law; relaxed rolling with a brake is stiff."""
    return {
        name: make(law).build().simulate(duration, samples=1001, method="auto" if name == EXACT else "stiff", rtol=1e-9)
        for name, law in laws(mu, torque).items()
    }


def driving(torque: float) -> dict[str, Run]:
    """Driven over a slippery spell."""
    return runs(lambda law: slippery_wheel.driven(law, torque), slippery_wheel.spell(), torque, 20.0)


def story(torque: float, k_s: float, k_f: float, v0: float) -> Run:
    """Driven over a slippery spell, relaxed with other numbers than 1."""
    law = tr.Relaxed(slippery_wheel.spell(), k_s, k_f, traction=slippery_wheel.traction(torque), v0=v0)
    return slippery_wheel.driven(law, torque).build().simulate(20.0, samples=2001, method="stiff", rtol=1e-9)


def stories() -> dict[tuple[float, str], Run]:
    """The numbers of the paper, that of its Eq. 1, a pair that tells both stories, and exact friction."""
    found = {}
    for torque in (20.0, 60.0):
        for name, numbers in STORIES.items():
            found[torque, name] = story(torque, *numbers)
        model = slippery_wheel.driven(tr.Coulomb(slippery_wheel.spell()), torque)
        found[torque, EXACT] = model.build().simulate(20.0, samples=2001, rtol=1e-9)
    return found


def braking(lower: float, brake: float) -> dict[str, Run]:
    """Braked where the ground turns slippery, and on dry ground."""
    found = runs(lambda law: slippery_wheel.braked(law, brake), slippery_wheel.sudden(lower), 50.0, 24.0)
    found[DRY] = slippery_wheel.braked(tr.Coulomb(0.9), brake).build().simulate(24.0, samples=1001, rtol=1e-9)
    return found


def speed(run: Run) -> Any:
    """Of the centre (m/s)."""
    return run.values("wheel.velocity")[:, 0]


def rim(run: Run) -> Any:
    """Turning times radius (m/s)."""
    return RADIUS * run.values("wheel.angular_velocity")[:, 1]


def held(run: Run) -> Any:
    """The stiction parameter, or 1 while exact friction sticks and 0 while it slides."""
    return run.values("tyre.stiction") if "tyre.stiction" in run.names else run.values("tyre.state") - 1


def along(run: Run) -> Any:
    """Distance from where the brake is half on (m)."""
    x = run.values("wheel.position")[:, 0]
    return x - np.interp(BRAKED_FROM, run.time, x)


def friction(mu: Mu, t: Any) -> Any:
    """The coefficient over time."""
    return np.array([float(mu({"t": one})) for one in t])


def panels_of(found: Mapping[str, Run], mu: Mu, torque: float, last: str, title: str) -> Figure:
    """Speeds, constraint, and traction (N) or distance (m) for the laws side by side."""
    with style():
        figure = new_figure(9.6, 7.6, title)
        grid = figure.subplots(4, 3, sharex=True, sharey="row", height_ratios=(1.7, 1.7, 1.2, 2.0))
        for column, name in zip(grid.T, SHOWN, strict=True):
            run, t = found[name], found[name].time
            column[0].set_title(name, loc="left", fontsize=10)
            column[0].plot(t, rim(run), color=COLOURS[1])
            column[1].plot(t, speed(run), color=COLOURS[0])
            column[2].plot(t, held(run), color=COLOURS[2], label="s; exact: sticks (1), slides (0)")
            column[2].plot(t, friction(mu, t), color=QUIET, linestyle=(0, (4, 2)), label="μ")
            if last == "traction (N)":
                _traction(column[3], run, mu, torque)
            else:
                column[3].plot(t, along(run), color=COLOURS[3])
                for axes, value in ((column[1], speed), (column[3], along)):
                    axes.plot(t, value(found[DRY]), color=INK, linewidth=1.0, linestyle=(0, (1.2, 1.2)), label=DRY)
            column[3].set_xlabel("time (s)")
        words = ("rim, R θ' (m/s)", "centre, x' (m/s)", "held", last)
        for axes, word in zip(grid[:, 0], words, strict=True):
            axes.set_ylabel(word)
        grid[2, 0].set_ylim(-0.05, 1.08)
        if last != "traction (N)":
            grid[3, 0].set_ylim(-2, 6)
            grid[0, 0].set_xlim(12, 24)
        lines = [line for axes in grid[2:, 0] for line in axes.lines if not line.get_label().startswith("_")]
        figure.legend(handles=lines, loc="outside lower center", ncols=3)
        return figure


def _traction(axes: Axes, run: Run, mu: Mu, torque: float) -> None:
    t = run.time
    axes.plot(t, torque / RADIUS * np.tanh(0.5 * t), color=QUIET, linewidth=1.0, label="T/R")
    axes.plot(t, friction(mu, t) * WEIGHT, color=WARNING, linestyle=(0, (4, 2)), label="limit μ N")
    axes.plot(t, run.values("tyre.slip_force_x"), color=INK, label="traction")
    if "tyre.stiction" in run.names:
        axes.plot(t, ideal(run, torque), color=COLOURS[3], linewidth=1.1, label="of it by the constraint")


def ideal(run: Run, torque: float) -> Any:
    """The share of the traction that the relaxed constraint brings: s^2 of what rolling takes."""
    moment = torque * np.tanh(0.5 * run.time) - 0.34 * rim(run) / RADIUS
    over = speed(run) / RADIUS
    free_slip = RADIUS * moment / INERTIA + 1.7 * over * np.abs(over) / MASS
    return held(run) ** 2 * free_slip / (1 / MASS + RADIUS**2 / INERTIA)


def printed_drag() -> Figure:
    """What the resistance as printed does to a wheel that spins."""
    mu, torque = slippery_wheel.spell(), 60.0
    with style():
        figure = new_figure(7.0, 3.2, "resistance -1.7 θ'² as printed, 60 N m")
        axes = figure.subplots()
        for (name, law), colour in zip(laws(mu, torque).items(), (*COLOURS[:3], INK), strict=True):
            model = slippery_wheel.driven(law, torque, slippery_wheel.drag_of_turning)
            run = model.build().simulate(14.0, samples=501)
            axes.plot(run.time, speed(run), color=colour, label=name)
        axes.set_yscale("symlog", linthresh=10.0)
        axes.set_ylabel("speed of the centre (m/s)")
        axes.set_xlabel("time (s)")
        axes.legend(loc="lower left")
        return figure


def stories_picture(found: Mapping[tuple[float, str], Run]) -> Figure:
    """Rim and centre for two torques and several numbers of the law."""
    names = (*STORIES, EXACT)
    with style():
        figure = new_figure(10.5, 4.8, "driven over a slippery spell: rim (dashed) and centre, m/s")
        grid = figure.subplots(2, len(names), sharex=True, sharey="row")
        for (torque, name), run in found.items():
            axes = grid[(20.0, 60.0).index(torque), names.index(name)]
            axes.plot(run.time, rim(run), color=COLOURS[1], linestyle=(0, (4, 2)), label="rim, R θ'")
            axes.plot(run.time, speed(run), color=COLOURS[0], label="centre, x'")
            axes.axvspan(8.0, 12.0, color=QUIET, alpha=0.15, linewidth=0, label="slippery")
        for axes, name in zip(grid[0], names, strict=True):
            axes.set_title(name, loc="left", fontsize=10)
        for axes, word in zip(grid[:, 0], ("20 N m (Fig. 3)", "60 N m (Fig. 4)"), strict=True):
            axes.set_ylabel(word)
        for axes in grid[1]:
            axes.set_xlabel("time (s)")
        figure.legend(handles=grid[0, 0].get_legend_handles_labels()[0], loc="outside lower center", ncols=3)
        return figure


def led(law: Any, toe: float, road: float = 2.0, speed: float = 8.0) -> tuple[Any, Any]:
    """Way (m) and side force over load of the wheel, led straight on with a toe angle."""
    m = tr.Model("led")
    sledge, fork = m.body("sledge", 1.0, 1.0), m.body("fork", 1.0, 1.0)
    wheel = m.body("wheel", MASS - 2, (INERTIA / 2, INERTIA, INERTIA / 2))
    m.connect(tr.Prismatic("x"), m.ground, sledge, law=tr.Servo(lambda t: speed * t))
    m.connect(tr.Prismatic("z"), sledge, fork, name="heave")
    m.connect(tr.Revolute("y"), fork.frame((0, 0, 0), ("z", toe)), wheel, name="hub")
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(RADIUS)), m.ground, wheel, name="tyre", law=law)
    m.start = {"fork.position": (0, 0, RADIUS), "sledge.displacement_rate": speed, "hub.angle_rate": speed / RADIUS}
    run = m.build().simulate(road / speed, samples=201, method="stiff", rtol=1e-8)
    return speed * run.time, run.values("tyre.slip_force_y") / run.values("tyre.normal_force")


def tyres() -> dict[str, Any]:
    """Three tyres of one cornering stiffness."""
    return {
        "BrushTyre(mu=0.8, stiffness=10)": tr.BrushTyre(0.8, 10.0),
        "MagicTyre, relaxation length 0.4 m": tr.MagicTyre(
            0.9, 0.8, 10.0, 10.0, 1.6, 1.4, curvature_y=-0.5, relaxation_x=0.4, relaxation_y=0.4
        ),
        "FufaevNeimark(25, 0.3, 20, 8)": tr.FufaevNeimark(25.0, 0.3, 20.0, 8.0),
    }


def tyres_picture() -> Figure:
    """Side force over slip angle, and how it builds up behind a sudden toe angle; the car in its turn."""
    with style():
        figure = new_figure(10.5, 3.6, "tyres that slip sideways")
        curve, built, turn = figure.subplots(1, 3)
        angles = np.radians(np.linspace(0.0, 12.0, 9))
        for (name, law), colour in zip(tyres().items(), (COLOURS[0], COLOURS[1], COLOURS[2]), strict=True):
            forces = [led(law, toe)[1][-1] for toe in angles]
            curve.plot(np.degrees(angles), forces, color=colour, marker="o", markersize=3, label=name)
            built.plot(*led(law, np.radians(1.0)), color=colour)
        for stiffness, line in ((15.0, "-"), (12.0, "--"), (9.0, ":")):
            model = examples.model("single-track-car", {"stiffness_rear": stiffness, "steer_deg": 1.0})
            run = model.build().simulate(4.0, method="stiff", rtol=1e-8, samples=201)
            turn.plot(
                run.time, run.values("yaw_rate"), color=INK, linestyle=line, label=f"rear {stiffness:g}, front 12"
            )
        curve.set_xlabel("slip angle (deg)")
        curve.set_ylabel("side force / load")
        built.set_xlabel("way behind a toe of 1 deg (m)")
        turn.set_xlabel("time (s), steered at 1 s")
        turn.set_ylabel("yaw rate of the car (rad/s)")
        turn.legend(loc="upper left")
        figure.legend(handles=curve.lines, loc="outside lower center", ncols=3)
        return figure


def slid(run: Run) -> float:
    """For how long it slides (s)."""
    return float(np.trapezoid((np.abs(run.values("tyre.slip_x")) > SLIDES).astype(float), run.time))


def at(run: Run, values: Any, t: float) -> float:
    """A value between samples."""
    return float(np.interp(t, run.time, values))


def lost(name: str, run: Run) -> str:
    """Energy lost at the contact (J); a force at the mass centre is none of the contact."""
    return "-" if name == PRINTED else f"{run.energy.work_lost[-1]:.0f}"


def driving_rows(found: Mapping[str, Run]) -> list[str]:
    """Numbers for the page."""
    return [
        f"| {name} | {at(run, speed(run), 5.0):.3f} | {at(run, rim(run) - speed(run), 5.0):.3f} | "
        f"{np.min(speed(run)[run.time > 5]):.3f} | {np.max(rim(run) - speed(run)):.2f} | {speed(run)[-1]:.3f} | "
        f"{rim(run)[-1] - speed(run)[-1]:.3f} | {slid(run):.1f} | {lost(name, run)} |"
        for name, run in found.items()
    ]


def braking_rows(found: Mapping[str, Run]) -> list[str]:
    """Numbers for the page."""
    rows = []
    for name, run in found.items():
        stands = np.nonzero((run.time > BRAKED_FROM) & (np.abs(speed(run)) < STANDS) & (np.abs(rim(run)) < STANDS))[0]
        stop = (
            f"{run.time[stands[0]]:.2f} | {along(run)[stands[0]]:.2f}"
            if len(stands)
            else f"- | {along(run)[-1]:.2f} at 24 s"
        )
        rows.append(
            f"| {name} | {at(run, speed(run), BRAKED_FROM):.3f} | {at(run, rim(run), BRAKED_FROM):.3f} | {stop} | "
            f"{speed(run)[-1]:.4f} | {lost(name, run)} | "
            f"{np.min(run.values('tyre.friction_power')):.0f} |"
        )
    return rows


def save(figure: Figure, path: Path) -> None:
    """Write a picture and tell its name."""
    figure.savefig(path, dpi=DOTS)
    print(path)


def show(lines: Sequence[str]) -> None:
    """Print lines of a table."""
    print("\n".join(lines))


def main() -> None:
    """Draw all pictures and print all numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for torque in (20.0, 60.0, 220.0):
        found = driving(torque)
        title = f"driven over a slippery spell, {torque:g} N m"
        save(panels_of(found, slippery_wheel.spell(), torque, "traction (N)", title), out / f"driving-{torque:g}.png")
        show(driving_rows(found))
    for lower, brake in ((0.3, 50.0), (0.1, 50.0), (0.3, 15.0), (0.1, 15.0)):
        found = braking(lower, brake)
        title = f"braking with up to {2 * brake:g} N m against 50 N m, μ falls to {lower:g}"
        name = f"braking-{lower:g}-{brake:g}".replace(".", "")
        save(
            panels_of(found, slippery_wheel.sudden(lower), 50.0, "distance after 15 s (m)", title), out / f"{name}.png"
        )
        show(braking_rows(found))
    told = stories()
    save(stories_picture(told), out / "stories.png")
    for torque in (20.0, 60.0):
        show(driving_rows({name: run for (of, name), run in told.items() if of == torque}))
    save(tyres_picture(), out / "tyres.png")
    save(printed_drag(), out / "printed-drag.png")
    save(draw({law: run for law, (run, _) in every_law.compare().items()}), out / "every-law.png")


if __name__ == "__main__":
    main()
