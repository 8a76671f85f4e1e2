"""A built model: graph, equations and kernels behind the questions an engineer asks."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.quantities import Quantity, catalogue
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.graph.describe import describe
from trundle.graph.layout import Layout, lay_out
from trundle.graph.topology import Topology, find_topology
from trundle.kernel import USER_CACHE, Kernel, compile_bundle, evaluate, host_lanes
from trundle.model.check import check, finite_number, massless
from trundle.model.fingerprint import fingerprint, function_faults
from trundle.model.model import Model

if TYPE_CHECKING:
    from trundle.equations.functions import Functions
    from trundle.equations.mobility import Mobility, RowFunctions
    from trundle.equations.quantities import Expressions
    from trundle.run.dataset import Run
    from trundle.solve.batch import BatchRun
    from trundle.solve.initial import InitialState, Wish
    from trundle.solve.linearise import Linearisation

Array = np.ndarray[Any, np.dtype[np.float64]]
FORMALISMS = ("kane", "newton_euler")
SHIFT = 1e-12  # relative to the mean of a loop; a run with loose tolerances takes a larger one


def build(model: Model, formalism: str = "kane") -> "System":
    """Check the model, choose its tree and make it ready; raises ModelError with all faults."""
    if formalism not in FORMALISMS:
        raise ModelError(f"formalism {formalism!r} is not known; choose {' or '.join(map(repr, FORMALISMS))}.")
    faults = check(model)
    if faults:
        told = {fault.partition(":")[0] for fault in faults}
        raise ModelError([*faults, *(f for f in function_faults(model) if f.partition(":")[0] not in told)])
    system = System(model, find_topology(model, massless(model)), formalism)
    system.check_start_names()
    system.kernels("base")
    return system


@final
class System:
    """Ready to run. Everything that is derived is derived once, when it is first needed."""

    def __init__(self, model: Model, topology: Topology, formalism: str) -> None:
        self.model, self.topology, self.formalism = model, topology, formalism
        self.layout: Layout = lay_out(topology)
        self._kernels: dict[str, dict[str, Kernel]] = {}
        self._mobility: Mobility | None = None
        self.fingerprint = fingerprint(model)

    # -- what is derived -----------------------------------------------------------------------------------------------

    @cached_property
    def functions(self) -> "Functions":
        """Equations in this formalism with their independent rows."""
        from trundle.equations.derive import derive
        from trundle.equations.functions import Functions
        from trundle.equations.mobility import check_every_mass, check_mass

        equations = derive(self.model, self.topology, self.formalism)
        check_inertia = check_mass if self.formalism == "kane" else check_every_mass
        check_inertia(equations, self.default_parameters)
        rows = equations.rows
        if rows:
            dropped = set(self.mobility.redundant)
            rows = [r for r in rows if r.name not in dropped]
        return Functions(equations, rows, self.length)

    @cached_property
    def joint_functions(self) -> "Functions":
        """Equations in joint coordinates, whatever the formalism: names and start values live there."""
        if self.formalism == "kane":
            return self.functions
        return System(self.model, self.topology, "kane").functions

    @cached_property
    def row_functions(self) -> "RowFunctions | None":
        """Numbers of the loop constraints in joint coordinates; None for a tree without servos."""
        from trundle.equations.derive import derive
        from trundle.equations.mobility import RowFunctions

        equations = derive(self.model, self.topology, "kane")
        return RowFunctions(equations, self.length) if equations.rows else None

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
                freedom = np.where(speeds_of(self.layout, wish.given_q), 0.0, 1.0)
                self._mobility = find_mobility(
                    rows.equations, rows, wish.q, self.default_parameters, self._bodies_of, freedom
                )
        return self._mobility

    @property
    def has_rows(self) -> bool:
        """True when loops or servos constrain the tree."""
        from trundle.model.law import Servo

        servos = any(isinstance(law, Servo) for c in self.model.connections.values() for law in c.laws.values())
        return bool(self.topology.loops) or servos

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
        """A typical length of the model (m), to compare closing errors with."""
        import casadi as ca

        from trundle.model.check import evaluate as numbers

        sizes = [
            float(np.linalg.norm(numbers(self.model, ca.vertcat(*f.position))))
            for c in self.model.connections.values()
            for f in (c.first, c.second)
        ]
        large = [s for s in sizes if s > 0]
        return float(np.median(large)) if large else 1.0

    @property
    def default_parameters(self) -> Array:
        return self.parameter_vector(None)

    @property
    def n_x(self) -> int:
        """Length of the state vector."""
        return self.kernels("base")["rhs"].n_x

    @property
    def n_q(self) -> int:
        return self.layout.n_q if self.formalism == "kane" else 7 * (len(self.model.bodies) - 1)

    @property
    def n_u(self) -> int:
        return self.layout.n_u if self.formalism == "kane" else 6 * (len(self.model.bodies) - 1)

    # -- machine code --------------------------------------------------------------------------------------------------

    def kernels(self, kind: str) -> dict[str, Kernel]:
        """Compiled functions: "base" (rhs, project), "energy", "lanes", "stiff", "events", or "quantities <group>"."""
        if kind in self._kernels:
            return self._kernels[kind]
        key = f"{self.fingerprint} {self.formalism} {kind} {[j.connection.name for j in self.topology.tree]}"
        if kind != "base":
            key += f" {self.mobility.redundant}"
        bundle = USER_CACHE.load_bundle(key)
        if bundle is None or (kind == "base" and not self._fits(bundle.meta)):
            lanes = host_lanes() if kind == "lanes" else 1
            functions = {name: f for name, f in self._casadi_functions(kind).items() if f is not None}
            meta = {"mobility": _mobility_to_dict(self.mobility), "values": [*self.model.parameter_values().values()]}
            bundle = compile_bundle(functions, lanes, meta=meta if kind == "base" else {})
            USER_CACHE.save_bundle(key, bundle)
        self._kernels[kind] = bundle.load()
        return self._kernels[kind]

    def _fits(self, meta: Mapping[str, Any]) -> bool:
        """Whether kernels met before hold for the default parameters of this model too."""
        kept = _mobility_from_dict(meta["mobility"])
        if meta["values"] == [*self.model.parameter_values().values()]:
            self._mobility = kept
            return True
        rows = self.functions.rows  # other values: masses and freedoms are looked at again
        return not rows or self.mobility.redundant == kept.redundant

    def _casadi_functions(self, kind: str) -> dict[str, Any]:
        f = self.functions
        if kind == "base":
            return {"rhs": f.rhs(), "project": f.project()}
        if kind == "energy":
            return {"energy": f.energy()}
        if kind == "lanes":
            return {"rhs": f.rhs(), "project": f.project()}
        if kind == "stiff":
            return {"rhs": f.plain_rhs(), "jacobian": f.jacobian(), "metric": f.metric()}
        if kind == "events":
            from trundle.equations.events import event_functions

            return event_functions(self.model, f, self.layout)
        names = self._group_names(kind.removeprefix("quantities "))
        return {"quantities": f.function("quantities", *[self.expressions.of(n) for n in names])}

    def _group_names(self, group: str) -> list[str]:
        return [q.name for q in self._all_quantities().values() if q.group == group]

    def _all_quantities(self) -> dict[str, Quantity]:
        return {**self.quantities, **(self._force_quantities if self.model.forces or self._has_laws else {})}

    @cached_property
    def _force_quantities(self) -> dict[str, Quantity]:
        return self.expressions.force_quantities()

    @property
    def _has_laws(self) -> bool:
        return any(c.laws for c in self.model.connections.values())

    def quantity(self, name: str) -> Quantity:
        """Unit, sentence and size of a quantity."""
        found = self.quantities.get(name) or self._all_quantities().get(name)
        if found is None:
            raise UnknownNameError(name, self._all_quantities())
        return found

    def evaluate(self, name: str, t: Array, x: Array, p: Array) -> dict[str, Array]:
        """The quantity and all others of its group at many states, each of shape (times, size)."""
        group = self.quantity(name).group
        if group == "state":
            return self._state_quantities(x)
        if group == "energy":
            out = evaluate(k := self.kernels("energy")["energy"], k, t, x, p)
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

    def _state_quantities(self, x: Array) -> dict[str, Array]:
        n = self.n_q
        values = {}
        for c in self.layout.coordinates:
            values[c.name] = x[:, c.i_q : c.i_q + c.n_q]
            values[c.rate_name] = x[:, n + c.i_u : n + c.i_u + c.n_u]
        return values

    def evaluate_state(self, x: Array) -> dict[str, Array]:
        """Coordinates and rates of the tree at states x (times, n_x); joint coordinates only."""
        return self._state_quantities(x) if self.formalism == "kane" else {}

    def changed_state(self, x: Array, p: Array, changes: Mapping[str, float]) -> tuple[Array, Array]:
        """State and parameters with named values replaced."""
        x, p = x.copy(), p.copy()
        parameters = list(self.model.parameters)
        if self.formalism != "kane" and any(name not in parameters for name in changes):
            raise ModelError("an event that changes the state needs joint coordinates: build with formalism='kane'.")
        places = {c.name: c.i_q for c in self.layout.coordinates if c.n_q == 1}
        places |= {c.rate_name: self.n_q + c.i_u for c in self.layout.coordinates if c.n_u == 1}
        for name, value in changes.items():
            if name in places:
                x[places[name]] = finite_number(value, f"new value of {name!r}")
            elif name in parameters:
                p[parameters.index(name)] = finite_number(value, f"new value of {name!r}")
            else:
                raise UnknownNameError(name, [*places, *parameters], "state or parameter")
        return x, p

    @cached_property
    def monitored_loops(self) -> list[str]:
        """Loops whose closeness to a singular pose is watched, in the order of the kernel."""
        dropped = set(self.mobility.redundant)
        return [
            loop.name
            for loop in self.topology.loops
            if any(f"{loop.name}.{bond}" not in dropped for bond in self._loop_bonds(loop.name))
        ]

    def _loop_bonds(self, name: str) -> list[str]:
        pair = self.model.connections[name].pair
        bonds = list(pair.locked)
        return [*bonds, "z"] if pair.coupling is not None and "z" not in bonds else bonds

    # -- states --------------------------------------------------------------------------------------------------------

    def _default_wish(self, start: Mapping[str, Any]) -> "Wish":
        """Start values in the state vectors, zero angles and displacements elsewhere."""
        from trundle.solve.initial import read_wish

        q = np.zeros(self.layout.n_q)
        for i in self.layout.quaternions:
            q[i] = 1.0
        states = self.layout.state_names()
        return read_wish(self.layout, q, {name: value for name, value in start.items() if name in states})

    def check_start_names(self) -> None:
        """Start values of the model must fit its coordinates, rates and the motion of its bodies."""
        self._default_wish(self.model.start)
        measured = [q for q in self.quantities.values() if q.group == "joints" or q.group.startswith("body ")]
        known = self.layout.state_names() | {
            n for q in measured for n in (q.name, *(f"{q.name}_{k}" for k in q.labels))
        }
        for name in self.model.start:
            if name not in known:
                raise UnknownNameError(name, sorted(known), "coordinate, rate or motion of a body")

    def _bodies_of(self, row: str) -> str:
        connection = self.model.connections[row.partition(".")[0]]
        return f"between {connection.first.body.name!r} and {connection.second.body.name!r}"

    def parameter_vector(self, parameters: Mapping[str, float] | None) -> Array:
        """What the kernels take: values of all parameters with the given ones replaced, then the shift of the
        multiplier block.
        """
        values = self.model.parameter_values()
        for name, value in (parameters or {}).items():
            if name not in values:
                raise UnknownNameError(name, values, "parameter")
            values[name] = finite_number(value, f"parameter {name!r}")
        return np.array([*values.values(), SHIFT])

    def start(
        self, start: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> "InitialState":
        """A consistent state in joint coordinates from named values; what is not given is found."""
        from trundle.solve.initial import consistent, read_wish

        if start is not None and not isinstance(start, Mapping):
            raise ModelError(f"start values go by name, {{'body.coordinate': value}}, not as {type(start).__name__}.")
        default = np.array(self.mobility.q) if self.has_rows else self._default_wish({}).q
        given = {**self.model.start, **(start or {})}
        states = self.layout.state_names()
        extra = {name: value for name, value in given.items() if name not in states}
        wish = read_wish(self.layout, default, {name: value for name, value in given.items() if name in states})
        rows = self.row_functions if self.has_rows else None
        targets = None
        if extra:
            from trundle.solve.targets import Targets

            targets = Targets(rows.equations if rows is not None else self.joint_functions.equations, rows, extra)
        names_q = [n for c in self.layout.coordinates for n in ([c.name] if c.n_q == 1 else [c.name] * 4)]
        return consistent(
            self.layout,
            wish,
            rows,
            self.parameter_vector(parameters),
            t,
            self.mobility.kept,
            names_q,
            self.layout.speed_names(),
            targets,
        )

    def state_vector(self, state: "InitialState", p: Array, t: float = 0.0) -> Array:
        """State vector of the formalism, quadratures zero."""
        q, u = state.q, state.u
        if self.formalism != "kane":
            q, u = self._absolute(q, u, p, t)
        return np.concatenate([q, u, np.zeros(self.n_x - len(q) - len(u))])

    def _absolute(self, q: Array, u: Array, p: Array, t: float) -> tuple[Array, Array]:
        """Absolute coordinates of all bodies from joint coordinates."""
        import casadi as ca

        from trundle.model.body import Frame
        from trundle.space.rotation import quaternion_from_rotation

        e = self.joint_functions.equations
        out = []
        for body in e.inertias:
            c = e.motion.frame(Frame(body, body.com))
            out.append(ca.vertcat(c.p, ca.vec(c.R), c.v, ca.mtimes(c.R.T, c.w)))
        values = np.array(ca.DM(ca.Function("absolute", [e.t, e.q, e.u, e.p], [ca.vertcat(*out)])(t, q, u, p))).ravel()
        coordinates, speeds = [], []
        for row in values.reshape(-1, 18):
            coordinates += [*row[:3], *quaternion_from_rotation(row[3:12].reshape(3, 3).T)]
            speeds += list(row[12:])
        return np.array(coordinates), np.array(speeds)

    # -- answers -------------------------------------------------------------------------------------------------------

    def describe(self) -> str:
        """The story of the model in words."""
        return describe(self.model, self.topology, self.layout, self.mobility)

    def simulate(
        self,
        duration: float,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        method: Any = "auto",
        rtol: float = 1e-10,
        atol: float = 1e-10,
        samples: int | Sequence[float] | str | None = None,
        fixed_step: float | None = None,
        max_step: float = np.inf,
        progress: bool | None = None,
        on_event: Callable[[str, float, dict[str, Any]], Mapping[str, float] | None] | None = None,
        t0: float = 0.0,
        max_steps: int = 10_000_000,
    ) -> "Run":
        """Integrate from a consistent start over `duration` seconds.

        samples: number of equally spaced times (default 501), times, or "steps" for every step of the integrator.
        method: "auto" (order 8 below a tolerance of 1e-7, else 5), "stiff", or a method object.
        """
        from trundle.solve.simulate import simulate

        if self.n_u == 0:
            raise SolveError(
                "nothing can move: every body is fixed to the ground. reactions() tells what the joints carry."
            )
        return simulate(
            self, duration, start, parameters, method=method, rtol=rtol, atol=atol, samples=samples,
            fixed_step=fixed_step,
            max_step=max_step, progress=progress, on_event=on_event, t0=t0, max_steps=max_steps,
        )  # fmt: skip

    def batch(
        self,
        duration: float,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        rtol: float = 1e-8,
        atol: float = 1e-8,
        samples: int | Sequence[float] | None = None,
        threads: int | None = None,
        method: Any = "auto",
    ) -> "BatchRun":
        """Many runs at once: start values and parameters may be arrays of one common length."""
        from trundle.solve.batch import run_batch

        return run_batch(
            self,
            duration,
            start or {},
            parameters or {},
            rtol=rtol,
            atol=atol,
            samples=samples,
            threads=threads,
            method=method,
        )

    def accelerations(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> dict[str, Any]:
        """All accelerations and reactions at a state given by coordinates and independent speeds, by name."""
        groups = ("accelerations", "reactions") if self.formalism == "kane" else ("reactions",)
        return self._ask(groups, state, parameters, t)

    def reactions(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0,
        on: str = "second", axes: str = "ground",
    ) -> dict[str, Array]:  # fmt: skip
        """Reaction force and moment of every connection at a state: on the first or second body, in axes of the
        ground or of any body.
        """
        if on not in ("first", "second"):
            raise SolveError(f"on={on!r}: reactions act on the 'first' or on the 'second' body of a connection.")
        if axes not in self.model.bodies:
            raise UnknownNameError(axes, self.model.bodies, "body to take the axes of")
        values = self._ask(("reactions",), state, parameters, t)
        R = np.eye(3)
        if axes != "ground":
            R = self._ask((f"body {axes}",), state, parameters, t)[f"{axes}.rotation"].reshape(3, 3).T
        sign = 1.0 if on == "second" else -1.0
        return {k: sign * (R.T @ v) for k, v in values.items() if ".reaction_" in k}

    def _ask(
        self, groups: Sequence[str], state: Mapping[str, Any] | None, parameters: Mapping[str, float] | None, t: float
    ) -> dict[str, Any]:
        p = self.parameter_vector(parameters)
        x = self.state_vector(self.start(state, parameters, t), p, t)[None, :]
        out: dict[str, Any] = {}
        for group in groups:
            names = self._group_names(group)
            if names:
                values = self.evaluate(names[0], np.array([t]), x, p)
                out.update({k: float(v[0, 0]) if v.shape[1] == 1 else v[0] for k, v in values.items()})
        return out

    def equilibrium(
        self, start: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> dict[str, Any]:
        """Coordinates of the static equilibrium nearest to the given pose, by name."""
        from trundle.solve.equilibrium import find_equilibrium

        p = self.parameter_vector(parameters)
        q = find_equilibrium(self.joint_functions, self.start(start, parameters, t).q, t, p)
        return {c.name: float(q[c.i_q]) if c.n_q == 1 else q[c.i_q : c.i_q + 4] for c in self.layout.coordinates}

    def linearise(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> "Linearisation":
        """State matrix on the constraint manifold about a state, with eigenvalues and modes."""
        from trundle.solve.linearise import linearise

        p = self.parameter_vector(parameters)
        at = self.start(state, parameters, t)
        return linearise(self.joint_functions, self.layout, t, np.concatenate([at.q, at.u]), p)

    def operations(self) -> dict[str, int]:
        """Number of operations of each compiled function, for those who watch them."""
        from trundle.kernel import read_tape

        return {n: len(read_tape(f).operations) for n, f in self._casadi_functions("base").items() if f is not None}


def _mobility_to_dict(mobility: "Mobility") -> dict[str, Any]:
    return {
        "freedoms": mobility.freedoms,
        "kept": list(mobility.kept),
        "redundant": list(mobility.redundant),
        "independent": list(mobility.independent),
        "q": list(mobility.q),
    }


def _mobility_from_dict(data: Mapping[str, Any]) -> "Mobility":
    from trundle.equations.mobility import Mobility

    return Mobility(
        data["freedoms"], tuple(data["kept"]), tuple(data["redundant"]), tuple(data["independent"]), tuple(data["q"])
    )
