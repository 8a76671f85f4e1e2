"""Figures over time: panels by unit, labels, events, and the energy balance."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure

import trundle as tr
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.run.run import Run
from trundle.run.store import load
from trundle.view import plot_eigenvalues, plot_energy, plot_quantities
from trundle.view.plot import first_passages
from trundle.view.style import new_figure, style


def lines_of(panel: Axes) -> list[str]:
    return [str(line.get_label()) for line in panel.lines if not str(line.get_label()).startswith("_")]


def texts_of(panel: Axes) -> list[str]:
    return [text.get_text() for text in panel.texts]


def test_one_panel_for_each_unit(four_bar: Run) -> None:
    figure = plot_quantities(four_bar, ("crank.angle", "crank.angle_rate", "rocker.angle", "coupler.com_position"))
    assert [panel.get_ylabel() for panel in figure.axes] == ["angle (rad)", "crank angle rate (rad/s)", "length (m)"]
    assert lines_of(figure.axes[0]) == ["crank.angle", "rocker.angle"]
    assert lines_of(figure.axes[2]) == [f"coupler.com_position_{axis}" for axis in "xyz"]
    assert figure.axes[-1].get_xlabel() == "time (s)"


def test_curves_are_the_numbers(four_bar: Run) -> None:
    line = four_bar.plot("crank.angle_rate").axes[0].lines[0]
    np.testing.assert_array_equal(line.get_xdata(), four_bar.time)
    np.testing.assert_array_equal(line.get_ydata(), four_bar.values("crank.angle_rate"))


def test_without_names_the_coordinates(four_bar: Run) -> None:
    figure = four_bar.plot()
    assert lines_of(figure.axes[0]) == four_bar.coordinates
    assert figure.get_suptitle() == "four-bar"


def test_raised_powers_in_units(four_bar: Run) -> None:
    figure = four_bar.plot("crank.acceleration_y", title="how it starts")
    assert figure.axes[0].get_ylabel() == "crank acceleration y (m/s²)"
    assert figure.get_suptitle() == "how it starts"


def test_events_are_marked_and_named_once(four_bar: Run) -> None:
    assert len(four_bar.events) >= 1
    figure = four_bar.plot("crank.angle", "crank.angle_rate")
    for panel in figure.axes:
        marks = [line.get_xdata()[0] for line in panel.lines if len(line.get_xdata()) == 2]
        np.testing.assert_allclose(marks, [t for _, t in four_bar.events])
    assert texts_of(figure.axes[0]).count("flat") == 1
    assert texts_of(figure.axes[1]) == []


def test_near_singular_passages_are_marked(four_bar: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(four_bar.__dict__, "near_singular", [("pin", 0.5, 1e-12), ("pin", 0.75, 1e-12)])
    panel = four_bar.plot("crank.angle").axes[0]
    assert [line.get_xdata()[0] for line in panel.lines if line.get_marker() == "v"] == [0.5, 0.75]
    assert "pin near singular" in texts_of(panel)


def test_more_curves_than_colours_stay_different(arm: Run) -> None:
    panel = arm.plot(*(f"link{i}.rotation" for i in range(2))).axes[0]
    looks = {(line.get_color(), line.get_linestyle(), line._dash_pattern[1] is None) for line in panel.lines}
    assert len(panel.lines) == 18
    assert len(looks) >= 16


def test_unknown_name(four_bar: Run) -> None:
    with pytest.raises(UnknownNameError, match=r"crank\.angle"):
        four_bar.plot("crank.angel")


def test_energy_terms_and_imbalance(four_bar: Run, cart: Run) -> None:
    above, below = plot_energy(four_bar).axes
    assert lines_of(above) == ["kinetic", "potential", "total", "work lost"]
    assert above.get_ylabel() == "energy (J)"
    assert below.get_yscale() == "log"
    worst = np.nanmax(below.lines[0].get_ydata())
    assert worst == pytest.approx(four_bar.energy.drift)
    assert lines_of(cart.energy.plot().axes[0]) == ["kinetic", "potential", "total"]


def test_picture_of_eigenvalues(cart: Run) -> None:
    linear = cart.system.linearise({"mast.angle": np.pi})
    panel = plot_eigenvalues(linear).axes[0]
    drawn = panel.lines[0]
    np.testing.assert_allclose(np.sort(drawn.get_ydata()), np.sort(linear.eigenvalues.imag), atol=1e-12)
    assert sum("Hz, undamped" in text for text in texts_of(panel)) == 2
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("real part (1/s)", "imaginary part (rad/s)")


def test_root_locus_has_a_scale_of_the_parameter(cart: Run) -> None:
    linear = [cart.system.linearise({"mast.angle": angle}) for angle in (0.0, np.pi)]
    figure = plot_eigenvalues(linear, values=(0.0, 1.0), parameter="stiffness (N/m)")
    panel, scale = figure.axes
    assert len(panel.collections[0].get_offsets()) == sum(len(one.eigenvalues) for one in linear)
    assert scale.get_ylabel() == "stiffness (N/m)"


@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.pdf", b"%PDF"), ("p.svg", b"<?xml")])
def test_pictures_on_disk(four_bar: Run, tmp_path: Path, name: str, start: bytes) -> None:
    assert isinstance(four_bar.plot("crank.angle", path=tmp_path / name), Figure)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_picture_that_cannot_be_written(four_bar: Run, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        four_bar.plot(path=tmp_path / "nowhere" / "p.png")
    with pytest.raises(StoreError, match="format"):
        four_bar.energy.plot(path=tmp_path / "p.xyz")


def test_loaded_run_gives_the_same_plot(four_bar: Run, tmp_path: Path) -> None:
    again = load(four_bar.save(tmp_path / "r"))
    for a, b in zip(four_bar.plot().axes[0].lines, again.plot().axes[0].lines, strict=True):
        np.testing.assert_array_equal(a.get_ydata(), b.get_ydata())
    assert len(again.energy.plot().axes) == 2


def test_neighbouring_passages_share_a_note() -> None:
    passages = [(f"closure{i}", 1.0 + 0.001 * i, 1e-12) for i in range(10)] + [
        ("closure3", 2.0, 1e-12),
        ("other", 5.0, 1e-12),
    ]
    found = first_passages(passages, 0.5)
    assert [(t, len(loops)) for t, loops in found] == [(1.0, 10), (5.0, 1)]


def test_collisions_stand_in_the_bands_of_contacts(tmp_path: Path) -> None:
    """A ball of 0.5 m drops by 0.2 m and bounces; so it does when loaded."""
    m = tr.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=0.1)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.5)), m.ground, ball, name="floor", unilateral=True, restitution=0.5)
    m.start = {"ball.position": (0, 0, 0.7)}
    run = m.build().simulate(0.5, samples=11)
    first = np.sqrt(2 * 0.2 / 9.81)
    for each in (run, load(run.save(tmp_path / "ball.nc"))):
        bands = each.plot("ball.position_z").axes[-1]
        (marks,) = bands.collections
        struck = [segment[0, 0] for segment in marks.get_segments()]
        assert struck == pytest.approx([first, first * 2], abs=1e-6)
        assert [text.get_text() for text in bands.get_legend().get_texts()] == ["strikes", "open"]


def test_a_figure_without_a_display_explains_itself() -> None:
    """It was made without pyplot, which alone opens windows."""
    plt.switch_backend("agg")
    with pytest.raises(SolveError, match=r"no window .*path='picture\.png'"):
        new_figure(4.0, 3.0).show()
    assert plt.get_fignums() == []


def test_a_figure_is_shown_by_pyplot(monkeypatch: pytest.MonkeyPatch) -> None:
    plt.switch_backend("agg")
    shown: list[list[int]] = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    monkeypatch.setattr(FigureCanvasBase, "required_interactive_framework", "qt")
    figure = new_figure(4.0, 3.0)
    figure.show()
    assert len(shown[0]) == 1 and plt.figure(shown[0][0]) is figure
    plt.close(figure)


def test_numbers_are_plain_text_and_powers_of_ten_formulas() -> None:
    with style():
        figure = new_figure(6, 4)
        large, names, log = (figure.add_subplot(1, 3, k) for k in (1, 2, 3))
        large.plot([0.0, 1.0], [-1e6, 2e6])
        names.bar(["left", "right"], [1.0, 2.0])
        log.semilogy([0.0, 1.0], [1e-3, 10.0])
        beside = large.twinx()
        beside.plot([0.0, 1.0], [-0.5, 0.5])
        figure.draw_without_rendering()
    for axes in (large, beside):
        written = [label.get_text() for label in axes.get_yticklabels()]
        numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in written]
        np.testing.assert_allclose(numbers, axes.get_yticks() / (1e6 if axes is large else 1.0), rtol=1e-12)
    assert "10^{6}" in large.yaxis.get_offset_text().get_text()
    assert [label.get_text() for label in names.get_xticklabels()] == ["left", "right"]
    assert all("10^{" in label.get_text() for label in log.get_yticklabels())


def test_settings_of_the_user_are_kept(four_bar: Run) -> None:
    """His font and its size; what he has not set is that of the package. An empty title is none."""
    plain = four_bar.plot("crank.angle")
    with plt.rc_context({"font.size": 8, "font.family": "serif", "lines.linewidth": 3.0}):
        own = four_bar.plot("crank.angle", title="")
    assert own._suptitle is None and plain._suptitle is not None  # type: ignore[attr-defined]
    assert own.axes[0].yaxis.label.get_size() == pytest.approx(0.8 * plain.axes[0].yaxis.label.get_size())
    assert own.axes[0].yaxis.label.get_family() == ["serif"]
    assert own.axes[0].lines[0].get_linewidth() == 3.0 and plain.axes[0].lines[0].get_linewidth() == 1.5
    assert not own.axes[0].spines["top"].get_visible()
