"""The celt against equations of the rolling ellipsoid written by hand: motion, modes of steady spin, reversal."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from trundle import examples
from trundle.system import System

HALF, DEPTH, MASS, GRAVITY = np.array([0.2, 0.03, 0.02]), 0.01, 1.0, 9.81
INERTIA = np.array([[2e-4, -2e-5, 0.0], [-2e-5, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As np.cross, in a fifth of its time for two single vectors."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def rates(x: np.ndarray) -> np.ndarray:
    """Rates of the upward direction and of the angular velocity, in axes of the stone; numbers may be complex.

    With r from the mass centre to the contact, rolling gives v = r x w, and the force of the table goes through the
    contact: I w' + w x I w = r x F with F = m (v' + w x v + g up).
    """
    up, w = x[:3], x[3:]
    size = np.sqrt(HALF**2 @ up**2)
    r = np.array([0.0, 0.0, DEPTH]) - HALF**2 * up / size
    up_rate = cross(up, w)
    r_rate = -(HALF**2) * up_rate / size + HALF**2 * up * ((HALF**2 * up) @ up_rate) / size**3
    push = MASS * (cross(r_rate, w) + cross(w, cross(r, w)) + GRAVITY * up)
    lever = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    turning = np.linalg.solve(INERTIA - MASS * lever @ lever, cross(r, push) - cross(w, INERTIA @ w))
    return np.concatenate([up_rate, turning])


def hand_modes(spin: float) -> np.ndarray:
    """Eigenvalues of the motion about steady spin, by complex steps; those of the two integrals are zero."""
    x = np.array([0, 0, 1, 0, 0, spin], dtype=complex)
    columns = [rates(x + 1e-30j * e).imag / 1e-30 for e in np.eye(6)]
    return np.linalg.eigvals(np.array(columns).T)


@pytest.fixture(scope="module")
def system() -> System:
    return examples.model("rattleback").build()


def seen(run: Any) -> np.ndarray:
    """Upward direction and angular velocity in axes of the stone (n, 6)."""
    R = run.values("stone.rotation").reshape(-1, 3, 3)  # its rows are the axes of the stone
    return np.hstack([R[:, :, 2], np.einsum("nij,nj->ni", R, run.values("stone.angular_velocity"))])


def test_moves_as_the_equations_by_hand(system: System) -> None:
    run = system.simulate(1.5, {"stone.angular_rate": (0.3, -0.2, -4.0)}, samples=16, rtol=1e-12, atol=1e-12)
    x = seen(run)
    reference = solve_ivp(lambda t, x: rates(x), (0.0, 1.5), x[0], "DOP853", t_eval=run.time, rtol=1e-12, atol=1e-13)
    assert np.max(np.abs(x - reference.y.T)) < 1e-8
    assert np.max(np.abs(run.values("table.slip_x"))) < 1e-12
    assert run.energy.drift < 1e-10


def test_turns_back_and_keeps_its_energy(system: System) -> None:
    """Spun the wrong way its spin changes sign; the other way it does not."""
    run = system.simulate(10.0, rtol=1e-12, atol=1e-12)
    spin = run.values("stone.angular_rate")[:, 2]
    assert run.ok and spin[0] == -5.0
    assert np.max(spin) > 1.0
    assert run.energy.drift < 1e-10
    other = system.simulate(10.0, {"stone.angular_rate": (0.01, 0.02, 5.0)}, rtol=1e-12, atol=1e-12)
    assert np.min(other.values("stone.angular_rate")[:, 2]) > 0
    assert other.energy.drift < 1e-10


@pytest.mark.parametrize("spin", [-5.0, 3.0])
def test_modes_of_steady_spin(system: System, spin: float) -> None:
    """Growth and frequency of small motions about steady spin, against the linearised equations by hand."""
    by_hand = hand_modes(spin)
    by_hand = by_hand[np.abs(by_hand) > 1e-6]
    assert len(by_hand) == 4
    found = system.linearise({"stone.angular_rate": (0.0, 0.0, spin)}).eigenvalues
    for mode in by_hand:
        assert np.min(np.abs(found - mode)) < 1e-7 * np.abs(mode)
    assert np.max(by_hand.real) > 0.1
