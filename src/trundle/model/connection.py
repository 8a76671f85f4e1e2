"""A connection: a pair between two frames, with laws on its free bonds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from trundle.errors import ModelError, UnknownNameError
from trundle.model.body import Body, Frame
from trundle.model.law import ContactLaw, Law
from trundle.pairs.higher import ContactPair
from trundle.pairs.lower import Pair


@final
@dataclass(frozen=True, eq=False)
class Connection:
    """`pair` between a frame on the first and a frame on the second body; they coincide when all coordinates of a
    lower pair are zero, and touch when those of a higher pair are.
    """

    name: str
    pair: Pair
    first: Frame
    second: Frame
    laws: Mapping[str, Law] = field(default_factory=dict)  # coordinate name -> law
    contact_laws: tuple[ContactLaw, ...] = ()
    wheel: Body | None = None  # carries the surface when it turns about its own axis against the second body

    @property
    def touching(self) -> Body:
        """The body whose material touches the first one."""
        return self.second.body if self.wheel is None else self.wheel

    @property
    def held(self) -> tuple[str, ...]:
        """Relative motions at the point of contact that are kept at zero."""
        return tuple(dict.fromkeys(name for law in self.contact_laws for name in law.held))

    @property
    def bodies(self) -> tuple[Body, Body]:
        return self.first.body, self.second.body


def sort_laws(
    name: str, pair: Pair, law: Law | Sequence[Law] | Mapping[str, Law] | None
) -> tuple[dict[str, Law], tuple[ContactLaw, ...]]:
    """Laws by coordinate, and laws at the point of contact; ModelError for what is neither."""
    steps = [s.name for s in pair.chain().steps if s.n_u == 1]
    named: list[tuple[str | None, Law]] = []
    if isinstance(law, Mapping):
        named = list(law.items())
    elif law is not None:
        several: Any = law if isinstance(law, list | tuple) else [law]
        named = [(None, each) for each in several]
    laws: dict[str, Law] = {}
    contact: list[ContactLaw] = []
    for coordinate, given in named:
        if not isinstance(given, Law):
            raise ModelError(
                f"connection {name!r}: {given!r} is no law; give tr.Spring, tr.Damper, tr.Motor(function), "
                "tr.Servo(function), tr.NoSlip() or a class of your own made from tr.EffortLaw."
            )
        if isinstance(given, ContactLaw):
            if "normal" not in pair.locked:
                raise ModelError(
                    f"connection {name!r}: {type(given).__name__} holds at a point of contact, but a "
                    f"{type(pair).__name__} joint has none; use tr.HigherPair(surface, surface)."
                )
            possible = pair.held if isinstance(pair, ContactPair) else ()
            if not set(given.held) & set(possible):
                raise ModelError(
                    f"connection {name!r}: {type(given).__name__} holds {', '.join(given.held)}, which a "
                    f"{type(pair).__name__} does not have; it has {', '.join(possible)}."
                )
            contact.append(given)
        elif coordinate is None and len(steps) != 1:
            raise ModelError(
                f"connection {name!r}: {type(pair).__name__} has the coordinates {steps}; say which one the "
                f"law is for: law={{'coordinate': law}}."
            )
        elif coordinate is not None and coordinate not in steps:
            raise UnknownNameError(coordinate, steps, f"coordinate of connection {name!r}")
        else:
            laws[coordinate or steps[0]] = given
    return laws, tuple(contact)
