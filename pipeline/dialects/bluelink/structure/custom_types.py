"""Custom variable types with options from a provider (specification, "variableDefinition").

A variable of such a type holds a label. Without a provider for the type, any label is accepted. A
provider that cannot be used only causes a warning: a check is skipped, but the output is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .....functions.breakage import breakage
from .....functions.values import article, type_of
from ....engine.materialisation import text_of
from ....engine.run import Context
from ....values.diagnostics import Diagnostics, Note, meant
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map
from ....world.providers import Offer, Providers
from .inspection import shown
from .variables import is_custom_type, is_secret

_LISTED: Final = 12


def check_custom_types(variables: Map, context: Context) -> None:
    """Checks defaults and allowed values of custom types against the options of those types."""
    for name, variable in variables.items.items():
        node = variable.get("type") if isinstance(variable, Map) else None
        word = text_of(node)
        if node is None or word is None or not is_custom_type(word):
            continue
        options = _options(word, node, context.providers, context.diagnostics)
        if options is not None and isinstance(variable, Map):
            _check_definition(name, variable, options, context.diagnostics)


def _check_definition(
    name: str, variable: Map, options: Mapping[str, Any], diagnostics: Diagnostics
) -> None:
    secret = is_secret(variable)
    default = variable.get("default")
    allowed = variable.get("allowedValues")
    for item in [default, *(allowed.items if isinstance(allowed, Array) else ())]:
        label = text_of(item)
        if item is None or label is None or label in options:
            continue
        what, code = (
            ("the default", "custom_variable_default_not_in_options")
            if item is default
            else ("an allowed value", "custom_variable_allowed_values_not_in_options")
        )
        diagnostics.error(
            code,
            item.span,
            f"{what} of variable {shown(name)} is not an option of its type",
            None if secret else _hint(label, options),
        )


def is_option(
    name: str,
    value: str,
    definition: Map,
    providers: Providers | None,
    diagnostics: Diagnostics,
    who: str,
    span: Span,
    notes: tuple[Note, ...],
    secret: bool,
) -> bool:
    """Whether a value from `who` is an option of the variable's custom type; reports it if not.

    Problems with the provider are reported with the definition.
    """
    node = definition.get("type")
    word = text_of(node) or ""
    options = _options(word, node, providers, None)
    if options is None or value in options:
        return True
    said = "a value" if secret else shown(value)
    diagnostics.error(
        "custom_variable_value_not_in_options",
        span,
        f"{said}, which {who} gives to variable {shown(name)}, is not an option of {shown(word)}",
        None if secret else lambda: _hint(value, options),
        *notes,
    )
    return False


def _options(
    word: str, node: AnyNode | None, providers: Providers | None, diagnostics: Diagnostics | None
) -> Mapping[str, Any] | None:
    """The options of a type as a mapping from labels to values; None when they are not known."""
    offer = (providers or Providers()).variable_type(word)
    if offer is None:
        return None
    code = "provider_failed"
    if isinstance(offer, Offer):
        given, problem = _given(offer)
        if problem is None:
            problem, code = _problem(given)
        if problem is None:
            return given if isinstance(given, Mapping) else {label: label for label in given}
        message = f"{offer.origin} {problem}"
    else:
        message = offer.message
    if diagnostics is not None:
        diagnostics.warn(
            code,
            node.span if node is not None else None,
            message,
            f"until this is fixed, any label is accepted for {shown(word)}",
        )
    return None


def _given(offer: Offer) -> tuple[Any, str | None]:
    """A copy of the options, or the problem: a class of a plugin may fail when it is looked at."""
    try:
        given = offer.value.options
        if isinstance(given, Mapping):
            return dict(given.items()), None
        if isinstance(given, Sequence) and not isinstance(given, str | bytes):
            return list(given), None
        return given, None
    except (Exception, SystemExit) as error:
        return None, f"failed with {breakage(error)}"


def _problem(options: Any) -> tuple[str | None, str]:
    """The problem with the options of a type, or None, and its code."""
    code = "provider_failed"
    if isinstance(options, (str, bytes)) or not isinstance(options, (Mapping, Sequence)):
        return f"offers a `{type(options).__name__}` instead of options", code
    labels = list(options)
    if not labels:
        return "offers no options", code
    if not all(isinstance(label, str) for label in labels):
        return "offers a label that is not a string", code
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            return f"offers the label {shown(label)} twice", code
        seen.add(label)
    if isinstance(options, Mapping):
        kinds = {value.__class__ for value in options.values()}
        if not kinds <= {str, int, float, bool}:
            return "offers an option whose value is not a string, a number or a boolean", code
        if len(kinds) > 1:
            words = " and ".join(sorted(article(type_of(kind())) for kind in kinds))
            return f"offers options of different types, {words}", "mixed_variable_types"
    return None, code


def _hint(value: str, options: Mapping[str, Any]) -> str | None:
    for label, meaning in options.items():
        if str(meaning) == value:
            return f"this is the value of the label {shown(label)}; write the label"
    near = meant(value, options)
    if near or len(options) > _LISTED:
        return near
    return "the options are " + ", ".join(map(shown, options))
