"""Methods of the user's own: what may be left out of their coefficients, and messages about errors in them."""

from math import sqrt

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.integrate.methods.explicit import ExplicitRungeKutta
from trundle.integrate.methods.rosenbrock import Rosenbrock
from trundle.integrate.methods.tableau import StepControl, tableau

G = 1 + 1 / sqrt(2)
ROS2 = {  # Verwer, Spee, Blom, Hundsdorfer: SIAM J. Sci. Comput. 20 (1999)
    "gamma": G, "nodes": [0, 1], "time_weights": [G, -G], "stages": [[], [1 / G]], "coupling": [[], [-2 / G]],
    "weights": [1.5 / G, 0.5 / G], "error": [[0.5 / G, 0.5 / G]],
}  # fmt: skip
HEUN = {"nodes": [0, 1], "stages": [[], [1]], "weights": [0.5, 0.5], "error": [[-0.5, 0.5]]}


def method(base: type, given: dict) -> object:
    own = {"coefficients": tableau(**given), "control": StepControl(alpha=0.4, beta=0.0), "order": 2, "dense_order": 1}
    return type("Own", (base,), own | {"error_in_end": False})()


@pytest.fixture(scope="module")
def system() -> tr.System:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", 1.0, 0.01, com=(0, 0, -1.0)))
    return m.build()


@pytest.mark.parametrize("base, given", [(Rosenbrock, ROS2), (ExplicitRungeKutta, HEUN)])
def test_a_method_without_rows_of_dense_output_has_the_expected_order(system, base, given):
    exact = system.simulate(0.5, {"bob.angle": 1.0}, rtol=1e-12).values("bob.angle")[-1]
    own = method(base, given)
    runs = [
        system.simulate(0.5, {"bob.angle": 1.0}, method=own, steps=tr.Steps(fixed=h), rtol=1e-3) for h in (1e-2, 5e-3)
    ]
    errors = [abs(run.values("bob.angle")[-1] - exact) for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize(
    "base, given, change, words",
    [
        (Rosenbrock, ROS2, {"coupling": None}, "lack coupling; it needs weights, nodes"),
        (Rosenbrock, ROS2, {"gamma": None}, "need gamma, a number"),
        (Rosenbrock, ROS2, {"nodes": [0]}, "nodes must have 2 numbers, one for each stage"),
        (Rosenbrock, ROS2, {"stages": [[1]]}, "stages must have 2 rows"),
        (Rosenbrock, ROS2, {"error": [0.3, 0.3]}, "error is a list of rows"),
        (Rosenbrock, ROS2, {"error": [[0.3, 0.3, 0.1]]}, "rows of error have at most 2"),
        (Rosenbrock, ROS2, {"dense": [[1, 0]] * 4}, "at most three rows"),
        (ExplicitRungeKutta, HEUN, {"weights": None}, "lack weights"),
        (ExplicitRungeKutta, HEUN, {"nodes": [0, 0.5, 1]}, "nodes must have 2 numbers"),
        (ExplicitRungeKutta, HEUN, {"dense": [[1, 0, 0, 1]]}, "rows of dense have at most 3"),
        (ExplicitRungeKutta, HEUN, {"extra_nodes": [0.5]}, "one row for each of the extra_nodes"),
    ],
)
def test_coefficients_that_do_not_fit_are_named(base, given, change, words):
    changed = {word: value for word, value in (given | change).items() if value is not None}
    with pytest.raises(ModelError, match=f"Own: .*{words}"):
        method(base, changed).plan()
