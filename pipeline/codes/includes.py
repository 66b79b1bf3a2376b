"""Codes of the `include` section and of child blueprints."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "includes"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="missing_path",
        title="An include without a path",
        text="An include says in `path` where the child blueprint is.",
        remedy="Add `path`, relative to the folder of this blueprint.",
        example="include:\n  core: {variables: {region: eu-west-1}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_empty_path",
        title="An include with an empty path",
        text="The path of an include is empty, or became empty when it was evaluated.",
        remedy="Write the path of the child blueprint, relative to the folder of this one.",
        example='include:\n  core: {path: ""}\n',
    ),
    Code(
        topic=_TOPIC,
        name="include_path_type",
        title="An include whose path is not a text",
        text="The path of an include is, or was evaluated to, something else than a text.",
        remedy="Write a text or a substitution that gives one.",
        example="include:\n  core: {path: 5}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_path_unknown",
        title="An include whose path cannot be known yet",
        text="The path depends on something that is known only after deployment. The child has to "
        "be read now, because its exports and variables are checked now.",
        remedy="Build the path from variables and values that are known.",
        example='include:\n  core: {path: "«resources.a.state.file»"}\n',
    ),
    Code(
        topic=_TOPIC,
        name="include_path_not_found",
        title="The child blueprint does not exist",
        text="There is no file at the path of an include. Relative paths are taken from the folder "
        "of the blueprint that has the include, not from the working directory.",
        remedy="Correct the path; `«cwd()»/..` makes one relative to the working directory.",
        example="include:\n  core: {path: ./no-such-file.yaml}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_not_a_file",
        title="The path of an include is not a file",
        text="The path leads to a folder or to something else that is no regular file.",
        remedy="Name the blueprint in that folder.",
        example="include:\n  core: {path: .}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_cycle",
        title="A blueprint that includes itself",
        text="A blueprint includes itself, directly or through others, so there is no end to it. "
        "The notes show the way round.",
        remedy="Remove one of the includes; move what both need into a third blueprint.",
    ),
    Code(
        topic=_TOPIC,
        name="include_resolver_not_found",
        title="Nothing can fetch a remote include",
        text="`metadata.sourceType` says that the child is fetched from somewhere else. It is none "
        "of `https`, `aws/s3`, `googlecloud/storage` and `azure/blob`, and no resolver for it is "
        "registered or installed. The include stays in place and what it exports is unknown.",
        remedy="Correct `sourceType`, install the plug-in for it, or leave the include to the "
        "deployment.",
        example="include:\n  core: {path: core.yaml, metadata: {sourceType: ftp}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_not_opened",
        title="A remote child that stays closed",
        text="The child is fetched from a host that bpp may not ask, or where it is depends on "
        "something that is known only after deployment. The include stays in place and what it "
        "exports is unknown.",
        remedy="Allow the host with `--allow-net HOST` if you trust the blueprint, or give the "
        "exports with `--state`.",
        example="include:\n  core: {path: core.yaml, metadata: {sourceType: https, host: "
        "example.com}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_failed",
        title="A child blueprint could not be fetched or rendered",
        text="The child was found, but reading it failed. What the parent takes from it is not "
        "known.",
        remedy="Put right what is reported for the child first.",
    ),
    Code(
        topic=_TOPIC,
        name="include_missing_required_variable",
        title="A child lacks a variable",
        text="The child blueprint declares a variable without a default and the include does not "
        "pass it. Children see nothing of their parent's variables.",
        remedy="Pass it under `include.<name>.variables`, or give it a default in the child.",
    ),
    Code(
        topic=_TOPIC,
        name="include_variable_type_mismatch",
        title="A value of the wrong type for a child's variable",
        text="The value that an include passes is not of the type that the child declares. Only "
        "strings, numbers and booleans can be passed, and nothing is converted silently.",
        remedy="Pass a value of the declared type; pass structured data as a JSON text.",
        example="include:\n  core: {path: core.yaml, variables: {zones: [a, b]}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="include_variable_value_not_allowed",
        title="A value that a child's variable does not allow",
        text="The value that an include passes is not among the `allowedValues` of the child's "
        "variable.",
        remedy="Pass one of the allowed values.",
    ),
    Code(
        topic=_TOPIC,
        name="include_unknown_variable",
        title="A variable that the child does not declare",
        text="The include passes a variable that the child blueprint does not declare. It has no "
        "effect there, which is mostly a misspelling.",
        remedy="Correct the name, declare it in the child, or do not pass it.",
    ),
    Code(
        topic=_TOPIC,
        name="child_not_found",
        title="A reference to an unknown child",
        text="The substitution refers to a child blueprint that `include` does not name.",
        remedy="Correct the name; `children.<name>` uses the key under `include`.",
        example="«children.croe.url»",
    ),
    Code(
        topic=_TOPIC,
        name="child_export_not_found",
        title="A child does not export that",
        text="The child blueprint exists, but has no such export. Nothing else of a child can be "
        "seen from outside.",
        remedy="Add the export to the child, or correct the name.",
    ),
    Code(
        topic=_TOPIC,
        name="child_export_scalar_navigation",
        title="A path into an export that has no parts",
        text="The export of the child is a string, a number or a boolean, and the reference asks "
        "for a part of it.",
        remedy="Remove the rest of the path, or export an object or array.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_children",
        title="A `children` section that does not fit",
        text="`children` holds the rendered blueprints of the includes in a materialised "
        "blueprint, under the same names.",
        remedy="Leave the section to bpp, or remove the entry that has no include.",
    ),
)
