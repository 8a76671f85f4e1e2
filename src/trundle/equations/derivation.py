"""From a Spec to its equations; each part is derived once, on first use, for all formalisms."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal, final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.contact.modes.find import mode_states
from trundle.contact.search import ContactSearch
from trundle.equations.derive import Equations, derive
from trundle.equations.mesh_check import refuse_misaligned_meshes
from trundle.equations.mobility import Mobility, find_mobility, no_rows
from trundle.equations.outputs.ports import Ports, find_ports, power_quantities
from trundle.equations.row_functions import RowFunctions
from trundle.graph.topology import Topology, find_topology
from trundle.linear_algebra.median import median
from trundle.model.check import massless
from trundle.model.part_check import evaluate
from trundle.model.register import Register
from trundle.model.spec import Spec
from trundle.model.start_values import start_values
from trundle.pairs.higher import SurfacePair
from trundle.quantities.known import force_quantities, known_quantities
from trundle.quantities.parameters import ParameterLayout
from trundle.quantities.request import StartRequest, read_request, rest_pose, speeds_of
from trundle.quantities.state_layout import StateLayout, lay_out_bodies, lay_out_joints
from trundle.typing import Array, Expr, Values

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation

Coordinates = Literal["joint", "absolute"]
FORMALISM = {"joint": "kane", "absolute": "newton_euler"}


@final
class Derivation:
    """Everything derived from a Spec that is common to all formalisms: tree, layouts, equations, numerical constraint
    rows, degrees of freedom.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec, self.model = spec, spec.model
        self.topology: Topology = find_topology(self.model, massless(self.model))
        self.layout: StateLayout = lay_out_joints(self.model, self.topology)
        self.parameters = ParameterLayout.of(self.model, mode_states(self.model))
        self.defaults: Array = self.parameters.vector(self.model)
        self._equations: dict[str, Equations] = {}
        self._registers: dict[str, Register] = {}
        self.formulations: dict[str, Formulation] = {}  # of this derivation, by formalism: see `Formulation.of`

    def layout_in(self, coordinates: Coordinates) -> StateLayout:
        """The order of the states in joint or absolute coordinates."""
        return self.layout if coordinates == "joint" else self._absolute_layout

    @cached_property
    def _absolute_layout(self) -> StateLayout:
        return lay_out_bodies(self.model)

    def register(self, formalism: str = "kane") -> Register:
        """All quantities by name in one formalism; start values have the names of "kane"."""
        if formalism not in self._registers:
            model = self.model
            self._registers[formalism] = Register(
                model.aliases,
                lambda: known_quantities(model, self.topology, formalism),
                lambda: force_quantities(model, self.spec.measures),
                audit=lambda: power_quantities(self.ports),
            )
        return self._registers[formalism]

    @cached_property
    def ports(self) -> Ports:
        """Bodies, connections, laws and forces that exchange energy."""
        return find_ports(self.model)

    def equations(self, coordinates: Coordinates) -> Equations:
        """All equations in these coordinates, with the weights of relaxed rows."""
        if coordinates not in self._equations:
            self.spec.check_own_classes()
            formalism = FORMALISM[coordinates]
            layout = self.layout_in(coordinates)
            self._equations[coordinates] = derive(
                self.model, self.topology, formalism, self.register(formalism), layout
            )
        return self._equations[coordinates]

    def turned_equations(self, in_joints: bool, turns: Mapping[str, Expr]) -> Equations:
        """The equations with whole turns added to measured angles, by name."""
        coordinates: Coordinates = "joint" if in_joints else "absolute"
        formalism = FORMALISM[coordinates]
        return derive(
            self.model, self.topology, formalism, self.register(formalism), self.layout_in(coordinates), turns
        )

    @cached_property
    def row_functions(self) -> RowFunctions | None:
        """Numeric loop constraints in joint coordinates without relaxed rows; None for a tree without servos."""
        equations = self.equations("joint")
        ideal = replace(equations, rows=[row for row in equations.rows if row.ideal])
        return RowFunctions(ideal, self.length, self.reach) if ideal.rows else None

    @cached_property
    def has_rows(self) -> bool:
        """True when loops, servos or laws of rolling constrain the tree."""
        if self.model.relaxations or self.model.weight_matrices:
            return self.row_functions is not None
        connections = self.model.connections.values()
        driven = any(c.driven for c in connections)
        planes = any(c.is_contact and "slip_y" in c.pair.locked for c in self.topology.cut)  # kept open or closed
        return bool(self.topology.loops) or driven or planes or any(c.held and not c.unilateral for c in connections)

    @cached_property
    def contact_search(self) -> ContactSearch:
        """Finds the surface coordinates of contacts in joint coordinates."""
        rows = self.row_functions if self.has_rows else None
        return rows.settle if rows is not None else ContactSearch(self.equations("joint"))

    @cached_property
    def mobility(self) -> Mobility:
        """Degrees of freedom, redundant constraints, independent speeds."""
        request = self.request(start_values(self.model))
        if not self.has_rows:
            return no_rows(self.layout.n_u, request.q)
        rows = self.row_functions
        assert rows is not None
        soft = [c.i_u for c in self.layout.coordinates if c.name in self.deflections]
        free = np.where(speeds_of(self.layout, request.given_q), 0.0, 1.0)
        free[soft] = 0.0
        found = find_mobility(rows.equations, rows, request.q, self.defaults, self._bodies_of, free)
        refuse_misaligned_meshes(rows, np.array(found.q), self.defaults)
        return found

    def request(self, start: Values) -> StartRequest:
        """Request with the start values that are states; all other angles and displacements are zero."""
        register, states = self.register(), self.layout.places
        given = {register.full(name): value for name, value in start.items()}
        known = {name: value for name, value in given.items() if name in states}
        return read_request(self.layout, self.rest_pose(), known)

    def rest_pose(self) -> Array:
        """Zero angles and displacements; states of the model at their start values."""
        q = rest_pose(self.layout)
        q[self.layout.own_slice] = [state.start for state in self.model.every_state()]
        return q

    @cached_property
    def deflections(self) -> tuple[str, ...]:
        """Coordinates and rates of springs that replace constraints: zero at the start if possible."""
        names = []
        for c in self.model.connections.values():
            for name, bond in c.pair.coordinate_bonds.items():
                if bond in c.compliant:
                    names += [f"{c.name}.{name}", f"{c.name}.{name}_rate"]
            if c.is_contact and "z" in c.compliant:
                names.append(f"{c.name}.gap")
            names += [f"{c.name}.{name}{rate}" for name in c.out_of_plane.values() for rate in ("", "_rate")]
        return tuple(names)

    @cached_property
    def length(self) -> float:
        """A typical length of the model (m), to which closing errors are compared: the median of distances between
        points of the same body, so that it does not depend on the position of the model or the axes of its bodies. If
        no body has two points, as a single wheel, it is the median of the sizes of surfaces.
        """
        sizes = self._distances if any(self._distances) else self._surface_sizes
        large = [s for s in sizes if s > 1e-9 * max(sizes)]
        return median(large) if large else 1.0

    @cached_property
    def reach(self) -> float:
        """The largest of these lengths (m), by which sliding coordinates may move in one step to close a loop."""
        return max([*self._distances, *self._surface_sizes], default=0.0) or 1.0

    @cached_property
    def _distances(self) -> list[float]:
        """Distances between points of the same body (m)."""
        points: dict[str, list[Array]] = {}  # on each body: frames of its connections, and its mass centre
        for c in self.model.connections.values():
            for f in (c.first, c.second) if len(c.pair.free) < 6 else ():  # the frames of a free joint are arbitrary
                points.setdefault(f.body.name, []).append(evaluate(self.model, ca.vertcat(*f.position)).ravel())
        for body in self.model.free_bodies:
            points.setdefault(body.name, []).append(evaluate(self.model, ca.vertcat(*body.com)).ravel())
        return [float(np.linalg.norm(a - b)) for of in points.values() for a, b in combinations(of, 2)]

    @cached_property
    def _surface_sizes(self) -> list[float]:
        pairs = [c.pair for c in self.model.connections.values() if isinstance(c.pair, SurfacePair)]
        return [abs(float(evaluate(self.model, ca.SX(size))[0, 0])) for pair in pairs for size in pair.sizes]

    def _bodies_of(self, row: Row) -> str:
        connection = self.model.connections[row.owner]
        return f"between {connection.first.body.name!r} and {connection.second.body.name!r}"
