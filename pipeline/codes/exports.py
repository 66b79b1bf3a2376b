"""Codes of the `exports` section."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "exports"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="missing_export_type",
        title="An export without a type",
        text="An export says which type it has, so that other blueprints can rely on it.",
        remedy="Add `type`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_export_type",
        title="An unknown type of export",
        text="An export is a `string`, `integer`, `float`, `boolean`, `array` or `object`.",
        remedy="Choose one of these types.",
        example="exports:\n  url: {type: text, field: values.url}\n",
    ),
    Code(
        topic=_TOPIC,
        name="empty_export_field",
        title="An export of nothing",
        text="`field` is empty, so the export refers to nothing.",
        remedy="Write the reference, such as `resources.api.spec.url`.",
        example='exports:\n  url: {type: string, field: ""}\n',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_export_field",
        title="An export field that is not a bare reference",
        text="`field` is a reference without `«` and `»` around it, and without functions or "
        "literals. It names one thing in the blueprint that others may see.",
        remedy="Write a bare reference; compute the value under `values` and export that.",
        example="exports:\n  url: {type: string, field: to_upper(values.url)}\n",
    ),
    Code(
        topic=_TOPIC,
        name="export_type_mismatch",
        title="An export of another type than declared",
        text="What is exported is not of the declared type. Other blueprints rely on that type, so "
        "nothing is converted; only an integer serves as a float.",
        remedy="Change the declared type or what is exported.",
        example="""\
values:
  port: {type: integer, value: 80}
exports:
  port: {type: string, field: values.port}
""",
    ),
    Code(
        topic=_TOPIC,
        name="value_in_export",
        title="An export with a value that does not belong there",
        text="`value` in an export is what bpp writes into a materialised blueprint for what it "
        "knows already. It is a plain value of the declared type, and there is nothing left to "
        "evaluate in it.",
        remedy="In a blueprint written by hand use `field`; define the value under `values`.",
        example='exports:\n  url: {type: string, value: "«values.url»"}\n',
    ),
)
