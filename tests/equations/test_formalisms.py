"""Joint coordinates and absolute coordinates give the same accelerations, reactions and motions."""

from collections.abc import Iterator

import numpy as np
import pytest
from tests.equations.mechanisms import MECHANISMS
from tests.equations.random_states import largest, random_state

from trundle.system import System


@pytest.fixture(scope="module", params=MECHANISMS)
def pair_of_systems(request: pytest.FixtureRequest) -> Iterator[tuple[System, System, int]]:
    make, freedoms = MECHANISMS[request.param]
    kane = make().build()
    yield kane, kane.in_formalism("newton_euler"), freedoms


def test_degrees_of_freedom(pair_of_systems: tuple[System, System, int]) -> None:
    kane, _, freedoms = pair_of_systems
    assert kane.mobility.freedoms == freedoms


@pytest.mark.parametrize("seed", [1, 2])
def test_equal_accelerations_and_reactions(pair_of_systems: tuple[System, System, int], seed: int) -> None:
    kane, absolute, _ = pair_of_systems
    state, t = random_state(kane, np.random.default_rng(seed)), 0.3 * seed
    a, b = kane.accelerations(state, t=t), absolute.accelerations(state, t=t)
    compared = [k for k in b if k in a]
    n_bodies, n_connections = len(kane.model.bodies) - 1, len(kane.model.connections)
    assert len(compared) >= 2 * n_bodies + 2 * n_connections
    for ending in ("acceleration", "reaction_force", "reaction_moment", "_drive"):
        scale = max(largest(b, ending), 1e-3)
        for key in compared:
            if key.endswith(ending):
                np.testing.assert_allclose(a[key], b[key], rtol=0, atol=1e-9 * scale, err_msg=key)


def test_equal_motion(pair_of_systems: tuple[System, System, int]) -> None:
    kane, absolute, _ = pair_of_systems
    state = random_state(kane, np.random.default_rng(5), size=0.05)
    runs = [s.simulate(0.4, state, rtol=1e-12, atol=1e-12, samples=5) for s in (kane, absolute)]
    assert all(run.ok for run in runs), [run.outcome for run in runs]
    for body in kane.model.bodies:
        if body != "ground":
            for quantity in ("position", "rotation", "velocity"):
                a, b = (run.values(f"{body}.{quantity}") for run in runs)
                np.testing.assert_allclose(
                    a, b, rtol=0, atol=1e-9 * max(1.0, np.max(np.abs(b))), err_msg=f"{body}.{quantity}"
                )
    for run in runs:
        assert run.energy.drift < 1e-9


def test_joint_quantities_are_the_same(pair_of_systems: tuple[System, System, int]) -> None:
    kane, absolute, _ = pair_of_systems
    state = random_state(kane, np.random.default_rng(6), size=0.1)
    runs = [s.simulate(1e-3, state, samples=2) for s in (kane, absolute)]
    names = [n for n, q in absolute.quantities.items() if q.group == "joints"]
    for name in names:
        a, b = (run.values(name)[0] for run in runs)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9, err_msg=name)
