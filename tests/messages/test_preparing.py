"""Long computations show their progress in one line of the terminal, which is removed at the end."""

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import SolveError
from trundle.fitting.residuals import Residuals
from trundle.integrate import codes
from trundle.messages import preparing
from trundle.study.continuation import branch
from trundle.study.stability import SteadyMotions


@pytest.fixture(scope="module")
def system() -> tr.System:
    m = tr.Model("pendulum")
    c = m.parameter("c", 0.1, "N m s/rad")
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1), shape=tr.shape.Ball(0.1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Damper(c))
    m.start = {"bob.angle": 0.5}
    system = m.build()
    system.batch(0.01, {"bob.angle": [0.1]})  # all that must be compiled
    return system


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is written, with nobody's patience."""
    lines: list[str] = []
    monkeypatch.setattr(preparing, "is_watched", lambda: True)
    monkeypatch.setattr(preparing, "PATIENCE", 0.0)
    monkeypatch.setattr(preparing, "EVERY", 0.0)
    monkeypatch.setattr(preparing, "_say", lines.append)
    return lines


def reports(said: list[str], what: str) -> list[str]:
    found = [line.strip() for line in said if line.startswith(f"\rtrundle: {what}, ")]
    assert found and not said[-1].strip()  # the line is gone at the end
    return found


def test_work_reports_in_one_line(said: list[str]) -> None:
    with preparing.under_way("sums") as outer, preparing.under_way("parts") as inner:
        outer("a long report")
        inner("not shown: it is part of the sums")
        outer("short")
    assert [line.strip() for line in said] == ["trundle: sums, a long report, 0 s", "trundle: sums, short, 0 s", ""]
    assert len(said[0]) == len(said[1]) == len(said[2]) - 1  # each covers the one before
    with preparing.reported_elsewhere(), preparing.under_way("parts") as inner:
        inner("not shown")
    assert len(said) == 3


def test_work_of_parts_is_named_after_the_part_that_it_is_at(said: list[str]) -> None:
    with preparing.preparing("the whole"), preparing.preparing("its first part"):
        while not said:
            time.sleep(0.001)
    assert said[0] in ("trundle: preparing the whole ...", "trundle: preparing its first part ...")
    assert len(said) == 2 and said[1].endswith(" s\n")  # one line for all parts
    said.clear()
    with preparing.preparing("the whole"):
        with preparing.preparing("its first part"):
            pass
        while not said:
            time.sleep(0.001)
    assert said[-1].endswith(" s\n")


def test_parts_are_told_once_patience_ends(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of many short ones is named where the patience with the whole ends."""
    end: list[Callable[[], None]] = []
    timer = SimpleNamespace(start=lambda: None, cancel=lambda: None, join=lambda: None)

    def waits(_: float, tell: Callable[[], None]) -> SimpleNamespace:
        end.append(tell)
        return timer

    monkeypatch.setattr(preparing, "Timer", waits)
    with preparing.preparing("the whole"):
        with preparing.preparing("a short part"):
            pass
        with preparing.preparing("the part that is under way"):
            end[0]()
    assert said[0] == "trundle: preparing the part that is under way ..." and len(end) == 1


def test_what_consists_of_many_short_parts_is_told_too(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the steps of these takes long: together they do."""
    asked: list[str] = []

    class AtOnce:
        daemon = True

        def __init__(self, _: float, tell: Callable[[], None]) -> None:
            self.tell = tell

        def start(self) -> None:
            self.tell()

        def cancel(self) -> None:
            asked.append("done")

        def join(self) -> None:
            pass

    monkeypatch.setattr(preparing, "Timer", AtOnce)
    m = tr.Model("short steps")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)))
    system = m.build()
    assert said[0] == "trundle: preparing the model 'short steps' ..."
    said.clear()
    system.simulate(0.1)
    assert said[0] == "trundle: preparing a run of the model 'short steps' ..."
    said.clear()
    system.equilibrium()["bob.angle"]
    assert said[0] == "trundle: preparing the equilibrium ..."
    said.clear()
    system.simulate(0.1)["bob.reaction_force"]
    assert "trundle: preparing 'bob.reaction_force' of the run ..." in said
    said.clear()
    wagon = tr.load_vehicle(tr.examples.FOLDER / "vehicles" / "two-axle-wagon.yaml").vehicle
    with pytest.raises(SolveError, match="rising speeds"):
        rail.critical_speed(wagon, 20.0, 10.0)
    assert said[0] == "trundle: preparing the eigenvalues over the speed ..."


def test_nothing_is_said_where_nobody_reads(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(preparing, "PATIENCE", 0.0)
    with preparing.under_way("sums") as tell:
        tell("1 of 2")
    assert capsys.readouterr() == ("", "")


def test_a_batch_a_fit_and_a_movie_report_their_progress(system: tr.System, said: list[str], tmp_path: Path) -> None:
    system.batch(0.1, {"bob.angle": np.linspace(0.1, 1.0, 40)}, threads=1)
    assert reports(said, "batch")[-1].startswith("trundle: batch, 40 of 40 cases")
    run = system.simulate(2.0, samples=41)
    said.clear()
    fitted = tr.fit(system, {"time": run.time, "bob.angle": run.values("bob.angle")}, {"c": 0.3})
    assert fitted.values["c"] == pytest.approx(0.1, rel=1e-6)
    assert "run 1, residuals" in reports(said, "fit of c")[0]
    said.clear()
    system.simulate(0.1).save_movie(tmp_path / "swing.gif", size=(32, 32), fps=20, speed=1.0)
    assert "frame 1 of 3" in reports(said, "movie swing.gif")[0]


def test_an_interrupted_fit_gives_what_it_has_found(system: tr.System, monkeypatch: pytest.MonkeyPatch) -> None:
    run = system.simulate(2.0, samples=41)
    calls, original = [], Residuals.__call__

    def evaluate(self: Residuals, values: Any, scales: Any) -> Any:
        calls.append(values)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(self, values, scales)

    monkeypatch.setattr(Residuals, "__call__", evaluate)
    with pytest.warns(UserWarning, match="interrupted after 3 runs"):
        fitted = tr.fit(system, {"time": run.time, "bob.angle": run.values("bob.angle")}, {"c": 0.3})
    assert not fitted.settled and 0.05 < fitted.values["c"] < 0.3


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """The keyboard interrupts the nth run where its time loop returns for the last time: how often it does before
    follows the speed of the machine.
    """
    module = importlib.import_module("trundle.integrate.integrate")
    original, ends = module._respond, []

    def press(nth: int) -> None:
        def respond(code: int, *given: Any) -> Any:
            if code == codes.FINISHED:
                ends.append(code)
                if len(ends) == nth:
                    raise KeyboardInterrupt
            return original(code, *given)

        monkeypatch.setattr(module, "_respond", respond)

    return press


def test_an_interruption_of_a_run_of_a_fit_ends_the_fit(system: tr.System, pressed: Callable[[int], None]) -> None:
    """A run alone would end early and keep its results: none that a fit could use."""
    run = system.simulate(2.0, samples=41)
    pressed(5)
    with pytest.warns(UserWarning, match=r"interrupted after \d runs"):
        fitted = tr.fit(system, {"time": run.time, "bob.angle": run.values("bob.angle")}, {"c": 0.3})
    assert not fitted.settled


def test_an_interruption_while_derivatives_are_followed_is_not_hidden(
    system: tr.System, pressed: Callable[[int], None]
) -> None:
    system.simulate(2.0, sensitivity=["c"])
    pressed(2)  # the first one is the run itself
    with pytest.raises(KeyboardInterrupt):
        system.simulate(2.0, sensitivity=["c"])


def test_an_interrupted_branch_keeps_its_points(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    m = tr.Model("column")
    k = m.parameter("k", 5.0, "N m/rad")
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, 1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(k))
    judged, original = [], branch.specials

    def specials(*given: Any) -> Any:
        judged.append(given)
        if len(judged) == 4:
            raise KeyboardInterrupt
        return original(*given)

    monkeypatch.setattr(branch, "specials", specials)
    found = tr.continuation(m.build(), "k", (20.0, 2.0), start={"bob.angle": 0.0})
    assert len(found.nodes) == 4 and found.ending.startswith("it was interrupted at k = ")
    assert "1 points, k = 20" in reports(said, "branch of equilibria over k")[0]


def test_pictures_and_speeds_announce_that_they_take_time(system: tr.System, said: list[str], tmp_path: Path) -> None:
    run = system.simulate(0.01)
    said.clear()
    run.plot("bob.angle")
    run.save_html(tmp_path / "run.html")
    assert [text for text in said if "preparing" in text] == [
        "trundle: preparing the picture ...", "trundle: preparing the page ..."
    ]  # fmt: skip
    said.clear()
    SteadyMotions(system, "bob.angle_rate", {"bob.angle": 0.0}).over([0.0])
    assert reports(said, "linearising")[-1].startswith("trundle: linearising, 1 of 1 speeds")
