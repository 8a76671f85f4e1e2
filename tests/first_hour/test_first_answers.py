"""What a new user sees besides errors: warnings at his line, public names, all faults of a file at once."""

import re
import warnings

import pytest

import trundle as tr


def test_linearising_off_an_equilibrium_is_reported() -> None:
    """Eigenvalues are still given, with a warning at the line of the user; about an equilibrium without one."""
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1)))
    system = m.build()
    with pytest.warns(tr.errors.UnsteadyWarning, match=r"something accelerates.*system\.equilibrium") as told:
        assert not system.linearise({"bob.angle": 0.5}).steady
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert system.linearise({"bob.angle": 0.0}).steady


def test_only_public_names_are_shown() -> None:
    shown = [name for name in dir(tr) if not name.startswith("_")]
    assert "Any" not in shown and "TYPE_CHECKING" not in shown
    assert {*shown, "__version__"} == set(tr.__all__)


def test_numpy_works_on_symbols_without_a_notice(recwarn: pytest.WarningsRecorder) -> None:
    import numpy as np

    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1)))
    m.apply(tr.CoordinateForce("bob.angle", lambda s: -np.sin(s["bob.angle"])))
    found = m.build().accelerations({"bob.angle": 0.3})["bob.angle_acceleration"]
    assert not [w for w in recwarn if "casadi" in str(w.message)]
    assert float(found) == pytest.approx(-(9.81 + 1.0) * np.sin(0.3) / 1.1, rel=1e-12)


def test_units_of_speed() -> None:
    assert tr.rpm(60) == pytest.approx(2 * tr.pi)
    assert tr.kmh(36) == pytest.approx(10.0)


def test_a_file_with_several_faults_names_them_all() -> None:
    from trundle.file import read_model

    text = """model: p
bodies:
  bob: {mass: -1, inertia: 0.1}
  rod: {mas: 1}
connections:
  hinge: {pair: Revolute, axis: w, first: ground, second: bob}
  knee: {pair: Revolut, axis: y, first: bob, second: rod}
"""
    with pytest.raises(tr.TrundleError) as caught:
        read_model(text, "four.yaml")
    found = str(caught.value)
    for line, words in ((1, "model"), (3, "mass -1 kg"), (4, "'mas'"), (6, "'w'"), (7, "'Revolut'")):
        assert re.search(rf"line {line}, .*{words}", found), found
    assert "no body called 'rod'" not in found  # it is there, but could not be understood
