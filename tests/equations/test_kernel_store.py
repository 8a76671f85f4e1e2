"""When machine code is made, and which is optimised: what every step of a run evaluates, unless many contacts may act
at once.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trundle as tr
import trundle.kernel.compile as compilation
from trundle.equations import kernel_store
from trundle.equations.kernels import REMEMBERED

HALF = 0.1


def box(corners: int) -> tr.Model:
    m = tr.Model("box")
    body = m.body("box", mass=1.0, inertia=0.01)
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)][:corners]):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(
            pair, m.ground, body.at(x * HALF, y * HALF, -HALF), name=f"c{k}", law=tr.Coulomb(0.5), unilateral=True
        )
    return m


@pytest.mark.parametrize("corners", [1, 4])
def test_many_contacts_are_compiled_quickly(corners: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    quick: list[bool] = []
    original = kernel_store.compile_tapes

    def compile_tapes(*given: Any, **options: Any) -> Any:
        quick.append(options["quick"])
        return original(*given, **options)

    monkeypatch.setattr(kernel_store, "compile_tapes", compile_tapes)
    run = box(corners).build().simulate(0.01, {"box.position": (0, 0, 0.5)}, samples=3)
    assert run.values("box.z")[-1] == pytest.approx(0.5 - 9.81 * 0.01**2 / 2, abs=1e-9)
    base, *others = quick
    assert base is (corners == 4)
    run.values("box.acceleration")
    assert len(quick) == 2 + len(others) and quick[-1]


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of code that are made, one after the other; at first the cache is empty."""
    made: list[str] = []
    real = compilation.emit_object

    def emit(ir: str, quick: bool) -> bytes:
        made.append("quick" if quick else "optimised")
        return real(ir, quick=quick)

    monkeypatch.setattr(compilation, "emit_object", emit)
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    return made


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -0.8), inertia=0.01), law=tr.Damper(0.1))
    m.start["bob.angle"] = 0.4
    return m


def test_code_of_runs_is_made_when_it_is_needed(compiled: list[str]) -> None:
    system = pendulum().build()
    assert system.formulation.n_x == 4  # angle, rate, work in, work lost
    assert len(system.linearise({"bob.angle": 0.0}).matrix) == 2
    assert not compiled
    assert system.formulation.kernels("base").keys() == {"rhs", "energy"}
    assert compiled == ["optimised"]
    again = pendulum().build()
    assert again.formulation.n_x == 4 and again.formulation.kernels("base")["rhs"].n_x == 4
    assert compiled == ["optimised"]


@pytest.mark.parametrize("sent", ["system", "formulation"])
def test_code_is_made_before_a_system_is_sent(sent: str, compiled: list[str]) -> None:
    system = pendulum().build()
    packed = pickle.dumps(system if sent == "system" else system.formulation)
    assert compiled == ["optimised"]
    back = pickle.loads(packed)
    (back.formulation if sent == "system" else back).kernels("base")
    assert compiled == ["optimised"]


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


def test_a_tree_has_one_right_hand_side(compiled: list[str]) -> None:
    """Without rows implicit methods take that of explicit ones; it is compiled once."""
    kernels = pendulum().build().formulation.kernels
    kernels.prepare(["base", "stiff"])
    assert len(compiled) == 2
    assert "rhs" in kernels("base") and kernels("stiff").keys() == {"jacobian"}
    kernels.prepare(["base", "stiff"])
    assert pendulum().build().formulation.kernels("stiff").keys() == {"jacobian"}
    assert len(compiled) == 2
