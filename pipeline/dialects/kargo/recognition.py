"""Recognises Kargo's manifests, and says what of them may be quoted.

Texts of other dialects are checked as well, so only lines with an `apiVersion` are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from ....functions.regexes import compile_regex
from ...formats.detection import in_flow_style
from ...values.quoting import Quoting, QuotingRule, Range
from ...values.source import Source

GROUP: Final = "kargo.akuity.io/"
"""The group of the manifests of Kargo; `ee.` may stand before it."""

_OURS: Final = r"""["']?apiVersion["']?[ \t]*:[ \t]*["']?(?:ee\.)?kargo\.akuity\.io/"""
# in block style a top-level key is at the beginning of its line, in a list of manifests it is not
_TOP: Final = compile_regex(rf"^(?:---[ \t]+)?{_OURS}", re.MULTILINE)
_LIST: Final = r"""(?m)^["']?kind["']?[ \t]*:[ \t]*["']?\w*List\b"""


def is_ours(version: object) -> bool:
    """True for the `apiVersion` of a manifest of Kargo."""
    return isinstance(version, str) and version.removeprefix("ee.").startswith(GROUP)


def recognises(source: Source) -> bool:
    """True for a text with a manifest of Kargo, alone, among others, or in a list of them."""
    text = source.text
    if _TOP.search(text) is not None:
        return True
    listed = in_flow_style(text) or re.search(_LIST, text) is not None
    return listed and re.search(_OURS, text) is not None


_PROMOTES: Final = compile_regex(
    r"""kind["']?\s*:\s*["']?(?:Stage|(?:Cluster)?PromotionTask|Warehouse)\b"""
)


def stands_alone(source: Source) -> bool:
    """True for a text with a Stage, a task or a Warehouse, which a check looks at."""
    return _PROMOTES.search(source.text) is not None and recognises(source)


_DOCUMENT: Final = compile_regex(r"^---(?=\s|\Z)", re.MULTILINE)
# each part is tried once: a line may be long
_SECRET: Final = compile_regex(
    r"""stringData|kind["']?\s*+:\s*+(?:[&!|>]\S*+\s++){0,3}+["']?Secret\b"""
)


def _secrets(source: Source, _: Quoting) -> Iterable[Range]:
    """The documents that are, or may be, a Secret: nothing of them is quoted."""
    text = source.text
    starts = [0, *(found.start() for found in _DOCUMENT.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if _SECRET.search(text, start, end):
            yield start, end


QUOTES: Final = QuotingRule(recognises, _secrets)
"""How manifests may be quoted."""
