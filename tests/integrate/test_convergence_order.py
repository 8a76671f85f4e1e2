"""Order conditions of the coefficients, and the order measured on problems with known solution."""

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from compiled_problems import NO_PARAMETERS, integrate_with, pendulum, prothero_robinson, swelling

import trundle as tr
from trundle.integrate import DormandPrince8, ExplicitRungeKutta, Rodas5P, Rosenbrock


def shipped(family):
    """The methods of a family that come with Trundle."""
    return [found() for found in family.__subclasses__() if found.__module__.startswith("trundle.")]


def from_the_page():
    """The method that the chapter on extending adds."""
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    (block,) = [text for text in re.findall(r"  ```python\n(.*?)  ```", page, re.DOTALL) if "class Rodas3" in text]
    names = {"__name__": "extending"}
    exec(textwrap.dedent(block), names)
    return names["Rodas3"]()


EXPLICIT = shipped(ExplicitRungeKutta)
RODAS3 = from_the_page()
STIFF = [*shipped(Rosenbrock), RODAS3]
METHODS = [*EXPLICIT, *STIFF]


def name_of(method):
    return type(method).__name__


def fitted(steps, errors):
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


def errors_of(problem, method, counts, start, p, exact, end=2.0):
    """Largest error at the end of the run and largest error of the dense output, for several numbers of steps."""
    times = np.linspace(0.0, end, 41)
    at_end, dense = [], []
    for count in counts:
        run = integrate_with(problem, method, 0.0, end, start, p, fixed_step=end / count, samples=times)
        assert run.counts.steps == count
        at_end.append(np.abs(run.x_end - exact(np.array([end]))[0]).max())
        dense.append(np.abs(run.x - exact(times)).max())
    return np.array(at_end), np.array(dense)


@pytest.mark.parametrize("method", EXPLICIT, ids=name_of)
def test_coefficients_satisfy_the_order_conditions(method):
    table = method.coefficients
    b, c, a = table["weights"], table["nodes"], table["stages"]
    a = np.hstack([a, np.zeros((len(b), len(b) - a.shape[1]))])
    assert np.allclose(a.sum(axis=1), c, atol=1e-14)
    for power in range(method.order):
        assert b @ c**power == pytest.approx(1.0 / (power + 1), abs=2e-15)
    # Two trees with a branch: sum b_i a_ij c_j^k = 1 / ((k+1)(k+2)) and sum b_i c_i a_ij c_j^k = 1 / ((k+1)(k+3)).
    for power in range(method.order - 1):
        assert b @ a @ c**power == pytest.approx(1.0 / ((power + 1) * (power + 2)), abs=2e-15)
    for power in range(method.order - 2):
        assert (b * c) @ a @ c**power == pytest.approx(1.0 / ((power + 1) * (power + 3)), abs=2e-15)
    assert b @ a @ a @ c == pytest.approx(1.0 / 24.0, abs=2e-15)


@pytest.mark.parametrize("method", EXPLICIT, ids=name_of)
def test_dense_weights_satisfy_the_quadrature_conditions(method):
    """At the fraction s the weights of the slopes integrate c^k exactly up to the dense order."""
    plan, table = method.plan(), method.coefficients
    c = np.concatenate([table["nodes"], [1.0], table["extra_nodes"]])
    for s in (0.2, 0.5, 0.9):
        weights = plan.dense[-1]
        for j in range(len(plan.dense) - 2, -1, -1):
            weights = plan.dense[j] + (1.0 - s if j % 2 == 0 else s) * weights
        for power in range(method.dense_order):
            assert s * weights @ c**power == pytest.approx(s ** (power + 1) / (power + 1), abs=1e-13)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_error_weights_vanish_for_constant_slopes(method):
    if method.needs_jacobian:  # stiffly accurate: the error is the last increment
        assert np.array_equal(method.coefficients["error"], np.eye(len(method.coefficients["weights"]))[-1:])
    else:
        assert np.abs(method.coefficients["error"].sum(axis=1)).max() < 1e-14


@pytest.mark.parametrize("method", STIFF, ids=name_of)
def test_rosenbrock_coefficients_satisfy_the_order_conditions(method):
    """All conditions up to order 4 in the ordinary form, with alpha, gamma and b [Hairer 1996, section IV.7]."""
    table = method.coefficients
    m, c, stages = table["weights"], table["gamma"], len(table["weights"])

    def square(rows):
        return np.hstack([rows, np.zeros((stages, stages - rows.shape[1]))])

    whole = np.linalg.inv(np.eye(stages) / c - square(table["coupling"]))  # gamma_ij
    alpha, b = square(table["stages"]) @ whole, m @ whole
    beta, a = alpha + whole, alpha.sum(axis=1)
    turned = beta.sum(axis=1)
    assert np.allclose(a, table["nodes"], atol=1e-12)
    assert np.allclose(whole.sum(axis=1), table["time_weights"], atol=1e-12)
    trees = [(1, b.sum(), 1), (2, b @ turned, 2), (3, b @ a**2, 3), (3, b @ beta @ turned, 6), (4, b @ a**3, 4)]
    trees += [(4, (b * a) @ alpha @ turned, 8), (4, b @ beta @ a**2, 12), (4, b @ beta @ beta @ turned, 24)]
    for order, value, density in trees:
        if order <= method.order:
            assert value == pytest.approx(1.0 / density, abs=3e-13)


@pytest.mark.parametrize("method", STIFF, ids=name_of)
def test_any_rosenbrock_method_runs_a_stiff_model(method):
    """A damper so strong that the rate follows the spring: x = exp(-k t / d) but for k m / d^2."""
    m = tr.Model("creeping cart")
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic(axis="x"), m.ground, cart, name="rail", law=tr.Spring(stiffness=1e4, damping=1e6))
    start = {"rail.displacement": 1.0, "rail.displacement_rate": -0.01}
    run = m.build().simulate(50.0, start, method=method, rtol=1e-4, steps=tr.Steps(most=400))
    assert run.ok
    assert run.values("rail.displacement")[-1] == pytest.approx(np.exp(-0.5), rel=1e-3)


def non_autonomous(t):
    return (1.0 / (1.0 + t * t))[:, None]


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_order_on_a_non_autonomous_problem(method):
    counts = np.array([7, 10, 14, 20]) if method.order == 8 else np.array([20, 40, 80, 160])
    at_end, dense = errors_of(swelling, method, counts, np.array([1.0]), NO_PARAMETERS, non_autonomous)
    assert fitted(counts, at_end) > method.order - 0.3
    assert fitted(counts, dense) > method.dense_order - 0.3


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_order_on_the_pendulum(method):
    times = np.linspace(0.0, 2.0, 41)
    start = np.array([1.5, 0.5])
    fine = integrate_with(pendulum, DormandPrince8(), 0.0, 2.0, start, NO_PARAMETERS, fixed_step=1e-2, samples=times)

    def exact(t):
        return fine.x if len(t) > 1 else fine.x_end[None]

    counts = np.array([6, 8, 12, 16]) if method.order == 8 else np.array([20, 40, 80])
    at_end, dense = errors_of(pendulum, method, counts, start, NO_PARAMETERS, exact)
    assert fitted(counts, at_end) > method.order - 0.4
    assert fitted(counts, dense) > method.dense_order - 0.4
    assert dense[-1] < (1e-6 if method.dense_order > 2 else 1e-3)


def cosine(t):
    return np.cos(t)[:, None]


def test_rodas_keeps_its_order_on_prothero_robinson():
    """Not stiff: order 5. Stiff: the error is tiny and still falls, where a classical method would stall."""
    counts = np.array([8, 16, 32, 64])
    mild, _ = errors_of(prothero_robinson, Rodas5P(), counts, np.array([1.0]), np.array([1.0]), cosine)
    assert fitted(counts, mild) == pytest.approx(5.0, abs=0.3)
    stiff, dense = errors_of(prothero_robinson, Rodas5P(), counts, np.array([1.0]), np.array([1e6]), cosine)
    assert stiff.max() < 1e-10
    assert fitted(counts, stiff) > 2.5
    assert fitted(counts, dense) > 3.7
