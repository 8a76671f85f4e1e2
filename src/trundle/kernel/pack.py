"""Operations that do the same side by side become one instruction on a vector of doubles.

Outputs of a table are polynomials of the same arguments with numbers that stand side by side in memory; wheels, legs
and links of one kind go through the same algebra. Groups of such operations are looked for in a tape: first the
outputs of tables, then operations that nothing distinguishes but where they stand (by colours of a graph that are
refined round by round), and from both along the edges to their operands and users. Groups that cost more moves between
registers than they save are given up.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

import numpy as np

from trundle.kernel.tape import LEAVES, PRODUCT, SUMS, Tape, operands

Unit = tuple[int, ...]
"""Numbers of operations that are done at once."""

WIDEST = 8
_ROUNDS = (12, 9, 7, 5, 4, 3)  # of refinement: what is alike seen from so far is grouped first
_EITHER_WAY = frozenset(("add", "mul", "fmin", "fmax"))
_ELEMENTARY = frozenset(("sqrt", "sincos", "sin", "cos", "exp", "tanh"))
_SIDE_BY_SIDE = _EITHER_WAY | _ELEMENTARY | SUMS.keys() | {"sub", "div", "neg", "fabs", "copysign"}
_PARTS = LEAVES | {PRODUCT}  # nothing is done for them alone
_PRICE = {"sincos": 40.0, "exp": 40.0, "tanh": 40.0, "div": 4.0, "sqrt": 5.0, "sin": 0.0, "cos": 0.0}  # of instructions
_MOVE = 1.0  # of a number into a lane or out of one


def pack(tape: Tape) -> list[Unit]:
    """All operations of a tape but its leaves and the products that are parts of sums, in groups, in an order in which
    they can be done.
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
    """Groups of operations of one tape; an operation is in one group at most."""

    def __init__(self, tape: Tape) -> None:
        self.tape, self.operations = tape, tape.operations
        self.group: dict[int, Unit] = {}
        self.operands = [operands(self.operations, v) for v in range(len(self.operations))]
        self.users: list[list[tuple[int, int]]] = [[] for _ in self.operations]
        for v, needed in enumerate(self.operands):
            for place, operand in enumerate(needed):
                self.users[operand].append((v, place))
        self.fresh: list[Unit] = []  # groups whose neighbours were not looked at yet
        self.is_output = frozenset(tape.outputs)

    # -- groups --------------------------------------------------------------------------------------------------------

    def add(self, unit: Sequence[int]) -> bool:
        """Group operations, where that is possible."""
        made = tuple(unit)
        if len(set(made)) < len(made) or any(v in self.group for v in made) or self._needs_itself(made):
            return False
        for v in made:
            self.group[v] = made
        self.fresh.append(made)
        return True

    def _needs_itself(self, unit: Unit) -> bool:
        """Whether one operation of a group directly needs another; the order of all finds what is left."""
        return any(operand in unit for v in unit for operand in self.operands[v])

    def drop(self, unit: Unit) -> None:
        for v in unit:
            del self.group[v]

    def group_outputs_of_tables(self) -> None:
        """Numbers that stand side by side in a record, and what is made of them in the same way."""
        kinds: dict[Any, int] = {}
        found: dict[int, tuple[int, int]] = {}  # kind, and place of the last number, of an operation
        members: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for v, (op, a, b) in enumerate(self.operations):
            key: Any
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
        """Operations of the same colour, where there are as few of them as lanes."""
        classes: defaultdict[int, list[int]] = defaultdict(list)
        for v, colour in enumerate(colours.tolist()):
            if v not in self.group and self.operations[v][0] in _SIDE_BY_SIDE:
                classes[colour].append(v)
        for alike in classes.values():
            if len(alike) in (2, 4, 8):
                self.add(alike)

    def extend(self) -> None:
        """From groups to their operands and users, as far as these are alike."""
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
        """Of a number in its record."""
        return int(self.tape.constants[self.operations[self.operations[item][2]][1]])

    def _users_alike(self, unit: Unit) -> Iterator[list[int]]:
        """Operations that use the numbers of a group in the same way, together with others that are a group already,
        or one and the same.
        """
        tables = [self._uses(v) for v in unit]
        for key in tables[0]:
            if all(len(table.get(key, ())) == 1 for table in tables):
                yield [table[key][0] for table in tables]

    def _uses(self, v: int) -> dict[Any, list[int]]:
        """Users of an operation that are in no group, by what they do and with what else."""
        found: defaultdict[Any, list[int]] = defaultdict(list)
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
                # Factors change places, as the terms of a sum do.
                side = 0 if op in _EITHER_WAY or (op in SUMS and place < 2) else place
                found[op, side, tuple(mates)].append(user)
        return found

    def _name(self, v: int) -> Any:
        """What an operand is called where groups are compared: numbers alike are so by their kind."""
        return "const" if self.operations[v][0] == "const" else v

    # -- cost ----------------------------------------------------------------------------------------------------------

    def part_from_pairs(self) -> None:
        """Sines and cosines are grouped as the pairs are that they come from."""
        for unit in set(self.group.values()):
            if self.operations[unit[0]][0] in ("sin", "cos"):
                pairs = tuple(self.operations[v][1] for v in unit)
                if self.group.get(pairs[0]) != pairs:
                    self.drop(unit)

    def give_up_costly(self) -> None:
        """Drop groups without which fewer instructions are needed."""
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
        """Operands and users."""
        for v in unit:
            yield from self.operands[v]
            for user, _ in self.users[v]:
                yield user

    def cost(self, unit: Unit) -> float:
        """Instructions that a group adds (less than zero: saves)."""
        op = self.operations[unit[0]][0]
        own = _PRICE.get(op, 1.0)
        total = own * (1 - len(unit))
        if op != "item":
            for place in range(len(self.operands[unit[0]])):
                total += self.fetch([self.operands[v][place] for v in unit])
        return total + sum(_MOVE for v in unit if self._read_alone(v))

    def fetch(self, wanted: Sequence[int]) -> float:
        """Moves that bring numbers into the lanes of a vector."""
        first = wanted[0]
        if self.group.get(first) == tuple(wanted):
            return 0.0
        kinds = {self.operations[v][0] for v in wanted}
        if kinds == {"const"}:
            return 0.0
        if len(set(wanted)) == 1:
            return 0.3 * _MOVE  # shared by all that need it
        return _MOVE * len(wanted) * (0.5 if kinds <= {"x", "p", "item"} else 1.0)

    def _read_alone(self, v: int) -> bool:
        """Whether a number of a group is needed outside a vector."""
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
        """Groups and single operations one after the other, near to where they stood; None where groups needed each
        other, which are given up then.
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
        """Append what an operation needs and itself; the group that needs itself, if there is one."""
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
        """Sines and cosines right behind their pairs."""
        if self.operations[unit[0]][0] == "sincos":
            yield from sorted({self.group.get(user, (user,)) for v in unit for user, _ in self.users[v]})

    def _needed(self, unit: Unit) -> Iterator[int]:
        return (i for v in unit for i in self.operands[v] if self.operations[i][0] not in _PARTS)


def _runs(alike: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Operations whose last numbers stand side by side."""
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
    """In pieces of 8, 4 and 2; one that is left over stays alone."""
    width = WIDEST
    while len(run) > 1:
        while width > len(run):
            width //= 2
        yield run[:width]
        run = run[width:]


_MASK = np.uint64(0x9E3779B97F4A7C15)


def _mixed(x: np.ndarray) -> np.ndarray:
    """Other numbers, which depend on every bit."""
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    return np.asarray((x ^ (x >> np.uint64(27))) * _MASK)


def _colours(tape: Tape, rounds: Sequence[int]) -> list[np.ndarray]:
    """Colour of each operation: equal where operands and users are alike as far as so many edges reach."""
    n = len(tape.operations)
    names: dict[Any, int] = {}
    own = np.empty(n, np.uint64)
    first, second = np.full(n, -1), np.full(n, -1)
    either = np.zeros(n, bool)
    for v, (op, a, b) in enumerate(tape.operations):
        key: Any = (op, abs(tape.constants[a])) if op == "const" else op
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
