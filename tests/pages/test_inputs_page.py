"""The page on inputs: its scripts run and print the numbers printed beside them; its file is read."""

import re
from pathlib import Path

from tools.page_code import run_page

from trundle.file import load_model

PAGE = Path(__file__).parents[2] / "docs" / "inputs.md"
BASE = """
name: cart
bodies: {cart: {mass: 2, inertia: 0.1}}
connections: {cart: {pair: Prismatic, axis: x, first: ground, second: cart, law: {motor: force - 0.1 * u}}}
"""


def test_the_scripts_of_the_page(tmp_path: Path) -> None:
    run_page(PAGE, tmp_path)


def test_the_file_of_the_page(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "cart.yaml"
    path.write_text(BASE + block, encoding="utf-8")
    run = load_model(path).build().simulate(1.0, inputs={"force": 1.0})
    assert run.ok and run["force"].attrs["units"] == "N" and run.values("force")[-1] == 1.0
