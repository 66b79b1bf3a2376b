"""The checks of `variables`: declared types, defaults and allowed values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ....language.errors import QUOTE_IT
from ....values.diagnostics import Remedy, meant
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..refusals import A_SCALAR
from .inspection import (
    Check,
    Inspection,
    check_any,
    check_section,
    check_text,
    dashed,
    is_boolean,
    is_refused,
    kind,
    read_literal,
    shown,
    word_hint,
)
from .sections import OTHER_WORDS, PROVIDER_TYPE, VARIABLE, VARIABLE_TYPES

_NO_DEFAULT: Final = "leave `default` out if the variable has no default"


def check_variables(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check the section; no message ever holds a value of a secret variable."""
    for name, variable in check_section(node, key, VARIABLE, _CHECKS, inspection):
        _check_default(variable, name, inspection)
        _check_allowed(variable, name, inspection)


def is_custom_type(word: str) -> bool:
    """True for `{provider}/{type}` and `{provider}/{service}/{type}`."""
    return re.fullmatch(PROVIDER_TYPE, word) is not None


def has_custom_types(variables: Map) -> bool:
    """True when a variable of the section has a custom type."""
    return any(
        isinstance(node, Map) and _type_of(node) == "custom" for node in variables.items.values()
    )


def _check_type(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if isinstance(node, Template):
        return
    code = "invalid_variable_type"
    choice = "use `string`, `integer`, `float`, `boolean` or a custom type such as `aws/region`"
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        summary = f"`type` must be the name of a variable type, not {kind(node)}"
        inspection.error(code, node.span, summary, choice)
        return
    word = node.value
    if word in VARIABLE_TYPES or is_custom_type(word):
        return
    if not word.strip():
        inspection.error(code, node.span, "`type` is empty", choice)
        return
    hint = None
    base = word.partition("(")[0].partition("<")[0].lower()
    if word == "secret":
        hint = "write `type: string` and `secret: true`"
    elif OTHER_WORDS.get(base, base) in ("array", "object", "set"):
        hint = "pass it as a JSON string and read it with `jsondecode`"
    elif "/" not in word:
        hint = word_hint(word, VARIABLE_TYPES)
    inspection.error(code, node.span, f"{shown(word)} is not a valid variable type", hint or choice)


def _check_secret(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    if not isinstance(node, Template) and not is_boolean(node):
        inspection.error(
            "variable_invalid_secret_value",
            node.span,
            f"`secret` must be `true` or `false`, not {kind(node)}",
        )


def _check_default(variable: Map, name: str, inspection: Inspection) -> None:
    node = variable.get("default")
    if node is None or isinstance(node, Template) or is_refused(node, inspection):
        return
    wanted = _type_of(variable)
    if not _has_type(node, wanted):
        inspection.error(
            "variable_invalid_default_value",
            node.span,
            f"the default of variable {shown(name)} must be {_wanted(wanted)}, not {kind(node)}",
            _NO_DEFAULT
            if isinstance(node, Scalar) and node.value is None
            else _type_hint(node, wanted),
        )
        return
    allowed = variable.get("allowedValues")
    if not isinstance(allowed, Array) or wanted is None or wanted == "boolean":
        return
    choices = [item.value for item in allowed.items if isinstance(item, Scalar)]
    if choices and isinstance(node, Scalar) and node.value not in choices:
        inspection.error(
            "variable_value_not_allowed",
            node.span,
            f"the default of variable {shown(name)} is not one of its allowed values",
            None if is_secret(variable) else meant(str(node.value), map(str, choices)),
        )


def _check_allowed(variable: Map, name: str, inspection: Inspection) -> None:
    node = variable.get("allowedValues")
    if node is None or isinstance(node, Template):
        return
    wanted = _type_of(variable)
    if wanted == "boolean":
        inspection.error(
            "variable_invalid_allowed_values_not_supported",
            variable.key_span("allowedValues"),
            f"variable {shown(name)} is a boolean, and booleans have no allowed values",
        )
        return
    if not isinstance(node, Array):
        inspection.error(
            "variable_invalid_allowed_values",
            node.span,
            f"the allowed values of variable {shown(name)} must be an array, not {kind(node)}",
            dashed(node),
        )
        return
    if not node.items:
        inspection.error(
            "variable_invalid_allowed_values",
            node.span,
            f"the allowed values of variable {shown(name)} are empty, so it can have no value",
        )
    for item in node.items:
        if isinstance(item, Template) or is_refused(item, inspection):
            continue
        if not _has_type(item, wanted):
            inspection.error(
                "variable_invalid_allowed_value",
                item.span,
                f"an allowed value of variable {shown(name)} must be {_wanted(wanted)}, "
                f"not {kind(item)}",
                _type_hint(item, wanted),
            )


def _type_of(variable: Map) -> str | None:
    """The declared type, `custom` for a custom one, None when it is missing or wrong."""
    node = variable.get("type")
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    if node.value in VARIABLE_TYPES:
        return node.value
    return "custom" if is_custom_type(node.value) else None


def _has_type(node: AnyNode, wanted: str | None) -> bool:
    if not isinstance(node, Scalar) or node.value is None:
        return False
    match wanted:
        case "string" | "custom":
            return isinstance(node.value, str)
        case "integer":
            return isinstance(node.value, int) and not isinstance(node.value, bool)
        case "float":
            return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        case "boolean":
            return isinstance(node.value, bool)
    return True


def _wanted(wanted: str | None) -> str:
    match wanted:
        case None:
            return A_SCALAR
        case "custom":
            return "a string, a label of the custom type"
        case "integer":
            return "an integer"
    return f"a {wanted}"


def _type_hint(node: AnyNode, wanted: str | None) -> str | None:
    match node:
        case Map() | Array():
            return "write it as a JSON string and read it with `jsondecode`"
        case Scalar(value=None):
            return None
        case Scalar(value=str(text)) if wanted in ("integer", "float", "boolean"):
            if read_literal(text, wanted) is not None:
                return Remedy("remove the quotes", text)
            return "write `true` or `false`" if wanted == "boolean" else None
        case Scalar(value=str()):
            return None
    if wanted in ("string", "custom"):
        return QUOTE_IT
    return None


def is_secret(variable: Map) -> bool:
    """True unless `secret` is absent or literally false: any other content may be a mistake."""
    node = variable.get("secret")
    return node is not None and not (isinstance(node, Scalar) and node.value is False)


_CHECKS: Final[Mapping[str, Check]] = {
    "variable_type": _check_type,
    "variable_secret": _check_secret,
    "text": check_text,
    "any": check_any,
}
