"""Trundle: multibody dynamics for machines that roll, slip and strike."""

from typing import TYPE_CHECKING, Any

from trundle import errors
from trundle.errors import TrundleError
from trundle.version import __version__

if TYPE_CHECKING:
    from trundle import bicycle, examples, pairs, rail, walker
    from trundle.contact.brush_tyre import BrushTyre
    from trundle.contact.friction import Coulomb, Creep, RegularisedCoulomb, Stribeck
    from trundle.contact.fufaev_neimark import FufaevNeimark
    from trundle.contact.lugre import LuGre
    from trundle.contact.magic_tyre import MagicTyre
    from trundle.contact.normal import Hertz, HuntCrossley, LinearContact
    from trundle.contact.patch_friction import PatchFriction
    from trundle.contact.relaxed import Relaxed
    from trundle.contact.resistance import RollingResistance, SpinFriction
    from trundle.contact.rolling import NoSlip, NoSpin
    from trundle.file import ModelFile, load_file, load_model
    from trundle.file.track import load_track
    from trundle.file.urdf import load_urdf
    from trundle.file.vehicle import load_vehicle
    from trundle.fitting import Experiment, Fit, fit
    from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8
    from trundle.integrate.methods.rosenbrock import Rodas4, Rodas5P
    from trundle.integrate.options import Steps
    from trundle.laws.backlash import Backlash
    from trundle.laws.efforts import Damper, Motor, Open, Spring
    from trundle.laws.flows import Acceleration, Flow, Locked, Servo
    from trundle.laws.law import EffortLaw, FlowLaw
    from trundle.laws.restitution import Newton, Poisson, Stronge
    from trundle.linear_algebra.udwadia_kalaba import relaxed_inverse, weighted_inverse
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
    from trundle.model import shape
    from trundle.model.block import Block, BlockOutput
    from trundle.model.body import Body, Frame
    from trundle.model.coordinate_forces import CoordinateForce, TorsionSpring
    from trundle.model.definitions import Event
    from trundle.model.electric_motor import ElectricMotor
    from trundle.model.first_order_lag import FirstOrderLag
    from trundle.model.frame_forces import Bushing, Wrench
    from trundle.model.joint import (
        AxisJoint,
        Connection,
        FixedControlledJoint,
        FixedIdealJoint,
        FixedServoJoint,
        FreeIdealJoint,
        FreeSlideJoint,
        SpringIdealJoint,
    )
    from trundle.model.line_forces import LineForce, SpringDamper
    from trundle.model.model import Model
    from trundle.model.pid import PID
    from trundle.model.series_damper import SeriesDamper
    from trundle.model.state import State
    from trundle.pairs.belt import Belt
    from trundle.pairs.bevel import BevelGear
    from trundle.pairs.cam import Cam
    from trundle.pairs.edge import CircleEdge, HelixEdge, LineEdge, Vertex
    from trundle.pairs.ellipsoid import Ellipsoid
    from trundle.pairs.gear import Gear
    from trundle.pairs.higher import HigherPair
    from trundle.pairs.lower import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
    from trundle.pairs.parametric import ParametricSurface
    from trundle.pairs.planar import Circle, Line, PlanarPair, Segment
    from trundle.pairs.rack import RackAndPinion
    from trundle.pairs.revolved import Revolved
    from trundle.pairs.surface import Cone, Cylinder, Plane, Sphere, SpiralColumn, TangentSurface, Torus
    from trundle.pairs.swept import SweptSurface
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.run.store import load
    from trundle.space import Ball, Chain, Screw, rotation
    from trundle.study.continuation.branch import Branch
    from trundle.study.continuation.continue_motion import continuation
    from trundle.study.optimisation import Optimum, optimise
    from trundle.study.periodic import Section
    from trundle.study.run_options import ProgressBar
    from trundle.study.stability import SteadyMotions
    from trundle.sweeps import Cases, grid, latin_hypercube, sobol, sweep
    from trundle.system import System

__all__ = [
    "PID",
    "Acceleration",
    "AxisJoint",
    "Backlash",
    "Ball",
    "BatchRun",
    "Belt",
    "BevelGear",
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
    "ProgressBar",
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
    "Segment",
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
    "SteadyMotions",
    "Steps",
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
    "kmh",
    "latin_hypercube",
    "load",
    "load_file",
    "load_model",
    "load_track",
    "load_urdf",
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

# The module of each public name. Modules are imported when one of their names is first used: to import numpy, CasADi
# and all classes of models would delay every start, and few scripts need them all.
_NAMES = {
    "trundle.bicycle": "bicycle",
    "trundle.contact.brush_tyre": "BrushTyre",
    "trundle.contact.friction": "Coulomb Creep RegularisedCoulomb Stribeck",
    "trundle.contact.fufaev_neimark": "FufaevNeimark",
    "trundle.contact.lugre": "LuGre",
    "trundle.contact.magic_tyre": "MagicTyre",
    "trundle.contact.normal": "Hertz HuntCrossley LinearContact",
    "trundle.contact.patch_friction": "PatchFriction",
    "trundle.contact.relaxed": "Relaxed",
    "trundle.contact.resistance": "RollingResistance SpinFriction",
    "trundle.contact.rolling": "NoSlip NoSpin",
    "trundle.examples": "examples",
    "trundle.file": "ModelFile load_file load_model",
    "trundle.file.track": "load_track",
    "trundle.file.urdf": "load_urdf",
    "trundle.file.vehicle": "load_vehicle",
    "trundle.fitting": "Experiment Fit fit",
    "trundle.integrate.methods.explicit": "DormandPrince5 DormandPrince8",
    "trundle.integrate.methods.rosenbrock": "Rodas4 Rodas5P",
    "trundle.integrate.options": "Steps",
    "trundle.laws.backlash": "Backlash",
    "trundle.laws.efforts": "Damper Motor Open Spring",
    "trundle.laws.flows": "Acceleration Flow Locked Servo",
    "trundle.laws.law": "EffortLaw FlowLaw",
    "trundle.laws.restitution": "Newton Poisson Stronge",
    "trundle.linear_algebra.udwadia_kalaba": "relaxed_inverse weighted_inverse",
    "trundle.lookup.table": "Table",
    "trundle.math": "abs acos asin atan atan2 ceil cos cosh degrees exp floor kmh log max min pi rpm sign sin sinh "
    "sqrt step tan tanh where",
    "trundle.model.block": "Block BlockOutput",
    "trundle.model.body": "Body Frame",
    "trundle.model.definitions": "Event",
    "trundle.model.electric_motor": "ElectricMotor",
    "trundle.model.first_order_lag": "FirstOrderLag",
    "trundle.model.coordinate_forces": "CoordinateForce TorsionSpring",
    "trundle.model.frame_forces": "Bushing Wrench",
    "trundle.model.line_forces": "LineForce SpringDamper",
    "trundle.model.joint": "AxisJoint Connection FixedControlledJoint FixedIdealJoint FixedServoJoint FreeIdealJoint "
    "FreeSlideJoint SpringIdealJoint",
    "trundle.model.model": "Model",
    "trundle.model.pid": "PID",
    "trundle.model.series_damper": "SeriesDamper",
    "trundle.model.shape": "shape",
    "trundle.model.state": "State",
    "trundle.pairs": "pairs",
    "trundle.pairs.belt": "Belt",
    "trundle.pairs.bevel": "BevelGear",
    "trundle.pairs.cam": "Cam",
    "trundle.pairs.edge": "CircleEdge HelixEdge LineEdge Vertex",
    "trundle.pairs.ellipsoid": "Ellipsoid",
    "trundle.pairs.gear": "Gear",
    "trundle.pairs.higher": "HigherPair",
    "trundle.pairs.lower": "Cylindrical Fixed Free Helical Planar Prismatic Revolute Spherical Universal",
    "trundle.pairs.parametric": "ParametricSurface",
    "trundle.pairs.planar": "Circle Line PlanarPair Segment",
    "trundle.pairs.rack": "RackAndPinion",
    "trundle.pairs.revolved": "Revolved",
    "trundle.pairs.surface": "Cone Cylinder Plane Sphere SpiralColumn TangentSurface Torus",
    "trundle.pairs.swept": "SweptSurface",
    "trundle.rail": "rail",
    "trundle.run.batch": "BatchRun",
    "trundle.run.run": "Run",
    "trundle.run.store": "load",
    "trundle.space": "Ball Chain Screw rotation",
    "trundle.study.continuation.branch": "Branch",
    "trundle.study.continuation.continue_motion": "continuation",
    "trundle.study.optimisation": "Optimum optimise",
    "trundle.study.periodic": "Section",
    "trundle.study.run_options": "ProgressBar",
    "trundle.study.stability": "SteadyMotions",
    "trundle.sweeps": "Cases grid latin_hypercube sobol sweep",
    "trundle.system": "System",
    "trundle.walker": "walker",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        advice = import_module("trundle.messages.refused_call").OF_TRUNDLE
        raise import_module("trundle.messages.arguments").unknown_name("trundle", name, __all__, advice, "tr")
    with import_module("trundle.garbage_collection").paused_garbage_collection(lasting=True):
        module = import_module(_HOME[name])
    found = module if name == module.__name__.rpartition(".")[2] else getattr(module, name)
    globals()[name] = found  # next time without this function
    import_module("trundle.messages.arguments").explain_module_calls(globals(), [name])
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)
