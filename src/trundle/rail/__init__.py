"""Rail: lines and their track frame; wheel on rail; a wheelset on a roller rig.

Axes: x forward, y to the left, z up; roll raises the left wheel. A curve of positive radius turns left.
"""

from typing import TYPE_CHECKING

from trundle.messages.late_names import import_when_used

if TYPE_CHECKING:
    from trundle.pairs.wheelset_guide import TrackGuide, WheelsetGuide
    from trundle.rail.analysis.assess import Assessment, assess, nadal, prudhomme
    from trundle.rail.analysis.critical import RootLocus, critical_speed
    from trundle.rail.analysis.curving import Curving, curving
    from trundle.rail.analysis.hunting import Hunting, hunting
    from trundle.rail.analysis.over_speeds import SpeedTable, over_speeds
    from trundle.rail.analysis.signals import sliding_mean
    from trundle.rail.analysis.transitions import TransitionComparison, compare_transitions
    from trundle.rail.analysis.weighting import Weighting, mean_comfort, sperling, sperling_factor
    from trundle.rail.rig.rig_pose import JOINTS, RigPose
    from trundle.rail.rig.roller_rig import RollerRig
    from trundle.rail.suspension.air_spring import AirSpring
    from trundle.rail.suspension.anti_roll_bar import AntiRollBar
    from trundle.rail.suspension.bump_stop import BumpStop, BumpStopTable
    from trundle.rail.suspension.bushing import Bushing
    from trundle.rail.suspension.draft_gear import DraftGear
    from trundle.rail.suspension.dry_friction import DryFriction
    from trundle.rail.suspension.lenoir_link import LenoirSprings
    from trundle.rail.suspension.series_damper import SeriesDamper
    from trundle.rail.suspension.suspension import Suspension
    from trundle.rail.track.alignment import Alignment
    from trundle.rail.track.continuity import Continuity, Jump
    from trundle.rail.track.cubic_parabola import CubicParabola
    from trundle.rail.track.gradient import Grade, VerticalCurve
    from trundle.rail.track.irregularity import Irregularity
    from trundle.rail.track.line import TrackFrame, irregularity_table
    from trundle.rail.track.measured import FittedLine, fit_line
    from trundle.rail.track.segment import Arc, Segment, Straight
    from trundle.rail.track.track_frame import TrackMotion
    from trundle.rail.track.transition import (
        Adjustable,
        Bloss,
        Clothoid,
        Cosine,
        Helmert,
        Polynomial,
        Sine,
        Transition,
        Vienna,
    )
    from trundle.rail.trip.ending import LiftOff, lift_offs
    from trundle.rail.trip.fit import TripWarning
    from trundle.rail.trip.trip import Trip
    from trundle.rail.vehicle.bogie import Bogie
    from trundle.rail.vehicle.bogie_vehicle import BogieVehicle
    from trundle.rail.vehicle.car_body import CarBody
    from trundle.rail.vehicle.change import changed
    from trundle.rail.vehicle.mount import AxleBox, Mount
    from trundle.rail.vehicle.rail_support import RailSupport
    from trundle.rail.vehicle.ready import cooperrider_vehicle, manchester_vehicle, vehicle_data, y25_wagon
    from trundle.rail.vehicle.ride import Ride, TrackPlace
    from trundle.rail.vehicle.running_gear import FixedWheelset
    from trundle.rail.vehicle.single_wheelset import SingleWheelset
    from trundle.rail.vehicle.train import Train
    from trundle.rail.vehicle.travel import Free, SpeedOverTime, Travel, TravelLaw, UniformTravel
    from trundle.rail.vehicle.vehicle import PlacedVehicle, Vehicle, Wheel
    from trundle.rail.vehicle.wagon import Wagon
    from trundle.rail.vehicle.wheel_on_rail import WheelOnRail, WheelPlace
    from trundle.rail.vehicle.wheelset import Contact, PlacedWheelset, Wheelset
    from trundle.rail.wheel_rail.conicity import equivalent_conicity
    from trundle.rail.wheel_rail.contact_table import ContactTable, TableContact
    from trundle.rail.wheel_rail.creep import (
        Creepages,
        CreepForce,
        CreepLaw,
        FallingFriction,
        JohnsonVermeulen,
        Linear,
        Polach,
        ShenHedrickElkins,
        creepages,
    )
    from trundle.rail.wheel_rail.creep_book import Book, CreepBook
    from trundle.rail.wheel_rail.creep_view import creep_plot
    from trundle.rail.wheel_rail.fastsim import Fastsim
    from trundle.rail.wheel_rail.geometry import ContactGeometry, WheelsetContact
    from trundle.rail.wheel_rail.hertz import STEEL, Elastic, Ellipse, hertz, hertz_of_axes
    from trundle.rail.wheel_rail.kalker import Coefficients, KalkerWarning, Patch, kalker
    from trundle.rail.wheel_rail.profile import Profile
    from trundle.rail.wheel_rail.standard_profiles import S1002, Rail60E1
    from trundle.rail.wheel_rail.wheel_side import WheelContact

__all__ = [
    "JOINTS",
    "S1002",
    "STEEL",
    "Adjustable",
    "AirSpring",
    "Alignment",
    "AntiRollBar",
    "Arc",
    "Assessment",
    "AxleBox",
    "Bloss",
    "Bogie",
    "BogieVehicle",
    "Book",
    "BumpStop",
    "BumpStopTable",
    "Bushing",
    "CarBody",
    "Clothoid",
    "Coefficients",
    "Contact",
    "ContactGeometry",
    "ContactTable",
    "Continuity",
    "Cosine",
    "CreepBook",
    "CreepForce",
    "CreepLaw",
    "Creepages",
    "CubicParabola",
    "Curving",
    "DraftGear",
    "DryFriction",
    "Elastic",
    "Ellipse",
    "FallingFriction",
    "Fastsim",
    "FittedLine",
    "FixedWheelset",
    "Free",
    "Grade",
    "Helmert",
    "Hunting",
    "Irregularity",
    "JohnsonVermeulen",
    "Jump",
    "KalkerWarning",
    "LenoirSprings",
    "LiftOff",
    "Linear",
    "Mount",
    "Patch",
    "PlacedVehicle",
    "PlacedWheelset",
    "Polach",
    "Polynomial",
    "Profile",
    "Rail60E1",
    "RailSupport",
    "Ride",
    "RigPose",
    "RollerRig",
    "RootLocus",
    "Segment",
    "SeriesDamper",
    "ShenHedrickElkins",
    "Sine",
    "SingleWheelset",
    "SpeedOverTime",
    "SpeedTable",
    "Straight",
    "Suspension",
    "TableContact",
    "TrackFrame",
    "TrackGuide",
    "TrackMotion",
    "TrackPlace",
    "Train",
    "Transition",
    "TransitionComparison",
    "Travel",
    "TravelLaw",
    "Trip",
    "TripWarning",
    "UniformTravel",
    "Vehicle",
    "VerticalCurve",
    "Vienna",
    "Wagon",
    "Weighting",
    "Wheel",
    "WheelContact",
    "WheelOnRail",
    "WheelPlace",
    "Wheelset",
    "WheelsetContact",
    "WheelsetGuide",
    "assess",
    "changed",
    "compare_transitions",
    "cooperrider_vehicle",
    "creep_plot",
    "creepages",
    "critical_speed",
    "curving",
    "equivalent_conicity",
    "fit_line",
    "hertz",
    "hertz_of_axes",
    "hunting",
    "irregularity_table",
    "kalker",
    "lift_offs",
    "manchester_vehicle",
    "mean_comfort",
    "nadal",
    "over_speeds",
    "prudhomme",
    "sliding_mean",
    "sperling",
    "sperling_factor",
    "vehicle_data",
    "y25_wagon",
]

_KLINGEL = (
    "Klingel's wavelength is 2 pi sqrt(e r0 / tan gamma), with half the distance e of the contacts, radius r0 and "
    "conicity tan gamma = rail.equivalent_conicity(...)"
)
_LINE = "a line is a rail.Alignment([rail.Straight(50), rail.Arc(100, 600)]), and a rail.Trip runs a vehicle on it"
_ELSEWHERE = {
    "Klingel": _KLINGEL,
    "klingel": _KLINGEL,
    "klingel_wavelength": f"{_KLINGEL}; a rail.RollerRig has it too, .klingel_wavelength",
    "Track": _LINE,
    "Line": _LINE,
    "UIC60": "the profile 60E1 (once UIC 60) is rail.Rail60E1()",
    **dict.fromkeys(("Spiral", "TransitionCurve"), "transition curves are rail.Clothoid, rail.Sine, rail.Bloss, ..."),
    **dict.fromkeys(("Speed", "speed"), "the speed is an argument of the trip, rail.Trip(vehicle, line, speed=20.0)"),
    "simulate": "trip = rail.Trip(vehicle, line, speed), then trip.simulate()",
}
_NAMES = {
    "trundle.pairs.wheelset_guide": "TrackGuide WheelsetGuide",
    "trundle.rail.analysis.assess": "Assessment assess nadal prudhomme",
    "trundle.rail.analysis.critical": "RootLocus critical_speed",
    "trundle.rail.analysis.curving": "Curving curving",
    "trundle.rail.analysis.hunting": "Hunting hunting",
    "trundle.rail.analysis.over_speeds": "SpeedTable over_speeds",
    "trundle.rail.analysis.signals": "sliding_mean",
    "trundle.rail.analysis.transitions": "TransitionComparison compare_transitions",
    "trundle.rail.analysis.weighting": "Weighting mean_comfort sperling sperling_factor",
    "trundle.rail.rig.rig_pose": "JOINTS RigPose",
    "trundle.rail.rig.roller_rig": "RollerRig",
    "trundle.rail.suspension.air_spring": "AirSpring",
    "trundle.rail.suspension.anti_roll_bar": "AntiRollBar",
    "trundle.rail.suspension.bump_stop": "BumpStop BumpStopTable",
    "trundle.rail.suspension.bushing": "Bushing",
    "trundle.rail.suspension.draft_gear": "DraftGear",
    "trundle.rail.suspension.dry_friction": "DryFriction",
    "trundle.rail.suspension.lenoir_link": "LenoirSprings",
    "trundle.rail.suspension.series_damper": "SeriesDamper",
    "trundle.rail.suspension.suspension": "Suspension",
    "trundle.rail.track.alignment": "Alignment",
    "trundle.rail.track.continuity": "Continuity Jump",
    "trundle.rail.track.cubic_parabola": "CubicParabola",
    "trundle.rail.track.gradient": "Grade VerticalCurve",
    "trundle.rail.track.irregularity": "Irregularity",
    "trundle.rail.track.line": "TrackFrame irregularity_table",
    "trundle.rail.track.measured": "FittedLine fit_line",
    "trundle.rail.track.segment": "Arc Segment Straight",
    "trundle.rail.track.track_frame": "TrackMotion",
    "trundle.rail.track.transition": "Adjustable Bloss Clothoid Cosine Helmert Polynomial Sine Transition Vienna",
    "trundle.rail.trip.ending": "LiftOff lift_offs",
    "trundle.rail.trip.fit": "TripWarning",
    "trundle.rail.trip.trip": "Trip",
    "trundle.rail.vehicle.bogie": "Bogie",
    "trundle.rail.vehicle.bogie_vehicle": "BogieVehicle",
    "trundle.rail.vehicle.car_body": "CarBody",
    "trundle.rail.vehicle.change": "changed",
    "trundle.rail.vehicle.mount": "AxleBox Mount",
    "trundle.rail.vehicle.rail_support": "RailSupport",
    "trundle.rail.vehicle.ready": "cooperrider_vehicle manchester_vehicle vehicle_data y25_wagon",
    "trundle.rail.vehicle.ride": "Ride TrackPlace",
    "trundle.rail.vehicle.running_gear": "FixedWheelset",
    "trundle.rail.vehicle.single_wheelset": "SingleWheelset",
    "trundle.rail.vehicle.train": "Train",
    "trundle.rail.vehicle.travel": "Free SpeedOverTime Travel TravelLaw UniformTravel",
    "trundle.rail.vehicle.vehicle": "PlacedVehicle Vehicle Wheel",
    "trundle.rail.vehicle.wagon": "Wagon",
    "trundle.rail.vehicle.wheel_on_rail": "WheelOnRail WheelPlace",
    "trundle.rail.vehicle.wheelset": "Contact PlacedWheelset Wheelset",
    "trundle.rail.wheel_rail.conicity": "equivalent_conicity",
    "trundle.rail.wheel_rail.contact_table": "ContactTable TableContact",
    "trundle.rail.wheel_rail.creep": "Creepages CreepForce CreepLaw FallingFriction JohnsonVermeulen Linear Polach "
    "ShenHedrickElkins creepages",
    "trundle.rail.wheel_rail.creep_book": "Book CreepBook",
    "trundle.rail.wheel_rail.creep_view": "creep_plot",
    "trundle.rail.wheel_rail.fastsim": "Fastsim",
    "trundle.rail.wheel_rail.geometry": "ContactGeometry WheelsetContact",
    "trundle.rail.wheel_rail.hertz": "STEEL Elastic Ellipse hertz hertz_of_axes",
    "trundle.rail.wheel_rail.kalker": "Coefficients KalkerWarning Patch kalker",
    "trundle.rail.wheel_rail.profile": "Profile",
    "trundle.rail.wheel_rail.standard_profiles": "S1002 Rail60E1",
    "trundle.rail.wheel_rail.wheel_side": "WheelContact",
}
import_when_used(globals(), _NAMES, _ELSEWHERE)
