"""Which machine code is optimised: what every step of a run evaluates, unless many contacts may act at once."""

from pathlib import Path
from typing import Any

import pytest

import trundle as tr
from trundle.equations import kernel_store

HALF = 0.1


def box(corners: int) -> tr.Model:
    m = tr.Model("box")
    body = m.body("box", mass=1.0, inertia=0.01)
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)][:corners]):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(
            pair, m.ground, body.at(x * HALF, y * HALF, -HALF), name=f"c{k}", law=tr.Coulomb(0.5), unilateral=True
        )
    return m


@pytest.mark.parametrize("corners", [1, 4])
def test_many_contacts_are_compiled_quickly(corners: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    quick: list[bool] = []
    original = kernel_store.compile_bundle

    def compile_bundle(*given: Any, **options: Any) -> Any:
        quick.append(options["quick"])
        return original(*given, **options)

    monkeypatch.setattr(kernel_store, "compile_bundle", compile_bundle)
    run = box(corners).build().simulate(0.01, {"box.position": (0, 0, 0.5)}, samples=3)
    assert run.values("box.z")[-1] == pytest.approx(0.5 - 9.81 * 0.01**2 / 2, abs=1e-9)
    base, *others = quick
    assert base is (corners == 4)
    run.values("box.acceleration")
    assert len(quick) == 2 + len(others) and quick[-1]
