"""Draw which folder of the package imports which, as docs/architecture/folders.svg.

python -m tools.folders
"""

from pathlib import Path
from xml.etree import ElementTree as ET

import grimp
import networkx as nx

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "architecture" / "folders.svg"
PACKAGE = "trundle"
BOX, ROW, COLUMN, MARGIN = (130.0, 26.0), 62.0, 150.0, 14.0
COLOURS = {"fill": "#eef3f8", "stroke": "#35618e", "edge": "#8898a8", "text": "#1a1a1a"}
# Small modules that are used everywhere, which would clutter the picture.
EVERYWHERE = {
    "errors",
    "typing",
    "atomic_write",
    "version",
    "messages",
    "symbols",
    "real_array",
    "garbage_collection",
    "data_file",
}
# Lazy imports, which `make lint` lists; they are not part of the data flow.
SHOWN = ("bond_graph", "run", "lookup", "model", "study", "system")
LAZY = {("model", "system"), ("run", "system"), *((part, "view") for part in SHOWN)}


def imports() -> nx.DiGraph:
    """Folders and modules of the package, with an edge from each to those that it imports."""
    modules = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True, cache_dir=None)
    graph = nx.DiGraph()
    parts = {m: m.split(".")[1] for m in modules.modules if m != PACKAGE}
    graph.add_nodes_from(set(parts.values()) - EVERYWHERE)
    for importer, part in parts.items():
        for imported in modules.find_modules_directly_imported_by(importer):
            other = parts.get(imported, part)
            if other != part and other not in EVERYWHERE and (part, other) not in LAZY:
                graph.add_edge(part, other)
    return graph


def draw(graph: nx.DiGraph) -> str:
    """SVG of the graph without implied edges; imported folders are below those that import them."""
    reduced = nx.transitive_reduction(graph)
    rank = dict.fromkeys(reduced, 0)
    for node in reversed(list(nx.lexicographical_topological_sort(reduced))):
        rank[node] = max((rank[below] + 1 for below in reduced.successors(node)), default=0)
    rows = [sorted(n for n in reduced if rank[n] == level) for level in range(max(rank.values()) + 1)]
    x = _columns(reduced, rows)
    width = max(x.values()) + BOX[0] + 2 * MARGIN
    height = (len(rows) - 1) * ROW + BOX[1] + 2 * MARGIN
    y = {node: height - MARGIN - BOX[1] - rank[node] * ROW for node in reduced}
    svg = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:.0f} {height:.0f}", width=f"{width:.0f}"
    )
    ET.SubElement(svg, "title").text = "Which folder of trundle imports which"
    ET.SubElement(svg, "rect", width="100%", height="100%", fill="white")
    for above, below in sorted(reduced.edges):
        x0, y0 = x[above] + MARGIN + BOX[0] / 2, y[above] + BOX[1]
        x1, y1 = x[below] + MARGIN + BOX[0] / 2, y[below]
        bend = 0.55 * (y1 - y0)
        way = f"M{x0:.0f},{y0:.0f} C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} {x1:.0f},{y1:.0f}"
        ET.SubElement(svg, "path", {"d": way, "fill": "none", "stroke": COLOURS["edge"], "stroke-width": "1.2"})
    for node in sorted(reduced):
        at = {
            "x": f"{x[node] + MARGIN:.0f}",
            "y": f"{y[node]:.0f}",
            "width": f"{BOX[0]:.0f}",
            "height": f"{BOX[1]:.0f}",
        }
        ET.SubElement(svg, "rect", {**at, "rx": "5", "fill": COLOURS["fill"], "stroke": COLOURS["stroke"]})
        place = {"x": f"{x[node] + MARGIN + BOX[0] / 2:.0f}", "y": f"{y[node] + 17:.0f}", "text-anchor": "middle"}
        font = {"font-family": "sans-serif", "font-size": "13", "fill": COLOURS["text"]}
        ET.SubElement(svg, "text", {**place, **font}).text = node
    ET.indent(svg)
    return ET.tostring(svg, encoding="unicode") + "\n"


def _columns(graph: nx.DiGraph, rows: list[list[str]]) -> dict[str, float]:
    """Places from left to right: each row in the order of the means of its neighbours below."""
    widest = max(map(len, rows)) * COLUMN
    x: dict[str, float] = {}
    for row in rows:
        mean = {n: sum(x[b] for b in below) / len(below) for n in row if (below := sorted(graph.successors(n)))}
        ordered = sorted(row, key=lambda n: (mean.get(n, widest / 2), n))
        left = (widest - len(row) * COLUMN) / 2
        x.update({node: left + i * COLUMN for i, node in enumerate(ordered)})
    return x


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw(imports()), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
