"""States in files and in classes of the user's own, short names of coordinates, and what is refused."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
import pytest

import trundle as tr
from trundle.file import load_model
from trundle.model.force import Force, Terms

FILE = """
name: cart
gravity: [0, 0, 0]
parameters: {T: 0.3}
bodies: {cart: {mass: 2, inertia: 0.1}}
connections: [{pair: Prismatic, axis: x, first: ground, second: cart}]
names: {place: cart.displacement}
states:
  filtered: {rate: (place - filtered) / T, start: T - 0.1, unit: m, text: filtered place}
  twice: 2 * filtered
blocks:
  pid: {PID: {error: 0.1 - filtered, kp: 5, ki: 2, kd: 1, filter_time: 0.05}}
  lag: {FirstOrderLag: {input: pid.output, time_constant: T / 3, unit: N}}
forces:
  motor: {coordinate_force: {coordinate: place, effort: lag.output}}
  strut: {series_damper: {first: {body: ground, at: [-1, 0, 0]}, second: cart, damping: 3, stiffness: 20}}
outputs: {both: twice + strut.deflection}
events:
  half: {expression: twice - 0.2, direction: rising, action: {twice: 0}}
start: {place: 0.1, pid.integral: 0.02}
"""


def in_python() -> tr.Model:
    m = tr.Model("cart", gravity=(0, 0, 0))
    T = m.parameter("T", 0.3)
    body = m.body("cart", 2, 0.1)
    m.connect(tr.Prismatic("x"), m.ground, body)
    m.alias("place", "cart.displacement")
    m.state("filtered", lambda s: (s["place"] - s["filtered"]) / T, 0.2, "m", "filtered place")
    m.state("twice", lambda s: 2 * s["filtered"])
    m.block(tr.PID(lambda s: 0.1 - s["filtered"], 5, 2, 1, filter_time=0.05), "pid")
    m.block(tr.FirstOrderLag(lambda s: s["pid.output"], T / 3, unit="N"), "lag")
    m.apply(tr.CoordinateForce("place", lambda s: s["lag.output"]), "motor")  # a short name
    m.apply(tr.SeriesDamper(m.ground.at(-1, 0, 0), body, 3, 20), "strut")
    m.output("both", lambda s: s["twice"] + s["strut.deflection"])
    m.event("half", lambda s: s["twice"] - 0.2, 1, {"twice": lambda s: 0.0})
    m.start = {"place": 0.1, "pid.integral": 0.02}
    return m


def test_a_file_gives_the_same_model_as_python(tmp_path: Any) -> None:
    path = tmp_path / "cart.yaml"
    path.write_text(FILE)
    file, python = (m.build().simulate(1.0, rtol=1e-11) for m in (load_model(path), in_python()))
    for name in ("filtered", "twice", "pid.output", "lag.output", "strut.deflection", "both"):
        assert np.max(np.abs(file.values(name) - python.values(name))) < 1e-12, name
    assert len(file.events) == len(python.events) == 1
    assert file["lag.output"].attrs["units"] == "N" and file["filtered"].attrs["long_name"] == "filtered place"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rate: (place - filtered) / T", "rate: (plaze - filtered) / T", r"states\.filtered\.rate: .*'plaze'"),
        ("twice: 2 * filtered", "T: 2 * filtered", "'T' is a parameter or a constant"),
        ("twice: 2 * filtered", "twice: {start: 1}", "rate"),
        ("{PID: {error", "{PIDD: {error", "no block called 'PIDD'. Did you mean 'PID'"),
        ("kp: 5", "kq: 5", "there is no field called 'kq' here; PID takes error, kp"),
        ("error: 0.1 - filtered, ", "", "error must be given; PID takes"),
        ("input: pid.output", "input: pid.put", "there is no quantity called 'pid.put'"),
        (", filter_time: 0.05", "", "a PID with kd needs the rate of its error"),
        ("damping: 3", "damping: 0", "the damping of a SeriesDamper must be positive"),
    ],
)
def test_faults_of_a_file(old: str, new: str, words: str, tmp_path: Any) -> None:
    path = tmp_path / "cart.yaml"
    assert old in FILE
    path.write_text(FILE.replace(old, new))
    with pytest.raises(tr.TrundleError, match=words):
        load_model(path).build()


def bare() -> tr.Model:
    m = tr.Model("bare")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", 1.0, 0.1, com=(0, 0, -1)))
    return m


REFUSED: dict[str, tuple[Callable[[tr.Model], Any], str]] = {
    "no rate": (lambda m: m.state("z"), "state 'z' has no rate; give one"),
    "a number": (lambda m: m.state("z", 1.0), "the rate of state 'z' needs a function of signals"),
    "start": (lambda m: m.state("z", lambda s: 0.0, float("nan")), "'z' must start at a finite number"),
    "taken": (lambda m: (m.parameter("z", 1.0), m.state("z", lambda s: 0.0)), "already a parameter called 'z'"),
    "twice": (lambda m: [m.state("z", lambda s: 0.0) for _ in "ab"], "already a state called 'z'"),
    "of a rate": (lambda m: (m.state("z", lambda s: 0.0), m.output("z_rate", lambda s: 0.0)), "the rate of state 'z'"),
    "its rate": (lambda m: (m.output("z_rate", lambda s: 0.0), m.state("z", lambda s: 0.0)), "which exists already"),
    "word": (lambda m: m.state("sin", lambda s: 0.0), "'sin' cannot be the name of a state"),
    "acceleration": (
        lambda m: m.state("z", lambda s: s["bob.angle_acceleration"]),
        "rate of state 'z': 'bob.angle_acceleration' cannot be used here: it depends on the accelerations",
    ),
    "reaction": (lambda m: m.state("z", lambda s: s["bob.reaction_force_x"]), "'bob.reaction_force_x' cannot be used"),
    "nothing": (lambda m: m.state("z", lambda s: None), "rate of state 'z': the function returns None"),
    "unknown": (lambda m: m.state("z", lambda s: s["bob.angel"]), "Did you mean 'bob.angle'"),
    "two numbers": (lambda m: m.state("z", lambda s: s["bob.position"]), "one number expected, got 3"),
    "block's name": (lambda m: m.block(tr.FirstOrderLag(lambda s: 1.0, 0.1), "bob"), "the name of a body"),
    "no block": (lambda m: m.block(tr.Spring(3.0), "z"), "block takes a block such as tr.PID"),  # type: ignore[arg-type]
    "time constant": (lambda m: tr.FirstOrderLag(lambda s: 1.0, 0.0), "time constant of a FirstOrderLag"),
    "input": (lambda m: tr.FirstOrderLag(1.0, 0.1), "input of a FirstOrderLag is a function"),  # type: ignore[arg-type]
    "both": (lambda m: tr.PID(lambda s: 1.0, 1, kd=1, rate=lambda s: 0, filter_time=1), "needs the rate of its error"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_states_are_refused(case: str) -> None:
    act, words = REFUSED[case]
    m = bare()
    with pytest.raises(tr.TrundleError, match=words):
        act(m)
        m.build()


def test_outputs_in_a_circle() -> None:
    m = bare()
    m.block(tr.PID(lambda s: s["b.output"], 1.0), "a")
    m.block(tr.PID(lambda s: s["a.output"] + s["bob.angle"], 1.0), "b")
    m.apply(tr.CoordinateForce("bob.angle", lambda s: s["a.output"]))
    with pytest.raises(tr.TrundleError, match=r"in a circle: a\.output -> b\.output -> a\.output\. Put a state"):
        m.build()


def test_a_rate_that_is_not_a_number_at_the_start() -> None:
    m = bare()
    m.state("z", lambda s: tr.log(s["z"]), start=1.0)
    system = m.build()
    words = "the rate of state 'z' is not a number at the start"
    for ask in (
        lambda: system.simulate(1.0, {"z": -1.0}),
        lambda: system.linearise({"z": -1.0}),
        lambda: system.equilibrium({"z": -1.0}),
    ):
        with pytest.raises(tr.TrundleError, match=words):
            ask()
    with pytest.warns(UserWarning, match="case 1"):
        batch = system.batch(0.5, {"z": np.array([1.0, -1.0])})
    assert words in batch.messages[1] and batch.messages[0] != batch.messages[1]


@final
@dataclass(frozen=True, eq=False)
class Integrator(tr.Block):
    """A block of the user's own."""

    of: str
    gain: Any

    def states(self) -> Iterator[tr.State]:
        yield tr.State(self.name, "sum", lambda s: s[self.of])

    def outputs(self) -> Iterator[tr.BlockOutput]:
        yield tr.BlockOutput("output", lambda s: self.gain * self.value(s, "sum"), "N m", "torque")


@final
@dataclass(frozen=True, eq=False)
class Tired(Force):
    """A force of the user's own that fades with the way that it has pushed."""

    coordinate: str
    name: str = field(default="", kw_only=True)

    def named(self, name: str) -> "Tired":
        return replace(self, name=name)

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)

    def states(self) -> Iterator[tr.State]:
        yield tr.State(self.name, "way", lambda s: s[f"{self.coordinate}_rate"] ** 2, unit="rad^2/s")

    def terms(self, s: Any) -> Terms:
        effort = 3 * tr.exp(-s[f"{self.name}.way"])
        return Terms(efforts=[(self.coordinate, effort)], supplied=effort * s[f"{self.coordinate}_rate"])


def test_parts_of_the_user() -> None:
    """Both have the same key when built twice, and move as the same states written out do."""

    def own() -> tr.Model:
        m = bare()
        m.alias("swing", "bob.angle")
        m.block(Integrator("bob.angle", -2.0), "sum")
        m.apply(tr.CoordinateForce("bob.angle", lambda s: s["sum.output"]))
        m.apply(Tired("swing"), "push")
        return m

    plain = bare()
    plain.state("sum", lambda s: s["bob.angle"])
    plain.state("way", lambda s: s["bob.angle_rate"] ** 2)
    plain.apply(tr.CoordinateForce("bob.angle", lambda s: -2 * s["sum"] + 3 * tr.exp(-s["way"])))
    run, other = (m.build().simulate(1.0, rtol=1e-11) for m in (own(), plain))
    assert np.max(np.abs(run.values("bob.angle") - other.values("bob.angle"))) < 1e-10
    assert np.max(np.abs(run.values("push.way") - other.values("way"))) < 1e-10
    assert run.values("push.way")[-1] > 0.1 and run.energy.drift < 1e-9
    assert own().build().spec == own().build().spec


def test_short_names_of_coordinates_in_forces() -> None:
    """As in files, wherever a force acts on a coordinate: tree, bond graph, power, key are those of the long name."""
    runs = []
    for name in ("bob.angle", "swing"):
        m = bare()
        m.alias("swing", "bob.angle")
        m.apply(tr.CoordinateForce(name, tr.Spring(3.0, 0.2)), "spring")
        m.apply(tr.TorsionSpring(name, 1.0), "torsion")
        system = m.build()
        run = system.simulate(1.0, {"swing": 0.3})
        runs.append((system.spec.key, run.values("spring.effort"), run.power.force("spring").lost.values, system.graph))
    assert runs[0][0] == runs[1][0]
    assert np.array_equal(runs[0][1], runs[1][1]) and np.array_equal(runs[0][2], runs[1][2])
    assert runs[0][3].bonds == runs[1][3].bonds
    m = bare()
    m.apply(tr.CoordinateForce("swing", tr.Spring(3.0)))
    with pytest.raises(tr.TrundleError, match="no coordinate called 'swing'"):
        m.build()


def test_states_need_no_body() -> None:
    """A lag behind a sine, in closed form: in every method, formalism and study."""
    m = tr.Model("filter")
    m.state("a", lambda s: tr.sin(s.t) - s["a"], start=1.0)
    m.state("b", lambda s: s["a"] - 2 * s["b"])
    system = m.build()
    exact = 1.5 * np.exp(-3.0) + (np.sin(3.0) - np.cos(3.0)) / 2
    for formalism, method in (("kane", None), ("kane", "stiff"), ("newton_euler", None)):
        options = {"method": method} if method else {}
        run = system.simulate(3.0, rtol=1e-9, formalism=formalism, **options)
        np.testing.assert_allclose(run.values("a")[-1], exact, rtol=1e-8)
    ends = system.batch(3.0, start={"a": [1.0, 2.0]}).end("a")
    np.testing.assert_allclose(ends, [exact, exact + np.exp(-3.0)], rtol=1e-6)
    np.testing.assert_allclose(sorted(system.linearise().eigenvalues.real), [-2, -1], rtol=1e-12)
    assert "a, b" in system.describe()
