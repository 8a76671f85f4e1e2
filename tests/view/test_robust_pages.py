"""Pages of odd results, taken ports, foreign requests, and damaged files."""

import re
import socket
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.run.run import Run
from trundle.view.page.html import page
from trundle.view.scene.make import make_scene


def test_a_taken_port_is_passed_over_and_said(cart: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        viewer = cart.show(port=port, open_browser=False)
        try:
            assert viewer.port != port and viewer.note == f"port {port} is taken; took {viewer.port}."
            assert status(viewer.port, urlsplit(viewer.url).path) == 200
        finally:
            viewer.close()


def status(port: int, path: str, **headers: str) -> int:
    asking = HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        asking.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return asking.getresponse().status
    finally:
        asking.close()


def test_only_the_own_page_may_send_requests(cart: Run) -> None:
    viewer = cart.show(port=0, open_browser=False)
    try:
        listening = viewer._server.server_address
        assert listening[0] == "127.0.0.1"
        own, home = f"http://127.0.0.1:{viewer.port}", urlsplit(viewer.url).path
        quantity = f"{home}quantity/mast.angle"
        assert status(viewer.port, quantity) == status(viewer.port, quantity, Origin=own) == 200
        assert status(viewer.port, quantity, Origin="http://evil.example") == 403
        assert status(viewer.port, quantity, Sec_Fetch_Site="cross-site") == 403
        assert status(viewer.port, home, Host="evil.example") == 403
        for guess in ("/", "/quantity/mast.angle", home[:-2] + "/", "/../etc/passwd"):  # other users have no key
            assert status(viewer.port, guess) == 403
        assert status(viewer.port, f"{home}../etc/passwd") == 404
    finally:
        viewer.close()


def test_a_page_runs_its_own_script_only_and_fetches_nothing(cart: Run) -> None:
    text = page(cart)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and "unsafe-inline" not in policy[1] and "default-src 'none'" in policy[1]
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    for kind, part in (("script", script), ("style", style)):
        assert f"{kind}-src 'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'" in policy[1]
    assert not re.search(r"""(src|href)=["'](?!data:)""", text) and "url(" not in style and "@import" not in style
    assert not re.search(r"""https?://""", text)


def test_a_model_without_bodies_shows_its_plots(tmp_path: Path) -> None:
    m = tr.Model("tank")
    m.state("level", lambda s: -s["level"], start=1.0)
    run = m.build().simulate(1.0, samples=11)
    assert make_scene(run).bodies == ("ground",)
    assert run.save_html(tmp_path / "tank.html").stat().st_size > 10_000
    assert run.save_movie(tmp_path / "tank.gif", fps=2, speed=1.0, size=(40, 30)).exists()


@pytest.mark.filterwarnings("error")
def test_missing_numbers_leave_gaps(cart: Run, tmp_path: Path) -> None:
    path = cart.save(tmp_path / "cart.nc")
    with h5py.File(path, "a") as file:
        for name in ("cart.position", "cart.rotation", "mast.position", "mast.rotation"):
            values = file[name][...]
            values[10:15] = np.nan
            file[name][...] = values
    scene = make_scene(tr.load(path))
    assert np.all(np.isfinite([*scene.low, *scene.high, *scene.around, scene.size]))
    assert not scene.travels and np.all(np.isnan(scene.positions[12, 1]))
    assert len(page(tr.load(path))) > 10_000


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_tiny_and_huge_machines_fill_the_picture(size: float) -> None:
    m = tr.Model("bar")
    bar = m.body("bar", mass=1.0, inertia=0.1 * size**2, com=(0.5 * size, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, bar)
    scene = make_scene(m.build().simulate(0.1, samples=5))
    assert 0.5 * size < scene.size < 3 * size
    assert np.all(scene.high - scene.low < 5 * size)


def test_a_damaged_result_is_reported(cart: Run, tmp_path: Path) -> None:
    whole = cart.save(tmp_path / "cart.nc").read_bytes()
    broken = tmp_path / "broken.nc"
    for content in (b"", b"not a result", whole[: len(whole) // 2]):
        broken.write_bytes(content)
        found = CliRunner().invoke(app, ["view", str(broken), "--html", str(tmp_path / "x.html")])
        assert found.exit_code != 0 and "broken.nc" in found.output and "Traceback" not in found.output
    assert not (tmp_path / "x.html").exists()


@pytest.mark.skipif(find_spec("dask") is None, reason="dask is not installed")
def test_opening_a_result_does_not_load_dask_arrays(cart: Run, tmp_path: Path) -> None:
    path = cart.save(tmp_path / "cart.nc")
    code = "import sys, trundle as tr; tr.load(sys.argv[1], lazy=True).save_html(sys.argv[2])"
    code += "; print('dask.array' in sys.modules)"
    made = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "cart.html")], capture_output=True, check=True
    )
    assert made.stdout.split() == [b"False"]
