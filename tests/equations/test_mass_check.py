"""Whether every freedom moves some inertia is checked in random poses; some may lie beyond the range of a table."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.equations.mass_check import _mass_matrices, _numbers
from trundle.linear_algebra.kkt import dense
from trundle.motion.kinematics import normalised


def carried(beyond: str) -> tr.Model:
    """A body that is free in a frame whose turn is a table of a state of the model."""
    m = tr.Model("carried")
    turn = m.table("turn", tr.Table([10.0, 15.0, 20.0, 30.0], [0.0, 0.2, 0.1, 0.3], beyond=beyond))
    m.state("way", rate=lambda s: 1.0, start=12.0)
    frame = m.moving_frame("frame", position=lambda s: (0, 0, turn(s["way"])), rotation=lambda s: ("y", turn(s["way"])))
    m.connect(tr.Free(), frame, m.body("box", mass=2.0, inertia=(1.0, 2.0, 2.5)))
    return m


@pytest.mark.parametrize("beyond", ["refuse", "hold"])
def test_a_frame_that_exists_for_some_states_only(beyond: str) -> None:
    system = carried(beyond).build()
    assert system.mobility.freedoms == 6


def test_a_freedom_without_inertia_is_still_refused_there() -> None:
    m = carried("refuse")
    m.connect(tr.Revolute("x"), m.bodies["box"], m.body("bead", mass=1.0, inertia=0.0))
    with pytest.raises(tr.errors.ModelError, match="has no inertia"):
        m.build()


@pytest.mark.parametrize(
    "name", ["benchmark-bicycle", "governed-engine", "heavy-top", "lamp-on-ship", "wheelset-on-track"]
)
def test_mass_matrices_from_partial_velocities_are_those_of_the_equations(name: str) -> None:
    """In random poses; the equations have them from composite bodies."""
    formulation = tr.examples.model(name).build("kane").formulation
    e, p = formulation.equations, formulation.default_parameters
    rng = np.random.default_rng(4)
    poses = [normalised(rng.normal(size=e.n_q), e.motion.quaternions) for _ in range(3)]
    M = ca.Function("M", [e.t, e.q, e.p], [ca.densify(ca.vertcat(*[dense(row, e.n_u).T for row in e.mass]))])
    expected = np.array([np.array(ca.DM(M(0.0, pose, p))) for pose in poses])
    (found,) = _mass_matrices(e, p, poses, [_numbers(e, p)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.max(np.abs(expected)))
