"""Codes of following references."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "references"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_reference",
        title="A reference of the wrong form",
        text="After its name, a resource has `spec`, `metadata` and `state`, and its metadata has "
        "`displayName`, `labels`, `annotations` and `custom`. The reference asks for something "
        "else.",
        remedy="Put `spec`, `metadata` or `state` between the name of the resource and the field.",
        example="""\
resources:
  a: {type: aws/sqs/queue, spec: {name: orders}}
values:
  b: {type: string, value: "«resources.a.name»"}
""",
    ),
    Code(
        topic=_TOPIC,
        name="path_not_found",
        title="A path to something that is not there",
        text="The reference is right up to the marked part, and there is nothing of that name. "
        "Taking it as none would hide misspellings.",
        remedy='Correct the path; use `lookup(object, "key")` for a key that may be absent.',
        example="""\
values:
  a: {type: object, value: '«object(host = "db")»'}
  b: {type: string, value: "«values.a.hots»"}
""",
    ),
    Code(
        topic=_TOPIC,
        name="index_out_of_bounds",
        title="An index past the end of an array",
        text="The array has fewer elements than the index asks for. Indexes begin at 0.",
        remedy="Use a smaller index, or check with `len(..)` first.",
        example='«list("a")[1]»',
    ),
    Code(
        topic=_TOPIC,
        name="reference_cycle",
        title="References that go round in a circle",
        text="What is referred to depends, in the end, on what refers to it, so that neither can "
        "be known first. The message shows the whole way round.",
        remedy="Break the circle: give one part a value that depends on none of the others.",
        example="""\
values:
  a: {type: string, value: "«values.b»"}
  b: {type: string, value: "«values.a»"}
""",
    ),
    Code(
        topic=_TOPIC,
        name="unresolved_value",
        title="A value that is known only after deployment",
        text="In strict mode every value has to be known, and this one depends on the state of a "
        "resource, a link, a child or a data source that nobody answered.",
        remedy="Supply it with `--state FILE` or `--datasources FILE`, or render without "
        "`--strict` to keep the expression in the output.",
        example="«resources.db.state.host»",
    ),
)
