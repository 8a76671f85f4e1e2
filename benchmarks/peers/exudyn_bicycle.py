"""Exudyn: the benchmark bicycle as a kinematic tree on two rolling discs (knife edges, no slip)."""

from __future__ import annotations

import time
from math import cos, sin

import numpy as np

from benchmarks import reference
from benchmarks.bicycle import COARSE, FINE, ROLL_RATE, SPEED, Array, end_error, exact
from benchmarks.peers.exudyn_ import exu, item, new_settings
from benchmarks.reference import DURATION, SAMPLES, Result
from trundle.bicycle import benchmark_parts

# Steps in ten seconds for the error at the end. A kinematic tree with the trapezoidal rule on index 2 was the fastest
# of what was tried. Four free bodies and three hinges, with Euler parameters or on Lie groups, need about 15 000 steps
# and four times the time for the fine error; on the tree the generalised-alpha method (radii 0.6 to 1) is no better.
# A new Jacobian in each step saves a third; other Newton tolerances (1e-6 to 1e-11) or a sparse solver gain nothing.
STEPS = {FINE: 2700, COARSE: 200}
NEWTON_TOLERANCE = 1e-8
ROLL, STEER = 4, 6  # numbers of links, which are those of their coordinates


def _tree() -> tuple[exu.MainSystem, int]:
    """The bicycle upright at the start of the run, and the number of the node that holds its coordinates."""
    parts = benchmark_parts()
    rear, front, frame, fork = parts.rear_wheel, parts.front_wheel, parts.rear_frame, parts.front_frame
    rear_hub, front_hub = np.array([0.0, 0.0, rear.radius]), np.array([parts.wheelbase, 0.0, front.radius])
    foot = np.array([parts.wheelbase + parts.trail, 0.0, 0.0])  # where the steering axis meets the road
    s, c = sin(parts.tilt), cos(parts.tilt)
    R_BF = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])  # frame to fork, whose z is the steering axis
    joint = exu.JointType
    nothing, origin, straight = np.zeros((3, 3)), np.zeros(3), np.eye(3)
    # x, y, z, yaw and roll are links without mass; the rear frame (pitch) has its origin at the rear hub
    massless = 5
    kinds = [joint.PrismaticX, joint.PrismaticY, joint.PrismaticZ, joint.RevoluteZ, joint.RevoluteX]
    kinds += [joint.RevoluteY, joint.RevoluteZ, joint.RevoluteY, joint.RevoluteY]
    inertias = [np.array(frame.inertia, dtype=float), R_BF.T @ np.array(fork.inertia, dtype=float) @ R_BF]
    inertias += [np.diag([wheel.Ixx, wheel.Iyy, wheel.Ixx]) for wheel in (rear, front)]
    centres = [np.array([frame.x, 0.0, frame.z]) - rear_hub, R_BF.T @ (np.array([fork.x, 0.0, fork.z]) - foot)]
    offsets = [origin, foot - rear_hub, origin, R_BF.T @ (front_hub - foot)]

    system = exu.SystemContainer().AddSystem()
    speeds = [SPEED, -ROLL_RATE * rear.radius, 0.0, 0.0, ROLL_RATE, 0.0, 0.0, SPEED / rear.radius, SPEED / front.radius]
    node = system.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=[0.0] * len(kinds),
            initialCoordinates=[*rear_hub, *[0.0] * 6],
            initialCoordinates_t=speeds,
            numberOfODE2Coordinates=len(kinds),
        )
    )
    tree = system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, 0.0, -parts.gravity],
            jointTypes=kinds,
            linkParents=[-1, 0, 1, 2, 3, 4, 5, 5, 6],
            jointTransformations=exu.Matrix3DList([straight] * 6 + [R_BF, straight, straight]),
            jointOffsets=exu.Vector3DList([origin] * massless + offsets),
            linkInertiasCOM=exu.Matrix3DList([nothing] * massless + inertias),
            linkCOMs=exu.Vector3DList([origin] * massless + centres + [origin, origin]),
            linkMasses=[0.0] * massless + [frame.mass, fork.mass, rear.mass, front.mass],
        )
    )
    road = system.AddMarker(item.MarkerBodyRigid(bodyNumber=system.AddObject(item.ObjectGround())))
    for link, wheel in ((7, rear), (8, front)):
        hub = system.AddMarker(item.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link, localPosition=origin))
        system.AddObject(
            item.ObjectJointRollingDisc(markerNumbers=[road, hub], discRadius=wheel.radius, discAxis=[0.0, 1.0, 0.0])
        )
    return system, node


def roll_and_steer(steps: int, newton_tolerance: float = NEWTON_TOLERANCE) -> tuple[float, Array]:
    """Seconds, and roll and steer at the instants of the exact solution; steps must be a multiple of the intervals."""
    intervals = SAMPLES - 1
    if steps % intervals:
        raise ValueError(f"{steps} steps do not meet the {intervals} intervals between samples; take a multiple")
    system, node = _tree()
    kind = exu.OutputVariableType.Coordinates
    sensor = system.AddSensor(
        item.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True, writeToFile=False)
    )
    system.Assemble()
    settings = new_settings(steps, DURATION)
    settings.solution.sensors.writePeriod = DURATION / intervals
    newton = settings.timeIntegration.newton
    newton.useModifiedNewton = True
    newton.modifiedNewtonJacUpdatePerStep = True
    newton.relativeTolerance = newton_tolerance
    start = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    seconds = time.perf_counter() - start
    return seconds, system.GetSensorStoredData(sensor)[:, [1 + ROLL, 1 + STEER]]


def run_bicycle(steps: int) -> Result:
    """Ten seconds of the bicycle with a fixed step."""
    seconds, angles = roll_and_steer(steps)
    used = {"integrator": "trapezoidal, index 2", "step": DURATION / steps, "steps": steps}
    return Result(seconds, end_error(*angles[-1]), used)


def simulation(error: float = FINE) -> Result:
    """Ten seconds of the bicycle with roll and steer at the end within the error."""
    return run_bicycle(STEPS[error]) if error in STEPS else search(error)


def search(error: float = FINE) -> Result:
    """Coarsest step within the error."""
    ladder = [100 * hundreds for hundreds in reference.counts(1, 200)]
    return reference.coarsest(lambda steps: run_bicycle(int(steps)), ladder, error)


def convergence(steps: int = 3000) -> tuple[float, float, float]:
    """Largest error over all instants with these steps, with twice as many, and extrapolated from both to order 2.

    A factor of four between the first two and a far smaller third show that both codes run the same bicycle.
    """
    first, second = (roll_and_steer(n, newton_tolerance=1e-10)[1] for n in (steps, 2 * steps))
    coarse, fine, limit = (float(np.abs(a - exact()).max()) for a in (first, second, (4 * second - first) / 3))
    return coarse, fine, limit
