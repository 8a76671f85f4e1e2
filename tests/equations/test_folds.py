"""Linkages that fold flat: all formalisms report the same passages of singular poses, and pass them with the same
motion."""

import numpy as np
import pytest

import trundle as tr

BARS = 1.2, 1.0, 1.3, 1.1  # m: ground, crank, coupler, rocker; 1.0 + 1.3 = 1.2 + 1.1


def change_point(beside: str = "") -> tr.Model:
    """A four-bar that lies flat at every turn of its crank; on request beside one that never does, or a table that
    stands on its four legs, whose rows are solved by numbers.
    """
    m = tr.Model("change point")
    if beside == "a table":
        table = m.body("table", 2.0, (0.2, 0.3, 0.4))
        for name, x, y in (("a", -0.5, -0.4), ("b", -0.5, 0.4), ("c", 0.5, -0.4), ("d", 0.5, 0.4)):
            leg = table.at(x, y, -0.3)
            m.connect(
                tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, leg, name=name, law=tr.Coulomb(0.5), unilateral=True
            )
        m.start["table.position"] = (0.0, 5.0, 0.3)
    for name, ground in [("", BARS[0])] + ([("other ", 1.7)] if beside == "another" else []):
        crank, coupler, rocker = (
            m.body(name + what, bar, (0.01 * bar, 0.1 * bar, 0.1 * bar), com=(bar / 2, 0, 0))
            for what, bar in zip(("crank", "coupler", "rocker"), BARS[1:], strict=True)
        )
        m.connect(tr.Revolute("y"), m.ground, crank)
        m.connect(tr.Revolute("y"), crank.at(BARS[1], 0, 0), coupler)
        m.connect(tr.Revolute("y"), m.ground.at(ground, 0, 0), rocker)
        m.connect(tr.Revolute("y"), coupler.at(BARS[2], 0, 0), rocker.at(BARS[3], 0, 0), name=f"{name}pin")
        m.start |= {f"{name}crank.angle": -0.8}
    return m


@pytest.mark.parametrize("speed, beside", [(3.0, ""), (6.0, ""), (3.0, "another"), (6.0, "another"), (6.0, "a table")])
def test_all_formalisms_report_the_same_passages(speed: float, beside: str) -> None:
    system, start = change_point(beside).build(), {"crank.angle_rate": speed}
    assert system.formulation.run_functions.by_numbers == (beside == "a table")
    kane, *others = (
        system.in_formalism(f).simulate(3.0, start, samples=400, rtol=1e-11)
        for f in ("kane", "udwadia_kalaba", "newton_euler")
    )  # fmt: skip
    turned = np.count_nonzero(np.diff(np.floor(kane.values("crank.angle") / (2 * np.pi))))
    assert len(kane.near_singular) == turned >= 2
    for run in others:
        assert run.ok, run.outcome
        assert [name for name, _, _ in run.near_singular] == ["pin"] * turned
        times = [t for _, t, _ in kane.near_singular]
        assert [t for _, t, _ in run.near_singular] == pytest.approx(times, abs=1e-6)
        assert all(value < 1e-10 for _, _, value in run.near_singular)
        np.testing.assert_allclose(
            run.values("rocker.com_position"), kane.values("rocker.com_position"), rtol=0, atol=1e-7
        )


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_linkage_that_does_not_fold_reports_nothing(formalism: str) -> None:
    model = change_point("another")
    run = model.build(formalism).simulate(1.0, {"other crank.angle_rate": 2.0}, samples=2)
    assert run.ok and "other pin" not in [name for name, _, _ in run.near_singular]
