"""A system cannot be changed, and says where to find what it does not have."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

ELSEWHERE = {
    "eigenvalues": "system.linearise(...).eigenvalues",
    "eigenvectors": "system.linearise(...)",
    "run": "system.simulate(duration)",
    "solve": "system.simulate(duration)",
    "integrate": "system.simulate(duration)",
    "plot": "run = system.simulate(duration) and run.plot(...)",
    "draw": "run = system.simulate(duration) and run.draw()",
    "show": "run = system.simulate(duration) and run.show()",
}
"""What new users look for, and where it is."""


class Unchangeable:
    """What is made once: `formulation` is set, and nothing after it. Copies of it are itself."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "formulation":
            raise AttributeError(
                f"a System cannot be changed, and has no attribute {name!r}. Pass start values and parameters to "
                f"each call, "
                "system.simulate(2.0, {'bob.angle': 0.5}, {'length': 0.4}), or into the model before m.build().",
                name=name, obj=self,
            )  # fmt: skip
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # a checker shall not take every name for an attribute

        def __getattr__(self, name: str) -> object:
            if name in ELSEWHERE:
                raise AttributeError(f"a System has no {name!r}: ask {ELSEWHERE[name]}.", name=name, obj=self)
            near = get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise AttributeError(f"a System has no attribute {name!r}.{hint}", name=name, obj=self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self
