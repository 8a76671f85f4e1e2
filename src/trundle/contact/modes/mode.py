"""Interface of contact modes: their variables, transitions, jumps and start."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

from trundle.laws.friction_law import FrictionLaw
from trundle.model.connection import ConnectedPair
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.contact.bonds import ContactBonds
    from trundle.contact.modes.expressions import ModeExpressions


@final
@dataclass(frozen=True)
class Transition:
    """A transition of a contact, which occurs where its function falls through zero."""

    contact: str
    kind: str
    due: bool = True  # happens wherever its function is below zero: what another contact does changes reactions at once
    reported: bool = True  # is of use to others; else it is the law's own book-keeping
    strikes: bool = False  # a collision follows
    together: bool = False  # what follows is decided for all contacts at once
    ends: bool = False  # the run cannot continue
    direction: ClassVar[int] = -1  # of the crossing

    @property
    def name(self) -> str:
        return f"{self.contact} {self.kind}"


class Mode:
    """A kind of contact mode. `at` has quantities of the contacts (slips, loads, holding forces) at other values of p,
    `bonds` are those of the contact; every jump and start gives the vector p after it.

    Subclasses name their numbers in `states` and say what they begin with; rows that come and go do so by those in
    `switches`.
    """

    states: ClassVar[tuple[str, ...]] = ()
    switches: ClassVar[tuple[str, ...]] = ()
    default: ClassVar[float] = 1.0

    def __init__(self, connection: ConnectedPair, law: FrictionLaw | None = None) -> None:
        self.connection, self.law = connection, law

    def transitions(self, together: bool) -> Sequence[Transition]:
        """Its transitions; `together` if the modes of all contacts are decided at once."""
        return ()

    def value(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        """Function of a transition, positive until it occurs."""
        raise TypeError(f"{type(self).__name__} watches for no {kind!r}")

    def jump(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        """p after a transition."""
        raise TypeError(f"{type(self).__name__} changes nothing at {kind!r}")

    def place(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr) -> Expr:
        """p at the start of a run as far as the pose and the speeds determine it."""
        return p

    def settle(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        """p at the start of a run as far as forces determine it; evaluated twice, as contacts depend on each other."""
        return p

    def closed(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        """p after the contact has closed."""
        return p

    def opened(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr) -> Expr:
        """p after the contact has opened."""
        return p
