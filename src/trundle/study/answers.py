"""Answers of a system by name."""

from typing import NoReturn, TypeVar

from trundle.errors import UnknownNameError

Answer = TypeVar("Answer")


class Answers(dict[str, Answer]):
    """Numbers and vectors by name; the error for an unknown name suggests similar ones."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        few = ", ".join(map(repr, list(self)[:3]))
        raise AttributeError(
            f"these are values by name, such as {few}; they have no {name!r}. Write answers[name], or "
            "dict(answers) for all of them.", name=name, obj=self,
        )  # fmt: skip

    def __missing__(self, name: object) -> NoReturn:
        raise UnknownNameError(str(name), self, "quantity among these answers")
