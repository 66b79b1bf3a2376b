"""The library `jsonschema`, extended to what the engine's library makes of schemas.

That mixes drafts 4, 6 and 7; here are the keywords that differ from draft 7 (notes in ADR 25).
`Checker` travels as the format checker, the one thing that a validator hands on to those below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, repeat
from typing import Any, Final, TypeGuard

from jsonschema import Draft7Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from ....functions.go.regexps import Regexp, compile_pattern
from ...language.meter import Meter
from .formats import FORMATS

REF: Final = "$ref"
_CHARS_A_STEP: Final = 16
_A_SCHEMA: Final = 12
"""Steps of a schema that a value is held against: the library makes a validator for each."""
_A_PATTERN: Final = 100
_A_BRANCH: Final = 20
"""Mistakes of one alternative that are looked at."""


class Quiet:
    """A mixin for data that no message of the library writes out."""

    def __repr__(self) -> str:
        return ".."


class Object(Quiet, dict):  # type: ignore[type-arg]
    """A map of a value or of a schema."""


class List(Quiet, list):  # type: ignore[type-arg]
    """A list of a value or of a schema."""


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

    def conforms(self, instance: object, format: str) -> bool:  # noqa: A002
        """Whether a value has a format; a number has none, other values any."""
        known = FORMATS.get(format)
        if format == "regex" and isinstance(instance, str):
            self.meter.work(_A_PATTERN + len(instance))
        if known is None or isinstance(instance, bool):
            return True
        return known(instance) if isinstance(instance, str) else not is_number(instance)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches in a text, for its steps."""
        compiled = self.compiled.get(pattern)
        if compiled is None:
            self.meter.work(_A_PATTERN + len(pattern))
            compiled = self.compiled[pattern] = compile_pattern(pattern)
        self.meter.work(compiled.cost(text))
        return compiled.finds(text)


def is_number(value: object) -> TypeGuard[float]:
    """True for a number of JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _canonical(value: Any) -> Any:
    """A value that can be compared and hashed: numbers are floats, and no booleans."""
    if isinstance(value, dict):
        return "map", frozenset((key, _canonical(one)) for key, one in value.items())
    if isinstance(value, list):
        return "list", tuple(_canonical(one) for one in value)
    return type(value) is bool, float(value) if is_number(value) else value


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
    if not validator.format_checker.conforms(instance, name):
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


def _constant(validator: Any, constant: Any, instance: Any, schema: Any) -> _Errors:
    validator.format_checker.meter.weigh(instance)
    if _canonical(instance) != _canonical(constant):
        yield ValidationError("")


def _enumeration(validator: Any, allowed: Any, instance: Any, schema: Any) -> _Errors:
    validator.format_checker.meter.weigh(instance)
    validator.format_checker.meter.weigh(allowed)
    given = _canonical(instance)
    if allowed and all(_canonical(one) != given for one in allowed):
        yield ValidationError("")


def _unique(validator: Any, wanted: Any, instance: Any, schema: Any) -> _Errors:
    if wanted and isinstance(instance, list):
        validator.format_checker.meter.weigh(instance)
        seen = set()
        for index, one in enumerate(instance):
            mark = _canonical(one)
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


def _type(validator: Any, kinds: Any, instance: Any, schema: Any) -> Any:
    return _USUAL["type"](validator, kinds, instance, schema) if kinds else ()


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
        if listed and not fitting:
            yield NoneFits(branches)
        elif fitting > 1:
            yield ValidationError("")

    return check


def _items(validator: Any, below: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, list):
        each = below if isinstance(below, list) else repeat(below)
        for index, (one, inner) in enumerate(zip(instance, each, strict=False)):
            validator.format_checker.meter.work(_A_SCHEMA)
            yield from validator.descend(one, inner, path=index)


def _additional_items(validator: Any, below: Any, instance: Any, schema: Any) -> Any:
    listed = isinstance(schema.get("items"), list) and schema["items"]
    return _USUAL["additionalItems"](validator, below, instance, schema) if listed else ()


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
    "type": _type,
    "items": _items,
    "anyOf": _alternatives(1),
    "oneOf": _alternatives(2),
    "additionalItems": _additional_items,
    "pattern": _pattern,
    "format": _format,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "const": _constant,
    "enum": _enumeration,
    "uniqueItems": _unique,
}


_DEEPER: Final = frozenset((REF, "if", "not", "propertyNames"))
"""Keywords that hold a value itself against another schema, which they find or choose."""
_WIDER: Final = frozenset(("contains", "additionalItems"))
"""Keywords that may hold each part of a value against another schema."""


def _counted(name: str, keyword: _Keyword) -> _Keyword:
    """A keyword that spends a step, and more for what the library looks through at once.

    A schema that a value is held against spends its own.
    """
    each = 3 * _A_SCHEMA if name in _DEEPER else 1

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        size = len(instance) if isinstance(instance, str | dict | list) else 0
        steps = each + size // _CHARS_A_STEP
        if name in _WIDER and not isinstance(instance, str) and not isinstance(value, bool):
            steps += size * _A_SCHEMA
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
