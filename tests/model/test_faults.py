"""Errors in a model or a request are reported with what is wrong, where, and what to do."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.adversary.refused_models import pendulum

import trundle as tr
from trundle.errors import AssemblyError, ModelError, SolveError, TrundleError, UnknownNameError
from trundle.system import System

nan, inf = math.nan, math.inf


def bob(m: tr.Model) -> tr.Body:
    return m.bodies["bob"]


def test_all_faults_of_a_part_at_once() -> None:
    m = tr.Model("pendulum")
    with pytest.raises(ModelError, match=r"mass -1.*triangle inequality"):
        m.body("other", mass=-1, inertia=(1, 1, 4))
    assert list(m.bodies) == ["ground"]  # what was refused is not there


def test_all_faults_of_the_whole_at_once() -> None:
    m = pendulum()
    other = m.body("other", mass=1.0, inertia=0.1)
    m.connect(tr.Revolute("y"), bob(m), other, law=tr.Motor(lambda t, q, u: math.sin(q)))
    m.apply(tr.TorsionSpring("other.angel", 1.0))
    m.apply(tr.CoordinateForce("bob.angle", lambda s: s["bob.angel"]))
    with pytest.raises(ModelError) as caught:
        m.build()
    faults = caught.value.faults
    assert len(faults) == 3
    for words in ("'other.angel'", "'bob.angel'", "Motor on other.angle"):
        assert any(words in fault for fault in faults), words


@pytest.fixture(scope="module")
def system() -> System:
    m = pendulum()
    m.parameter("gain", 1.0)
    m.event("lowest", lambda s: s["bob.angle"])
    return m.build()


QUESTIONS: dict[str, tuple[Callable[[System], Any], type[TrundleError], str]] = {
    "start unknown": (lambda s: s.simulate(1, {"bob.angel": 1}), UnknownNameError, r"Did you mean 'bob\.angle'"),
    "start in words": (
        lambda s: s.simulate(1, {"bob.angle": "up"}),
        ModelError,
        r"'bob\.angle' must be 1 finite number",
    ),
    "start nan": (lambda s: s.start({"bob.angle": nan}), ModelError, r"'bob\.angle' must be 1 finite number"),
    "start of two": (lambda s: s.start({"bob.angle": (1, 2)}), ModelError, r"'bob\.angle' must be 1 finite number"),
    "start as a list": (lambda s: s.start([1.0, 2.0]), ModelError, r"by name"),
    "parameter unknown": (lambda s: s.simulate(1, {}, {"gian": 1}), UnknownNameError, r"Did you mean 'gain'"),
    "parameter nan": (lambda s: s.simulate(1, {}, {"gain": nan}), ModelError, r"'gain' must be finite"),
    "parameter in words": (lambda s: s.equilibrium({}, {"gain": "big"}), ModelError, r"'gain' must be a number"),
    "quantity unknown": (lambda s: s.simulate(0.1)["bob.angel"], UnknownNameError, r"Did you mean 'bob\.angle'"),
    "no time": (lambda s: s.simulate(0), SolveError, r"duration must be a positive"),
    "back in time": (lambda s: s.simulate(-1), SolveError, r"duration must be a positive"),
    "for ever": (lambda s: s.simulate(inf), SolveError, r"duration must be a positive"),
    "method unknown": (lambda s: s.simulate(1, method="rk4"), SolveError, r"'rk4'.*'stiff'"),
    "samples unknown": (lambda s: s.simulate(1, samples="all"), SolveError, r"'steps'"),
    "samples outside": (lambda s: s.simulate(1, samples=[0.5, 2.0]), SolveError, r"between 0 and 1 s"),
    "no step": (lambda s: s.simulate(1, steps=tr.Steps(fixed=0.0)), SolveError, r"fixed.*positive"),
    "axes unknown": (lambda s: s.reactions(axes="bop"), UnknownNameError, r"Did you mean 'bob'"),
    "side unknown": (lambda s: s.reactions(on="third"), SolveError, r"'first' or on the 'second'"),
    "answer to an event": (
        lambda s: s.simulate(2, {"bob.angle": 0.5}, on_event=lambda *_: {"bob.angel_rate": 0.0}),
        UnknownNameError,
        r"Did you mean 'bob\.angle_rate'",
    ),
    "formalism": (lambda s: s.model.build("lagrange"), ModelError, r"'kane' or 'newton_euler'"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_bad_question_is_reported(system: System, name: str) -> None:
    call, kind, text = QUESTIONS[name]
    with pytest.raises(kind) as caught:
        call(system)
    assert re.search(text, str(caught.value), re.DOTALL), str(caught.value)


def test_event_with_unknown_target() -> None:
    m = pendulum()
    m.event("e", lambda s: s["bob.angle"], action={"bob.angel_rate": lambda s: 0.0})
    with pytest.raises(UnknownNameError, match=r"event 'e'.*Did you mean 'bob\.angle_rate'"):
        m.build().simulate(1.0)


def test_nan_at_run_time_names_law_and_time() -> None:
    run = pendulum(law=tr.Motor(lambda t, q, u: tr.sqrt(0.5 - t))).build().simulate(1.0)
    assert not run.ok
    assert run.outcome.startswith("NOT_FINITE")
    assert "t = 0.5 s" in run.outcome and "bob.angle" in run.outcome
    assert run.time[-1] == pytest.approx(0.5, abs=3e-3)
    assert np.all(np.isfinite(run.values("bob.angle")))


def test_loop_that_cannot_close_names_rows_and_bodies() -> None:
    m = tr.Model("torn", gravity=(0, -9.81, 0))
    a, b = (m.body(n, mass=1, inertia=(1, 1, 1), com=(0.5, 0, 0)) for n in ("left", "right"))
    m.connect(tr.Revolute("z"), m.ground, a)
    m.connect(tr.Revolute("z"), m.ground.at(5, 0, 0), b)
    m.connect(tr.Revolute("z"), a.at(1, 0, 0), b.at(1, 0, 0), name="pin")
    with pytest.raises(AssemblyError, match=r"pin\.x .*between 'left' and 'right'.*lengths"):
        m.build()


def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trundle.kernel import USER_CACHE
    from trundle.kernel.cache import CacheWarning

    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(blocked / "cache"))
    USER_CACHE._reported.clear()
    with pytest.warns(CacheWarning) as warned:
        run = pendulum().build().simulate(0.1, {"bob.angle": 0.5})
    assert run.ok
    texts = {str(w.message).split("(")[0] for w in warned}
    assert len(warned) == len(texts)  # each thing is told once
    assert all("TRUNDLE_CACHE_DIR" in str(w.message) for w in warned)
