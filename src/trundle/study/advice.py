"""A system cannot be changed; errors for unknown attributes say what to use instead."""

from typing import TYPE_CHECKING, NoReturn, Self

from trundle.messages.arguments import unknown_attribute

_STATE = "run = system.simulate(duration) and run['bob.angle'], or stepper = system.stepper(duration) and stepper[...]"
_EQUATIONS = "system.accelerations(...) for numbers; system.formulation.equations has the expressions (.mass, .bias)"
_LINEAR = "space = system.linearise(...).state_space() for a model with inputs (m.input); A, B = space.A, space.B"

ELSEWHERE = {
    "eigenvalues": "system.linearise(...).eigenvalues",
    "eigenvectors": "system.linearise(...)",
    "run": "system.simulate(duration)",
    "solve": "system.simulate(duration)",
    "integrate": "system.simulate(duration)",
    "plot": "run = system.simulate(duration) and run.plot(...)",
    "draw": "run = system.simulate(duration) and run.draw()",
    "state_space": "system.linearise(...).state_space(), for a model with inputs (m.input)",
    "step": "stepper = system.stepper(duration), then stepper.advance(to=0.01)",
    "parameters": "m.parameter_values() for the defaults; each call takes others, parameters={...}",
    "optimise": "tr.optimise(...), which takes systems",
    "fit": "tr.fit(system, data, {'k': 1.0})",
    "sweep": "tr.sweep(system, {'k': [1.0, 2.0]}, 5.0)",
    "export": "`trundle export model.yaml -o model.fmu` on the command line: FMUs are made of model files",
    "to_fmu": "`trundle export model.yaml -o model.fmu` on the command line: FMUs are made of model files",
    "qpos": _STATE,
    "qvel": _STATE,
    "data": _STATE,
    "state": _STATE,
    "forward": "system.accelerations({'bob.angle': 0.1})",
    "reset": "system.simulate(duration, start) again: a system has no state, so there is nothing to reset",
    "sim": "system.simulate(duration)",
    "eig": "system.linearise(...).eigenvalues",
    "equations_of_motion": _EQUATIONS,
    "kanes_equations": _EQUATIONS,
    "mass_matrix": _EQUATIONS,
    "M": _EQUATIONS,
    "lqr": f"{_LINEAR}, then scipy.linalg.solve_continuous_are(A, B, Q, R)",
    "save": "run.save('run.nc') for results; a system is kept by pickle",
    "names": "system.quantities for all, or run.names",
    **dict.fromkeys(
        ("coordinates", "states", "state_names", "dofs"),
        "print(system.describe()) or run.coordinates; system.linearise(...).names are the states of small motions",
    ),
    **dict.fromkeys(("dof", "n_dof", "ndof", "freedoms"), "system.mobility.freedoms"),
    **{name: f"system.model.{name}" for name in ("bodies", "connections", "forces", "name")},
    **dict.fromkeys(("energy", "power", "impacts", "events"), "run = system.simulate(duration), of which it is one"),
    **dict.fromkeys(
        ("modes", "natural_frequencies", "frequencies", "damping", "modal"),
        "system.linearise(system.equilibrium()).table(), with frequencies and damping; .modes are the shapes",
    ),
    **dict.fromkeys(("jacobian", "equations", "lagrangian", "rhs", "symbolic"), _EQUATIONS),
    **dict.fromkeys(("optimize", "minimize"), "tr.optimise(...), which takes systems"),
    **dict.fromkeys(("kinematics", "inverse_kinematics"), "system.start({...}) for a pose, system.trace(...) for many"),
    "inverse_dynamics": "a prescribed motion, law=tr.Servo(lambda t: ...); run['bob.angle_drive'] is its torque",
    "build": "the system itself: m.build() has built it",
    "copy": "the system itself: it cannot be changed",
    "view": "run = system.simulate(duration) and run.show()",
    "show": "run = system.simulate(duration) and run.show()",
}
"""What new users look for, and where it is."""

_DURATION = "write duration, system.simulate(5.0)"
_START = "start values go by name, system.simulate(5.0, {'bob.angle': 0.5})"
STEPS = {
    "*": "values go by name, parameters={'k': 2.0} and start={'bob.angle': 0.3}",
    "max_step": "write steps=tr.Steps(longest=0.01)",
    "first_step": "write steps=tr.Steps(first=1e-4)",
    "min_step": "write steps=tr.Steps(shortest=1e-9)",
    "fixed_step": "write steps=tr.Steps(fixed=0.01)",
    "max_steps": "write steps=tr.Steps(most=1000)",
    "max_events": "write steps=tr.Steps(most_events=1000)",
}
"""What new users give to runs in steps and others, and what to give instead."""

ARGUMENTS = STEPS | {
    "progress_text": "write progress=tr.ProgressBar(lambda t, state: 'text')",
    "t_end": _DURATION,
    "tf": _DURATION,
    "t_span": f"{_DURATION}, and t0 if it does not begin at 0",
    "x0": _START,
    "y0": _START,
    "dt": "steps follow from rtol; samples=501 or samples=times says where results are kept, "
    "steps=tr.Steps(fixed=0.01) is for comparisons",
    "t_eval": "write samples=times",
    "solver": "write method='stiff', 'order5' or 'order8'",
    "tol": "write rtol=1e-8",
    **dict.fromkeys(("h", "step", "step_size", "timestep"), "write steps=tr.Steps(longest=0.01)"),
    **dict.fromkeys(("events", "event"), "events belong to the model, m.event('bottom', lambda s: s['bob.angle'])"),
    "callback": "on_event=function is called at events; system.stepper(...) gives control between steps",
    "args": "values go by name, parameters={'k': 2.0}",
    "seed": "a run has nothing random; the same call gives the same result",
}
"""What new users give to `simulate`, and what to give instead."""


class Unchangeable:
    """What is made once: `formulation` is set, and nothing after it. Copies of it are itself."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "formulation":
            raise AttributeError(
                f"a System cannot be changed, and has no attribute {name!r}. Pass start values and parameters to "
                f"each call, "
                "system.simulate(2.0, {'bob.angle': 0.5}, {'length': 0.4}), or into the model before m.build().",
                name=name, obj=self,
            )  # fmt: skip
        super().__setattr__(name, value)

    def __setitem__(self, name: str, value: object) -> NoReturn:
        raise TypeError(
            f"a System cannot be changed: give values to a call, system.simulate(5.0, {{{name!r}: {value!r}}})."
        )

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            if name in ELSEWHERE:
                raise AttributeError(f"a System has no {name!r}: use {ELSEWHERE[name]}.", name=name, obj=self)
            raise unknown_attribute(self, name, {})

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self
