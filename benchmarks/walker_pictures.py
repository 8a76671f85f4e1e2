"""Pictures of the rimless wheel and the rocking block as machines.

python -m benchmarks.walker_pictures [--out DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import trundle as tr
from trundle.errors import SolveError
from trundle.study.periodic import ReturnMap
from trundle.view.style import COLOURS, INK, QUIET, WARNING, new_figure, style
from trundle.walker.gait import over_friction, start_at
from trundle.walker.rimless import PlasticGait, landing, rimless_wheel
from trundle.walker.rocking_block import rocking_block

FOLDER = Path(__file__).parents[1] / "docs" / "impacts"
RATIO = 0.1


def gait_over_friction() -> Figure:
    """Speed, slip and multiplier of the gait as friction falls."""
    exact = PlasticGait(inertia_ratio=RATIO)
    system = rimless_wheel(inertia_ratio=RATIO, friction=0.6).build()
    grid = np.unique(np.round([*np.arange(0.3, 0.3335, 0.005), *np.arange(0.334, 0.43, 0.002), 0.3705, 0.371], 6))
    found = over_friction(system, grid, count=60)
    walking = [s for s in found if s.ending == "walks"]
    last = walking[0].friction
    with style():
        figure = new_figure(7.2, 6.4, f"A rimless wheel on slippery ground: 8 spokes, slope 0.08, λ = {RATIO}")
        speed, slip, multiplier = figure.subplots(3, 1, sharex=True)
        mu = [s.friction for s in walking]
        speed.plot(mu, [s.speeds[-1] for s in walking], color=COLOURS[0])
        speed.axhline(exact.speed, color=QUIET, linewidth=0.9, linestyle=(0, (4, 2)))
        speed.text(0.43, exact.speed, "no slip, closed form ", va="bottom", ha="right", color=QUIET, fontsize=9)
        speed.set_ylabel("turning after\nlanding (rad/s)")
        slip.plot(mu, [s.slips[-1] for s in walking], color=COLOURS[1])
        slip.set_ylabel("slip after\nlanding (m/s)")
        multiplier.plot(mu, [s.multiplier for s in walking], color=COLOURS[2])
        multiplier.axhline(exact.multiplier, color=QUIET, linewidth=0.9, linestyle=(0, (4, 2)))
        multiplier.set_ylabel("multiplier")
        multiplier.set_xlabel("coefficient of friction")
        for axes in (speed, slip, multiplier):
            axes.axvline(exact.friction_needed, color=INK, linewidth=0.9, linestyle=(0, (1.2, 1.2)))
            axes.axvspan(0.3, last, color=WARNING, alpha=0.08, linewidth=0)
            axes.set_xlim(0.3, 0.43)
        slip.text(0.302, 0.02, "no gait: the wheel\nfalls back and stops", color=WARNING, fontsize=9, va="bottom")
        slip.text(exact.friction_needed, 0.25, " critical friction of the landing", color=INK, fontsize=9)
        return figure


def return_map() -> Figure:
    """Speed after a landing over that after the last one, with the walk from two starts."""
    exact = PlasticGait(inertia_ratio=RATIO)
    system = rimless_wheel(inertia_ratio=RATIO, feet=3).build()
    returns = ReturnMap(system, landing())

    def after(speed: float) -> float:
        try:
            return returns.values(returns(returns.first(start_at(speed, exact.half_angle))).x)["hub.angle_rate"]
        except SolveError:
            return float("nan")

    speeds = np.linspace(exact.slowest * 1.0001, exact.fastest * 0.9999, 60)
    with style():
        figure = new_figure(5.6, 5.4, "Return map of the rimless wheel")
        axes = figure.subplots()
        axes.plot(speeds, [after(w) for w in speeds], color=COLOURS[0], label="next landing")
        axes.plot([0.8, 2.9], [0.8, 2.9], color=QUIET, linewidth=0.9, label="the same speed again")
        for start, colour in ((0.95, COLOURS[1]), (2.6, COLOURS[2])):
            path, w = [(start, 0.8)], start
            for _ in range(8):
                n = after(w)
                path += [(w, n), (n, n)]
                w = n
            axes.plot(*np.array(path).T, color=colour, linewidth=1.0)
        axes.plot(exact.speed, exact.speed, "o", color=INK, markersize=5)
        axes.annotate("gait", (exact.speed, exact.speed), (8, -12), textcoords="offset points")
        axes.axvspan(0.8, exact.slowest, color=WARNING, alpha=0.1, linewidth=0)
        axes.axvspan(exact.fastest, 2.9, color=COLOURS[4], alpha=0.15, linewidth=0)
        axes.text(0.815, 2.3, "falls back", rotation=90, color=WARNING, fontsize=9)
        axes.text(2.82, 1.0, "foot leaves the ground", rotation=90, color=INK, fontsize=9)
        axes.set(xlim=(0.8, 2.9), ylim=(0.8, 2.9), aspect="equal")
        axes.set_xlabel("turning after a landing (rad/s)")
        axes.set_ylabel("turning after the next landing (rad/s)")
        axes.legend(loc="upper center")
        return figure


def shaken_block() -> Figure:
    """A slender block on a plate that is shaken for two seconds, at three strengths."""
    with style():
        figure = new_figure(7.2, 4.6, "Block of 0.2 m by 0.8 m on a shaken plate, μ = 0.6, plastic landings")
        axes, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        for strength, colour in ((0.9, COLOURS[0]), (1.3, COLOURS[2]), (2.0, COLOURS[1])):
            run = _shaken(strength)
            label = f"peak {strength:g} g b/a" + (": overturns" if run.time[-1] < 5.99 else "")
            axes.plot(run.time, np.degrees(run.values("pose.angle")), color=colour, label=label)
        below.plot(run.time, np.gradient(run.values("shaker.displacement_rate"), run.time), color=QUIET)
        axes.axhline(np.degrees(np.arctan2(0.1, 0.4)), color=QUIET, linewidth=0.9, linestyle=(0, (4, 2)))
        axes.axhline(-np.degrees(np.arctan2(0.1, 0.4)), color=QUIET, linewidth=0.9, linestyle=(0, (4, 2)))
        axes.set(ylim=(-25, 25), xlim=(0, 6))
        axes.set_ylabel("tilt (deg)")
        below.set_ylabel("plate, strongest\n(m/s²)")
        below.set_xlabel("time (s)")
        axes.legend(loc="upper right")
        return figure


def _shaken(strength: float) -> Any:
    frequency = 2 * np.pi * 1.5
    size = strength * 9.81 * 0.25 / frequency**2

    def shaking(t: Any) -> Any:
        # Two seconds are three whole periods: displacement and velocity end at zero.
        return tr.where(t < 2.0, size * (frequency * t - tr.sin(frequency * t)), size * 2.0 * frequency)

    return rocking_block(0.1, 0.4, friction=0.6, shaking=shaking).build().simulate(6.0, rtol=1e-9, samples=1201)


PICTURES = {"gait_over_friction": gait_over_friction, "return_map": return_map, "shaken_block": shaken_block}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PICTURES.items():
        make().savefig(folder / f"{name}.png", dpi=110)
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
