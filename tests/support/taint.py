"""Secrets that are easy to find again, the forms they could leak in, and expressions with secrets.

The expressions are the examples of all functions, with one part at a time taken from a secret.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus

import attrs
import yaml
from bpp.functions import Example, core_functions
from bpp.pipeline import (
    Access,
    Argument,
    Call,
    Expression,
    Language,
    Limits,
    Literal,
    Reference,
    evaluate,
    find_dialect,
)

CORE = core_functions()
LANGUAGE = Language(find_dialect("bluelink").syntax, Limits())
TYPES: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
    list: "array",
    dict: "object",
}
SHORTEST = 6
"""Shorter pieces of a secret are found in any text by chance."""

# ---------------------------------------------------------------- what is looked for


def forms(secret: str) -> dict[str, set[str]]:
    """What a secret may look like, by the name of the encoding."""
    data = secret.encode()
    half = len(secret) // 2
    digests = (hashlib.sha256, hashlib.sha1, hashlib.md5)
    found = {
        "raw": {secret, *secret.splitlines()},
        "JSON": {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]},
        "YAML": {_yaml(secret, '"'), _yaml(secret, "'")},
        "address": {quote(secret), quote(secret, safe=""), quote_plus(secret)},
        "base64": {_base64(data, shift) for shift in range(3)},
        "base64 for addresses": {_base64(data, shift, b"-_") for shift in range(3)},
        "hexadecimal": {data.hex(), data.hex().upper()},
        "reversed": {secret[::-1]},
        "capitals": {secret.upper(), secret.swapcase()},
        "small letters": {secret.lower()},
        "halves": {secret[:half], secret[half:]},
        "digest": {digest(data).hexdigest() for digest in digests},
    }
    return {name: {one for one in texts if len(one) >= SHORTEST} for name, texts in found.items()}


def _yaml(text: str, style: str) -> str:
    shown: str = yaml.safe_dump(text, default_style=style, width=1_000_000, allow_unicode=True)
    return shown.strip()[1:-1]


def _base64(data: bytes, shift: int, other: bytes | None = None) -> str:
    """The data in base64 as it looks behind `shift` other bytes, without what these touch."""
    text = base64.b64encode(b"\0" * shift + data, other).decode()
    end = len(text) - (4 if text.endswith("=") else 0)
    return text[4 if shift else 0 : end]


@attrs.frozen
class Finder:
    """Looks for secrets in texts."""

    secrets: Mapping[str, str]

    def __attrs_post_init__(self) -> None:
        for name, secret in self.secrets.items():
            assert forms(secret)["raw"], name

    def found(self, text: str) -> list[tuple[str, str]]:
        """Which secret a text holds in which form."""
        return [
            (name, form)
            for name, secret in self.secrets.items()
            for form, needles in _forms(secret)
            if any(needle in text for needle in needles)
        ]


@cache
def _forms(secret: str) -> list[tuple[str, frozenset[str]]]:
    return [(name, frozenset(texts)) for name, texts in forms(secret).items()]


# ---------------------------------------------------------------- what is computed


@attrs.frozen
class Row:
    """An example of a function with one part that will be a secret.

    `values` are what its literals and references stand for, by their place in the expression.
    """

    function: str
    expression: Expression
    values: tuple[Any, ...]
    position: int

    @property
    def covers(self) -> set[tuple[str, int]]:
        """Functions and positions of arguments that the secret is a part of."""
        chosen = list(leaves(self.expression))[self.position]
        return set(_around(self.expression, chosen))

    def text(self, secret: Expression, others: str) -> str:
        """The expression with `secret` in its place; other references are `values.<others>_<n>`."""
        table = {}
        for number, leaf in enumerate(leaves(self.expression)):
            if number == self.position:
                table[id(leaf)] = secret
            elif isinstance(leaf, Reference) and not leaf.bare:
                table[id(leaf)] = Reference("values", (f"{others}_{number}",))
        return LANGUAGE.syntax.show(_put(self.expression, table))

    def others(self, prefix: str) -> Iterator[tuple[str, Any]]:
        """The values that `text` refers to, but for the secret."""
        for number, leaf in enumerate(leaves(self.expression)):
            if number != self.position and isinstance(leaf, Reference) and not leaf.bare:
                yield f"{prefix}_{number}", self.values[number]

    @property
    def secret(self) -> Any:
        """What the secret must be for the example to hold."""
        return self.values[self.position]

    @property
    def shown(self) -> str:
        """The expression for messages."""
        return self.text(Reference("values", ("secret",)), "other")

    def holding(self, secret: Any) -> Row:
        """The same expression with another secret."""
        before, after = self.values[: self.position], self.values[self.position + 1 :]
        return attrs.evolve(self, values=(*before, secret, *after))


def nested(inner: Row, outer: Row) -> Row:
    """One row in the place of the other one's secret."""
    chosen = list(leaves(outer.expression))[outer.position]
    before, after = outer.values[: outer.position], outer.values[outer.position + 1 :]
    return Row(
        outer.function,
        _put(outer.expression, {id(chosen): inner.expression}),
        (*before, *inner.values, *after),
        outer.position + inner.position,
    )


def leaves(expression: Expression) -> Iterator[Expression]:
    """Literals and references."""
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from leaves(argument.value)
    elif isinstance(expression, Access):
        yield from leaves(expression.target)
    else:
        yield expression


def _around(expression: Expression, leaf: Expression) -> Iterator[tuple[str, int]]:
    if isinstance(expression, Access):
        yield from _around(expression.target, leaf)
    if isinstance(expression, Call):
        for position, argument in enumerate(expression.arguments):
            if any(one is leaf for one in leaves(argument.value)):
                yield expression.function, position
                yield from _around(argument.value, leaf)


def _put(expression: Expression, table: Mapping[int, Expression]) -> Expression:
    if id(expression) in table:
        return table[id(expression)]
    if isinstance(expression, Call):
        given = (Argument(_put(one.value, table), one.name) for one in expression.arguments)
        return Call(expression.function, tuple(given))
    if isinstance(expression, Access):
        return Access(_put(expression.target, table), expression.path)
    return expression


def rows() -> list[Row]:
    """One for each part of each example of a core function that holds."""
    return [row for function in CORE.values() for row in _rows(function.name, function.examples)]


def few(every: list[Row]) -> list[Row]:
    """Rows in which a secret is in every argument of every function at least once."""
    chosen, covered = [], set[tuple[str, int]]()
    for row in every:
        if not row.covers <= covered:
            chosen.append(row)
            covered |= row.covers
    return chosen


def _rows(name: str, examples: tuple[Example, ...]) -> Iterator[Row]:
    for example in examples:
        if example.error is not None:
            continue
        answer = evaluate("${" + example.expression + "}", example.scope)
        if answer.diagnostics:  # a function of a package, or what is not allowed here
            continue
        expression = LANGUAGE.parse(example.expression)
        values = tuple(_value(leaf, example) for leaf in leaves(expression))
        for position, value in enumerate(values):
            if type(value) in TYPES:
                yield Row(name, expression, values, position)


def _value(leaf: Expression, example: Example) -> Any:
    """What a literal or a reference stands for; None for the name of a function and for none."""
    if isinstance(leaf, Literal):
        return leaf.value
    if isinstance(leaf, Reference) and leaf.bare and str(leaf.path[0]) in CORE:
        return None
    answer = evaluate("${" + LANGUAGE.syntax.show(leaf) + "}", example.scope)
    return None if answer.diagnostics or answer.residual is not None else answer.value


def written(value: Any) -> Any:
    """A value as a blueprint says it: texts with `${` are no expressions."""
    if isinstance(value, str):
        return value.replace("${", '${"${"}')
    if isinstance(value, list):
        return [written(item) for item in value]
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    return value
