"""Codes of the `variables` section and of the values given for variables."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "variables"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_variable_type",
        title="An unknown type of variable",
        text="A variable is a `string`, `integer`, `float` or `boolean`, or has a custom type such "
        "as `aws/ec2/instanceSize`. Objects and lists cannot be passed in.",
        remedy="Choose one of these; pass structured data as a JSON text and use `jsondecode`.",
        example="variables:\n  zones: {type: array}\n",
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_or_missing",
        title="A variable without a valid definition",
        text="The name of a variable stands there without the object that defines it. At least its "
        "type must be known.",
        remedy="Write a definition such as `{type: string}`.",
    ),
    Code(
        topic=_TOPIC,
        name="variable_type_mismatch",
        title="A value of the wrong type for a variable",
        text="The value that is given for a variable is not of the declared type. Values are never "
        "converted silently, except that an integer serves as a float.",
        remedy="Give a value of the declared type, or change the type.",
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_default_value",
        title="A default of the wrong type",
        text="The default of a variable is not of the variable's type, so it could never be used. "
        "An integer serves as a default of a float.",
        remedy="Write a default of that type (mind the quotes), or change the type.",
        example='variables:\n  port: {type: integer, default: "80"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="required_variable_missing",
        title="A variable has no value",
        text="The variable has no default and no value was given for it. There is nothing that "
        "references to it could stand for.",
        remedy="Give a value with `--var NAME=VALUE`, `--vars FILE` or the environment variable "
        "`BPP_VAR_<NAME>`, or add a `default`.",
        example="variables:\n  region: {type: string}\n",
    ),
    Code(
        topic=_TOPIC,
        name="undeclared_variable",
        title="A value for a variable that is not declared",
        text="A value was given for a name that the blueprint does not declare. It has no effect, "
        "which is mostly a misspelling.",
        remedy="Correct the name, declare the variable, or do not pass the value.",
    ),
    Code(
        topic=_TOPIC,
        name="variable_not_found",
        title="A reference to an unknown variable",
        text="The substitution refers to a variable that this blueprint does not declare. "
        "Variables of a parent blueprint are not visible in a child.",
        remedy="Correct the name or declare the variable; pass a parent's value through "
        "`include.<name>.variables`.",
        example="«variables.enviroment»",
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_allowed_value",
        title="An allowed value of the wrong type",
        text="Each entry of `allowedValues` must be of the variable's type. One of another type "
        "could never be given.",
        remedy="Write the entry as a value of that type, or remove it.",
        example='variables:\n  port: {type: integer, allowedValues: [80, "443"]}\n',
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_allowed_values",
        title="`allowedValues` is not a list of values",
        text="`allowedValues` lists the values that a variable may have. An empty list would allow "
        "nothing, and anything but a list says nothing.",
        remedy="List at least one value, or remove `allowedValues`.",
        example="variables:\n  region: {type: string, allowedValues: []}\n",
    ),
    Code(
        topic=_TOPIC,
        name="variable_null_allowed_value",
        title="Null among the allowed values",
        text="An entry of `allowedValues` is null. A variable always has a value, so null can "
        "never be chosen.",
        remedy="Remove the entry, or write the word in quotes if it is meant as a text.",
    ),
    Code(
        topic=_TOPIC,
        name="variable_value_not_allowed",
        title="A value that is not among the allowed ones",
        text="The value given for a variable, or its default, is not listed in `allowedValues`.",
        remedy="Use one of the listed values, or add this one to the list.",
        example="variables:\n  size: {type: string, allowedValues: [s, m], default: xl}\n",
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_allowed_values_not_supported",
        title="Allowed values for a boolean",
        text="A boolean has two values and both are allowed. A list would either repeat that or "
        "make the variable a constant.",
        remedy="Remove `allowedValues`.",
        example="variables:\n  debug: {type: boolean, allowedValues: [true]}\n",
    ),
    Code(
        topic=_TOPIC,
        name="variable_invalid_secret_value",
        title="`secret` is neither true nor false",
        text="`secret` says whether a variable's value must never be shown. Only the booleans "
        "`true` and `false` are accepted: a guess could reveal the value.",
        remedy="Write `secret: true` without quotes.",
        example='variables:\n  password: {type: string, secret: "true"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="mixed_variable_types",
        title="Options of different types",
        text="The provider of a custom variable type offers options whose values have different "
        "types. A variable has one type.",
        remedy="Tell the authors of the plug-in that provides the type.",
    ),
    Code(
        topic=_TOPIC,
        name="custom_variable_value_not_in_options",
        title="A value that the custom type does not offer",
        text="The value given for a variable of a custom type is not one of the options that the "
        "type offers.",
        remedy="Choose one of the options that the message lists.",
    ),
    Code(
        topic=_TOPIC,
        name="custom_variable_default_not_in_options",
        title="A default that the custom type does not offer",
        text="The default of a variable of a custom type is not one of the options that the type "
        "offers, so it could never be used.",
        remedy="Choose one of the options that the message lists.",
    ),
    Code(
        topic=_TOPIC,
        name="custom_variable_allowed_values_not_in_options",
        title="Allowed values that the custom type does not offer",
        text="`allowedValues` of a variable of a custom type may only narrow down the options of "
        "that type, and an entry is none of them.",
        remedy="Remove the entry or choose one of the options.",
    ),
)
