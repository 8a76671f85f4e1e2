"""An interactive page of impacts: one file with sliders that needs neither a server nor the network."""

import json
from pathlib import Path

from trundle.atomic_write import check_target, file_path, write_whole
from trundle.view.javascript import javascript
from trundle.walker.impact import closed_form
from trundle.walker.impact.closed_form import LABELS
from trundle.walker.impact.scenario import check_impact
from trundle.walker.pictures.percussion import DOMAINS

TEMPLATE = Path(__file__).with_name("impact_page.html")
KINDS = ("DP", "FORWARD", "BACKWARD", "STICK", "FORWARD_STICK", "BACKWARD_STICK", "BACKWARD_FORWARD")
CONSTANTS = (*KINDS, "JAMB", "REVERSAL", "LANDS", "DOUBLE_CONTACT", "SNAP", "LEAST", "NOTHING", "NEVER", "NAN")
FUNCTIONS = (
    closed_form.slide_rates,
    closed_form.stick_rates,
    closed_form.rise,
    closed_form.lands_while_pressed,
    closed_form.collide,
)


def impact_script() -> str:
    """The closed form of an impact in JavaScript."""
    return javascript(FUNCTIONS, {name: vars(closed_form)[name] for name in CONSTANTS})


def write_impact_page(
    path: Path | str,
    half_angle: float,
    inertia_ratio: float = 0.625,
    friction: float = 0.4,
    slip: float = 0.3,
    restitution: float = 0.0,
) -> Path:
    """Write the page; the sliders start with these values (half angle in rad, approach is -1 m/s)."""
    text = impact_page(half_angle, inertia_ratio, friction, slip, restitution)
    target = file_path(path)
    check_target(target)
    write_whole(target, text.encode())
    return target


def impact_page(
    half_angle: float, inertia_ratio: float = 0.625, friction: float = 0.4, slip: float = 0.3, restitution: float = 0.0
) -> str:
    """The page as text."""
    check_impact(inertia_ratio, half_angle, friction, slip, -1.0, restitution)
    data = {
        "labels": LABELS,
        "domains": DOMAINS,
        "start": {"beta": half_angle, "lam": inertia_ratio, "mu": friction, "slip": slip, "e": restitution},
    }
    page = TEMPLATE.read_text(encoding="utf-8")
    page = page.replace("/*CLOSED_FORM*/", impact_script())
    return page.replace("/*DATA*/", f"const DATA = {json.dumps(data, ensure_ascii=False)};")
