"""The core functions of the language, all in one registry."""

from __future__ import annotations

from functools import cache
from typing import Final

from .arithmetic import arithmetic_functions
from .choice import choice_functions
from .comparison import comparison_functions
from .composition import composition_functions
from .containers import container_functions
from .cutting import SUBSTR_END_EXCLUSIVE, cutting_functions
from .effects import effect_functions
from .encoding import encoding_functions
from .iteration import iteration_functions
from .links import link_functions
from .logic import logic_functions
from .network import network_functions
from .registry import Functions
from .searching import searching_functions
from .serialised import serialised_functions
from .text import text_functions
from .value_limits import DEFAULT_LIMITS, SizeLimits, ValueLimits

CORE_NAMES: Final = tuple(
    """
    fromjson fromjson_g jsondecode len substr substr_g replace replace_g trim trimprefix
    trimprefix_g trimsuffix trimsuffix_g split split_g join index last_index to_upper to_lower
    has_prefix has_prefix_g has_suffix has_suffix_g contains contains_g list object keys vals map
    filter reduce sort flatmap compose pipe getattr getelem link and or not eq gt ge lt le if first
    coalesce lookup base64encode base64decode min max abs cidrsubnet file http_resource utf8 sha256
    md5 sha1 uuid cwd datetime
    """.split()  # noqa: SIM905  (67 names, one on each line otherwise)
)
"""The core functions in the order of the specification, which is the order of references."""


def core_functions(
    substr_end_exclusive: bool = SUBSTR_END_EXCLUSIVE, limits: ValueLimits = DEFAULT_LIMITS
) -> Functions:
    """The registry of the core functions, in the order of their specification (v2025-11-02).

    Registries are values: the same arguments give the same one.
    """
    return _registry(
        substr_end_exclusive, limits.max_value_chars, limits.max_value_items, limits.max_depth
    )


@cache
def _registry(
    substr_end_exclusive: bool, max_value_chars: int, max_value_items: int, max_depth: int
) -> Functions:
    limits = SizeLimits(max_value_chars, max_value_items, max_depth)
    records = (
        *serialised_functions(limits),
        *cutting_functions(substr_end_exclusive),
        *text_functions(limits),
        *searching_functions(),
        *container_functions(limits),
        *iteration_functions(limits),
        *composition_functions(),
        *link_functions(),
        *logic_functions(),
        *comparison_functions(),
        *choice_functions(),
        *encoding_functions(limits),
        *arithmetic_functions(),
        *network_functions(),
        *effect_functions(),
    )
    named = {record.name: record for record in records}
    return Functions(named[name] for name in CORE_NAMES)
