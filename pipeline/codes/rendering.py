"""Codes of what is given to a run beside the blueprint, and of what it writes."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "rendering"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_state",
        title="A state file of the wrong form",
        text="A state file holds `resources`, `datasources`, `children` and `links`, each an "
        "object. A resource has its fields under `state`, and the key of a link is "
        "`<resource>::<resource>`.",
        remedy="Bring the file into the form "
        '`{"resources": {"db": {"state": {"host": "10.0.0.5"}}}}`.',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_context_file",
        title="A context file of the wrong form",
        text="A context file says what a project is told of the machine. It holds `local`, `git` "
        "and `command`, each an object; what it does not mention is not known.",
        remedy='Bring the file into the form `{"local": {"username": "ci"}, "git": {"branch": '
        '"main"}}`.',
    ),
    Code(
        topic=_TOPIC,
        name="undeclared_state",
        title="State of something that the blueprint does not define",
        text="The state of the deployment names a resource, a data source or a child blueprint "
        "that the blueprint does not have. It has no effect, which is mostly a misspelling.",
        remedy="Correct the name in the state, or remove the entry.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_variables_file",
        title="A variables file of the wrong form",
        text="A file of variables is one object with a single value for each name, in YAML, JSON, "
        "TOML or as `.env` lines. Lists and objects cannot be variables.",
        remedy="Write `name: value` lines; pass structured data as a JSON text.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_datasources_file",
        title="A data sources file of the wrong form",
        text="A file of data sources lists the records of each data source type. Filters are run "
        "on them in that order.",
        remedy='Bring the file into the form `{"aws/vpc": [{"vpcId": "vpc-1"}]}`.',
    ),
    Code(
        topic=_TOPIC,
        name="secret_value_masked",
        title="A secret is masked in the output",
        text="A secret would stand in the output, and because of `--secrets mask` it is written "
        "as `(secret)`. What reads the output gets that word instead of the value.",
        remedy="Use `--secrets keep` to keep a reference, or `--secrets reveal` to write "
        "the value.",
    ),
)
