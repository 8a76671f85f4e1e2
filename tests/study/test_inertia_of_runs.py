"""Every freedom must move some inertia with the parameters of a run too, and with those of each case of a batch."""

import numpy as np
import pytest

import trundle as tr
from trundle.equations.formulation import FORMALISMS
from trundle.equations.mass_cases import InertiaCheck
from trundle.errors import ModelError
from trundle.study.batch import BatchWarning
from trundle.system import System


@pytest.fixture(scope="module")
def arm() -> System:
    """A hinged arm; the inertia about the hinge is I + M L^2."""
    m = tr.Model("arm")
    I, M, L = (m.parameter(name, 1.0) for name in "IML")
    arm = m.body("arm", mass=M, inertia=(I, I, I), com=(0, 0, -L))
    m.connect(tr.Revolute("y"), m.ground, arm, law=tr.Spring(m.parameter("k", 1.0)))
    m.event("lose", lambda s: s.t - 0.1, action={"I": m.parameter("then", 1.0)})
    m.start = {"arm.angle": 0.3}
    return m.build()


@pytest.fixture(scope="module")
def points() -> System:
    """Two point masses, a length and a shift between them."""
    m = tr.Model("point masses")
    L, lower = m.parameter("L", 0.5), m.parameter("lower", 0.4)
    first = m.body("first", mass=1.0, com=(0, 0, -L))
    second = m.body("second", mass=2.0, com=(0, 0, -lower))
    m.connect(tr.Revolute("y"), m.ground, first)
    m.connect(tr.Revolute("y"), first.at(0, 0, -L), second.at(0, 0, L - 0.5))
    return m.build()


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("lost", [{"I": 0.0, "L": 0.0}, {"I": 0.0, "M": 0.0}, {"I": 0, "L": 1e-9}])
def test_a_run_without_inertia_is_refused(arm: System, formalism: str, lost: dict[str, float]) -> None:
    if formalism != "newton_euler" and lost.get("L", 0.0) > 0:
        pytest.skip("there is some inertia about the hinge")
    with pytest.raises(ModelError, match=r"no inertia|neither mass nor inertia"):
        arm.in_formalism(formalism).simulate(0.01, parameters=lost)


@pytest.mark.parametrize("some", [{"I": 0.0}, {"M": 0.0}, {"L": 0.0}, {"M": 1e-3, "I": 1e3}])
def test_what_still_has_inertia_runs(arm: System, some: dict[str, float]) -> None:
    values = {"I": 1.0, "M": 1.0, "L": 1.0, **some}
    inertia = values["I"] + values["M"] * values["L"] ** 2
    torque = 0.3 + 9.81 * values["M"] * values["L"] * np.sin(0.3)
    found = arm.accelerations(parameters=some)["arm.angle_acceleration"]
    assert float(found) == pytest.approx(-torque / inertia, rel=1e-12)


def test_of_a_batch_the_case_is_refused(arm: System) -> None:
    with pytest.warns(BatchWarning):
        batch = arm.batch(0.05, parameters={"I": [1.0, 0.0, 0.0, np.nan], "L": [0.0, 0.0, 1.0, 1.0]})
    assert list(batch.outcomes) == ["FINISHED", "REFUSED", "FINISHED", "REFUSED"]
    assert "arm.angle has no inertia" in batch.messages[1]
    assert "finite" in batch.messages[3]


def test_an_event_that_takes_the_inertia_away_is_refused(arm: System) -> None:
    assert arm.simulate(0.2, parameters={"L": 0.0, "then": 0.0}).outcome.startswith("EVENT_REFUSED")
    assert arm.simulate(0.2, parameters={"then": 0.0}).ok
    batch = arm.batch(0.2, parameters={"L": [0.0, 1.0], "then": [0.0, 0.0]})
    assert list(batch.outcomes) == ["EVENT_REFUSED", "FINISHED"]


def test_a_stepper_is_reported_too(arm: System) -> None:
    with pytest.raises(ModelError, match="no inertia"):
        arm.stepper(0.1, parameters={"I": 0.0, "L": 0.0})


def test_point_masses_on_the_axis_of_their_hinge(points: System) -> None:
    with pytest.warns(BatchWarning):
        batch = points.batch(0.01, parameters={"L": [0.5, 0.0, 0.6, 0.7], "lower": [0.4, 0.4, -0.1, -0.1]})
    assert list(batch.outcomes) == ["FINISHED", "REFUSED", "REFUSED", "FINISHED"]
    assert "first.angle has no inertia" in batch.messages[1]
    assert "second.angle has no inertia" in batch.messages[2]


def test_usual_cases_need_no_equations(arm: System) -> None:
    """Ten thousand cases of a body that has mass and inertia: nothing is derived, no case is checked on its own."""
    f = arm.formulation

    def refuse() -> None:
        raise AssertionError("the equations were asked for")

    check = InertiaCheck(f.model, f.length, True, refuse, f.default_parameters)  # type: ignore[arg-type]
    p = np.repeat(f.default_parameters[None], 10_000, axis=0)
    p[:, 0], p[:, 2] = np.linspace(1, 2, 10_000), np.linspace(0, 1, 10_000)
    assert check.faults(p) == {}
