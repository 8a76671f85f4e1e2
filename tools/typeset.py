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


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of each page."""
    return _FENCE.sub(lambda found: f"$$\n{found[1]}$$", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Called by mkdocs with the HTML of each page."""
    html = _INLINE.sub(lambda found: convert(unescape(found[1])), html)
    return _BLOCK.sub(lambda found: f"<div>{convert(unescape(found[1]), display='block')}</div>", html)
