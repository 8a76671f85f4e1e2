"""The equations of a Spec in one formalism, and their numerical evaluation: the basis of all studies."""

from collections.abc import Callable
from functools import cached_property
from typing import Protocol, TypeVar, final

import numpy as np

from trundle.contact.modes.find import decides_together, transitions
from trundle.contact.modes.mode import Transition
from trundle.contact.search import ContactSearch
from trundle.equations.derivation import Derivation
from trundle.equations.derive import Equations
from trundle.equations.kernel_store import KernelStore, base
from trundle.equations.kernels import Functions
from trundle.equations.mass_cases import InertiaCheck
from trundle.equations.mass_check import check_every_mass, check_mass
from trundle.equations.mobility import Mobility
from trundle.equations.outputs.expressions import Expressions
from trundle.equations.outputs.ports import Ports
from trundle.equations.row_functions import RowFunctions
from trundle.errors import ModelError
from trundle.kernel import USER_CACHE, evaluate, read_tapes
from trundle.kernel.cache import Bundle
from trundle.messages.preparing import preparing
from trundle.model.register import Register
from trundle.model.spec import Spec
from trundle.quantities.known import WORK
from trundle.quantities.parameters import ParameterLayout
from trundle.quantities.state_layout import StateLayout
from trundle.quantity import Quantity
from trundle.space.rotation import quaternions_from_rotations
from trundle.typing import Array, Json, TapeFunction, Value, Values

Found = TypeVar("Found")
THREADED, FEW = 4000, 200  # states: threading thresholds of cheap and of any kernels
FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")


class Built(Protocol):
    """An object with a formulation: a System."""

    @property
    def formulation(self) -> "Formulation": ...


@final
class Formulation:
    """Equations in one formalism: functions on the tape, kernels, quantities by name; each is made on first use."""

    def __init__(self, derivation: Derivation, formalism: str) -> None:
        self.derivation, self.formalism = derivation, formalism
        self.spec, self.model = derivation.spec, derivation.model
        self.topology = derivation.topology
        self.layout: StateLayout = derivation.layout  # of joint coordinates, in which names and start values are given
        self.parameters: ParameterLayout = derivation.parameters
        self.kernels = KernelStore(self)
        self._made: dict[Callable[[Formulation], object], Value] = {}

    @staticmethod
    def of(derivation: Derivation, formalism: str) -> "Formulation":
        """The formulation of a derivation in one formalism, the same one for every caller."""
        known = derivation.formulations
        if formalism not in known:
            known[formalism] = Formulation(derivation, formalism)
        return known[formalism]

    def __reduce__(self) -> tuple[object, ...]:
        self.kernels("base")  # made once here; processes that receive the pickle find them in the cache
        return _restored, (self.spec, self.formalism)

    def __copy__(self) -> "Formulation":
        return self  # it is immutable

    def __deepcopy__(self, memo: dict[int, object]) -> "Formulation":
        return self

    def once(self, make: "Callable[[Formulation], Found]") -> Found:
        """The result of `make` for this formulation, computed on first use."""
        if make not in self._made:
            self._made[make] = make(self)
        found: Found = self._made[make]
        return found

    # -- contacts ------------------------------------------------------------------------------------------------------

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """All transitions that are detected at contacts; their events come after those of the user."""
        return tuple(transitions(self.model))

    @cached_property
    def decides_together(self) -> bool:
        """Whether contacts that open share loads, and what they do is decided for all of them at once."""
        return decides_together(self.model)

    # -- equations -----------------------------------------------------------------------------------------------------

    @property
    def in_joints(self) -> bool:
        """Whether the states are joint coordinates and their rates."""
        return self.formalism != "newton_euler"

    @property
    def by_kane(self) -> "Formulation":
        """The formulation in joint coordinates without redundant rows."""
        return Formulation.of(self.derivation, "kane")

    @cached_property
    def equations(self) -> Equations:
        return self.derivation.equations("joint" if self.in_joints else "absolute")

    @property
    def joint_functions(self) -> Functions:
        """Equations in joint coordinates, in which names and start values are given, whatever the formalism."""
        return self.functions if self.in_joints else self.by_kane.functions

    @cached_property
    def functions(self) -> Functions:
        """Equations with their independent rows or, for the pseudo-inverse, with all rows."""
        return self.functions_of(self.equations)

    @cached_property
    def run_functions(self) -> Functions:
        """The same for runs, which need no derivatives: open contacts cost next to nothing."""
        found = self.functions_of(self.equations, by_numbers=True)
        return found if found.by_numbers else self.functions

    def functions_of(self, equations: Equations, by_numbers: bool = False) -> Functions:
        """Functions of equations with the rows of this formulation; see `Accelerations` for `by_numbers`."""
        rows = equations.rows
        dropped = set(self.mobility.redundant) if rows else set()
        sets = self.mobility.exchanged if rows else ()
        exchanged = [(names, [name for name in names if name not in dropped]) for names in sets]
        if self.formalism == "udwadia_kalaba":
            return Functions(equations, [*rows, *equations.switched], self.length, dropped, exchanged)
        dropped -= {name for names in sets for name in names}
        independent = [row for row in rows if row.name not in dropped]
        rows = [*independent, *equations.switched]
        return Functions(equations, rows, self.length, exchanged=exchanged, by_numbers=by_numbers)

    @cached_property
    def mobility(self) -> Mobility:
        """Degrees of freedom, redundant constraints, independent speeds. Computed once for the default parameters of a
        model, together with a check that its masses determine the accelerations, and cached with its kernels.
        """
        key = f"mobility {self.spec.key} {self.formalism} {[value.hex() for value in map(float, self.spec.values)]}"
        key += "".join(f" {digest}" for digest in self.spec.digests)
        kept = USER_CACHE.load_bundle(key)
        if kept is not None:
            try:
                return Mobility.from_dict(kept.meta)
            except (KeyError, TypeError, ValueError, AttributeError):  # of another format
                pass
        with preparing(f"the equations of the model {self.model.name!r}"):
            if self.in_joints:
                check_mass(self.equations, self.default_parameters, self.length)
            else:
                check_every_mass(self.equations, self.default_parameters)
            found = self.derivation.mobility
        USER_CACHE.save_bundle(key, Bundle(b"", (), found.to_dict()))
        return found

    @property
    def length(self) -> float:
        """A typical length of the model (m)."""
        return self.derivation.length

    @property
    def has_rows(self) -> bool:
        """True when loops, servos or laws of rolling constrain the tree."""
        return self.derivation.has_rows

    @property
    def row_functions(self) -> RowFunctions | None:
        """Numeric loop constraints in joint coordinates; None if there are none."""
        return self.derivation.row_functions

    @property
    def contact_search(self) -> ContactSearch:
        """Finds the surface coordinates of contacts in joint coordinates."""
        return self.derivation.contact_search

    @property
    def relaxed(self) -> list[str]:
        """Rows and contacts that weights relax."""
        return list(dict.fromkeys(self.model.relaxed()))

    def operations(self) -> dict[str, int]:
        """Number of operations of each compiled function, as a measure of cost."""
        found = {name: f for name, f in base(self).items() if f is not None}
        return {name: len(tape.rows) for name, tape in read_tapes(found).items()}

    # -- sizes of the vectors ------------------------------------------------------------------------------------------

    @cached_property
    def states(self) -> StateLayout:
        """The order of the state vector in this formalism."""
        return self._motion_states.of_size(self.kernels.state_size())

    @property
    def _motion_states(self) -> StateLayout:
        """The layout without work, for which no kernel is needed."""
        return self.derivation.layout_in("joint" if self.in_joints else "absolute")

    @property
    def n_x(self) -> int:
        """Length of the state vector."""
        return self.states.n_x

    @property
    def n_q(self) -> int:
        return self._motion_states.n_q

    @property
    def n_u(self) -> int:
        return self._motion_states.n_u

    @property
    def default_parameters(self) -> Array:
        """The parameter vector of the kernels with the defaults of the model."""
        return self.derivation.defaults.copy()

    def parameter_vector(self, given: Values | None) -> Array:
        """The parameter vector with the given values; ModelError if they are invalid or leave a freedom without
        inertia.
        """
        if not given:
            return self.default_parameters if given is None else self.parameters.vector(self.model, given)
        p = self.parameters.vector(self.model, given)
        faults = self.inertia_check.faults(p[None])
        if faults:
            raise ModelError(faults[0])
        return p

    @cached_property
    def inertia_check(self) -> InertiaCheck:
        """Check that every freedom moves some inertia, for other parameters than the defaults."""
        defaults = self.derivation.defaults
        return InertiaCheck(self.model, self.length, self.in_joints, lambda: self.equations, defaults)

    # -- quantities ----------------------------------------------------------------------------------------------------

    @property
    def register(self) -> Register:
        """Names of all available quantities."""
        return self.derivation.register(self.formalism)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """Listed quantities by long names."""
        return {q.name: q for q in self.register if q.listed}

    @cached_property
    def expressions(self) -> Expressions:
        """Quantities on the tape."""
        return Expressions(self.functions)

    @property
    def ports(self) -> Ports:
        """Bodies, connections, laws and forces that exchange energy."""
        return self.derivation.ports

    def resolved(self, values: Values) -> Json:
        """Values by the full names of their quantities."""
        return {self.derivation.register().full(name): value for name, value in values.items()}

    def quantity(self, name: str) -> Quantity:
        """Unit, description and size of a quantity; a component has those of its quantity."""
        return self.register.get(name).quantity

    @property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates that are quantities; the orientation of a ball joint is none in absolute
        coordinates.
        """
        return [c.name for c in self.layout.coordinates if self.register.find(c.name) is not None]

    @property
    def usual_names(self) -> list[str]:
        """Quantities that are shown and kept where none are named: the coordinates, or else the positions of bodies."""
        return self.coordinates or [f"{body.name}.position" for body in self.model.free_bodies]

    @cached_property
    def _groups(self) -> dict[str, list[Quantity]]:
        found: dict[str, list[Quantity]] = {}
        for q in self.register:
            found.setdefault(q.group, []).append(q)
        return found

    def members(self, group: str) -> list[Quantity]:
        """Quantities that are evaluated together."""
        return list(self.register.audit) if group == "power" else self._groups.get(group, [])

    def evaluate(self, name: str, t: Array, x: Array, p: Array) -> dict[str, Array]:
        """The quantity and all others of its group at many states, each of shape (times, size)."""
        group = self.quantity(name).group
        if group == "state":
            return self.state_quantities(x)
        if group == "energy":
            out = evaluate(k := self.kernels("base")["energy"], k, t, x, p, threads=1 if len(t) < THREADED else None)
            return {"energy.kinetic": out[:, :1], "energy.potential": out[:, 1:2]}
        if group == "orientations":
            return self._orientation(name, t, x, p)
        if group == "work":
            return self.works(x)
        out = self.evaluate_group(group, t, x, p)
        values: dict[str, Array] = {}
        at = 0
        for member in self.members(group):
            values[member.name] = out[:, at : at + member.size]
            at += member.size
        return values

    def _orientation(self, name: str, t: Array, x: Array, p: Array) -> dict[str, Array]:
        """Unit quaternion of a body with non-negative first component."""
        body = self.quantity(name).owner
        R = self.evaluate(f"{body}.rotation", t, x, p)[f"{body}.rotation"].reshape(-1, 3, 3).transpose(0, 2, 1)
        good = np.all(np.isfinite(R), axis=(1, 2))
        found = np.full((len(R), 4), np.nan)
        if np.any(good):
            found[good] = quaternions_from_rotations(R[good])
        return {f"{body}.orientation": found}

    def works(self, x: Array) -> dict[str, Array]:
        """Integrated work in the states x (times, n_x), without that of events, which is in their log."""
        found = {f"energy.{name}": np.zeros((len(x), 1)) for name in WORK}
        if self.states.has_works:
            work_in, work_lost = np.hsplit(x[:, self.states.works], 2)
            found |= {"energy.work_in": work_in, "energy.work_lost": work_lost}
        return found

    def quantity_functions(self, group: str) -> dict[str, TapeFunction]:
        """All quantities of a group as one function of (t, x, p)."""
        of = self.expressions.of
        return {"quantities": self.functions.function("quantities", *[of(q) for q in self.members(group)])}

    def evaluate_group(self, group: str, t: Array, x: Array, p: Array) -> Array:
        """All quantities of a group in order, of shape (times, components)."""
        kernels = self.kernels(f"quantities {group}", lambda f: f.quantity_functions(group))
        kernel = kernels["quantities"]
        threads = 1 if len(t) < (THREADED if group == "power" else FEW) else None
        return evaluate(kernel, kernel, t, x, p, threads=threads)

    def state_quantities(self, x: Array) -> dict[str, Array]:
        """Named states of x (times, n_x)."""
        return self.states.values(x)

    @cached_property
    def monitored_loops(self) -> list[str]:
        """Loops whose closeness to a singular pose is monitored, in the order of the kernel."""
        mixed = (row for rows in self.model.weight_matrices for row in rows)
        dropped = {*self.mobility.redundant, *self.model.relaxations, *mixed}
        return [
            loop.name
            for loop in self.topology.loops
            if sum(f"{loop.name}.{bond}" not in dropped for bond in self._loop_bonds(loop.name)) > 1
        ]

    def _loop_bonds(self, name: str) -> list[str]:
        c = self.model.connections[name]
        pair = c.pair
        soft = {*c.out_of_plane, *(["normal"] if "z" in c.compliant else [])} if c.is_contact else set()
        bonds = [b for b in pair.locked if b not in soft]
        return [*bonds, "z"] if pair.coupling is not None and "z" not in bonds else bonds


def _restored(spec: Spec, formalism: str) -> Formulation:
    return Formulation.of(Derivation(spec), formalism)
