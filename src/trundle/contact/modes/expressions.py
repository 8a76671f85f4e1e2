"""Events, jumps and starts of all contact modes as expressions of (t, x, p)."""

from functools import cached_property
from typing import final

import casadi as ca

from trundle.contact.assemblies import assemblies, least_of_sides, lighter_mass
from trundle.contact.bonds import ContactBonds
from trundle.contact.collision.layout import LEAST_LOAD
from trundle.contact.interfaces import ContactEquations, SolvedEquations
from trundle.contact.modes.find import contact_modes, decides_together, transition_modes
from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.typing import Expr, Option

NEGLIGIBLE_FORCE = 1e-9  # of a typical one
SHARED = 1e-9  # of the loads that contacts share, by which that of one of them is uncertain


def typical_force(e: ContactEquations, c: ConnectedPair) -> Expr:
    """The force (N) that gives the lighter assembly at a contact the acceleration of the run."""
    return e.scales.acceleration * lighter_mass(c, assemblies(e.model), e.inertias)


@final
class ModeExpressions:
    """Quantities of the contacts that modes use, and the events, jumps and starts that follow."""

    def __init__(self, functions: SolvedEquations) -> None:
        self.functions, self.equations = functions, functions.equations
        model = self.equations.model
        self.modes, self.together = contact_modes(model), decides_together(model)
        self.contacts: list[ContactBonds] = [t for t in self.equations.contact_bonds.values() if t.modes]
        self._index = {row.name: i for i, row in enumerate(functions.rows)}
        self._transitions = transition_modes(self.modes, self.together)

    # -- what modes ask ------------------------------------------------------------------------------------------------

    def get(self, p: Expr, bonds: ContactBonds, state: str) -> Expr:
        """The number of a mode in p."""
        return p[self.equations.parameters.mode(bonds.connection.name, state)]

    def put(self, p: Expr, bonds: ContactBonds, **states: Option) -> Expr:
        """p with other numbers of the modes of a contact."""
        p = ca.SX(p)
        for state, value in states.items():
            p[self.equations.parameters.mode(bonds.connection.name, state)] = value
        return p

    def switches(self, bonds: ContactBonds) -> list[str]:
        """The numbers of the modes of a contact by which its rows come and go."""
        return [state for mode in self.modes[bonds.connection.name] for state in mode.switches]

    @property
    def multipliers(self) -> Expr:
        """Forces of all rows (N, N m) in the present modes."""
        return self.functions.dynamics[1]

    def multipliers_at(self, u: Expr, p: Expr) -> Expr:
        """Forces of all rows with other speeds and modes."""
        e = self.equations
        return self._multipliers(e.t, e.q, u, p)

    @cached_property
    def _multipliers(self) -> Expr:
        e = self.equations
        return ca.Function("multipliers", [e.t, e.q, e.u, e.p], [self.functions.dynamics[1]])

    def load(self, bonds: ContactBonds, multipliers: Expr) -> Expr:
        """Normal force (N)."""
        name = bonds.connection.name
        if "normal" in self.equations.contact_efforts[name]:
            return self.equations.contact_efforts[name]["normal"]
        if f"{name}.normal" not in self._index:
            raise ModelError(
                f"contact {name!r} is kept closed by the other contacts and joints already, so that its normal force "
                f"and its friction are not determined. Let the contacts open, m.connect(..., {name!r}, "
                "unilateral=True), where all that touch share their loads; make their normals compliant "
                "(compliance=tr.Spring(...)); or leave one out."
            )
        return multipliers[self._index[f"{name}.normal"]]

    def grip(self, bonds: ContactBonds, multipliers: Expr) -> list[Expr]:
        """Force (N) of the sticking constraint, along each direction."""
        c = bonds.connection
        return [multipliers[self._index[f"{c.name}.{n}"]] for n in c.sliding]

    def margin(self, bonds: ContactBonds, multipliers: Expr) -> Expr:
        """Square of the friction limit minus that of the holding force: positive while the contact can stick."""
        law = bonds.connection.friction
        assert law is not None
        load = self.load(bonds, multipliers) + self.allowance(bonds, multipliers)
        limit = law.limit(bonds.signals) * load
        return limit**2 - sum((f**2 for f in self.grip(bonds, multipliers)), ca.SX(0))

    def relative_margin(self, bonds: ContactBonds, multipliers: Expr) -> Expr:
        """The same, over the forces at the contact and, where contacts share loads, the friction of all these loads:
        it is as accurate for a light contact as for a heavy one.
        """
        law, c = bonds.connection.friction, bonds.connection
        assert law is not None
        grip = sum((f**2 for f in self.grip(bonds, multipliers)), ca.SX(0))
        own = (law.limit(bonds.signals) * self.load(bonds, multipliers)) ** 2 + grip + self.negligible_force(c) ** 2
        every = (law.limit(bonds.signals) * self.shared_load(bonds, multipliers)) ** 2
        return self.margin(bonds, multipliers) / ca.sqrt(own * (own + every))

    def allowance(self, bonds: ContactBonds, multipliers: Expr) -> Expr:
        """A negligible load where contacts share loads."""
        return SHARED * self.shared_load(bonds, multipliers)

    def shared_load(self, bonds: ContactBonds, multipliers: Expr) -> Expr:
        """Loads of all contacts (N) that carry the same assembly, the less loaded one of the two that meet here; zero
        where contacts do not share loads.
        """
        if not self.together:
            return ca.SX(0)
        c, loads = bonds.connection, {b.connection: self.load(b, multipliers) for b in self.contacts}
        return least_of_sides(c, loads, self._assemblies) + LEAST_LOAD * self.typical_force(c)

    @cached_property
    def _assemblies(self) -> dict[Body, int]:
        return assemblies(self.equations.model)

    def slips(self, u: Expr, p: Expr) -> list[Expr]:
        """Slips (m/s) of all contacts with modes."""
        e = self.equations
        found = self._slips(e.t, e.q, u, p)
        return list(found) if isinstance(found, tuple | list) else [found]

    def slip(self, bonds: ContactBonds, u: Expr, p: Expr) -> Expr:
        """Slip (m/s) of one contact."""
        return self.slips(u, p)[self.contacts.index(bonds)]

    @cached_property
    def _slips(self) -> Expr:
        e = self.equations
        rates = [ca.vertcat(*[t.rate(n) for n in t.connection.sliding], ca.SX(0, 1)) for t in self.contacts]
        return ca.Function("slip", [e.t, e.q, e.u, e.p], rates)

    def typical_force(self, c: ConnectedPair) -> Expr:
        return typical_force(self.equations, c)

    def negligible_force(self, c: ConnectedPair) -> Expr:
        return NEGLIGIBLE_FORCE * self.typical_force(c)

    def unique(self, bonds: ContactBonds, u: Expr, p: Expr) -> Expr:
        """Above zero where friction leaves one acceleration, whichever way a bilateral contact presses."""
        e = self.equations
        place = self._normal(bonds)
        if self.together:
            return self.functions.solvable[place]
        value = self._solvable(e.t, e.q, u, p)[place]
        if "side" in bonds.modes:
            other = self.put(p, bonds, side=-self.get(p, bonds, "side"))
            value = ca.fmin(value, self._solvable(e.t, e.q, u, other)[place])
        return value

    def _normal(self, bonds: ContactBonds) -> int:
        return self._index[f"{bonds.connection.name}.normal"]

    @cached_property
    def _solvable(self) -> Expr:
        e = self.equations
        return ca.Function("unique", [e.t, e.q, e.u, e.p], [ca.vertcat(*self.functions.solvable)])

    # -- what follows --------------------------------------------------------------------------------------------------

    def values(self) -> list[Expr]:
        """One value for each transition."""
        return [mode.value(t.kind, self, self.equations.contact_bonds[t.contact]) for mode, t in self._transitions]

    def jumps(self) -> list[Expr | None]:
        """p after each transition; None if it is not a function on the tape."""
        e = self.equations
        out: list[Expr | None] = []
        for mode, t in self._transitions:
            if t.together or t.strikes or t.ends:
                out.append(None)
            else:
                p = mode.jump(t.kind, self, e.contact_bonds[t.contact], ca.SX(e.u), ca.SX(e.p))
                out.append(self._possible(ca.SX(e.u), p))
        return out

    def start(self) -> Expr:
        """p at the start of a run."""
        e = self.equations
        u, p = ca.SX(e.u), ca.SX(e.p)
        for bonds in self.contacts:
            for mode in self.modes[bonds.connection.name]:
                p = mode.place(self, bonds, p)
        for _ in range(2):
            for bonds in self.contacts:
                for mode in self.modes[bonds.connection.name]:
                    p = mode.settle(self, bonds, u, p)
        return self._possible(u, p)

    def _possible(self, u: Expr, p: Expr) -> Expr:
        """The modes if the accelerations are unique; otherwise nan, so that the run ends."""
        rough = [bonds for bonds in self.contacts if bonds.friction and "z" in bonds.connection.holds]
        if any("side" in t.modes for t in rough):
            values = [self.unique(bonds, u, p) for bonds in rough]
        else:
            every = self._solvable(self.equations.t, self.equations.q, u, p) if rough else ca.SX(0, 1)
            values = [every[self._normal(bonds)] for bonds in rough]
        value = ca.SX(1)
        for one in values:
            value = ca.fmin(value, one)
        return ca.if_else(value > 0, p, ca.SX(ca.DM.nan(*p.shape))) if rough else p
