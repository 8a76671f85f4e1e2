"""Exudyn: the chain as a kinematic tree by an explicit Runge-Kutta, the N-four-bar in redundant planar coordinates."""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks import reference
from benchmarks.reference import Result

# Exudyn's own switch for its build without range checks; it is read once, at the first import.
vars(sys).setdefault("exudynFast", True)
import exudyn as exu  # noqa: E402
from exudyn import itemInterface as item  # noqa: E402

# RK67 steps per sample (0.1 s) for an energy drift of 1e-9 over ten seconds, found by hand on ladders of a few per cent
# (`search_chain` repeats it with ten). RK67 beats RK44 and the adaptive DOPRI5 at this accuracy for n = 3 to 20.
CHAIN_STEPS = {3: 10, 5: 19, 7: 24, 20: 70, 100: 310}
DRIFT = 1e-9
ERROR = 1e-4
# Four-bar: generalised-alpha on index 3. At N = 10 the solver gave up with spectral radius 1 (step 1e-3) and, with the
# lower bound on the step set below, with TrapezoidalIndex2 and the index-2 form (step 2e-3; no smaller step was
# tried). Radii 0.6 to 0.95, Newton tolerances 1e-4 to 1e-10, full and modified Newton with contractivity 0.2 to 0.8,
# dense and sparse solvers were varied mostly one at a time; these were the fastest that keep the error.
FOUR_BAR_STEP = {10: 1.62e-3, 40: 1.62e-3}
SPECTRAL_RADIUS = 0.9
NEWTON_TOLERANCE = 1e-6
CONTRACTIVITY = 0.2


def new_settings(steps: int, duration: float) -> exu.SimulationSettings:
    """Equal steps, halved where Newton's method fails; no output, dense solver."""
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
    settings.solution.file.write = False
    settings.show.computationTime = False
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
    return settings


def _chain(n: int) -> tuple[exu.MainSystem, int]:
    """The chain as one kinematic tree, and the number of the node that holds its coordinates."""
    system = exu.SystemContainer().AddSystem()
    q, u = reference.chain_start(n)
    node = system.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=q.tolist(),
            initialCoordinates_t=u.tolist(),
            numberOfODE2Coordinates=n,
        )
    )
    joint = {"x": exu.JointType.RevoluteX, "y": exu.JointType.RevoluteY}
    offsets = [[0.0, 0.0, -reference.LINK_LENGTH if i else 0.0] for i in range(n)]
    system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, 0.0, -reference.GRAVITY],
            jointTypes=[joint[axis] for axis in reference.chain_axes(n)],
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList(offsets),
            linkInertiasCOM=exu.Matrix3DList([np.diag(reference.LINK_INERTIA)] * n),
            linkCOMs=exu.Vector3DList([[0.0, 0.0, -reference.LINK_LENGTH / 2]] * n),
            linkMasses=[reference.LINK_MASS] * n,
        )
    )
    return system, node


def chain_forward_dynamics(n: int) -> float:
    """Seconds per evaluation inside a run of RK44, four evaluations a step.

    Exudyn offers no bare call, so that the small cost of the stages and of starting the solver is included.
    """
    steps = max(20, 2_000 // n)
    best = np.inf
    for _ in range(15):
        system, _ = _chain(n)
        system.Assemble()
        settings = new_settings(steps, 1e-4 * steps)
        start = time.perf_counter()
        system.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK44)
        best = min(best, (time.perf_counter() - start) / (4 * steps))
    return best


def run_chain(n: int, steps_per_sample: int) -> Result:
    """Ten seconds of the chain by RK67 with a fixed step."""
    system, node = _chain(n)
    kinds = (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t)
    sensors = [
        system.AddSensor(
            item.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True, writeToFile=False)
        )
        for kind in kinds
    ]
    system.Assemble()
    intervals = reference.SAMPLES - 1
    steps = intervals * steps_per_sample
    settings = new_settings(steps, reference.DURATION)
    settings.solution.sensors.writePeriod = reference.DURATION / intervals
    start = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK67)
    seconds = time.perf_counter() - start
    q, u = (system.GetSensorStoredData(sensor)[:, 1:] for sensor in sensors)
    used = {"integrator": "RK67", "step": reference.DURATION / steps, "steps": steps}
    return Result(seconds, reference.energy_drift(q, u), used)


def chain_simulation(n: int, drift: float = DRIFT) -> Result:
    """Ten seconds of the chain within the energy drift."""
    if drift == DRIFT and n in CHAIN_STEPS:
        return run_chain(n, CHAIN_STEPS[n])
    return search_chain(n, drift)


def search_chain(n: int, drift: float = DRIFT) -> Result:
    """Coarsest step within the energy drift."""
    return reference.coarsest(lambda steps: run_chain(n, int(steps)), reference.counts(5, 500), drift)


def run_four_bar(n_loops: int, step: float) -> Result:
    """Ten seconds of the N-four-bar by the generalised-alpha method with a fixed step."""
    system, first_rod = _four_bar(n_loops)
    system.Assemble()
    steps = round(reference.DURATION / step)
    settings = new_settings(steps, reference.DURATION)
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.linearSolver.reuseAnalyzedPattern = True
    integration = settings.timeIntegration
    integration.minimumStepSize = step / 5  # a step that cannot be solved ends the run instead of being halved for ever
    integration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    integration.newton.useModifiedNewton = True
    integration.newton.relativeTolerance = NEWTON_TOLERANCE
    integration.newton.modifiedNewtonContractivity = CONTRACTIVITY
    start = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    seconds = time.perf_counter() - start
    turned = system.GetNodeOutput(first_rod, exu.OutputVariableType.Coordinates)[2]
    used = {
        "integrator": "generalised-alpha, index 3",
        "spectral_radius": SPECTRAL_RADIUS,
        "step": reference.DURATION / steps,
        "steps": steps,
        "newton_tolerance": NEWTON_TOLERANCE,
    }
    return Result(seconds, reference.angle_error(n_loops, np.pi / 2 + turned), used)


def _four_bar(n_loops: int) -> tuple[exu.MainSystem, int]:
    """The N-four-bar of free planar bodies and revolute joints, and the number of the first rod's node."""
    system = exu.SystemContainer().AddSystem()
    ground = system.AddObject(item.ObjectGround())

    def link(x: float, y: float, angle: float, velocity: float, rate: float) -> tuple[int, int]:
        node = system.AddNode(
            item.NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=[velocity, 0.0, rate])
        )
        body = system.AddObject(item.ObjectRigidBody2D(mass=1.0, inertia=1 / 12, nodeNumber=node))
        centre = system.AddMarker(item.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(item.LoadMassProportional(markerNumber=centre, loadVector=[0.0, -reference.GRAVITY, 0.0]))
        return node, body

    def revolute(first: int, x_first: float, second: int, x_second: float) -> None:
        markers = [
            system.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0.0, 0.0]))
            for body, x in ((first, x_first), (second, x_second))
        ]
        system.AddObject(item.ObjectJointRevolute2D(markerNumbers=markers))

    rods = [link(i, 0.5, np.pi / 2, 0.5, -1.0) for i in range(n_loops + 1)]
    couplers = [link(i + 0.5, 1.0, 0.0, 1.0, 0.0) for i in range(n_loops)]
    for i, (_, rod) in enumerate(rods):
        revolute(ground, float(i), rod, -0.5)
        if i < n_loops:
            revolute(rod, 0.5, couplers[i][1], -0.5)
        if i > 0:
            revolute(rod, 0.5, couplers[i - 1][1], 0.5)
    return system, rods[0][0]


def four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Ten seconds of the N-four-bar with the first rod's final angle within the error."""
    if error == ERROR and n_loops in FOUR_BAR_STEP:
        return run_four_bar(n_loops, FOUR_BAR_STEP[n_loops])
    return search_four_bar(n_loops, error)


def search_four_bar(n_loops: int, error: float = ERROR) -> Result:
    """Coarsest step within the error; the other settings stay as they are."""
    ladder = [2e-3 * 0.9**rung for rung in range(30)]
    return reference.coarsest(lambda step: run_four_bar(n_loops, step), ladder, error)
