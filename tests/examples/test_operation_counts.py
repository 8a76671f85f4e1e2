"""No example needs more operations than before: a run is as fast as its right-hand side."""

import pytest
from operations import FILE, cases, count, known

GROWTH = 0.02


@pytest.mark.parametrize(("name", "formalism"), list(cases()))
def test_no_function_grows(name: str, formalism: str) -> None:
    before, now = known()[formalism][name], count(name, formalism)
    grown = {k: (before.get(k, 0), n) for k, n in now.items() if n > (1 + GROWTH) * before.get(k, 0)}
    assert not grown, f"(before, now) of {grown}; where that pays: python tests/examples/operations.py --write"


def test_the_file_has_these_models_and_no_others() -> None:
    assert {(name, formalism) for formalism, of in known().items() for name in of} == set(cases()), FILE
