"""When equations are derived, and when they are compiled to machine code."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trundle as tr
import trundle.equations.kernels as kernels
import trundle.kernel.compile as compilation
from trundle.equations.kernels import REMEMBERED


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the functions that are read, one after the other; at first the cache is empty."""
    names: list[str] = []
    real = compilation.read_tape

    def read_tape(function: Any) -> Any:
        names.append(function.name())
        return real(function)

    monkeypatch.setattr(compilation, "read_tape", read_tape)
    monkeypatch.setattr(kernels, "read_tape", read_tape)
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    return names


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -0.8), inertia=0.01), law=tr.Damper(0.1))
    m.start["bob.angle"] = 0.4
    return m


def test_equations_of_runs_are_derived_once(read: list[str]) -> None:
    system = pendulum().build()
    assert system.formulation.n_x == 4  # angle, rate, work in, work lost
    assert len(system.linearise({"bob.angle": 0.0}).matrix) == 2
    assert system.formulation.kernels("base").keys() == {"rhs", "energy"}
    assert sorted(read) == ["energy", "rhs"]
    again = pendulum().build()
    assert again.formulation.n_x == 4 and again.formulation.kernels("base")["rhs"].n_x == 4
    assert sorted(read) == ["energy", "rhs"]


@pytest.mark.parametrize("sent", ["system", "formulation"])
def test_equations_are_derived_before_a_system_is_sent(sent: str, read: list[str]) -> None:
    system = pendulum().build()
    packed = pickle.dumps(system if sent == "system" else system.formulation)
    assert len(read) == 2
    back = pickle.loads(packed)
    (back.formulation if sent == "system" else back).kernels("base")
    assert len(read) == 2


def test_remembered_linear_equations_are_those_of_their_state() -> None:
    """At more states than are remembered, and with other parameters at the same state."""
    m = tr.Model("pendulum")
    length = m.parameter("L", 0.8)
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -length)))
    formulation = m.build().formulation
    f = formulation.functions
    for _ in range(2):
        for L in (0.8, 1.6):
            p = formulation.parameter_vector({"L": L})
            for angle in np.linspace(0.0, 1.0, REMEMBERED):
                _, A, *_ = f.linear_at(0.0, np.array([angle]), np.zeros(1), p)
                np.testing.assert_allclose(A[1, 0], -9.81 / L * np.cos(angle), rtol=1e-12)


def test_a_tree_has_one_right_hand_side(read: list[str]) -> None:
    """Without rows implicit methods take that of explicit ones."""
    kernels = pendulum().build().formulation.kernels
    assert "rhs" in kernels("base") and kernels("stiff").keys() == {"jacobian"}
    assert pendulum().build().formulation.kernels("stiff").keys() == {"jacobian"}
    assert sorted(read) == ["energy", "rhs"]  # the Jacobian is made of the tape of the right-hand side


class TestMachineCode:
    """Runs begin in threaded code; kernels that are called often become machine code, with the same bits."""

    DURATION = 20.0

    def test_takes_over_within_a_run(self, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        slow = pendulum().build()
        in_steps = slow.simulate(self.DURATION)
        assert made(slow) == set()
        monkeypatch.setattr("trundle.kernel.stored_kernels.BUSY_AGAIN", 1000)
        system = pendulum().build()
        run = system.simulate(self.DURATION)
        assert made(system) == {"rhs"}
        assert 1000 <= system.formulation.kernels("base")["rhs"].threaded.calls < 3000
        np.testing.assert_array_equal(run.values("bob.angle"), in_steps.values("bob.angle"))

    def test_kernels_are_kept_in_the_store(self, read: list[str]) -> None:
        system = pendulum().build()
        run = system.simulate(self.DURATION)
        system.compile()
        assert made(system) == {"rhs", "energy"}
        again = pendulum().build()
        kernels = again.formulation.kernels("base")
        assert [kernel.threaded for kernel in kernels.values()] == [None, None]
        np.testing.assert_array_equal(again.simulate(self.DURATION).values("bob.angle"), run.values("bob.angle"))

    def test_kernels_in_lanes_are_taken_from_the_store_too(
        self, read: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cases = {"bob.angle": np.linspace(0.1, 1.0, 20)}
        first = pendulum().build().batch(self.DURATION, cases, samples=5)
        monkeypatch.setattr("trundle.kernel.stored_kernels.BUSY_AGAIN", 1000)
        system = pendulum().build()
        np.testing.assert_array_equal(
            system.batch(self.DURATION, cases, samples=5).end("bob.angle"), first.end("bob.angle")
        )
        assert system.formulation.kernels("lanes", wide=True)["rhs"].threaded.is_compiled


def made(system: tr.System) -> set[str]:
    """Kernels of a run that have become machine code."""
    kernels = system.formulation.kernels("base")
    return {name for name, kernel in kernels.items() if kernel.threaded is not None and kernel.threaded.is_compiled}
