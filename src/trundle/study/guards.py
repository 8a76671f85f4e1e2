"""Guards: conditions under which contacts stay valid. They are violated at the end of a surface, where surfaces
interfere next to the contact point, and where a wheel lies flat. The compiled loops check them along their steps.
"""

from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.fit import fit_parts
from trundle.equations.events import event_functions
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import SolveError
from trundle.integrate.outcome import INTERFERENCE, LIES_FLAT, SURFACE_LEFT, Outcome
from trundle.integrate.problem import Problem
from trundle.kernel import Kernel, evaluate, read_tape
from trundle.model.connection import ConnectedPair
from trundle.pairs.edge import LineEdge
from trundle.pairs.higher import HigherPair
from trundle.pairs.surface import Cone, Cylinder, Plane, Surface, TangentSurface, Torus
from trundle.study.second_contacts import other_normals_of
from trundle.typing import Array, Expr, TapeFunction

LINE = 1e-9  # balance of curvatures, relative to its terms, below which surfaces touch along a line
MEASURED = 1e-9  # cosine of a roll that is measured, within 90 degrees: it has no other side
SPARED = 40  # operations, from which on guards are evaluated with the slopes: it takes another kernel
NEVER_FLATTER = (Plane, Cylinder, Cone, LineEdge)  # convex: a ball on them never interferes


@final
@dataclass(frozen=True)
class Guard:
    """A function of a contact that must not change its sign."""

    contact: str
    outcome: Outcome
    surface: str = ""
    side: int = 0
    least: float = 0.0  # below which it counts as changed

    def outcome_at(self, place: Array) -> Outcome:
        """The outcome with contact and place."""
        where = ", ".join(f"{v:.6g}" for v in place)
        on = f" of the {self.surface}" if self.surface else ""
        sentence = self.outcome.sentence.format(contact=repr(self.contact), on=on)
        return replace(self.outcome, sentence=f"{sentence} The point of contact is ({where}) m there.")


def find_guards(f: Formulation) -> list[Guard]:
    """All guards of a system, known without deriving anything."""
    cut = f.topology.cut if f.in_joints else tuple(f.model.connections.values())
    return [guard for c in f.model.connections.values() for guard in _of(c, c in cut)]


def _of(c: ConnectedPair, cut: bool) -> list[Guard]:
    pair = c.pair
    if not isinstance(pair, HigherPair):
        return []
    found = []
    if pair.first.flat and pair.second.round:
        return [Guard(c.name, LIES_FLAT, least=MEASURED if cut else 0.0)]
    for side, surface in enumerate((pair.first, pair.second)):
        if _ends(surface, pair):
            found.append(Guard(c.name, SURFACE_LEFT, type(surface).__name__, side))
    if _may_interfere(pair):
        found.append(Guard(c.name, INTERFERENCE))
    return found


def _ends(surface: Surface, pair: HigherPair) -> bool:
    """Whether a surface has an apex, a cusp, a fold or another end that its coordinates can reach."""
    if not surface.swept:
        return bool(pair.followers)  # ends, and poles of the coordinates
    return isinstance(surface, Cone | TangentSurface) or (isinstance(surface, Torus) and surface.inside)


def _may_interfere(pair: HigherPair) -> bool:
    """Whether the relative curvature can vanish anywhere."""
    surfaces = (pair.first, pair.second)
    if not all(s.carried for s in surfaces) or all(s.ball is not None for s in surfaces):
        return False
    if pair.supported:
        return False  # convex, on a plane
    for one, other in (surfaces, surfaces[::-1]):
        if other.ball is not None and not other.hollow:
            return not (isinstance(one, NEVER_FLATTER) and not one.hollow)
    return True


def guard_values(watched: list[Guard], functions: Functions) -> list[Expr]:
    """One value for each guard, above or below zero."""
    e = functions.equations
    values = []
    for guard in watched:
        bonds = e.contact_bonds[guard.contact]
        if guard.outcome is LIES_FLAT:
            upright = ca.cos(e.signals[f"{guard.contact}.roll"]) - guard.least
            values.append(ca.if_else(bonds.modes["closed"] == 1, upright, 1) if "closed" in bonds.modes else upright)
        elif guard.outcome is SURFACE_LEFT:
            values.append(fit_parts(e, bonds).area(guard.side))
        else:
            values.append(fit_parts(e, bonds).balance)
    return values


def guard_kernel(f: Formulation) -> dict[str, TapeFunction]:
    """All guards as one function."""
    return {"guards": f.functions.function("guards", *guard_values(f.once(find_guards), f.functions))}


def balance_kernel(f: Formulation) -> dict[str, TapeFunction]:
    """The balance of curvatures of each contact that may interfere, relative to its terms."""
    e, values = f.functions.equations, []
    for guard in f.once(find_guards):
        if guard.outcome is INTERFERENCE:
            parts = fit_parts(e, e.contact_bonds[guard.contact])
            values.append(parts.balance / parts.size(e.scales.length))
    return {"balances": f.functions.function("balances", *values)}


def guarded_kernel(f: Formulation) -> dict[str, TapeFunction]:
    """Events of the model, and the guards behind them."""
    functions = f.run_functions
    plain = event_functions(f.model, functions)["events"](*functions.inputs)
    return {"events": functions.function("events", plain, *guard_values(f.once(find_guards), functions))}


def check_lines(f: Formulation, t: float, x: Array, p: Array) -> None:
    """SolveError where surfaces touch along a line at the start."""
    risky = [guard for guard in f.once(find_guards) if guard.outcome is INTERFERENCE]
    if not risky:
        return
    for guard, value in zip(risky, balances_at(f, t, x, p), strict=True):
        if not abs(value) > LINE:
            pair = f.model.connections[guard.contact].pair
            raise SolveError(
                f"contact {guard.contact!r}: at the start the surfaces ({pair.title}) touch along a line or fit "
                "each other in one direction, not in a point, so that the motion is not determined. Turn one of them, "
                f"for instance by start values such as '{guard.contact}.yaw', or use tr.PlanarPair, tr.Cylindrical or "
                "another joint that holds a line."
            )
    for guard in risky:
        _refuse_interference(f, f.model.connections[guard.contact], t, x, p)


def _refuse_interference(f: Formulation, c: ConnectedPair, t: float, x: Array, p: Array) -> None:
    """SolveError where surfaces that touch at the start cut each other beside the point."""
    if c.unilateral and p[f.parameters.mode(c.name, "closed")] != 1.0:
        return
    name = f"{c.name}.relative_curvature"
    value = float(f.evaluate(name, np.array([t]), x[None, :], p)[name][0, 0])
    if value < 0.0:
        raise SolveError(
            f"contact {c.name!r}: at the start the surfaces ({c.pair.title}) interfere: they intersect next to the "
            f"contact point (relative curvature {value:.4g} 1/m). {INTERFERENCE.remedy}"
        )


def watched_by_guards(f: Formulation, problem: Problem) -> Problem:
    """The problem with guards that the loop looks at along its steps."""
    count = len(f.once(find_guards))
    problem = replace(problem, other_normals=other_normals_of(f))
    return replace(problem, guards=f.kernels("guards", guard_kernel)["guards"], n_guards=count) if count else problem


def lane_guards(f: Formulation) -> tuple[Kernel | None, int, Kernel | None]:
    """Guards for the lanes of a batch, how many there are, and a kernel of slopes and guards where that is cheaper."""
    count = len(f.once(find_guards))
    if not count:
        return None, 0, None
    kernels = f.kernels("guards in lanes, with slopes", wide_kernels, wide=True)
    return kernels["guards"], count, kernels.get("guarded")


def wide_kernels(f: Formulation) -> dict[str, TapeFunction]:
    """All guards as one function, and behind the slopes unless these have little in common with them."""
    guards, slopes, functions = guard_kernel(f)["guards"], f.run_functions.rhs(), f.run_functions
    both = functions.function("guarded", slopes(*functions.inputs), *guard_values(f.once(find_guards), functions))
    counts = [len(read_tape(function).operations) for function in (guards, slopes, both)]
    return {"guards": guards, "guarded": both if counts[0] + counts[1] - counts[2] > SPARED else None}


def guards_at(f: Formulation, t: Array, x: Array, p: Array) -> Array:
    """Values of the guards at many states."""
    kernel = f.kernels("guards", guard_kernel)["guards"]
    return np.asarray(evaluate(kernel, kernel, t, x, p, threads=1))


def balances_at(f: Formulation, t: float, x: Array, p: Array) -> Array:
    """Relative balances of curvatures, one for each guard against interference."""
    return np.array(f.kernels("balances", balance_kernel)["balances"](t, x, p))
