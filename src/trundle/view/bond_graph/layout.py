"""Layout: columns from the ground to the right, in as many bands as fit on a page."""

from dataclasses import dataclass, replace
from math import ceil
from typing import final

from trundle.bond_graph.bonds import Bond, BondGraph
from trundle.view.bond_graph.align import Tie, align
from trundle.view.bond_graph.legend import draw_heading, draw_legend
from trundle.view.bond_graph.order import Columns, find_columns
from trundle.view.bond_graph.parts import Placed, draw_body, draw_link
from trundle.view.bond_graph.phrasing import Words, read_words
from trundle.view.bond_graph.read import BodyGroup, LinkGroup, Side, read_groups
from trundle.view.bond_graph.route import CLOSE, TRACK, find_tracks, lie_over
from trundle.view.bond_graph.shape import Part, Point, Wire, join

MARGIN = 24.0
_APART = 12.0  # free room above and below each thing in a column
_PAGE = 1.5  # width of a page, of its height
_TEAR = 0.3  # decrease of the scale that counts as much as one more bond that continues in the next band
_NARROW = 760.0  # pages need not be narrower, so that the legend has room


@final
@dataclass(frozen=True)
class Layout:
    """The picture: what is drawn of the graph, its title and legend, and the size of the page."""

    width: float
    height: float
    drawing: Part
    legend: Part


@final
@dataclass(frozen=True)
class Strand:
    """A bond between a thing in one column and a thing in the next."""

    bond: Bond
    left: str  # name of the body or connection
    right: str
    left_node: str  # where it ends there
    right_node: str


@final
@dataclass
class Band:
    """Columns side by side."""

    columns: range
    heights: dict[str, float]
    tracks: dict[int, list[int | None]]  # of the strands after each column
    left: dict[int, float]  # where each column begins and ends
    right: dict[int, float]
    top: float = 0.0
    bottom: float = 0.0


def lay_out(graph: BondGraph, dual: bool = False) -> Layout:
    """Boxes, labels, bonds and marks of the graph, or of its dual, without overlap."""
    words = read_words(graph, dual)
    if dual:  # each causal stroke is at the other end
        graph = replace(graph, bonds=tuple(replace(b, at_head=b.size - b.at_head) for b in graph.bonds))
    bodies, links = read_groups(graph)
    columns = find_columns(bodies, links)
    strands = _find_strands(columns, links)
    placed = _draw_all(bodies, links, columns, strands, words)
    heading = draw_heading(graph, _NARROW - MARGIN, dual)
    start = max(t.rect.bottom for t in heading.labels) + 24.0 + MARGIN
    spans = _breaks(columns, strands, placed)
    torn = max((len(strands[r[-1]]) + 1 for r in spans[:-1]), default=0)
    bands = [_arrange(r, columns, strands, placed, MARGIN + torn * TRACK) for r in spans]
    _stack(bands, strands, start)
    put = {}
    for band in bands:
        for c in band.columns:
            for name in columns.names[c]:
                put[name] = placed[name].moved((band.left[c] + band.right[c]) / 2, band.heights[name])
    wires = [w for c, each in enumerate(strands) for w in _route(c, each, bands, put, words)]
    drawing = join([*(p.part for p in put.values()), Part(wires=tuple(wires))])
    edge = _edge(bands) + torn * TRACK
    width = max(_NARROW, edge, *(t.rect.right + MARGIN for t in heading.labels)) + MARGIN
    heading = draw_heading(graph, width - 2 * MARGIN, dual)
    legend = draw_legend(graph, width - 2 * MARGIN, words).moved(MARGIN, bands[-1].bottom + 30.0)
    height = max(r.bottom for r in legend.rects) + MARGIN
    return Layout(width, height, drawing, join([heading.moved(MARGIN, MARGIN), legend]))


def _find_strands(columns: Columns, links: dict[str, LinkGroup]) -> list[list[Strand]]:
    """Bonds after each column, from top to bottom."""
    strands: list[list[Strand]] = [[] for _ in columns.names]
    for c, names in enumerate(columns.names):
        for name in names if c % 2 else []:
            link = links[name]
            left, right = _sides(link, columns)
            if columns.is_folded(link):  # the bond that turns back over the top comes first
                strands[c - 1].append(_strand(right, name, into=True))
            else:
                strands[c].append(_strand(right, name, into=False))
            strands[c - 1].append(_strand(left, name, into=True))
    return strands


def _sides(link: LinkGroup, columns: Columns) -> tuple[Side, Side]:
    first, second = link.sides
    return (second, first) if columns.is_flipped(link) else (first, second)


def _strand(side: Side, link: str, into: bool) -> Strand:
    if into:
        return Strand(side.outer, side.body, link, side.body, side.transformer.name)
    return Strand(side.outer, link, side.body, side.transformer.name, side.body)


def _draw_all(
    bodies: dict[str, BodyGroup],
    links: dict[str, LinkGroup],
    columns: Columns,
    strands: list[list[Strand]],
    words: Words,
) -> dict[str, Placed]:
    """Pictures of all bodies and connections, before they are placed."""
    placed = {}
    for name, body in bodies.items():
        c = columns.column[name]
        before = [s.bond for s in strands[c - 1] if s.right == name] if c else []
        placed[name] = draw_body(body, before, [s.bond for s in strands[c] if s.left == name], words)
    for name, link in links.items():
        placed[name] = draw_link(link, columns.is_flipped(link), columns.is_folded(link), words)
    return placed


def _breaks(columns: Columns, strands: list[list[Strand]], placed: dict[str, Placed]) -> list[range]:
    """Ranges of columns, one for each band: those that make the picture largest on a page."""
    total = len(columns.names)
    widths = [max((placed[n].frame.width for n in names), default=0.0) + 3 * TRACK for names in columns.names]
    heights = [sum(placed[n].frame.height + 2 * _APART for n in names) for names in columns.names]

    def extent(ranges: list[range]) -> float:
        width = max(sum(widths[c] for c in r) for r in ranges)
        height = sum(max(heights[c] for c in r) + 2 * TRACK for r in ranges)
        torn = sum(len(strands[r[-1]]) for r in ranges[:-1]) / len(ranges)
        return max(width, _NARROW, _PAGE * height) * (1.0 + _TEAR * torn)

    choices = [
        [range(start, min(start + step, total)) for start in range(0, total, step)] for step in range(2, total + 2, 2)
    ]
    return min(reversed(choices), key=extent)


def _arrange(
    span: range, columns: Columns, strands: list[list[Strand]], placed: dict[str, Placed], indent: float
) -> Band:
    """Heights, tracks and columns of one band."""
    inner = [s for c in span[:-1] for s in strands[c]]
    ties = [Tie(s.left, s.right, _port(placed, s, True)[1], _port(placed, s, False)[1]) for s in inner]
    names = [columns.names[c] for c in span]
    rooms = {n: (_APART - placed[n].frame.y, _APART + placed[n].frame.bottom) for each in names for n in each}
    heights = align(names, rooms, ties)
    tracks: dict[int, list[int | None]] = {}
    for _ in range(6):  # two ways at one height in opposite directions: a step aside sets them apart
        over = []
        for c in span[:-1]:
            ends = [(heights[s.left] + _port(placed, s, True)[1], heights[s.right] + _port(placed, s, False)[1])
                    for s in strands[c]]  # fmt: skip
            tracks[c] = find_tracks(ends)
            over += [strands[c][i] for i, _ in lie_over(ends, tracks[c])]
        if not over:
            break
        link = over[0].right if columns.column[over[0].right] % 2 else over[0].left
        heights[link] += CLOSE + 1.0
    left, right, x = {}, {}, indent
    for c in span:
        left[c] = x
        right[c] = x + max((placed[n].frame.width for n in columns.names[c]), default=0.0)
        used = sum(t is not None for t in tracks.get(c, []))
        x = right[c] + (used + 1) * TRACK
    shapes = [placed[n].frame.moved(0.0, heights[n]) for each in names for n in each]
    return Band(span, heights, tracks, left, right, min(s.y for s in shapes), max(s.bottom for s in shapes))


def _port(placed: dict[str, Placed], strand: Strand, at_left: bool) -> Point:
    """Where a strand leaves the box on its left, or reaches the one on its right."""
    name, node = (strand.left, strand.left_node) if at_left else (strand.right, strand.right_node)
    return placed[name].ports[node, strand.bond][-1]


def _stack(bands: list[Band], strands: list[list[Strand]], start: float) -> None:
    """Stack the bands, with space between them for bonds that continue in the next one."""
    y = start
    for band in bands:
        shift = float(ceil(y - band.top))
        band.heights = {n: h + shift for n, h in band.heights.items()}
        band.top, band.bottom = band.top + shift, band.bottom + shift
        last = band.columns[-1]
        y = band.bottom + (len(strands[last]) + 2) * TRACK


def _edge(bands: list[Band]) -> float:
    """Right end of the longest band."""
    return max(x for band in bands for x in band.right.values())


def _route(c: int, strands: list[Strand], bands: list[Band], put: dict[str, Placed], words: Words) -> list[Wire]:
    """The bonds after column c, from box to box."""
    band = next(b for b in bands if c in b.columns)
    if c < band.columns[-1]:
        ways = [_across(band, c, track) for track in band.tracks[c]]
    else:
        ways = _around(band, bands[bands.index(band) + 1], strands, put, _edge(bands)) if strands else []
    wires = []
    for strand, (near, tracks, far) in zip(strands, ways, strict=True):
        out = put[strand.left].ports[strand.left_node, strand.bond]
        into = put[strand.right].ports[strand.right_node, strand.bond][::-1]
        start, end = out[-1][1], into[0][1]
        corners = _corners(tracks, start, end)
        points = _without_middles((*out, (near, start), *corners, (far, end), *into))
        if strand.bond.tail != strand.left_node:
            points = points[::-1]
        wires.append(Wire(strand.bond, points, words.of_bond(strand.bond), words.is_conflict(strand.bond)))
    return wires


Way = tuple[float, tuple[float, ...], float]  # x of the column left, tracks on the way (x, or x, y, x), x of the next


def _across(band: Band, c: int, track: int | None) -> Way:
    """From a column to the next one in the same band."""
    x = band.right[c] + ((track or 0) + 1) * TRACK
    return band.right[c], (x,) if track is not None else (), band.left[c + 1]


def _around(band: Band, after: Band, strands: list[Strand], put: dict[str, Placed], edge: float) -> list[Way]:
    """From the end of a band to the beginning of the next: nested, so that bonds in order do not cross."""
    count = len(strands)
    targets = [put[s.right].ports[s.right_node, s.bond][-1][1] for s in strands]
    rank = {i: k for k, i in enumerate(sorted(range(count), key=targets.__getitem__))}
    near, far = band.right[band.columns[-1]], after.left[after.columns[0]]
    return [
        (near, (edge + (count - i) * TRACK, band.bottom + (count - i) * TRACK, far - (rank[i] + 1) * TRACK), far)
        for i in range(count)
    ]


def _corners(tracks: tuple[float, ...], start: float, end: float) -> tuple[Point, ...]:
    if len(tracks) == 3:
        out, level, back = tracks
        return (out, start), (out, level), (back, level), (back, end)
    return tuple(p for x in tracks for p in ((x, start), (x, end)))


def _without_middles(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The corners without points on a straight line between two others."""
    kept = [points[0]]
    for here, after in zip(points[1:], (*points[2:], None), strict=True):
        before = kept[-1]
        if here == before or (after and any(abs(before[i] - here[i]) + abs(here[i] - after[i]) < 1e-6 for i in (0, 1))):
            continue
        kept.append(here)
    return tuple(kept)
