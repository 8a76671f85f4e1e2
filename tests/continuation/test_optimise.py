"""Best values under limits: closed forms, the slope of the rimless wheel for a speed, and what is refused."""

import math

import pytest

import trundle as tr
from trundle.errors import SolveError
from trundle.study.periodic import find_orbit
from trundle.walker.rimless import PlasticGait, pivoting_landing, pivoting_wheel


@pytest.mark.parametrize("exact", [True, False])
def test_the_largest_box_in_a_sphere_with_and_without_gradients(exact: bool) -> None:
    """x y z with x^2 + y^2 + z^2 <= 1 is largest for the cube."""

    def volume(v: dict[str, float]) -> object:
        x, y, z = v["x"], v["y"], v["z"]
        return (x * y * z, {"x": y * z, "y": x * z, "z": x * y}) if exact else x * y * z

    def inside(v: dict[str, float]) -> object:
        left = 1 - sum(one**2 for one in v.values())
        return (left, {name: -2 * one for name, one in v.items()}) if exact else left

    ranges = {"x": (0.1, 1.0), "y": (0.05, 2.0), "z": (0.2, 1.0)}
    found = tr.optimise(volume, ranges, inside, start={"x": 0.3, "y": 0.4, "z": 0.5}, maximise=True)
    assert list(found.values.values()) == pytest.approx([1 / math.sqrt(3)] * 3, abs=1e-4)
    assert found.objective == pytest.approx(3**-1.5, abs=1e-8)
    assert found.at_limits == ()


def test_the_least_slope_on_which_the_rimless_wheel_walks_at_a_speed() -> None:
    system, wanted = pivoting_wheel().build(), PlasticGait(slope=0.11).speed

    def faster(v: dict[str, float]) -> float:
        gait = find_orbit(system, pivoting_landing(), {"hub.angle_rate": 1.3}, v)
        return gait.values["hub.angle_rate"] - wanted

    found = tr.optimise(lambda v: v["slope"], {"slope": (0.08, 0.2)}, faster)
    assert found.values["slope"] == pytest.approx(0.11, abs=1e-8)


def test_a_limit_that_holds_the_optimum_is_named() -> None:
    found = tr.optimise(lambda v: (v["a"] - 3.0) ** 2 + (v["b"] - 0.5) ** 2, {"a": (0.0, 2.0), "b": (0.0, 1.0)})
    assert found.values == pytest.approx({"a": 2.0, "b": 0.5}, abs=1e-5)
    assert found.at_limits == ("a",)


def test_what_is_refused() -> None:
    with pytest.raises(SolveError, match="nothing is varied"):
        tr.optimise(lambda v: 0.0, {})
    with pytest.raises(SolveError, match="two rising numbers"):
        tr.optimise(lambda v: 0.0, {"a": (1.0, 0.0)})
    with pytest.raises(SolveError, match="outside"):
        tr.optimise(lambda v: v["a"], {"a": (0.0, 1.0)}, start={"a": 2.0})
    with pytest.raises(SolveError, match="not among those varied"):
        tr.optimise(lambda v: v["a"], {"a": (0.0, 1.0)}, start={"b": 2.0})
    with pytest.raises(SolveError, match="cannot be met"):
        tr.optimise(lambda v: v["a"], {"a": (0.0, 1.0)}, lambda v: v["a"] - 2.0)
    with pytest.raises(SolveError, match="no finite value"):
        tr.optimise(lambda v: math.inf, {"a": (0.0, 1.0)})
