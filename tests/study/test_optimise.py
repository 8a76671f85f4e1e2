"""Best values under limits: closed forms, the slope of the rimless wheel for a speed, and what is refused."""

import math
import signal

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError
from trundle.study.periodic import find_orbit
from trundle.walker.rimless import PlasticGait, pivoting_landing, pivoting_wheel


@pytest.mark.parametrize(("exact", "method"), [(True, "slsqp"), (False, "slsqp"), (True, "ipopt")])
def test_the_largest_box_in_a_sphere_with_and_without_gradients(exact: bool, method: str) -> None:
    """x y z with x^2 + y^2 + z^2 <= 1 is largest for the cube."""

    def volume(v: dict[str, float]) -> object:
        x, y, z = v["x"], v["y"], v["z"]
        return (x * y * z, {"x": y * z, "y": x * z, "z": x * y}) if exact else x * y * z

    def inside(v: dict[str, float]) -> object:
        left = 1 - sum(one**2 for one in v.values())
        return (left, {name: -2 * one for name, one in v.items()}) if exact else left

    ranges = {"x": (0.1, 1.0), "y": (0.05, 2.0), "z": (0.2, 1.0)}
    found = tr.optimise(volume, ranges, inside, start={"x": 0.3, "y": 0.4, "z": 0.5}, maximise=True, method=method)
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


@pytest.mark.parametrize("method", ["slsqp", "ipopt"])
def test_a_limit_that_holds_the_optimum_is_named(method: str) -> None:
    def far(v: dict[str, float]) -> float:
        return (v["a"] - 3.0) ** 2 + (v["b"] - 0.5) ** 2

    found = tr.optimise(far, {"a": (0.0, 2.0), "b": (0.0, 1.0)}, method=method)
    assert found.values == pytest.approx({"a": 2.0, "b": 0.5}, abs=1e-5)
    assert found.at_limits == ("a",)


def test_a_string_that_sags_onto_a_floor_by_ipopt() -> None:
    """Forty heights: y'' = g where it hangs, the floor in the middle, from x = sqrt(2 d / g) on."""
    n, g, depth = 41, 4.0, 0.2
    names = [f"y{k}" for k in range(1, n)]

    def energy(v: dict[str, float]) -> tuple[float, dict[str, float]]:
        y = np.array([0.0, *(v[name] for name in names), 0.0])
        slope = n * np.diff(y)
        return float(slope @ slope / (2 * n) + g * y.sum() / n), dict(
            zip(names, slope[:-1] - slope[1:] + g / n, strict=True)
        )

    found = tr.optimise(energy, dict.fromkeys(names, (-depth, 0.5)), method="ipopt")
    y = np.array([0.0, *found.values.values(), 0.0])
    floor = [name in found.at_limits for name in names]
    bend = n**2 * np.diff(y, 2)
    assert bend[~np.array(floor)] == pytest.approx(g, abs=1e-4)
    first = next(k for k, there in enumerate(floor, 1) if there) / n
    assert first == pytest.approx(math.sqrt(2 * depth / g), abs=1.5 / n)
    assert floor == floor[::-1] and sum(floor) >= n * (1 - 2 * math.sqrt(2 * depth / g)) - 3


def test_exceptions_of_an_objective_pass_through_ipopt() -> None:
    def broken(v: dict[str, float]) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tr.optimise(lambda v: v["a"], {"a": (0.0, 1.0)}, broken, method="ipopt")
    with pytest.raises(SolveError, match="no method 'newton'"):
        tr.optimise(lambda v: v["a"], {"a": (0.0, 1.0)}, method="newton")


@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize("method", ["slsqp", "ipopt"])
@pytest.mark.parametrize("kept", [False, True])
def test_an_interrupted_search_gives_the_best_point_found(method: str, kept: bool) -> None:
    """A run inside the objective ends on an interruption and keeps it to itself: its value must not count."""
    met: list[float] = []

    def objective(v: dict[str, float]) -> float:
        if len(met) == 12:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                if not kept:
                    raise
                return -100.0
        met.append((v["x"] - 0.3) ** 2 + (v["y"] - v["x"]) ** 4)
        return met[-1]

    with pytest.warns(UserWarning, match="interrupted after 12 evaluations"):
        found = tr.optimise(objective, {"x": (-1.0, 2.0), "y": (-1.0, 2.0)}, method=method)
    assert not found.settled and "interrupted" in repr(found) and len(met) == 12
    assert found.objective == min(met) < met[0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


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


def test_derivatives_that_are_wrong_are_found_out() -> None:
    def bowl(v: dict[str, float], sign: float) -> tuple[float, dict[str, float]]:
        return (v["a"] - 1) ** 2 + (v["b"] - 2) ** 2, {"a": 2 * (v["a"] - 1), "b": sign * 2 * (v["b"] - 2)}

    ranges = {"a": (0.0, 5.0), "b": (0.0, 5.0)}
    right = tr.optimise(lambda v: bowl(v, 1.0), ranges)
    assert right.values == pytest.approx({"a": 1.0, "b": 2.0}, abs=1e-6)
    with pytest.raises(SolveError, match=r"the derivative by 'b' .* does not agree with the values"):
        tr.optimise(lambda v: bowl(v, -1.0), ranges)
    with pytest.raises(SolveError, match="lack the one by 'b'"):
        tr.optimise(lambda v: (bowl(v, 1.0)[0], {"a": 0.0}), ranges)


def test_invalid_or_infeasible_conditions() -> None:
    ranges = {"a": (0.0, 5.0), "b": (0.0, 5.0)}
    both = [lambda v: 1 - v["a"] - v["b"], lambda v: v["a"] + v["b"] - 2]
    for method in ("slsqp", "ipopt"):
        with pytest.raises(SolveError, match="cannot be met"):
            tr.optimise(lambda v: v["a"], ranges, both, method=method)
    with pytest.raises(SolveError, match="functions of a dict of values"):
        tr.optimise(lambda v: v["a"], ranges, {"sum": both[0]})  # type: ignore[arg-type]


def test_an_objective_that_is_zero_at_the_start() -> None:
    assert tr.optimise(lambda v: v["a"], {"a": (-1.0, 1.0)}).values["a"] == pytest.approx(-1.0)
