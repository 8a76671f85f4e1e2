"""The kinematic structure as a picture: links as boxes, joints by their letters, loops as rings."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch

from trundle.graph.structure import KINDS, Structure
from trundle.typing import Untyped
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, point2, style

TREE, CUT, LINK = COLOURS[0], COLOURS[1], "#EEF2F6"
RADIUS, DOT = 0.27, 0.05  # of a joint and of a link without a name, in lengths of an edge
STARTS = 24  # random initial layouts, of which the best result is used
MOST_RINGS, MOST_FACES = 30, 4  # initial layouts with a ring or face on a circle
POWERS = (2, 3, 4)  # of distances, by which near neighbours count
STEPS, SETTLED = 300, 1e-3  # of the search for least stress; a move that ends it, in lengths of an edge
FAULT = 10.0  # penalty of a crossing or an overlap, in stresses of a node


def draw_structure(
    structure: Structure, title: str = "", freedoms: str = "", path: Path | str | None = None, width: float = 8.5
) -> Figure:
    """Links, joints and loops; `freedoms` is a sentence below the picture."""
    places = place(structure)
    n = len(structure.links)
    room = np.array([*(_half_sizes(name) for name in structure.links), *([(RADIUS, RADIUS)] * len(structure.joints))])
    low, high = (places - room).min(axis=0) - 0.1, (places + room).max(axis=0) + 0.1
    key = [
        f"{joint.letter}{i}  {', '.join(joint.coordinates) or joint.connection}"
        for i, joint in enumerate(structure.joints, 1)
    ]
    height = max(width * 0.62 * (high[1] - low[1]) / (high[0] - low[0]), 0.19 * len(key) + 0.4, 2.2)
    with style():
        figure = new_figure(width, min(height, 1.4 * width) + 0.9, title)
        panel, words = figure.subplots(1, 2, width_ratios=(2.4, 1))
        for axes in (panel, words):
            axes.set_axis_off()
        panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        for i, joint in enumerate(structure.joints):
            colour = CUT if joint.closes else TREE
            for link in (joint.first, joint.second):
                ends = np.array([places[n + i], places[link]])
                panel.plot(ends[:, 0], ends[:, 1], color=QUIET, linewidth=1.4, zorder=1)
            panel.add_patch(
                Circle(point2(places[n + i]), RADIUS, facecolor="white", edgecolor=colour, linewidth=1.6, zorder=3)
            )
            panel.text(
                *point2(places[n + i]), f"{joint.letter}{i + 1}", ha="center", va="center", fontsize=8.5, zorder=4
            )
        for i, name in enumerate(structure.links):
            _draw_link(panel, places[i], name, ground=i == 0)
        for row, text in enumerate(key):
            colour = CUT if structure.joints[row].closes else INK
            words.text(0, 1 - (row + 0.5) / max(len(key), 12), text, fontsize=8.5, va="center", color=colour)
        used = dict.fromkeys(joint.letter for joint in structure.joints)
        handles = [Line2D([], [], linestyle="", label=f"{letter}: {KINDS[letter]}") for letter in used]
        handles += [
            Line2D([], [], marker="o", markerfacecolor="white", linestyle="", color=c, label=t)
            for c, t in ((TREE, "joint of the tree"), (CUT, "closes a loop"))
            if c == TREE or any(joint.closes for joint in structure.joints)
        ]
        figure.legend(
            handles=handles,
            loc="outside lower left",
            ncols=6,
            handlelength=1.0,
            columnspacing=1.2,
            title=freedoms,
            alignment="left",
        )
        return finish(figure, path)


def _draw_link(panel: Axes, at: np.ndarray, name: str, ground: bool) -> None:
    if not name:
        panel.add_patch(Circle(point2(at), DOT, color=QUIET, zorder=2))
        return
    wide, high = _half_sizes(name)
    corner = at[0] - wide, at[1] - high
    shape: Untyped = FancyBboxPatch(
        corner, 2 * wide, 2 * high, "round,pad=0,rounding_size=0.06", facecolor=LINK, edgecolor=INK, zorder=3,
        hatch="////" if ground else None, linewidth=1.2,
    )  # fmt: skip
    panel.add_patch(shape)
    face = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if ground else None
    panel.text(*point2(at), name, ha="center", va="center", fontsize=8.5, zorder=4, bbox=face)


def place(structure: Structure) -> np.ndarray:
    """Positions (n, 2) of links, then of joints: distances on paper approximate those along the structure, so that
    loops become rings; the ground is below. Least squares by majorisation [Gansner et al. 2004].
    """
    n, m = len(structure.links), len(structure.joints)
    distance = np.full((n + m, n + m), np.inf)
    np.fill_diagonal(distance, 0.0)
    for i, joint in enumerate(structure.joints, n):
        for link in (joint.first, joint.second):
            name = structure.links[link]
            distance[i, link] = distance[link, i] = 0.65 + 0.035 * len(name) if name else 0.45
    for k in range(n + m):
        distance = np.minimum(distance, distance[:, k, None] + distance[k])
    distance[~np.isfinite(distance)] = np.max(distance[np.isfinite(distance)]) + 1.0
    halves = np.array([*(_half_sizes(name) for name in structure.links), *([(RADIUS, RADIUS)] * m)])
    edges = np.array([(i, link) for i, j in enumerate(structure.joints, n) for link in (j.first, j.second)])
    edges = edges.reshape(-1, 2)
    best, least = np.zeros((n + m, 2)), np.inf
    rings = _rings(edges, n + m)
    noise = [np.random.default_rng(start).normal(size=(n + m, 2)) for start in range(STARTS)]
    starts = [(x, POWERS[k % 3], STEPS) for k, x in enumerate(noise)]
    starts += [(_spread(edges, ring, 0.02 * noise[0]), power, STEPS) for ring in rings for power in POWERS]
    last = ((x, power, steps) for x in unfolded(edges, n + m) for power in POWERS for steps in (0, 5, 20, 80))
    for x, power, steps in chain(starts, last):
        if steps < STEPS and least < FAULT:
            break  # nothing is left to unfold
        # The higher the power, the more neighbours count: rings then open where the whole would fold them.
        weight = 1 / np.where(distance > 0, distance, 1.0) ** power * (distance > 0)
        x, stress = _majorise(distance, weight / weight.mean(), x, steps)
        x = _pushed_apart(upright(x), halves + 0.04)
        fault = FAULT * (overlaps(x, halves) + crossings(x, edges) + hidden(x, edges, halves)) + stress / n
        if fault < least - 1e-9:
            best, least = x, fault
    return best


def upright(x: np.ndarray) -> np.ndarray:
    """Rotate the layout so that the ground, which is the first, is below the centre."""
    up = x.mean(axis=0) - x[0]
    angle = np.pi / 2 - np.arctan2(up[1], up[0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned: np.ndarray = (x - x[0]) @ turn.T
    return turned


def _pushed_apart(x: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Positions after overlapping symbols are moved apart, each by half of the shorter distance."""
    x = x.copy()
    for _ in range(60):
        between = x[:, None] - x[None]
        depth = halves[:, None] + halves[None] - np.abs(between)
        hit = np.triu(np.all(depth > 1e-9, axis=-1), 1)
        if not hit.any():
            break
        for i, k in np.argwhere(hit):
            axis = int(np.argmin(depth[i, k]))
            step = (depth[i, k, axis] + 0.01) / 2 * (1.0 if between[i, k, axis] >= 0 else -1.0)
            x[i, axis] += step
            x[k, axis] -= step
    return x


def overlaps(x: np.ndarray, halves: np.ndarray) -> int:
    """Number of pairs of symbols that overlap; `halves` are half widths and half heights."""
    apart = np.any(np.abs(x[:, None] - x[None]) > halves[:, None] + halves[None], axis=-1)
    return int(np.sum(np.triu(~apart, 1)))


def crossings(x: np.ndarray, edges: np.ndarray) -> int:
    """Number of pairs of edges that cross."""
    a, b = x[edges[:, 0]], x[edges[:, 1]]

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        u, v = q - p, r - p
        return np.asarray(np.sign(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]))

    A, B, C, D = a[:, None], b[:, None], a[None], b[None]
    meet = (side(A, B, C) != side(A, B, D)) & (side(C, D, A) != side(C, D, B))
    shared = np.any(edges[:, None, :, None] == edges[None, :, None, :], axis=(-1, -2))
    return int(np.sum(np.triu(meet & ~shared, 1)))


def hidden(x: np.ndarray, edges: np.ndarray, halves: np.ndarray) -> int:
    """Number of edges that run behind symbols that are not their own."""
    if not len(edges):
        return 0
    a, b = x[edges[:, 0]], x[edges[:, 1]]
    along = a[:, None] + np.linspace(0, 1, 25)[:, None] * (b - a)[:, None]  # points on each edge
    behind = np.all(np.abs(along[:, :, None] - x) < halves, axis=-1).any(axis=1)
    behind[np.arange(len(edges))[:, None], edges] = False
    return int(behind.sum())


def _half_sizes(name: str) -> tuple[float, float]:
    """Of a link's symbol."""
    return (0.06 * len(name) + 0.15, 0.2) if name else (DOT, DOT)


def _rings(edges: np.ndarray, n: int) -> list[list[int]]:
    """Rings of nodes: those that each edge outside a spanning tree closes, and those around two of them."""
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(int(b))
        near[b].append(int(a))
    parent, order = {0: 0}, [0]
    for node in order:
        for other in near[node]:
            if other not in parent:
                parent[other] = node
                order.append(other)
    closed: list[frozenset[frozenset[int]]] = []
    for a, b in edges:
        if parent.get(int(a)) == b or parent.get(int(b)) == a:
            continue
        ring = {frozenset((int(a), int(b)))}
        for node in (int(a), int(b)):
            while node != 0:
                ring ^= {frozenset((node, parent[node]))}
                node = parent[node]
        closed.append(frozenset(ring))
    closed += [a ^ b for i, a in enumerate(closed) for b in closed[:i] if a & b]
    return [walk for walk in map(_walk, closed[:MOST_RINGS]) if walk]


def _walk(ring: frozenset[frozenset[int]]) -> list[int]:
    """The nodes of a ring in order; none if its edges are not one ring."""
    left = set(ring)
    start, node = min(left, key=sorted)
    path = [start]
    left.remove(frozenset((start, node)))
    while node != start:
        path.append(node)
        onward = [edge for edge in left if node in edge]
        if len(onward) != 1:
            return []
        left.remove(onward[0])
        (node,) = onward[0] - {node}
    return path if not left else []


def _spread(edges: np.ndarray, ring: list[int], x: np.ndarray, strength: np.ndarray | None = None) -> np.ndarray:
    """A ring on a circle and every other node in the middle of its neighbours [Tutte 1963], with small deviations;
    edges pull equally, or by their strengths.
    """
    n = len(x)
    pull = np.zeros((n, n))
    pull[edges[:, 0], edges[:, 1]] = pull[edges[:, 1], edges[:, 0]] = 1.0 if strength is None else strength
    laplace = np.diag(pull.sum(axis=1)) - pull
    angles = 2 * np.pi * np.arange(len(ring)) / len(ring)
    fixed = len(ring) / 6 * np.column_stack([np.cos(angles), np.sin(angles)])
    inner = [i for i in range(n) if i not in set(ring)]
    placed = x.copy()
    placed[ring] += fixed
    if inner:
        placed[inner] += np.linalg.lstsq(laplace[np.ix_(inner, inner)], -laplace[np.ix_(inner, ring)] @ fixed)[0]
    return placed


def unfolded(edges: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """Layouts without crossings, if they exist: one of the largest faces is outside, and a node in each other face
    keeps it open.
    """
    planar, drawn = nx.check_planarity(nx.Graph(edges.tolist()))
    if not planar:
        return
    seen: set[tuple[int, int]] = set()
    faces = [drawn.traverse_face(a, b, seen) for a, b in drawn.edges() if (a, b) not in seen]
    faces = sorted((face for face in faces if len(set(face)) == len(face) > 2), key=len, reverse=True)
    for outer in range(min(len(faces), MOST_FACES)):
        held = [(n + k, node) for k, face in enumerate(faces) if k != outer for node in face]
        both = np.array([*edges.tolist(), *held])
        for weak in (0.05, 0.3):
            strength = np.where(np.arange(len(both)) < len(edges), 1.0, weak)
            x = _spread(both, faces[outer], np.zeros((n + len(faces), 2)), strength)
            yield x[:n]
            yield 1.5 * x[:n]


def _majorise(distance: np.ndarray, weight: np.ndarray, x: np.ndarray, steps: int) -> tuple[np.ndarray, float]:
    """Places of less stress from a start, and the stress."""
    laplace = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplace)
    for _ in range(steps):
        between = np.linalg.norm(x[:, None] - x[None], axis=-1)
        pull = weight * distance / np.where(between > 1e-12, between, 1.0)
        before, x = x, inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ x)
        if np.max(np.abs(x - before)) < SETTLED:
            break
    between = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return x, float(np.sum(weight * (between - distance) ** 2))
