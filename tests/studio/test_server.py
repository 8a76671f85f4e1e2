"""Only the studio's own pages may send requests to it."""

import http.client
import json
import re
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from trundle.cli import app
from trundle.errors import TrundleError
from trundle.studio import Studio, studio
from trundle.studio.server import SESSIONS
from trundle.view.page.pack import unpack


@pytest.fixture
def served() -> Iterator[Studio]:
    made = studio(port=0, open_browser=False)
    yield made
    made.close()


def ask(made: Studio, asked: dict, method: str = "POST", path: str = "/ask", **headers: str) -> tuple[int, str]:
    here = f"127.0.0.1:{made.port}"
    usual = {"Host": here, "Origin": f"http://{here}", "X-Trundle-Key": made.sessions.key}
    connection = http.client.HTTPConnection("127.0.0.1", made.port, timeout=600)
    given = {name: text for name, text in (usual | headers).items() if text}
    connection.request(method, path, json.dumps(asked) if method == "POST" else None, given)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_the_page_itself_may_send_requests(served: Studio) -> None:
    assert ask(served, {"question": "begin"})[0] == 200
    for headers in (
        {"Host": "evil.example"},  # a name that leads here
        {"Origin": "http://evil.example"},
        {"Origin": ""},
        {"Origin": f"http://localhost:{served.port}"},  # not the origin that was addressed
        {"X-Trundle-Key": "guess"},
        {"X-Trundle-Key": ""},
    ):
        status, text = ask(served, {"question": "begin"}, **headers)
        assert status == 403 and "this machine only" in text, headers
    query = served.url.partition("/?")[2]
    assert ask(served, {}, "GET", f"/?{query}")[0] == 200
    assert ask(served, {}, "GET", f"/?{query}", Host="evil.example")[0] == 403
    assert ask(served, {}, "GET", "/")[0] == 403 and "printed" in ask(served, {}, "GET", "/")[1]
    assert ask(served, {}, "GET", "/../pyproject.toml")[0] == 404
    assert served.url.startswith("http://127.0.0.1:")


def test_two_pages_have_models_of_their_own(served: Studio) -> None:
    first, second = (unpack(ask(served, {"question": "begin"})[1])["session"] for _ in range(2))
    ask(served, {"question": "example", "session": first, "name": "simple-pendulum"})
    again = unpack(ask(served, {"question": "begin", "session": first})[1])
    assert again["session"] == first and again["answer"]["model"]["name"] == "simple-pendulum"
    assert unpack(ask(served, {"question": "begin", "session": second})[1])["answer"]["model"] is None
    status, text = ask(served, {"question": "run", "session": second, "duration": 1.0})
    assert status == 422 and "no model is open" in json.loads(text)["words"]
    assert ask(served, {"question": "run", "session": "unknown"})[0] == 410
    for _ in range(SESSIONS):
        served.sessions.begin(None)
    assert ask(served, {"question": "reached", "session": first})[0] == 410  # of many pages the oldest is dropped


def test_damaged_requests(served: Studio) -> None:
    assert ask(served, {"question": "begin"}, **{"Content-Length": "99999999"})[0] == 400
    for asked in ([1, 2], "text", {"question": 3}, {"question": "begin", "session": 7}):
        assert ask(served, asked)[0] in (200, 400, 410)


def test_a_taken_port_and_the_command(served: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Studio(port=served.port)
    assert (
        other.note == f"port {served.port} is taken; took {other.port}." and other.sessions.key != served.sessions.key
    )
    other.close()
    monkeypatch.setattr(Studio, "wait", Studio.close)
    done = CliRunner().invoke(app, ["studio", "four-bar", "--no-browser", "--port", str(served.port)])
    assert done.exit_code == 0 and "is taken" in done.output and "for this machine only" in done.output
    assert re.search(r"\?key=[\w-]+\s", done.output)  # nothing follows the address that would be copied with it


@pytest.mark.parametrize(("source", "words"), [("simple-pendulun", "pendulum"), ("nothing.yaml", "No such file")])
def test_a_source_that_does_not_exist_is_refused_before_anything_is_served(source: str, words: str) -> None:
    with pytest.raises(TrundleError, match=words):
        studio(source, 0, open_browser=False)
