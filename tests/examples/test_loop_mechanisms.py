"""Examples with loops: four-bars, Andrews' squeezer, Bricard's linkage, spatial slider-crank, spring on a diagonal."""

import numpy as np
import pytest
from reference_rows import Case, case, cases, reference, run_case, system

ROD = {"theta": "rod0.angle", "theta_dot": "rod0.angle_rate"}
SQUEEZER = {
    "beta": "crank",
    "Theta": "rod",
    "gamma": "rocker",
    "phi": "upper link",
    "delta": "upper arm",
    "Omega": "lower link",
    "epsilon": "lower arm",
}
ANGLES = {column: f"{body}.angle" for column, body in SQUEEZER.items()}
RATES = {f"{column}_dot": f"{body}.angle_rate" for column, body in SQUEEZER.items()}
CORNER = {"u": "P1.angle", "u_dot": "P1.angle_rate"} | {f"P3{a}": f"P3 {a}" for a in "xyz"}
CORNER |= {f"P3v{a}": f"rod3.velocity_{a}" for a in "xyz"}
CRANK = {
    "theta": "crank.angle",
    "theta_dot": "crank.angle_rate",
    "x_slider": "slider.displacement",
    "v_slider": "slider.displacement_rate",
}


@pytest.mark.parametrize("N", [1, 2, 10, 40])
def test_n_four_bar(N: int) -> None:
    """Ten folds are passed; 1e-9 at the tight tolerance, where folds magnify round-off: the median of three runs."""
    one = case("n-four-bar", f"N{N}")
    for rtol, bound in ((1e-6, 1e-3), (1e-8, 2e-5), (1e-10, 5e-7), (1e-12, 1e-9)):
        run = run_case(system("n-four-bar", N=N), one, rtol)
        near = [run_case(system("n-four-bar", N=N), one, rtol * k) for k in (0.97, 1.03)] if rtol == 1e-12 else []
        assert np.median([one.errors(r, ROD)["theta"] for r in (run, *near)]) < bound
        assert np.max(np.abs(run.values(f"rod{N}.angle") - run.values("rod0.angle"))) < 1e-8  # the parallelogram branch


@pytest.mark.parametrize("N", [1, 2, 10])
@pytest.mark.parametrize("rtol", [1e-8, 1e-9, 1e-10, 1e-11])
def test_n_four_bar_error_follows_the_tolerance(N: int, rtol: float) -> None:
    one = case("n-four-bar", f"N{N}")
    run = run_case(system("n-four-bar", N=N), one, rtol, "order5")
    assert one.errors(run, ROD)["theta"] < 2e3 * rtol


def test_n_four_bar_as_published() -> None:
    published = reference("n-four-bar")["published"]
    run = system("n-four-bar", N=2).simulate(10.0, samples=[0.0, 10.0])
    joint = run.values("coupler0.position")[-1], run.values("coupler0.velocity")[-1]
    assert joint[0][:2] == pytest.approx(published["B0"], abs=1e-6)
    assert joint[1][:2] == pytest.approx(published["vB0"], abs=2e-6)


@pytest.mark.parametrize(("rtol", "angle", "rate"), [(1e-8, 4e-6, 2e-3), (1e-10, 1e-8, 5e-6), (1e-13, 1e-11, 2e-9)])
def test_squeezer(rtol: float, angle: float, rate: float) -> None:
    """Rates reach 1400 rad/s: the last bound is 1.4e-12 of that."""
    one = case("andrews-squeezer")
    run = run_case(system("andrews-squeezer"), one, rtol)
    assert one.largest_error(run, ANGLES) < angle
    assert one.largest_error(run, RATES) < rate
    assert run.energy.drift < 100 * rtol


def test_squeezer_as_published() -> None:
    """The published solution is good to 1.5e-9 in the angles and 5.5e-7 in the rates."""
    published = reference("andrews-squeezer")["published"]
    run = run_case(system("andrews-squeezer"), case("andrews-squeezer"), 1e-12)
    assert [run.values(q)[-1] for q in ANGLES.values()] == pytest.approx(published["q"], abs=1.6e-9)
    assert [run.values(q)[-1] for q in RATES.values()] == pytest.approx(published["v"], abs=6e-7)


@pytest.mark.parametrize(("rtol", "bound"), [(1e-8, 1e-6), (1e-10, 1e-8), (1e-12, 1e-9)])
def test_bricard(rtol: float, bound: float) -> None:
    one = case("bricard")
    run = run_case(system("bricard"), one, rtol)
    assert one.largest_error(run, CORNER) < bound
    assert run.near_singular == []  # no pose of this motion is singular


def test_bricard_has_one_freedom_and_one_redundant_row() -> None:
    mobility = system("bricard").mobility
    assert mobility.freedoms == 1
    assert len(mobility.redundant) == 1


@pytest.mark.parametrize("one", cases("spatial-slider-crank"), ids=lambda c: c.data["case"])
def test_slider_crank(one: Case) -> None:
    parameters = {"crank_com": 0.04 if one.data["case"] == "crank_com_mid" else 0.0}
    built = system("spatial-slider-crank")
    for rtol, bound in ((1e-8, 1e-4), (1e-10, 5e-7), (1e-13, 1e-9)):
        assert one.largest_error(run_case(built, one, rtol, parameters=parameters), CRANK) < bound


def test_slider_crank_starts_as_published() -> None:
    run = system("spatial-slider-crank").simulate(0.01, samples=[0.0])
    published = reference("spatial-slider-crank")["published"]["omega_rod_at_start"]
    assert run.values("rod.angular_velocity")[0] == pytest.approx(published, abs=1e-14)


def test_diagonal_spring_equilibrium_and_eigenvalues() -> None:
    values = reference("four-bar-diagonal-spring")
    built = system("four-bar-diagonal-spring")
    rest = built.equilibrium()
    assert rest["left.angle"] == pytest.approx(values["equilibrium_phi"], abs=1e-12)
    assert rest["right.angle"] == pytest.approx(values["equilibrium_phi"], abs=1e-12)
    assert rest["left.angle"] == pytest.approx(values["published"]["equilibrium_phi"], abs=4e-11)
    exact = complex(values["eigenvalue_real"], values["eigenvalue_imag"])
    found = sorted(built.linearise(rest).eigenvalues, key=lambda z: z.imag)
    assert np.max(np.abs(np.array(found) - [exact.conjugate(), exact])) < 1e-10


def test_diagonal_spring_has_a_second_equilibrium() -> None:
    upright = {"left.angle": 1.6, "right.angle": 1.6, "top.angle": -1.6}
    built, values = system("four-bar-diagonal-spring"), reference("four-bar-diagonal-spring")
    rest = built.equilibrium(upright, stable=False)
    assert rest["left.angle"] == pytest.approx(values["other_equilibrium_phi"], abs=1e-12)
    assert (
        np.max(built.linearise(rest).eigenvalues.real) > 0
    )  # it is unstable: left alone, the linkage falls to the other
    assert built.equilibrium(upright)["left.angle"] == pytest.approx(values["equilibrium_phi"], abs=1e-10)


def test_diagonal_spring_settles_at_the_equilibrium() -> None:
    run = system("four-bar-diagonal-spring").simulate(60.0, samples=[0.0, 60.0])
    assert run.values("left.angle")[-1] == pytest.approx(
        reference("four-bar-diagonal-spring")["equilibrium_phi"], abs=1e-5
    )
