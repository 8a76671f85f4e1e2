"""What a model becomes before it is asked anything: graph, equations, quantities and kernels, derived when needed."""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.equations.ports import Ports, find_ports
from trundle.equations.quantities import Quantity, catalogue, power_quantities
from trundle.errors import KernelError, ModelError, UnknownNameError
from trundle.graph.layout import Layout, lay_out
from trundle.graph.topology import Topology, find_topology
from trundle.kernel import USER_CACHE, Kernel, compile_bundle, evaluate, host_lanes
from trundle.model.check import finite_number, mass_faults, massless, size_faults
from trundle.model.fingerprint import fingerprint
from trundle.model.freeze import frozen
from trundle.model.model import SHARES, Model

if TYPE_CHECKING:
    from trundle.equations.derive import Equations
    from trundle.equations.functions import Functions
    from trundle.equations.mobility import Mobility, RowFunctions
    from trundle.equations.quantities import Expressions
    from trundle.equations.settle import Settler
    from trundle.solve.guards import Guard
    from trundle.solve.initial import Wish
    from trundle.solve.tolerance import StateUnits

Array = np.ndarray[Any, np.dtype[np.float64]]
FEW = 4000  # states that are evaluated sooner than a second thread is started
SHIFT = 1e-12  # relative to the mean of a loop; a run with loose tolerances takes a larger one


class Prepared:
    """Equations and machine code of a model in one formalism; System puts the questions to it."""

    def __init__(self, model: Model, topology: Topology, formalism: str) -> None:
        if not model.is_frozen:
            model = frozen(model)
            topology = find_topology(model, massless(model))  # of the copy, not of what may change
        self.model, self.topology, self.formalism = model, topology, formalism
        self.relaxations = model.relaxations  # weights by the names of rows
        self.layout: Layout = lay_out(topology)
        self._kernels: dict[str, dict[str, Kernel]] = {}
        self._mobility: Mobility | None = None
        self._targets: dict[tuple[str, ...], Any] = {}  # by the names of start values that are no states
        self.fingerprint = fingerprint(model)

    # -- what is derived -----------------------------------------------------------------------------------------------

    @property
    def in_joints(self) -> bool:
        """Whether the states are joint coordinates and their rates."""
        return self.formalism != "newton_euler"

    def _derive(self, in_joints: bool) -> "Equations":
        from trundle.equations.derive import derive
        from trundle.equations.relaxation import relax

        if self.model.own_classes and fingerprint(self.model) != self.fingerprint:
            raise ModelError(
                f"the model {self.model.name!r} answers otherwise than when it was built: a class of yours in it, "
                f"{' or '.join(self.model.own_classes)}, has changed since. Build the model again."
            )
        equations = derive(self.model, self.topology, "kane" if in_joints else "newton_euler")
        every = [*equations.rows, *equations.switched]
        found = relax(every, self.relaxations, equations.signals, equations.full_multipliers)
        equations.rows = [row for row in found if row.acts is None]
        equations.switched = [row for row in found if row.acts is not None]
        return equations

    @cached_property
    def functions(self) -> "Functions":
        """Equations in this formalism, with their independent rows or, for the pseudo-inverse, with all."""
        from trundle.equations.functions import Functions
        from trundle.equations.mass_check import check_every_mass, check_mass

        equations = self._derive(self.in_joints)
        if self.in_joints:
            check_mass(equations, self.default_parameters, self.length)
        else:
            check_every_mass(equations, self.default_parameters)
        rows = equations.rows
        dropped = set(self.mobility.redundant) if rows else set()
        sets = self.mobility.exchanged if rows else ()
        exchanged = [(names, [name for name in names if name not in dropped]) for names in sets]
        if self.formalism == "udwadia_kalaba":
            return Functions(equations, [*rows, *equations.switched], self.length, dropped, exchanged)
        dropped -= {name for names in sets for name in names}
        independent = [row for row in rows if row.name not in dropped]
        return Functions(equations, [*independent, *equations.switched], self.length, exchanged=exchanged)

    @cached_property
    def joint_functions(self) -> "Functions":
        """Equations in joint coordinates, whatever the formalism: names and start values live there."""
        if self.in_joints:
            return self.functions
        return self.by_kane.functions

    @cached_property
    def by_kane(self) -> "Prepared":
        """The same in joint coordinates, without redundant rows."""
        if self.formalism == "kane":
            return self
        return Prepared(self.model, self.topology, "kane")

    @cached_property
    def row_functions(self) -> "RowFunctions | None":
        """Numbers of the loop constraints in joint coordinates without relaxed ones; None for a tree without servos."""
        from trundle.equations.mobility import RowFunctions

        equations = self._derive(in_joints=True)
        equations.rows = [row for row in equations.rows if row.ideal]
        return RowFunctions(equations, self.length) if equations.rows else None

    @cached_property
    def settler(self) -> "Settler":
        """Finds the surface coordinates of contacts in joint coordinates."""
        from trundle.equations.settle import Settler

        rows = self.row_functions if self.has_rows else None
        return rows.settle if rows is not None else Settler(self.joint_functions.equations)

    @property
    def mobility(self) -> "Mobility":
        """Degrees of freedom, redundant rows, independent speeds."""
        from trundle.equations.mobility import find_mobility, no_rows
        from trundle.solve.initial import speeds_of

        if self._mobility is None:
            wish = self._default_wish(self.model.start)
            if not self.has_rows:
                self._mobility = no_rows(self.layout.n_u, wish.q)
            else:
                rows = self.row_functions
                assert rows is not None
                freedom = np.where(speeds_of(self.layout, wish.given_q) | self._deflecting(), 0.0, 1.0)
                self._mobility = find_mobility(
                    rows.equations, rows, wish.q, self.default_parameters, self._bodies_of, freedom
                )
        return self._mobility

    @cached_property
    def deflections(self) -> tuple[str, ...]:
        """Coordinates and rates of springs that stand for constraints: zero at the start wherever that can be."""
        names = []
        for c in self.model.connections.values():
            for name, bond in c.pair.coordinate_bonds.items():
                if bond in c.compliant:
                    names += [f"{c.name}.{name}", f"{c.name}.{name}_rate"]
            if c.touches and "z" in c.compliant:
                names.append(f"{c.name}.gap")
            names += [f"{c.name}.{name}{rate}" for name in c.leaning.values() for rate in ("", "_rate")]
        return tuple(names)

    def _deflecting(self) -> Any:
        """Which speeds belong to springs that stand for constraints."""
        out = np.zeros(self.layout.n_u, bool)
        for c in self.layout.coordinates:
            out[c.i_u] |= c.name in self.deflections
        return out

    @property
    def has_rows(self) -> bool:
        """True when loops, servos or laws of rolling constrain the tree."""
        from trundle.model.law import FlowLaw

        if self.relaxations:
            return self.row_functions is not None
        connections = self.model.connections.values()
        driven = any(isinstance(law, FlowLaw) for c in connections for law in c.laws.values())
        planes = any(c.touches and "slip_y" in c.pair.locked for c in self.topology.cut)  # kept open or closed
        return bool(self.topology.loops) or driven or planes or any(c.held and not c.unilateral for c in connections)

    @cached_property
    def expressions(self) -> "Expressions":
        from trundle.equations.quantities import Expressions

        return Expressions(self.functions, self.layout)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """Everything that can be asked by name."""
        return catalogue(self.model, self.topology, self.layout, self.formalism)

    @cached_property
    def length(self) -> float:
        """A typical length of the model (m), to compare closing errors with: the median of distances between points of
        the same body, so it does not depend on where the model stands or how the axes of its bodies lie.
        """
        import casadi as ca

        from trundle.model.check import evaluate as numbers

        points: dict[str, list[Array]] = {}  # on each body: where it is connected, and its mass centre
        for c in self.model.connections.values():
            for f in (c.first, c.second):
                points.setdefault(f.body.name, []).append(numbers(self.model, ca.vertcat(*f.position)).ravel())
        for body in self.model.bodies.values():
            if not body.is_ground:
                points.setdefault(body.name, []).append(numbers(self.model, ca.vertcat(*body.com)).ravel())
        sizes = [float(np.linalg.norm(a - b)) for of in points.values() for a, b in combinations(of, 2)]
        large = [s for s in sizes if s > 1e-9 * max(sizes)]
        return float(np.median(large)) if large else 1.0

    @cached_property
    def lengths(self) -> Any:
        """Function that gives every length in the model (m) at values of the parameters."""
        from trundle.solve.tolerance import length_function

        return length_function(self.model)

    @cached_property
    def typical_lengths(self) -> dict[bytes, float]:
        """Typical lengths at parameters that were asked for before."""
        return {}

    @cached_property
    def state_units(self) -> "StateUnits":
        """Units of the entries of the state vector."""
        from trundle.solve.tolerance import read_units

        return read_units(self)

    @property
    def default_parameters(self) -> Array:
        return self.parameter_vector(None)

    @property
    def n_x(self) -> int:
        """Length of the state vector."""
        return self.kernels("base")["rhs"].n_x

    @property
    def n_q(self) -> int:
        if self.in_joints:
            return self.layout.n_q
        following = sum(len(c.pair.followers) + len(c.extra_states) for c in self.model.connections.values())
        return 7 * (len(self.model.bodies) - 1) + following

    @property
    def n_u(self) -> int:
        return self.layout.n_u if self.in_joints else 6 * (len(self.model.bodies) - 1)

    @cached_property
    def turning(self) -> list[str]:
        """Angles whose turns are counted in the last entries of the state vector: in absolute coordinates they are no
        states.
        """
        from trundle.equations.measure import turning

        return [] if self.in_joints else turning(self.model.connections.values())

    # -- machine code --------------------------------------------------------------------------------------------------

    def kernels(self, kind: str) -> dict[str, Kernel]:
        """Compiled functions: "base" (rhs, project, breaks, energy), "lanes", "stiff", "events", or
        "quantities <group>".
        """
        if kind in self._kernels:
            return self._kernels[kind]
        key = f"{self.fingerprint} {self.formalism} {kind} {[j.connection.name for j in self.topology.tree]}"
        key += f" {frexp(self.length)[1]}"  # rows are scaled by it, and it follows the defaults of the parameters
        if kind != "base":
            key += f" {self.mobility.redundant} {self.mobility.exchanged}"
        found = self._kept(key, kind)
        if found is None:
            lanes = host_lanes() if kind == "lanes" else 1
            functions = {name: f for name, f in self._casadi_functions(kind).items() if f is not None}
            meta = {"mobility": self.mobility.to_dict(), "values": [*self.model.parameter_values().values()]}
            bundle = compile_bundle(functions, lanes, meta=meta if kind == "base" else {})
            USER_CACHE.save_bundle(key, bundle)
            found = bundle.load()
        self._kernels[kind] = found
        return found

    def _kept(self, key: str, kind: str) -> dict[str, Kernel] | None:
        """Kernels from the cache, or None where there are none that fit and can be loaded."""
        bundle = USER_CACHE.load_bundle(key)
        if bundle is None or (kind == "base" and not self._fits(bundle.meta)):
            return None
        try:
            return bundle.load()
        except (KernelError, RuntimeError):  # code that is not what it should be is made anew
            return None

    def _fits(self, meta: Mapping[str, Any]) -> bool:
        """Whether kernels met before hold for the default parameters of this model too."""
        from trundle.equations.mobility import Mobility

        try:
            kept, values = Mobility.from_dict(meta["mobility"]), meta["values"]
        except (KeyError, TypeError, ValueError, AttributeError):  # not written by this version
            return False
        if values == [*self.model.parameter_values().values()]:
            self._mobility = kept
            return True
        rows = self.functions.rows  # other values: masses and freedoms are looked at again
        chosen = self.mobility
        return not rows or (chosen.redundant, chosen.exchanged) == (kept.redundant, kept.exchanged)

    def _casadi_functions(self, kind: str) -> dict[str, Any]:
        f = self.functions
        if kind == "base":
            from trundle.equations.breaks import break_function

            rhs, breaks = f.rhs(), self.model.breaks
            found = {"rhs": rhs, "project": f.project(), "breaks": break_function(rhs, f.equations.p, breaks)}
            return found | {"energy": f.energy()}
        if kind == "contacts at start":
            from trundle.solve.contacts import contact_values

            return {"values": f.function("values", *contact_values(self.model, f))}
        if kind == "lanes":
            return {"rhs": f.rhs(), "project": f.project()}
        if kind == "stiff":
            return {"rhs": f.plain_rhs(), "jacobian": f.jacobian(), "metric": f.metric()}
        if kind == "guards":
            from trundle.solve.guards import guard_values

            return {"guards": f.function("guards", *guard_values(self.guards, f))}
        if kind == "guarded events":
            from trundle.equations.events import event_functions
            from trundle.solve.guards import guard_values

            plain = event_functions(self.model, f, self.layout)["events"](*f.inputs)
            values = guard_values(self.guards, f)[: len(self.guards)]
            return {"events": f.function("events", plain, *values)}
        if kind == "events":
            from trundle.equations.events import event_functions

            return event_functions(self.model, f, self.layout)
        names = self._group_names(kind.removeprefix("quantities "))
        of = self.expressions.power.of if kind == "quantities power" else self.expressions.of
        return {"quantities": f.function("quantities", *[of(n) for n in names])}

    def _group_names(self, group: str) -> list[str]:
        if group == "power":
            return list(self.power_quantities)
        return [q.name for q in self._all_quantities().values() if q.group == group]

    def _all_quantities(self) -> dict[str, Quantity]:
        return {**self.quantities, **(self._force_quantities if self.model.forces or self._has_laws else {})}

    @cached_property
    def ports(self) -> Ports:
        """Bodies, connections, laws and forces that exchange energy."""
        return find_ports(self.model)

    @cached_property
    def power_quantities(self) -> dict[str, Quantity]:
        """What the power audit measures, by name."""
        return power_quantities(self.ports)

    @cached_property
    def _force_quantities(self) -> dict[str, Quantity]:
        return self.expressions.force_quantities()

    @property
    def _has_laws(self) -> bool:
        return any(c.laws or c.touch_laws for c in self.model.connections.values())

    def resolved(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values by the full names of their quantities."""
        return {self.model.resolve(name): value for name, value in values.items()}

    def quantity(self, name: str) -> Quantity:
        """Unit, sentence and size of a quantity."""
        name = self.model.resolve(name)
        found = self.quantities.get(name) or self.power_quantities.get(name) or self._all_quantities().get(name)
        if found is None:
            raise UnknownNameError(name, self._all_quantities())
        return found

    def evaluate(self, name: str, t: Array, x: Array, p: Array) -> dict[str, Array]:
        """The quantity and all others of its group at many states, each of shape (times, size)."""
        group = self.quantity(name).group
        if group == "state":
            return self._state_quantities(x)
        if group == "energy":
            out = evaluate(k := self.kernels("base")["energy"], k, t, x, p, threads=1 if len(t) < FEW else None)
            return {"energy.kinetic": out[:, :1], "energy.potential": out[:, 1:2]}
        kernel = self.kernels(f"quantities {group}")["quantities"]
        out = evaluate(kernel, kernel, t, x, p)
        values: dict[str, Array] = {}
        at = 0
        for member in self._group_names(group):
            size = self.quantity(member).size
            values[member] = out[:, at : at + size]
            at += size
        return values

    def evaluate_power(self, t: Array, x: Array, p: Array) -> Array:
        """All quantities of the power audit side by side, in their order, of shape (times, components)."""
        kernel = self.kernels("quantities power")["quantities"]
        return evaluate(kernel, kernel, t, x, p, threads=1 if len(t) < FEW else None)

    def _state_quantities(self, x: Array) -> dict[str, Array]:
        n = self.n_q
        values = {}
        for c in self.layout.coordinates:
            values[c.name] = x[:, c.i_q : c.i_q + c.n_q]
            values[c.rate_name] = x[:, n + c.i_u : n + c.i_u + c.n_u]
        return values

    @cached_property
    def monitored_loops(self) -> list[str]:
        """Loops whose closeness to a singular pose is watched, in the order of the kernel."""
        dropped = {*self.mobility.redundant, *self.relaxations}
        return [
            loop.name
            for loop in self.topology.loops
            if sum(f"{loop.name}.{bond}" not in dropped for bond in self._loop_bonds(loop.name)) > 1
        ]

    def _loop_bonds(self, name: str) -> list[str]:
        c = self.model.connections[name]
        pair = c.pair
        soft = {*c.leaning, *(["normal"] if "z" in c.compliant else [])} if c.touches else set()
        bonds = [b for b in pair.locked if b not in soft]
        return [*bonds, "z"] if pair.coupling is not None and "z" not in bonds else bonds

    def operations(self) -> dict[str, int]:
        """Number of operations of each compiled function, for those who watch them."""
        from trundle.kernel import read_tape

        return {n: len(read_tape(f).operations) for n, f in self._casadi_functions("base").items() if f is not None}

    @cached_property
    def guards(self) -> "list[Guard]":
        """What must not change its sign at contacts during a run."""
        from trundle.solve.guards import find_guards

        return find_guards(self)

    def first_modes(self, t: float, x: Array, p: Array) -> Array:
        """Parameters with the modes of the contacts at a state: what sticks, where the others slide."""
        from trundle.solve.contacts import first_modes

        return first_modes(self, t, x, p)

    # -- defaults ---------------------------------------------------------------------------------------------------

    def _default_wish(self, start: Mapping[str, Any]) -> "Wish":
        """Start values in the state vectors, zero angles and displacements elsewhere."""
        from trundle.solve.initial import read_wish

        q = np.zeros(self.layout.n_q)
        for i in self.layout.quaternions:
            q[i] = 1.0
        states = self.layout.state_names()
        given = self.resolved(start)
        return read_wish(self.layout, q, {name: value for name, value in given.items() if name in states})

    def _default_pose(self) -> Array:
        """The assembled pose, or zero coordinates; bodies on which a loose contact is singular there stand where it
        touches when all its coordinates are zero.
        """
        q = np.array(self.mobility.q) if self.has_rows else self._default_wish({}).q
        if not self.layout.followers or not self.settler.singular(q, self.default_parameters):
            return q
        from trundle.solve.contacts import at_contacts

        return at_contacts(self.model, self.topology, self.layout, q)

    def _bodies_of(self, row: str) -> str:
        connection = self.model.connections[row.partition(".")[0]]
        return f"between {connection.first.body.name!r} and {connection.second.body.name!r}"

    def parameter_vector(self, parameters: Mapping[str, float] | None) -> Array:
        """What the kernels take: values of all parameters with the given ones replaced, then the shift of the
        multiplier block.
        """
        if parameters is not None and not isinstance(parameters, Mapping):
            raise ModelError(f"parameters go by name, {{'name': value}}, not as {type(parameters).__name__}.")
        values = self.model.parameter_values()
        for name, value in (parameters or {}).items():
            if name not in values:
                raise UnknownNameError(name, values, "parameter")
            values[name] = finite_number(value, f"parameter {name!r}")
        if parameters:
            faults = mass_faults(self.model, values) + size_faults(self.model, values)
            if faults:
                raise ModelError(faults)
        modes = [0.0 if name.endswith(SHARES) else 1.0 for name in self.model.mode_names()]
        return np.array([*values.values(), *modes, SHIFT])
