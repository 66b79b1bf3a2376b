"""The values of variables: which source wins, and which fit ("variableDefinition").

No message ever contains the value of a secret variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from .....functions.record import Record, field
from .....functions.values import NONE, Unknown, article, type_of
from ....engine.inputs import MISSING, Variable, VariableInputs
from ....formats.scalars import MAX_INTEGER, MIN_INTEGER
from ....language.errors import QUOTE_IT
from ....values.diagnostics import Diagnostic, Diagnostics, Names, Note, meant, suggestion
from ....values.settings import SECRETS_REVEAL, Settings
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar
from ..refusals import A_SCALAR
from ..structure.inspection import read_literal, shown
from ..structure.sections import VARIABLE_TYPES

if TYPE_CHECKING:
    from ....world.providers import Providers

ENVIRONMENT_PREFIX: Final = "BPP_VAR_"
_LISTED: Final = 12


class _Candidate(Record):
    """A value before its type is checked: `text` is still to be parsed, `who` is for messages."""

    value: Any = field(repr=False)
    source: str
    who: str
    text: bool = False
    span: Span | None = None


def resolve_variables(
    definitions: Map | None,
    given: VariableInputs,
    settings: Settings,
    diagnostics: Diagnostics,
    providers: Providers | None = None,
) -> dict[str, Variable]:
    """All declared variables in their order; mistakes are added to `diagnostics`.

    The first of these that has a value counts: the caller, a flag, a file (the last one first), the
    environment, the default. `without_value` has the mistake of a variable without any. Definitions
    are expected to be checked: a default or an allowed value of a wrong type is not reported again.
    """
    items = definitions.items if definitions is not None else {}
    _report_undeclared(items, given, settings.strict_vars, diagnostics)
    variables = {}
    for name, definition in items.items():
        assert definitions is not None
        if isinstance(definition, Map):
            place = definitions.key_span(name)
            variables[name] = _resolve(name, definition, place, given, diagnostics, providers)
        else:
            variables[name] = Variable(name, "any", MISSING)
    return variables


def _resolve(
    name: str,
    definition: Map,
    place: Span,
    given: VariableInputs,
    diagnostics: Diagnostics,
    providers: Providers | None,
) -> Variable:
    type_name = _word(definition, "type") or "any"
    # a `secret` that is neither true nor false is a mistake; until it is mended, be careful
    declared = "secret" in definition.items and _scalar(definition, "secret") is not False
    secret = declared or name in given.marked
    candidate = _first(name, given)
    if candidate is not None:
        value = candidate.value
        if value.__class__ is not Unknown:
            notes = _declared(name, candidate, place)
            value = _fit(name, type_name, secret, candidate, definition, place, diagnostics)
            if value is not MISSING and "/" in type_name:
                from ..structure.custom_types import is_option

                span = candidate.span or place
                if not is_option(
                    name,
                    value,
                    definition,
                    providers,
                    diagnostics,
                    candidate.who,
                    span,
                    notes,
                    secret,
                ):
                    value = MISSING
        return Variable(name, type_name, value, secret, candidate.source)
    default = _scalar(definition, "default")
    if default is not None:
        value = typed(default, type_name)
        return Variable(name, type_name, value, secret, "default" if value is not MISSING else "")
    return Variable(name, type_name, MISSING, secret)


def without_value(
    definitions: Map | None, variables: Mapping[str, Variable], settings: Settings
) -> dict[str, Diagnostic]:
    """The mistake `required_variable_missing` for each variable that has no value and no default.

    A secret that is not printed needs none.
    """
    found = {}
    for name, variable in variables.items() if definitions is not None else ():
        assert definitions is not None
        definition = definitions.get(name)
        if variable.value is not MISSING or variable.source or not isinstance(definition, Map):
            continue
        if variable.secret and settings.secrets != SECRETS_REVEAL:
            continue
        if "default" not in definition.items:
            found[name] = Diagnostic(
                "required_variable_missing",
                f"variable {shown(name)} has no value",
                definitions.key_span(name),
                hint=f"give it one with `--var {name}=VALUE`, or declare a default",
            )
    return found


def _first(name: str, given: VariableInputs) -> _Candidate | None:
    """The value that wins, before its type is checked."""
    if name in given.values and given.values[name] is not NONE:
        return _Candidate(given.values[name], "caller", "the caller", span=given.spans.get(name))
    if name in given.flags:
        return _Candidate(given.flags[name], "flag", "`--var`", text=True)
    for file in reversed(given.files):
        found = file.assignments.get(name)
        if found is not None:
            return _Candidate(found.value, file.name, f"`{file.name}`", found.text, found.span)
    key = ENVIRONMENT_PREFIX + name
    if key in given.environment:
        return _Candidate(given.environment[key], "environment", f"`{key}`", text=True)
    return None


def is_given(name: str, given: VariableInputs) -> bool:
    """True for a variable that has a value apart from its default."""
    return _first(name, given) is not None


def _fit(
    name: str,
    type_name: str,
    secret: bool,
    candidate: _Candidate,
    definition: Map,
    place: Span,
    diagnostics: Diagnostics,
) -> Any:
    """The value as one of the declared type, or MISSING when that is a mistake."""
    span = candidate.span or place
    notes = _declared(name, candidate, place)
    value = _read(candidate, type_name)
    if value is MISSING:
        diagnostics.error(
            "variable_type_mismatch",
            span,
            f"variable {shown(name)} must be {_wanted(type_name)}, but {candidate.who} gives "
            f"{_described(candidate, secret)}",
            _type_hint(candidate, type_name),
            *notes,
        )
        return MISSING
    choices = choices_of(definition.get("allowedValues"), type_name)
    if not choices or value in choices:
        return value
    said = "a value" if secret else quoted(value)
    diagnostics.error(
        "variable_value_not_allowed",
        span,
        f"variable {shown(name)} does not allow {said}, which {candidate.who} gives",
        None if secret else choices_hint(value, choices),
        *notes,
    )
    return MISSING


def _declared(name: str, candidate: _Candidate, place: Span) -> tuple[Note, ...]:
    if candidate.span is None:
        return ()
    return (Note(f"{shown(name)} is declared here", place),)


def _read(candidate: _Candidate, type_name: str) -> Any:
    if not candidate.text:
        return typed(candidate.value, type_name)
    if not is_unicode(candidate.value):
        return MISSING
    known = type_name if type_name in VARIABLE_TYPES else "string"
    value = read_literal(candidate.value, known)
    return MISSING if value is None else value


def typed(value: Any, type_name: str) -> Any:
    """A value that has a type already as one of the declared type, or MISSING."""
    kind = value.__class__
    if kind is int and not MIN_INTEGER <= value <= MAX_INTEGER:
        return MISSING
    if kind is int and type_name == "float":
        return float(value)
    if (kind is float and not isfinite(value)) or (kind is str and not is_unicode(value)):
        return MISSING
    match type_name:
        case "integer":
            fits = kind is int
        case "float":
            fits = kind is float
        case "boolean":
            fits = kind is bool
        case "any":
            fits = kind in (str, int, float, bool)
        case _:
            fits = kind is str
    return value if fits else MISSING


def is_unicode(text: str) -> bool:
    """False for text with lone surrogates, as arguments that are not valid UTF-8 decode to."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _wanted(type_name: str) -> str:
    if type_name == "any":
        return A_SCALAR
    if type_name in VARIABLE_TYPES:
        return article(type_name)
    return f"a label of {shown(type_name)}, a string"


def _described(candidate: _Candidate, secret: bool) -> str:
    value = candidate.value
    if value.__class__ is str and not is_unicode(value):
        return "text that is not valid UTF-8"
    if candidate.text:
        return "other text" if secret else quoted(value)
    if value.__class__ is int and not MIN_INTEGER <= value <= MAX_INTEGER:
        return "an integer of more than 64 bits"
    if value.__class__ is float and not isfinite(value):
        return "a number that is not finite"
    try:
        return article(type_of(value))
    except KeyError:
        return f"a Python `{value.__class__.__name__}`"


def quoted(value: Any) -> str:
    """A value of a variable as messages show it."""
    if value.__class__ is bool:
        return f"`{str(value).lower()}`"
    return shown(str(value)) if value != "" else "an empty string"


def _type_hint(candidate: _Candidate, type_name: str) -> str | None:
    if candidate.text:
        match type_name:
            case "boolean":
                return "write `true` or `false`"
            case "integer":
                return "write digits only, as in `8080`; at most 64 bits are kept"
            case "float":
                return "write a number, as in `1.5`"
        return None
    kind = candidate.value.__class__
    if kind in (list, dict):
        return "pass it as a string of JSON, and read it in the blueprint with `jsondecode`"
    if candidate.source == "caller":
        return None
    if kind is str and type_name in ("integer", "float", "boolean"):
        return "write it without quotes"
    if kind in (int, float, bool) and type_name not in ("integer", "float", "boolean"):
        return QUOTE_IT
    return None


def choices_of(allowed: AnyNode | None, type_name: str) -> list[Any]:
    """The values that `allowedValues` lists, which does not apply to a boolean; empty for any.

    They have the declared type: above 2^53 an integer and the float that it is given as differ.
    """
    if not isinstance(allowed, Array) or type_name == "boolean":
        return []
    listed = [typed(item.value, type_name) for item in allowed.items if isinstance(item, Scalar)]
    return [value for value in listed if value is not MISSING]


def choices_hint(value: Any, choices: list[Any]) -> str | None:
    """The allowed value that was meant, or all of them if they are few."""
    words = [choice for choice in choices if isinstance(choice, str)]
    near = meant(value, words) if isinstance(value, str) else None
    if near or len(choices) > _LISTED:
        return near
    return "allowed are " + ", ".join(map(quoted, choices))


def _report_undeclared(
    items: Mapping[str, Any], given: VariableInputs, strict: bool, diagnostics: Diagnostics
) -> None:
    names = Names(items)
    diagnostics.quoting.declare(items)
    for name, who, span in _named(given):
        if name not in items:
            report = diagnostics.error if strict else diagnostics.warn
            report(
                "undeclared_variable",
                span,
                f"{who} gives a value to {shown(name)}, which the blueprint does not declare",
                suggestion(name, names),
            )


def _named(given: VariableInputs) -> Iterator[tuple[str, str, Span | None]]:
    """Each name that is given for this blueprint; the environment is not, it serves many."""
    for name in given.values:
        yield name, "the caller", given.spans.get(name)
    for name in given.flags:
        yield name, "`--var`", None
    for file in given.files:
        for name, assignment in file.assignments.items():
            yield name, f"`{file.name}`", assignment.span


def _scalar(definition: Map, key: str) -> Any:
    node = definition.get(key)
    return node.value if isinstance(node, Scalar) else None


def _word(definition: Map, key: str) -> str | None:
    value = _scalar(definition, key)
    return value if isinstance(value, str) else None
