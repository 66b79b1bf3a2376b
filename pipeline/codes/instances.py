"""Codes of resource templates: `each`, `elem`, `i` and references to instances."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "resource templates"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="resource_each_invalid_type",
        title="`each` is not an array",
        text="`each` is one substitution that evaluates to an array; the resource is made once for "
        "every element. An object, a text or a list written in the file is refused.",
        remedy="Use `vals(..)` for the values of an object and `list(..)` for a fixed list.",
        example="resources:\n  a: {type: aws/s3/bucket, each: [x, y], spec: {}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="each_not_resolvable",
        title="`each` cannot be known yet",
        text="The array of `each`, or one of its elements, is known only after deployment. How "
        "many resources there are has to be settled before.",
        remedy="Use variables, values or data sources with known records; the note names what is "
        "not known.",
        example="""\
resources:
  a: {type: aws/s3/bucket, each: "«datasources.zones.names»", spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="each_resource_dependency",
        title="`each` depends on a resource",
        text="The array of `each` depends on a resource, directly or through a value. Which "
        "resources there are has to be settled before any of them is deployed.",
        remedy="Put the array into a value or variable that both use.",
        example="""\
resources:
  a: {type: aws/s3/bucket, spec: {names: []}}
  b: {type: aws/s3/bucket, each: "«resources.a.spec.names»", spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="each_child_dependency",
        title="`each` depends on a child blueprint",
        text="The array of `each` depends on an export of a child blueprint, directly or through a "
        "value. The resources of a blueprint are settled before its children are deployed.",
        remedy="Pass the same variable to the child and use it in `each`.",
        example="""\
include:
  core: {path: core.yaml}
resources:
  a: {type: aws/s3/bucket, each: "«children.core.names»", spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="elem_outside_each",
        title="`elem` or `i` outside a resource template",
        text="`elem` is the current element and `i` its index while a resource with `each` is made "
        "once per element. Elsewhere, also in the `each` itself, there is no current element.",
        remedy="Move the expression into the resource that has `each`; a resource of that name is "
        "referred to as `resources.elem`.",
        example='values:\n  a: {type: string, value: "«elem.name»"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="resource_template_needs_index",
        title="A resource template without an index",
        text="The resource has `each` and becomes several resources. A reference has to say which "
        "of them it means.",
        remedy="Add the index: `resources.buckets[0].spec.name`.",
        example="""\
resources:
  a: {type: aws/s3/bucket, each: '«list("x")»', spec: {name: "«elem»"}}
  b: {type: aws/s3/bucket, spec: {name: "«resources.a.spec.name»"}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="resource_not_template",
        title="An index on a resource that is not a template",
        text="Only resources with `each` have instances that an index can choose. This one stands "
        "for itself.",
        remedy="Remove the index after the resource's name.",
        example="""\
resources:
  a: {type: aws/s3/bucket, spec: {name: x}}
  b: {type: aws/s3/bucket, spec: {name: "«resources.a[0].spec.name»"}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="resource_each_index_out_of_bounds",
        title="An index past the last instance",
        text="The template has fewer instances than the index asks for. Indexes begin at 0, and an "
        "instance that a condition removes leaves its index unused.",
        remedy="Use a smaller index, or make the array of `each` longer.",
        example="""\
resources:
  a: {type: aws/s3/bucket, each: '«list("x")»', spec: {name: "«elem»"}}
  b: {type: aws/s3/bucket, spec: {name: "«resources.a[1].spec.name»"}}
""",
    ),
)
