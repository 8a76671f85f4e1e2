"""The verbs of `trundle impact`: predict one impact, draw maps of many."""

from math import degrees, radians
from pathlib import Path
from typing import Annotated, Literal

import typer

impact = typer.Typer(
    no_args_is_help=True,
    help="Impacts of a rimless wheel or a rocking block: what happens inside the collision.",
)

Beta = Annotated[float, typer.Option("--beta", metavar="DEGREES", help="Half the angle between the spokes, 0 to 90.")]
Slip = Annotated[float, typer.Option(help="Tangential velocity at the start, forward positive (m/s).")]
Approach = Annotated[float, typer.Option(help="Normal velocity of the front foot at the start, < 0 (m/s).")]
Restitution = Annotated[float, typer.Option(help="Poisson's: impulse of restitution over that of compression, 0 to 1.")]
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
) -> None:
    """Tell the phases of one impact, their impulses and velocities, and the critical coefficients of friction."""
    from trundle.walker import predict as predict_impact

    found = predict_impact(inertia_ratio, _half_angle(beta), friction, slip, approach, restitution)
    typer.echo(found)
    critical = found.critical
    typer.echo(
        f"mu_DP {critical.mu_DP:.10g}, mu_c {critical.mu_c:.10g}, tan(beta) {critical.tan_beta:.10g}, "
        f"mu_j {critical.mu_j:.10g}, beta_DP {degrees(critical.beta_DP):.10g} degrees"
    )


@impact.command(
    name="map",
    epilog="Example: trundle impact map --beta 60 -o map.svg\n\n"
    "Example: trundle impact map --beta 60 --lambda 0.625 --mu 0.4 -o wheel.png\n\n"
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
    slip: Slip = 0.3,
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
        from trundle.view.impact_page import write_impact_page

        lam, mu = 0.625 if inertia_ratio is None else inertia_ratio, 0.4 if friction is None else friction
        write_impact_page(target, half_angle, lam, mu, slip, restitution)
    elif plane == "lambda-mu":
        from trundle.view.scenario_map import plot_scenarios

        plot_scenarios(half_angle, slip, approach, restitution, (inertia_ratio, friction), target)
    else:
        from trundle.view.percussion import plot_percussion_plane
        from trundle.view.percussion_signs import plot_signs

        if friction is not None and inertia_ratio is None and plane == "pc":
            raise typer.BadParameter("--mu shows the centres of one wheel: give its --lambda too.")
        if plane == "pc":
            plot_percussion_plane(half_angle, inertia_ratio, friction, target)
        else:
            plot_signs(half_angle, target)
    typer.echo(f"written: {target}")
