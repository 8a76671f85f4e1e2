"""The Python blocks of docs/rail.md are one script."""

import re
import runpy
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "rail.md").read_text(encoding="utf-8")


def test_the_python_blocks_run(tmp_path, monkeypatch):
    found = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "rail.py"
    script.write_text("\n".join(found), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert names["line"].length == 350.0 and (tmp_path / "line.png").exists()
    assert (tmp_path / "rough.png").exists() and names["run"].ok
    assert names["locus"].critical == pytest.approx(34.51, abs=0.02)
    for picture in ("locus.png", "mode.png", "curving.png", "assessed.png"):
        assert (tmp_path / picture).exists()
