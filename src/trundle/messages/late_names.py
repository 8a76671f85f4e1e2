"""Packages whose public names are imported when they are first used: few scripts need all of them."""

from collections.abc import Mapping, MutableMapping
from importlib import import_module

from trundle.garbage_collection import paused_garbage_collection
from trundle.messages.arguments import explain_module_calls, unknown_name
from trundle.typing import Given


def import_when_used(
    namespace: MutableMapping[str, Given], homes: Mapping[str, str], advice: Mapping[str, str] | None = None
) -> None:
    """Let a package import public names when they are first used, and explain unknown names and wrong calls.

    `homes` maps modules to the names that they define, with spaces between. Names which are those of modules of this
    package too must be imported by the package itself. `advice` has for some unknown names what to use instead.
    """
    package = str(namespace["__name__"])
    public = namespace["__all__"]
    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Given:
        if name not in home:
            raise unknown_name(package, name, public, advice or {}, package.rpartition(".")[2])
        with paused_garbage_collection(lasting=True):
            module = import_module(home[name])
        namespace[name] = getattr(module, name)  # next time without this function
        explain_module_calls(namespace, [name])
        return namespace[name]

    namespace["__getattr__"] = find
    namespace["__dir__"] = lambda: sorted(public)
    explain_module_calls(namespace, public)
