"""Start states of the cases of a batch: those of single runs, shared or found together."""

from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.study import batch as study_batch
from trundle.study.start_cases import sharing


def slider_crank() -> tr.Model:
    m = tr.Model("slider-crank")
    crank = m.body("crank", mass=m.parameter("M", 1.0), inertia=(0.001, 0.02, 0.02), com=(0.15, 0, 0))
    rod = m.body("rod", mass=1.5, inertia=(0.001, 0.1, 0.1), com=(0.4, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, piston := m.body("piston", mass=2.0))
    m.connect(tr.Revolute("y"), rod.at(m.parameter("L", 0.8), 0, 0), piston, name="pin")
    return m


def ball() -> tr.Model:
    m = tr.Model("ball")
    law, bounce = tr.Coulomb(m.parameter("mu", 0.2)), tr.Poisson(m.parameter("e", 0.6))
    surfaces = tr.HigherPair(tr.Plane(), tr.Sphere(m.parameter("R", 0.1)))
    m.connect(surfaces, m.ground, m.body("ball", 1.0, 0.004), name="floor", law=law, restitution=bounce)
    m.start = {"ball.position": (0, 0, 0.3), "ball.velocity": (1.0, 0, 0)}
    return m


rng = np.random.default_rng(5)
CASES: dict[str, tuple[tr.Model, dict[str, Any], dict[str, Any]]] = {
    "loop": (slider_crank(), {"crank.angle": rng.uniform(-3, 3, 8), "crank.angle_rate": rng.normal(size=8)}, {}),
    "lengths": (slider_crank(), {"crank.angle": 0.7, "piston.displacement_rate": 2.0}, {"L": rng.uniform(0.5, 1, 8)}),
    "throws": (ball(), {"ball.velocity": rng.normal(size=(8, 3))}, {"mu": rng.uniform(0, 1, 8)}),
    "one component": (ball(), {"ball.velocity_y": rng.normal(size=8), "ball.angular_velocity": (0, 3.0, 0)}, {}),
    "places": (ball(), {"ball.position": (0.2, -0.1, 0.5) + 0.1 * rng.uniform(size=(8, 3))}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_starts_that_are_found_together_are_those_of_single_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, start, parameters = CASES[name]
    system = model.build()
    alone: list[Any] = []
    monkeypatch.setattr(study_batch, "start_state", lambda *a, **k: alone.append(a))
    batch = system.batch(0.01, start, parameters, samples=2)
    assert not alone and batch.counts == {"FINISHED": 8}
    for i in range(8):
        chosen, values = (
            {k: v[i] if np.shape(v)[:1] == (8,) else v for k, v in d.items()} for d in (start, parameters)
        )
        state = system.start(chosen, values)
        np.testing.assert_allclose(batch.batch.x[i, 0, : len(state.q)], state.q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(batch.batch.x[i, 0, len(state.q) :][: len(state.u)], state.u, rtol=0, atol=1e-12)


def test_cases_share_a_start_where_they_differ_in_other_things() -> None:
    def starts(model: tr.Model, names: tuple[str, ...], **parameters: Any) -> int:
        f = model.build().formulation
        p = np.tile(f.default_parameters, (6, 1))
        for name, values in parameters.items():
            p[:, f.parameters.parameter(name)] = values
        first, like = sharing(f, names, {}, p)
        assert len(first) == 1 or np.array_equal(p[first][like], p)
        return len(first)

    many = np.linspace(0.5, 1.0, 6)
    assert starts(slider_crank(), ("crank.angle",), M=many) == 1
    assert starts(slider_crank(), ("crank.angle",), L=many) == 6
    assert starts(ball(), ("ball.position", "ball.velocity"), mu=many) == 1
    assert starts(ball(), ("ball.position", "ball.velocity"), e=many) == 1


def test_a_start_that_cannot_be_held_is_that_of_the_single_run() -> None:
    system = slider_crank().build()
    lengths, angles = np.array([0.8, 0.1, 0.8]), np.array([0.3, 1.4, 0.5])
    batch = system.batch(0.1, {"crank.angle": angles}, {"L": lengths}, samples=2)
    state = system.start({"crank.angle": 1.4}, {"L": 0.1})
    assert "crank.angle" in state.changed
    np.testing.assert_allclose(batch.batch.x[1, 0, :3], state.q, rtol=0, atol=1e-13)
    assert batch["crank.angle"].values[[0, 2], 0] == pytest.approx(angles[[0, 2]], abs=1e-13)
