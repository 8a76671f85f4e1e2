"""The Python of a page of the docs: its blocks, one after the other, are one script that runs in an empty folder.

Claims of pages are checked: a number in the comment after a `print` must be among the numbers printed there, to the
digits given, and a picture shown from the folder `pictures` must be made by the blocks. `python -m tools.page_code`
draws these pictures anew (with names of pages: theirs).
"""

import builtins
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
FOLDERS = ("tutorials", "how-to", "theory")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_CLAIM = re.compile(r"^\s*print\(.*\)  # (.*)$")
_PICTURE = re.compile(r"\]\(pictures/([^)]+)\)")


def pages() -> list[Path]:
    """Pages whose code blocks form a script."""
    return sorted(page for folder in FOLDERS for page in (DOCS / folder).glob("*.md"))


def script(page: Path) -> str:
    """The Python of a page; each line has the number it has on the page."""
    lines, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        lines.append(line if inside and not fence else "")
        inside = line == "```python" if fence else inside
    return "\n".join(lines)


def run_page(page: Path, folder: Path) -> dict[str, Any]:
    """Run the script of a page in a folder; return its variables. AssertionError with all claims that do not hold."""
    text, printed = script(page), dict[int, str]()

    def note(*values: Any, **options: Any) -> None:
        line = sys._getframe(1).f_lineno
        printed[line] = printed.get(line, "") + " ".join(map(str, values)) + "\n"
        builtins.print(*values, **options)

    names: dict[str, Any] = {"__name__": "__main__", "print": note}
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(compile(text, str(page), "exec"), names)
    finally:
        os.chdir(before)
    wrong = [
        f"{page.name}:{number}: {claim[1]!r}, but printed was {printed.get(number)!r}"
        for number, line in enumerate(text.splitlines(), 1)
        if (claim := _CLAIM.match(line)) and not agrees(claim[1], printed.get(number, ""))
    ]
    wrong += [f"{page.name}: no block makes {name}" for name in pictures(page) if not (folder / name).is_file()]
    assert not wrong, "\n".join(wrong)
    return names


def agrees(claim: str, printed: str) -> bool:
    """Whether every number of a claim is among those printed, to its own digits."""
    found = [float(number) for number in _NUMBER.findall(printed)]
    for number in _NUMBER.findall(claim):
        mantissa, _, power = number.partition("e")
        unit = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
        if not any(abs(value - float(number)) <= 0.6 * unit for value in found):
            return False
    return True


def pictures(page: Path) -> list[str]:
    """Names of the pictures that a page shows and its blocks make."""
    return _PICTURE.findall(page.read_text(encoding="utf-8"))


def draw(page: Path) -> None:
    """Put the pictures of a page into its folder."""
    with tempfile.TemporaryDirectory() as name:
        run_page(page, Path(name))
        for picture in pictures(page):
            (page.parent / "pictures").mkdir(exist_ok=True)
            shutil.copy(Path(name) / picture, page.parent / "pictures" / picture)


if __name__ == "__main__":
    for chosen in [page for page in pages() if len(sys.argv) == 1 or page.stem in sys.argv[1:]]:
        draw(chosen)
