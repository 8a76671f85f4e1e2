"""Equations of the docs as MathML, made when the site is built: browsers show it by themselves, offline.

A hook of mkdocs. Pages have `$...$` in a line and fences called `math` for equations of their own.
"""

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
_FENCE = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BOLD_GREEK = re.compile(r'<mi mathvariant="bold-italic">&#x0*3([B-C][0-9A-F]);</mi>')


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of each page."""
    return _FENCE.sub(lambda found: f"$$\n{found[1]}$$", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Called by mkdocs with the HTML of each page."""
    html = _INLINE.sub(lambda found: _typeset(found[1], "inline"), html)
    return _BLOCK.sub(lambda found: f'<div class="equation">{_typeset(found[1], "block")}</div>', html)


def _typeset(latex: str, display: str) -> str:
    """MathML; bold Greek letters (vectors) as the characters that Unicode has for them: browsers know no other way."""
    found = convert(unescape(latex), display=display)
    return _BOLD_GREEK.sub(lambda letter: f"<mi>&#x{0x1D736 + int('3' + letter[1], 16) - 0x3B1:X};</mi>", found)
