"""Answers of a system by name."""

from typing import NoReturn, TypeVar

from trundle.errors import UnknownNameError

Answer = TypeVar("Answer")


class Answers(dict[str, Answer]):
    """Numbers and vectors by name; the error for an unknown name suggests similar ones."""

    def __missing__(self, name: object) -> NoReturn:
        raise UnknownNameError(str(name), self, "quantity among these answers")
