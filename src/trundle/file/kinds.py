"""Classes of the model by their names in files. Pairs, joints, surfaces and laws are found automatically; user-defined
ones if their module has been imported.
"""

import re
from dataclasses import fields
from typing import TypeVar

from trundle import contact, model
from trundle.laws import backlash, efforts, flows, law
from trundle.laws.friction_law import ContactLaw
from trundle.laws.law import EffortLaw, FlowLaw, Together
from trundle.laws.restitution import Restitution
from trundle.model.block import Block
from trundle.model.force import Force
from trundle.model.joint import Joint
from trundle.pairs.cam import Cam
from trundle.pairs.discover import edges, final_classes, lower_pairs, surfaces
from trundle.pairs.edge import Vertex
from trundle.pairs.higher import HigherPair
from trundle.pairs.mesh import Mesh
from trundle.pairs.planar import Circle, Line, PlanarPair, Segment
from trundle.pairs.wheelset_guide import TrackGuide, WheelsetGuide  # noqa: F401  to be found among the joints
from trundle.typing import Kind

T = TypeVar("T")


def _final(module: object, *kinds: Kind) -> dict[str, Kind]:
    """Classes of a module, or of a package with late imports, that can be used as they are, by name."""
    every = {name: getattr(module, name) for name in getattr(module, "__all__", list(vars(module)))}
    found = {name: one for name, one in every.items() if isinstance(one, type) and issubclass(one, kinds)}
    return {name: one for name, one in found.items() if vars(one).get("__final__")}


def joined() -> dict[str, Kind]:
    """Lower pairs, meshes of teeth and belts, and joints by their seals."""
    return {kind.__name__: kind for kind in (*lower_pairs(), *final_classes(Mesh), *final_classes(Joint))}


def higher() -> dict[str, tuple[Kind, dict[str, Kind]]]:
    """Pairs of two surfaces, and the surfaces by name."""
    return {
        "HigherPair": (HigherPair, {kind.__name__: kind for kind in (*surfaces(), *edges())}),
        "PlanarPair": (PlanarPair, {kind.__name__: kind for kind in (Circle, Line, Segment, Vertex, Cam)}),
    }


TOUCHES = "Contact"
"""Used instead of a pair: the shapes of the second body touch the plane of the first."""


def options() -> tuple[str, ...]:
    """Fields that a pair may have in addition to those of every connection."""
    of_pairs = [f.name for kind in joined().values() for f in fields(kind)]
    return tuple(dict.fromkeys([*of_pairs, "surfaces", "planar", "feet"]))


def forces() -> dict[str, Kind]:
    """Forces by their names: spring_damper, wrench."""
    every = (*_final(model, Force).values(), *of_user(Force))
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in every}


def blocks() -> dict[str, Kind]:
    """Blocks by their names."""
    return {**_final(model, Block), **{kind.__name__: kind for kind in of_user(Block)}}


def of_user(base: type[T]) -> list[type[T]]:
    """User-defined subclasses of `base`."""
    return [kind for kind in final_classes(base) if not kind.__module__.startswith("trundle.")]


LAWS: dict[str, Kind] = {
    name.lower(): one
    for module in (law, efforts, flows, backlash)
    for name, one in _final(module, EffortLaw, FlowLaw).items()
    if one is not Together
}
"""Laws that seal a bond; those without fields are a single word: locked, open."""

EFFORT_LAWS = {word: one for word, one in LAWS.items() if issubclass(one, EffortLaw)}

NORMAL_LAWS = _final(contact, EffortLaw)
"""Laws of a compliant normal, given under `compliance`."""

CONTACT_LAWS: dict[str, type[ContactLaw]] = {
    name: kind for name in contact.__all__ if issubclass(kind := getattr(contact, name), ContactLaw)
}


def laws() -> dict[str, Kind]:
    """Laws that seal a bond, with user-defined ones."""
    return LAWS | {kind.__name__.lower(): kind for base in (EffortLaw, FlowLaw) for kind in of_user(base)}


def effort_laws() -> dict[str, type[EffortLaw]]:
    """Laws that return a force or torque, with user-defined ones."""
    return EFFORT_LAWS | {kind.__name__.lower(): kind for kind in of_user(EffortLaw)}


def contact_laws() -> dict[str, type[ContactLaw]]:
    """Laws at a point of contact, with user-defined ones."""
    return CONTACT_LAWS | {kind.__name__: kind for kind in of_user(ContactLaw)}


RESTITUTIONS = _final(contact, Restitution)
"""Laws of collisions."""
