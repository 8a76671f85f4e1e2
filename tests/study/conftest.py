"""What tests of studies share."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Interruptions are heard: shells let processes in the background ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
