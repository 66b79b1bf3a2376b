"""Codes of the `transform` section and of running transforms."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "transforms"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_transform_type",
        title="`transform` is neither a text nor a list of texts",
        text="`transform` names one transform or lists the names of several. An empty name or "
        "something else than a text cannot be looked up.",
        remedy="Write `transform: name` or a list of names.",
        example="transform: {celerity-2023-04-20: true}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_transform",
        title="Something that cannot be a transform's name",
        text="The names of transforms are literal texts, because transforms run before anything "
        "is evaluated. An empty name names nothing.",
        remedy="Write the transform's name as it is registered.",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_transform",
        title="The same transform twice",
        text="A transform is listed more than once. Each runs once, in the order of the list, so a "
        "second mention has no meaning and hints at a slip.",
        remedy="Remove one of the two.",
        example="transform: [a, b, a]\n",
    ),
    Code(
        topic=_TOPIC,
        name="missing_transformers",
        title="An unknown transform",
        text="The blueprint asks for a transform that is not registered. Its abstract resources "
        "would stay as they are, and no provider knows those.",
        remedy="Correct the name, install and enable the plug-in that has it, or keep the name in "
        "the output with `--keep-transform NAME`.",
        example="transform: celerity-1999\n",
    ),
    Code(
        topic=_TOPIC,
        name="transform_failed",
        title="A transform could not do its work",
        text="A transform refused the blueprint or broke while it ran. Nothing after it has been "
        "run, because the stages that follow need its result.",
        remedy="Change what the message points at; if the transform itself is wrong, tell its "
        "authors.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_transform_result",
        title="A transform returned something that is no blueprint",
        text="What a transform made breaks a rule of the format. The mistake is the transform's, "
        "not the blueprint's, but the result cannot be used.",
        remedy="Tell the authors of the transform that the message names; leave the transform out "
        "until it is mended.",
    ),
    Code(
        topic=_TOPIC,
        name="transform_refused",
        title="A mistake that a transform found",
        text="The transform that expands a resource cannot do so as the resource is written. What "
        "it needs, and why, is the transform's to say; the message repeats it.",
        remedy="Change what the message points at; the documentation of the transform tells what "
        "it takes.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_defaults",
        title="Defaults that are not of the expected form",
        text="`bpp/defaults-1` reads `bppDefaults` in the metadata: patterns of resource types, "
        "each with an object that may have `spec`, `labels` and `annotations`. Labels are literal "
        "strings, annotations are plain values.",
        remedy="Write `bppDefaults: {aws/lambda/*: {spec: {..}, labels: {..}, annotations: "
        "{..}}}`.",
    ),
    Code(
        topic=_TOPIC,
        name="unused_defaults",
        title="Defaults that apply to nothing",
        text="No resource has a type that fits the pattern, or the metadata have no `bppDefaults` "
        "at all, so a part of what the blueprint says has no effect.",
        remedy="Correct the pattern, or remove it. `*` stands for any text without `/`, `**` for "
        "any text.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_module",
        title="A module that is not described as one",
        text="A resource that is a module says in its spec which module it is, as a path, as an "
        "object with `path` and `metadata` like an include, or by a name that `bppModules` in the "
        "metadata knows, and which `variables` it gets. Nothing else belongs there.",
        remedy="Write `module: path/of/module.yaml` and `variables: {..}` in the spec.",
    ),
    Code(
        topic=_TOPIC,
        name="module_not_known",
        title="A module whose place is not known",
        text="Modules are expanded before anything is deployed, so the path of a module and what "
        "its metadata say can only depend on variables and values that are known.",
        remedy="Write the path as text, or give the variables that it needs a value.",
    ),
    Code(
        topic=_TOPIC,
        name="module_version",
        title="A module of a newer version of the specification",
        text="What a module holds becomes part of the blueprint, and a blueprint of an older "
        "version cannot hold what came with a newer one.",
        remedy="Write the blueprint for the version of the module.",
    ),
    Code(
        topic=_TOPIC,
        name="module_variable_missing",
        title="A variable of a module without a value",
        text="The module declares a variable without a default, and the resource that uses the "
        "module gives it no value.",
        remedy="Add it to the `variables` in the resource's spec.",
    ),
    Code(
        topic=_TOPIC,
        name="module_variable_invalid",
        title="A value that a variable of a module does not take",
        text="What the resource gives is not of the type that the module declares for its "
        "variable, or is none of its allowed values.",
        remedy="Give a value of the declared type, one of the allowed ones.",
    ),
    Code(
        topic=_TOPIC,
        name="module_unknown_variable",
        title="A value for a variable that a module does not have",
        text="The resource gives a value to a variable that the module does not declare, so that "
        "the value has no effect.",
        remedy="Correct the name, or remove the value.",
    ),
    Code(
        topic=_TOPIC,
        name="module_output_not_found",
        title="A reference into a module that leads nowhere",
        text="Of a module only the outputs can be referred to, as `resources.name.state.output`. "
        "They are the exports of the module's blueprint.",
        remedy="Use one of the outputs that the module has, or export more from the module.",
    ),
    Code(
        topic=_TOPIC,
        name="module_not_supported",
        title="Something that a module cannot have where it is used",
        text="The parts of a module become parts of the blueprint that uses it. Paths that are "
        "computed cannot be told to start at the module's folder, and child blueprints cannot "
        "depend on a condition that is only known later.",
        remedy="Do what the message proposes.",
    ),
)
