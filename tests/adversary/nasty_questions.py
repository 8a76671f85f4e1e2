"""Requests that cannot be fulfilled, for a pendulum that is valid."""

import math

import numpy as np
from small_models import ball, pendulum
from what_must_happen import Table, asked, refused

import trundle as tr

nan, inf = math.nan, math.inf


def with_parameter() -> tr.Model:
    """A pendulum whose mass is a parameter."""
    m = tr.Model("pendulum")
    mass = m.parameter("M", 1.0)
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=mass, com=(0, 0, -1)))
    return m


QUESTIONS: Table = {
    name: (asked(pendulum, question), refused(pattern))
    for name, (question, pattern) in {
        "tolerance zero": (lambda s: s.simulate(1, rtol=0.0), r"rtol"),
        "tolerance nan": (lambda s: s.simulate(1, rtol=nan), r"rtol"),
        "tolerance below round-off": (lambda s: s.simulate(1, rtol=1e-20), r"rtol"),
        "tolerance negative": (lambda s: s.simulate(1, atol=-1.0), r"atol"),
        "tolerance in words": (lambda s: s.simulate(1, rtol="fine"), r"rtol"),
        "largest step zero": (lambda s: s.simulate(1, steps=tr.Steps(longest=0.0)), r"longest"),
        "largest step nan": (lambda s: s.simulate(1, steps=tr.Steps(longest=nan)), r"longest"),
        "steps negative": (lambda s: s.simulate(1, steps=tr.Steps(most=-1)), r"Steps: most must"),
        "steps in words": (lambda s: s.simulate(1, steps=tr.Steps(most="many")), r"Steps: most must"),
        "events in words": (lambda s: s.simulate(1, steps=tr.Steps(most_events="many")), r"most_events"),
        "begin at nan": (lambda s: s.simulate(1, t0=nan), r"t0"),
        "begin at 1e16 s": (lambda s: s.simulate(1, t0=1e16), r"t0"),
        "duration in words": (lambda s: s.simulate("long"), r"duration"),
        "duration None": (lambda s: s.simulate(None), r"duration"),
        "one sample": (lambda s: s.simulate(1, samples=1), r"samples=1"),
        "samples 2.5": (lambda s: s.simulate(1, samples=2.5), r"sample"),
        "samples nan": (lambda s: s.simulate(1, samples=[0, nan]), r"sample times"),
        "samples that fall": (lambda s: s.simulate(1, samples=[0.5, 0.2]), r"sample times must increase"),
        "samples given twice": (lambda s: s.simulate(1, samples=[0.0, 0.5, 0.5]), r"none given twice"),
        "start as text": (lambda s: s.simulate(1, {"bob.angle": "0.1"}), r"bob\.angle.*'0\.1'"),
        "position as text": (lambda s: s.simulate(1, {"bob.position_x": "0.1"}), r"bob\.position_x.*'0\.1'"),
        "batch from text": (lambda s: s.batch(1, {"bob.angle": ["0.1", "0.2"]}), r"must be numbers"),
        "samples beyond memory": (lambda s: s.simulate(1, samples=10**14), r"memory|samples"),
        "method that is a class": (lambda s: s.simulate(1, method=dict), r"method"),
        "parameters as a list": (lambda s: s.simulate(1, {}, [1.0]), r"give parameters by name"),
        "start as a number": (lambda s: s.simulate(1, 3.0), r"give start values by name"),
        "linearise at nan": (lambda s: s.linearise({"bob.angle": nan}), r"bob\.angle"),
        "trace of nothing": (lambda s: s.trace("bob.angel", 1.0), r"Did you mean 'bob\.angle'"),
        "trace to nan": (lambda s: s.trace("bob.angle", nan), r"finite values"),
        "batch of two lengths": (lambda s: s.batch(1, {"bob.angle": [1, 2], "bob.angle_rate": [1, 2, 3]}), r"lengths"),
        "batch of none": (lambda s: s.batch(1, {"bob.angle": []}), r"at least one"),
        "batch without threads": (lambda s: s.batch(1, {"bob.angle": [0, 0.1]}, threads=0), r"threads"),
        "batch with a tolerance of nan": (lambda s: s.batch(1, {"bob.angle": [0, 0.1]}, rtol=nan), r"rtol"),
        "batch over no time": (lambda s: s.batch(0, {"bob.angle": [0, 0.1]}), r"duration"),
        "file in no directory": (lambda s: s.simulate(0.1).save("/nonexistent/x.nc"), r"there is no directory"),
        "file that is a directory": (lambda s: s.simulate(0.1).save("/"), r"directory"),
        "plot of nothing": (lambda s: s.simulate(0.1).plot("bob.angel"), r"Did you mean 'bob\.angle'"),
        "reactions in no axes": (lambda s: s.reactions(axes="bop"), r"Did you mean 'bob'"),
        "equilibrium at nan": (lambda s: s.equilibrium({"bob.angle": nan}), r"bob\.angle"),
        "formalism in words": (lambda s: s.simulate(1, formalism="lagrange"), r"formalism"),
        "quantity that is a number": (lambda s: s.simulate(0.1)[3], r"3"),
        "duration True": (lambda s: s.simulate(True), r"duration cannot have truth values, got True"),
        "start at True": (lambda s: s.simulate(1, {"bob.angle": True}), r"start cannot.*'bob\.angle': True"),
        "position at True": (lambda s: s.simulate(1, {"bob.position_x": True}), r"bob\.position_x"),
        "batch from truth values": (
            lambda s: s.batch(1, {"bob.angle": [True, False]}),
            r"start cannot have truth",
        ),
        "batch from a truth value": (
            lambda s: s.batch(1, {"bob.angle": [0.1, True]}),
            r"start cannot have truth",
        ),
        "position with a truth value": (lambda s: s.simulate(1, {"bob.position": (0.0, True, 0.0)}), r"bob\.position"),
        "samples with a truth value": (
            lambda s: s.simulate(1, samples=[0.0, True]),
            r"samples cannot have truth",
        ),
        "begin at True": (lambda s: s.simulate(1, t0=True), r"t0 cannot have truth values"),
        "batch from complex numbers": (lambda s: s.batch(1, {"bob.angle": [1j, 2]}), r"must be numbers"),
        "samples beyond the end": (lambda s: s.simulate(1, samples=[0.5, 2.0]), r"between 0 and 1 s"),
        "sensitivity to one name twice": (lambda s: s.simulate(1, sensitivity=["bob.angle"] * 2), r"twice"),
        "stepper to the past": (lambda s: s.stepper(1).advance(-0.1), r"not between"),
        "stepper beyond its end": (lambda s: s.stepper(1).advance(1.5), r"not between"),
        "start of an array": (lambda s: s.simulate(1, {"bob.angle": np.zeros(3)}), r"1 finite number"),
    }.items()
} | {
    "parameter True": (
        asked(lambda: with_parameter(), lambda s: s.simulate(1, parameters={"M": True})),
        refused(r"parameters cannot have truth values"),
    ),
    "parameter as text": (
        asked(lambda: with_parameter(), lambda s: s.simulate(1, parameters={"M": "2.0"})),
        refused(r"'M' must be a number, got '2\.0'"),
    ),
    "no inertia by the parameters of a run": (
        asked(lambda: with_parameter(), lambda s: s.linearise({}, parameters={"M": 0.0})),
        refused(r"neither mass nor inertia|meets no inertia"),
    ),
    "parameter that is an expression": (
        asked(lambda: with_parameter(), lambda s: s.simulate(1, parameters={"M": 2 * s.model.parameters["M"].symbol})),
        refused(r"'M' must be"),
    ),
    "start that is an expression of parameters": (
        asked(lambda: with_parameter(), lambda s: s.simulate(1, {"bob.angle": s.model.parameters["M"].symbol > 0})),
        refused(r"bob\.angle"),
    ),
    "stiff method on exact friction": (
        asked(lambda: ball(law=tr.Coulomb(0.3)), lambda s: s.simulate(1, method="stiff")),
        refused(r"stiff method does not support"),
    ),
    "batch by a stiff method on exact friction": (
        asked(
            lambda: ball(law=tr.Coulomb(0.3)), lambda s: s.batch(1, {"ball.velocity": np.eye(3)[:2]}, method="stiff")
        ),
        refused(r"stiff method does not support"),
    ),
}
