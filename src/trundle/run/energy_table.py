"""Where energy went between two times: rows from giver to taker, matched at every junction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final, overload

KINDS = {
    "body": "",
    "kinetic": "kinetic energy of ",
    "gravity": "gravity on ",
    "store": "stored in ",
    "loss": "losses in ",
    "source": "source ",
    "drive": "drive ",
    "motion": "given motion of ",
    "event": "jumps at ",
}
"""Kinds of nodes that give or take energy, and the beginning of their names."""

NEGLIGIBLE_SHARE = 1e-12  # of the largest row; less is round-off
COARSE = 0.01  # of the largest row: a larger closing error makes the table doubtful
SAMPLES = "The samples are too far apart for these motions: simulate with more samples."
LEAK = (
    "A law or force at {!r} does not account for its energy: the energy given differs from the energy supplied minus "
    "that dissipated and stored. Correct its potential, dissipated or supplied."
)
STEPS = "The energy balance of the run itself does not close (drift {:.1g}): simulate with smaller rtol and atol."


@final
@dataclass(frozen=True)
class EnergyNode:
    """A body, or a store, source or sink of energy."""

    kind: str  # one of KINDS
    of: str  # body, law, force or driven coordinate

    def __str__(self) -> str:
        return KINDS[self.kind] + self.of


@final
@dataclass(frozen=True)
class Transfer:
    """Net energy (J) that went from giver to taker, through a connection or force."""

    giver: EnergyNode
    taker: EnergyNode
    energy: float
    through: str = ""


@final
@dataclass(frozen=True)
class EnergyTable(Sequence[Transfer]):
    """Rows from giver to taker, largest first. `closing` is the largest sum over a body, connection or force that
    should vanish and does not (J): the error of the time integrals.
    """

    start: float
    end: float
    transfers: tuple[Transfer, ...]
    closing: float
    closing_at: str
    doubt: str = ""  # why the closing error is not small and what to do; empty when it is small

    def __len__(self) -> int:
        return len(self.transfers)

    @overload
    def __getitem__(self, i: int) -> Transfer: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Transfer, ...]: ...
    def __getitem__(self, i: int | slice) -> Transfer | tuple[Transfer, ...]:
        return self.transfers[i]

    def __iter__(self) -> Iterator[Transfer]:
        return iter(self.transfers)

    def balance(self, node: str) -> float:
        """Energy that a node received minus energy that it gave (J)."""
        return sum(t.energy * ((str(t.taker) == node) - (str(t.giver) == node)) for t in self.transfers)

    def __str__(self) -> str:
        rows = [("from", "to", "energy (J)", "through")]
        rows += [(str(t.giver), str(t.taker), f"{t.energy:.6g}", t.through) for t in self.transfers]
        wide = [max(len(row[k]) for row in rows) for k in range(4)]
        lines = [
            f"{a:<{wide[0]}}  {b:<{wide[1]}}  {e:>{wide[2]}}  {through}".rstrip() for a, b, e, through in rows
        ]  # numbers under each other
        head = f"Energy from {self.start:g} s to {self.end:g} s"
        where = f" ({self.closing_at})" if self.closing_at else ""
        return "\n".join([head, *lines, f"closing error {self.closing:.2g} J{where}. {self.doubt}".rstrip(". ")])


@final
@dataclass(frozen=True)
class Share:
    """Energy that a node gives to a junction (J); negative if it takes energy."""

    node: EnergyNode
    energy: float


EVENTS = EnergyNode("event", "events")


@final
@dataclass(frozen=True)
class EnergyJunction:
    """A junction: a body, or the connections and forces that act on each other."""

    name: str
    is_body: bool = False

    def __str__(self) -> str:
        return f"1 {self.name}" if self.is_body else self.name


def make_table(
    start: float, end: float, junctions: dict[EnergyJunction, list[Share]], jumps: Sequence[Share] = ()
) -> EnergyTable:
    """Match givers and takers at each junction: every giver serves every taker in proportion to what it takes.

    A junction that is a body itself is one of the nodes; all others only pass energy on. `jumps` is what stores lost
    by events that changed the state.
    """
    errors = {junction: abs(sum(s.energy for s in shares)) for junction, shares in junctions.items()}
    least = 10 * max(errors.values(), default=0.0)  # smaller jumps are errors of the time integrals
    rows = [
        Transfer(*((s.node, EVENTS) if s.energy > 0 else (EVENTS, s.node)), abs(s.energy))
        for s in jumps
        if abs(s.energy) > least
    ]
    for junction, shares in junctions.items():
        if junction.is_body:
            body = EnergyNode("body", junction.name)
            for share in shares:
                ends = (share.node, body) if share.energy > 0 else (body, share.node)
                if share.node.kind != "body":
                    rows.append(Transfer(*ends, abs(share.energy)))
            continue
        givers = [s for s in shares if s.energy > 0]
        takers = [s for s in shares if s.energy < 0]
        total = (sum(s.energy for s in givers) - sum(s.energy for s in takers)) / 2
        if givers and takers:
            rows += [
                Transfer(g.node, t.node, -g.energy * t.energy / total, junction.name)
                for g in givers
                for t in takers
                if g.node != t.node
            ]
    largest = max((row.energy for row in rows), default=0.0)
    kept = [row for row in rows if row.energy > NEGLIGIBLE_SHARE * largest]
    kept.sort(key=lambda row: (-float(f"{row.energy:.9e}"), str(row.giver), str(row.taker)))  # not by round-off
    worst, closing = max(errors.items(), key=lambda item: item[1], default=(EnergyJunction(""), 0.0))
    doubt = SAMPLES if closing > COARSE * largest else ""
    return EnergyTable(start, end, tuple(kept), closing, worst.name, doubt)
