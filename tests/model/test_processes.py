"""Systems, runs and models are sent to other processes; entries of the shared cache match their keys."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.kernel.cache import user_directory

NEEDS_NO_COMPILER = """
import trundle.kernel.compile as compilation
def refuse(function):
    raise AssertionError("derived again")
compilation.read_tape = refuse
"""


def elsewhere(script: str, *arguments: str | Path, cache: Path | None = None) -> list[float]:
    """Numbers that a fresh process prints; a cache of its own has the time loops, which take long, and no model."""
    if cache is not None and not any(cache.iterdir()):
        for file in user_directory().glob("*.object"):
            os.link(file, cache / file.name)
    environment = {**os.environ, **({"TRUNDLE_CACHE_DIR": str(cache)} if cache else {})}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


def pendulum(stiffness: float = 3.0) -> tr.Model:
    """With a parameter, functions that no module holds, an event and a contact law of the signals."""
    m = tr.Model("pendulum")
    length = m.parameter("L", 0.8)
    bob = m.body("bob", mass=1.0, com=(0, 0, -length))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: -stiffness * q + tr.sin(t)))
    m.apply(tr.Wrench(bob, lambda s: (0.1 * s["bob.angle"], 0, 0.01 * s.position(bob.at(0, 0, -length))[0])))
    m.output("height", lambda s: s.position(bob.at(0, 0, -length))[2])
    m.event("down", lambda s: s["bob.angle"], 0, {"bob.angle_rate": lambda s: 0.9 * s["bob.angle_rate"]})
    m.start["bob.angle"] = 0.4
    return m


READ = (
    NEEDS_NO_COMPILER
    + """
import pickle, sys
system, run, batch, model = pickle.load(open(sys.argv[1], "rb"))
again = system.simulate(1.0, parameters={"L": 0.9})
print(again.values("height")[-1], run.values("height")[-1], run.energy.drift, batch.end("bob.angle").values[1])
print(model.build().simulate(1.0, parameters={"L": 0.9}).values("height")[-1], len(run.events), len(batch.events[1]))
"""
)


def test_systems_runs_batches_and_models_are_unpickled_in_another_process(tmp_path: Path) -> None:
    model = pendulum()
    system = model.build()
    run = system.simulate(1.0, parameters={"L": 0.9})
    batch = system.batch(1.0, {"bob.angle": [0.1, 0.2]})
    expected = [run.values("height")[-1]] * 2 + [
        run.energy.drift,
        batch.end("bob.angle").values[1],
        run.values("height")[-1],
    ]
    expected += [len(run.events), len(batch.events[1])]
    file = tmp_path / "kept"
    file.write_bytes(pickle.dumps((system, run, batch, model)))
    assert elsewhere(READ, file) == expected
    for back in (pickle.loads(file.read_bytes()), copy.deepcopy((system, run, batch, model))):
        assert back[0].spec == system.spec == back[3].build().spec
        np.testing.assert_array_equal(back[1].values("height"), run.values("height"))
        assert back[1].outcome == run.outcome and back[1].ok and back[2].outcomes == batch.outcomes


def test_expressions_of_one_model_share_their_symbols_after_pickling() -> None:
    back = pickle.loads(pickle.dumps(pendulum()))
    back.body("more", mass=back.parameters["L"].symbol)
    back.connect(tr.Prismatic("x"), back.ground, back.bodies["more"])
    system = back.build()
    assert system.simulate(0.1, parameters={"L": 2.0}, samples=2).ok
    with pytest.raises(ModelError, match="mass -1"):
        system.simulate(0.1, parameters={"L": -1.0})


def test_a_class_that_no_other_process_can_find_is_reported() -> None:
    class Odd:
        def __deepcopy__(self, memo: Any) -> "Odd":
            return self

    m = pendulum()
    m._note = Odd()  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"'pendulum' cannot be pickled.*Odd.*top level of a module"):
        pickle.dumps(m)


FALL = """
import sys
import trundle as tr
def told(system):
    stiff, plain = system.simulate(1.0, method="stiff"), system.simulate(1.0)
    many = system.batch(1.0, {"bob.displacement": [0.0, 1.0]})
    other = system.in_formalism("newton_euler").simulate(1.0)
    print(stiff.values("speed")[-1], plain.values("speed")[-1], plain.values("energy.kinetic")[-1],
          many.end("bob.displacement_rate").values[1], other.values("speed")[-1])
for number, change in enumerate(sys.argv[2:]):
    m = tr.Model("fall")
    bob = m.body("bob", mass=1.0, inertia=(1, 1, 1 + number / 10))  # a model of its own, of the same motion
    m.connect(tr.Prismatic("z"), m.ground, bob, law=tr.Damper(0.0))
    gain = [1.0]
    m.apply(tr.Wrench(bob, lambda s: (0, 0, gain[0] - 1.0)))
    m.start["bob.displacement_rate"] = 0.5
    m.output("speed", lambda s: gain[0] * s["bob.displacement_rate"])
    system = m.build()
    if sys.argv[1] == "as built":
        told(system)
        continue
    if change == "gravity":
        m.gravity = (0, 0, 0)
    elif change == "start":
        m.start["bob.displacement_rate"] = 7.0
    elif change == "mass":
        object.__setattr__(bob, "mass", 5.0); bob.__dict__.pop("_properties", None)
        gain[0] = 3.0
    elif change == "law":
        m.connections["bob"].laws["displacement"] = tr.Damper(50.0)
    elif change == "closure":
        gain[0] = 3.0
    told(system)
    told(m.build())
"""


@pytest.mark.parametrize(
    "changes", [("gravity", "closure"), pytest.param(("mass", "law", "start"), marks=pytest.mark.slow)], ids=" ".join
)
def test_what_is_changed_after_a_build_reaches_no_other_process(changes: tuple[str, ...], tmp_path: Path) -> None:
    """One process builds models and changes each of them; another builds them as they were."""
    v, slow = 0.5 - 9.81, -9.81 / 50 + (0.5 + 9.81 / 50) * np.exp(-50.0)  # 9.81 / 50 at the end
    after = {
        "gravity": [0.5, 0.5, 0.125, 0.5, 0.5],
        "start": [v + 6.5, v + 6.5, (v + 6.5) ** 2 / 2, v + 6.5, v + 6.5],
        "mass": [3 * (v + 0.4), 3 * (v + 0.4), 5 * (v + 0.4) ** 2 / 2, v + 0.4, 3 * (v + 0.4)],
        "law": [slow, slow, slow**2 / 2, slow, slow],
        "closure": [3 * (v + 2.0), 3 * (v + 2.0), (v + 2.0) ** 2 / 2, v + 2.0, 3 * (v + 2.0)],
    }
    found = elsewhere(FALL, "changed", *changes, cache=tmp_path)
    before, changed = np.reshape(found, (len(changes), 2, 5)).swapaxes(0, 1)
    built = [[v, v, v**2 / 2, v, v]] * len(changes)
    np.testing.assert_allclose(before, built, rtol=1e-7)
    np.testing.assert_allclose(changed, [after[change] for change in changes], rtol=1e-6)
    again = elsewhere(FALL, "as built", *changes, cache=tmp_path)
    np.testing.assert_allclose(np.reshape(again, (-1, 5)), built, rtol=1e-7)


def test_linearisations_and_traces_go_to_other_processes() -> None:
    m = tr.Model("pendulum")
    stiffness = m.parameter("k", 3.0)
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -0.5))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(stiffness, 0.1))
    system = m.build()
    found = system.linearise()
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.eigenvalues, found.eigenvalues)
    np.testing.assert_array_equal(again.eigenvalue_derivative("k"), found.eigenvalue_derivative("k"))
    trace = system.trace("bob.angle", 1.0)
    again = pickle.loads(pickle.dumps(trace))
    np.testing.assert_array_equal(again.values("bob.position_derivative"), trace.values("bob.position_derivative"))


def test_a_linearisation_with_tables_leaves_its_derivatives_behind() -> None:
    """The tables that it was made with may be others than those of the model."""
    m = tr.Model("pendulum")
    curve = m.table("curve", tr.Table([-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]))
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -0.5))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: -curve(q)))
    found = m.build().linearise()
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.eigenvalues, found.eigenvalues)
    assert again.change is None
