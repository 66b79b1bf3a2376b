"""Codes of the `datasources` section and of answering data sources."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "data sources"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="data_source_not_found",
        title="A reference to an unknown data source",
        text="The substitution refers to a data source that this blueprint does not define.",
        remedy="Correct the name or define the data source.",
        example="«datasources.netwrok.vpcId»",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_type",
        title="A data source without a type",
        text="The type of a data source says which provider answers it. Without one nobody can.",
        remedy="Add `type`, such as `aws/vpc`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_data_source_type",
        title="Something that cannot be a data source's type",
        text="A data source's type is a literal text that is not empty, such as `aws/vpc`. It says "
        "which provider answers the data source.",
        remedy="Write the type as the provider names it.",
        example="""\
datasources:
  network:
    type: 5
    filter: {field: name, operator: "=", search: main}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_filter",
        title="A data source without a filter",
        text="A filter chooses the one record that a data source stands for. Without one the "
        "choice would be up to chance.",
        remedy="Add `filter` with `field`, `operator` and `search`.",
        example="""\
datasources:
  network: {type: aws/vpc, exports: {id: {type: string}}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_empty_filter",
        title="An empty filter",
        text="The filter of a data source says nothing, so it chooses no record.",
        remedy="Give it `field`, `operator` and `search`.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_filter_field",
        title="A filter without a field",
        text="A filter compares one field of each record. It does not say which.",
        remedy="Add `field`, such as `tags.name`.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {operator: "=", search: main}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_filter_operator",
        title="A filter without an operator",
        text="A filter does not say how the field is compared with what is searched for.",
        remedy='Add `operator`, such as `"="` or `contains`.',
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, search: main}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_filter_search",
        title="A filter without anything to search for",
        text="A filter does not say what the field is compared with, or says it with an empty "
        "list.",
        remedy="Add `search` with a value or a list of values.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "="}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_data_source_filter_operator",
        title="An unknown filter operator",
        text="The operators are `=`, `!=`, `in`, `not in`, `has key`, `not has key`, `contains`, "
        "`not contains`, `starts with`, `not starts with`, `ends with` and `not ends with`; "
        "version 2025-11-02 adds `<`, `<=`, `>` and `>=`.",
        remedy="Use one of them, in quotes where YAML needs it.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: equals, search: main}
    exports: {id: {type: string}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_filter_combination",
        title="An operator that does not suit what it compares",
        text="The operator does not work on the types of the field and of what is searched for, "
        "such as `starts with` on numbers. It is an error and not simply false, because the "
        "negated operator would then match everything.",
        remedy="Choose an operator that suits the field, or search for a value of its type.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_filter_field_not_supported",
        title="A field that cannot be filtered",
        text="The provider of this type of data source does not offer the field for filters.",
        remedy="Filter by one of the fields that the message lists.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_filter_operator_not_supported",
        title="An operator that this field does not support",
        text="The provider of this type of data source does not offer the operator for the field.",
        remedy="Use one of the operators that the message lists.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_filter_field_conflict",
        title="Filter fields that exclude each other",
        text="Two filters use fields that the provider does not allow together.",
        remedy="Remove one of the two filters.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_missing_exports",
        title="A data source that exports nothing",
        text="Only exported fields can be referred to, so a data source without exports has no "
        "use.",
        remedy="List the fields that are needed under `exports`, each with its type.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "=", search: main}
    exports: {}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_data_source_field_type",
        title="An exported field of an impossible type",
        text="A field of a data source is a `string`, `integer`, `float`, `boolean` or `array`. "
        "Objects cannot be exported as a whole.",
        remedy="Choose one of these types; export the parts of an object one by one.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "=", search: main}
    exports: {tags: {type: object}}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_field_not_exported",
        title="A reference to a field that is not exported",
        text="The data source exists, but the field is not among its exports, which are all that "
        "can be referred to. An alias is referred to by its own name, not by that of the field.",
        remedy="Export the field, or correct its name.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "=", search: main}
    exports: {id: {type: string}}
values:
  a: {type: string, value: "«datasources.network.arn»"}
""",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_field_not_array",
        title="An index on a field that is not an array",
        text="Only exported fields of type `array` have elements that an index can choose.",
        remedy="Remove the index, or export the field as an array.",
        example="""\
datasources:
  network:
    type: aws/vpc
    filter: {field: name, operator: "=", search: main}
    exports: {id: {type: string}}
values:
  a: {type: string, value: "«datasources.network.id[0]»"}
""",
    ),
    Code(
        topic=_TOPIC,
        name="datasource_no_match",
        title="No record matches",
        text="None of the records that are known for this type of data source passes its filter. "
        "References to the data source would have nothing to stand for.",
        remedy="Compare the filter with the records; leave the type out of the records to keep the "
        "data source for the deployment.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_field_missing",
        title="A record without an exported field",
        text="The record that was chosen lacks a field that the data source exports.",
        remedy="Correct the name under `exports` or `aliasFor`, or add the field to the record.",
    ),
    Code(
        topic=_TOPIC,
        name="data_source_field_type_mismatch",
        title="A record's field of another type than exported",
        text="The record that was chosen has the field, but not with the type that the export "
        "declares. References rely on that type.",
        remedy="Change the type of the export, or the record.",
    ),
)
