"""The page about moving pictures: its lines run."""

import re
from pathlib import Path


def test_the_lines_of_the_page_run(tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "docs" / "view.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    page = (tmp_path / "out" / "ride.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and 'src="http' not in page
