"""The seal of each bond, as rows of a table."""

from typing import TYPE_CHECKING

from trundle.model.seal import VARIABLES

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph

HEADER = ("connection", "bonds", "variables", "sealed by", "element", "by")


def seal_rows(graph: "BondGraph") -> list[tuple[str, ...]]:
    """Bonds of a connection with equal seals share a row; efforts that add up share a bond.

    Laws and forces on coordinates of a contact that are not bonds follow as "chain yaw" and so on.
    """
    rows: dict[tuple[str, ...], list[str]] = {}
    for seal in graph.seals:
        flow, effort = VARIABLES[seal.bond]
        kind = "flow" if seal.imposes_flow else "effort"
        row = (seal.connection, f"({flow}, {effort})", kind, "+".join(seal.elements), seal.by)
        rows.setdefault(row, []).append(seal.called or seal.bond)
    for chain in graph.chain:
        seal, (flow, effort) = chain.seal, chain.variables
        kind = "flow" if seal.imposes_flow else "effort"
        row = (seal.connection, f"({flow}, {effort})", kind, "+".join(seal.elements), seal.by)
        rows.setdefault(row, []).append(f"chain {seal.called}")
    return [(connection, ", ".join(bonds), *rest) for (connection, *rest), bonds in rows.items()]
