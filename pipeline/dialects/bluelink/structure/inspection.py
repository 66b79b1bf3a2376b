"""The building blocks of the structure checks: definitions, names, words and scalars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from .....functions.regexes import compile_regex
from .....functions.values import article
from ....formats.characters import invisible
from ....formats.scalars import OutOfRange, floating, integer
from ....language.errors import QUOTE_IT
from ....values.diagnostics import Diagnostics, did_you_mean, meant
from ....values.source import Repeated, Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, is_as_read, kind_of
from ..refusals import A_SCALAR, not_a_string
from .sections import OTHER_OPERATORS, OTHER_WORDS, VALUE_TYPES, Definition

NAME: Final = compile_regex(r"[A-Za-z0-9_.-]+")
_SHOWN: Final = 60
NO_COMMA: Final = "remove the comma at its end"
_EMPTY: Final = "write `{}` if it is meant to be empty"


class Inspection:
    """The state shared by all checks of one document.

    `version` is None when the document has no known version; then no key is too new. `again` is
    true when the document was checked as it was read: then only nodes made by stages are checked.
    """

    __slots__ = ("_near", "again", "diagnostics", "opener", "version")

    def __init__(
        self,
        diagnostics: Diagnostics,
        opener: str,
        version: str | None = None,
        again: bool = False,
    ) -> None:
        self.diagnostics = diagnostics
        self.opener = opener
        self.version = version
        self.again = again
        self._near: dict[tuple[str, str], str | None] = {}

    def nearest(self, key: str, definition: Definition) -> str | None:
        """The field that a key means, searched for once, and not for what is only counted."""
        mark = definition.noun, key
        if mark not in self._near:
            if self.diagnostics.full:
                return None
            from .near_fields import near_field

            self._near[mark] = near_field(key, definition)
        return self._near[mark]

    def error(self, code: str, span: Span, summary: str, hint: str | None = None) -> None:
        """Add an error."""
        self.diagnostics.error(code, span, summary, hint)


_MAPS: Final[Mapping[str, str]] = {
    "variable": "type: string",
    "value": "type: {}, value: ..",
    "resource": "type: .., spec: {{}}",
    "include": "path: ..",
    "export": "type: string, field: ..",
    "exported field": "type: string",
}
"""What a definition has at the least, for a hint; what is written instead may be a secret."""


def _as_map(node: AnyNode, definition: Definition) -> str | None:
    fields = _MAPS.get(definition.noun)
    if fields is None:
        return None
    found = kind_of(node)
    return f"write `{{{fields.format(found if found in VALUE_TYPES else 'string')}}}`"


_LITERALS: Final = frozenset({"default", "allowedValues", "value"})

Check: TypeAlias = Callable[[AnyNode, str, Map, Inspection], None]
"""A check of the node under a key of a map."""


def check_definition(
    node: AnyNode,
    definition: Definition,
    checks: Mapping[str, Check],
    inspection: Inspection,
    holder: Map | None = None,
    name: str | None = None,
) -> Map | None:
    """Check the keys of a definition and the nodes below them; return the map, if it is one.

    The definition is under the key `name` of `holder`. `checks` has a check for each form that the
    fields of the definition name.
    """
    if type(node) is not Map:
        hint = _as_map(node, definition)
        summary = f"{_called(definition, name)} must be a map, not {kind(node)}"
        inspection.error("invalid_map", node.span, summary, hint)
        return None
    assert isinstance(node, Map)
    if inspection.again and is_as_read(node):
        return node
    items = node.items
    fields = definition.fields
    intended: set[str | None] = set()
    opener = inspection.opener
    again = inspection.again
    for key, value in items.items():
        if again and is_as_read(value):
            continue
        field = fields.get(key)
        if field is None:
            if type(key) is Repeated:
                field = fields.get(str(key))
            else:
                intended.add(_report_unknown(key, node, definition, inspection))
            if field is None:
                continue
        if field.since is not None:
            expect_version(field.since, f"`{key}`", node.key_span(key), inspection)
        if type(value) is Scalar:
            text = value.value
            if type(text) is str and opener in text and not again:
                continue  # it cannot be parsed, which is reported already
        elif field.literal:
            where = f"`{key}` of {_a(definition.noun)}"
            forbid_substitutions(value, where, inspection, field.hint)
        checks[field.form](value, key, node, inspection)
    for key, code in definition.required:
        if key not in items and key not in intended:
            report_missing(code, key, node, definition, inspection, holder, name)
    return node


def report_missing(
    code: str,
    key: str,
    node: Map,
    definition: Definition,
    inspection: Inspection,
    holder: Map | None,
    name: str | None,
) -> None:
    """Report a missing required key at the name of its definition."""
    span = holder.key_span(name) if holder is not None and name is not None else head_span(node)
    hint = definition.fields[key].remedy
    inspection.error(code, span, f"{_called(definition, name)} has no `{key}`", hint)


def check_section(
    node: AnyNode,
    key: str,
    definition: Definition,
    checks: Mapping[str, Check],
    inspection: Inspection,
) -> list[tuple[str, Map]]:
    """Check a map of names to definitions; those that are maps, for further checks."""
    if not isinstance(node, Map):
        expect_map(node, f"`{key}`", inspection, _EMPTY)
        return []
    check_names(node, definition.noun, inspection)
    found = []
    for name, child in node.items.items():
        entry = check_definition(child, definition, checks, inspection, node, name)
        if entry is not None:
            found.append((name, entry))
    return found


def check_names(node: Map, noun: str, inspection: Inspection) -> None:
    """Check that references can use the names of a section."""
    for name in node.items:
        if NAME.fullmatch(name) is None and inspection.opener not in name:
            inspection.error(
                "invalid_name",
                node.key_span(name),
                f"{shown(name)} cannot be the name of {_a(noun)}",
                _unseen(name) or "names are made of letters, digits, `_`, `-` and `.`",
            )


def expect_map(
    node: AnyNode, what: str, inspection: Inspection, null_hint: str | None = None
) -> None:
    """Report a node that is not a map."""
    if not isinstance(node, Map):
        hint = null_hint if isinstance(node, Scalar) and node.value is None else None
        if isinstance(node, Array):
            hint = "write a name for each element: `name: ..` instead of `- ..`"
        inspection.error("invalid_map", node.span, f"{what} must be a map, not {kind(node)}", hint)


def expect_version(since: str, what: str, span: Span, inspection: Inspection) -> bool:
    """Report a feature that is newer than the document's version; True when it is available."""
    if inspection.version is None or inspection.version >= since:
        return True
    inspection.error(
        "needs_newer_version",
        span,
        f"{what} needs version {since}, and the blueprint has {inspection.version}",
        f"write `version: {since}` to use it",
    )
    return False


def forbid_substitutions(
    node: AnyNode, where: str, inspection: Inspection, hint: str | None = None
) -> bool:
    """Report each substitution in a node and below it; True when there is one."""
    match node:
        case Template():
            for segment in node.segments:
                if not isinstance(segment, str):
                    inspection.error(
                        "substitution_not_allowed",
                        _substitution_span(node, segment.start, segment.end),
                        f"substitutions are not allowed in {where}",
                        hint,
                    )
            return True
        case Map():
            below: Iterable[AnyNode] = node.items.values()
        case Array():
            below = node.items
        case _:
            return False
    found = False
    for child in below:
        if type(child) is not Scalar and forbid_substitutions(child, where, inspection, hint):
            found = True
    return found


def _substitution_span(node: Template, start: int, end: int) -> Span:
    if node.text is None or end <= start:
        return node.span
    from ....values.positions import span_in_scalar

    return span_in_scalar(node.trail.source, node.start, node.end, node.text, start, end)


def is_refused(node: AnyNode, inspection: Inspection) -> bool:
    """True for a string with a substitution that cannot be parsed, which is reported already."""
    if inspection.again and not is_as_read(node):
        return False  # text that was computed, which is no expression
    return (
        isinstance(node, Scalar) and isinstance(node.value, str) and inspection.opener in node.value
    )


def is_lone(node: Template) -> bool:
    """True when a template is one substitution and nothing else, not even white space."""
    return len(node.segments) == 1


def check_word(
    node: AnyNode, key: str, allowed: Iterable[str], code: str, noun: str, inspection: Inspection
) -> None:
    """Check a word that must be one of a few.

    A template is skipped: substitutions are not allowed here, which is reported already.
    """
    if isinstance(node, Template):
        return
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        summary, hint = f"`{key}` must be {noun}, not {kind(node)}", None
    elif node.value in allowed:
        return
    elif not node.value.strip():
        summary, hint = f"`{key}` is empty", None
    else:
        summary, hint = f"{shown(node.value)} is not {noun}", word_hint(node.value, allowed)
    inspection.error(code, node.span, summary, hint or f"use {listed(allowed, 'or')}")


def one_of(allowed: Iterable[str], code: str, noun: str) -> Check:
    """The check of a word that must be one of a few."""

    def check(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
        check_word(node, key, allowed, code, noun, inspection)

    return check


def type_like(pattern: str, code: str, noun: str, hint: str) -> Check:
    """The check of a `type` that a provider names."""

    def check(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
        if isinstance(node, Template):
            return
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            summary = not_a_string("type", kind(node))
        elif not node.value.strip():
            summary = "`type` is empty"
        elif re.fullmatch(pattern, node.value) is None:
            summary = f"{shown(node.value)} is not {noun}"
            if re.fullmatch(pattern, node.value.rstrip(",")) is not None:
                inspection.error(code, node.span, summary, NO_COMMA)
                return
        else:
            return
        inspection.error(code, node.span, summary, hint)

    return check


def scalars(code: str, noun: str) -> Check:
    """The check of a map whose values are strings, integers, floats or booleans."""

    def check(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
        if not isinstance(node, Map):
            expect_map(node, f"`{key}`", inspection)
            return
        for name, value in node.items.items():
            if not is_scalar(value):
                summary = f"{noun} {shown(name)} must be {A_SCALAR}, not {kind(value)}"
                inspection.error(code, value.span, summary)

    return check


def word_hint(word: str, allowed: Iterable[str]) -> str | None:
    """The hint for a word that is not allowed, when an allowed one is similar."""
    other = OTHER_WORDS.get(word.casefold()) or OTHER_OPERATORS.get(word.casefold())
    if other is not None and other in allowed:
        return did_you_mean(word, other)
    return meant(word, allowed)


def check_any(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Accepts any node; the section may check it later."""


def check_map(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check that a node is a map with any content."""
    if type(node) is not Map:
        expect_map(node, f"`{key}`", inspection, _EMPTY)


def check_custom(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check free metadata: a map, or a lone substitution for one."""
    if not (isinstance(node, Template) and is_lone(node)):
        check_map(node, key, holder, inspection)


def check_text(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check that a node is a string."""
    if type(node) is Template:
        return
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        inspection.error("invalid_string", node.span, not_a_string(key, kind(node)), quotes(node))


def check_words(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check that a node is a string that is not blank."""
    check_text(node, key, holder, inspection)
    if isinstance(node, Scalar) and isinstance(node.value, str) and not node.value.strip():
        inspection.error("invalid_string", node.span, f"`{key}` is empty")


def check_boolean(node: AnyNode, key: str, holder: Map, inspection: Inspection) -> None:
    """Check that a node is `true` or `false`."""
    if not isinstance(node, Template) and not is_boolean(node):
        inspection.error(
            "invalid_boolean", node.span, f"`{key}` must be `true` or `false`, not {kind(node)}"
        )


check_annotations: Final = scalars("invalid_annotation", "annotation")


def is_scalar(node: AnyNode) -> bool:
    """True for a scalar that is not null, and for a string with substitutions."""
    return isinstance(node, Template) or (isinstance(node, Scalar) and node.value is not None)


def is_boolean(node: AnyNode) -> bool:
    """True for `true` and `false`."""
    return isinstance(node, Scalar) and isinstance(node.value, bool)


def head_span(node: AnyNode) -> Span:
    """The first key of a map, or the beginning of any other node."""
    if isinstance(node, Map):
        for key in node.items:
            return node.key_span(key)
    source = node.trail.source
    return Span(source, node.start, min(node.start + 1, len(source.text)))


def kind(node: AnyNode) -> str:
    """The kind of a node, with an article: `an array`, `null`."""
    return article(kind_of(node))


def dashed(node: AnyNode) -> str | None:
    """The hint for a string that was meant to be a list."""
    text = node.value if isinstance(node, Scalar) else None
    is_list = isinstance(text, str) and text.startswith("-")
    return "write a space after each `-`" if is_list else None


def quotes(node: AnyNode) -> str | None:
    """The hint for a number or boolean that should be a string."""
    return QUOTE_IT if isinstance(node, Scalar) and node.value is not None else None


def shown(text: str) -> str:
    """A name or word in backquotes, shortened when it is long."""
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}…`"


def _unseen(name: str) -> str | None:
    """The hint for a name with a character that looks like a space or like nothing."""
    found = invisible(name)
    return f"remove {found[0]} from it" if found else None


def is_name(name: str) -> bool:
    """True for a name that references can use."""
    return NAME.fullmatch(name) is not None


def _report_unknown(
    key: str, node: Map, definition: Definition, inspection: Inspection
) -> str | None:
    """Report an unknown key; return the key that was probably meant."""
    if inspection.opener in key:
        return None  # a substitution in a key has its own diagnostic
    fields = definition.fields
    near = inspection.nearest(key, definition)
    hint = _unseen(key) or (did_you_mean(key, near) if near else None)
    if hint is None:
        from .near_fields import advice

        hint = advice(key, definition.noun) or f"{_a(definition.noun)} has {listed(fields)}"
    inspection.error(
        "unknown_field",
        node.key_span(key),
        f"{shown(key)} is not a field of {_a(definition.noun)}",
        hint,
    )
    if key in _LITERALS:  # it may belong to the definition of a secret
        inspection.diagnostics.quoting.leave_unquoted(node.items[key].span)
    return near


def _called(definition: Definition, name: str | None) -> str:
    if name is None or name == definition.noun:
        return f"the {definition.noun}"
    return f"{definition.noun} {shown(name)}"


def _a(noun: str) -> str:
    if noun.endswith("metadata"):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words in backquotes as an English list: `a`, `b` and `c`."""
    *most, final = (f"`{word}`" for word in words)
    return f"{', '.join(most)} {last} {final}" if most else final


# Strings that are parsed as an integer, a float or a boolean, as in `value: "5"`.

INTEGER: Final = r"[-+]?[0-9]+"
FLOAT: Final = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_BOOLEANS: Final = {"true": True, "false": False}


def read_literal(text: str, type_name: str) -> str | int | float | bool | None:
    """A string parsed as one of the scalar types; None when that fails.

    Whitespace around numbers and booleans is ignored, so that they can be block scalars. A string
    stays as it is. A float may be written like an integer; numbers have the same range as in a
    document.
    """
    if type_name == "string":
        return text
    word = text.strip()
    try:
        match type_name:
            case "integer" if re.fullmatch(INTEGER, word):
                return integer(word, 10)
            case "float" if re.fullmatch(FLOAT, word):
                return floating(word)
            case "boolean":
                return _BOOLEANS.get(word)
    except OutOfRange:
        return None
    return None
