"""Static equilibrium: h(q, 0) = J' lambda and g(q) = 0, by a damped Newton method with derivatives from the tape.
States with rates of their own belong to it: their rates vanish too.

Where that fails or ends in an unstable pose, the system is let go and stopped at every peak of its kinetic energy
until it has settled (dynamic relaxation with kinetic damping), and Newton's method finishes.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from trundle.contact.search import ContactSearch
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, SolveError
from trundle.integrate.case import Case
from trundle.integrate.codes import RECORD
from trundle.integrate.integrate import integrate
from trundle.integrate.interruption import part_of_study
from trundle.integrate.methods.explicit import DormandPrince5
from trundle.integrate.options import Options, Sampling, Tolerances
from trundle.laws.tracking import RateTracking
from trundle.model.model import Model
from trundle.study.first_modes import first_modes
from trundle.study.problem import make_problem
from trundle.study.statics import Pose, Statics
from trundle.typing import Array

LIMIT = 200
"""Number of steps of the iteration."""
SPANS = 1500
"""Number of pieces of the motion of a system that is stopped again and again."""
IN_VAIN = 50
"""Number of stops without progress after which a system is taken not to settle: it flutters, or is driven."""


def find_equilibrium(functions: Functions, q: Array, t: float, p: Array) -> Array:
    """The equilibrium that the iteration reaches from q (consistent); SolveError when there is none near."""
    refuse_yielding_rates(functions.equations.model)
    statics = Statics(functions, t, p)
    arrange = ContactSearch(functions.equations)
    here = statics.first(q)
    scales = statics.scales(here)
    error, damping = here.norm(scales), 1e-3  # of Levenberg and Marquardt
    for _ in range(LIMIT):
        if error < 1e-14:
            break
        dq, d_multipliers = statics.newton_step(here, damping)
        trial = statics.at(arrange(t, here.q + dq, p, search=False), here.multipliers + d_multipliers)
        new = trial.norm(scales)
        if new < error:
            here, error = trial, new
            damping = damping / 10 if damping > 1e-13 else damping
        elif damping > 1e6 or (error < 1e-11 and damping > 1e-3):
            break
        else:
            damping = max(damping, 1e-13) * 10
    if error > 1e-9:
        raise _not_found(functions, here, scales, error)
    return here.q


def _not_found(functions: Functions, here: Pose, scales: Array, error: float) -> SolveError:
    """The error, with the remaining forces or rates at the pose nearest to an equilibrium."""
    own = functions.layout.own
    changing = here.rest[len(here.rest) - len(own) :]
    rates = np.abs(changing) / scales[len(scales) - len(own) :]
    if own and np.max(rates) > 0.5 * error:
        worst = int(np.argmax(rates))
        return SolveError(
            f"no equilibrium was found near the given pose: the state {own[worst].name!r} keeps changing, at "
            f"{float(changing[worst]):.3g} per second. Start closer to a pose in which its rate can be zero, "
            "or leave the state out of the model."
        )
    return SolveError(
        f"no equilibrium was found near the given pose (remaining generalised forces {error * scales[0]:.3g}). "
        "Start closer to it, or check that nothing drives the system and that every degree of freedom has a restoring "
        "force."
    )


def refuse_yielding_rates(model: Model) -> None:
    """Refuse compliant prescribed rates: the deflection of their spring depends on the history, which statics do not
    know.
    """
    for c in model.connections.values():
        for name, law in (*c.laws.items(), *c.bond_laws.items()):
            if isinstance(law, RateTracking) and not law.rests:
                raise ModelError(
                    f"no equilibrium is defined where the rate of {c.name}.{name} is prescribed and yields: how far "
                    "its spring is wound up depends on the motion before. The pose is the same without compliance."
                )


def settle(f: Formulation, q: Array, t: float, p: Array) -> Array:
    """The pose in which the system comes to rest when it is stopped again and again; joint coordinates. Contacts
    stick, slide, open and close on the way as in a run.
    """
    base = f.kernels("base")
    energy, rhs = base["energy"], base["rhs"]
    states = f.states
    problem = make_problem(f, stiff=False, returns=False, rtol=1e-6)
    own = len(f.model.events)  # events of the user do nothing here, those of contacts do
    kinds = [RECORD] * own + list(problem.event_kinds[own:])
    problem = replace(problem, event_kinds=kinds, energy=None)  # no energy balance: it is stopped again and again
    x = states.vector(q)
    p = first_modes(f, t, x, p)
    largest = force = _push(rhs, t, x, p, states.u)  # near a pose of unstable rest the first one is small
    before, least, in_vain = 0.0, np.inf, 0
    for _ in range(SPANS):
        span = float(np.clip(0.1 / np.sqrt(max(force, 1e-12)), 1e-5, 0.2))
        options = Options(Tolerances(1e-6, 1e-8), Sampling(np.array([t + span])))
        with part_of_study():
            moved = integrate(problem, DormandPrince5(), Case(t, t + span, x, p), options)
        x, p = moved.x_end, moved.p_end
        now = float(energy(t, x, p)[0])
        largest = max(largest, _push(rhs, t, x, p, states.u))
        if now < before:
            x, now = states.vector(x[states.q]), 0.0
            p = first_modes(f, t, x, p)
            force = _push(rhs, t, x, p, states.u)
            least, in_vain = (force, 0) if force < 0.99 * least else (least, in_vain + 1)
            if force < 1e-6 * largest or in_vain == IN_VAIN:
                break
        before = now
    return x[states.q]


def _push(rhs: Callable[[float, Array, Array], Array], t: float, x: Array, p: Array, speeds: slice) -> float:
    """Largest acceleration from rest."""
    return float(np.max(np.abs(rhs(t, x, p)[speeds]), initial=0.0))
