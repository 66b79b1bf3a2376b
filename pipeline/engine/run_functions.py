"""The functions of one run: of its dialect, of its caller, and of installed packages.

Installed ones are in the entry point group `bpp.functions`. An entry point leads to a function, to
a Python function with annotations, or to several of them, so its name is a mere label. The packages
are looked at when a blueprint calls what is neither the dialect's nor the caller's, and a package
that does not work is reported and skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ...functions.registry import Function, FunctionNotLoaded, Functions
from ..values.diagnostics import Diagnostics
from ..values.settings import SECRETS_REVEAL, Settings

if TYPE_CHECKING:
    from ..world.plugins import Plugin

GROUP: Final = "bpp.functions"


class RunFunctions(Functions):
    """A registry that grows when `find` has to look at the installed packages.

    What is wrong with those goes to `diagnostics`, as warnings.

    Raises:
        ValueError: when the caller's functions have a name twice, or one of the dialect's, or are
            no records.
    """

    def __init__(
        self,
        functions: Functions,
        more: Iterable[Function],
        settings: Settings,
        diagnostics: Diagnostics,
    ) -> None:
        super().__init__()
        self._discreet = settings.secrets == SECRETS_REVEAL
        self._diagnostics = diagnostics
        self._looked = False
        self._unusable: dict[str, str] = {}
        self._functions.update(functions.outlines())
        self.advise, self.listed = functions.advise, functions.listed
        own = [
            function
            for function in self._functions.values()
            if isinstance(function, Function) and function.origin != "core"
        ]
        for function in own:
            self._functions[function.name] = self._guarded(function, function.origin)
        for function in own:
            if function.composable:
                # a variant calls the function that it was made of: make it of the guarded one
                guarded = self[function.name]
                self._functions.update(Functions([guarded]))
        for function in more:
            if not isinstance(function, Function):
                kind = type(function).__name__
                raise ValueError(f"a `{kind}` is no function; declare it with `@function`")
            origin = "the caller" if function.origin == "core" else function.origin
            self._register(self._guarded(function, origin))

    def find(self, name: str) -> Function | None:
        """The function that a call of `name` means, in installed packages as well.

        Raises:
            FunctionNotLoaded: when two packages declare it.
        """
        if name not in self._functions and not self._looked:
            self.look()
        if name not in self._functions and name in self._unusable:
            raise FunctionNotLoaded(self._unusable[name])
        return self.get(name)

    def look(self) -> None:
        """Adds the functions of all installed packages, once."""
        if self._looked:
            return
        self._looked = True
        from ..world.plugins import PluginProblem, all_plugins

        declared: dict[str, list[Function]] = {}
        for plugin in all_plugins(GROUP):
            if isinstance(plugin, PluginProblem):
                self._tell(plugin.message)
                continue
            for function in self._declared(plugin):
                declared.setdefault(function.name, []).append(function)
        for name, functions in declared.items():
            origins = " and ".join(dict.fromkeys(one.origin for one in functions))
            if name in self._functions:
                who = self._functions[name].origin
                taken = "which is a core function" if who == "core" else f"which {who} declares too"
                self._tell(f"{origins} declares the function `{name}`, {taken}")
            elif len(functions) > 1:
                twice = "twice " if len({one.origin for one in functions}) == 1 else ""
                verb = "declares" if twice else "both declare"
                message = f"{origins} {verb} the function `{name}` {twice}".rstrip()
                self._unusable[name] = message
                self._tell(message)
            else:
                self._functions[name] = functions[0]

    def _declared(self, plugin: Plugin) -> list[Function]:
        """The functions of an entry point, variants included; empty if it is not a function."""
        from ...functions.declaring import as_functions
        from ..world.plugins import wrong_type

        try:
            functions = as_functions(plugin.value)
            if functions is None:
                self._tell(wrong_type(plugin, "Function").message)
                return []
            found: list[Function] = []
            for function in functions:
                # one by one: a name that is declared twice is reported below, with its origin
                found += Functions([self._guarded(function, plugin.origin)]).values()
        except (TypeError, ValueError) as error:
            self._tell(f"{plugin.origin} has a function that cannot be declared: {error}")
            return []
        return found

    def _guarded(self, function: Function, origin: str) -> Function:
        from ...functions.guarding import guarded

        return guarded(function, origin, self._discreet)

    def _tell(self, message: str) -> None:
        hint = "nothing else is affected; fix or uninstall the package"
        self._diagnostics.warn("function_not_loaded", None, message, hint)
