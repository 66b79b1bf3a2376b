"""Codes of reading a text as YAML or JSON."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "reading"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="parse_error",
        title="The text cannot be read",
        text="The text does not have the form that its format asks for, so nothing in it can be "
        "checked any further. The place is where the reader could not go on, the mistake is there "
        "or shortly before.",
        remedy="Look for a missing quote, bracket or comma before the place, and at the "
        "indentation.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_yaml",
        title="The text is not valid YAML",
        text="The text breaks a rule of YAML 1.2, most often about indentation or about a plain "
        "text that holds `: ` or begins with a character such as `@`. Everything after such a "
        "place could mean something else than it seems, therefore reading stops there.",
        remedy="Put texts with special characters in quotes and indent with spaces only.",
        example="metadata:\n  owner: @team\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_json",
        title="The text is not valid JSON",
        text="The text breaks a rule of JSON. Comments and commas after the last entry are fine "
        "in blueprints, but keys need double quotes, texts cannot go over a line break, and there "
        "is no `NaN` or `Infinity`.",
        remedy="Write keys and texts with double quotes, and check that every bracket is closed.",
        example='{"version": 2023-04-20}',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_character",
        title="A character that a document may not hold",
        text="Control characters, lone halves of surrogate pairs and a byte order mark inside the "
        "text are refused. Other tools drop them, change them or stop at them, so the same file "
        "would mean different things.",
        remedy="Remove the character, or write it as an escape such as `\\u0007` between double "
        "quotes; save the file as UTF-8.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_key",
        title="Something that cannot be a key",
        text="The keys of a blueprint are texts. A list, an object or a key of more than one line "
        "has no name by which a reference could reach it.",
        remedy="Write a short text as the key; put it in quotes when it looks like something else.",
        example="metadata:\n  [a, b]: 1\n",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_key",
        title="The same key twice",
        text="A key may stand once in an object. Many readers silently keep the last of two, so "
        "that what was written first is lost without a word; the note shows where that is.",
        remedy="Remove one of the two or give it another name.",
        example="""\
variables:
  region: {type: string}
  region: {type: integer}
""",
    ),
    Code(
        topic=_TOPIC,
        name="multiple_documents",
        title="More than one document in a file",
        text="A blueprint is one YAML document. A second one after `---` would be ignored by some "
        "tools and merged by others.",
        remedy="Move the other documents to files of their own, and use `include` to combine them.",
        example="metadata: {}\n---\nmetadata: {}\n",
    ),
    Code(
        topic=_TOPIC,
        name="yaml_tag_not_supported",
        title="A YAML tag",
        text="Tags such as `!!str` or `!Ref` are not part of the blueprint format. The type of a "
        "value follows from how it is written, and other languages' short forms have no meaning "
        "here.",
        remedy="Remove the tag; put a value in quotes to make it a string, and use `«..»` for "
        "references.",
        example="metadata:\n  port: !!str 80\n",
    ),
    Code(
        topic=_TOPIC,
        name="yaml_alias_not_supported",
        title="A YAML anchor, alias or merge key",
        text="Anchors (`&name`), aliases (`*name`) and merge keys (`<<`) are not part of the "
        "blueprint format. A few lines with aliases can stand for gigabytes, and the result would "
        "not have one place for every value.",
        remedy="Put what is shared into `values` and refer to it with `«values.name»`.",
        example="metadata:\n  a: &shared {x: 1}\n  b: *shared\n",
    ),
    Code(
        topic=_TOPIC,
        name="yaml_directive_not_supported",
        title="A YAML directive",
        text="Lines that begin with `%`, such as `%YAML 1.1`, change how the rest of a file is "
        "read. Blueprints are always read as YAML 1.2, so that one text has one meaning.",
        remedy="Remove the directive.",
        example="%YAML 1.1\n---\nmetadata: {}\n",
    ),
    Code(
        topic=_TOPIC,
        name="number_out_of_range",
        title="A number that is too large",
        text="Integers have 64 bits and floats are finite. A larger number would silently become "
        "another one in most of the tools that read the result.",
        remedy="Use a smaller number, or put it in quotes to make it a string.",
        example="metadata:\n  count: 99999999999999999999\n",
    ),
)
