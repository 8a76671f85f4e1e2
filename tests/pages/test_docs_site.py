"""The pages as a site: every page is in the navigation, every link works, the first pages' code runs."""

import re
import runpy
from pathlib import Path

import pytest
import yaml
from tools.index_page import index_page
from tools.offline_search import FETCHED, on_post_page, on_post_template
from tools.page_code import agrees

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"(?<!\\)\]\((?!https?://|mailto:)([^)\s]+)\)")


def named(place) -> list[str]:
    """Pages under an entry of the site's navigation."""
    if isinstance(place, str):
        return [place]
    parts = place.values() if isinstance(place, dict) else place
    return [name for part in parts for name in named(part)]


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Names of the headings of a page, as in a link."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"))
    return found


def test_every_page_is_in_the_navigation() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    placed = named(site["nav"])
    assert len(set(placed)) == len(placed)
    found = {page.relative_to(DOCS).as_posix() for page in PAGES if page.parent.name != "decisions"}
    assert set(placed) == found | {"decisions/README.md"}
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.parent.name == "decisions" and page.name not in index] == ["README.md"]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        outside = page.name != "README.md" and not target.is_relative_to(DOCS)
        if not target.exists() or outside or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_citations_side_by_side_are_not_taken_for_links(page: Path) -> None:
    """Markdown reads [Lemke 1965] [Stewart 1996] as a link to a missing target, which ends the strict build."""
    assert re.findall(r"\[[^\]\[]+\]\s?\[[^\]\[]+\]", prose(page)) == []


@pytest.mark.parametrize("name", ["getting-started", "coming-from"])
def test_the_python_of_a_page_is_one_script(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    script = tmp_path / "page.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert names["run"].ok and names["run"].energy.drift < 1e-6
    if name == "getting-started":
        assert (tmp_path / "pendulum.csv").exists() and len(names["table"].columns) == 4
        assert abs(names["modes"][0].imag) == pytest.approx((9.81 / 3.0) ** 0.5, rel=1e-3)


@pytest.mark.parametrize("code", ["mujoco", "exudyn", "sympy"])
def test_other_codes_print_what_the_page_says(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The blocks of other codes give the motion of ours, as far as their comments say."""
    pytest.importorskip(code, reason=f"{code} is not installed: pip install 'trundle[peers]'")
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    (block,) = (one for one in blocks if re.search(rf"^(import|from) {code}\b", one, re.MULTILINE))
    exec(compile(block, f"{code}.py", "exec"), {"__name__": "__main__"})
    said = re.search(r"print\(.*\)  # (\S+)", block)
    assert said is not None and agrees(said[1], capsys.readouterr().out.splitlines()[-1])


def test_the_page_of_an_index_has_whole_addresses_or_none() -> None:
    with_address = index_page("https://example.org/t", "1.2.3")
    assert "![](https://example.org/t/raw/v1.2.3/docs/gallery/surfaces.png)" in with_address
    assert "(https://example.org/t/blob/v1.2.3/docs/reference.md)" in with_address
    assert LINK.findall(with_address) == []
    without = index_page(None, "1.2.3")
    assert "](" not in re.sub(r"\]\(https?://", "", without) and "![" not in without and "pip install" in without


def test_pages_of_the_site_fetch_nothing() -> None:
    """The theme's own address of a script is replaced, so that the search works offline."""
    page = f"<head>{FETCHED}</head>"
    for made in (on_post_page(page), on_post_template(page)):
        assert "https://" not in made and "class extends EventTarget" in made
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert "tools/offline_search.py" in site["hooks"] and site["theme"]["font"] is False
