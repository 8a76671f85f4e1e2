"""A model that was examined before is recognised by the full contents of its parts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.kernel.cache import USER_CACHE
from trundle.model import examined as store
from trundle.model.examined import examined, plain_key
from trundle.model.fingerprint import examine, fingerprint
from trundle.model.freeze import frozen


def swing(stiffness: float = 3.0, gain: float = 2.0, rest: float = 0.5) -> tr.Model:
    """A body on a hinge and a spring, with a table, a state and an output."""
    m = tr.Model("swing")
    k = m.parameter("k", stiffness)
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob)
    push = m.table("push", tr.Table([0.0, 1.0, 2.0, 4.0], [0.0, 1.0, 0.5, 0.2], beyond="hold"))
    m.apply(tr.SpringDamper(m.ground.at(1, 0, 0), bob.at(0, 0, -1), stiffness=k, length=rest), name="spring")
    m.apply(tr.CoordinateForce("bob.angle", lambda s: gain * push(s["lag"])), name="drive")
    m.state("lag", rate=lambda s: s["bob.angle"] - s["lag"], start=0.1)
    m.output("height", lambda s: s.position(bob.at(0, 0, -1))[2])
    return m


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Callable[[], int]:
    """How often models were examined, in a cache of their own."""
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path / "cache"))
    calls: list[int] = []

    def count(model: tr.Model, parts: list[str]) -> Any:
        calls.append(1)
        return examine(model, parts)

    monkeypatch.setattr(store, "examine", count)
    return lambda: len(calls)


def test_a_known_model_is_not_examined_again(asked: Callable[[], int]) -> None:
    first, second = examined(frozen(swing())), examined(frozen(swing()))
    assert asked() == 1
    assert first == second
    assert first.key == fingerprint(swing())
    assert [one.name for one in first.measures["spring"]] and first.measures["spring"][0].size == 1


def test_the_same_quantities_and_numbers_come_from_the_cache(asked: Callable[[], int]) -> None:
    first, second = swing().build(), swing().build()
    assert asked() == 1
    assert [(q.name, q.unit, q.text, q.size) for q in first.quantities.values()] == [
        (q.name, q.unit, q.text, q.size) for q in second.quantities.values()
    ]
    runs = [system.simulate(1.0, {"bob.angle": 0.3}, samples=11) for system in (first, second)]
    for name in ("spring.force", "height", "lag"):
        assert runs[0].values(name).tolist() == runs[1].values(name).tolist()


def another_table(m: tr.Model) -> None:
    m.tables["push"] = replace(
        m.tables["push"], table=tr.Table([0.0, 1.0, 2.0, 4.0], [0.0, 1.0, 0.5, 0.3], beyond="hold")
    )


def changed(change: Callable[[tr.Model], Any]) -> tr.Model:
    m = swing()
    change(m)
    return m


def another_output(m: tr.Model) -> None:
    m.output("depth", lambda s: -s.position(m.bodies["bob"])[2])


@pytest.mark.parametrize(
    "other",
    [
        lambda: swing(gain=2.0000001),
        lambda: swing(rest=0.50000001),
        lambda: changed(another_table),
        lambda: changed(lambda m: m.state("more", rate=lambda s: s["lag"])),
        lambda: changed(another_output),
    ],
)
def test_whatever_differs_is_examined_anew(asked: Callable[[], int], other: Callable[[], tr.Model]) -> None:
    keys = {plain_key(frozen(swing())), plain_key(frozen(other()))}
    assert len(keys) == 2 and None not in keys
    examined(frozen(swing()))
    examined(frozen(other()))
    assert asked() == 2


NAMED = ("rate", "cart", "joint", "tie", "lag", "filter", "input", "table", "output", "event", "frame", "short")


def many_names(renamed: str = "") -> tr.Model:
    """A model in which everything has a name; one of them is another."""

    def name(of: str) -> str:
        return "other" if of == renamed else of

    m = tr.Model("names")
    deck = m.moving_frame(name("frame"), position=lambda s: (0, 0, 0.1 * tr.sin(s.t)))
    cart = m.body(name("cart"), mass=1.0, inertia=0.1)
    damping = m.parameter(name("rate"), 0.3)
    m.connect(tr.Prismatic("x"), deck, cart, name=name("joint"), law=tr.Damper(damping))
    place, push = f"{name('joint')}.displacement", m.input(name("input"), 0.1)
    table = m.table(name("table"), tr.Table([0.0, 1.0], [0.0, 0.1], beyond="line"))
    m.apply(tr.SpringDamper(deck.at(0, 1, 0), cart, stiffness=3.0), name=name("tie"))
    m.state(name("lag"), rate=lambda s: s[place] - s[name("lag")])
    m.block(tr.FirstOrderLag(lambda s: table(s[place]) + push(s), time_constant=0.1), name("filter"))
    m.output(name("output"), lambda s: s[place] ** 2)
    m.event(name("event"), lambda s: s[place] - 0.1)
    m.alias(name("short"), place)
    m.start = {place: 0.2}
    return m


@pytest.mark.parametrize("renamed", NAMED)
def test_another_name_is_another_model(asked: Callable[[], int], renamed: str) -> None:
    before, after = many_names().build(), many_names(renamed).build()
    assert asked() == 2
    runs = [system.simulate(0.5, samples=3) for system in (before, after)]
    changed = [name for name in runs[1].names if "other" in name]
    assert bool(changed) == (renamed not in ("rate", "table", "event"))
    for name in [*changed, "energy.kinetic"]:
        assert runs[1].values(name).tolist() == runs[0].values(name.replace("other", renamed)).tolist()


def test_a_symbol_of_another_model_is_refused_whatever_is_known(asked: Callable[[], int]) -> None:
    """It has the name of a parameter of this one, so that both are printed in the same way."""

    def spring(stiffness: Any, m: tr.Model) -> tr.Model:
        bob = m.body("bob", mass=1.0, inertia=1.0, com=(0, 0, -1))
        m.connect(tr.Revolute("y"), m.ground, bob)
        m.apply(tr.SpringDamper(m.ground.at(1, 0, 0), bob, stiffness=stiffness), name="spring")
        return m

    good, bad = tr.Model("hinge"), tr.Model("hinge")
    own, _ = good.parameter("k", 3.0), bad.parameter("k", 3.0)
    spring(own, good).build()
    assert plain_key(frozen(spring(own, bad))) is None
    with pytest.raises(ModelError, match="'k' is not a parameter of this model"):
        bad.build()


def test_classes_of_the_user_are_always_examined(asked: Callable[[], int]) -> None:
    @dataclass(frozen=True)
    class Friction(tr.Coulomb):  # type: ignore[misc]
        def coefficient(self, s: Any, speed: Any, load: Any) -> Any:
            return 0.3

    def model() -> tr.Model:
        m = tr.Model("groove")
        wheel = m.body("wheel", 1.0, 0.01)
        m.connect(tr.HigherPair(tr.Plane(), tr.Torus(1.0, 0.05)), m.ground, wheel, law=Friction(0.2))
        return m

    assert plain_key(frozen(model())) is None
    examined(frozen(model()))
    examined(frozen(model()))
    assert asked() == 2


def test_damaged_entries_are_made_anew(asked: Callable[[], int]) -> None:
    model = frozen(swing())
    examined(model)
    USER_CACHE.save_bundle(f"examined {plain_key(model)}", store.Bundle(b"", (), {"key": "x", "measures": 3}))
    assert examined(model).key == fingerprint(swing())
    assert asked() == 2
