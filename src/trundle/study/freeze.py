"""From a model to its Spec and to a formulation, with all checks."""

import copy

from trundle.constraints.relaxation import weight_faults
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import FORMALISMS, Formulation
from trundle.errors import InertiaWarning, ModelError, UnitWarning
from trundle.graph.topology import find_topology
from trundle.messages.warn import warn
from trundle.model.check import check, massless, measured_inertias
from trundle.model.fingerprint import function_faults
from trundle.model.floating import floating
from trundle.model.imaginary import omissions
from trundle.model.model import Model
from trundle.model.non_ideal import by_rows
from trundle.model.spec import Spec
from trundle.model.unit_labels import unit_notes
from trundle.study.start_state import check_event_names, check_start_names
from trundle.symbols.quick_symbols import quick_symbols
from trundle.typing import Values


def freeze(model: Model, relax: Values | None = None, omit: Values | None = None) -> Spec:
    """Check the model and freeze it.

    Parameters
    ----------
    model : Model
        It may be changed afterwards: the Spec has a copy.
    relax : mapping, optional
        Weights between 0 and 1 of constraint rows, see `trundle.system.build`.
    omit : mapping, optional
        Imaginary forces that are left out, see `trundle.system.build`.

    Raises
    ------
    ModelError
        With all faults of the model.
    """
    faults = check(model)
    if faults:
        reported = {fault.partition(":")[0] for fault in faults}
        raise ModelError([*faults, *(f for f in function_faults(model) if f.partition(":")[0] not in reported)])
    for words in measured_inertias(model):
        warn(words, InertiaWarning)
    for words in unit_notes(model):
        warn(words, UnitWarning)
    faults, row_names = weight_faults(floating(model), {**model.relaxations, **(relax or {})})
    if faults:
        raise ModelError(faults)
    model = floating(by_rows(model, row_names))
    if omit:
        model = _omitting(model, omit)
    try:
        return Spec(model, relax)
    except ModelError as error:
        raise ModelError(function_faults(model) or error.faults) from None


def _omitting(model: Model, omit: Values) -> Model:
    """The model with forces that take imaginary forces away."""
    topology = find_topology(model, massless(model))
    roots = {body.name: (body, topology.path_to_root(body)[-1]) for body in model.free_bodies}
    carriers = {name: (body, root) for name, (body, root) in roots.items() if not root.is_at_rest}
    out = copy.copy(model)
    out.forces = {**model.forces, **dict(omissions(omit, carriers))}
    return out


def formulate(derivation: Derivation, formalism: str) -> Formulation:
    """The equations in one formalism, derived and checked.

    Raises
    ------
    ModelError
        If the formalism is not known, cannot relax what the model relaxes, or start values have unknown names.
    """
    if formalism not in FORMALISMS:
        raise ModelError(f"formalism {formalism!r} is not known; choose {' or '.join(map(repr, FORMALISMS))}.")
    formulation = Formulation.of(derivation, formalism)
    if formulation.relaxed and formalism != "udwadia_kalaba":
        raise ModelError(
            f"the weights of {', '.join(map(repr, formulation.relaxed))} relax constraints, or they are resisted: this "
            f"needs the pseudo-inverse, formalism='udwadia_kalaba', not {formalism!r}."
        )
    check_start_names(formulation)
    check_event_names(formulation)
    with quick_symbols():
        formulation.kernels.state_size()
    return formulation


def in_formalism(formulation: Formulation, formalism: str | None) -> Formulation:
    """The same model in another formalism, or as it is for None; what is derived and compiled is shared.

    Raises
    ------
    ModelError
        As for `formulate`.
    """
    if formalism in (None, formulation.formalism):
        return formulation
    return formulate(formulation.derivation, str(formalism))
