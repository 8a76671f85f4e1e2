"""Analyses of a System besides runs: consistent states, equilibria, small motions, traces, forces along a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trundle.equations.formulation import Formulation
from trundle.errors import LostContactWarning
from trundle.messages.arguments import advised, explain_calls
from trundle.messages.preparing import preparing
from trundle.messages.warn import warn
from trundle.study.advice import Unchangeable
from trundle.study.answers import Answers
from trundle.study.start_state import start_state
from trundle.symbols.quick_symbols import with_quick_symbols
from trundle.typing import Array, State, Values

if TYPE_CHECKING:
    import xarray as xr

    from trundle.quantities.initial_state import InitialState
    from trundle.run.run import Run
    from trundle.run.trace import Trace
    from trundle.study.linearise import Linearisation


@explain_calls
class Analyses(Unchangeable):
    """The part of `System` that analyses states and motions; each method is one call of a function in `study`."""

    formulation: Formulation

    @preparing("a start state")
    @with_quick_symbols
    def start(self, start: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> "InitialState":
        """A consistent state in joint coordinates from some given values; the others are solved for.

        Parameters
        ----------
        start, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).

        Returns
        -------
        InitialState
            Coordinates, speeds, and which values were changed or found.

        Raises
        ------
        AssemblyError
            If there is none; names the constraints that cannot be satisfied.
        """
        return start_state(self.formulation, start, parameters, t)

    @preparing("the accelerations")
    @with_quick_symbols
    def accelerations(self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> State:
        """All accelerations and reactions at a state given by coordinates and independent speeds.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).

        Returns
        -------
        dict
            Numbers and vectors by name.
        """
        from trundle.study.at_state import accelerations

        return Answers(accelerations(self.formulation, state, parameters, t))

    @preparing("the reactions")
    @with_quick_symbols
    def reactions(
        self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0, on: str = "second",
        axes: str = "ground",
    ) -> dict[str, Array]:  # fmt: skip
        """Force (N) and moment (N m) of every connection.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).
        on : {"first", "second"}
            The body of the connection on which they act.
        axes : str
            Name of the body whose axes they are given in.

        Returns
        -------
        dict
            Vectors by name, such as "pin.reaction_force".
        """
        from trundle.study.at_state import reactions

        return Answers(reactions(self.formulation, state, parameters, t, on, axes))

    @preparing("the equilibrium")
    @with_quick_symbols
    def equilibrium(
        self, start: Values | None = None, parameters: Values | None = None, t: float = 0.0, stable: bool = True
    ) -> State:
        """A static equilibrium near the given pose, in which the system can stay at rest.

        Parameters
        ----------
        start, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).
        stable : bool
            Whether it must be stable; False takes the nearest one that Newton's method finds.

        Returns
        -------
        dict
            Coordinates by name. A FrozenTimeWarning says where a law changes with time, so that it is one at t only; a
            LostContactWarning where it is one only because a contact cannot open (a disc that hangs under the road).

        Raises
        ------
        SolveError
            If none is found.
        """
        from trundle.study.lost_contacts import lost_contacts
        from trundle.study.rest import equilibrium

        found = equilibrium(self.formulation, start, parameters, t, stable)
        rest = {c.rate_name: 0.0 if c.n_u == 1 else (0.0, 0.0, 0.0) for c in self.formulation.layout.coordinates}
        lost = lost_contacts(self.formulation, found | rest, parameters, t)
        if lost:
            remedy = "Look for another one from other start values" + ", or the nearest one by stable=False" * stable
            warn(
                f"at this equilibrium {' and '.join(lost)}: a real contact would be lost. {remedy}.", LostContactWarning
            )
        return Answers(found)

    @advised(**{"*": "values go by name, system.steady({'roll': 0.2})"})
    @preparing("the steady motion")
    @with_quick_symbols
    def steady(
        self, given: Values, start: Values | None = None, parameters: Values | None = None, t: float = 0.0
    ) -> State:
        """A steady motion with given values, such as a bicycle in a turn or a governor at speed: in axes that move
        with it all accelerations are zero, and so are the rates of states on which something depends.

        Parameters
        ----------
        given : mapping
            Prescribed values by name: speeds, coordinates, states; {} if none is prescribed.
        start, parameters : mapping, optional
            Values by name near which the motion is sought. Names that are not given have the values of the model.
        t : float
            Time (s).

        Returns
        -------
        dict
            Coordinates, rates and states by name, for `simulate` and `linearise`.

        Raises
        ------
        SolveError
            If none is found; the message names what would still change.
        """
        from trundle.study.steady_motion import steady

        return Answers(steady(self.formulation, given, start, parameters, t))

    @advised(**{"*": "values go by name, system.linearise({'bob.angle_rate': 2.0})"})
    @preparing("the linear equations")
    @with_quick_symbols
    def linearise(
        self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0
    ) -> "Linearisation":
        """State matrix on the constraint manifold about a state, with eigenvalues and modes.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).

        Returns
        -------
        Linearisation
            About an equilibrium or a steady motion; `steady` says whether the state is one, and an UnsteadyWarning
            that it is not. Where the matrix changes with time (a frame that does not move steadily) it is `frozen` at
            t, and a FrozenTimeWarning says so.

        Raises
        ------
        SolveError
            If contacts slide or are open.
        """
        from trundle.study.linearise import linearise_with_warning

        return linearise_with_warning(self.formulation, state, parameters, t)

    @preparing("the trace")
    @with_quick_symbols
    def trace(
        self, coordinate: str, to: float | Sequence[float], start: Values | None = None,
        parameters: Values | None = None, *, hold: Values | Sequence[str] = (), step: float | None = None,
        through_folds: bool = False, double_contacts: bool = True, limit: int = 20_000,
    ) -> "Trace":  # fmt: skip
        """Poses along a driven coordinate: kinematics without dynamics.

        Parameters
        ----------
        coordinate : str
            What is driven.
        to : float or sequence of float
            Its target value, or values to pass one after the other (m or rad).
        start, parameters : mapping, optional
            Values by name at the first pose; the rest is found.
        hold : mapping or sequence of str
            Coordinates that stay as they are at the start, or at the values given.
        step : float, optional
            Longest step along the path (rad, or typical lengths of the model); 0.1 unless given.
        through_folds : bool
            Continue where the coordinate turns back; otherwise the trace ends there.
        double_contacts : bool
            Look for second points of contact.
        limit : int
            Most points.

        Returns
        -------
        Trace
            Quantities along the path, and findings: singular poses, loss of contact, double contacts.
        """
        from trundle.study.trace.trace import TraceOptions, trace

        options = TraceOptions(hold, step, through_folds, double_contacts, limit)
        return trace(self.formulation, coordinate, to, start, parameters, options)

    @with_quick_symbols
    def graph_state(self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> State:
        """The state of the bond graph at a state given by coordinates and independent speeds.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).

        Returns
        -------
        dict
            Poses and twists of the bodies, coordinates of contacts, states of laws and modes of contacts: for
            `graph.accelerations`.
        """
        from trundle.study.at_state import state_of_graph

        return state_of_graph(self.formulation, state, parameters, t)

    def imaginary_forces(self, run: "Run", on: str = "speeds") -> "xr.DataArray":
        """Generalised imaginary forces along a run.

        Parameters
        ----------
        run : Run
            Of this system.
        on : {"speeds", "independent"}
            All speeds, or the independent ones with constraints eliminated.

        Returns
        -------
        xarray.DataArray
            By body, kind, speed and time.
        """
        return self.relative_dynamics(run, on)["imaginary"]

    def relative_dynamics(self, run: "Run", on: str = "speeds") -> "xr.Dataset":
        """Generalised forces of inertia, external and imaginary ones along a run, which add to zero.

        Parameters
        ----------
        run : Run
            Of this system.
        on : {"speeds", "independent"}
            All speeds, or the independent ones with constraints eliminated.

        Returns
        -------
        xarray.Dataset
        """
        from trundle.study.relative import relative_dynamics

        return relative_dynamics(self.formulation, run, on)

    def inertial_residual(self, run: "Run") -> "xr.DataArray":
        """Residual of Newton's and Euler's equations in the ground.

        Parameters
        ----------
        run : Run
            Of this system.

        Returns
        -------
        xarray.DataArray
            By speed and time, over what cancels.
        """
        from trundle.study.relative import inertial_residual

        return inertial_residual(self.formulation, run)
