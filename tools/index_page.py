"""The README for the page of a package index: links and pictures with absolute addresses.

An index does not resolve relative paths. The address comes from `repository-code` in CITATION.cff; without it pictures
are omitted and links become plain text.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")


def repository() -> str | None:
    """Address of the repository, without a slash at its end; None if CITATION.cff does not have it."""
    found = re.search(r"^repository-code: *\"?([^\"\s]+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    return found[1].rstrip("/") if found else None


def index_page(address: str | None, version: str) -> str:
    """The text of the README for an index."""

    def whole(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        if address:
            return f"{picture}[{text}]({address}/{'raw' if picture else 'blob'}/v{version}/{target})"
        return "" if picture else text

    text = _LINK.sub(whole, (ROOT / "README.md").read_text(encoding="utf-8"))
    if not address:  # a table of pictures is nothing without them
        text = re.sub(r"^\|[ |-]*\|\n\|[-|]+\|\n(?:\| *`.*\n)+", "", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text)
