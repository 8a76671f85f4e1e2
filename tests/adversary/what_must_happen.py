"""Expectations of the tables of nasty models: refused with a message, ended with a named outcome, or right."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import TrundleError

Start = Mapping[str, Any]
Expectation = Callable[[Any], None]
Table = dict[str, tuple[Any, Expectation]]


def made(make: Callable[[], Any]) -> Callable[[], Any]:
    """An error raised while the model is being built."""
    return make


def built(make: Callable[[], tr.Model]) -> Callable[[], Any]:
    """A model that is wrong when it is built."""
    return lambda: make().build()


def asked(make: Callable[[], tr.Model], question: Callable[[Any], Any]) -> Callable[[], Any]:
    """An invalid request to a built model."""
    return lambda: question(make().build())


def refused(pattern: str, start: Start | None = None) -> Expectation:
    """An error of Trundle whose text matches; for a model with start values, when it is run from them."""

    def check(what: Any) -> None:
        with pytest.raises(TrundleError) as caught:
            what.build().simulate(0.1, start) if isinstance(what, tr.Model) else what()
        text = str(caught.value)
        assert re.search(pattern, text, re.DOTALL), text
        assert "casadi" not in text.lower()

    return check


def ends(names: str, start: Start | None = None, duration: float = 0.5, **options: Any) -> Expectation:
    """A run that ends before its time with one of these outcomes, in a sentence; all that is kept is finite."""

    def check(model: tr.Model) -> None:
        run = model.build().simulate(duration, start, **options)
        assert not run.ok and re.match(names, run.outcome), run.outcome
        assert len(run.outcome) > 40
        assert all(np.all(np.isfinite(run.values(name))) for name in run.coordinates)

    return check


def finishes(start: Start | None = None, duration: float = 0.5, drift: float = 1e-8, **options: Any) -> Expectation:
    """A nasty model that is possible: the run finishes and its energy balance holds."""

    def check(model: tr.Model) -> None:
        run = model.build().simulate(duration, start, **options)
        assert run.ok, run.outcome
        assert all(np.all(np.isfinite(run.values(name))) for name in run.coordinates)
        assert run.energy.drift < drift, run.energy.drift

    return check
