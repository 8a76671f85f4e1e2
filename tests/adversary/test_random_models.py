"""Random mechanisms: three formalisms, several methods, batches, twins and model files agree; Newton's law body
by body; derivatives of runs, results in files and systems in other processes.

What is compiled is shared: the numbers of a mechanism are parameters, and each is asked with several draws of them.
`make random` runs thousands (TRUNDLE_RANDOM mechanisms of each kind with TRUNDLE_DRAWS draws of their numbers, from
number TRUNDLE_RANDOM_FIRST on); the tests run some of each kind.
"""

import os
import pickle
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_files import as_file
from random_models import KINDS, RandomModel, random_model
from scipy.spatial.transform import Rotation
from tests.equations.random_states import random_state

import trundle as tr
from trundle.equations.formulation import FORMALISMS
from trundle.errors import AssemblyError, ModelError, SolveError
from trundle.file.read import load_file
from trundle.run.run import Run
from trundle.system import System

COUNT = int(os.environ.get("TRUNDLE_RANDOM", "1"))  # of each kind
FIRST = int(os.environ.get("TRUNDLE_RANDOM_FIRST", "0"))
DRAWS = int(os.environ.get("TRUNDLE_DRAWS", "2"))
DURATION = 0.3  # s
TIMES = [0.0, 0.1, 0.2, 0.3]


def whole_state(system: System, state: dict[str, Any], sizes: dict[str, float]) -> dict[str, Any]:
    """All coordinates and speeds of a consistent state near the given one; where the loops cannot be closed there, of
    the assembled pose. A twin may choose its independent speeds otherwise: it starts from all of them.
    """
    try:
        found = system.start(state, sizes)
    except AssemblyError:
        found = system.start({k: v for k, v in state.items() if k.endswith("_rate")}, sizes)
    whole: dict[str, Any] = {}
    for c in system.formulation.layout.coordinates:
        whole[c.name] = found.q[c.i_q] if c.n_q == 1 else found.q[c.i_q : c.i_q + 4]
        whole[c.rate_name] = found.u[c.i_u] if c.n_u == 1 else found.u[c.i_u : c.i_u + 3]
    return whole


@dataclass
class Case:
    """One draw of the numbers of a mechanism, with a start."""

    system: System
    sizes: dict[str, float]
    state: dict[str, Any]

    @cached_property
    def run(self) -> Run:
        return self.system.simulate(DURATION, self.state, self.sizes, samples=TIMES)


@dataclass
class Made:
    """A mechanism that is built, with its cases."""

    data: RandomModel
    kane: System
    cases: list[Case]

    @property
    def bodies(self) -> list[str]:
        return [solid.name for solid in self.data.solids]


LONG = ("cam", "driven")  # left out of `make test`


def chosen() -> list[Any]:
    every = [(kind, FIRST + n) for n in range(COUNT) for kind in KINDS]
    return [pytest.param(case, marks=pytest.mark.slow) if case[0] in LONG else case for case in every]


@pytest.fixture(scope="module", params=chosen(), ids=lambda p: f"{p[0]}-{p[1]}")
def made(request: pytest.FixtureRequest) -> Made:
    kind, seed = request.param
    data = random_model(seed, kind)
    kane = data.make(named=True).build("kane")
    if kane.mobility.freedoms == 0:
        pytest.skip("nothing moves")
    cases = []
    for n in range(DRAWS):
        sizes = data.draw(n)
        state = whole_state(kane, random_state(kane, np.random.default_rng([seed, 77, n]), 0.1, 0.5), sizes)
        if not jams(kane, state, sizes) and not ends_early(case := Case(kane, sizes, state)):
            cases.append(case)
    return Made(data, kane, cases) if cases else pytest.skip("no start is possible")


def jams(kane: System, state: dict[str, Any], sizes: dict[str, float]) -> bool:
    """Whether friction leaves no unique acceleration at a start, which all formalisms must report."""
    told = []
    for formalism in FORMALISMS if kane.formulation.parameters.modes else ():
        try:
            kane.in_formalism(formalism).accelerations(state, sizes)
        except SolveError as error:
            assert "Painleve" in str(error)
            told.append(formalism)
    assert len(told) in (0, len(FORMALISMS)), told
    return bool(told)


def ends_early(case: Case) -> bool:
    """The same during a run, or a contact that its surfaces end (a tyre that lies on its side on a cylinder touches it
    twice): at one time by all formalisms.
    """
    outcome = case.run.outcome.split(":")[0]
    if outcome not in ("JAMMED", "DOUBLE_CONTACT", "INTERFERENCE", "SURFACE_LEFT"):
        return False
    for formalism in FORMALISMS:
        other = case.system.simulate(DURATION, case.state, case.sizes, formalism=formalism)
        assert other.outcome.startswith(outcome)
        assert other.trajectory.t_end == pytest.approx(case.run.trajectory.t_end, abs=1e-6)
    return True


def body_motion(made: Made, values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Accelerations of all bodies among the values at a state."""
    wanted = ("acceleration", "angular_acceleration")
    return {f"{b}.{w}": np.asarray(values[f"{b}.{w}"]) for b in made.bodies for w in wanted}


def assert_close(a: Any, b: Any, tolerance: float, what: Any) -> None:
    """Equal to a tolerance relative to the largest number, or to 1."""
    scale = max(1.0, float(np.max(np.abs(b))))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale, err_msg=str(what))


def test_formalisms_give_the_same_accelerations(made: Made) -> None:
    others = [made.kane.in_formalism(formalism) for formalism in ("newton_euler", "udwadia_kalaba")]
    for n, case in enumerate(made.cases):
        reference = body_motion(made, made.kane.accelerations(case.state, case.sizes, t=0.2))
        scale = max(1.0, *(float(np.max(np.abs(v))) for v in reference.values()))
        for other in others:
            found = body_motion(made, other.accelerations(case.state, case.sizes, t=0.2))
            for name in reference:
                what = f"draw {n} {other.formalism} {name}"
                np.testing.assert_allclose(found[name], reference[name], rtol=0, atol=1e-8 * scale, err_msg=what)


def test_motions_and_energies_agree(made: Made) -> None:
    for n, case in enumerate(made.cases):
        assert case.run.ok, (n, case.run.outcome)
        assert case.run.energy.drift < 1e-8, n
        for options in (
            {"formalism": "newton_euler"},
            {"formalism": "udwadia_kalaba"},
            {"method": "order5", "rtol": 1e-9, "atol": 1e-9},
            {"method": "stiff", "rtol": 1e-9, "atol": 1e-9},
        ):
            run = made.kane.simulate(DURATION, case.state, case.sizes, samples=TIMES, **options)
            if run.outcome.startswith("HALF_TURN"):  # told of: a spring is wound too far for an angle that is measured
                continue
            assert run.ok, (n, options, run.outcome)
            for name in (f"{b}.{quantity}" for b in made.bodies for quantity in ("position", "rotation")):
                assert_close(run.values(name), case.run.values(name), 1e-6, f"draw {n} {options} {name}")


def test_batch_equals_single_runs(made: Made) -> None:
    starts = {name: np.array([case.state[name] for case in made.cases]) for name in made.cases[0].state}
    sizes = {name: np.array([case.sizes[name] for case in made.cases]) for name in made.cases[0].sizes}
    batch = made.kane.batch(DURATION, starts, sizes, rtol=1e-9)
    for n, case in enumerate(made.cases):
        assert case.run.outcome.startswith(str(batch.outcomes[n])), (n, case.run.outcome, batch.outcomes[n])
        for b in made.bodies:
            assert_close(batch.end(f"{b}.position")[n], case.run.values(f"{b}.position")[-1], 1e-6, f"draw {n} {b}")


def test_newtons_law_body_by_body(made: Made) -> None:
    """Without laws and forces: m a = m g + sum of reactions, and the same for moments about the mass centre."""
    if any(isinstance(j.touch and j.touch.law, tr.RegularisedCoulomb) or j.compliance for j in made.data.joints):
        pytest.skip("forces beside the reactions act")
    for formalism in ("newton_euler", "kane"):
        system = made.kane.in_formalism(formalism)
        for n, case in enumerate(made.cases):
            sizes = {**case.sizes, "on": 0.0}
            values = system.accelerations(case.state, sizes)
            run = made.kane.simulate(1e-6, case.state, sizes, samples=2)
            kinds = ("position", "rotation", "angular_velocity")
            first = {b: {k: run.values(f"{b}.{k}")[0] for k in kinds} for b in made.bodies}
            for b in made.bodies:
                assert_newtons_law(made.data, b, values, first, sizes, f"draw {n} {formalism} {b}")


def assert_newtons_law(
    data: RandomModel, name: str, values: dict[str, Any], first: dict[str, Any], sizes: dict[str, float], what: str
) -> None:
    def number(name: str, value: float) -> float:
        return sizes.get(name, value)

    here = first[name]
    R, w = here["rotation"].reshape(3, 3).T, here["angular_velocity"]
    xx, yy, zz, xy, xz, yz = (sizes[f"{name}_{i}"] for i in ("xx", "yy", "zz", "xy", "xz", "yz"))
    I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    r = R @ np.array([sizes[f"{name}_{axis}"] for axis in "xyz"])
    alpha, a = values[f"{name}.angular_acceleration"], values[f"{name}.acceleration"]
    a_com = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    mass = sizes[f"{name}_mass"]
    force, moment = mass * data.gravity, np.zeros(3)
    joints = {joint.name: joint for joint in data.joints}
    for joint in data.joints:
        if name not in (joint.first, joint.second):
            continue
        sign = 1.0 if name == joint.second else -1.0
        F, M = (values[f"{joint.name}.reaction_{k}"] for k in ("force", "moment"))
        point = np.array(joint.place(number, joints)) + joint.lift(number)  # origin of the second frame
        if joint.second != "ground":
            other = first[joint.second]
            point = other["position"] + other["rotation"].reshape(3, 3).T @ point
        force = force + sign * F
        moment = moment + sign * (M + np.cross(point - here["position"] - r, F))
    scale = max(1.0, *(float(np.max(np.abs(v))) for k, v in values.items() if ".reaction_" in k))
    np.testing.assert_allclose(mass * a_com, force, rtol=0, atol=1e-8 * scale, err_msg=what)
    np.testing.assert_allclose(I @ alpha + np.cross(w, I @ w), moment, rtol=0, atol=1e-8 * scale, err_msg=what)


def test_twins_in_other_axes_move_alike(made: Made) -> None:
    Q = Rotation.random(random_state=made.data.seed).as_matrix()
    d = 10 * np.random.default_rng(made.data.seed).normal(size=3)
    twin = made.data.make(rotation=Q, shift=d, named=True).build("kane")
    assert twin.mobility.freedoms == made.kane.mobility.freedoms
    assert len(twin.mobility.redundant) == len(made.kane.mobility.redundant)
    for n, case in enumerate(made.cases):
        run = twin.simulate(DURATION, case.state, case.sizes, samples=TIMES)
        assert run.ok, (n, run.outcome)
        for b in made.bodies:
            x, y = run.values(f"{b}.position"), case.run.values(f"{b}.position")
            scale = max(1.0, float(np.max(np.abs(y))))
            np.testing.assert_allclose(x, y @ Q.T + d, rtol=0, atol=1e-7 * scale, err_msg=f"draw {n} {b}")


def test_twins_in_another_order_with_plain_numbers_move_alike(made: Made) -> None:
    """Said in another order, and with the last draw as numbers in place of parameters."""
    case = made.cases[-1]
    twin = made.data.make(rng=np.random.default_rng(made.data.seed), sizes=case.sizes).build("kane")
    assert twin.mobility.freedoms == made.kane.mobility.freedoms
    assert len(twin.mobility.redundant) == len(made.kane.mobility.redundant)
    kinds = ("position", "rotation", "velocity", "angular_velocity")
    first = {f"{b}.{k}": case.run.values(f"{b}.{k}")[0] for b in made.bodies for k in kinds}
    try:
        run = twin.simulate(DURATION, first, samples=TIMES)
    except (AssemblyError, ModelError):
        pytest.skip("another tree is not started by poses of its bodies")
    assert run.ok, run.outcome
    for b in made.bodies:
        assert_close(run.values(f"{b}.position"), case.run.values(f"{b}.position"), 1e-6, b)


def test_a_model_file_gives_the_same_motion(made: Made, tmp_path: Path) -> None:
    case = made.cases[-1]
    (tmp_path / "random.yaml").write_text(as_file(made.data, case.sizes))
    run = load_file(tmp_path / "random.yaml").model.build("kane").simulate(DURATION, case.state, samples=TIMES)
    assert run.ok, run.outcome
    for b in made.bodies:
        assert_close(run.values(f"{b}.position"), case.run.values(f"{b}.position"), 1e-9, b)


def test_what_is_stored_or_sent_is_the_same_to_the_bit(made: Made, tmp_path: Path) -> None:
    """A result in a file, and the system as another process would get it."""
    case = made.cases[0]
    case.run.save(tmp_path / "run.nc")
    stored = tr.load(tmp_path / "run.nc")
    again = pickle.loads(pickle.dumps(made.kane)).simulate(DURATION, case.state, case.sizes, samples=TIMES)
    for c in made.kane.formulation.layout.coordinates:
        for name in (c.name, c.rate_name):
            np.testing.assert_array_equal(stored.values(name), case.run.values(name), err_msg=f"stored {name}")
            np.testing.assert_array_equal(again.values(name), case.run.values(name), err_msg=f"sent {name}")


def test_derivatives_of_runs_are_those_of_differences(made: Made) -> None:
    """By a mass, with two differences of runs: what is left of these is of the fourth order in their step."""
    case, by, step = made.cases[-1], f"{made.bodies[0]}_mass", 0.01
    if made.kane.formulation.parameters.modes or not case.run.outcome.startswith("FINISHED"):
        pytest.skip("contacts that slide and stick have tests of their own")

    def end(change: float) -> np.ndarray:
        sizes = {**case.sizes, by: case.sizes[by] * (1 + change)}
        run = made.kane.simulate(DURATION, case.state, sizes, samples=TIMES)
        return np.concatenate([run.values(f"{b}.position")[-1] for b in made.bodies])

    run = made.kane.simulate(DURATION, case.state, case.sizes, samples=TIMES, sensitivity=[by])
    found = np.concatenate([np.asarray(run.derivative(f"{b}.position", by))[-1] for b in made.bodies]) * case.sizes[by]
    wide, narrow = ((end(h) - end(-h)) / (2 * h) for h in (2 * step, step))
    assert_close(found, (4 * narrow - wide) / 3, 3e-6, by)
