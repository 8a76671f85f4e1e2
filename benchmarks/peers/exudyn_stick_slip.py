"""Exudyn: the block on a shaken plate with its compiled bristle element for dry friction."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.peers.exudyn_ import exu, item, new_settings
from benchmarks.reference import DURATION, GRAVITY
from benchmarks.stick_slip import STEP, Case, Times

HEAVY = 1e9  # mass of the plate over that of the block
# Of stiffnesses 1e4 to 1e8 N/m and dampings 1e2 to 1e6 N s/m of the bristles, with the trapezoidal rule and with
# generalised-alpha (radii 0.6, 0.9), these alone find the right number of transitions in both cases with no error above
# a millisecond. The time does not depend on them. A new Jacobian in each step doubles it.
STIFFNESS, DAMPING = 1e6, 1e4
SPECTRAL_RADIUS = 0.6
NEWTON_TOLERANCE = 1e-8


def _plate(case: Case) -> tuple[exu.MainSystem, int]:
    """Two masses on a line, and the number of the node that holds the friction (0 where the block sticks)."""
    system = exu.SystemContainer().AddSystem()
    ends = []
    for mass, speed in ((HEAVY, case.amplitude * case.rate), (1.0, 0.0)):
        node = system.AddNode(
            item.Node1D(referenceCoordinates=[0.0], initialCoordinates=[0.0], initialVelocities=[speed])
        )
        system.AddObject(item.Mass1D(mass=mass, nodeNumber=node))
        ends.append(system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=0)))
    ground = system.AddNode(item.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
    fixed = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    system.AddObject(item.CoordinateSpringDamper(markerNumbers=[fixed, ends[0]], stiffness=HEAVY * case.rate**2))
    kinetic, static = case.mu_kinetic * GRAVITY, case.mu_static * GRAVITY
    state = system.AddNode(item.NodeGenericData(initialCoordinates=[-kinetic, 0.0, 0.0], numberOfDataCoordinates=3))
    system.AddObject(
        item.CoordinateSpringDamperExt(
            markerNumbers=ends,
            nodeNumber=state,
            dynamicFrictionForce=kinetic,
            staticFrictionOffsetForce=static - kinetic,
            stickingStiffness=STIFFNESS,
            stickingDamping=DAMPING,
            exponentialDecayStatic=1e-9,  # the static part is lost as soon as the block slides
            frictionProportionalZone=0.0,
        )
    )
    return system, state


def _solve(system: exu.MainSystem) -> float:
    system.Assemble()
    settings = new_settings(round(DURATION / STEP), DURATION)
    settings.solution.sensors.writePeriod = STEP
    settings.timeIntegration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = NEWTON_TOLERANCE
    start = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    return time.perf_counter() - start


def seconds(case: Case) -> float:
    """Ten seconds, without any output."""
    return _solve(_plate(case)[0])


def times(case: Case) -> Times:
    """Ends of the first steps in which the block sticks, and slides."""
    system, node = _plate(case)
    kind = exu.OutputVariableType.Coordinates
    sensor = system.AddSensor(
        item.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True, writeToFile=False)
    )
    _solve(system)
    rows = system.GetSensorStoredData(sensor)
    sticks = rows[:, 1] == 0.0
    change = np.diff(sticks.astype(int))
    return rows[1:, 0][change == 1], rows[1:, 0][change == -1]
