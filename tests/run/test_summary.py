"""The summary for the terminal states outcome, cost and final state."""

import re

import pytest

import trundle as tr
from trundle.run.run import Run


def line_of(text: str, label: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(label))


def test_head_of_the_summary(pendulum: Run) -> None:
    text = pendulum.summary()
    assert line_of(text, "model").endswith("pendulum")
    assert line_of(text, "time").endswith("0 to 3 s, 61 samples")
    assert "FINISHED" in line_of(text, "outcome")
    assert line_of(text, "method").endswith("DormandPrince8, kane, rtol 1e-10, atol 1e-10 rad, 1e-10 rad/s")
    assert f"{pendulum.trajectory.counts.steps} steps" in line_of(text, "work")
    assert f"{pendulum.energy.drift:.1e}" in line_of(text, "energy")
    assert line_of(text, "parameters").endswith("length = 0.8")
    assert line_of(text, "start").endswith("the state was consistent as given")


def test_table_of_coordinates_is_aligned(four_bar: Run) -> None:
    lines = four_bar.summary().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("coordinate"))
    table = lines[at : at + 4]
    assert len({len(line) for line in table}) == 1
    values = four_bar.values("crank.angle")
    row = line_of("\n".join(table), "crank.angle").split()
    assert row[1:] == ["rad", *(f"{v:.6g}" for v in (values[0], values[-1], values.min(), values.max()))]


def test_events_and_changes_are_listed(pendulum: Run, four_bar: Run) -> None:
    text = pendulum.summary()
    assert len(re.findall(r" s  lowest$", text, re.M)) == len(pendulum.events) > 1
    assert "rocker.angle_rate: found" in four_bar.summary()


def test_quaternions_by_component(top: Run) -> None:
    assert re.search(r"^top\.quaternion_w .* 1 ", top.summary(), re.M)


def test_near_singular_passages_are_listed(four_bar: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(four_bar.__dict__, "near_singular", [("pin", 0.25, 3e-12)])
    assert re.search(r"^near singular +0\.25 +s  loop pin, measure 3\.0e-12$", four_bar.summary(), re.M)


def test_long_lists_are_shortened() -> None:
    m = tr.Model("chain")
    place: tr.Body | tr.Frame = m.ground
    for i in range(15):
        link = m.body(f"link{i}", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0))
        m.connect(tr.Revolute("y"), place, link)
        place = link.at(1, 0, 0)
    text = m.build().simulate(0.01, samples=2).summary()
    assert "link11.angle" in text and "link12.angle" not in text
    assert "... and 3 more" in text


def test_nothing_exchanged_and_long_sentences() -> None:
    m = tr.Model("mass", gravity=(0.0, 0.0, 0.0))
    m.connect(tr.Prismatic("z"), m.ground, m.body("mass", mass=1.0))
    run = m.build().simulate(0.1, samples=2)
    assert line_of(run.summary(), "energy").endswith("none was exchanged")
    run.outcome = "NOT_FINITE: " + "a long sentence " * 12
    assert max(map(len, run.summary().splitlines())) <= 110


def test_a_narrow_terminal_has_whole_words_and_columns(four_bar: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    lines = four_bar.summary().splitlines()
    assert max(map(len, lines)) <= 60
    wide = next(i for i, line in enumerate(lines) if line.startswith("method"))
    assert lines[wide + 1].startswith(" " * 14)
