"""`trundle view` and `trundle run --view`."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from trundle.cli import app
from trundle.view.page.serve import Viewer


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    done = CliRunner().invoke(app, ["run", "simple-pendulum", "--duration", "0.5", "--out", str(out), "--no-plot"])
    assert done.exit_code == 0, done.output
    return out / "result.nc"


def test_result_becomes_a_page(result, tmp_path):
    page = tmp_path / "pendulum.html"
    done = CliRunner().invoke(app, ["view", str(result), "--html", str(page), "--compare", str(result)])
    assert done.exit_code == 0 and page.stat().st_size > 50_000, done.output


def test_result_is_served_until_interrupted(result, monkeypatch):
    seen = []

    def wait(viewer):
        seen.append(viewer.url)
        viewer.close()

    monkeypatch.setattr(Viewer, "wait", wait)
    done = CliRunner().invoke(app, ["view", str(result), "--port", "0", "--no-browser"])
    assert done.exit_code == 0 and seen[0] in done.output and "this machine only" in done.output


def test_run_can_show_what_it_did(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(Viewer, "wait", Viewer.close)
    words = ["run", "simple-pendulum", "--duration", "0.1", "--out", str(tmp_path), "--no-plot", "--view"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0 and opened[0].startswith("http://127.0.0.1:"), done.output


def test_damaged_result_is_reported(result, tmp_path):
    damaged = tmp_path / "damaged.nc"
    damaged.write_bytes(result.read_bytes()[:5000])
    done = CliRunner().invoke(app, ["view", str(damaged)])
    assert done.exit_code == 1 and "damaged" in done.output
    missing = CliRunner().invoke(app, ["view", str(tmp_path / "nothing.nc")])
    assert missing.exit_code == 1 and "no such file" in missing.output


def test_a_page_of_a_result_needs_no_xarray(result, tmp_path):
    """It takes longer to import than a result of 1e5 samples takes to read."""
    script = (
        "import sys, trundle; "
        f"trundle.load({str(result)!r}, lazy=True).save_html({str(tmp_path / 'page.html')!r}); "
        "print({'xarray', 'pandas', 'dask'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
