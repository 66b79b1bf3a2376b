"""Codes of the shape of a document and of what all sections have in common."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "structure"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="missing_version",
        title="The blueprint has no version",
        text="Every blueprint says in `version` which specification it follows. Without it the "
        "meaning of the rest is not settled.",
        remedy="Add `version: 2023-04-20` or `version: 2025-11-02` as the first line.",
        example="resources: {}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_version",
        title="An unknown version",
        text="`version` must be one of the versions of the specification that are known here, as "
        "a literal string. A document of another version may use words that mean something else.",
        remedy="Write `2023-04-20` or `2025-11-02`.",
        example="version: 2023-04-02\nresources: {}\n",
    ),
    Code(
        topic=_TOPIC,
        name="needs_newer_version",
        title="A feature of a newer version",
        text="The blueprint uses something that the version it names does not have. Tools that "
        "follow that version would ignore or refuse it.",
        remedy="Remove it, or set `version` to the one that the message names.",
        example="""\
version: 2023-04-20
resources:
  a: {type: aws/sqs/queue, removalPolicy: retain, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="missing_resources",
        title="Neither resources nor includes",
        text="A blueprint describes resources or includes blueprints that do. One that has neither "
        "section would deploy nothing and is most likely unfinished.",
        remedy="Add `resources` or `include`; an empty `resources: {}` is allowed.",
        example="version: 2023-04-20\n",
    ),
    Code(
        topic=_TOPIC,
        name="unknown_field",
        title="An unknown key",
        text="The definition has no such key. It would be ignored if it were let through, and a "
        "misspelled key is hard to find by its silence.",
        remedy="Correct the spelling; put free data into `metadata` or `spec`.",
        example="""\
variables:
  region: {type: string, descrpition: Where to deploy}
""",
    ),
    Code(
        topic=_TOPIC,
        name="missing_type",
        title="A definition without a type",
        text="Variables, values, data sources, resources, exports and exported fields say what "
        "they are in `type`. Without it nothing can be checked, neither here nor by a provider.",
        remedy="Add `type`.",
        example="variables:\n  region: {default: eu-west-1}\n",
    ),
    Code(
        topic=_TOPIC,
        name="missing_field",
        title="A required key is missing",
        text="The definition needs a key that it does not have, because there is no sensible value "
        "to assume.",
        remedy="Add the key that the message names.",
        example="exports:\n  url: {type: string}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_map",
        title="An object is expected",
        text="At this place stands a text, a number, a list or nothing, where an object with keys "
        "is needed. In YAML a section that is left empty is null, not an empty object.",
        remedy="Write `key: value` lines below, or `{}` for an empty object.",
        example="variables: region\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_list",
        title="A list is expected",
        text="At this place stands something else than a list, and a single entry cannot be "
        "guessed from it.",
        remedy="Write the entries as a list, one `- entry` a line or as `[a, b]`.",
        example="""\
version: 2025-11-02
resources:
  a: {type: aws/sqs/queue, linkSelector: {exclude: {}}, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_string",
        title="A text is expected",
        text="At this place stands a number, a boolean, an empty text or a whole object, where a "
        'text that is not empty is needed. In YAML `on: 1` and `on: "1"` are different things.',
        remedy="Write a text, in quotes when it looks like a number or a boolean.",
        example="variables:\n  region: {type: string, description: 5}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_boolean",
        title="`true` or `false` is expected",
        text="At this place only the booleans `true` and `false` can stand. Words such as `yes` "
        "and `on` are texts in YAML 1.2.",
        remedy="Write `true` or `false`, without quotes.",
        example="values:\n  a: {type: string, value: x, secret: yes}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_scalar",
        title="A single value is expected",
        text="At this place a string, a number or a boolean is needed, but an object or a list "
        "stands there, which has no place where the value goes.",
        remedy="Write one value; to pass structured data, encode it as a JSON text.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "=", search: {name: main}}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_name",
        title="A name that no reference can use",
        text="Names of variables, values, resources and so on consist of letters, digits, `_`, `-` "
        "and `.`. With any other character there would be no way to refer to what is named.",
        remedy="Choose a name of these characters.",
        example='variables:\n  "home region": {type: string}\n',
    ),
    Code(
        topic=_TOPIC,
        name="substitution_not_allowed",
        title="A substitution where only literal text may stand",
        text="Some places must be known before anything is evaluated: keys, types, versions, "
        "transforms, labels, link selectors, and everything in `variables`. A `«..»` there cannot "
        "be given a value in time.",
        remedy="Write the text itself; use a `condition` or a value to choose between two.",
        example='variables:\n  a: {type: string, default: "«variables.b»"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_label",
        title="A label that is not a text",
        text="Labels are what link selectors compare, text against text and before anything is "
        "evaluated. A number or an object would never be equal to what is selected.",
        remedy="Write the label as a text, in quotes when it looks like a number or a boolean.",
        example="""\
resources:
  a: {type: aws/sqs/queue, metadata: {labels: {tier: 1}}, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_annotation",
        title="An annotation that is not a single value",
        text="Annotations are strings, numbers or booleans. Providers read them by key and could "
        "not find their way in an object or a list.",
        remedy="Use several annotations with single values, or put the data into `custom`.",
        example="""\
resources:
  a: {type: aws/sqs/queue, metadata: {annotations: {a.b: [1]}}, spec: {}}
""",
    ),
)
