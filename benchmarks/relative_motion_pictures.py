"""Pictures and numbers of docs/relative-motion.md: a wagon that accelerates into a curve, with all imaginary forces and
without one of them.

    python -m benchmarks.relative_motion_pictures
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trundle.rail import (
    S1002,
    Alignment,
    Arc,
    AxleBox,
    Bushing,
    CarBody,
    Contact,
    ContactGeometry,
    Rail60E1,
    ShenHedrickElkins,
    Sine,
    Straight,
    Trip,
    Wagon,
    Wheelset,
)
from trundle.run.run import Run
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

FOLDER = Path(__file__).parents[1] / "docs" / "relative-motion"
LINE = Alignment([Straight(60), Sine(length=30, radius=600, cant=0.1), Arc(radius=600, length=300, cant=0.1)])
YAW_INERTIA = 2.1e5  # kg m^2
ACCELERATIONS = (0.0, 0.5, 1.0, 2.0)  # m/s^2
FIRST, WAY = 20.0, 250.0  # m/s at the start, m
OMITTED = {"car": {"rotation": "moment_z"}}
LATERAL = (1.5e5, 2e6)  # N/m of an axle box: soft and stiff


def wagon(lateral: float) -> Wagon:
    """The two-axle wagon with a lateral stiffness (N/m) of its axle boxes."""
    contact = Contact(ContactGeometry(S1002(), Rail60E1()), ShenHedrickElkins(0.4))
    axle = Wheelset(mass=1813, inertia=(1120, 112, 1120), contact=contact)
    springs = AxleBox(Bushing(stiffness=(5e6, lateral, 1.2e6), damping=(1e4, 2e4, 2e4)))
    return Wagon(CarBody(20e3, (3e4, 2e5, YAW_INERTIA), height=1.9), axle, springs, wheelbase=8.0)


def runs(lateral: float) -> dict[float, tuple[Run, Run]]:
    """By acceleration: the complete model, and the one without the torque about the vertical axis of the car."""
    model = Trip(wagon(lateral), LINE, FIRST).model
    systems = model.build(), model.build(omit=OMITTED)
    found = {}
    for a in ACCELERATIONS:
        time = WAY / FIRST if a == 0 else (np.sqrt(FIRST**2 + 2 * a * WAY) - FIRST) / a
        options: Any = {"parameters": {"acceleration": a}, "method": "stiff", "rtol": 1e-8, "samples": 1001}
        complete, without = (system.simulate(float(time), **options) for system in systems)
        found[a] = complete, without
    return found


def yaw(run: Run) -> Any:
    """Of the car in its track frame, rad, to the left."""
    w, _, _, z = run.values("car.quaternion").T
    return 2 * np.arctan2(z, w)


def torque_picture(found: dict[float, tuple[Run, Run]], path: Path | str | None = None) -> Figure:
    """Fig. 5: the imaginary torque about the vertical axis over the distance."""
    with style():
        figure = new_figure(7.2, 4.6, "imaginary torque of rotation on the car about its vertical axis")
        panel, arc = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        for (a, (run, _)), colour in zip(found.items(), COLOURS, strict=False):
            torque = 1e-3 * run.values("car.imaginary_rotation_moment_z")
            for axes in (panel, arc):
                axes.plot(run.values("distance"), torque, color=colour, label=f"{a:g} m/s²")
            arc.axhline(-1e-3 * YAW_INERTIA * a / 600, color=colour, linestyle=(0, (1.2, 2)), linewidth=1)
        panel.legend(title="acceleration", loc="lower right")
        arc.set_ylim(-0.85, 0.25)
        _mark(panel, arc)
        panel.set_ylabel("torque (kN m)")
        arc.set_ylabel("the same, enlarged\ndotted: -J a / R")
        arc.set_xlabel("distance (m)")
        return finish(figure, path)


def yaw_picture(found: dict[float, tuple[Run, Run]], path: Path | str | None = None) -> Figure:
    """Fig. 6: the car's yaw with and without that torque."""
    with style():
        figure = new_figure(7.2, 5.4, "yaw of the car: complete (solid), torque left out (dashed)")
        panels = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        for (a, (run, without)), colour in zip(found.items(), COLOURS, strict=False):
            at = run.values("distance")
            panels[0].plot(at, 1e3 * yaw(run), color=colour, label=f"{a:g} m/s²")
            panels[0].plot(at, 1e3 * yaw(without), color=colour, linestyle=(0, (5, 1.6)))
            panels[1].plot(at, 1e3 * (yaw(without) - yaw(run)), color=colour)
        panels[0].legend(title="acceleration", loc="upper right")
        panels[0].set_ylabel("yaw (mrad)")
        panels[1].set_ylabel("without - with (mrad)")
        panels[1].set_xlabel("distance (m)")
        _mark(*panels)
        return finish(figure, path)


def _mark(*panels: Any) -> None:
    """Where the transition begins and ends."""
    for axes in panels:
        axes.axhline(0, color=INK, linewidth=0.6)
        for place in LINE.starts[1:3]:
            axes.axvline(place, color=QUIET, linewidth=0.8)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for lateral in LATERAL:
        found = runs(lateral)
        print(f"\nlateral stiffness {lateral:g} N/m")
        for a, (run, without) in found.items():
            moment, gap = run.values("car.imaginary_rotation_moment_z"), yaw(without) - yaw(run)
            print(
                f"a {a:3g}  end {run.values('distance')[-1]:.1f} m  largest torque {1e-3 * np.max(np.abs(moment)):.2f} "
                f"kN m  in the arc {moment[-1]:.1f} (-J a/R {-YAW_INERTIA * a / 600:.1f}) N m  largest yaw "
                f"{1e3 * np.max(np.abs(yaw(run))):.2f}, without {1e3 * np.max(np.abs(yaw(without))):.2f}; "
                f"apart by {1e3 * np.max(np.abs(gap)):.3f}, in the arc {1e3 * gap[-1]:.3f} of "
                f"{1e3 * yaw(run)[-1]:.2f} mrad"
            )
        if lateral == LATERAL[0]:
            torque_picture(found, FOLDER / "torque.png")
            yaw_picture(found, FOLDER / "yaw.png")


if __name__ == "__main__":
    main()
