"""Tables of surfaces and pairs as text for the command line."""

from itertools import combinations_with_replacement
from textwrap import fill

from trundle.messages.text_table import text_lines
from trundle.pairs import Surface, edges, surfaces, table
from trundle.pairs.higher import refusal

WIDTH = 100
LEVEL = "s: distance of the point, along the second axis, from the common perpendicular of the axes."
SIZES: dict[str, tuple[object, ...]] = {  # of an ordinary one of each kind, m and rad; the others have one radius
    "Plane": (),
    "LineEdge": (),
    "Vertex": (),
    "Cone": (0.5, 0.3),
    "Torus": (0.5, 0.1),
    "SpiralColumn": (1.0, 1.0, 0.3),
    "TangentSurface": (1.0, 1.0, 0.5),
    "HelixEdge": (1.0, 1.0),
    "Ellipsoid": (0.5, 0.4, 0.3),
    "Revolved": (lambda y: 0.5 - y * y, -0.2, 0.2),
}


def samples() -> tuple[Surface, ...]:
    """An ordinary surface of every kind, edges and vertex included."""
    return tuple(kind(*SIZES.get(kind.__name__, (0.5,))) for kind in (*surfaces(of_user=False), *edges(of_user=False)))


def pairs_text() -> str:
    """All surfaces, and the pairs of them that can touch in a point."""
    smooth, sharp = (", ".join(k.__name__ for k in kinds(of_user=False)) for kinds in (surfaces, edges))
    pairs = list(combinations_with_replacement(samples(), 2))
    refused: dict[str, dict[str, list[str]]] = {}
    for a, b in pairs:
        reason = refusal(a, b)
        if reason:
            first, second = type(a).__name__, type(b).__name__
            partners = refused.setdefault(reason.replace(f"a {second}", "it"), {})
            partners.setdefault(first if a.flat else second, []).append(second if a.flat else first)
    count = sum(len(names) for partners in refused.values() for names in partners.values())
    lead = (
        f"Surfaces: {smooth}. Edges and points: {sharp}. Two of them that touch in one point make a HigherPair; "
        f"{len(pairs) - count} of the {len(pairs)} pairs can. The others:"
    )
    lines = [
        fill(f"{one} with {', '.join(names)}: {reason}", WIDTH, initial_indent="  ", subsequent_indent="    ")
        for reason, partners in refused.items()
        for one, names in partners.items()
    ]
    return "\n".join([fill(lead, WIDTH), *lines])


def table_text() -> str:
    """The surfaces that two joints in series sweep with a carried normal, computed."""
    head = ("first joint", "second joint", "surface", "condition")
    lines = text_lines([head, *((row.first, row.second, row.surface, row.condition) for row in table())])
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], LEVEL])
