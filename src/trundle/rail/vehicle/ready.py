"""Ready-made vehicles; their numbers and sources are in rail/data."""

from functools import lru_cache
from typing import Literal

from trundle.data_file import read_data
from trundle.errors import ModelError
from trundle.rail.suspension.anti_roll_bar import AntiRollBar
from trundle.rail.suspension.bump_stop import BumpStopTable
from trundle.rail.suspension.bushing import Bushing
from trundle.rail.vehicle.bogie import Bogie
from trundle.rail.vehicle.bogie_vehicle import BogieVehicle
from trundle.rail.vehicle.car_body import CarBody
from trundle.rail.vehicle.mount import AxleBox, Mount
from trundle.rail.vehicle.wheelset import Contact, Wheelset
from trundle.rail.wheel_rail.creep import CreepLaw, ShenHedrickElkins
from trundle.rail.wheel_rail.geometry import ContactGeometry
from trundle.rail.wheel_rail.standard_profiles import S1002, Rail60E1
from trundle.typing import Json, State


@lru_cache
def vehicle_data(name: str) -> State:
    """Numbers of a vehicle with their source.

    Parameters
    ----------
    name : str
        "manchester_vehicle_1", "cooperrider" or "y25_wagon".

    Returns
    -------
    dict
    """
    if name not in ("manchester_vehicle_1", "cooperrider", "y25_wagon"):
        raise ModelError(f"there are no data of a vehicle called {name!r}; try 'manchester_vehicle_1'.")
    return read_data(f"rail/data/{name}.toml")


def manchester_vehicle(contact: Contact | None = None, mu: float = 0.3) -> BogieVehicle:
    """Passenger vehicle 1 of the Manchester benchmarks, on S1002 and 60E1 unless another contact is given.

    Primary vertical stiffness 1.22e6 N/m (1.2e6 in one of two sources); the dampers are parallel to the springs.

    Parameters
    ----------
    contact : Contact, optional
        S1002 on 60E1 unless given.
    mu : float
        Coefficient of friction.

    Returns
    -------
    BogieVehicle
    """
    data = vehicle_data("manchester_vehicle_1")
    spring = data["secondary"]
    secondary = (
        Mount("spring", _bushing(spring), spring["height"], spring["half_width"]),
        Mount("roll_bar", AntiRollBar(data["anti_roll_bar"]["stiffness"]), data["anti_roll_bar"]["height"]),
        Mount("stop", BumpStopTable(_points(data["bump_stop"]["points"]), "y"), data["bump_stop"]["height"]),
    )
    primary = data["primary"]
    axle_box = AxleBox(_bushing(primary), primary["half_width"], primary["height"])
    return BogieVehicle(_car(data["car"]), _bogie(data, axle_box, contact, mu), secondary, data["half_centres"])


def cooperrider_vehicle(contact: Contact | None = None, mu: float | None = None) -> BogieVehicle:
    """Cooperrider's bogie vehicle with the numbers of the Technical University of Denmark, on S1002 and 60E1 unless
    another contact is given; mu is 0.15 unless given.

    Parameters
    ----------
    contact : Contact, optional
        S1002 on 60E1 unless given.
    mu : float, optional
        Coefficient of friction, 0.15 unless given.

    Returns
    -------
    BogieVehicle
    """
    data = vehicle_data("cooperrider")
    kinds = ("vertical", "lateral", "yaw")
    secondary = tuple(Mount(k, _bushing(data[k]), data[k]["height"], data[k]["half_width"]) for k in kinds)
    primary = data["primary"]
    axle_box = AxleBox(_bushing(primary), primary["half_width"], primary["height"])
    bogie = _bogie(data, axle_box, contact, data["mu"] if mu is None else mu)
    return BogieVehicle(_car(data["car"]), bogie, secondary, data["half_centres"])


def y25_wagon(
    load: Literal["tare", "laden"] = "tare",
    contact: Contact | None = None,
    mu: float = 0.3,
    friction: Literal["smooth", "exact"] = "smooth",
) -> BogieVehicle:
    """A four-axle freight wagon on bogies like the Y25: springs of two stiffnesses, friction in proportion to the load,
    centre plate, side bearers with friction. Exact friction sticks and slides with events; smooth friction creeps a
    little and is faster. The numbers are plausible, not those of a particular wagon.

    Parameters
    ----------
    load : {"tare", "laden"}
        How it is loaded.
    contact : Contact, optional
        S1002 on 60E1 unless given.
    mu : float
        Coefficient of friction between wheel and rail.
    friction : {"smooth", "exact"}
        Of the suspension.

    Returns
    -------
    BogieVehicle
    """
    from trundle.rail.suspension.dry_friction import DryFriction
    from trundle.rail.suspension.lenoir_link import LenoirSprings

    data = vehicle_data("y25_wagon")
    if load not in ("tare", "laden"):
        raise ModelError(f"y25_wagon: load is 'tare' or 'laden', got {load!r}.")
    if friction not in ("smooth", "exact"):
        raise ModelError(f"y25_wagon: friction is 'smooth' or 'exact', got {friction!r}.")
    plate, bearer = data["centre_plate"], data["side_bearer"]
    exact = friction == "exact"
    sticks = bearer["stick"] if exact else None
    side_bearer = Bushing(tuple(bearer["stiffness"])) + DryFriction(bearer["friction"], "x", sticks)
    secondary = (
        Mount("plate", _bushing(plate), plate["height"]),
        Mount("bearer", side_bearer, bearer["height"], bearer["half_width"]),
    )
    box = dict(data["axle_box"])
    half_width = box.pop("half_width")
    axle_box = AxleBox(LenoirSprings(**box, exact=exact), half_width)
    return BogieVehicle(_car(data[load]), _bogie(data, axle_box, contact, mu), secondary, data["half_centres"])


def _bushing(data: Json) -> Bushing:
    return Bushing(
        tuple(data["stiffness"]), tuple(data["damping"]), tuple(data.get("turning_stiffness", (0.0, 0.0, 0.0)))
    )


def _points(data: list[list[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((d, f) for d, f in data)


def _car(data: Json) -> CarBody:
    return CarBody(data["mass"], tuple(data["inertia"]), data["height"], data["half_length"])


def _bogie(data: Json, axle_box: AxleBox, contact: Contact | None, mu: float) -> Bogie:
    frame, axle = data["bogie"], data["wheelset"]
    if contact is None:
        contact = _contact(axle["radius"], axle["back_to_back"], ShenHedrickElkins(mu))
    elif contact.geometry.radius != axle["radius"]:
        raise ModelError(
            f"the wheels of this vehicle have a radius of {axle['radius']:g} m, those of the contact "
            f"{contact.geometry.radius:g} m: give its ContactGeometry radius={axle['radius']:g}."
        )
    wheelset = Wheelset(axle["mass"], tuple(axle["inertia"]), contact)
    return Bogie(frame["mass"], tuple(frame["inertia"]), frame["height"], wheelset, axle_box, frame["half_wheelbase"])


def _contact(radius: float, back_to_back: float, creep: CreepLaw) -> Contact:
    """S1002 wheels on 60E1 rails inclined 1 in 40."""
    return Contact(ContactGeometry(S1002(), Rail60E1(), radius=radius, back_to_back=back_to_back), creep)
