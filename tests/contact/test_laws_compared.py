"""One wheel with every law of contact: what they share, how far apart they are, and the orders of their limits."""

from pathlib import Path

import numpy as np
import pytest

from trundle.examples import every_law, law_limits

WINDOWS = {1: (0.97, 1.03), 2: (1.97, 2.03), 2 / 3: (0.65, 0.68), 4 / 5: (0.78, 0.82)}
WITH_LOGARITHM = (0.9, 0.94)  # v0 ln(1/v0) between 5e-5 and 2e-4


@pytest.mark.parametrize("limit", law_limits.LIMITS, ids=lambda one: f"{one.law} {one.when}")
def test_limits_and_their_orders(limit: law_limits.Limit) -> None:
    measured = limit.measure()
    if limit.order == 0:
        assert max(measured.errors) < 1e-8
        return
    low, high = WITH_LOGARITHM if "ln" in limit.small else WINDOWS[limit.order]
    assert low < measured.order < high
    assert max(measured.errors) < 0.05


def test_every_law_on_the_same_wheel() -> None:
    """The torque alone turns the wheel about the road, so every law that grips again ends with the same momentum."""
    laws = list(every_law.LAWS)
    runs = {law: every_law.roll(law_limits.built(law), samples=201) for law in laws}
    rows = {law: every_law.row(law, run) for law, run in runs.items()}
    about_road = {
        law: every_law.MASS * every_law.RADIUS * run.values("wheel.velocity")[-1, 0]
        + every_law.INERTIA * run.values("wheel.angular_velocity")[-1, 1]
        for law, run in runs.items()
    }
    begun = (every_law.MASS * every_law.RADIUS + every_law.INERTIA / every_law.RADIUS) * every_law.SPEED
    np.testing.assert_allclose(list(about_road.values()), begun + 4 * 5 + 55, rtol=1e-8)
    assert [name for name, _ in runs["Coulomb"].events] == ["road slips", "road stops"]
    assert all(run.energy.drift < 1e-8 for run in runs.values())
    exact = rows["Coulomb"]
    for law in ("Stribeck", "RegularisedCoulomb", "LuGre", "Creep"):
        assert rows[law].lost == pytest.approx(exact.lost, rel=0.015)
        assert rows[law].distance == pytest.approx(exact.distance, abs=0.03)
        assert abs(rows[law].slip) < 5e-3
    assert rows["NoSlip"].lost == pytest.approx(0.0, abs=1e-9) and rows["NoSlip"].over_limit > 1.8
    # Relaxed rolling neither keeps to the limit while it is driven nor grips again.
    assert rows["Relaxed"].over_limit > 1.15 and rows["Relaxed"].slip == pytest.approx(-rows["Relaxed"].most_slip)
    text = every_law.table(list(rows.values()))
    assert all(law in text for law in laws) and "/ (mu N)" in text


def test_picture_of_the_comparison(tmp_path: Path) -> None:
    from trundle.examples.law_picture import draw

    laws = ("Coulomb", "Relaxed")
    draw({law: every_law.roll(law_limits.built(law), samples=101) for law in laws}, tmp_path / "wheel.png")
    assert (tmp_path / "wheel.png").stat().st_size > 20_000


def test_the_command_prints_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        every_law.main(["--help"])
    told = capsys.readouterr().out
    assert end.value.code == 0 and "example: python -m trundle.examples.every_law -o" in told and "--limits" in told


def test_the_command_prints_the_limits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [limit for limit in law_limits.LIMITS if limit.law == "Relaxed"]
    monkeypatch.setattr(law_limits, "LIMITS", chosen)
    every_law.main(["--limits"])
    _, to_rolling, to_smooth = capsys.readouterr().out.splitlines()
    assert "2.0" in to_rolling or "1.99" in to_rolling
    assert "equal" in to_smooth
