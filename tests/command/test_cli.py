"""The command line: what it prints, what it writes, and its exit codes."""

import re
from importlib import import_module

import pytest
from typer.testing import CliRunner

import trundle
from trundle import examples
from trundle.cli import app, main
from trundle.command.examples import example_list
from trundle.system import System

EARLY = """
name: early end
parameters: {limit: 0.25}
bodies: {block: {mass: 1, inertia: 1}}
connections:
  guide: {pair: Prismatic, axis: z, first: ground, second: block, law: {motor: sqrt(limit + q)}}
run: {duration: 5}
"""


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def words(result):
    """All that was printed, with the frames and line breaks of the terminal taken out."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


@pytest.fixture
def early(tmp_path):
    path = tmp_path / "early.yaml"
    path.write_text(EARLY, encoding="utf-8")
    return path


def test_version_is_printed():
    assert call("--version").output == f"trundle {trundle.__version__}\n"


@pytest.mark.parametrize("verb", ["run", "check", "graph", "describe", "eigen", "equilibrium", "examples", "bench"])
def test_every_verb_has_help_with_an_example(verb):
    result = call(verb, "--help")
    assert result.exit_code == 0
    assert f"Example: trundle {verb}" in words(result)


def test_run_writes_result_and_pictures(tmp_path):
    out = tmp_path / "new" / "out"
    result = call("run", "simple-pendulum", "--duration", 1, "--samples", 11, "--out", out)
    assert result.exit_code == 0, result.output
    assert "FINISHED" in result.output
    assert str(out / "result.nc") in words(result)
    assert sorted(p.name for p in out.iterdir()) == ["energy.png", "mechanism.png", "motion.png", "result.nc"]


def test_run_without_pictures_and_with_changes(tmp_path):
    from trundle.run.store import load

    changes = ("--set", "l=2", "--start", "pivot.angle=-pi/2", "--rtol", "1e-6", "--method", "order5", "--samples", 5)
    result = call("run", "simple-pendulum", "--no-plot", "--out", tmp_path, "--duration", 1, *changes)
    assert result.exit_code == 0, result.output
    assert [p.name for p in tmp_path.iterdir()] == ["result.nc"]
    run = load(tmp_path / "result.nc")
    assert len(run.time) == 5
    assert run.values("pivot.angle") == pytest.approx([-1.5707963267948966] * 5)
    assert run.values("height")[0] == pytest.approx(-2.0)
    assert "DormandPrince5" in result.output


def test_an_early_end_is_kept_and_gives_code_1(early, tmp_path):
    result = call("run", early, "--no-plot", "--start", "guide.displacement=-0.2", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "the run ended early" in result.output
    assert (tmp_path / "out" / "result.nc").is_file()


def test_an_interrupted_run_is_kept_and_gives_code_1(monkeypatch, tmp_path):
    simulate = import_module("trundle.study.simulate")

    def press(t):
        if t > 1.0:
            raise KeyboardInterrupt

    made, pressed = simulate.Supervision, {"chunk_steps": 3, "between_chunks": press}
    monkeypatch.setattr(simulate, "Supervision", lambda *given, **named: made(*given, **named | pressed))
    result = call("run", "simple-pendulum", "--no-plot", "--out", tmp_path)
    assert result.exit_code == 1
    assert "INTERRUPTED" in result.output
    kept = import_module("trundle.run.store").load(tmp_path / "result.nc").time
    assert 0.5 < kept[-1] < 9.0


def test_check_of_a_good_model():
    result = call("check", "four-bar")
    assert result.exit_code == 0
    assert "well posed. 3 bodies, 4 connections, 1 degree of freedom" in result.output
    assert "closure.z" in result.output


def test_check_reports_all_faults_without_a_traceback(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("name: bad\nbodies: {b: {mas: 1}}\nconnection: []\n", encoding="utf-8")
    result = call("check", path)
    assert result.exit_code == 1
    assert "2 faults" in result.output
    assert "line 2, bodies.b.mas" in result.output
    assert "line 3, connection: there is no field called 'connection' here. Did you mean 'connections'" in words(result)
    assert "Traceback" not in result.output


def test_check_reports_faults_of_the_physics(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(
        "name: bad\nbodies: {a: {mass: -1}, b: {mass: 1, inertia: [1, 1, 5]}}\n"
        "connections: [{pair: Free, first: ground, second: a}, {pair: Free, first: ground, second: b}]\n",
        encoding="utf-8",
    )
    result = call("check", path)
    assert result.exit_code == 1
    assert "mass -1 kg is negative" in result.output
    assert "triangle inequality" in result.output


def test_debug_anywhere_shows_the_error_itself(early):
    from trundle.errors import TrundleError

    early.write_text("name: bad\nbodies: 3\n", encoding="utf-8")
    for arguments in (("--debug", "check", early), ("check", early, "--debug")):
        assert isinstance(call(*arguments).exception, TrundleError)


def test_describe_prints_the_model():
    assert "ground -> left: Revolute 'left'" in call("describe", "four-bar").output


def test_equilibrium_is_printed():
    result = call("equilibrium", "simple-pendulum", "--start", "pivot.angle=-1.2")
    assert result.exit_code == 0
    assert "-1.57079633" in result.output


def test_eigen_about_the_equilibrium():
    result = call("eigen", "simple-pendulum", "--start", "pivot.angle=-1.5", "--set", "g=4", "--set", "l=1")
    assert result.exit_code == 0, result.output
    assert "±2 " in result.output


def test_eigen_of_a_loop_forgets_the_speeds_of_the_start():
    """The hanging parallelogram swings with sqrt(11.772) rad/s, although the file starts it with a speed."""
    hanging = [f"--start={n}={v}" for n, v in (("left.angle", -1.5), ("right.angle", -1.5), ("coupler.angle", 1.5))]
    assert "±3.43103" in call("eigen", "four-bar", *hanging).output


def test_eigen_at_the_start():
    result = call("eigen", "simple-pendulum", "--at-start", "--start", "pivot.angle=pi/2", "--set", "g=4")
    assert [line.split("│")[1].strip() for line in result.output.splitlines() if line.startswith("│")] == ["-2", "2"]


def test_a_root_locus_is_printed_and_drawn(tmp_path):
    picture = tmp_path / "pictures" / "locus.png"
    arguments = ("--start", "pivot.angle=-1.5", "--set", "g=1", "--sweep", "l=0.25:1:2", "--plot", picture)
    result = call("eigen", "simple-pendulum", *arguments)
    assert result.exit_code == 0, result.output
    assert "0±2i" in result.output
    assert "0±1i" in result.output
    assert picture.is_file()


def test_examples_are_listed_and_printed():
    listed = call("examples").output
    assert all(name in listed for name in examples.names())
    assert call("examples", "four-bar").output == examples.find("four-bar").path.read_text(encoding="utf-8")
    assert "def chain" in call("examples", "chain").output
    narrow = example_list(60)
    assert max(map(len, narrow.splitlines())) <= 60
    assert narrow.split() == listed.split()


def test_sizes_of_examples_made_in_python():
    assert "5 bodies, 7 connections" in call("check", "n-four-bar", "--set", "N=2").output
    assert "4 bodies, 4 connections" in call("check", "chain", "--set", "n=4").output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "four-barr"), "there is no example called 'four-barr'. Did you mean 'four-bar'"),
        (("run", "missing.yaml"), "there is no model file called 'missing.yaml'"),
        (("run", "simple-pendulum", "--set", "mm=1"), "there is no parameter called 'mm'"),
        (("run", "simple-pendulum", "--set", "l"), "is not of the form name=value"),
        (("run", "simple-pendulum", "--set", "l=__import__('os')"), "there is no function '__import__'"),
        (("run", "simple-pendulum", "--set", "l=1/0"), "is not a finite number"),
        (
            ("run", "simple-pendulum", "--start", "pivot.angel=1"),
            "there is no coordinate, rate or motion of a body called 'pivot.angel'",
        ),
        (("run", "simple-pendulum", "--method", "fast"), "fast"),
        (("run", "simple-pendulum", "--samples", "1"), "--samples"),
        (("eigen", "simple-pendulum", "--sweep", "l=1"), "is not of the form name=first:last:count"),
        (("eigen", "simple-pendulum", "--sweep", "x=1:2:3"), "there is no parameter called 'x'"),
        (("eigen", "simple-pendulum", "--sweep", "l=1:2:1.5"), "the count must be an integer"),
        (("examples", "nothing"), "there is no example called 'nothing'"),
        (("fly",), "No such command 'fly'"),
        (("run",), "Missing argument"),
    ],
)
def test_bad_usage_gives_code_2_and_a_hint(arguments, told):
    result = call(*arguments)
    assert result.exit_code == 2
    assert told in words(result)


def test_a_file_without_duration_needs_the_option(early, tmp_path):
    early.write_text(EARLY.replace("run: {duration: 5}", ""), encoding="utf-8")
    result = call("run", early, "--out", tmp_path)
    assert result.exit_code == 2
    assert "use --duration" in words(result)


def test_a_quantity_to_be_plotted_is_checked_before_the_run(early, tmp_path, monkeypatch):
    early.write_text(EARLY.replace("duration: 5", "duration: 5, plot: [guide.displacment]"), encoding="utf-8")
    monkeypatch.setattr(System, "simulate", lambda *a, **k: pytest.fail("the run was started"))
    result = call("run", early, "--out", tmp_path)
    assert result.exit_code == 1
    assert "Did you mean 'guide.displacement'" in words(result)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = call("run", "simple-pendulum", "--out", tmp_path / "file" / "out")
    assert result.exit_code == 2
    assert "cannot be created" in words(result)


def test_bench_without_the_benchmarks_explains_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr("trundle.cli.__file__", str(tmp_path / "lib" / "trundle" / "cli.py"))
    result = call("bench")
    assert result.exit_code == 1
    assert "make bench" in result.output


def test_a_fault_of_the_program_is_reported_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr(System, "describe", lambda system: 1 / 0)
    monkeypatch.setattr("sys.argv", ["trundle", "describe", "simple-pendulum"])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 1
    assert "Trundle itself failed (ZeroDivisionError: division by zero)" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["trundle", "describe", "simple-pendulum", "--debug"])
    with pytest.raises(ZeroDivisionError):
        main()


def test_short_names_of_components_can_be_plotted():
    """`x` of the ball is a component of its point of contact."""
    result = call("check", "ball-in-bowl")
    assert result.exit_code == 0, words(result)
