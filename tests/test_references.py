"""Every source named in the code is in references.bib."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CITED = re.compile(r"\[([A-Z][A-Za-zø]+)(?: [&] [A-Za-z]+|, [A-Za-z]+ & [A-Za-z]+| et al\.)? ((?:19|20)\d\d)[^\]]*\]")


def cited() -> dict[str, str]:
    found = {}
    for file in sorted((ROOT / "src").rglob("*.py")):
        for author, year in CITED.findall(file.read_text()):
            found[author + year] = file.name
    return found


def test_every_citation_resolves():
    keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "references.bib").read_text()))
    assert len(cited()) >= 8
    assert {k: f for k, f in cited().items() if k not in keys} == {}


def test_every_reference_is_used():
    keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "references.bib").read_text()))
    assert keys - set(cited()) == set()
