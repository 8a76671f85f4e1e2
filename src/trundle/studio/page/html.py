"""The page of the studio as one text, with the player of `run.show()` in it."""

import json
import math
from pathlib import Path
from typing import Final

from trundle.view.page.html import player_parts, player_script, with_parts
from trundle.walker.pictures.impact_page import impact_page

HOME: Final = Path(__file__).parent
SCRIPTS: Final = ("server", "sliders", "model", "eigen", "studio")


def studio_page(key: str) -> str:
    """The page, with the key for requests to its server."""
    text, looks = ((HOME / name).read_text(encoding="utf-8") for name in ("studio.html", "studio.css"))
    scripts = "\n".join((HOME / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    (_, player_looks), player = player_parts()
    impact = json.dumps(impact_page(math.radians(60))).replace("</", "<\\/")
    return with_parts(
        text,
        ("/*STYLE*/", f"{player_looks}\n{looks}"),
        player,
        ("/*SCRIPT*/", f"{player_script()}\nconst KEY = {json.dumps(key)};\nconst IMPACT = {impact};\n{scripts}"),
    )
