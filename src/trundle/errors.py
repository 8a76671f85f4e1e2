"""Every error a user can meet. All derive from TrundleError; each says what, where, why and what to do."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

WORDS = {
    "angle": ("quaternion",),
    "theta": ("angle", "roll", "yaw", "pitch"),
    "phi": ("angle", "roll", "yaw", "pitch"),
    "omega": ("angle_rate", "angular_velocity"),
    "alpha": ("angle_acceleration", "angular_acceleration"),
    "w": ("angle_rate", "angular_velocity"),
    "lean": ("roll",),
    "heading": ("yaw",),
    "steering": ("steer",),
    "v": ("speed", "displacement_rate", "velocity"),
    "velocity": ("displacement_rate", "speed"),
    "speed": ("forward_velocity", "displacement_rate", "velocity"),
    **{f"v{axis}": (f"{axis}_rate", f"velocity_{axis}", "velocity") for axis in "xyz"},
    **{axis: (f"position_{axis}", "position") for axis in "xyz"},
    "pos": ("position", "displacement"),
    "vel": ("velocity", "displacement_rate"),
    "acc": ("acceleration",),
    "torque": ("angle_effort", "angle_drive", "reaction_moment"),
    "moment": ("reaction_moment", "angle_effort"),
    "force": ("reaction_force", "displacement_effort", "normal_force"),
    "friction": ("slip_force_x",),
    "slip": ("slip_x", "slip_y"),
}
"""What textbooks and other programs call quantities, as the last word of a name, and what they are called here."""
COMPONENT = re.compile(
    r"(.*(?:position|velocity|acceleration|force|moment|_point|_normal))(?:\.|\[['\"]?)([xyz012])(?:['\"]?\])?"
)
"""A component of a vector as other programs write it."""


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """At most four of the known names that may be meant: those of the same owner with the same meaning, those that end
    as the name does, then those that are written alike.
    """
    component = COMPONENT.fullmatch(name)
    if component and component[1] in known:
        return [f"{component[1]}_{'xyz'[int(component[2])] if component[2].isdigit() else component[2]}"]
    owner, _, word = name.rpartition(".")
    own = [one for one in known if owner and one.startswith(f"{owner}.")]
    meant = [f"{owner}.{one}" if owner else one for one in WORDS.get(word.lower(), ())]
    found = [one for one in meant if one in known]
    if not owner and not found:
        found = [one for one in known if one.rpartition(".")[2] == word]
    if not owner and not found:
        ends = {word.lower(), *WORDS.get(word.lower(), ())}
        found = [one for one in known if one.rpartition(".")[2].lower() in ends]
    alike = [] if found else [*get_close_matches(name, own, n=3, cutoff=0.5)]
    alike = alike or ([] if found else get_close_matches(name, known, n=3, cutoff=0.5))
    return list(dict.fromkeys([*found, *alike]))[:4]


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


class UnitWarning(UserWarning):
    """A number that is declared in another unit than those of SI, and used as if it were in them."""


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
        known = list(dict.fromkeys(known))
        near = near_names(name, known)
        owner = name if any(one.startswith(f"{name}.") for one in known) else name.rpartition(".")[0]
        own = [one for one in known if owner and one.startswith(f"{owner}.")]
        if own and (owner == name or not near):
            hint = f" Of {owner!r} there are {', '.join(map(repr, own[:8]))}{', ...' if len(own) > 8 else '.'}"
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
