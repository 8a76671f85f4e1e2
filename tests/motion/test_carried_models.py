"""Models on a frame that tumbles: relative coordinates, absolute ones and the pseudo-inverse give the same motion, the
same reactions and the same force on the frame, and the work of its motion closes the books.
"""

from typing import Any

import numpy as np
import pytest
from tests.equations.mechanisms import MECHANISMS
from tests.equations.random_states import largest, random_state
from tests.motion.carried import carried, tumbling

from trundle import examples
from trundle.system import System

QUICK = ("free pair", "four-bar with laws", "slider-crank, slide driven", "closed by Planar")
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS if name not in QUICK]
COMPARED = ("acceleration", "reaction_force", "reaction_moment", "_drive", "driving_force", "driving_moment")


def systems(name: str) -> tuple[System, System, System]:
    system = carried(MECHANISMS[name][0](), tumbling(3)).build()
    return system, system.in_formalism("newton_euler"), system.in_formalism("udwadia_kalaba")


@pytest.mark.parametrize("name", [*QUICK, *OTHERS])
def test_equal_accelerations_reactions_and_motion(name: str) -> None:
    kane, *others = systems(name)
    assert kane.mobility.freedoms == MECHANISMS[name][1]
    for seed in (1, 2):
        state, t = random_state(kane, np.random.default_rng(seed)), 0.3 * seed
        found = kane.accelerations(state, t=t)
        for other in others:
            wanted = other.accelerations(state, t=t)
            for ending in COMPARED:
                scale = max(largest(wanted, ending), 1e-3)
                if ending == "reaction_moment":  # a ball joint has none, but for the round-off of its force
                    scale = max(scale, 1e-2 * largest(wanted, "reaction_force"))
                for key in (k for k in wanted if k in found and k.endswith(ending)):
                    np.testing.assert_allclose(found[key], wanted[key], rtol=0, atol=1e-9 * scale, err_msg=key)
    state = random_state(kane, np.random.default_rng(5), size=0.05)
    runs = [s.simulate(0.4, state, rtol=1e-12, atol=1e-12, samples=5, t0=0.7) for s in (kane, others[0])]
    for body in (b for b in kane.model.bodies.values() if not b.is_at_rest):
        for quantity in ("position", "rotation", "velocity"):
            a, b = (run.values(f"{body.name}.{quantity}") for run in runs)
            atol = 1e-9 * max(1.0, float(np.max(np.abs(b))))
            np.testing.assert_allclose(a, b, rtol=0, atol=atol, err_msg=f"{body.name}.{quantity}")
    for run in runs:
        assert run.ok and run.energy.drift < 1e-9
        assert run.power.residual.relative < 1e-9
        assert np.ptp(run.values("energy.work_in")) > 0


CONTACTS = ("rolling-disc", "benchmark-bicycle", "ball-in-bowl", "chaplygin-sleigh", "rattleback")
MORE = [pytest.param(name, marks=pytest.mark.slow) for name in
        ("four-wheel-vehicle", "ball-in-turning-pipe", "snakeboard", "spiral-column", "flyball-governor",
         "sphere-on-tangent-surface", "spring-door", "two-hinge-door-compliant")]  # fmt: skip


@pytest.mark.parametrize("name", [*CONTACTS, *MORE])
def test_contacts_and_loops_of_the_examples(name: str) -> None:
    system = carried(examples.model(name), tumbling(4, 0.3)).build()
    runs = [system.simulate(0.3, formalism=f, rtol=1e-11, samples=5) for f in ("kane", "newton_euler")]
    for body in system.model.free_bodies:
        a, b = (run.values(f"{body.name}.position") for run in runs)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * max(1.0, float(np.max(np.abs(b)))), err_msg=body.name)
    for run in runs:
        assert run.ok and run.energy.drift < 2e-9


def test_part_of_a_model_on_the_ground_and_part_on_a_frame() -> None:
    """A four-bar with one bearing on a moving frame and the other on the ground: a loop over two roots."""
    model = carried(MECHANISMS["RSSR"][0](), tumbling(5, 0.05), keep=lambda name: name == "D")
    state: dict[str, Any] = {}
    system = model.build()
    runs = [system.simulate(0.5, state, formalism=f, rtol=1e-11, samples=6) for f in ("kane", "newton_euler")]
    for body in system.model.free_bodies:
        a, b = (run.values(f"{body.name}.position") for run in runs)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9, err_msg=body.name)
    forces = [run.values("carrier.driving_force") for run in runs]
    np.testing.assert_allclose(forces[0], forces[1], rtol=0, atol=1e-7 * np.max(np.abs(forces[1])))
    assert all(run.energy.drift < 1e-9 for run in runs)
