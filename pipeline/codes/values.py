"""Codes of the `values` section."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "values"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="missing_value",
        title="A value without `value`",
        text="A definition in `values` has a type but nothing that it stands for.",
        remedy="Add `value`, a literal or a substitution.",
        example="values:\n  name: {type: string}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_value",
        title="Something that cannot be a value",
        text="What stands under `value` can neither be the value itself nor be evaluated to one.",
        remedy="Write a literal of the declared type or a substitution.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_value_type",
        title="An unknown type of value",
        text="A value is a `string`, `integer`, `float`, `boolean`, `array` or `object`. The type "
        "must be a literal word, because it is checked before anything is evaluated.",
        remedy="Choose one of these types.",
        example='values:\n  zones: {type: list, value: "«list()»"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="value_type_mismatch",
        title="A value of another type than declared",
        text="The value is not of the type that its definition declares. Whoever refers to it "
        "relies on that type, therefore nothing is converted silently; only texts written in the "
        "file are read as the number or boolean they look like.",
        remedy="Change the declared type or the value.",
        example="values:\n  port: {type: integer, value: eighty}\n",
    ),
    Code(
        topic=_TOPIC,
        name="value_not_found",
        title="A reference to an unknown value",
        text="The substitution refers to a value that this blueprint does not define. Values of "
        "other blueprints are visible through their exports only.",
        remedy="Correct the name or define the value.",
        example="«values.nmae»",
    ),
)
