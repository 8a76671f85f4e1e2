"""Random mechanisms: three formalisms, several methods, batches and twins tell the same; Newton's law body by body.

`make random` runs thousands of them (TRUNDLE_RANDOM gives the count); the tests run some of each kind.
"""

import os
from typing import Any

import numpy as np
import pytest
from random_models import KINDS, RandomModel, random_model
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle.errors import AssemblyError, ModelError
from trundle.system import System

COUNT = int(os.environ.get("TRUNDLE_RANDOM", "1"))  # of each kind
FIRST = int(os.environ.get("TRUNDLE_RANDOM_FIRST", "0"))


def built(model: tr.Model, formalism: str = "kane") -> System:
    return model.build(formalism)


def bodies(system: System) -> list[str]:
    return [name for name in system.model.bodies if name != "ground"]


def random_state(system: System, seed: int) -> dict[str, Any]:
    """Random independent coordinates and speeds near zero; the others are found."""
    rng = np.random.default_rng([seed, 77])
    state: dict[str, Any] = {}
    free = set(system.mobility.independent)
    for c in system.formulation.layout.coordinates:
        if any(i not in free for i in range(c.i_u, c.i_u + c.n_u)):
            continue
        if c.n_q == 1:
            state[c.name] = system.mobility.q[c.i_q] + 0.1 * rng.normal()
            state[c.rate_name] = 0.5 * rng.normal()
        else:
            state[c.name] = np.array(system.mobility.q[c.i_q : c.i_q + 4]) + 0.1 * rng.normal(size=4)
            state[c.rate_name] = 0.5 * rng.normal(size=3)
    return state


def possible_state(system: System, seed: int) -> dict[str, Any]:
    """The same; where the loops cannot be closed there, in the assembled pose."""
    state = random_state(system, seed)
    try:
        system.start(state)
    except AssemblyError:
        state = {k: v for k, v in state.items() if k.endswith("_rate")}
    return state


def body_motion(system: System, state: dict[str, Any], t: float = 0.0) -> dict[str, np.ndarray]:
    """Accelerations of all bodies at a state."""
    found = system.accelerations(state, t=t)
    wanted = ("acceleration", "angular_acceleration")
    return {f"{b}.{w}": np.asarray(found[f"{b}.{w}"]) for b in bodies(system) for w in wanted}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], tolerance: float) -> None:
    scale = max(1.0, *(float(np.max(np.abs(v))) for v in b.values()))
    for name in b:
        np.testing.assert_allclose(a[name], b[name], rtol=0, atol=tolerance * scale, err_msg=name)


@pytest.fixture(
    scope="module", params=[(k, FIRST + s) for k in KINDS for s in range(COUNT)], ids=lambda p: f"{p[0]}-{p[1]}"
)
def mechanism(request: pytest.FixtureRequest) -> tuple[RandomModel, System, dict[str, Any]]:
    kind, seed = request.param
    made = random_model(seed, kind)
    system = built(made.make())
    return made, system, possible_state(system, seed)


Made = tuple[RandomModel, System, dict[str, Any]]


def test_formalisms_give_the_same_accelerations(mechanism: Made) -> None:
    _, kane, state = mechanism
    if kane.formulation.n_u == 0:
        pytest.skip("nothing moves")
    reference = body_motion(kane, state, t=0.2)
    for formalism in ("newton_euler", "udwadia_kalaba"):
        assert_same(body_motion(kane.in_formalism(formalism), state, t=0.2), reference, 1e-8)


def test_motions_and_energies_agree(mechanism: Made) -> None:
    _, kane, state = mechanism
    if kane.mobility.freedoms == 0:
        pytest.skip("nothing moves")
    reference = kane.simulate(0.3, state, samples=4)
    assert reference.ok, reference.outcome
    assert reference.energy.drift < 1e-8
    for options in (
        {"formalism": "newton_euler"},
        {"formalism": "udwadia_kalaba"},
        {"method": "order5", "rtol": 1e-9, "atol": 1e-9},
        {"method": "stiff", "rtol": 1e-8, "atol": 1e-8},
    ):
        run = kane.simulate(0.3, state, samples=4, **options)
        if run.outcome.startswith("HALF_TURN"):  # told of: a spring is wound too far for an angle that is measured
            continue
        assert run.ok, (options, run.outcome)
        for b in bodies(kane):
            for quantity in ("position", "rotation"):
                x, y = run.values(f"{b}.{quantity}"), reference.values(f"{b}.{quantity}")
                scale = max(1.0, float(np.max(np.abs(y))))
                np.testing.assert_allclose(x, y, rtol=0, atol=1e-6 * scale, err_msg=f"{options} {b}.{quantity}")


def test_batch_equals_single_runs(mechanism: Made) -> None:
    _, kane, state = mechanism
    if kane.mobility.freedoms == 0:
        pytest.skip("nothing moves")
    numbers = {k: v for k, v in state.items() if np.ndim(v) == 0}
    if not numbers:
        pytest.skip("no start value is one number")
    name = next(iter(numbers))
    values = numbers[name] + np.array([0.0, 0.02, -0.03])
    batch = kane.batch(0.2, {**state, name: values})
    for i, value in enumerate(values):
        run = kane.simulate(0.2, {**state, name: value}, samples=2, rtol=1e-8, atol=1e-8)
        assert run.ok and str(batch.outcomes[i]).startswith("FINISHED"), (run.outcome, batch.outcomes[i])
        for b in bodies(kane):
            end = run.values(f"{b}.position")[-1]
            np.testing.assert_allclose(batch.end(f"{b}.position")[i], end, rtol=0, atol=1e-6 * max(1, np.max(abs(end))))


def test_newtons_law_body_by_body(mechanism: Made) -> None:
    """Without laws and forces: m a = m g + sum of reactions, and the same for moments about the mass centre."""
    made, kane, state = mechanism
    rough = any(isinstance(j.contact_law, tr.RegularisedCoulomb) or j.compliance is not None for j in made.joints)
    bare = made.bare().make().build("newton_euler")
    if rough or bare.model.relaxed():
        pytest.skip("forces beside the reactions act")
    if bare.formulation.layout.places.keys() != kane.formulation.layout.places.keys():
        state = possible_state(bare, made.seed)  # laws draw joints into the tree: without them it has other coordinates
    values = bare.accelerations(state)
    run = bare.simulate(1e-6, state, samples=2)
    first = {
        b: {k: run.values(f"{b}.{k}")[0] for k in ("position", "rotation", "angular_velocity")} for b in bodies(bare)
    }
    first["ground"] = {"position": np.zeros(3), "rotation": np.eye(3).T.reshape(9)}
    solids = {s.name: s for s in made.solids}
    for name, solid in solids.items():
        here = first[name]
        R, w = here["rotation"].reshape(3, 3).T, here["angular_velocity"]
        xx, yy, zz, xy, xz, yz = solid.inertia
        I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        r = R @ np.array(solid.com)
        alpha, a = values[f"{name}.angular_acceleration"], values[f"{name}.acceleration"]
        a_com = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        force = solid.mass * made.gravity
        moment = np.zeros(3)
        for joint in made.joints:
            if name not in (joint.first, joint.second):
                continue
            sign = 1.0 if name == joint.second else -1.0
            F, M = (values[f"{joint.name}.reaction_{k}"] for k in ("force", "moment"))
            other = first[joint.second]
            at = joint.at + joint.lift * joint.R[:, 2]
            point = other["position"] + other["rotation"].reshape(3, 3).T @ at  # origin of the second frame
            force = force + sign * F
            moment = moment + sign * (M + np.cross(point - here["position"] - r, F))
        scale = max(1.0, *(float(np.max(np.abs(v))) for k, v in values.items() if ".reaction_" in k))
        np.testing.assert_allclose(solid.mass * a_com, force, rtol=0, atol=1e-8 * scale, err_msg=name)
        np.testing.assert_allclose(I @ alpha + np.cross(w, I @ w), moment, rtol=0, atol=1e-8 * scale, err_msg=name)


def test_reposed_and_reordered_twins_move_alike(mechanism: Made) -> None:
    made, kane, state = mechanism
    if kane.mobility.freedoms == 0:
        pytest.skip("nothing moves")
    rng = np.random.default_rng(made.seed)
    Q = Rotation.random(random_state=made.seed).as_matrix()
    d = 10 * rng.normal(size=3)
    # Independent speeds may be chosen otherwise in a twin: it starts from the whole state that was found.
    found = kane.start(state)
    whole: dict[str, Any] = {}
    for c in kane.formulation.layout.coordinates:
        whole[c.name] = found.q[c.i_q] if c.n_q == 1 else found.q[c.i_q : c.i_q + 4]
        whole[c.rate_name] = found.u[c.i_u] if c.n_u == 1 else found.u[c.i_u : c.i_u + 3]
    reference = kane.simulate(0.2, whole, samples=3)
    turned = built(made.make(rotation=Q, shift=d))
    mixed = built(made.make(rng=rng))
    for twin in (turned, mixed):
        assert twin.mobility.freedoms == kane.mobility.freedoms
        assert len(twin.mobility.redundant) == len(kane.mobility.redundant)
    run = turned.simulate(0.2, whole, samples=3)
    assert run.ok, run.outcome
    for b in bodies(kane):
        x, y = run.values(f"{b}.position"), reference.values(f"{b}.position")
        np.testing.assert_allclose(x, y @ Q.T + d, rtol=0, atol=1e-7 * max(1, np.max(np.abs(y))), err_msg=b)
    first = {
        f"{b}.{k}": reference.values(f"{b}.{k}")[0]
        for b in bodies(kane)
        for k in ("position", "rotation", "velocity", "angular_velocity")
    }
    try:
        run = mixed.simulate(0.2, first, samples=3)
    except (AssemblyError, ModelError):
        pytest.skip("another tree is not started by poses of its bodies")
    assert run.ok, run.outcome
    for b in bodies(kane):
        x, y = run.values(f"{b}.position"), reference.values(f"{b}.position")
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-6 * max(1, np.max(np.abs(y))), err_msg=b)
