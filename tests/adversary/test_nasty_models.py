"""Bad and nasty models in one table: each is refused with a message, ends with a named outcome, or is right."""

import nasty_contacts
import nasty_mechanisms
import nasty_questions
import pytest
import refused_models
from what_must_happen import Table, refused

TABLE: Table = {
    **nasty_contacts.SURFACES,
    **nasty_contacts.LAWS,
    **nasty_contacts.POSES,
    **nasty_mechanisms.NUMBERS,
    **nasty_mechanisms.LAWS,
    **nasty_mechanisms.STRUCTURE,
    **nasty_questions.QUESTIONS,
    **{
        f"{kind}: {name}": (make, refused(text))
        for kind, part in (
            ("body", refused_models.BODIES),
            ("connection", refused_models.CONNECTIONS),
            ("law", refused_models.LAWS),
        )
        for name, (make, text) in part.items()
    },
}


def test_the_table_is_large() -> None:
    assert len(TABLE) >= 200


@pytest.mark.parametrize("name", TABLE)
def test_what_must_happen(name: str) -> None:
    what, must = TABLE[name]
    must(what)
