"""A vertex on any surface that two screws sweep."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr
from trundle.errors import ModelError
from trundle.space.chain import SLIDE

HELICOID = tr.SweptSurface(tr.Screw("z", 0.3, name="turn"), tr.Screw("x", SLIDE, name="out"), (0.5, 0.0, 0.0))
HYPERBOLOID = tr.SweptSurface(tr.Screw("z", name="turn"), tr.Screw((0, 1, 2), SLIDE, name="along"), (1.0, 0.0, 0.0))
CROSSED = tr.SweptSurface(
    tr.Screw("z", 0.2, name="one"), tr.Screw((1, 0.5, 0.3), -0.1, (0, 0.4, 0), "two"), (1.0, 0.2, 0.1)
)


def model(surface: tr.SweptSurface | tr.Torus, reverse: bool = False) -> tr.Model:
    m = tr.Model("vertex")
    body = m.body("body", 1.0, (0.02, 0.03, 0.04), com=(0.02, -0.01, 0.03))
    if reverse:
        m.connect(tr.HigherPair(tr.Vertex(), surface), body, m.ground, "body")
    else:
        m.connect(tr.HigherPair(surface, tr.Vertex()), m.ground, body)
    return m


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("surface", [HELICOID, HYPERBOLOID, CROSSED])
def test_tree_joint_equals_loop_closer(surface: tr.SweptSurface, reverse: bool) -> None:
    m = model(surface, reverse)
    a, b = surface.first.name, surface.second.name
    state = {f"body.{a}": 0.3, f"body.{b}": 0.2, f"body.{a}_rate": 0.5, f"body.{b}_rate": -0.4}
    state["body.angular_rate"] = (0.3, 0.2, -0.5)
    kane = m.build()
    systems = [kane, kane.in_formalism("newton_euler")]
    x, y = (s.accelerations(state) for s in systems)
    for name, value in y.items():
        assert x[name] == pytest.approx(value, abs=1e-9 * (1 + np.max(np.abs(value)))), name
    runs = [s.simulate(0.4, state) for s in systems]
    assert runs[0].values("body.position") == pytest.approx(runs[1].values("body.position"), abs=1e-8)
    assert np.max(np.abs(runs[1].values("body.gap"))) < 1e-12


def test_bead_on_a_helicoid() -> None:
    """A point mass on x = (r cos t, r sin t, p t): its own equations, integrated apart."""
    p, g = 0.3, 9.81
    m = tr.Model("bead")
    bead = m.body("bead", 1.0, (1e-3, 1e-3, 1e-3))
    m.connect(tr.HigherPair(HELICOID, tr.Vertex()), m.ground, bead)
    run = m.build().simulate(1.0, {"bead.turn_rate": 1.0, "bead.out_rate": 0.2}, rtol=1e-12, atol=1e-12)

    def rates(_: float, y: np.ndarray) -> list[float]:
        _, r, turning, out = y
        return [turning, out, (-2 * r * out * turning - p * g) / (r**2 + p**2), r * turning**2]

    y = solve_ivp(rates, (0, 1), [0.0, 0.5, 1.0, 0.2], rtol=1e-12, atol=1e-12).y[:, -1]
    assert [run.values("bead.turn")[-1], 0.5 + run.values("bead.out")[-1]] == pytest.approx(y[:2], abs=1e-9)


def test_of_the_seven_it_is_the_same() -> None:
    """A torus given by its screws carries a vertex as the torus itself does."""
    torus = tr.Torus(1.0, 0.3)
    sweep = torus.sweep()
    swept = tr.SweptSurface(sweep.first, sweep.second, (0.0, 0.0, 1.0), inside=True)
    state = {"body.pitch": 0.2, "body.roll": 0.4, "body.pitch_rate": 0.3, "body.angular_rate": (0.1, 0.2, 0.3)}
    a, b = model(torus).build().accelerations(state), model(swept).build().accelerations(state)
    for name, value in a.items():
        if "slip_force" not in name:
            assert b[name] == pytest.approx(value, abs=1e-10), name
    assert swept.normal(0.2, 0.4) == pytest.approx(torus.normal(0.2, 0.4), abs=1e-14)


def test_invalid_surfaces_are_refused() -> None:
    with pytest.raises(ModelError, match=r"only a tr\.Vertex"):
        tr.HigherPair(HELICOID, tr.Sphere(0.1))
    with pytest.raises(ModelError, match="same line"):
        tr.SweptSurface(tr.Screw("z", 0.3, name="a"), tr.Screw("z", 0.3, name="b"), (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="different names"):
        tr.SweptSurface(tr.Screw("z"), tr.Screw("x"), (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="seven surfaces"):
        HELICOID.curvatures(0.0, 0.0)
    assert HELICOID.mesh()[0].shape == (73, 37)
