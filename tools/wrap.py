"""Wrap the prose of Markdown files at 100 columns; code, tables, headings and pictures stay as they are.

python -m tools.wrap FILE ...
"""

import re
import sys
import textwrap
from pathlib import Path

WIDTH = 100
UNBREAKABLE = re.compile(r"`[^`]+`|\[[^\]]+\]\([^)]+\)")  # pieces of code and links
ITEM = re.compile(r"^(\s*)([-*+] |\d+\. )(.*)$")
KEPT = ("```", "|", "#", "<", "![")


def wrapped(text: str) -> str:
    """The same words, with paragraphs and items that are too wide wrapped again."""
    lines, out, i, fenced = text.split("\n"), [], 0, False
    while i < len(lines):
        line, item = lines[i], ITEM.match(lines[i])
        if line.lstrip().startswith("```"):
            fenced = not fenced
        nested = bool(item and i and lines[i - 1].strip())
        code = line.startswith("    ") and not nested
        if fenced or not line.strip() or code or line.lstrip().startswith(KEPT):
            out.append(line)
            i += 1
            continue
        first = item[1] + item[2] if item else line[: len(line) - len(line.lstrip())]
        end = i + 1
        while end < len(lines) and lines[end].strip() and not ITEM.match(lines[end]):
            if lines[end].lstrip().startswith(KEPT):
                break
            end += 1
        words = " ".join([item[3] if item else line.strip(), *(x.strip() for x in lines[i + 1 : end])])
        wide = max(map(len, lines[i:end])) > WIDTH
        out += _filled(words, first) if wide else lines[i:end]
        i = end
    return "\n".join(out)


def _filled(words: str, first: str) -> list[str]:
    whole = UNBREAKABLE.sub(lambda found: found[0].replace(" ", "\0"), words)
    lines = textwrap.fill(
        whole, WIDTH, initial_indent=first, subsequent_indent=" " * len(first), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return lines.replace("\0", " ").split("\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        before = page.read_text(encoding="utf-8")
        after = wrapped(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print("wrapped", name)
