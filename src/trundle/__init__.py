"""Trundle: multibody dynamics for machines that roll, slip and strike."""

from typing import TYPE_CHECKING, Any

from trundle import errors
from trundle.contact import (
    BrushTyre,
    Coulomb,
    Creep,
    FufaevNeimark,
    Hertz,
    HuntCrossley,
    LinearContact,
    LuGre,
    MagicTyre,
    Newton,
    NoSlip,
    NoSpin,
    PatchFriction,
    Poisson,
    RegularisedCoulomb,
    Relaxed,
    RollingResistance,
    SpinFriction,
    Stribeck,
    Stronge,
)
from trundle.errors import TrundleError
from trundle.lookup.table import Table
from trundle.math import (
    abs,
    acos,
    asin,
    atan,
    atan2,
    ceil,
    cos,
    cosh,
    degrees,
    exp,
    floor,
    kmh,
    log,
    max,
    min,
    pi,
    rpm,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
    where,
)
from trundle.model import (
    PID,
    Acceleration,
    AxisJoint,
    Block,
    BlockOutput,
    Body,
    Bushing,
    Connection,
    CoordinateForce,
    Damper,
    EffortLaw,
    ElectricMotor,
    Event,
    FirstOrderLag,
    FixedControlledJoint,
    FixedIdealJoint,
    FixedServoJoint,
    Flow,
    FlowLaw,
    Frame,
    FreeIdealJoint,
    FreeSlideJoint,
    LineForce,
    Locked,
    Model,
    Motor,
    Open,
    SeriesDamper,
    Servo,
    Spring,
    SpringDamper,
    SpringIdealJoint,
    State,
    TorsionSpring,
    Wrench,
    shape,
)
from trundle.pairs import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from trundle.pairs.belt import Belt
from trundle.pairs.cam import Cam
from trundle.pairs.edge import CircleEdge, HelixEdge, LineEdge, Vertex
from trundle.pairs.ellipsoid import Ellipsoid
from trundle.pairs.gear import Gear
from trundle.pairs.higher import HigherPair
from trundle.pairs.parametric import ParametricSurface
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.pairs.rack import RackAndPinion
from trundle.pairs.revolved import Revolved
from trundle.pairs.surface import Cone, Cylinder, Plane, Sphere, SpiralColumn, TangentSurface, Torus
from trundle.pairs.swept import SweptSurface
from trundle.space import Ball, Chain, Screw, rotation
from trundle.version import __version__

if TYPE_CHECKING:
    from trundle import bicycle, examples, impact, rail, walker
    from trundle.file import ModelFile, load_file, load_model
    from trundle.file.track import load_track
    from trundle.file.vehicle import load_vehicle
    from trundle.fitting import Experiment, Fit, fit
    from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8
    from trundle.integrate.methods.rosenbrock import Rodas4, Rodas5P
    from trundle.linear_algebra.udwadia_kalaba import relaxed_inverse, weighted_inverse
    from trundle.run.batch import BatchRun
    from trundle.run.dataset import Run
    from trundle.run.store import load
    from trundle.study.continuation.branch import Branch
    from trundle.study.continuation.continue_motion import continuation
    from trundle.study.optimisation import Optimum, optimise
    from trundle.study.periodic import Section
    from trundle.sweeps import Cases, grid, latin_hypercube, sobol, sweep
    from trundle.system import System


__all__ = [
    "PID",
    "Acceleration",
    "AxisJoint",
    "Ball",
    "BatchRun",
    "Belt",
    "Block",
    "BlockOutput",
    "Body",
    "Branch",
    "BrushTyre",
    "Bushing",
    "Cam",
    "Cases",
    "Chain",
    "Circle",
    "CircleEdge",
    "Cone",
    "Connection",
    "CoordinateForce",
    "Coulomb",
    "Creep",
    "Cylinder",
    "Cylindrical",
    "Damper",
    "DormandPrince5",
    "DormandPrince8",
    "EffortLaw",
    "ElectricMotor",
    "Ellipsoid",
    "Event",
    "Experiment",
    "FirstOrderLag",
    "Fit",
    "Fixed",
    "FixedControlledJoint",
    "FixedIdealJoint",
    "FixedServoJoint",
    "Flow",
    "FlowLaw",
    "Frame",
    "Free",
    "FreeIdealJoint",
    "FreeSlideJoint",
    "FufaevNeimark",
    "Gear",
    "Helical",
    "HelixEdge",
    "Hertz",
    "HigherPair",
    "HuntCrossley",
    "Line",
    "LineEdge",
    "LineForce",
    "LinearContact",
    "Locked",
    "LuGre",
    "MagicTyre",
    "Model",
    "ModelFile",
    "Motor",
    "Newton",
    "NoSlip",
    "NoSpin",
    "Open",
    "Optimum",
    "ParametricSurface",
    "PatchFriction",
    "Planar",
    "PlanarPair",
    "Plane",
    "Poisson",
    "Prismatic",
    "RackAndPinion",
    "RegularisedCoulomb",
    "Relaxed",
    "Revolute",
    "Revolved",
    "Rodas4",
    "Rodas5P",
    "RollingResistance",
    "Run",
    "Screw",
    "Section",
    "SeriesDamper",
    "Servo",
    "Sphere",
    "Spherical",
    "SpinFriction",
    "SpiralColumn",
    "Spring",
    "SpringDamper",
    "SpringIdealJoint",
    "State",
    "Stribeck",
    "Stronge",
    "SweptSurface",
    "System",
    "Table",
    "TangentSurface",
    "TorsionSpring",
    "Torus",
    "TrundleError",
    "Universal",
    "Vertex",
    "Wrench",
    "__version__",
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "bicycle",
    "ceil",
    "continuation",
    "cos",
    "cosh",
    "degrees",
    "errors",
    "examples",
    "exp",
    "fit",
    "floor",
    "grid",
    "impact",
    "kmh",
    "latin_hypercube",
    "load",
    "load_file",
    "load_model",
    "load_track",
    "load_vehicle",
    "log",
    "max",
    "min",
    "optimise",
    "pairs",
    "pi",
    "rail",
    "relaxed_inverse",
    "rotation",
    "rpm",
    "shape",
    "sign",
    "sin",
    "sinh",
    "sobol",
    "sqrt",
    "step",
    "sweep",
    "tan",
    "tanh",
    "walker",
    "weighted_inverse",
    "where",
]

_LATE = {
    "BatchRun": "trundle.run.batch",
    "Branch": "trundle.study.continuation.branch",
    "Cases": "trundle.sweeps",
    "DormandPrince5": "trundle.integrate.methods.explicit",
    "DormandPrince8": "trundle.integrate.methods.explicit",
    "Experiment": "trundle.fitting",
    "Fit": "trundle.fitting",
    "ModelFile": "trundle.file",
    "Optimum": "trundle.study.optimisation",
    "Rodas4": "trundle.integrate.methods.rosenbrock",
    "Rodas5P": "trundle.integrate.methods.rosenbrock",
    "Run": "trundle.run.dataset",
    "Section": "trundle.study.periodic",
    "System": "trundle.system",
    "bicycle": "trundle.bicycle",
    "continuation": "trundle.study.continuation.continue_motion",
    "examples": "trundle.examples",
    "fit": "trundle.fitting",
    "grid": "trundle.sweeps",
    "impact": "trundle.impact",
    "latin_hypercube": "trundle.sweeps",
    "load": "trundle.run.store",
    "load_file": "trundle.file",
    "load_model": "trundle.file",
    "load_track": "trundle.file.track",
    "load_vehicle": "trundle.file.vehicle",
    "optimise": "trundle.study.optimisation",
    "rail": "trundle.rail",
    "relaxed_inverse": "trundle.linear_algebra.udwadia_kalaba",
    "sobol": "trundle.sweeps",
    "sweep": "trundle.sweeps",
    "walker": "trundle.walker",
    "weighted_inverse": "trundle.linear_algebra.udwadia_kalaba",
}


def __getattr__(name: str) -> Any:
    """Reading files takes libraries that a model made in Python does without: they are imported when first
    asked for.
    """
    if name not in _LATE:
        from difflib import get_close_matches

        near = get_close_matches(name, [*__all__, *_LATE], n=3, cutoff=0.5)
        hint = f" Did you mean {', '.join(f'tr.{n}' for n in near)}?" if near else ""
        raise AttributeError(f"module 'trundle' has no attribute {name!r}.{hint}", name=name)
    from importlib import import_module

    module = import_module(_LATE[name])
    return module if name == module.__name__.rpartition(".")[2] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATE})
