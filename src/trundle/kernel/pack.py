"""Vectorisation: equal operations on different operands are combined to one instruction on a vector of doubles.

Outputs of a table are polynomials of the same arguments with coefficients adjacent in memory; wheels, legs and links of
one kind need the same algebra. Groups of such operations are searched for in a tape: first among the outputs of tables,
then among operations with equal neighbourhoods (by iterated refinement of the colours of a graph), and from both along
the edges to operands and users. Groups that need more moves between registers than they save are dropped.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import final

import numpy as np

from trundle.kernel.tape import LEAVES, PRODUCT, SUMS, Tape, operands

Unit = tuple[int, ...]
"""Operations that are computed together, by their numbers on the tape."""

WIDEST = 8
_ROUNDS = (12, 9, 7, 5, 4, 3)  # of refinement: operations with the largest equal neighbourhoods are grouped first
_EITHER_WAY = frozenset(("add", "mul", "fmin", "fmax"))
_ELEMENTARY = frozenset(("sqrt", "sincos", "sin", "cos", "exp", "tanh"))
_SIDE_BY_SIDE = _EITHER_WAY | _ELEMENTARY | SUMS.keys() | {"sub", "div", "neg", "fabs", "copysign"}
_PARTS = LEAVES | {PRODUCT}  # not computed by themselves
_PRICE = {"sincos": 40.0, "exp": 40.0, "tanh": 40.0, "div": 4.0, "sqrt": 5.0, "sin": 0.0, "cos": 0.0}  # of instructions
_MOVE = 1.0  # price of moving a number into or out of a lane


def pack(tape: Tape) -> list[Unit]:
    """All operations of a tape except leaves and products fused into sums, in groups, in a possible order of
    evaluation.
    """
    packing = _Packing(tape)
    packing.group_outputs_of_tables()
    packing.extend()
    for colours in _colours(tape, _ROUNDS):
        packing.group_by(colours)
        packing.extend()
    while True:
        packing.give_up_costly()
        packing.part_from_pairs()
        order = packing.order()
        if order is not None:
            return order


@final
class _Packing:
    """Groups of operations of one tape; an operation belongs to at most one group."""

    def __init__(self, tape: Tape) -> None:
        self.tape, self.operations = tape, tape.operations
        self.group: dict[int, Unit] = {}
        self.operands = [operands(self.operations, v) for v in range(len(self.operations))]
        self.users: list[list[tuple[int, int]]] = [[] for _ in self.operations]
        for v, needed in enumerate(self.operands):
            for place, operand in enumerate(needed):
                self.users[operand].append((v, place))
        self.fresh: list[Unit] = []  # groups whose neighbours have not been examined yet
        self.is_output = frozenset(tape.outputs)

    # -- groups --------------------------------------------------------------------------------------------------------

    def add(self, unit: Sequence[int]) -> bool:
        """Group operations if possible; return whether that was done."""
        made = tuple(unit)
        if len(set(made)) < len(made) or any(v in self.group for v in made) or self._needs_itself(made):
            return False
        for v in made:
            self.group[v] = made
        self.fresh.append(made)
        return True

    def _needs_itself(self, unit: Unit) -> bool:
        """Whether one operation of a group directly needs another; indirect dependence is detected by `order`."""
        return any(operand in unit for v in unit for operand in self.operands[v])

    def drop(self, unit: Unit) -> None:
        for v in unit:
            del self.group[v]

    def group_outputs_of_tables(self) -> None:
        """Group numbers that are adjacent in a record, and operations that use them in the same way."""
        kinds: dict[Hashable, int] = {}
        found: dict[int, tuple[int, int]] = {}  # operation -> kind, and index of its last number in the record
        members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for v, (op, a, b) in enumerate(self.operations):
            key: Hashable
            if op == "item":
                key, last = ("item", a), self._place(v)
            elif (op in _SIDE_BY_SIDE or op == PRODUCT) and (a in found or b in found):
                parts = [("kind", found[i][0]) if i in found else ("node", i) for i in (a, b)]
                key = (op, *(sorted(parts) if op in _EITHER_WAY or op == PRODUCT else parts))
                last = max(found[i][1] for i in (a, b) if i in found)
            else:
                continue
            found[v] = kinds.setdefault(key, len(kinds)), last
            if op not in ("item", PRODUCT):
                members[found[v][0]].append((last, v))
        for alike in members.values():
            for run in _runs(sorted(alike)):
                for unit in _cut(run):
                    self.add(unit)

    def group_by(self, colours: np.ndarray) -> None:
        """Group operations of the same colour, if their number is that of the lanes of a vector."""
        classes: defaultdict[int, list[int]] = defaultdict(list)
        for v, colour in enumerate(colours.tolist()):
            if v not in self.group and self.operations[v][0] in _SIDE_BY_SIDE:
                classes[colour].append(v)
        for alike in classes.values():
            if len(alike) in (2, 4, 8):
                self.add(alike)

    def extend(self) -> None:
        """Extend groups to their operands and users, as far as these are equal operations."""
        while self.fresh:
            unit = self.fresh.pop()
            for place in range(len(self.operands[unit[0]])):
                below = [self.operands[v][place] for v in unit]
                if self._alike(below):
                    self.add(below)
            for above in self._users_alike(unit):
                self.add(above)

    def _alike(self, unit: Sequence[int]) -> bool:
        """Whether operations could be a group."""
        op, record, _ = self.operations[unit[0]]
        if any(self.operations[v][0] != op or v in self.group for v in unit):
            return False
        if op == "item":
            at = self._place(unit[0])
            return all(self.operations[v][1] == record and self._place(v) == at + i for i, v in enumerate(unit))
        return op in _SIDE_BY_SIDE

    def _place(self, item: int) -> int:
        """Index of a number in its record."""
        return int(self.tape.constants[self.operations[self.operations[item][2]][1]])

    def _users_alike(self, unit: Unit) -> Iterator[list[int]]:
        """Operations that use the results of a group in the same way, each with a member of another group or with a
        common operand.
        """
        tables = [self._uses(v) for v in unit]
        for key in tables[0]:
            if all(len(table.get(key, ())) == 1 for table in tables):
                yield [table[key][0] for table in tables]

    def _uses(self, v: int) -> dict[Hashable, list[int]]:
        """Ungrouped users of an operation, by the kind of operation and its other operands."""
        found: defaultdict[Hashable, list[int]] = defaultdict(list)
        lane = self.group[v].index(v)
        for user, place in self.users[v]:
            op = self.operations[user][0]
            if op not in _SIDE_BY_SIDE or user in self.group:
                continue
            mates = []
            for at, other in enumerate(self.operands[user]):
                if at == place:
                    continue
                unit = self.group.get(other)
                if unit is not None and unit.index(other) != lane:
                    break
                mates.append(("alone", self._name(other)) if unit is None else ("group", unit[0]))
            else:
                # Factors may be exchanged, and so may terms of a sum.
                side = 0 if op in _EITHER_WAY or (op in SUMS and place < 2) else place
                found[op, side, tuple(mates)].append(user)
        return found

    def _name(self, v: int) -> Hashable:
        """Name of an operand for the comparison of groups: all constants have the same."""
        return "const" if self.operations[v][0] == "const" else v

    # -- cost ----------------------------------------------------------------------------------------------------------

    def part_from_pairs(self) -> None:
        """Drop groups of sines and cosines that are not grouped in the same way as their sincos operations."""
        for unit in set(self.group.values()):
            if self.operations[unit[0]][0] in ("sin", "cos"):
                pairs = tuple(self.operations[v][1] for v in unit)
                if self.group.get(pairs[0]) != pairs:
                    self.drop(unit)

    def give_up_costly(self) -> None:
        """Drop groups that increase the number of instructions."""
        waiting = sorted(set(self.group.values()))
        while waiting:
            unit = waiting.pop()
            if self.group.get(unit[0]) != unit or self.cost(unit) <= 0.0:
                continue
            around = {self.group[i] for i in self._around(unit) if i in self.group} - {unit}
            before = self.cost(unit) + sum(map(self.cost, around))
            self.drop(unit)
            if sum(map(self.cost, around)) < before:
                waiting += sorted(around)
            else:
                self.group |= dict.fromkeys(unit, unit)

    def _around(self, unit: Unit) -> Iterator[int]:
        """Operands and users of the operations of a group."""
        for v in unit:
            yield from self.operands[v]
            for user, _ in self.users[v]:
                yield user

    def cost(self, unit: Unit) -> float:
        """Number of instructions that a group adds (negative: saves)."""
        op = self.operations[unit[0]][0]
        own = _PRICE.get(op, 1.0)
        total = own * (1 - len(unit))
        if op != "item":
            for place in range(len(self.operands[unit[0]])):
                total += self.fetch([self.operands[v][place] for v in unit])
        return total + sum(_MOVE for v in unit if self._read_alone(v))

    def fetch(self, wanted: Sequence[int]) -> float:
        """Cost of moving numbers into the lanes of a vector."""
        first = wanted[0]
        if self.group.get(first) == tuple(wanted):
            return 0.0
        kinds = {self.operations[v][0] for v in wanted}
        if kinds == {"const"}:
            return 0.0
        if len(set(wanted)) == 1:
            return 0.3 * _MOVE  # shared by all its users
        return _MOVE * len(wanted) * (0.5 if kinds <= {"x", "p", "item"} else 1.0)

    def _read_alone(self, v: int) -> bool:
        """Whether a result of a group is needed as a scalar."""
        unit = self.group[v]
        lane = unit.index(v)
        for user, place in self.users[v]:
            above = self.group.get(user)
            if above is None or above.index(user) != lane or len(above) != len(unit):
                return True
            if self.operands[above[0]][place] != unit[0]:
                return True
        return v in self.is_output

    # -- order ---------------------------------------------------------------------------------------------------------

    def order(self) -> list[Unit] | None:
        """Groups and single operations in order of evaluation, close to that of the tape; None if groups depend on each
        other: then one is dropped.
        """
        done: set[int] = set()
        out: list[Unit] = []
        for v in range(len(self.operations)):
            if v in done or self.operations[v][0] in _PARTS:
                continue
            circle = self._visit(v, done, out)
            if circle is not None:
                self.drop(circle)
                return None
        return out

    def _visit(self, v: int, done: set[int], out: list[Unit]) -> Unit | None:
        """Append an operation after the operations that it needs; return a group that depends on itself, if there is
        one.
        """
        first = self.group.get(v, (v,))
        stack: list[tuple[Unit, Iterator[int]]] = [(first, self._needed(first))]
        open_units = {first}
        while stack:
            unit, needed = stack[-1]
            below = next((i for i in needed if i not in done), None)
            if below is None:
                stack.pop()
                open_units.discard(unit)
                for made in (unit, *self._results(unit)):
                    out.append(made)
                    done.update(made)
                continue
            next_unit = self.group.get(below, (below,))
            if next_unit in open_units:
                return next(u for u in (next_unit, *(u for u, _ in reversed(stack))) if len(u) > 1)
            stack.append((next_unit, self._needed(next_unit)))
            open_units.add(next_unit)
        return None

    def _results(self, unit: Unit) -> Iterator[Unit]:
        """Sines and cosines, which follow directly after their sincos."""
        if self.operations[unit[0]][0] == "sincos":
            yield from sorted({self.group.get(user, (user,)) for v in unit for user, _ in self.users[v]})

    def _needed(self, unit: Unit) -> Iterator[int]:
        return (i for v in unit for i in self.operands[v] if self.operations[i][0] not in _PARTS)


def _runs(alike: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Sequences of operations whose last numbers are adjacent."""
    run: list[int] = []
    before = -2
    for last, v in alike:
        if last != before + 1 and run:
            yield run
            run = []
        run.append(v)
        before = last
    if run:
        yield run


def _cut(run: list[int]) -> Iterator[list[int]]:
    """Cut into pieces of 8, 4 and 2; a single remaining operation stays alone."""
    width = WIDEST
    while len(run) > 1:
        while width > len(run):
            width //= 2
        yield run[:width]
        run = run[width:]


_MASK = np.uint64(0x9E3779B97F4A7C15)


def _mixed(x: np.ndarray) -> np.ndarray:
    """Hash of each number."""
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    return np.asarray((x ^ (x >> np.uint64(27))) * _MASK)


def _colours(tape: Tape, rounds: Sequence[int]) -> list[np.ndarray]:
    """Colours of operations for each number of rounds: equal if the neighbourhoods within so many edges are."""
    n = len(tape.operations)
    names: dict[Hashable, int] = {}
    own = np.empty(n, np.uint64)
    first, second = np.full(n, -1), np.full(n, -1)
    either = np.zeros(n, bool)
    for v, (op, a, b) in enumerate(tape.operations):
        key: Hashable = (op, abs(tape.constants[a])) if op == "const" else op
        own[v] = names.setdefault(key, len(names) + 1)
        if op not in LEAVES:
            first[v], second[v] = a, b
            either[v] = op in _EITHER_WAY or op == PRODUCT
    has_a, has_b = first >= 0, second >= 0
    place_b = np.where(either, np.uint64(1), np.uint64(2))
    colour = _mixed(own)
    found = {}
    with np.errstate(over="ignore"):
        for k in range(1, max(rounds) + 1):
            mixed = _mixed(colour)
            below = np.where(has_a, mixed[first], np.uint64(0))
            below = below + np.where(has_b, mixed[second], np.uint64(0)) * place_b
            above = np.zeros(n, np.uint64)
            np.add.at(above, first[has_a], _mixed(colour[has_a] + np.uint64(3)))
            np.add.at(above, second[has_b], _mixed(colour[has_b] + np.uint64(2) + place_b[has_b]))
            colour = _mixed(colour * np.uint64(5) + _mixed(below) + np.uint64(7) * above)
            found[k] = colour
    return [found[k] for k in rounds]
