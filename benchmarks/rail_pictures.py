"""Pictures of a line and of a wheelset on a roller rig for docs/gallery.md."""

from dataclasses import replace
from math import atan
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trundle.examples import FOLDER
from trundle.file.track import load_track
from trundle.pairs import Cylinder, Surface
from trundle.rail import (
    S1002,
    Alignment,
    Arc,
    AxleBox,
    Bushing,
    CarBody,
    Contact,
    ContactGeometry,
    Irregularity,
    Rail60E1,
    RigPose,
    RollerRig,
    ShenHedrickElkins,
    Sine,
    SingleWheelset,
    Straight,
    Trip,
    Wagon,
    Wheelset,
    compare_transitions,
    creep_plot,
    critical_speed,
    curving,
    hunting,
)
from trundle.space import rotation
from trundle.view.scene3d import Camera, Scene3D
from trundle.view.style import COLOURS, INK, new_figure, style

RIG = RollerRig(half_gauge=0.75, wheel_radius=0.46, ring_radius=1.0, ring_profile_radius=0.3, cone_angle=atan(1 / 20))
STEEL, RINGS, SHAFT = "#F0C9A6", "#C9DCEB", "#DDE1E6"
HALF_WIDTH = 0.07  # m, of wheels and rings as drawn
DRUM_RADIUS, AXLE_RADIUS = 0.9, 0.085  # m
AROUND = np.linspace(-np.pi, np.pi, 145)


def line_over_a_crest() -> Figure:
    """Plan, curvature, cant and profile of a line with a curve to the left and one to the right."""
    return load_track(FOLDER / "lines" / "reverse-curve.yaml").line.plot()


def light_irregularity() -> Figure:
    """Signals and spectra of ERRI B176, low."""
    return Irregularity.erri("low", seed=1).plot(length=300.0)


def wheels_on_rails() -> Figure:
    """Contact points, radius difference, contact angle and conicity of S1002 on 60E1."""
    figure: Figure = ContactGeometry(S1002(), Rail60E1()).plot()
    return figure


def creep_laws() -> Figure:
    """All creep laws over creepage and spin."""
    figure: Figure = creep_plot()
    return figure


def wagon_on_a_curve() -> Figure:
    """Curvature, wheel loads and lateral forces of a two-axle wagon over the distance."""
    line = Alignment(
        [Straight(40), Sine(length=80, radius=600, cant=0.15), Arc(radius=600, length=300, cant=0.15)], name="curve"
    )
    contact = Contact(ContactGeometry(S1002(), Rail60E1()), ShenHedrickElkins(0.4))
    suspension = AxleBox(Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    wagon = Wagon(CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), Wheelset(1813, (1120, 112, 1120), contact), suspension, 8.0)
    run = Trip(wagon, line, 30.0).simulate(12.0, samples=1500)
    with style():
        figure = new_figure(7.2, 5.6, "two-axle wagon into a left curve of 600 m at 30 m/s")
        axes = figure.subplots(3, 1, sharex=True, height_ratios=(1, 2, 2))
        at = run.values("distance")
        axes[0].plot(at, 1e3 * line.curvature(at), color=INK)
        axes[0].set_ylabel("curvature\n(1/km)")
        wheels = [(axle, side) for axle in ("front", "rear") for side in ("left", "right")]
        for panel, quantity, text in ((axes[1], "Q", "wheel load Q (kN)"), (axes[2], "Y", "lateral force Y (kN)")):
            for (axle, side), colour in zip(wheels, COLOURS, strict=False):
                panel.plot(at, 1e-3 * run.values(f"{axle}_{side}.{quantity}"), color=colour, label=f"{axle} {side}")
            panel.set_ylabel(text)
        axes[1].legend(ncols=2, loc="lower right")
        axes[2].set_xlabel("distance (m)")
    return figure


def _wagon() -> Wagon:
    contact = Contact(ContactGeometry(S1002(), Rail60E1()), ShenHedrickElkins(0.4))
    suspension = AxleBox(Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return Wagon(CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), Wheelset(1813, (1120, 112, 1120), contact), suspension, 8.0)


def wagon_in_plan() -> Figure:
    """The line from above with the wagon at three times, and how it stands on the track."""
    line = Alignment(
        [Straight(40), Sine(length=80, radius=600, cant=0.15), Arc(radius=600, length=300, cant=0.15)], name="curve"
    )
    trip = Trip(_wagon(), line, 30.0)
    return trip.plot_plan(trip.simulate(12.0, samples=601), (0.0, 2.5, 12.0))


def root_locus() -> Figure:
    """Eigenvalues of the wagon over speed."""
    return critical_speed(_wagon(), 10.0, 100.0, 61).plot()


def hunting_mode() -> Figure:
    """The mode of the wagon that grows first."""
    return critical_speed(_wagon(), 10.0, 60.0, 11).plot_mode()


def limit_cycles() -> Figure:
    """A wheelset on soft springs over speed: the cycle that begins at the linear critical speed, and a ramp down."""
    contact = Contact(ContactGeometry(S1002(), Rail60E1()), ShenHedrickElkins(0.4), eps=50e-6)
    spring = Bushing((4e5, 4e5, 1e6), (1e3, 1e3, 1e4))
    vehicle = SingleWheelset(Wheelset(1813, (1120, 112, 1120), contact), spring, 1.0, 60e3)
    return hunting(vehicle, 5.0, 80.0, 16, limit=46, ramp=10, settle=4.0, intervals=160).plot()


def curving_over_radius() -> Figure:
    """Wheel forces of the wagon over the radius at 50 mm of cant deficiency."""
    radii = [250, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000]
    return curving(_wagon(), radii, None, 0.1, deficiency=0.05).plot()


def transitions_compared() -> Figure:
    """The wagon into one arc by six transitions."""
    return compare_transitions(_wagon(), 600.0, 80.0, 28.0, 0.1).plot()


def rig_in_space() -> Figure:
    """The rig with a large displacement and yaw, points of contact and their normals."""
    pose = RIG.pose(0.05, 0.12)
    R = rotation("x", float(pose.roll)) @ rotation("z", float(pose.yaw))
    centre = np.array([0.0, float(pose.lateral), RIG.axle_height + float(pose.lift)])
    scene = Scene3D(Camera(15.0, -32.0))
    around = HALF_WIDTH / RIG.ring_profile_radius
    for side, sign in RIG.sides.items():
        lean = sign * RIG.cone_angle
        ring_place, wheel_place = np.array(RIG.ring_place(side)), np.array(RIG.wheel_place(side))
        _tread(scene, RIG.ring, RINGS, (lean - around, lean + around), np.eye(3), ring_place, DRUM_RADIUS)
        _tread(scene, RIG.wheel(side), STEEL, (-HALF_WIDTH, HALF_WIDTH), R, centre + R @ wheel_place, AXLE_RADIUS)
    inner = RIG.half_gauge - HALF_WIDTH
    for radius, turned, place in ((DRUM_RADIUS, np.eye(3), np.zeros(3)), (AXLE_RADIUS, R, centre)):
        a, b = np.meshgrid(AROUND, np.linspace(-inner, inner, 41), indexing="ij")
        shaft = Cylinder(radius)
        scene.mesh(place + shaft.point(a, b) @ turned.T, shaft.normal(a, b) @ turned.T, SHAFT)
    for side in RIG.sides:
        point = pose.contacts[side]
        scene.arrow(point, point + 0.4 * pose.normals[side], COLOURS[1])
        scene.dot(point)
    with style():
        figure = new_figure(6.0, 5.4, "wheelset on a roller rig: 50 mm to the left, yaw 0.12 rad")
        scene.paint(figure.subplots())
        return figure


def _tread(
    scene: Scene3D, surface: Surface, colour: str, across: tuple[float, float], R: Any, p: Any, hub: float
) -> None:
    """A wheel or ring: the part of its surface that rolls, and two flat faces down to the hub."""
    a, b = np.meshgrid(AROUND, np.linspace(*across, 9), indexing="ij")
    points = surface.point(a, b)
    scene.mesh(p + points @ R.T, surface.normal(a, b) @ R.T, colour)
    middle = np.mean(points[0, :, 1])
    for rim in (points[:, 0], points[:, -1]):
        radius = np.hypot(rim[:, 0], rim[:, 2])
        shares = np.linspace(hub, radius[0], 9) / radius[0]
        face = np.stack([rim * [share, 1.0, share] for share in shares], axis=1)
        normal = np.array([0.0, np.sign(rim[0, 1] - middle), 0.0])
        scene.mesh(p + face @ R.T, np.broadcast_to(R @ normal, face.shape), colour)


def roll_and_lift() -> Figure:
    """Roll, lift and rolling radii over the lateral displacement, for conical and hollow wheels."""
    lateral = np.linspace(-0.008, 0.008, 161)
    poses: dict[str, RigPose] = {"conical wheels": RIG.pose(lateral)}
    for radius in (0.5, 0.33):
        poses[f"hollow, profile radius {radius:g} m"] = replace(RIG, wheel_profile_radius=radius).pose(lateral)
    with style():
        figure = new_figure(7.0, 4.8, "wheelset on a roller rig without yaw")
        panels = figure.subplots(1, 3)
        for k, (name, pose) in enumerate(poses.items()):
            difference = pose.rolling_radius["left"] - pose.rolling_radius["right"]
            for axes, values in zip(panels, (1e3 * pose.roll, 1e3 * pose.lift, 1e3 * difference), strict=True):
                axes.plot(1e3 * lateral, values, color=COLOURS[k], label=name)
        words = ("roll (mrad)", "lift (mm)", "difference of rolling radii (mm)")
        for axes, word in zip(panels, words, strict=True):
            axes.set_title(word, loc="left", fontsize=10)
            axes.set_xlabel("to the left (mm)")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        return figure


def oscillation() -> Figure:
    """Rolling without slip from a displacement of 4 mm, against linear theory and Klingel."""
    system = RIG.model(1100.0, (650.0, 90.0, 650.0), 800.0, no_slip=True).build()
    start = {"wheelset.lateral": 0.004, "wheelset.yaw": 0.0, "wheelset.pitch_rate": 20.0}
    run = system.simulate(4.2, start, samples=601)
    distance = -RIG.ring_radius * run.values("drum.angle").ravel()
    with style():
        figure = new_figure(7.0, 4.8, "kinematic oscillation on the rig: no slip, 9.2 m/s")
        top, bottom = figure.subplots(2, sharex=True)
        top.plot(distance, 1e3 * run.values("wheelset.lateral").ravel(), color=COLOURS[0], label="nonlinear model")
        for length, dashes, colour, name in (
            (RIG.wavelength, (0, (1.2, 1.6)), INK, f"linear theory, {RIG.wavelength:.3f} m"),
            (RIG.klingel_wavelength, (0, (5, 2)), COLOURS[1], f"Klingel, {RIG.klingel_wavelength:.3f} m"),
        ):
            top.plot(distance, 4.0 * np.cos(2 * np.pi * distance / length), color=colour, linestyle=dashes, label=name)
        top.set_ylabel("lateral (mm)")
        for name, colour in (("yaw", COLOURS[2]), ("roll", COLOURS[3])):
            bottom.plot(distance, 1e3 * run.values(f"wheelset.{name}").ravel(), color=colour, label=name)
        bottom.set_ylabel("angle (mrad)")
        bottom.set_xlabel("distance along the ring (m)")
        for axes in (top, bottom):
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02))
        return figure
