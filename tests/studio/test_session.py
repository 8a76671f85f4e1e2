"""Responses of the studio: models, faults with their lines, runs, eigenvalues, files."""

import base64
import runpy
from pathlib import Path

import numpy as np
import pytest
import yaml

import trundle as tr
from trundle import examples
from trundle.errors import FileError, SolveError, TrundleError, UnknownNameError
from trundle.studio.faults import in_words
from trundle.studio.request import Settings, read_settings
from trundle.studio.rewrite import with_values
from trundle.studio.session import Session
from trundle.view.page.pack import pack, unpack

PENDULUM = examples.find("simple-pendulum").path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pendulum() -> Session:
    session = Session()
    session.answer("example", {"name": "simple-pendulum"})
    return session


def line_of(text: str) -> int:
    return PENDULUM[: PENDULUM.index(text)].count("\n") + 1


def asked(parameters=None, start=None, duration=1.0, **more):
    return {"parameters": parameters or {}, "start": start or {}, "duration": duration, **more}


def test_a_model_is_reported_with_its_values(pendulum: Session) -> None:
    told = pendulum.answer("begin", {})["model"]
    assert [p["name"] for p in told["parameters"]] == ["l", "m", "g"]
    assert told["start"][0] == {"name": "pivot.angle", "value": np.pi, "unit": "rad", "given": True} | {
        "text": told["start"][0]["text"]
    }
    assert told["start"][1]["name"] == "pivot.angle_rate" and not told["start"][1]["given"]
    structure = pendulum.answer("structure", {})
    assert "1 degree" in structure["describe"] and structure["rows"][0][0] == "pivot" and "<svg" in structure["svg"]
    names = [e["name"] for e in Session().answer("begin", {})["examples"]]
    assert names == examples.names()


def test_runs_follow_parameters_and_start_values(pendulum: Session) -> None:
    shown = pendulum.answer("run", asked({"l": 2.0}, {"pivot.angle": 0.5}, 3.0))
    unpack(pack(shown))  # it can be sent
    expected = examples.model("simple-pendulum").build().simulate(3.0, {"pivot.angle": 0.5}, {"l": 2.0})
    assert np.array_equal(pendulum.last.values("pivot.angle"), expected.values("pivot.angle"))
    # shapes of the file follow the parameter too, in the picture and in the stored result
    assert pendulum.last.shapes["bar"][1].at == (2.0, 0.0, 0.0)
    assert "[2.0, 0.0, 0.0]" in pendulum.last.dataset.attrs["geometry"]
    (curve,) = pendulum.answer("quantity", {"name": "energy.kinetic"})
    assert np.allclose(curve["y"], expected.values("energy.kinetic"))
    pendulum.answer("keep", {"on": True})
    again = pendulum.answer("run", asked({"l": 1.5}, duration=3.0))
    assert len(again["scenes"]) == 2 and again["scenes"][1]["name"] == "l = 2" and again["compared"]
    pendulum.answer("keep", {"on": False})


def test_a_start_that_is_an_expression_follows_its_parameter() -> None:
    session = Session()
    session.answer("example", {"name": "ball-in-bowl"})
    found = session.answer("run", asked({"height": 0.7}, duration=0.2))
    assert found["start"]["ball.pitch"] == 0.7
    assert session.last.values("ball.pitch")[0] == pytest.approx(0.7)


def test_eigenvalues_over_a_parameter(pendulum: Session) -> None:
    given = {"over": "l", "first": 0.5, "last": 2.0, "count": 7, "about": "equilibrium"}
    found = pendulum.answer("eigenvalues", asked(start={"pivot.angle": -1.5}, **given))
    omega = np.sqrt(9.81 / np.linspace(0.5, 2.0, 7))
    assert np.allclose([np.sort(np.abs(c["y"])) for c in found["imaginary"]], np.sort(omega), rtol=1e-9)
    heavier = pendulum.answer("eigenvalues", asked({"g": 4 * 9.81}, {"pivot.angle": -1.5}, **given))
    assert np.allclose(np.abs(heavier["imaginary"][0]["y"]), 2 * omega, rtol=1e-9)
    for wrong, words in ((given | {"last": 0.1}, "from a lower"), (given | {"over": "k"}, "called 'k'")):
        with pytest.raises(TrundleError, match=words):
            pendulum.answer("eigenvalues", asked(**wrong))


def test_script_repeats_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.answer(
        "text", {"text": PENDULUM.replace("value: 1.0, unit: m,", "value: 1.3, unit: m,"), "name": "my.yaml"}
    )
    session.answer("run", asked(duration=1.0))
    session.answer("keep", {"on": True})
    for l in (1.5, 1.7, 1.9):  # a slider that moves is one action
        session.answer("run", asked({"l": l}, {"pivot.angle_rate": 0.25}, automatic=True))
    over = {"over": "l", "first": 0.5, "last": 2.0, "count": 3, "about": "equilibrium"}
    session.answer("eigenvalues", asked(start={"pivot.angle": -1.5}, **over))
    saved = session.answer("save", asked(what="script"))
    assert saved["name"] == "my.py"
    text = base64.b64decode(saved["content"]).decode()
    assert text.count("system.simulate(") == 2 and "compare=run_1" in text
    (tmp_path / "my.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("my.py")
    again = tr.load(tmp_path / "run-2.nc")
    assert np.array_equal(again.values("pivot.angle"), session.last.values("pivot.angle"))
    result = base64.b64decode(session.answer("save", asked(what="result"))["content"])
    (tmp_path / "result.nc").write_bytes(result)
    assert np.array_equal(tr.load(tmp_path / "result.nc").values("height"), session.last.values("height"))


def test_faults_are_reported_with_their_lines() -> None:
    session = Session()
    cases = {
        PENDULUM.replace("second: bar", "second: rod"): (line_of("second: bar"), "rod"),
        PENDULUM.replace("mass: m\n", "mas: m\n"): (line_of("mass: m"), "mas"),
        PENDULUM.replace("start:\n  pivot", "start:\n  pivvot"): (line_of("pivot.angle: pi"), "pivvot"),
        "name: [1, 2\nbodies: }": (2, "not valid YAML"),
        "\x00\x01 damaged": (0, ""),
    }
    for text, (line, part) in cases.items():
        with pytest.raises(TrundleError) as caught:
            session.answer("text", {"text": text, "name": "my.yaml"})
        found = in_words(caught.value)["faults"]
        assert any((number == line or not line) and part in words for number, words in found), found
    with pytest.raises(SolveError, match="no model is open"):
        session.answer("run", asked())


def test_invalid_requests_of_a_page(pendulum: Session) -> None:
    for question, given in (
        ("run", asked({"l": float("nan")})),
        ("run", asked({"l": "2"})),
        ("run", asked({"nonsense": 1.0})),
        ("run", asked(duration=-1.0)),
        ("run", asked(method="magic")),
        ("run", {"parameters": [], "duration": 1}),
        ("save", asked(what="../secret")),
        ("text", {"text": 3}),
        ("number", {"text": "__import__('os')"}),
        ("__init__", {}),
    ):
        with pytest.raises(TrundleError):
            pendulum.answer(question, given)
    assert pendulum.answer("number", {"text": "pi/3"}) == np.pi / 3


def test_stopping_a_run(pendulum: Session) -> None:
    pendulum.answer("run", asked(duration=0.1))
    tell = pendulum._tell

    def stop_at_once(t: float) -> None:
        pendulum.stopping = True
        tell(t)

    pendulum._tell = stop_at_once  # type: ignore[method-assign]
    found = pendulum.answer("run", asked(duration=1e4))
    del pendulum._tell
    assert not found["ok"] and found["outcome"].startswith("INTERRUPTED")
    assert 0 < pendulum.reached < 1e4


def test_values_written_into_a_file_leave_the_rest() -> None:
    settings = Settings({"l": 1.25}, {"pivot.angle": -0.5, "pivot.angle_rate": 2.0}, 4.0)
    text = with_values(PENDULUM, settings)
    found = yaml.safe_load(text)
    assert found["parameters"]["l"] == {"value": 1.25, "unit": "m", "text": "length of the bar"}
    assert found["start"] == {"pivot.angle": -0.5, "pivot.angle_rate": 2.0} and found["run"]["duration"] == 4.0
    assert text.startswith(PENDULUM.split("\n")[0])  # comments stay
    slide = "{pair: Prismatic, axis: x, first: ground, second: b}"
    bare = f"name: a\nparameters: {{k: 2}}\nbodies: {{b: {{mass: k}}}}\nconnections: {{j: {slide}}}"
    found = yaml.safe_load(with_values(bare, Settings({"k": 3.0}, {"j.displacement": 1.0}, 2.0)))
    assert found["parameters"] == {"k": 3.0} and found["start"] == {"j.displacement": 1.0}
    assert found["run"] == {"duration": 2.0}
    assert yaml.safe_load(with_values(bare + "\nstart: {}\n", Settings({}, {"j.displacement": 1.0}, 2.0)))["start"]
    shared = bare.replace("{k: 2}", "{k: &two 2, c: *two}")
    with pytest.raises(FileError, match="by hand"):
        with_values(shared, Settings({"c": 3.0}, {}, 2.0))


def test_settings_of_an_example_made_in_python(tmp_path: Path) -> None:
    session = Session()
    told = session.answer("example", {"name": "chain", "sizes": {"n": 2}})
    assert told["sizes"] == {"n": 2} and not told["editable"] and "def chain" in told["text"]
    session.answer("run", asked(duration=0.1))
    with pytest.raises(SolveError, match="made in Python"):
        session.answer("save", asked(what="model"))
    text = base64.b64decode(session.answer("save", asked(what="script"))["content"]).decode()
    assert "examples.model('chain', n=2)" in text
    with pytest.raises(UnknownNameError):
        read_settings(asked(method="magic"))
