"""Codes of configurations: keys of contexts, and maps that mean something else."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "configuration"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="key_not_found",
        title="A key that is not there",
        text="A template looks up a key that the context does not have at that place. The message "
        "names the first part of the path that is missing, and the hint the keys that are there. A "
        "key that is only known later is not missing: it stays in the output.",
        remedy="Correct the name, or give a default with `||`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_structure",
        title="A `$` key that is used wrongly",
        text="Maps with `$if`, `$forEach` or `$merge` and items with `$concat` stand for something "
        "else. One of their keys is missing, does not belong there, or has a value of the wrong "
        "type: `$if` and `$filter` take booleans, `$merge` takes an object, `$concat` an array, "
        "`$forEach` either.",
        remedy="Look at the marked place. Conditions are not converted: compare, or negate twice.",
    ),
    Code(
        topic=_TOPIC,
        name="undecidable",
        title="A value that cannot be left for later",
        text="A value depends on what is only known later, and on a name that has a meaning here "
        "only, such as the item of a loop or the input of a template. No smaller text can say it.",
        remedy="Let the known part choose first, or supply the value that is not known.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_project",
        title="A configuration that is not of the form that Garden takes",
        text="A field of a project, an environment, a template or an action is missing or of the "
        "wrong type: a configuration is a map with a `kind`, `environments` is a list of maps "
        "with names, `variables` is a map.",
        remedy="Look at the marked place.",
    ),
    Code(
        topic=_TOPIC,
        name="environment_not_found",
        title="An environment that there is not",
        text="The environment that is asked for, with `--env` or as the default, is none that the "
        "project lists, or it needs a namespace that is not given.",
        remedy="Correct the name, or write it as `namespace.name`.",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_configuration",
        title="Two configurations of one name",
        text="Two configurations have the same kind and name, which may be the work of a template, "
        "or there are two projects or two environments of one name. References could not tell "
        "them apart.",
        remedy="Rename one. In a template, let the name depend on an input or on `parent.name`.",
    ),
    Code(
        topic=_TOPIC,
        name="template_not_found",
        title="A template that there is not",
        text="A RenderTemplate names a ConfigTemplate that no file of the project has.",
        remedy="Correct the name.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_template_input",
        title="An input that does not fit its template",
        text="A template is not given an input that it needs, is given one that it does not "
        "declare, or one of another type.",
        remedy="Look at the declaration of the template.",
    ),
    Code(
        topic=_TOPIC,
        name="action_not_found",
        title="An action that there is not",
        text="A configuration depends on an action that no file of the project has.",
        remedy="Correct the kind or the name, as in `build.api`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_variable_flag",
        title="A `--var` that says nothing",
        text="A text given with `--var` is no list of `name=value`.",
        remedy="Write `--var name=value,map.key=value`. Put quotes around a value with a comma.",
    ),
    Code(
        topic=_TOPIC,
        name="unknown_kind",
        title="A kind of configuration that there is not",
        text="Nothing is known of configurations of this kind. It is taken for an action that "
        "nothing can refer to.",
        remedy="Correct the kind.",
    ),
    Code(
        topic=_TOPIC,
        name="missing_name",
        title="A configuration without a name",
        text="An action, a template or a workflow has no `name`, so nothing can refer to it.",
        remedy="Add a name.",
    ),
    Code(
        topic=_TOPIC,
        name="project_not_found",
        title="No project",
        text="None of the files that were read holds a configuration of kind Project, so that "
        "there are no environments and no variables but those of actions.",
        remedy="Render the file of the project.",
    ),
    Code(
        topic=_TOPIC,
        name="merge_differs",
        title="Merging that is not as documented",
        text="Where variables of several places are put together, Garden merges lists item by item "
        "and keeps null as a value. Its documentation promises a JSON Merge Patch, which "
        "replaces lists and removes what is null. Here the two give different values.",
        remedy="Give the variable another name, or write the whole value in one place.",
    ),
)
