"""Every error a user can meet. All derive from TrundleError; each says what, where, why and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class TrundleError(Exception):
    """Base of all errors raised by Trundle."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are pickled by their arguments by default, which fails here; an error that a worker process cannot
        # return makes its pool wait forever.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[TrundleError], args: tuple[object, ...], attributes: dict[str, object]) -> TrundleError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class ModelError(TrundleError):
    """The model is not well posed. Carries every fault found, not only the first."""

    def __init__(self, faults: Sequence[str] | str) -> None:
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        super().__init__("\n".join(self.faults))


class TruthValueError(TrundleError, TypeError):
    """True or False was given where a number belongs."""


class InertiaWarning(UserWarning):
    """Moments of inertia that no body can have, but within a measuring error of possible ones."""


class FrozenTimeWarning(UserWarning):
    """Linear equations or an equilibrium of a model that depends on time, computed at one instant."""


class UnsteadyWarning(UserWarning):
    """Eigenvalues about a state that is neither an equilibrium nor a steady motion."""


class LostContactWarning(UserWarning):
    """An equilibrium that exists only because a contact of the model cannot open: a real one would be lost."""


class DerivativeWarning(UserWarning):
    """Derivatives of a run disagree with neighbouring runs, or eigenvalues have none."""


class MultiplierWarning(UserWarning):
    """Floquet multipliers of a periodic motion are inaccurate because the mesh is too coarse."""


class UnknownNameError(TrundleError, KeyError):
    """A name that the model does not have; the nearest names are offered."""

    def __init__(self, name: str, known: Iterable[str], what: str = "quantity", remedy: str = "") -> None:
        known = list(known)
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        own = [one for one in known if one.partition(".")[0] == name and one != name]
        if own:
            hint = f" Of {name!r} there are {', '.join(map(repr, own[:8]))}{', ...' if len(own) > 8 else '.'}"
        elif near:
            hint = f" Did you mean {', '.join(repr(n) for n in near)}?"
        else:
            more = ", ..." if len(known) > 12 else "."
            hint = f" Known: {', '.join(known[:12])}{more}" if known else " There are none."
        self.text = f"there is no {what} called {name!r}.{hint}" + (f" {remedy}" if remedy else "")
        super().__init__(self.text)

    def __str__(self) -> str:
        return self.text


class AssemblyError(TrundleError):
    """No configuration satisfies the constraints."""


class KernelError(TrundleError):
    """An expression cannot be turned into machine code."""


class StoreError(TrundleError):
    """A result file cannot be written or read."""


class FileError(TrundleError):
    """A model file cannot be understood; the text carries line and field."""


class SolveError(TrundleError):
    """A numerical problem has no solution (equilibrium, linearisation, ...)."""
