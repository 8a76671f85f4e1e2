"""Width of a text in DejaVu Sans, and shortening of long names."""

from functools import cache
from pathlib import Path

from trundle.typing import Untyped

FAMILY = "DejaVu Sans, Verdana, sans-serif"
LINE = 1.2  # height of a line, of the size of the letters
BASELINE = 0.93  # from the top of the line, of the size of the letters
ELLIPSIS = "…"


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text."""
    return size * sum(_advance(letter, bold) for letter in text)


def shorten(text: str, size: float, width: float, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits before an ellipsis."""
    if text_width(text, size, bold) <= width:
        return text
    kept = text
    while kept and text_width(kept.rstrip() + ELLIPSIS, size, bold) > width:
        kept = kept[:-1]
    return kept.rstrip() + ELLIPSIS


def printable(text: str) -> str:
    """The text in one line and without characters that XML forbids."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text).split())


@cache
def _advance(letter: str, bold: bool) -> float:
    """Way from this letter to the next, for letters of size one."""
    font = _font(bold)
    if font.get_char_index(ord(letter)) == 0:
        return 1.0  # another font will show it: a full square is the widest that it can need
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 65536.0 / _UNIT


_UNIT = 100.0  # size of the letters at which the font is measured


@cache
def _font(bold: bool) -> Untyped:
    from matplotlib import get_data_path
    from matplotlib.ft2font import FT2Font

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    font = FT2Font(str(Path(get_data_path()) / "fonts" / "ttf" / name))
    font.set_size(_UNIT, 72.0)
    return font
