"""Dynamics of relative motion: imaginary forces by kind, what adds to zero, what happens when some are left out."""

from typing import Any

import numpy as np
import pytest
from tests.equations.mechanisms import MECHANISMS
from tests.equations.random_states import random_state
from tests.motion.carried import carried, tumbling

import trundle as tr
from trundle import examples
from trundle.errors import ModelError, UnknownNameError
from trundle.system import System
from trundle.view import plot_imaginary


@pytest.fixture(scope="module", params=["mixed chain", "driven chain", "RSSR", "closed by Cylindrical"])
def carried_run(request: pytest.FixtureRequest) -> tuple[System, tr.Run]:
    system = carried(MECHANISMS[request.param][0](), tumbling(3)).build()
    return system, system.simulate(0.5, random_state(system, np.random.default_rng(1), 0.05), samples=9)


def total(forces: Any) -> Any:
    parts = forces.inertia.sum("body") + forces.external.sum("body") + forces.imaginary.sum(("body", "kind"))
    return parts + forces.efforts


def largest(forces: Any) -> float:
    return max(float(abs(forces[name]).max()) for name in forces)


def test_forces_of_inertia_external_and_imaginary_ones_add_to_zero(carried_run: tuple[System, tr.Run]) -> None:
    system, run = carried_run
    forces = system.relative_dynamics(run)
    assert float(abs(total(forces) + forces.constraints).max()) < 1e-13 * largest(forces)
    assert all(float(abs(forces.imaginary.sel(kind=kind)).max()) > 1e-3 for kind in forces.kind.values)


def test_reduced_to_the_speeds_that_constraints_leave(carried_run: tuple[System, tr.Run]) -> None:
    """The free system reduced to the constrained one: constraint forces are eliminated [Zboinski 2011, Eq. 62,
    corrected].
    """
    system, run = carried_run
    forces = system.relative_dynamics(run, "independent")
    assert forces.sizes["speed"] == system.mobility.freedoms
    assert float(abs(total(forces)).max()) < 1e-13 * largest(forces)


def test_newton_and_euler_in_the_ground(carried_run: tuple[System, tr.Run]) -> None:
    system, run = carried_run
    assert float(abs(system.inertial_residual(run)).max()) < 1e-12
    other = system.in_formalism("newton_euler")
    again = other.simulate(0.2, random_state(system, np.random.default_rng(2), 0.05), samples=3)
    assert float(abs(other.inertial_residual(again)).max()) < 1e-12


@pytest.mark.parametrize("name", ["rolling-disc", "benchmark-bicycle", "andrews-squeezer"])
def test_rolling_and_massless_models_in_the_ground(name: str) -> None:
    """Also where no mass of a body alone is regular, so that absolute coordinates are refused."""
    system = carried(examples.model(name), tumbling(4, 0.3)).build()
    run = system.simulate(0.05, samples=5)
    assert float(abs(system.inertial_residual(run)).max()) < 1e-12
    forces = system.relative_dynamics(run)
    assert float(abs(total(forces) + forces.constraints).max()) < 1e-12 * largest(forces)


def body_in(frame: bool, omit: Any = None, formalism: str = "kane") -> System:
    m = tr.Model("free body", gravity=(0, 0, 0))
    base = m.moving_frame("box", **tumbling(6)) if frame else m.ground
    m.connect(tr.Free(), base, m.body("car", mass=2.0, inertia=(0.2, 0.3, 0.45), com=(0.1, 0.2, -0.1)))
    m.start = {"car.x": 0.3, "car.y_rate": 0.5, "car.angular_rate": (1.0, 0.4, -0.3)}
    return m.build(formalism, omit=omit)


@pytest.mark.parametrize(
    "omit", ["car", {"car": "all"}, {"car": ("translation", "rotation", "centrifugal", "gyroscopic")}]
)
def test_without_imaginary_forces_a_frame_counts_as_inertial(omit: Any) -> None:
    runs = [
        body_in(True, omit).simulate(1.0, rtol=1e-11, steps=tr.Steps(longest=0.03)),
        body_in(False).simulate(1.0, rtol=1e-11),
    ]
    for name in ("car.x", "car.y", "car.z", "car.quaternion"):
        np.testing.assert_allclose(runs[0].values(name)[-1], runs[1].values(name)[-1], atol=1e-8, err_msg=name)
    assert runs[0].energy.drift < 1e-9  # what is left out does work


@pytest.mark.parametrize("omit", [{"car": {"rotation": "z"}}, {"car": {"gyroscopic": ("force_x", "moment")}}])
def test_components_left_out_are_the_same_in_both_descriptions(omit: Any) -> None:
    runs = [body_in(True, omit, f).simulate(1.0, rtol=1e-11) for f in ("kane", "newton_euler")]
    whole = body_in(True).simulate(1.0, rtol=1e-11)
    a, b, c = (run.values("car.rotation")[-1] for run in (*runs, whole))
    np.testing.assert_allclose(a, b, atol=1e-8)
    assert np.max(np.abs(a - c)) > 1e-3


def test_wrenches_as_measures() -> None:
    """Steady turning, a body at rest in the frame: only the centrifugal force, outwards in the axes of the frame."""
    m = tr.Model("turntable", gravity=(0, 0, 0))
    table = m.moving_frame("table", rotation=lambda s: ("z", 3.0 * s.t + 0.5 * s.t**2))
    m.connect(tr.Prismatic("y"), table.at(0.4, 0, 0), m.body("box", mass=2.0, inertia=(0.1, 0.2, 0.3)), name="box")
    m.start = {"box.displacement_rate": 0.7}
    system = m.build()
    for formalism in ("kane", "newton_euler"):
        run = system.simulate(0.0001, samples=2, formalism=formalism, t0=1.0)
        w, eps = 4.0, 1.0
        np.testing.assert_allclose(run.values("box.imaginary_centrifugal_force")[0], [2 * w**2 * 0.4, 0, 0], atol=1e-12)
        np.testing.assert_allclose(run.values("box.imaginary_rotation_force")[0], [0, -2 * eps * 0.4, 0], atol=1e-12)
        np.testing.assert_allclose(run.values("box.imaginary_rotation_moment_z")[0], -0.3 * eps, rtol=1e-12)
        np.testing.assert_allclose(run.values("box.imaginary_gyroscopic_force")[0], [2 * 2 * w * 0.7, 0, 0], atol=1e-12)
        np.testing.assert_allclose(run.values("box.imaginary_translation_force")[0], 0, atol=1e-12)
    forces = system.imaginary_forces(system.simulate(0.1, samples=2))
    assert forces.dims == ("body", "kind", "speed", "time")
    assert forces.sel(body="box", kind="rotation", speed="box.displacement_rate").values[0] == pytest.approx(-0.8)
    assert plot_imaginary(run, "box").axes[0].get_title() == "x of the frame"


def test_what_cannot_be_left_out() -> None:
    def refused(omit: Any) -> str:
        with pytest.raises((UnknownNameError, ModelError)) as error:
            body_in(True, omit)
        return str(error.value)

    assert "'cra'" in refused({"cra": "rotation"}) and "'car'" in refused({"cra": "rotation"})
    assert "kind of imaginary force" in refused({"car": "coriolis"})
    assert "component of an imaginary force" in refused({"car": {"rotation": "u"}})
    assert "omit takes" in refused({"car": 3.0})
    with pytest.raises(UnknownNameError, match="body in a moving frame"):
        body_in(False, {"car": "rotation"})
    system = body_in(True)
    with pytest.raises(ModelError, match="speeds of joints"):
        other = system.in_formalism("newton_euler")
        other.imaginary_forces(other.simulate(0.01))
    with pytest.raises(ModelError, match="another system"):
        system.imaginary_forces(body_in(False).simulate(0.01))


def test_the_error_of_the_work_of_a_frame_that_the_motion_does_not_feel_is_reported() -> None:
    """A table shakes across a slow spring: long steps are right for the motion, too long for the energy balance."""
    m = tr.Model("shaker")
    table = m.moving_frame("table", position=lambda s: (0.01 * tr.sin(300 * s.t), 0, 0))
    m.connect(tr.Prismatic("z"), table, m.body("box", mass=2.0, inertia=1.0), law=tr.Spring(20.0))
    m.start = {"box.displacement": 0.1}
    system = m.build()
    rough, fine = (system.simulate(1.0, rtol=1e-9, **more) for more in ({}, {"steps": tr.Steps(longest=2e-3)}))
    assert (
        rough.ok and rough.energy.drift > 0.1 and 10 * rough.energy.work_error > np.max(np.abs(rough.energy.imbalance))
    )
    assert fine.energy.drift < 1e-6 and fine.energy.work_error < 1e-3 * fine.energy.scale
    np.testing.assert_allclose(rough.values("box.displacement")[-1], fine.values("box.displacement")[-1], rtol=1e-7)
