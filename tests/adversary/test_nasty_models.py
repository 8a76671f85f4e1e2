"""Bad and nasty models in one table: each is refused in words, ends with a named outcome, or is right."""

import nasty_contacts
import nasty_mechanisms
import nasty_questions
import pytest
from what_must_happen import Table

TABLE: Table = {
    **nasty_contacts.SURFACES,
    **nasty_contacts.LAWS,
    **nasty_contacts.POSES,
    **nasty_mechanisms.NUMBERS,
    **nasty_mechanisms.LAWS,
    **nasty_mechanisms.STRUCTURE,
    **nasty_questions.QUESTIONS,
}


@pytest.mark.parametrize("name", TABLE)
def test_what_must_happen(name: str) -> None:
    what, must = TABLE[name]
    must(what)
