"""Coefficients of laws at a contact: numbers, parameters of the model, or functions of the signals (time, place)."""

from math import isfinite

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.signals import Signals
from trundle.real_array import is_number
from trundle.typing import Expr, Given


def value(given: object, s: Signals) -> Expr:
    """A number, a parameter, or a function of the signals."""
    return given(s) if callable(given) else given


def number(given: object) -> float | None:
    """A plain number; None for parameters and functions."""
    if isinstance(given, ca.SX) and given.is_constant() and given.numel() == 1:
        return float(given)
    return float(given) if is_number(given) else None


def check(law: str, functions: bool = True, **given: Given) -> None:
    """Plain numbers among the fields must be finite and not negative."""
    for name, one in given.items():
        plain = number(one)
        if plain is not None and not plain >= 0:
            raise ModelError(f"{law}: {name} must not be negative, got {one!r}.")
        if plain is not None and not isfinite(plain):
            raise ModelError(f"{law}: {name} must be finite, got {one!r}.")
        symbol = isinstance(one, ca.SX) and one.numel() == 1
        if plain is None and not symbol and not (functions and callable(one)):
            kinds = "a number, a parameter or a function of the signals" if functions else "a number or a parameter"
            raise ModelError(f"{law}: {name} is {kinds}, got {one!r}.")


def check_positive(law: str, instead: str = "", **given: Given) -> None:
    """Plain numbers among the fields must be above zero."""
    if any(number(one) == 0.0 for one in given.values()):
        raise ModelError(f"{law}: {' and '.join(given)} must be above zero{'; ' + instead if instead else ''}.")


def check_falling(law: str, mu_static: Expr, mu_kinetic: Expr, instead: str) -> None:
    """Sliding friction is not above what sticking holds."""
    low, high = number(mu_kinetic), number(mu_static)
    if low is not None and high is not None and low > high:
        raise ModelError(
            f"{law}: mu_kinetic {low:g} is above mu_static {high:g}. Kinetic friction cannot exceed static "
            f"friction; swap them, or {instead}."
        )


def falling(s: Signals, mu_static: Expr, mu_kinetic: Expr, stribeck_speed: Expr, speed: Expr) -> Expr:
    """Coefficient that falls from mu_static to mu_kinetic around the Stribeck speed."""
    low, high = value(mu_kinetic, s), value(mu_static, s)
    return low + (high - low) * ca.exp(-((speed / value(stribeck_speed, s)) ** 2))
