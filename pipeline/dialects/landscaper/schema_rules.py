"""The library `jsonschema`, extended to what the engine's library makes of schemas.

That mixes drafts 4, 6 and 7; here are the keywords that differ from draft 7 (ADR 25), and what
tells how a value breaks a schema. `Checker` travels as the format checker, the one thing that a
validator hands on to those below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from jsonschema import Draft7Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from ....functions.go.regexps import Regexp, compile_pattern
from ...language.meter import Meter, over_limit
from ...values.diagnostics import ERROR, Diagnostic, Note
from ...values.source import Span
from ...values.threads import with_room
from ...values.tree import AnyNode, Array, Map
from .formats import conforms
from .schema_compiler import REF, Compiled, canonical, is_number, reason

_CHARS_A_STEP: Final = 16
_A_SCHEMA: Final = 25
"""Steps of a schema that a value is held against: the library makes a validator for each."""
_A_BRANCH: Final = 20
"""Mistakes of one alternative that are looked at."""
_A_PROBLEM: Final = 40
_FRAMES: Final = 150
_NOTES: Final = 3


class Endless(Exception):
    """A reference that leads back to itself for the same value."""


class NoneFits(ValidationError):
    """A value that fits none of some alternatives; what breaks each is found when it is told."""

    def __init__(self, branches: Callable[[], Iterator[list[ValidationError]]]) -> None:
        super().__init__("")
        self.branches = branches


class Checker(FormatChecker):
    """Formats, the steps of the run, and the references that are being followed."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(())
        self.meter = meter
        self.following: set[tuple[int, int]] = set()
        self.compiled: dict[str, Regexp] = {}

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches in a text, for its steps."""
        compiled = self.compiled.get(pattern) or compile_pattern(pattern)
        self.compiled[pattern] = compiled
        self.meter.work(compiled.cost(text))
        return compiled.finds(text)


_Keyword = Callable[[Any, Any, Any, Any], Any]
_Errors = Iterator[ValidationError]


def _bound(limit: str, broken: Callable[[Any, Any], bool]) -> _Keyword:
    """A bound of numbers; a boolean `exclusive..` beside it says that it is not allowed itself."""

    def check(validator: Any, bound: Any, instance: Any, schema: Any) -> _Errors:
        if is_number(instance) and not isinstance(bound, bool):
            excluded = schema.get(limit) is True and instance == bound
            if excluded or broken(instance, bound):
                yield ValidationError("")

    return check


def _multiple(validator: Any, factor: Any, instance: Any, schema: Any) -> _Errors:
    if is_number(instance) and _exactly(instance) % _exactly(factor):
        yield ValidationError("")


def _exactly(number: float) -> Fraction:
    """A number as it is written in decimal."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, str) and not validator.format_checker.matches(pattern, instance):
        yield ValidationError("")


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> _Errors:
    if not conforms(instance, name, validator.format_checker.meter.work):
        yield ValidationError("")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, dict):
        for pattern, below in patterns.items():
            for key, value in instance.items():
                if validator.format_checker.matches(pattern, key):
                    validator.format_checker.meter.work(_A_SCHEMA)
                    yield from validator.descend(value, below, path=key, schema_path=pattern)


def _additional_properties(validator: Any, below: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in instance.items():
        matches = validator.format_checker.matches
        if key in known or any(matches(pattern, key) for pattern in patterns):
            continue
        if below is False:
            yield ValidationError("", path=(key,))
        else:
            validator.format_checker.meter.work(_A_SCHEMA)
            yield from validator.descend(value, below, path=key)


def _property_names(validator: Any, below: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, dict):
        for key in instance:
            problems = list(islice(validator.descend(key, below), _A_BRANCH))
            if problems:
                yield ValidationError("", path=(key,), context=problems)


def _unique(validator: Any, wanted: Any, instance: Any, schema: Any) -> _Errors:
    if wanted and isinstance(instance, list):
        validator.format_checker.meter.weigh(instance)
        seen = set()
        for index, one in enumerate(instance):
            mark = canonical(one)
            if mark in seen:
                yield ValidationError("", path=(index,))
            seen.add(mark)


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(name)


def _dependencies(validator: Any, dependencies: Any, instance: Any, schema: Any) -> _Errors:
    for name, needed in dependencies.items() if isinstance(instance, dict) else ():
        if name not in instance:
            continue
        if isinstance(needed, list):
            yield from _required(validator, needed, instance, schema)
        else:
            yield from validator.descend(instance, needed, schema_path=name)


def _reference(validator: Any, reference: Any, instance: Any, schema: Any) -> _Errors:
    following = validator.format_checker.following
    step = (id(schema), id(instance))
    if step in following:
        raise Endless
    following.add(step)
    try:
        yield from _USUAL[REF](validator, reference, instance, schema)
    finally:
        following.discard(step)


def _alternatives(most: int) -> _Keyword:
    """Alternatives of which a value must fit at least one, and at most so many."""

    def check(validator: Any, listed: Any, instance: Any, schema: Any) -> _Errors:
        def branches() -> Iterator[list[ValidationError]]:
            for index, below in enumerate(listed):
                validator.format_checker.meter.work(_A_SCHEMA)
                found = validator.descend(instance, below, schema_path=index)
                yield list(islice(found, _A_BRANCH))

        fitting = 0
        for below in listed:
            validator.format_checker.meter.work(_A_SCHEMA)
            fitting += next(validator.descend(instance, below), None) is None
            if fitting >= most:
                break
        if not fitting:
            yield NoneFits(branches)
        elif fitting > 1:
            yield ValidationError("")

    return check


_USUAL: Final = Draft7Validator.VALIDATORS
_OWN: Final[dict[str, _Keyword]] = {
    REF: _reference,
    "required": _required,
    "dependencies": _dependencies,
    "minimum": _bound("exclusiveMinimum", lambda value, bound: value < bound),
    "maximum": _bound("exclusiveMaximum", lambda value, bound: value > bound),
    "exclusiveMinimum": _bound("", lambda value, bound: value <= bound),
    "exclusiveMaximum": _bound("", lambda value, bound: value >= bound),
    "multipleOf": _multiple,
    "anyOf": _alternatives(1),
    "oneOf": _alternatives(2),
    "pattern": _pattern,
    "format": _format,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "uniqueItems": _unique,
}


_DEEPER: Final = frozenset((REF, "if", "not", "propertyNames"))
"""Keywords that hold a value itself against another schema, which they find or choose."""
_WIDER: Final = frozenset(("items", "contains", "additionalItems"))
"""Keywords that may hold each part of a value against another schema."""


def _counted(name: str, keyword: _Keyword) -> _Keyword:
    """A keyword that spends a step, and more for what the library looks through at once.

    A schema that a value is held against spends its own.
    """
    each = 3 * _A_SCHEMA if name in _DEEPER else 1

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        size = len(instance) if isinstance(instance, str | dict | list) else 0
        steps = each + size // _CHARS_A_STEP
        if name in _WIDER and isinstance(instance, list) and not isinstance(value, bool):
            steps += size * _A_SCHEMA
        elif name in ("const", "enum"):
            steps += len(value) if name == "enum" else 1
            validator.format_checker.meter.weigh(instance)
            validator.format_checker.meter.weigh(value)
        elif name == "properties":
            steps += len(value) // _CHARS_A_STEP + min(size, len(value)) * _A_SCHEMA
        elif name == "allOf":
            steps += len(value) * _A_SCHEMA
        validator.format_checker.meter.work(steps)
        return keyword(validator, value, instance, schema)

    return check


VALIDATOR: Final = extend(
    Draft7Validator,
    {name: _counted(name, one) for name, one in {**_USUAL, **_OWN}.items()},
)
"""The class of validators; each needs a `Checker`."""


def problems(schema: Compiled, value: AnyNode, what: str, code: str) -> list[Diagnostic]:
    """How a value breaks a valid schema, in the order of places; `what` is called with `code`.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    meter, limits = schema.context.meter, schema.context.limits

    def found() -> Iterator[Diagnostic]:
        validator = VALIDATOR(schema.data, registry=schema.registry, format_checker=Checker(meter))
        errors = validator.iter_errors(schema.plain(value))
        for error in islice(errors, limits.max_diagnostics + 1):
            meter.work(_A_PROBLEM)
            summary = f"{what} does not match its schema: {_words(error)}"
            notes = (*_schema_note(error, schema), *_branch(error, value))
            yield Diagnostic(code, summary, _place(value, error), ERROR, None, notes)

    def told() -> list[Diagnostic]:
        try:
            return sorted(found(), key=lambda item: item.span.start if item.span else 0)
        except Endless:
            summary = f"the schema of {what} refers to itself without end"
            return [Diagnostic("schema_cycle", summary, value.span)]
        except RecursionError:
            bound = f"values and their schemas may be nested {limits.max_depth} deep"
            raise over_limit("max_depth", bound, limits) from None

    return with_room(told, _FRAMES)


def _words(error: ValidationError) -> str:
    wanted = error.message if error.validator in _ABOUT_NAMES else error.validator_value
    path = ".".join(map(str, error.absolute_path))
    return reason(error.validator, wanted, error.instance) + (f" at `{path}`" if path else "")


_ABOUT_NAMES: Final = ("required", "dependencies")
_ABOUT_KEYS: Final = ("additionalProperties", "propertyNames")


def _schema_note(error: ValidationError, schema: Compiled) -> Iterator[Note]:
    node = schema.nodes.get(id(error.schema))
    keyword = str(error.validator)
    if node is not None and keyword in node.items:
        yield Note("the schema is here", node.key_span(keyword))


def _branch(error: ValidationError, value: AnyNode) -> Iterator[Note]:
    """What is wrong with the alternative that fits best."""
    best = error.context or []
    if isinstance(error, NoneFits):
        best = min(error.branches(), key=_distance)
        for one in best:
            one.parent = error
    for one in best[:_NOTES]:
        yield Note(_words(one), _place(value, one))


def _distance(errors: list[ValidationError]) -> tuple[int, int]:
    """How far a value is from an alternative: one of another type is farther than any other."""
    return any(one.validator == "type" and not one.path for one in errors), len(errors)


def _place(value: AnyNode, error: ValidationError) -> Span:
    """The part of a value that an error is about; the key of a field that should not be there."""
    node, path = value, [*error.absolute_path]
    for number, step in enumerate(path, 1):
        if isinstance(node, Map) and step in node.items:
            if number == len(path) and error.validator in _ABOUT_KEYS:
                return node.key_span(step)
            node = node.items[step]
        elif isinstance(node, Array) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
    return node.span
