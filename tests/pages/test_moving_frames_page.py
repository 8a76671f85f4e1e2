"""The page on moving frames: its code runs, and what it asserts holds."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "moving-frames.md"


def test_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), scope)
    assert len(blocks) == 3
    for picture in re.findall(r"!\[\]\((.*?)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / picture).is_file(), picture
