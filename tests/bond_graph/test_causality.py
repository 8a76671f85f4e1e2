"""Causality agrees with the rank analysis of the constraints, and its findings are reported."""

from collections.abc import Callable

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.bond_graph.builder import build_graph
from trundle.bond_graph.causality import Causality, FlowRow, Flows, assign
from trundle.bond_graph.flows import find_flows
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.laws.law import FlowLaw, Law
from trundle.linear_algebra.rank import rank
from trundle.model.floating import floating
from trundle.model.seal import Seal
from trundle.model.spec import Spec

INERTIA = (0.1, 0.11, 0.12)
PAIRS = (
    tr.Revolute, tr.Prismatic, tr.Cylindrical, tr.Planar, tr.Universal, lambda axis: tr.Helical(axis, pitch=0.1),
    lambda axis: tr.Spherical(), lambda axis: tr.Fixed(), tr.FixedIdealJoint, tr.FreeSlideJoint,
)  # fmt: skip


def formulation_of(model: tr.Model) -> Formulation:
    """Ready for questions, without compiling the equations of motion."""
    whole = floating(model)  # bodies on contacts that may open
    return Formulation.of(Derivation(Spec(whole)), "kane")


def causality_of(model: tr.Model) -> Causality:
    return build_graph(formulation_of(model)).causality


def name_of_row(seal: Seal) -> str:
    """Name of a prescribed flow in the engine."""
    return f"{seal.coordinate} (servo)" if isinstance(seal.law, FlowLaw) and seal.coordinate else seal.name


def check_against_engine(model: tr.Model) -> Causality:
    f = formulation_of(model)
    graph = build_graph(f)
    found = graph.causality
    # The graph shows contacts that may open as they touch; for the engine their normals come and go.
    opening = sum(c.unilateral for c in f.model.connections.values())
    # A box has more corners than can touch at once: the graph names the normals that follow from the others.
    crowded = {c.seal for c in found.conflicts if c.bond == "normal" and f.model.connections[c.connection].unilateral}
    assert found.integral == f.mobility.freedoms - opening + len(crowded)
    seals = {name_of_row(s): s.name for s in [*graph.seals, *(c.seal for c in graph.chain)]}
    named = {seals.get(row, row) for row in f.mobility.redundant}
    assert len(found.conflicts) - len(crowded) == len(named) == len(f.mobility.redundant)
    flows = find_flows(graph)  # of rows that follow from each other, the graph and the engine may drop different ones
    J = flows.jacobians[-1]
    for dropped in (named | crowded, {c.seal for c in found.conflicts}):
        kept = [i for i, row in enumerate(flows.rows) if row.seal not in dropped]
        assert len(kept) == len(flows.rows) - len(dropped)
        assert rank(J[kept]) == rank(J) == len(kept)
    flows = {s.name for s in graph.seals if s.imposes_flow}
    assert found.integral + len(found.derivative) == 6 * len(model.free_bodies)
    assert len(flows) <= len(found.derivative) + len(found.conflicts)  # laws on chains over surfaces come on top
    assert len({(d.body, d.axis) for d in found.derivative}) == len(found.derivative)
    assert len({d.by for d in found.derivative}) == len(found.derivative)
    for d in found.derivative:  # each is set through a connection of its own body
        assert d.body in graph.network
        c = model.connections[d.connection]
        assert d.by.startswith(f"{d.connection}.")
        assert d.body in (c.first.body.name, c.second.body.name, c.touching.name)
    return found


FEW: dict[str, dict[str, int]] = {"n-four-bar": {"N": 3}, "chain": {"n": 4}}  # of what comes again and again


@pytest.mark.parametrize("name", examples.names())
def test_counts_of_every_example_agree_with_the_engine(name: str) -> None:
    check_against_engine(examples.model(name, **FEW.get(name, {})))


def random_model(seed: int, loops: int) -> tr.Model:
    """Bodies on a random tree, some joined again; all joints fit at zero coordinates."""
    rng = np.random.default_rng(seed)
    m = tr.Model(f"random {seed}")
    bodies: list[tr.Body] = [m.ground]

    def join(first: tr.Body, second: tr.Body, name: str, skew: bool) -> None:
        axis = "xyz"[rng.integers(3)] if not skew else tuple(rng.normal(size=3))
        pair = PAIRS[rng.integers(len(PAIRS))](axis)
        at = rng.normal(size=3)
        m.connect(pair, first.at(*at), second.at(*at), name=name)

    for i in range(5):
        body = m.body(f"b{i}", mass=1.0, inertia=INERTIA, com=tuple(rng.normal(size=3)))
        ends = (bodies[rng.integers(len(bodies))], body)
        join(*(ends if rng.random() < 0.7 else ends[::-1]), f"tree{i}", skew=rng.random() < 0.5)
        bodies.append(body)
    for i in range(loops):
        a, b = rng.choice(len(bodies), size=2, replace=False)
        join(bodies[a], bodies[b], f"loop{i}", skew=rng.random() < 0.5)
    return m


@pytest.mark.parametrize("seed", range(8))
def test_random_trees(seed: int) -> None:
    found = check_against_engine(random_model(seed, loops=0))
    assert found.conflicts == ()


@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed: int) -> None:
    check_against_engine(random_model(seed, loops=1 + seed % 3))


def driven(law: Law) -> tr.Model:
    m = tr.Model("driven")
    body = m.body("bob", mass=1.0, inertia=INERTIA, com=(0, 0, -1.0))
    m.connect(tr.AxisJoint("y", translation=tr.Locked(), rotation=law), m.ground, body, name="hinge")
    return m


@pytest.mark.parametrize(
    ("law", "freedoms"),
    [
        (tr.Open(), 1),
        (tr.Spring(2.0, 0.1), 1),
        (tr.Servo(lambda t: 0.1 * t), 0),
        (tr.Flow(lambda t, q: 0.1 * q), 0),
        (tr.Acceleration(lambda t, q, u: -q), 0),
    ],
)
def test_prescribed_motions_take_freedoms_at_every_level(law: Law, freedoms: int) -> None:
    assert check_against_engine(driven(law)).integral == freedoms


def contact(law: object, plane: bool = False) -> tr.Model:
    m = tr.Model("contact")
    wheel = m.body("wheel", mass=1.0, inertia=INERTIA)
    pair = tr.PlanarPair(tr.Line(), tr.Circle(0.3)) if plane else tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.1))
    m.connect(pair, m.ground, wheel, name="road", law=law)
    return m


@pytest.mark.parametrize(
    ("law", "plane", "freedoms"),
    [
        (None, False, 5),
        (tr.NoSlip(), False, 3),
        ([tr.NoSlip(), tr.NoSpin()], False, 2),
        ({"slip_y": tr.Damper(2.0)}, False, 5),
        ({"slip_y": tr.Flow(0.1)}, False, 4),
        ({"pitch": tr.Servo(lambda t: t)}, False, 4),
        ([tr.NoSlip()], True, 1),
        (None, True, 2),
    ],
)
def test_causality_of_contacts(law: object, plane: bool, freedoms: int) -> None:
    assert check_against_engine(contact(law, plane)).integral == freedoms


@pytest.mark.parametrize(
    "free", [("rx", "ry"), ("ry", "rz"), ("rz", "rx"), ("x", "rx", "rz"), ("rx", "ry", "rz"), ("z", "rz")]
)
@pytest.mark.parametrize("loop", [False, True])
def test_connections_by_their_bonds(free: tuple[str, ...], loop: bool) -> None:
    m = tr.Model("bonds")
    body = m.body("body", mass=1.0, inertia=INERTIA)
    laws = {b: tr.Damper(0.1) if b == free[0] else tr.Open() for b in free}
    seals = {b: laws.get(b, tr.Locked()) for b in ("x", "y", "z", "rx", "ry", "rz")}
    if loop:
        m.connect(tr.Connection(x=tr.Open(), y=tr.Open(), z=tr.Open(), rx=tr.Open(), ry=tr.Open(), rz=tr.Open()),
                  m.ground, body, name="free")  # fmt: skip
    m.connect(tr.Connection(**seals), m.ground, body, name="joint")
    assert check_against_engine(m).integral == len(free)


def two_hinges(compliance: tr.Spring | None) -> tr.Model:
    """A door: ten flows for five components."""
    m = tr.Model("door")
    door = m.body("door", mass=10.0, inertia=INERTIA, com=(0.5, 0, 0))
    m.connect(tr.Revolute("z"), m.ground.at(0, 0, 0), door.at(0, 0, 0), name="lower")
    m.connect(tr.Revolute("z"), m.ground.at(0, 0, 1), door.at(0, 0, 1), name="upper", compliance=compliance)
    return m


def test_door_on_two_hinges_is_in_conflict_until_one_yields() -> None:
    found = check_against_engine(two_hinges(None))
    assert {c.seal for c in found.conflicts} == {f"upper.{b}" for b in ("x", "y", "z", "rx", "ry")}
    along = next(c for c in found.conflicts if c.seal == "upper.z")
    assert along.depends_on == ("lower.z",)
    across = next(c for c in found.conflicts if c.seal == "upper.x")
    assert set(across.depends_on) == {"lower.x", "lower.ry"}
    assert "compliance={'x': tr.Spring(...)}" in across.text
    assert "lower" in across.text
    assert check_against_engine(two_hinges(tr.Spring(1e6, 1e3))).conflicts == ()


def test_what_depends_on_what_is_reported() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=INERTIA)
    m.connect(tr.Revolute("y"), m.ground, bob, name="hinge")
    found = causality_of(m)
    texts = {d.by: d.text for d in found.derivative}
    assert texts["hinge.z"] == (
        "hinge.z makes the translation along y of 'bob' depend on the ground (derivative causality)"
    )
    assert {d.axis for d in found.derivative} == {"x", "y", "z", "rx", "rz"}
    assert "hinge: the translation along x, y and z and the rotation about x and z of 'bob' depend on the ground" in (
        found.report()
    )


def test_displacements_rather_than_turns_are_dependent() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=INERTIA)
    m.connect(tr.Revolute("y"), m.ground, bob.at(0, 0, 3.0), name="hinge")
    found = causality_of(m)
    assert {d.axis for d in found.derivative} == {"x", "y", "z", "rx", "rz"}
    swings = next(d for d in found.derivative if d.axis == "x")
    assert swings.on == ("ground", "bob")
    assert "its own motion" in swings.text


def test_massless_bodies_are_never_states() -> None:
    m = tr.Model("cardan")
    cross, shaft = m.body("cross"), m.body("shaft", mass=1.0, inertia=INERTIA)
    m.connect(tr.Revolute("z"), m.ground, cross, name="first")
    m.connect(tr.Revolute("x"), cross, shaft, name="second")
    found = check_against_engine(m)
    assert sum(d.body == "cross" for d in found.derivative) == 6
    assert any("'cross' is massless and only passes them on" in loop.text for loop in found.loops)


def test_report_groups_big_models_by_connection() -> None:
    found = causality_of(examples.model("n-four-bar"))
    lines = found.report().splitlines()
    assert len(found.derivative) > 100
    assert len(lines) < 80
    assert sum(line.startswith("  closure0:") and "follow from" in line for line in lines) == 1


def test_algebraic_loops_are_what_the_mass_matrix_ties_together() -> None:
    """Efforts through the mass centre along principal axes are independent; those of a hinge off the centre do."""
    m = tr.Model("slider")
    m.connect(tr.Prismatic("x"), m.ground, m.body("block", mass=1.0, inertia=INERTIA), name="guide")
    assert causality_of(m).loops == ()
    m = tr.Model("slider off the centre")
    block = m.body("block", mass=1.0, inertia=INERTIA, com=(0.0, 0.2, 0.0))
    m.connect(tr.Prismatic("x"), m.ground, block, name="guide")
    found = causality_of(m).loops
    assert sorted(loop.size for loop in found) == [2]
    assert found[0].bodies == ("block",)
    assert "2 efforts meet in 'block': " in found[0].text and found[0].text.endswith(" of guide")


def unit(*entries: tuple[int, float], size: int = 12) -> np.ndarray:
    row = np.zeros(size)
    for i, value in entries:
        row[i] = value
    return row / np.linalg.norm(row)


def rows_of(*names: str) -> tuple[FlowRow, ...]:
    return tuple(FlowRow(*n.split("."), "a", "b", "b", False, "Take it away.") for n in names)


def test_elimination_names_the_rows_that_make_another_one() -> None:
    J = np.array([unit((0, 1), (6, -1)), unit((1, 1), (7, -1)), unit((0, 1), (6, -1), (1, 2), (7, -2)), unit((2, 1))])
    found = assign(Flows(("a", "b"), (np.eye(6), np.eye(6)), rows_of("p.x", "q.y", "r.z", "s.z"), (J,)))
    assert found.causality.integral == 9
    (conflict,) = found.causality.conflicts
    assert (conflict.seal, conflict.depends_on) == ("r.z", ("p.x", "q.y"))
    assert conflict.text.endswith("Take it away.")
    assert found.carrier == {"p.x": "b", "q.y": "b", "s.z": "a"}


def test_a_special_pose_does_not_count() -> None:
    """Two rows that fall together at the first pose only."""
    special = np.array([unit((0, 1)), unit((0, 1))])
    generic = np.array([unit((0, 1)), unit((0, 1), (1, 0.1))])
    flows = Flows(("a", "b"), (np.eye(6), np.eye(6)), rows_of("p.x", "q.y"), (special, generic))
    assert assign(flows).causality.conflicts == ()


BUILDERS: dict[str, Callable[[], tr.Model]] = {"door": lambda: two_hinges(None), "loop": lambda: random_model(3, 2)}


@pytest.mark.parametrize("name", BUILDERS)
def test_conflicts_follow_from_the_seals_they_name(name: str) -> None:
    """Without one of them the conflict is gone or needs fewer rows: here, the named rows span it."""
    graph = build_graph(formulation_of(BUILDERS[name]()))
    flows = find_flows(graph)
    index = {row.seal: i for i, row in enumerate(flows.rows)}
    J = flows.jacobians[-1]
    assert graph.causality.conflicts
    for conflict in graph.causality.conflicts:
        span, row = J[[index[s] for s in conflict.depends_on]].T, J[index[conflict.seal]]
        rest = row - span @ np.linalg.lstsq(span, row, rcond=None)[0]
        assert np.linalg.norm(rest) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_prescribed_flows_vanish_in_every_motion_of_the_engine(seed: int) -> None:
    """The rows are made from seals and poses alone; the engine moves the bodies of the tree."""
    from trundle.bond_graph.states import poses
    from trundle.equations.absolute_state import absolute_state
    from trundle.equations.derive import derive
    from trundle.quantities.state_layout import lay_out_bodies

    model = random_model(seed, loops=0) if seed else contact(None)
    f = formulation_of(model)
    q = poses(f)[-1]
    equations = derive(f.model, f.topology, "kane")
    u = np.random.default_rng(seed).normal(size=equations.n_u)
    of_bodies = lay_out_bodies(f.model)
    speeds = absolute_state(equations, of_bodies, q, u, f.default_parameters, 0.0)[1].reshape(-1, 6)
    speeds[:, :3] /= f.length
    flows = find_flows(build_graph(f))
    assert np.max(np.abs(flows.jacobians[-1] @ speeds.ravel())) < 1e-12 * (1 + np.max(np.abs(speeds)))
