"""The verbs of `trundle impact`: predict one impact, draw maps of many."""

from math import degrees, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from trundle.walker.impact.scenario import Scenario

impact = typer.Typer(
    no_args_is_help=True,
    help="Impacts of a rimless wheel or a rocking block: the phases of the collision.",
)

Beta = Annotated[float, typer.Option("--beta", metavar="DEGREES", help="Half the angle between the spokes, 0 to 90.")]
Slip = Annotated[float, typer.Option(help="Tangential velocity at the start, forward positive (m/s).")]
Approach = Annotated[float, typer.Option(help="Normal velocity of the front foot at the start, < 0 (m/s).")]
Restitution = Annotated[
    float, typer.Option(help="Impulse of restitution over that of compression (Poisson), 0 to 1; see --law.")
]
Law = Annotated[
    Literal["poisson", "stronge"], typer.Option(help="Restitution compares impulses (poisson) or works (stronge).")
]
Static = Annotated[float | None, typer.Option("--mu-static", help="Static friction coefficient, if larger than --mu.")]
Plane = Literal["pc", "signs", "lambda-mu"]


def _half_angle(beta: float) -> float:
    if not 0.0 < beta < 90.0:
        raise typer.BadParameter(f"the half angle is {beta:g} degrees; it must lie between 0 and 90.")
    return radians(beta)


@impact.command(epilog="Example: trundle impact predict --beta 60 --lambda 0.25 --mu 2.9 --slip 0.3 --restitution 0.8")
def predict(
    beta: Beta,
    inertia_ratio: Annotated[float, typer.Option("--lambda", help="I_G / (m L^2); 1/3 for a block.")],
    friction: Annotated[float, typer.Option("--mu", help="Coefficient of friction.")],
    slip: Slip = 0.0,
    approach: Approach = -1.0,
    restitution: Restitution = 0.0,
    law: Law = "poisson",
    static: Static = None,
) -> None:
    """Print the phases of one impact, their impulses, velocities and centres, and the critical coefficients."""
    found = _predict(inertia_ratio, beta, friction, slip, approach, restitution, law, static)
    typer.echo(found)
    critical = found.critical
    typer.echo(
        f"mu_DP {critical.mu_DP:.10g} (sliding forward: DP below), "
        f"{critical.mu_DP_backward:.10g} (backward: DP above), "
        f"mu_c {critical.mu_c:.10g}, tan(beta) {critical.tan_beta:.10g}, mu_j {critical.mu_j:.10g}, "
        f"beta_DP {degrees(critical.beta_DP):.10g} degrees"
    )


def _predict(
    inertia_ratio: float, beta: float, friction: float, slip: float, approach: float, restitution: float, law: str,
    static: float | None,
) -> "Scenario":  # fmt: skip
    from trundle.laws.restitution import Poisson, Stronge
    from trundle.walker.impact.scenario import predict as predict_impact

    how = (Poisson if law == "poisson" else Stronge)(restitution) if 0 <= restitution <= 1 else restitution
    return predict_impact(inertia_ratio, _half_angle(beta), friction, slip, approach, how, static)


@impact.command(
    name="map",
    epilog="Example: trundle impact map --beta 60 -o map.svg\n\n"
    "Example: trundle impact map --beta 60 --lambda 0.625 --mu 0.4 -o wheel.png\n\n"
    "Example: trundle impact map --beta 60 --lambda 0.625 --mu 0.6 --slip 0.05 -o jump.png\n\n"
    "Example: trundle impact map --beta 60 --plane lambda-mu --slip 0.3 --restitution 0.8 -o scenarios.svg\n\n"
    "Example: trundle impact map --beta 60 -o page.html",
)
def draw_map(
    beta: Beta,
    plane: Annotated[
        Plane,
        typer.Option(
            help="pc: domains of the percussion centre; signs: changes of motion; lambda-mu: scenarios over inertia "
            "ratio and friction."
        ),
    ] = "pc",
    inertia_ratio: Annotated[
        float | None, typer.Option("--lambda", min=0.0, help="pc: show this wheel. lambda-mu: largest inertia ratio.")
    ] = None,
    friction: Annotated[
        float | None, typer.Option("--mu", min=0.0, help="pc: show this friction too. lambda-mu: largest friction.")
    ] = None,
    slip: Annotated[
        float | None,
        typer.Option(
            help="Tangential velocity at the start, forward positive (m/s). pc: show the centres of this impact and "
            "the jump between them. lambda-mu: 0.3 unless given."
        ),
    ] = None,
    approach: Approach = -1.0,
    restitution: Restitution = 0.0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write it here: .svg, .png, .pdf; .html: a page with sliders."
        ),
    ] = None,
) -> None:
    """Draw a map of what can happen in an impact, for one half angle."""
    half_angle = _half_angle(beta)
    target = out or Path("out") / f"impact-{plane}-{beta:g}.svg"
    if out is None:
        target.parent.mkdir(exist_ok=True)
    if target.suffix == ".html":
        from trundle.walker.pictures.impact_page import write_impact_page

        lam, mu = 0.625 if inertia_ratio is None else inertia_ratio, 0.4 if friction is None else friction
        write_impact_page(target, half_angle, lam, mu, 0.3 if slip is None else slip, restitution)
    elif plane == "lambda-mu":
        from trundle.walker.pictures.scenario_map import plot_scenarios

        start = 0.3 if slip is None else slip
        plot_scenarios(half_angle, start, approach, restitution, (inertia_ratio, friction), target)
    else:
        from trundle.walker.pictures.percussion import plot_percussion_plane
        from trundle.walker.pictures.percussion_signs import plot_signs

        if friction is not None and inertia_ratio is None and plane == "pc":
            raise typer.BadParameter("--mu shows the centres of one wheel: give its --lambda too.")
        if plane == "pc":
            impact_shown = None
            if slip is not None:
                if inertia_ratio is None or friction is None:
                    raise typer.BadParameter("--slip shows the centres of one impact: give --lambda and --mu too.")
                impact_shown = _predict(inertia_ratio, beta, friction, slip, approach, restitution, "poisson", None)
            plot_percussion_plane(half_angle, inertia_ratio, friction, target, scenario=impact_shown)
        else:
            plot_signs(half_angle, target)
    typer.echo(f"written: {target}")


@impact.command(
    epilog="Example: trundle impact collide --beta 60 --lambda 0.25 --mu 2.9 --slip 0.25 -o collision.png\n\n"
    "Example: trundle impact collide --beta 60 --lambda 0.25 --mu 2.9 --slip 0.5 --gravity 9.81 --mass 1",
)
def collide(
    beta: Beta,
    inertia_ratio: Annotated[float, typer.Option("--lambda", help="I_G / (m L^2); 1/3 for a block.")],
    friction: Annotated[float, typer.Option("--mu", help="Coefficient of friction.")],
    slip: Slip = 0.0,
    approach: Approach = -1.0,
    feet: Annotated[
        Literal["bi-stiffness", "linear", "hunt-crossley", "hertz"], typer.Option(help="Law of the feet.")
    ] = "bi-stiffness",
    stiffness: Annotated[float, typer.Option(help="Of a foot (N/m; N/m^1.5 for hunt-crossley and hertz).")] = 1e3,
    damping: Annotated[
        float,
        typer.Option(help="bi-stiffness: internal friction, 0 to 1; linear: N s/m; hunt-crossley: s/m; hertz: none."),
    ] = 0.2,
    mass: Annotated[float, typer.Option(help="Of the wheel (kg).")] = 1.0,
    length: Annotated[float, typer.Option(help="Of a spoke (m).")] = 1.0,
    gravity: Annotated[float, typer.Option(help="Gravity (m/s^2); the weight then presses both feet.")] = 0.0,
    duration: Annotated[float | None, typer.Option(help="Longest simulated time (s).")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Draw velocities, heights and forces here.")
    ] = None,
) -> None:
    """Follow one collision with compliant feet in time, double contacts too, and print its phases and transitions."""
    from trundle.contact.normal import Hertz, HuntCrossley, LinearContact
    from trundle.walker import BiStiffness
    from trundle.walker import collide as collide_feet

    laws = {"bi-stiffness": BiStiffness, "linear": LinearContact, "hunt-crossley": HuntCrossley}
    law = Hertz(stiffness) if feet == "hertz" else laws[feet](stiffness, damping)
    found = collide_feet(
        inertia_ratio, _half_angle(beta), friction, slip, approach, law, mass, length, gravity, duration
    )
    typer.echo(found)
    if out is not None:
        found.plot(out)
        typer.echo(f"written: {out}")
