"""`trundle warm` compiles in advance what first runs would wait for."""

from typer.testing import CliRunner

from trundle.cli import app
from trundle.command import warm
from trundle.kernel import compiled


def test_warm_prepares_every_loop_and_the_models_that_are_named(monkeypatch):
    asked = []
    monkeypatch.setattr(compiled, "address", lambda part, home: asked.append((part, home)))
    told = warm.warm_loops()
    assert ("advance", "trundle.integrate.loop") in asked and ("average", "trundle.view.movie.floor") in asked
    assert told.startswith(f"{len(asked)} time loops ready in ")
    monkeypatch.undo()
    monkeypatch.setattr(warm, "warm_loops", lambda: "loops")
    told = CliRunner().invoke(app, ["warm", "simple-pendulum"])
    assert told.exit_code == 0 and "loops\nsimple pendulum ready in " in told.output
    assert CliRunner().invoke(app, ["warm", "simple-pendulim"]).exit_code == 2
