"""Error messages, with the lines of the file to which they refer."""

import re
from typing import Final

from trundle.errors import ModelError, TrundleError
from trundle.typing import Json

LINE: Final = re.compile(r"^(?:.*?: )?\s*line (\d+)(?:, column \d+)?[,:] (.*)$", re.DOTALL)


def in_words(error: TrundleError) -> Json:
    """{"words": the whole text, "faults": [[line or 0, text]]}."""
    texts = error.faults if isinstance(error, ModelError) else str(error).split("\n")
    faults: list[tuple[int, str]] = []
    for text in texts:
        found = LINE.match(text)
        if found:
            faults.append((int(found[1]), found[2]))
        elif text.strip() and not re.search(r": (at least )?\d+ faults?$", text):
            faults.append((0, text.strip()))
    return {"words": str(error), "faults": [list(one) for one in faults]}
