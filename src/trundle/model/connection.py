"""A connection: a pair between two frames, with laws on its free bonds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from trundle.model.body import Body, Frame
from trundle.model.law import Law
from trundle.pairs.lower import Pair


@final
@dataclass(frozen=True, eq=False)
class Connection:
    """`pair` between a frame on the first and a frame on the second body; they coincide when all coordinates
    are zero.
    """

    name: str
    pair: Pair
    first: Frame
    second: Frame
    laws: Mapping[str, Law] = field(default_factory=dict)  # coordinate name -> law

    @property
    def bodies(self) -> tuple[Body, Body]:
        return self.first.body, self.second.body
