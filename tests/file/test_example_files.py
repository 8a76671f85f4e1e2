"""Examples by name: sizes, parameters, and the benchmarks beside their exact solutions."""

import pytest

import trundle as tr
from trundle import examples
from trundle.errors import UnknownNameError
from trundle.model.fingerprint import fingerprint


def test_simple_pendulum_agrees_with_the_closed_form():
    """IFToMM A01 by Jacobi elliptic functions."""
    file = examples.load("simple-pendulum")
    run = file.model.build().simulate(10.0, rtol=1e-12, atol=1e-12)
    assert run.values("pivot.angle")[-1] == pytest.approx(4.4337083068147069, abs=1e-9)
    assert run.values("pivot.angle_rate")[-1] == pytest.approx(4.3431606928646830, abs=1e-9)
    assert run.values("height")[-1] == pytest.approx(-0.96141920509912506, abs=1e-9)


@pytest.mark.parametrize(("name", "sizes", "rod"), [("four-bar", {}, "left"), ("n-four-bar", {"N": 1}, "rod0")])
def test_one_four_bar_agrees_with_the_closed_form(name, sizes, rod):
    """IFToMM A02, N = 1: a rotating pendulum by Jacobi elliptic functions."""
    run = examples.model(name, **sizes).build().simulate(10.0, rtol=1e-12, atol=1e-12)
    assert run.values(f"{rod}.angle")[-1] == pytest.approx(-30.343944970943127, abs=1e-7)
    assert run.values(f"{rod}.angle_rate")[-1] == pytest.approx(-1.9669347194403194, abs=1e-8)


def test_sizes_and_parameters():
    assert len(examples.model("n-four-bar", N=3).bodies) == 1 + 4 + 3
    assert len(examples.model("chain", n=4).connections) == 4
    assert examples.find("n-four-bar").sizes == ["N"]
    assert examples.find("four-bar").sizes == []
    assert examples.model("four-bar", {"speed": 2.0}).start["left.angle_rate"] == -2.0
    assert fingerprint(examples.model("chain")) == fingerprint(examples.model("chain", {"damping": 1.0}))


def test_unknown_names_offer_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'four-bar'"):
        tr.examples.model("four-barr")
    with pytest.raises(UnknownNameError, match="Did you mean 'damping'"):
        tr.examples.model("chain", {"dampin": 1.0})
