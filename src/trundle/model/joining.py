"""How bodies are joined: by a pair, by one at several points, or by contacts of their shapes with a plane."""

from collections.abc import Mapping, Sequence

import numpy as np

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.laws.restitution import Restitution
from trundle.messages.arguments import advised, explain_calls
from trundle.model import advice
from trundle.model.body import Body, Frame, as_frame, components
from trundle.model.connect import LawsGiven, connect
from trundle.model.connection import ConnectedPair
from trundle.model.contents import check_name
from trundle.model.declarations import Declarations
from trundle.model.joint import Joint
from trundle.model.part_check import joined_faults, refuse
from trundle.model.touching import touches_of
from trundle.pairs.chain_check import fault_of_own_pair
from trundle.pairs.equivalent import expand_chain
from trundle.pairs.lower import Pair
from trundle.space.chain import Chain
from trundle.typing import Expr, Option


@explain_calls
class Joining(Declarations):
    """The part of `Model` that connects bodies; `connection` defines what a connection consists of."""

    @advised("write m.connect(tr.Revolute('y'), m.ground, bob): the pair and the two bodies", **advice.CONNECT)
    def connect(
        self,
        pair: Pair | Joint | Chain,
        first: Body | Frame,
        second: Body | Frame,
        name: str | None = None,
        law: LawsGiven = None,
        wheel: Body | None = None,
        compliance: EffortLaw | Mapping[str, EffortLaw] | None = None,
        unilateral: bool = False,
        restitution: Restitution | float | None = None,
    ) -> ConnectedPair:
        """Connect two bodies, or frames on them.

        Parameters
        ----------
        pair : Pair, Joint or Chain
            tr.Revolute("y"), tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), tr.AxisJoint(...), ... A tr.Chain of screws of
            your own becomes single joints `name_coordinate` with massless bodies between them; the last one is given
            back.
        first, second : Body or Frame
            What is joined; `body.at(x, y, z)` and `body.frame(...)` are frames.
        name : str, optional
            That of the second body unless given.
        law : law or mapping, optional
            On the coordinates of the pair or, for a higher pair, on the bonds of its point of contact: tr.NoSlip(),
            {"slip_x": tr.Damper(5.0)}.
        wheel : Body, optional
            The body that carries the second surface where this turns about its own axis (y) against the second body;
            the contact is then followed from the frame that the wheel is mounted in.
        compliance : law or mapping, optional
            Springs in place of what the pair holds: tr.Spring(stiffness, damping) for all its bonds or {bond: spring};
            "translation" and "rotation" name all bonds of a kind. The deflections are coordinates then.
        unilateral : bool
            The contact may open; it closes again by a collision with the friction of its law.
        restitution : Restitution or float, optional
            Of that collision: tr.Stronge(e), tr.Poisson(e) or tr.Newton(e); a number is Poisson's. Plastic unless
            given. It makes the contact unilateral.

        Returns
        -------
        ConnectedPair

        Raises
        ------
        ModelError
            If a name is taken, or a law or spring does not fit the pair.
        """
        if isinstance(pair, Body | Frame):
            raise ModelError("the pair comes first: write m.connect(tr.Revolute('y'), m.ground, bob).")
        if not isinstance(unilateral, bool | np.bool):
            raise ModelError(f"unilateral is True (the contact can open) or False, got {unilateral!r}.")
        a, b = as_frame(first), as_frame(second)
        if name is None:
            taken = {c.partition(".")[0] for c in self.connections}
            name = b.body.name if b.body.name not in taken and b.body.is_free else ""
            name = name or f"{a.body.name}-{b.body.name}"
        if isinstance(pair, Chain):
            if unilateral or any(option is not None for option in (law, wheel, compliance, restitution)):
                text = "a chain of screws takes no laws and springs of a contact; m.apply acts on its coordinates"
                raise ModelError(f"connection {name!r}: {text} ({name}_coordinate.angle and so on).")
            last: ConnectedPair = expand_chain(pair, self, a, b, name)[-1]
            return last
        self._new_connection(name, a, b)
        refuse(joined_faults(self, name, a, b))
        if isinstance(pair, Pair) and (fault := fault_of_own_pair(pair)):
            raise ModelError(f"connection {name!r}: {fault}")
        self.connections[name] = connect(name, pair, a, b, law, wheel, compliance, unilateral, restitution)
        return self.connections[name]

    def connect_points(
        self,
        pair: Pair | Joint,
        first: Body | Frame,
        second: Body | Frame,
        points: Mapping[str, Sequence[Expr]] | Sequence[Sequence[Expr]],
        name: str | None = None,
        **options: Option,
    ) -> tuple[ConnectedPair, ...]:
        """Connect two bodies by one connection with several contact points, such as a box on its corners.

        Parameters
        ----------
        pair : Pair or Joint
            The same at every point.
        first, second : Body or Frame
            What is joined.
        points : mapping or sequence
            Places (m) from the origin of `second`, in its axes, by name; those of a sequence are called point_1,
            point_2, ...
        name : str, optional
            Of the connection; that of the second body unless given. Its contacts are called `name.point`, and their
            quantities `name.point.gap` and so on.
        **options
            law, wheel, compliance, unilateral and restitution as in `connect`, for each of the contacts.

        Returns
        -------
        tuple of ConnectedPair
            The contacts, in the order of the points.

        Raises
        ------
        ModelError
            If a name is taken, a point has not three components, or there is none.
        """
        frame = as_frame(second)
        name = name or frame.body.name
        check_name(name, "connection")
        if not points:
            raise ModelError(f"connection {name!r} needs at least one point.")
        named = points if isinstance(points, Mapping) else {f"point_{i}": p for i, p in enumerate(points, start=1)}
        for label, point in named.items():
            check_name(label, "point of contact")
            if len(components(point)) != 3:
                raise ModelError(f"connection {name!r}: {label} must have three components (m), got {point!r}.")
        a = as_frame(first)
        self._new_connection(name, a, frame)
        refuse(joined_faults(self, name, a, frame))
        found = {}
        for label, point in named.items():
            place = tuple(
                x + sum(float(r) * y for r, y in zip(row, components(point), strict=True) if r)
                for x, row in zip(frame.position, frame.rotation, strict=True)
            )
            at, whole = Frame(frame.body, place, frame.rotation), f"{name}.{label}"
            found[whole] = connect(whole, pair, a, at, **options)
        self.connections.update(found)
        return tuple(found.values())

    @advised("write m.contact(m.ground, box): the plane, then the body with the shape", **advice.CONTACT)
    def contact(
        self,
        first: Body | Frame,
        second: Body | Frame,
        law: LawsGiven = None,
        restitution: Restitution | float | None = None,
        compliance: EffortLaw | None = None,
        name: str | None = None,
        planar: bool = False,
        feet: int = 3,
    ) -> tuple[ConnectedPair, ...]:
        """Let the shapes of a body touch a plane: a box with its corners, a ball or sphere with its surface, a cylinder
        or disc with its rims, on which it rolls, and feet on which its ends stand, a capsule with the balls at its
        ends, a rod with its ends. The contacts may open.

        Parameters
        ----------
        first : Body or Frame
            Its plane z = 0, with the material below: m.ground, a face of another body by its frame.
        second : Body or Frame
            Its body has the shapes; a frame says where they are seen from.
        law : law, optional
            Of friction, tr.Coulomb(0.3); without friction unless given.
        restitution : Restitution or float, optional
            Of collisions; plastic unless given.
        compliance : EffortLaw, optional
            A normal that yields, tr.HuntCrossley(...), in place of a rigid one.
        name : str, optional
            Of the connection, that of the second body unless given; its contacts are `name.corner_1` and so on.
        planar : bool
            The body moves in the x, z plane only.
        feet : int
            Points on which each flat end of a cylinder or disc stands; 0 for sharp rims that only roll, as of wheels:
            these cost less, and a run in which one lies flat ends with LIES_FLAT.

        Returns
        -------
        tuple of ConnectedPair
            One for each part that can touch.

        Raises
        ------
        ModelError
            If the body has no shape, or one that is not known to touch.
        """
        a, b = as_frame(first), as_frame(second)
        taken = {c.partition(".")[0] for c in self.connections}
        name = name or (b.body.name if b.body.name not in taken else f"{a.body.name}-{b.body.name}")
        self._new_connection(name, a, b)
        refuse(joined_faults(self, name, a, b))
        rigid = compliance is None
        found = {}
        for touch in touches_of(name, b, planar, feet):
            whole, at = f"{name}.{touch.label}", touch.frame(b)
            found[whole] = connect(whole, touch.pair, a, at, law, None, compliance, rigid, restitution)
        self.connections.update(found)
        return tuple(found.values())
