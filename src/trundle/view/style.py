"""Common style of all figures: sizes, colours for colour-blind readers, axes."""

from io import BytesIO
from pathlib import Path
from typing import final

from matplotlib import rc_context, rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter

from trundle.atomic_write import file_path
from trundle.errors import SolveError, StoreError
from trundle.typing import Look, Raw, Untyped

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5B4A9C", "#7A5C3E")
INK = "#222222"
QUIET = "#8A8F98"  # grid, event lines, ground
FAINT = "#E4E7EB"
WARNING = "#B3261E"
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))  # used when the colours run out

_SETTINGS: Untyped = {
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.labelsize": 10.0,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "axes.xmargin": 0.0,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.5,
    "lines.solid_capstyle": "round",
    "savefig.dpi": 160,
    "figure.dpi": 100,
}


@final
class PlainNumbers(ScalarFormatter):
    """Numbers along an axis as plain text. Matplotlib sets each of them as a formula, 10 ms each, to have the power of
    ten beside the axis as one.
    """

    def __call__(self, x: float, pos: int | None = None) -> str:
        return super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")


@final
class Picture(Figure):
    """A figure that notebooks show as a picture, whatever their backend."""

    def add_subplot(self, *args: Untyped, **named: Untyped) -> Untyped:
        """As in Matplotlib, with plain numbers along the axes."""
        return _with_plain_numbers(super().add_subplot(*args, **named))

    def add_axes(self, *args: Untyped, **named: Untyped) -> Untyped:
        """As in Matplotlib, with plain numbers along the axes."""
        return _with_plain_numbers(super().add_axes(*args, **named))

    def show(self, warn: bool = True) -> None:
        """Open a window with the figure, and wait until it is closed; SolveError if no window can be opened."""
        import matplotlib.pyplot as plt

        remedy = "Save the picture: run.plot('bob.angle', path='picture.png'), or figure.savefig('picture.png')."
        if self.canvas.manager is None:
            try:
                plt.figure(self)
            except ValueError as error:  # before Matplotlib 3.11
                raise SolveError(f"this Matplotlib cannot show figures made without pyplot. {remedy}") from error
        if self.canvas.required_interactive_framework is None:
            plt.close(self)
            raise SolveError(f"no window can be opened here (Matplotlib's backend is {plt.get_backend()!r}). {remedy}")
        plt.show()

    def _repr_png_(self) -> bytes:
        written = BytesIO()
        self.savefig(written, format="png", dpi=100)
        return written.getvalue()


def _with_plain_numbers(axes: Axes) -> Axes:
    for axis in axes.findobj(Axis):
        assert isinstance(axis, Axis)
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(PlainNumbers())
            axis.isDefault_majfmt = True  # names along the axis, or a logarithmic scale, take its place
    return axes


def point2(values: Raw) -> tuple[float, float]:
    """Two coordinates on paper as plain numbers."""
    return float(values[0]), float(values[1])


def style() -> Untyped:
    """Context in which figures are made. Settings of Matplotlib that the user has changed are kept, and texts are
    scaled with his size of the font.
    """
    own = {name: value for name, value in _SETTINGS.items() if rcParams[name] == rcParamsDefault[name]}
    if "font.size" not in own:
        scale = rcParams["font.size"] / _SETTINGS["font.size"]
        own |= {name: scale * own[name] for name in own if name.endswith(("titlesize", "labelsize", "fontsize"))}
    return rc_context(own)


def new_figure(width: float, height: float, title: str | None = None) -> Figure:
    """An empty figure with a title set flush left; no pyplot state, so it works without a display."""
    figure = Picture(figsize=(width, height), layout="constrained")
    if title:
        size = 1.2 * rcParams["font.size"]
        figure.suptitle(title, x=0.012, ha="left", fontsize=size, fontweight="bold", color=INK)
    return figure


def line_style(index: int) -> Look:
    """Colour and dash of the line with this number."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index // len(COLOURS) % len(DASHES)]}


def side_legend(axes: Axes) -> None:
    """Legend to the right of the panel, where it hides no line."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.4)


def legend_name(name: str) -> str:
    """A name for a legend, which leaves out labels that begin with an underscore."""
    return f"\u200b{name}" if name.startswith("_") else name


def tick_name(name: str) -> str:
    """A name in place of a number along an axis, where dollar signs would begin a formula."""
    return name.replace("$", r"\$")


def finish(figure: Figure, path: Path | str | None, formulas: bool = False) -> Figure:
    """Write the figure when a path is given; the suffix chooses the format (png, svg, pdf).

    Names of bodies and models are not formulas, whatever dollar signs they have; formulas=True is for figures that name
    nothing of the user's.
    """
    if not formulas:
        _take_literally(figure)
    if path is not None:
        target = file_path(path)
        if target.is_dir():
            raise StoreError(f"cannot write the picture {target}: this is a directory. Give the name of a file.")
        target = target if target.suffix else target.with_name(target.name + ".png")
        try:
            figure.savefig(target)
        except (OSError, ValueError) as error:  # ValueError: a suffix that is not a picture format
            raise StoreError(f"cannot write the picture {target}: {error}") from error
    return figure


def _take_literally(figure: Figure) -> None:
    """No text is read as a formula but the numbers along the axes."""
    ticks: set[Text] = set()
    for axes in figure.axes:
        for axis in axes.findobj(Axis):  # two, or three in space
            assert isinstance(axis, Axis)
            ticks |= set(axis.findobj(Text)) - {axis.label}
    for text in figure.findobj(Text):
        if isinstance(text, Text) and text not in ticks:
            text.set_parse_math(False)
