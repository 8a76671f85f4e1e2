"""`trundle doctor` prints what a bug report should contain."""

from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app


def test_doctor_prints_a_report(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path / "none"))
    told = CliRunner().invoke(app, ["doctor"])
    assert told.exit_code == 0, told.output
    lines = dict(line.split(None, 1) for line in told.output.splitlines())
    assert lines["trundle"] == tr.__version__
    assert {"python", "processor", "casadi", "numba", "xarray", "browser"} <= set(lines)
    assert "lanes" in lines["processor"]
    assert "empty" in told.output
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "x").write_bytes(b"0" * 2**20)
    assert "1 files, 1 MB" in CliRunner().invoke(app, ["doctor"]).output
