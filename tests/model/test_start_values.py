"""Start values that are expressions of the parameters follow the values given to a run."""

import copy
import pickle

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError

RADIUS = 0.4


def wheel(form):
    """A wheel on a slide, and a filter; it starts rolling, with the filter at its speed."""
    m = tr.Model("wheel")
    v = m.parameter("speed", 3.0, "m/s")
    slide, disc = m.body("slide", mass=1.0, inertia=1.0), m.body("disc", mass=1.0, inertia=(0.1, 0.2, 0.1))
    m.connect(tr.Prismatic("x"), m.ground, slide, name="way")
    m.connect(tr.Revolute("y"), slide, disc, name="turn")
    m.state("filtered", rate=lambda s: 0.0 * s.t)
    forms = {"symbol": lambda k: k * v, "function": lambda k: lambda s: k * s["speed"]}
    m.start = {name: forms[form](k) for name, k in (("way.displacement_rate", 1.0), ("turn.angle_rate", 1 / RADIUS))}
    m.start["filtered"] = forms[form](1.0)
    return m


@pytest.fixture(scope="module", params=["symbol", "function"])
def system(request):
    return wheel(request.param).build()


def test_the_start_follows_the_parameters(system):
    assert system.start().u == pytest.approx([3.0, 3.0 / RADIUS])
    for parameters, start, wanted in (
        ({"speed": 5.0}, {}, [5.0, 5.0 / RADIUS]),
        ({"speed": 5.0}, {"turn.angle_rate": 1.0}, [5.0, 1.0]),
    ):
        found = system.start(start, parameters)
        assert found.u == pytest.approx(wanted) and found.q[2] == pytest.approx(5.0)
    run = system.simulate(2.0, parameters={"speed": -1.0})
    assert run.values("way.displacement")[-1] == pytest.approx(-2.0) and run.values("filtered")[-1] == pytest.approx(
        -1.0
    )


def test_every_case_of_a_batch_has_its_own(system):
    speeds = np.array([1.0, 2.0, 4.0])
    batch = system.batch(1.0, parameters={"speed": speeds})
    assert batch.end("turn.angle").values == pytest.approx(speeds / RADIUS)
    batch = system.batch(1.0, parameters={"speed": speeds}, start={"turn.angle_rate": 7.0})
    assert batch.end("turn.angle").values == pytest.approx(7.0) and batch.end(
        "way.displacement"
    ).values == pytest.approx(speeds)
    batch = system.batch(1.0, parameters={"speed": 6.0}, start={"way.displacement": np.array([0.0, 1.0])})
    assert batch.end("way.displacement").values == pytest.approx([6.0, 7.0])


def test_copies_keep_them(system):
    for other in (copy.deepcopy(system.model).build(), pickle.loads(pickle.dumps(system))):
        assert other.start(parameters={"speed": 5.0}).u == pytest.approx([5.0, 5.0 / RADIUS])
    assert wheel("symbol").build().spec.key == wheel("function").build().spec.key


def test_vectors_and_loops():
    """A wheel that rolls without slip, with its place and velocity given by a parameter."""
    m = tr.Model("rolling")
    v, h = m.parameter("speed", 2.0), m.parameter("radius", 0.5)
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.5)), m.ground, disc, law=tr.NoSlip())
    m.start = {"disc.position": (0.0, 0.0, h), "disc.velocity": (v, 0.0, 0.0)}
    system = m.build()
    for speed in (2.0, 3.0):
        run = system.simulate(1.0, parameters={"speed": speed})
        assert run.values("disc.position_x")[-1] == pytest.approx(speed)


def test_start_values_depend_on_parameters_only():
    m = wheel("symbol")
    m.start["way.displacement"] = lambda s: s["turn.angle"]
    with pytest.raises(ModelError, match=r"start value of 'way\.displacement' depends on 'turn\.angle'"):
        m.build()
    m = wheel("symbol")
    m.start["way.displacement"] = lambda s: s.t
    with pytest.raises(ModelError, match="may depend on parameters only"):
        m.build()
    m = wheel("symbol")
    m.start["way.displacement"] = tr.Model("other").parameter("size", 1.0)
    with pytest.raises(ModelError, match="depends on 'size', which is not a parameter"):
        m.build()
