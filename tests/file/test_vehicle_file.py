"""Vehicles as YAML files: the same vehicle as in Python, ready ones with changes, and faults with their line."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import trundle as tr
from trundle import examples, rail
from trundle.errors import FileError, ModelError, UnknownNameError
from trundle.file.vehicle import load_vehicle, read_vehicle
from trundle.rail.suspension.suspension import Parallel
from trundle.rail.wheel_rail.geometry import ContactGeometry
from trundle.rail.wheel_rail.profile import Profile

FILES = sorted((examples.FOLDER / "vehicles").glob("*.yaml"))
WAGON = (examples.FOLDER / "vehicles" / "two-axle-wagon.yaml").read_text()


def alike(one, other, where=""):
    """Every number in every slot."""
    assert type(one) is type(other), where
    if isinstance(one, Profile):
        s = np.linspace(one.start, one.end, 50)
        assert np.array_equal(one.height(s), other.height(s)), where
    elif is_dataclass(one):
        for field in fields(one):
            alike(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, tuple):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            alike(a, b, f"{where}[{i}]")
    else:
        assert one == other, where


def test_a_file_is_the_vehicle_in_python():
    contact = rail.Contact(
        ContactGeometry(rail.S1002(), rail.Rail60E1(1 / 40), gauge=1.435, radius=0.46), rail.ShenHedrickElkins(0.4)
    )
    axle = rail.Wheelset(1813.0, (1120.0, 112.0, 1120.0), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)), 1.0)
    alike(read_vehicle(WAGON).vehicle, rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0))


def test_the_vehicles_that_come_with_it():
    assert len(FILES) >= 7
    for path in FILES:
        file = tr.load_vehicle(path)
        assert file.text and file.name and file.vehicle.mass > 1000 and isinstance(file.vehicle, rail.Vehicle)
    train = load_vehicle(examples.FOLDER / "vehicles" / "freight-train.yaml").vehicle
    gear = rail.DraftGear(stiffness=1e7, slack=0.04, damping=4e5, friction=0.2)
    alike(train, rail.Train([rail.y25_wagon("laden"), rail.y25_wagon()], gear))
    single = load_vehicle(examples.FOLDER / "vehicles" / "suspended-wheelset.yaml").vehicle
    spring, stop = rail.Bushing((2e6, 2e6, 1e6), (5e3, 5e3, 2e4)), rail.BumpStop(0.01, 5e6, axis="y")
    alike(single.suspension, Parallel((spring, stop)))


def test_a_ready_vehicle_with_changes():
    changed = load_vehicle(examples.FOLDER / "vehicles" / "heavy-coach.yaml").vehicle
    plain = rail.manchester_vehicle(mu=0.35)
    assert changed.mass - plain.mass == 6000.0 and changed.secondary[0].suspension.stiffness == (150e3, 150e3, 400e3)
    alike(changed.bogie, plain.bogie)
    alike(changed.secondary[1:], plain.secondary[1:])
    whole = "vehicle:\n  y25_wagon:\n    change:\n      bogie.axle_box.suspension: {Bushing: {stiffness: [1, 2, 3]}}\n"
    assert read_vehicle(whole).vehicle.bogie.axle_box.suspension == rail.Bushing((1.0, 2.0, 3.0))


def test_changes_in_python():
    coach = rail.manchester_vehicle()
    other = rail.changed(coach, {"body.mass": 1e4, "secondary.stop.height": 0.7, "bogie.wheelset.mass": 2000.0})
    assert (other.body.mass, other.secondary[2].height, other.bogie.wheelset.mass) == (1e4, 0.7, 2000.0)
    assert coach.body.mass == 32e3 and other.secondary[0] is coach.secondary[0]
    train = rail.changed(rail.Train([coach, coach], rail.DraftGear(1e7)), {"vehicles.2.body.mass": 1e4})
    assert [one.body.mass for one in train.vehicles] == [32e3, 1e4]
    rubbing = rail.changed(rail.y25_wagon(), {"secondary.bearer.suspension.parts.2.stiffness": 1e7})
    assert rubbing.secondary[1].suspension.parts[1].stiffness == 1e7
    with pytest.raises(UnknownNameError, match=r"no part of CarBody called 'mas'.*mass"):
        rail.changed(coach, {"body.mas": 1.0})
    with pytest.raises(ModelError, match="no parts inside"):
        rail.changed(coach, {"body.mass.kg": 1.0})
    with pytest.raises(ModelError, match="mass must be greater than zero"):
        rail.changed(coach, {"body.mass": 0.0})


def test_profiles_beside_the_file(tmp_path):
    s = np.linspace(-0.04, 0.05, 181)
    np.savetxt(tmp_path / "w.csv", 1e3 * np.column_stack([s, -s / 20]), delimiter=",", header="s,z", comments="")
    wheel = "wheel: {file: {path: w.csv, unit: mm}}, rail: {arc: {radius: 0.3}}"
    (tmp_path / "a.yaml").write_text(WAGON.replace("wheel: S1002, rail: {Rail60E1: {inclination: 1/40}}", wheel))
    found = load_vehicle(tmp_path / "a.yaml").vehicle.wheelset.contact.geometry
    assert found.wheel.slope(0.01) == pytest.approx(-0.05, abs=1e-6) and found.wheel.kind == "wheel"


def with_(old, new):
    assert old in WAGON
    return WAGON.replace(old, new)


FAULTS = [
    (with_("Wagon:", "Waggon:"), ["line 6", "no 'Waggon'", "'Wagon'"]),
    (with_("wheelbase: 8", "wheelbas: 8"), ["line 7", "no slot called 'wheelbas'", "wheelbase must be given"]),
    (with_("wheelbase: 8", "wheelbase: -8"), ["line 6", "wheelbase must be greater than zero"]),
    (with_("wheelbase: 8", "wheelbase: long"), ["line 7", "'long'"]),
    (with_("wheelbase: 8", "wheelbase: true"), ["line 7", "give a number"]),
    (with_("mass: 20e3", "mass: -1"), ["line 8", "mass must be finite and not negative"]),
    (with_("[3e4, 2e5, 2.1e5]", "[3e4, 2e5]"), ["line 8", "a list of 3 numbers"]),
    (with_("body: {mass: 20e3, inertia: [3e4, 2e5, 2.1e5], height: 1.9}", "body: 5"), ["line 8", "slots of CarBody"]),
    (with_("wheel: S1002", "wheel: S1003"), ["line 13", "no 'S1003'", "S1002"]),
    (with_("wheel: S1002", "wheel: Rail60E1"), ["line 13", "no 'Rail60E1'"]),
    (with_("gauge: 1.435", "gauge: 1.0"), ["line 12", "profiles and gauge do not meet", "misses its rail"]),
    (with_("gauge: 1.435", "gauge: 1435"), ["line 13", "given in mm"]),
    (with_("ShenHedrickElkins: {mu: 0.4}", "ShenHedrickElkins: {mu: 0}"), ["line 14", "mu must be greater than zero"]),
    (with_("ShenHedrickElkins: {mu: 0.4}", "Book: {mu: 0.3}"), ["line 14", "no 'Book'"]),
    (with_("ShenHedrickElkins: {mu: 0.4}", "Fastsim: {along: 2.5}"), ["line 14", "integer"]),
    (with_("Bushing:", "Bushings:"), ["line 18", "no 'Bushings'", "Bushing"]),
    (with_("stiffness: [5e6, 2e6, 1.2e6]", "stiffness: [5e6, 2e6, 0]"), ["carries nothing"]),
    (with_("vehicle:", "vehicel:"), ["`vehicle` is missing"]),
    (WAGON + "colour: red\n", ["no field called 'colour'"]),
    ("vehicle: 5\n", ["line 1", "give one of", "manchester_vehicle"]),
    ("vehicle: {y25_wagon: {load: full}}\n", ["'tare', 'laden'", "'full'"]),
    ("vehicle:\n  y25_wagon:\n    change: {body.weight: 3}\n", ["line 3", "'weight'", "height"]),
    ("vehicle:\n  y25_wagon:\n    change:\n      body.mass: heavy\n", ["line 4", "'heavy'"]),
    ("vehicle:\n  y25_wagon:\n    change:\n      body.mass: 0\n", ["line 4", "greater than zero"]),
    ("vehicle:\n  y25_wagon:\n    change: 7\n", ["line 3", "give paths"]),
    ("vehicle: {Train: {coupler: {stiffness: 1e7}, vehicles: y25_wagon}}\n", ["give a list"]),
    ("vehicle: {Train: {coupler: {stiffness: 1e7}, vehicles: [{Wagon: {}}]}}\n", ["body and wheelset and axle_box"]),
    ("vehicle: !!python/object/apply:os.system [echo]\n", ["not allowed"]),
    ("vehicle: {Wagon: {wheelbase: __import__('os')}}\n", ["line 1"]),
    ("- 5\n", ["a file of a vehicle is a mapping"]),
    ("vehicle: [", ["not valid YAML"]),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_faults_in_the_file_are_reported(text, words):
    with pytest.raises(FileError) as error:
        read_vehicle(text)
    for word in words:
        assert word in str(error.value), str(error.value)
