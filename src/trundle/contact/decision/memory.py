"""Contacts and what is decided about them: places of all numbers in the memory of a decision (compiled)."""

from typing import NamedTuple

from trundle.contact.collision.layout import WIDTH
from trundle.kernel.pointers import Pointer, shifted, strict


class FrictionProblem(NamedTuple):
    """Forces within friction cones, and the accelerations a = free + D f with them."""

    b: Pointer
    D: int  # where the inverse masses begin in b
    free: Pointer
    a: Pointer
    f: Pointer  # behind the forces, the directions in which contacts slide
    mu: Pointer
    state: Pointer  # 2 at rest, 1 slides, 0 takes no part
    contacts: int


class Contacts(NamedTuple):
    """All contacts of a model, their forces, and what is decided about them."""

    b: Pointer  # as for a collision: velocities, inverse masses, data of the contacts
    D: int  # where the inverse masses begin in b
    data: int  # where the data of the contacts begin
    free: Pointer  # accelerations without forces
    mode: Pointer
    f: Pointer  # behind the forces, the directions in which contacts slide
    g: Pointer  # other forces
    a: Pointer
    mu: Pointer
    mu_k: Pointer
    state: Pointer  # 2 at rest, 1 slides, 0 does not touch
    found: Pointer  # forces within the cones
    kept: Pointer  # modes to come back to
    impulses: Pointer  # these stop what is at rest
    work: Pointer
    geared: Pointer  # 1 for each slow slip that a faster motion takes along
    tentative: Pointer  # modes with all contacts that touch, where friction may leave several motions
    contacts: int
    speed: float  # of the run


@strict
def impulses_in(w: Pointer, contacts: int) -> Pointer:
    """The impulses that stop what is at rest, three to a contact, in the memory of a decision."""
    return shifted(w, 12 * contacts + (5 + WIDTH) * contacts)


@strict
def contacts_in(b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, speed: float) -> Contacts:
    """The contacts with the memory w of a decision."""
    n = 3 * contacts
    last = 4 * n * n + 22 * n + 16
    return Contacts(
        b, n, n + n * n, free, mode,
        w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts),
        shifted(w, 3 * n + 2 * contacts), shifted(w, 3 * n + 3 * contacts), shifted(w, 3 * n + 4 * contacts),
        shifted(w, 3 * n + 5 * contacts), shifted(w, 4 * n + 5 * contacts),
        impulses_in(w, contacts), shifted(w, 5 * n + (5 + WIDTH) * contacts),
        shifted(w, last + (8 + WIDTH) * contacts), shifted(w, last + (9 + WIDTH) * contacts), contacts, speed,
    )  # fmt: skip


@strict
def with_modes(at: Contacts, mode: Pointer) -> Contacts:
    """The same contacts in other modes."""
    return Contacts(
        at.b, at.D, at.data, at.free, mode, at.f, at.g, at.a, at.mu, at.mu_k, at.state, at.found, at.kept, at.impulses,
        at.work, at.geared, at.tentative, at.contacts, at.speed,
    )  # fmt: skip


@strict
def friction_problem(at: Contacts) -> FrictionProblem:
    """The search for the forces of all contacts."""
    return FrictionProblem(at.b, at.D, at.free, at.a, at.f, at.mu, at.state, at.contacts)


@strict
def own_inverse_masses(at: Contacts, i: int) -> tuple[float, int]:
    """Sum of the inverse masses of a contact along, across and normal to its slip, and how many are not zero."""
    n, total, count = 3 * at.contacts, 0.0, 0
    for j in range(3 * i, 3 * i + 3):
        own = at.b[at.D + j + n * j]
        total += own
        count += int(own > 0.0)
    return total, count
