"""The register: every quantity of a model by its long name, by a short name, or as a component."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import final

from trundle.errors import ModelError, UnknownNameError
from trundle.model.contents import full_name
from trundle.model.model import Model
from trundle.quantity import Part, Quantity
from trundle.typing import Expr

Source = Callable[[], Iterable[Quantity]]
Test = Callable[[Quantity], bool]


@final
class Register:
    """Quantities by name. Each source is searched when a name is not found in those before it; the last one, `audit`,
    has what the power audit measures.
    """

    def __init__(self, aliases: Mapping[str, str], *sources: Source, audit: Source = tuple) -> None:
        self.aliases, self._sources = aliases, (*sources, audit)
        self._tables: list[dict[str, Quantity]] = []

    def _table(self, i: int) -> dict[str, Quantity]:
        while len(self._tables) <= i:
            self._tables.append({q.name: q for q in self._sources[len(self._tables)]()})
        return self._tables[i]

    def find(self, name: str) -> Part | None:
        """The quantity or component that a long or short name means; None if there is none."""
        if not isinstance(name, str):
            raise ModelError(f"quantities go by their names, such as 'bob.angle', not by {name!r}.")
        names = [full_name(name, self.aliases)]
        if names[0] == name:  # else any ending that makes a quantity of a long name
            names += [long + name[len(short) :] for short, long in self.aliases.items() if name.startswith(f"{short}_")]
        for i in range(len(self._sources)):
            for full in names:
                found = _look(self._table(i), full)
                if found is not None:
                    return found
        return None

    def get(self, name: str, test: Test | None = None, what: str = "quantity") -> Part:
        """The same; UnknownNameError with near names if there is none, or none that the test takes."""
        found = self.find(name)
        if found is not None and test is is_signal and not found.quantity.signal:
            raise ModelError(
                f"{found.name!r} cannot be used here: it depends on the accelerations and forces, which depend on "
                f"this expression. Ask for it after the run, run[{found.name!r}]. Laws, forces, states, outputs and "
                "events may use coordinates, their rates, positions and velocities of bodies, states and parameters."
            )
        if found is None and test is is_signal and name.startswith("energy."):
            raise ModelError(
                f"{name!r} cannot be used here: energies are computed after a run, run[{name!r}]. Write it with "
                "positions and velocities instead, or integrate a power as a state (m.state)."
            )
        if found is None or (test is not None and not test(found.quantity)):
            raise self.unknown(name, test, what)
        return found

    def unknown(self, name: str, test: Test | None = None, what: str = "quantity") -> UnknownNameError:
        """The error for an unknown name."""
        whole = [q.name for q in self if q.listed and (test is None or test(q))]
        parts = {label for q in self for label in q.labels}
        if any(name.endswith(f"_{label}") for label in parts):
            whole += [n for q in self if q.listed and (test is None or test(q)) for n in q.names()[1:]]
        owner = name.partition(".")[0]
        known = sorted([*whole, *self.short_names(test)], key=lambda one: one.partition(".")[0] != owner)
        slides = [f"{q.name} is along {q.axis}" for q in self if q.axis and q.owner == owner]
        remedy = f"In the first frame of {owner!r}, {', '.join(slides)}." if slides else ""
        return UnknownNameError(name, known, what, remedy)

    def full(self, name: str) -> str:
        """The long name; an unknown name stays as it is."""
        found = self.find(name)
        return name if found is None else found.name

    def __iter__(self) -> Iterator[Quantity]:
        """All quantities but those of the audit."""
        return (q for i in range(len(self._sources) - 1) for q in self._table(i).values())

    @property
    def first(self) -> Iterable[Quantity]:
        """Those of the first source: of the parts of a model, without the measures of its forces, which take longer."""
        return self._table(0).values()

    @property
    def audit(self) -> Iterable[Quantity]:
        """What the power audit measures."""
        return self._table(len(self._sources) - 1).values()

    def names(self, test: Test, scalar: bool = False) -> list[str]:
        """Short names, long names and those of components, of all quantities that the test takes; with `scalar`, those
        that mean one number.
        """
        taken = [q for q in self if q.listed and test(q)]
        long = [name for q in taken for name in (q.names()[1:] if scalar and q.size > 1 else q.names())]
        return [*self.short_names(test, scalar), *long]

    def short_names(self, test: Test | None = None, scalar: bool = False) -> list[str]:
        """Short names, also with an ending, of quantities that the test takes."""
        out = []
        for short, full in self.aliases.items():
            for ending in ("", "_rate", "_acceleration"):
                found = self.find(full + ending)
                if found is not None and (test is None or test(found.quantity)):
                    if found.size == 1 or not scalar:
                        out.append(short + ending)
                    if found.component is None:
                        out += [f"{short}{ending}_{label}" for label in found.quantity.labels]
        return out


def _look(table: Mapping[str, Quantity], name: str) -> Part | None:
    if name in table:
        return Part(table[name])
    at = name.rfind("_")
    while at > 0:
        whole = table.get(name[:at])
        if whole is not None and name[at + 1 :] in whole.labels:
            return Part(whole, whole.labels.index(name[at + 1 :]))
        at = name.rfind("_", 0, at)
    return None


def model_register(model: Model) -> Register:
    """The quantities of a model that do not depend on its tree: names in laws and in files."""
    return Register(model.aliases, lambda: part_quantities(model))


def part_quantities(model: Model) -> Iterator[Quantity]:
    """Quantities of connections, bodies, states and inputs."""
    for connection in model.connections.values():
        yield from connection.quantities()
    for body in model.bodies.values():
        yield from body.quantities()
    yield from state_quantities(model)
    for given in model.inputs.values():
        yield from given.quantities()


def state_quantities(model: Model) -> Iterator[Quantity]:
    """States of the model and of its forces; states and outputs of its blocks."""
    for state in model.states.values():
        yield from state.quantities()
    for block in model.blocks.values():
        yield from block.quantities()
    for force in model.forces.values():
        for state in force.states():
            yield from state.quantities()


def given_signal(model: Model, name: str, t: Expr) -> Expr | None:
    """The time, an input or a parameter by name; None for other signals, which parts of the model define."""
    if name == "t":
        return t
    if name in model.inputs:
        return model.inputs[name](t)
    return model.parameters[name].symbol if name in model.parameters else None


def is_signal(quantity: Quantity) -> bool:
    """Whether laws, forces, outputs and events may use it."""
    return quantity.signal


def is_start(quantity: Quantity) -> bool:
    """Whether a start value may be given for it."""
    return quantity.start


def is_changeable(quantity: Quantity) -> bool:
    """Whether events may change it."""
    return quantity.changes


def coordinate_units(model: Model) -> dict[str, str]:
    """Unit, "m" or "rad", of every coordinate along which an effort may act, by its long name."""
    steps = [(c, step) for c in model.connections.values() for step in c.pair.coordinates if step.n_u == 1]
    return {f"{c.name}.{step.name}": "m" if step.slides else "rad" for c, step in steps}
