"""The verb `pairs`: which surfaces can touch, and the table of surfaces that two joints sweep."""

import re

from typer.testing import CliRunner

from trundle.cli import app
from trundle.pairs import HigherPair, edges, surfaces, table
from trundle.view.tables import samples


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["pairs", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_every_surface_and_every_refusal_is_reported() -> None:
    words = " ".join(call().split())
    for kind in (*surfaces(of_user=False), *edges(of_user=False)):
        assert kind.__name__ in words
    assert "82 of the 91 pairs can" in words
    assert "Plane with Plane: two planes lie on each other; use tr.Planar()." in words
    assert "Plane with Cylinder, Cone, TangentSurface, LineEdge: it touches a plane along a straight line" in words
    assert "Vertex with CircleEdge, LineEdge, HelixEdge: a vertex on an edge" in words
    assert max(map(len, call().splitlines())) <= 100


def test_the_count_is_that_of_pairs_that_can_be_made() -> None:
    made, kinds = 0, samples()
    for i, a in enumerate(kinds):
        for b in kinds[i:]:
            try:
                HigherPair(a, b)
            except Exception as error:
                assert "is not a point contact" in str(error)
            else:
                made += 1
    assert made == 82


def test_the_table_of_pairs_is_printed() -> None:
    lines = call("--table").splitlines()
    rows = [re.split(r"\s{2,}", line) for line in lines[2:-1]]
    assert rows == [[row.first, row.second, row.surface, row.condition] for row in table()]
    assert len(rows) == 16
    assert lines[-1].startswith("s: distance of the point")


def test_help_with_an_example() -> None:
    assert "Example: trundle pairs --table" in call("--help")
