"""Exported packages through a Modelica compiler: as many equations as unknowns, and the accelerations of the engine."""

from pathlib import Path

import numpy as np
import pytest
from flat_modelica import Flat
from moving_states import formulation_of, moving_state

from trundle import examples
from trundle.bond_graph.builder import build_graph
from trundle.bond_graph.modelica import to_modelica
from trundle.bond_graph.states import graph_state
from trundle.errors import StoreError

rumoca = pytest.importorskip("rumoca", reason="no Modelica compiler: pip install rumoca")
FEW = (
    "simple-pendulum", "spring-door", "fixed-servo-joint", "heavy-top", "free-slide-joint", "spring-ideal-joint",
    "rolling-disc", "carousel",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_accelerations_by_a_compiler(name: str, tmp_path: Path) -> None:
    f = formulation_of(examples.model(name))
    graph, p = build_graph(f), f.default_parameters
    state = graph_state(f, *moving_state(f, seed=2), p, 0.0)
    expected = graph.accelerations(state)
    path = graph.save(tmp_path / "model.mo")
    package = path.read_text().split()[1]
    flat = Flat(rumoca.Session().load(str(path), model=f"{package}.System").codegen("flat-modelica").files[0].content)
    kinds = {"com_position": "r", "orientation": "Q", "com_velocity": "v", "angular_velocity": "w"}
    names = {body.name: body.name.replace(" ", "_").replace("-", "_") for body in f.model.free_bodies}
    given = {f"{own}.{short}": state[f"{body}.{kind}"] for body, own in names.items() for kind, short in kinds.items()}
    given |= {n: state[n.replace("_angle", ".angle")] for n in flat.symbols if n.endswith("_angle")}
    found = flat.rates_at(given, [f"{own}.{kind}" for own in names.values() for kind in ("v", "w")])
    size = max(1.0, *(float(np.max(np.abs(expected[f"{b}.com_acceleration"]))) for b in names))
    for body, own in names.items():
        for kind, of in (("v", "com"), ("w", "angular")):
            np.testing.assert_allclose(found[f"{own}.{kind}"], expected[f"{body}.{of}_acceleration"], atol=1e-7 * size)


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.names())
def test_every_package_is_balanced(name: str, tmp_path: Path) -> None:
    try:
        text = to_modelica(build_graph(formulation_of(examples.model(name))))
    except StoreError:
        return
    path = tmp_path / "model.mo"
    path.write_text(text)
    assert rumoca.Session().load(str(path), model=f"{text.split()[1]}.System").structure().is_balanced
