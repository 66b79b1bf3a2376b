"""Recognises Landscaper's blueprints, and says what of them may be quoted."""

from __future__ import annotations

import re
from typing import Final

from ....functions.regexes import compile_regex
from ...formats.detection import in_flow_style, top_level_fields
from ...values.quoting import QuotingRule, quote_all
from ...values.source import Source

GROUP: Final = "landscaper.gardener.cloud/"
KIND: Final = "Blueprint"

_VERSION: Final = compile_regex(
    r"""^["']?apiVersion["']?[ \t]*:[ \t]*["']?landscaper\.gardener\.cloud/""",
    re.MULTILINE | re.IGNORECASE,
)
_KIND: Final = compile_regex(
    r"""^["']?kind["']?[ \t]*:[ \t]*["']?Blueprint["']?[ \t\r]*(?:\#|$)""",
    re.MULTILINE | re.IGNORECASE,
)

_PART: Final = compile_regex(
    r"""^["'\s{,]*(?:\$schema|\$ref|properties|definitions|oneOf|anyOf|allOf|enum|deployItems"""
    r"""|subinstallations|exports|bindings|errors|state|apiVersion["']?[ \t]*:[ \t]*["']?"""
    r"""landscaper\.gardener\.cloud/.*|kind["']?[ \t]*:[ \t]*["']?InstallationTemplate"""
    r"""|type["']?[ \t]*:[ \t]*["'](?:object|string|array|integer|number|boolean))"""
    r"""["']?[ \t\r]*(?:[:,}]|$)""",
    re.MULTILINE | re.IGNORECASE,
)


def recognises(source: Source) -> bool:
    """True for a text with the version and the kind of a blueprint at its top level."""
    text = source.text
    if not in_flow_style(text):
        return _VERSION.search(text) is not None and _KIND.search(text) is not None
    found = {key.lower(): value for key, value in top_level_fields(text)}
    return found.get("apiversion", "").startswith(GROUP) and found.get("kind") == KIND


def _is_part(source: Source) -> bool:
    """True for what a blueprint's folder may have: templates, what they give, and schemas."""
    text = source.text
    return "{{" in text or "((" in text or _PART.search(text) is not None


QUOTES: Final = QuotingRule(_is_part, quote_all)
"""How blueprints and their templates may be quoted: values come from elsewhere."""
