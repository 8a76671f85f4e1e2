"""Random mechanisms on frames that tumble: the relative and the inertial description give the same accelerations.

TRUNDLE_RANDOM gives the count of each kind, as for the mechanisms on the ground (`make random`).
"""

import os
from typing import Any

import numpy as np
import pytest
from tests.adversary.random_models import KINDS, random_model
from tests.equations.random_states import random_state
from tests.motion.carried import carried, tumbling

from trundle.errors import AssemblyError
from trundle.system import System

COUNT = int(os.environ.get("TRUNDLE_RANDOM", "1"))  # of each kind
QUICK = ("tree", "loop")
OTHERS = [kind for kind in KINDS if kind not in (*QUICK, "moving")]  # "moving" ones have frames of their own


def body_motion(system: System, state: dict[str, Any], t: float) -> dict[str, np.ndarray]:
    """Accelerations of all bodies in the ground."""
    found = system.accelerations(state, t=t)
    wanted = ("acceleration", "angular_acceleration")
    return {f"{b.name}.{w}": np.asarray(found[f"{b.name}.{w}"]) for b in system.model.free_bodies for w in wanted}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], tolerance: float) -> None:
    scale = max(1.0, *(float(np.max(np.abs(v))) for v in b.values()))
    for name in b:
        np.testing.assert_allclose(a[name], b[name], rtol=0, atol=tolerance * scale, err_msg=name)


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize("kind", [*QUICK, *(pytest.param(kind, marks=pytest.mark.slow) for kind in OTHERS)])
def test_relative_equals_inertial(kind: str, seed: int) -> None:
    model = carried(random_model(seed, kind).make(), tumbling(seed, 0.3))
    kane = model.build()
    if kane.formulation.n_u == 0:
        pytest.skip("nothing can move")
    state, t = random_state(kane, np.random.default_rng(seed), 0.1, 0.5), 0.4
    try:
        kane.start(state, t=t)
    except AssemblyError:  # a random pose may not be possible: the assembled one is
        state = {k: v for k, v in state.items() if k.endswith("_rate")}
    found = body_motion(kane, state, t)
    for formalism in ("newton_euler", "udwadia_kalaba"):
        assert_same(body_motion(kane.in_formalism(formalism), state, t), found, 1e-9)
    assert max(float(np.max(np.abs(v))) for v in found.values()) > 1e-3
