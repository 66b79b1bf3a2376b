"""What an expression needs of Kargo: functions, names and delimiters that came with a version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ....functions.kargo.places import SINCE
from ...engine.run import Context
from ...values.diagnostics import Diagnostics
from ...values.expression import Call, Reference, parts
from ...values.tree import Template, templates_in
from .options import version_of
from .promotions import Promotion

_NAMES: Final = {
    ("ctx", "meta", "step", "alias"): "1.10",
    ("ctx", "uiBaseUrl"): "1.11",
    ("ctx", "targetFreight", "alias"): "1.11",
    ("ctx", "meta", "promotion", "rollback"): "1.11",
    ("target",): "1.12",
}
_OTHER: Final = "${%"
_OTHER_SINCE: Final = "1.9"


def is_older(version: str | None, since: str) -> bool:
    """Whether a cluster of a version, if there is one, lacks what came with another one."""
    own, other = version_of(version or ""), version_of(since)
    return own is not None and other is not None and own < other


def report_newer(
    promotions: Iterable[Promotion], version: str | None, found: Diagnostics, context: Context
) -> None:
    """Warns of what the expressions of promotions use that a version of Kargo does not have."""
    seen: set[int] = set()
    nodes = (node for one in promotions if version is not None for node in one.nodes)
    for template in (template for node in nodes for template in templates_in(node)):
        if id(template) in seen:
            continue
        seen.add(id(template))
        context.meter.work()
        for what, since, start, end in _uses(template, context):
            if is_older(version, since):
                span = context.language.place(template, start, end)
                summary = f"`{what}` needs Kargo {since}, and the cluster runs {version}"
                found.warn("needs_newer_kargo", span, summary)


def _uses(template: Template, context: Context) -> Iterator[tuple[str, str, int, int]]:
    """What an expression uses that is not of all versions, since when, and where."""
    text = template.text or ""
    for substitution in template.segments.substitutions:
        if text.startswith(_OTHER, substitution.start):
            yield _OTHER, _OTHER_SINCE, substitution.start, substitution.start + len(_OTHER)
        for node in parts(context.language.exact(substitution)):
            if isinstance(node, Call) and node.function in SINCE:
                yield node.function, SINCE[node.function], node.start, node.end
            elif isinstance(node, Reference):
                names = (node.root, *node.path)
                for known, since in _NAMES.items():
                    if names[: len(known)] == known:
                        yield ".".join(known), since, node.start, node.end
