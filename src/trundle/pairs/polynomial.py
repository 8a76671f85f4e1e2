"""Polynomials with rational coefficients, and the solutions of a small system of them by exact elimination.

A polynomial is a mapping from exponents of the variables to coefficients. `components` splits a system where an
equation is a product, and reduces each part to a Groebner basis [Cox et al. 2015, Ch. 2].
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Union, final

Exponents = tuple[int, ...]
Number = Union["Polynomial", int, Fraction]


@final
@dataclass(frozen=True)
class Polynomial:
    """Non-zero coefficients by exponents. Terms are ordered lexicographically."""

    terms: tuple[tuple[Exponents, Fraction], ...]  # from the leading one down
    n: int  # variables

    @staticmethod
    def of(terms: Mapping[Exponents, Fraction], n: int) -> "Polynomial":
        """From a mapping."""
        return Polynomial(tuple(sorted(((e, c) for e, c in terms.items() if c), reverse=True)), n)

    @property
    def zero(self) -> bool:
        return not self.terms

    @property
    def constant(self) -> bool:
        return not any(any(e) for e, _ in self.terms)

    def _coerce(self, other: Number) -> "Polynomial":
        return other if isinstance(other, Polynomial) else constant(other, self.n)

    def __add__(self, other: Number) -> "Polynomial":
        out = dict(self.terms)
        for e, c in self._coerce(other).terms:
            out[e] = out.get(e, Fraction(0)) + c
        return Polynomial.of(out, self.n)

    def __mul__(self, other: Number) -> "Polynomial":
        out: dict[Exponents, Fraction] = {}
        for e, c in self.terms:
            for f, d in self._coerce(other).terms:
                key = tuple(i + k for i, k in zip(e, f, strict=True))
                out[key] = out.get(key, Fraction(0)) + c * d
        return Polynomial.of(out, self.n)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Polynomial":
        return self * -1

    def __sub__(self, other: Number) -> "Polynomial":
        return self + -self._coerce(other)

    def __rsub__(self, other: Number) -> "Polynomial":
        return self._coerce(other) - self

    def monic(self) -> "Polynomial":
        """With leading coefficient one."""
        return self if self.zero else self * (1 / self.terms[0][1])

    def content(self) -> set[int]:
        """Variables that divide every term."""
        return {i for i in range(self.n) if self.terms and all(e[i] > 0 for e, _ in self.terms)}

    def without(self, variables: Iterable[int]) -> "Polynomial":
        """The polynomial divided by these variables as often as possible."""
        terms = dict(self.terms)
        for i in variables:
            low = min(e[i] for e in terms) if terms else 0
            terms = {(*e[:i], e[i] - low, *e[i + 1 :]): c for e, c in terms.items()}
        return Polynomial.of(terms, self.n)

    def value(self, numbers: Sequence[float]) -> float:
        """Value at numbers for the variables."""
        total = 0.0
        for e, c in self.terms:
            product = float(c)
            for x, k in zip(numbers, e, strict=True):
                product *= x**k
            total += product
        return total

    def text(self, names: Sequence[str]) -> str:
        """As text."""
        parts = []
        for e, c in self.terms:
            factors = [f"{name}^{k}" if k > 1 else name for name, k in zip(names, e, strict=True) if k]
            sign, size = ("-" if c < 0 else "+"), abs(c)
            parts.append(f"{sign} {' '.join([*([str(size)] if size != 1 or not factors else []), *factors])}")
        return " ".join(parts).removeprefix("+ ") or "0"


def constant(value: int | Fraction, n: int) -> Polynomial:
    """A number as a polynomial."""
    return Polynomial.of({(0,) * n: Fraction(value)}, n)


def variables(n: int) -> tuple[Polynomial, ...]:
    """The n variables, in descending order of terms."""
    return tuple(Polynomial.of({tuple(int(i == k) for k in range(n)): Fraction(1)}, n) for i in range(n))


def remainder(p: Polynomial, basis: Sequence[Polynomial]) -> Polynomial:
    """Remainder of the division by a basis."""
    left, rest = dict(p.terms), p * 0
    while left:
        lead = max(left)
        c = left[lead]
        for q in basis:
            top, first = q.terms[0]
            if all(i >= k for i, k in zip(lead, top, strict=True)):
                shift = tuple(i - k for i, k in zip(lead, top, strict=True))
                for e, d in q.terms:
                    key = tuple(i + k for i, k in zip(e, shift, strict=True))
                    left[key] = left.get(key, Fraction(0)) - c / first * d
                break
        else:
            rest = rest + Polynomial.of({lead: c}, p.n)
            left[lead] = Fraction(0)
        left = {e: d for e, d in left.items() if d}
    return rest


def groebner(system: Iterable[Polynomial]) -> tuple[Polynomial, ...]:
    """The reduced Groebner basis [Buchberger 1965]."""
    basis = [p.monic() for p in system if not p.zero]
    pairs = [(i, k) for k in range(len(basis)) for i in range(k)]
    while pairs:
        i, k = pairs.pop(0)
        new = remainder(_cross(basis[i], basis[k]), basis)
        if not new.zero:
            pairs += [(j, len(basis)) for j in range(len(basis))]
            basis.append(new.monic())
    leads = [p.terms[0][0] for p in basis]
    least = [
        p
        for i, p in enumerate(basis)
        if not any(
            (leads[k] != leads[i] or k < i) and all(a >= b for a, b in zip(leads[i], leads[k], strict=True))
            for k in range(len(basis))
            if k != i
        )
    ]
    reduced = (remainder(p, [q for q in least if q is not p]).monic() for p in least)
    return tuple(sorted(reduced, key=lambda p: p.terms))


def _cross(p: Polynomial, q: Polynomial) -> Polynomial:
    """The combination in which the leading terms cancel."""
    (e, c), (f, d) = p.terms[0], q.terms[0]
    top = tuple(map(max, e, f))
    return p * _monomial(top, e, 1 / c, p.n) - q * _monomial(top, f, 1 / d, p.n)


def _monomial(top: Exponents, e: Exponents, c: Fraction, n: int) -> Polynomial:
    return Polynomial.of({tuple(i - k for i, k in zip(top, e, strict=True)): c}, n)


def components(
    system: Iterable[Polynomial], always: Sequence[Polynomial] = (), nonzero: Iterable[int] = ()
) -> tuple[tuple[Polynomial, ...], ...]:
    """The solutions of a system as a union of parts, each by its Groebner basis; parts within others are omitted.

    `always` are additional equations, and the variables in `nonzero` do not vanish. A part is split if one of its
    equations has a variable as a factor: the variable either vanishes, or is divided out.
    """
    found: list[tuple[Polynomial, ...]] = []
    open_ = [(list(system), frozenset(nonzero), False)]
    while open_:
        equations, apart, ready = open_.pop(0)
        lone = {min(p.content()) for p in equations if _lone(p)}
        equations = [q for q in (_clean(p, apart, lone) for p in equations) if not q.zero]
        if lone & apart or any(q.constant for q in equations):
            continue
        split = next((p for p in equations if p.content() and not _lone(p)), None)
        if split is not None:  # one of the factors vanishes
            x = min(split.content())
            open_ += [([*equations, variables(split.n)[x]], apart, False), (equations, apart | {x}, False)]
        elif not ready:
            open_.append((list(groebner([*equations, *always])), apart, True))
        else:
            found.append(groebner([*equations, *always]))
    kept: list[tuple[Polynomial, ...]] = []
    for part in found:
        if not any(contains(other, part) for other in kept):
            kept = [*(other for other in kept if not contains(part, other)), part]
    return tuple(kept)


def _clean(p: Polynomial, apart: frozenset[int], lone: set[int]) -> Polynomial:
    """Without terms that vanish and factors that do not."""
    if not _lone(p):
        p = Polynomial.of({e: c for e, c in p.terms if not any(e[i] for i in lone)}, p.n)
    return p.without(p.content() & apart)


def _lone(p: Polynomial) -> bool:
    """Whether a polynomial is one variable."""
    return len(p.terms) == 1 and sum(p.terms[0][0]) == 1


def contains(outer: Sequence[Polynomial], inner: Sequence[Polynomial]) -> bool:
    """Whether all solutions of `inner` solve `outer`: each equation of the outer is in the ideal of the inner."""
    return all(remainder(p, inner).zero for p in outer)
