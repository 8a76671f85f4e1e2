"""The model as the user describes it: bodies, connections, forces. Nothing is derived here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, final

from trundle.errors import ModelError
from trundle.messages.arguments import advised, explain_calls, method
from trundle.model import advice
from trundle.model.body import Body, Moves, components
from trundle.model.force import Force
from trundle.model.frame import course_motion, given_motion
from trundle.model.joining import Joining
from trundle.model.material import density_of, describe_mass, from_shapes
from trundle.model.non_ideal import check_matrix, check_resistance, check_weight
from trundle.model.part_check import as_shapes, body_faults, force_faults, refuse, vector_faults
from trundle.model.shape import Shape
from trundle.typing import Expr, Given, Values

if TYPE_CHECKING:
    from trundle.system import System

ZERO = (0.0, 0.0, 0.0)


@explain_calls
@final
class Model(Joining):
    """A mechanism: bodies, connections, forces. z is up; the default gravity is 9.81 m/s^2 downwards.

    Parameters
    ----------
    name : str
        Of the model, in pictures and files.
    gravity : tuple
        In m/s^2, (0, 0, -9.81) unless given; also `m.gravity`.
    """

    def __repr__(self) -> str:
        counts = (
            (len(self.free_bodies), "body", "bodies"),
            (len(self.connections), "connection", "connections"),
            (len(self.forces), "force", "forces"),
        )
        parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts]
        return f"<Model {self.name!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import model_html

        return model_html(self)

    def __setattr__(self, name: str, value: object) -> None:
        if "start" in vars(self) and not (name.startswith("_") or name in vars(self) or name in dir(type(self))):
            raise AttributeError(advice.missing_attribute(name, {*dir(type(self)), *vars(self)}), name=name, obj=self)
        super().__setattr__(name, value)
        if name == "gravity":
            refuse(vector_faults(self, value, "gravity of the model"), "Give a vector in m/s^2, like (0, 0, -9.81).")
        if name == "start" and not isinstance(value, Mapping):
            raise ModelError(f"give start values by name, m.start = {{'body.coordinate': value}}, not as {value!r}.")

    def __getattr__(self, name: str) -> NoReturn:
        text = advice.part_by_name(self, name) or advice.missing_attribute(name, {*dir(type(self)), *vars(self)})
        raise AttributeError(text, name=name, obj=self)

    def __getitem__(self, name: str) -> NoReturn:
        raise TypeError(advice.part_by_name(self, name) or advice.NOT_A_TABLE)

    def __deepcopy__(self, memo: dict[int, object]) -> "Model":
        """A copy that can be changed; its functions are replaced by the expressions that they return."""
        from trundle.model.freeze import recorded

        return recorded(self)

    def __reduce__(self) -> tuple[object, ...]:
        from trundle.model.pack import packed

        return packed(self)

    @advised(**advice.BODY)
    def body(
        self,
        name: str,
        mass: Expr = 0.0,
        inertia: object = ZERO,
        com: tuple[Expr, Expr, Expr] = ZERO,
        about: object = "com",
        shape: tuple[Shape, ...] | Shape = (),
        check_inertia: bool = True,
        density: float | None = None,
        material: str | None = None,
    ) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        name : str
        mass : float or expression
            In kg.
        inertia : number, three moments or matrix
            In kg m^2, about `about`, in axes of the body frame.
        com : tuple
            Mass centre in the body frame (m).
        about : "com" or tuple
            Point about which the inertia is given.
        shape : Shape or tuple of Shape
            For pictures, and with a density for mass, centre and inertia.
        check_inertia : bool
            Measured moments that violate the triangle inequality (no principal moment exceeds the sum of the other
            two) by up to 10 % are accepted with a warning; False accepts all with which the motion is well posed,
            without a warning.
        density : float, optional
            Of the shapes (kg/m^3): mass, centre and inertia follow from them; `body.mass_source` and `describe()` show
            the values used. Shapes are added up and should not overlap.
        material : str, optional
            In place of the density: "steel", "aluminium", ... (`trundle.model.material.MATERIALS`).

        Returns
        -------
        Body
            To be connected, also by its frames: `body.at(x, y, z)`.
        """
        self._new_name(name, self.bodies, "body")
        shapes = as_shapes(f"body {name!r}", shape)
        said = ""
        if density is not None or material is not None:
            if not (isinstance(mass, float) and mass == 0.0 and inertia is ZERO and com is ZERO):
                raise ModelError(f"body {name!r}: mass, inertia and com follow from the density; leave them out.")
            amount = density_of(name, density, material)
            mass, centre, inertia = from_shapes(name, shapes, amount)
            said = describe_mass(mass, centre, inertia, amount, material, len(shapes))
            com = (float(centre[0]), float(centre[1]), float(centre[2]))
        body = Body(name, mass, inertia, components(com), about, shapes, check_inertia=check_inertia, mass_source=said)
        refuse(body_faults(self, body))
        self.bodies[name] = body
        return body

    def moving_frame(
        self,
        name: str,
        position: Given = (0.0, 0.0, 0.0),
        rotation: Given = None,
        motion: Given = None,
        shape: tuple[Shape, ...] | Shape = (),
    ) -> Body:
        """Add a frame with prescribed motion, such as the deck of a ship: bodies connected to it are described
        relative to it.

        Parameters
        ----------
        name : str
        position : tuple, or function of the signals
            Origin of the frame in the ground (m). Expressions of time (`lambda s: (0, 0, tr.sin(s.t))`), parameters
            and states (`s["name"]`); derivatives come from the tape.
        rotation : (axis, angle), matrix, quaternion (w, x, y, z), or function of the signals, optional
            From the axes of the frame to those of the ground; parallel axes unless given.
        motion : object, optional
            In place of both: its `frame_state(s)` gives R and p in the ground, and v, w, a, eps in the axes of the
            frame, as `trundle.model.frame.FrameState` says.
        shape : Shape or tuple of Shape
            For pictures only.

        Returns
        -------
        Body
            To be connected as any body, also by its frames: `deck.at(x, y, z)`.
        """
        self._new_name(name, self.bodies, "body")
        if motion is not None:
            given = course_motion(motion)
        else:
            given = given_motion(position, ("z", 0.0) if rotation is None else rotation)
        shapes = shape if isinstance(shape, tuple) else (shape,)
        self.bodies[name] = Body(name, shape=shapes, moves=Moves.GIVEN, motion=given)
        return self.bodies[name]

    def apply(self, force: Force, name: str | None = None) -> Force:
        """Add a force.

        Parameters
        ----------
        force : Force
            tr.SpringDamper, tr.Wrench, tr.CoordinateForce, ...
        name : str, optional
            After its kind and number unless given.

        Returns
        -------
        Force
            The same.

        Raises
        ------
        ModelError
            If the name is taken or it is not a force.
        """
        if not isinstance(force, Force):
            raise ModelError(advice.not_a_force(force))
        if name is None:
            kind = type(force).__name__.lower()
            name = next(n for i in range(1, 10_000) if (n := f"{kind}-{i}") not in self.forces)
        self._new_name(name, self.forces, "force")
        if name in self.bodies or name in self.connections or name in self.blocks:
            raise ModelError(f"force {name!r} has the name of a body, connection or block; choose another name.")
        refuse(force_faults(self, name, force))
        self.forces[name] = force.named(name)
        return self.forces[name]

    def relax(self, row: str | Sequence[str], weight: object) -> None:
        """Give a constraint row a weight; a relaxed row constrains accelerations only.

        Parameters
        ----------
        row : str or sequence of str
            "connection.bond"; several rows take a matrix.
        weight : float, expression of parameters, matrix, or function of the signals
            Between 0 (lifted) and 1 (held). A function s -> expression also has s.multiplier("connection.bond"): the
            constraint force of this row if all constraints were ideal. For several rows the symmetric matrix N of
            [Ikoki 2021, Eq. 18], with eigenvalues from 0 to 1: independent rows enforce the fraction N of their
            accelerations (the weight s of one row is N = s^2). For two rows it may be a function.

        Raises
        ------
        ModelError
            If there is no such row, or it has a weight already.

        Notes
        -----
        The formalism is then "udwadia_kalaba".
        """
        if isinstance(row, str) or not isinstance(row, Sequence):
            check_weight(self, row, weight)
            self.relaxations[row] = weight
        else:
            check_matrix(self, row, weight)
            self.weight_matrices[tuple(row)] = weight

    def resist(self, motion: str, effort: Given) -> None:
        """Add a force that a constraint exerts in addition to its ideal one: C of [Ikoki 2021, Eqs. 5, 17].

        Parameters
        ----------
        motion : str
            "connection.coordinate" ("slider.displacement"), "contact.bond" ("tyre.slip_x", "tyre.spin") or a relaxed
            row, along which it acts on the second body.
        effort : float, expression of parameters, or function of the signals
            In N, or N m about a turn. A function s -> expression also has s.multiplier("connection.bond"): the
            constraint force of this row if all constraints were ideal.

        Raises
        ------
        ModelError
            If there is no such motion, or it is resisted already.

        Notes
        -----
        Along a constrained motion the force has no effect; along one that is relaxed with the weight s, the fraction 1
        - s^2 acts. Its power counts as lost. The formalism is then "udwadia_kalaba".
        """
        check_resistance(self, motion, effort)
        self.resistances[motion] = effort

    @method("m.build")
    @advised(**advice.BUILD)
    def build(self, formalism: str | None = None, omit: Values | None = None) -> "System":
        """Check the model and derive its equations; machine code is made when it is first needed.

        Parameters
        ----------
        formalism : {"kane", "newton_euler", "udwadia_kalaba"}, optional
            "kane" unless given, or "udwadia_kalaba" where constraints are relaxed, which only that one knows.
            "newton_euler" measures angles between bodies within half a turn either way while it runs: a spring that is
            wound up further needs "kane". The angles of its results have all their turns.
        omit : mapping, optional
            Imaginary forces of bodies in moving frames that are left out, see `trundle.system.build`.

        Returns
        -------
        System

        Raises
        ------
        ModelError
            With every fault of the model.
        """
        from trundle.system import build

        return build(self, formalism, omit=omit)
