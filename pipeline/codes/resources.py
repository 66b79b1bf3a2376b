"""Codes of the `resources` section: types, contents and conditions."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "resources"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_resource_type",
        title="Something that cannot be a resource's type",
        text="A resource's type is a literal text of two or three parts, the provider first, such "
        "as `aws/sqs/queue` or `celerity/handler`. It decides who deploys the resource.",
        remedy="Write the type as its provider or transform names it.",
        example="resources:\n  a: {type: queue, spec: {}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="resource_type_not_found",
        title="A resource type that its provider does not have",
        text="The provider is known, but it has no such type of resource.",
        remedy="Correct the type; the message names the nearest one.",
    ),
    Code(
        topic=_TOPIC,
        name="provider_not_found",
        title="An unknown provider",
        text="The first part of a type names a provider, and no such provider is registered.",
        remedy="Correct the name, or install and enable the plug-in that has the provider.",
    ),
    Code(
        topic=_TOPIC,
        name="missing_spec",
        title="A resource without a specification",
        text="`spec` describes what is to be deployed. A resource may leave it empty, but has to "
        "say so.",
        remedy="Add `spec`, or `spec: {}` when there is nothing to say.",
        example="resources:\n  a: {type: aws/sqs/queue}\n",
    ),
    Code(
        topic=_TOPIC,
        name="computed_field_in_blueprint",
        title="A field that only the provider can fill in",
        text="The field is computed when the resource is deployed. A value in the blueprint would "
        "be overwritten.",
        remedy="Remove the field; read it with a reference where it is needed.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_resource_spec",
        title="A specification that breaks the type's rules",
        text="The schema of the resource's type refuses what stands here.",
        remedy="Change the field as the message says.",
    ),
    Code(
        topic=_TOPIC,
        name="resource_not_found",
        title="A reference to an unknown resource",
        text="The substitution refers to a resource that this blueprint does not define. A name "
        "without a namespace in front of it means a resource, so a misspelled function or a "
        "forgotten `variables.` ends here as well.",
        remedy="Correct the name, or put the namespace in front: `variables.`, `values.`, "
        "`children.` or `datasources.`.",
        example="«resources.ordersTabel.spec.name»",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_resource_name",
        title="Two resources of the same name",
        text="An instance of a resource template, or a resource that a transform made, has the "
        "name of a resource that is there already. Instances are named `<template>_<index>`, and "
        "one of the two would be lost.",
        remedy="Rename the template or the other resource.",
        example="""\
resources:
  bucket: {type: aws/s3/bucket, each: '«list("a", "b")»', spec: {}}
  bucket_0: {type: aws/s3/bucket, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="missing_resource_dependency",
        title="A dependency on an unknown resource",
        text="`dependsOn` or the `exclude` list of a link selector names a resource that the "
        "blueprint does not define.",
        remedy="Correct the name or remove it from the list.",
        example="""\
version: 2025-11-02
resources:
  a: {type: aws/sqs/queue, dependsOn: b, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_removal_policy",
        title="An unknown removal policy",
        text="`removalPolicy` says what happens to a deployed resource that leaves the blueprint: "
        "`delete` or `retain`, as a literal word.",
        remedy="Write one of the two words.",
        example="""\
version: 2025-11-02
resources:
  a: {type: aws/sqs/queue, removalPolicy: keep, spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_link_selector",
        title="Something that cannot be a link selector",
        text="A link selector has `byLabel` with literal labels. All of them must match, and links "
        "are drawn before anything is evaluated.",
        remedy="Write `linkSelector: {byLabel: {key: value}}`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_resource_condition",
        title="A condition of the wrong form",
        text="A condition is a substitution, or an object with exactly one of `and`, `or` and "
        "`not`, whose parts are conditions again. With two of them it would be open how they are "
        "combined.",
        remedy="Nest the operators, such as `and: [.., {or: [..]}]`.",
        example="""\
resources:
  a:
    type: aws/sqs/queue
    condition: {and: ["«true»"], or: ["«true»"]}
    spec: {}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_condition",
        title="A condition that is not one substitution",
        text="A condition is one `«..»` and nothing around it, so that its value is a boolean. "
        "Text around a substitution makes a string of it, which is neither true nor false.",
        remedy="Write one substitution and combine conditions with `and(..)`, `or(..)` and "
        "`not(..)`.",
    ),
    Code(
        topic=_TOPIC,
        name="empty_condition",
        title="A condition without parts",
        text="`and` and `or` need at least one part. Whether an empty list is true or false is "
        "mostly not what the writer thought of.",
        remedy="Add a part, or remove the condition.",
    ),
    Code(
        topic=_TOPIC,
        name="condition_not_boolean",
        title="A condition that is neither true nor false",
        text="The condition was evaluated to something else than a boolean. Texts such as "
        '`"false"` would otherwise count as true; only none counts as false.',
        remedy='Compare with a function such as `eq(variables.env, "prod")`.',
        example="""\
resources:
  a: {type: aws/sqs/queue, condition: '«to_upper("no")»', spec: {}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="reference_to_pruned_resource",
        title="A reference to a resource that its condition removed",
        text="The resource that is referred to has a condition that is false, so it is not part of "
        "the result and the reference has nothing to stand for. The note shows the condition.",
        remedy="Give what refers to it the same condition, or choose with `if(condition, "
        "resources.x.spec.y, none)`: a branch that is not taken may refer to it.",
        example="""\
resources:
  a: {type: aws/sqs/queue, condition: "«false»", spec: {name: q}}
  b: {type: aws/sqs/queue, spec: {name: "«resources.a.spec.name»"}}
""",
    ),
)
