"""Machine code of the time loops is kept under a key of exactly the sources it is made from."""

from pathlib import Path

import pytest

from trundle.kernel import compiled


def copied_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources in which files can be edited."""
    for file in compiled._PACKAGE.rglob("*.py"):
        place = tmp_path / file.relative_to(compiled._PACKAGE)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
    monkeypatch.setattr(compiled, "_PACKAGE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("edited", "changes"),
    [
        ("integrate/loop.py", {"advance"}),
        ("contact/collision/routh.py", {"strike", "collide_once", "collide_nearby"}),
        ("integrate/layout.py", {"advance", "explicit_step", "find_event", "strike"}),
        ("study/equilibrium.py", set()),
        ("model/model.py", set()),
    ],
)
def test_only_parts_that_import_an_edited_file_are_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str, changes: set[str]
) -> None:
    package = copied_package(tmp_path, monkeypatch)

    def keys() -> dict[str, str]:
        compiled._sources.cache_clear()
        return {part: compiled._sources(f"trundle.{home}") for part, home in compiled.PARTS.items()}

    before = keys()
    with (package / edited).open("a") as file:
        file.write("# edited\n")
    changed = {part for part, key in keys().items() if key != before[part]}
    compiled._sources.cache_clear()
    assert changes <= changed
    if edited != "integrate/layout.py":
        assert changed == changes
