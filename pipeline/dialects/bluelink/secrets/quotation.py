"""How blueprints may be quoted: what is recognisably one, and what of it may be for a secret.

Everything is told by the text alone, so that it holds for every command and however early a run
ends. What an include or a module is given is hidden until the child is read and says that the
variable is not a secret (`Quoting.publish`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from .....functions.regexes import compile_regex
from ....formats.detection import in_flow_style, read_plain, top_level_fields
from ....language.meter import Meter
from ....values.diagnostics import Diagnostics, likely
from ....values.quoting import Quoting, QuotingRule, Range
from ....values.settings import Limits
from ....values.source import Source
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..structure.sections import DOCUMENT, RESOURCE, VALUE, VARIABLE

_DATE: Final = compile_regex(r"\d{4}-\d\d?-\d\d?\Z")
_MOST_KEYS: Final = 200
"""Top-level keys to look at: a blueprint has few."""


def is_blueprint(source: Source) -> bool:
    """A text with a version, or most of whose top-level keys are sections, some misspelt.

    Other tools have keys that look like misspelt ones: `Resources`, `resource x: a/b {`.
    """
    versions, sections, others = _counted(source)
    if versions or sections <= others:
        return versions > 0
    from ....formats.foreign_files import foreign_file

    return foreign_file(source) is None


def is_certain(source: Source) -> bool:
    """A text with a version and a section: where it was found does not tell what it is."""
    versions, sections, _ = _counted(source)
    return versions > 0 and sections > 0


def _counted(source: Source) -> tuple[int, int, int]:
    """How many top-level keys are versions with a date, sections, and anything else.

    Other formats have a version, too, so that one that is no date tells nothing.
    """
    versions = sections = others = 0
    for number, (key, scalar) in enumerate(top_level_fields(source.text)):
        name = _field_like(key, number)
        if name == "version":
            versions += _DATE.match(scalar) is not None
        else:
            sections += name is not None
            others += name is None
        if (versions and sections) or number > _MOST_KEYS:
            break
    return versions, sections, others


def _field_like(key: str, number: int) -> str | None:
    """The key of a blueprint that a key is or is almost spelt like; `number` keys are before it."""
    if key in DOCUMENT.fields or number > _MOST_KEYS:
        return key if key in DOCUMENT.fields else None
    return likely(key, DOCUMENT.fields)


def _meant_section(key: str, number: int) -> str | None:
    """The section that recovery takes a key for; more keys than a blueprint is recognised by."""
    if key in DOCUMENT.fields or number > _MOST_KEYS:
        return key if key in DOCUMENT.fields else None
    from ..structure.near_fields import near_field

    return near_field(key, DOCUMENT)


# --- what may be for a secret, in a text that can be read

_WORD: Final = "secret"
_LIKE_FLAG: Final = 3
"""Different letters that a word has in common with the one that it is spelt like."""

# the word with one slip: a letter too few, too many, another one, or two in the wrong order
_FLAG: Final = compile_regex(
    "|".join(
        rf"{before}(?:\w?{after[1:]}|\w{after}|{after[:2][::-1]}{after[2:]})"
        for before, after in ((_WORD[:at], _WORD[at:]) for at in range(len(_WORD) + 1))
    ),
    re.IGNORECASE,
)
_GIVING: Final = compile_regex(r"include|inclu|clude|module|celerity/blueprint", re.IGNORECASE)
# errors after which a tree still has everything that is written
_WHOLE: Final = frozenset(
    {
        "duplicate_key",
        "number_out_of_range",
        "yaml_alias_not_supported",
        "yaml_tag_not_supported",
    }
)
# what an address may hold of credentials
_PASSWORD: Final = compile_regex(r"\bhttps?://[^/\s@]*@|://[^/\s:@]*:[^/\s@]*@")
_QUERY: Final = compile_regex(r"://[^\s?]*\?")
# the harmless keys of the definition of a secret; a misspelt `default` is not one
_HARMLESS: Final = frozenset({"type", "secret", "description", "metadata"})
_OF_INCLUDES: Final = frozenset({"path", "description", "metadata"})
_DEFINING: Final = frozenset({"variables", "values"})
_MODULE: Final = compile_regex(r"(?:bpp/module|celerity/blueprint)\Z")
# what refers to parts of the document has no text of its own
_REFERENCES: Final = compile_regex(
    r"\s*(?:\$\{\s*(?:variables|values|resources|datasources|children|elem|i)"
    r"(?:\.[\w-]+|\[\d+\])*\s*\}\s*)+\Z"
)


def hidden(source: Source, quoting: Quoting) -> Iterator[Range]:
    """The parts of a blueprint that give, or may give, a value to a secret."""
    root = quoting.tree_of(source)
    if root is None:
        meter = Meter(Limits())
        problems = Diagnostics(spend=meter.mistake)
        root = read_plain(source, meter, problems)
        whole = _WHOLE.issuperset(item.code for item in problems) and not problems.dropped
        if root is None or not whole:
            # a tree with other errors may be incomplete
            yield from _hidden_lines(source)
    for node in (*_defined(root), *_given(root, quoting)):
        yield node.start, node.end


def _defined(root: AnyNode | None) -> Iterator[AnyNode]:
    """The parts of definitions with `secret`, unless that is plainly `false`."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Array):
            stack.extend(node.items)
        elif isinstance(node, Map):
            stack.extend(node.items.values())
            yield from _in_secret(node, _is_flag)
        elif node is not None and _has_password(_written(node)):
            yield node
    for key, section in _sections(root):
        if key in _DEFINING and isinstance(section, Map):
            for node in section.items.values():
                if isinstance(node, Map):
                    yield from _in_secret(node, _is_meant_as_flag)
                else:  # a bare value instead of a definition cannot say that it is a secret
                    yield node
        elif key in _DEFINING:
            yield section


def _written(node: AnyNode) -> str:
    """A string as it was read, also with substitutions; empty for what is none."""
    found = node.text if isinstance(node, Template) else getattr(node, "value", None)
    return found if isinstance(found, str) else ""


def _has_password(text: str) -> bool:
    return "://" in text and _PASSWORD.search(text) is not None


def _in_secret(node: Map, is_flag: Callable[[str], bool]) -> Iterator[AnyNode]:
    flags = [child for key, child in node.items.items() if is_flag(key)]
    if any(not isinstance(flag, Scalar) or flag.value is not False for flag in flags):
        for key, child in node.items.items():
            if key.lower() not in _HARMLESS and not is_flag(key):
                yield child


def _is_flag(key: str) -> bool:
    """True for `secret`, also with a slip, and for a merge, which may bring it along."""
    return key == "<<" or _FLAG.fullmatch(key) is not None


def _is_meant_as_flag(key: str) -> bool:
    """True for what is taken for `secret` in a definition, too."""
    return _is_flag(key) or _stands_for_flag(str(key))


@lru_cache(maxsize=4096)
def _stands_for_flag(key: str) -> bool:
    from ..structure.near_fields import field_elsewhere, near_field

    if len({*key.lower()} & {*_WORD}) < _LIKE_FLAG:
        return field_elsewhere(key, VARIABLE) == _WORD
    return key not in VALUE.fields and near_field(key, VARIABLE) == _WORD


def _sections(root: AnyNode | None) -> Iterator[tuple[str, AnyNode]]:
    """The sections of a blueprint and of those that it brings along, by the name that is meant."""
    stack = [root]
    while stack:
        node = stack.pop()
        items = node.items.items() if isinstance(node, Map) else ()
        for number, (key, child) in enumerate(items):
            name = _meant_section(str(key), number) or str(key)
            yield name, child
            if name == "children" and isinstance(child, Map):
                stack.extend(child.items.values())


def _given(root: AnyNode | None, quoting: Quoting) -> Iterator[AnyNode]:
    """What is given to children and modules, but for what is known to be given to no secret."""
    for key, section in _sections(root):
        if key == "include":
            entries = section.items.values() if isinstance(section, Map) else [section]
            for entry in entries:
                path = entry.get("path") if isinstance(entry, Map) else None
                if path is not None and _QUERY.search(_written(path)):
                    yield path
                yield from _in_fields(entry, _OF_INCLUDES, quoting)
        elif key == "resources" and isinstance(section, Map):
            for entry in section.items.values():
                yield from _in_module(entry, quoting)


def _in_module(entry: AnyNode, quoting: Quoting) -> Iterator[AnyNode]:
    if not isinstance(entry, Map):
        return
    kind, spec = entry.get("type"), entry.get("spec")
    if kind is not None and _MODULE.match(_written(kind)):
        for key, child in entry.items.items():
            if key == "spec":
                yield from _in_fields(child, _OF_MODULES, quoting)
            elif key not in RESOURCE.fields:
                yield child
    elif isinstance(spec, Map) and "module" in spec.items:
        yield from _in_fields(spec, _OF_MODULES, quoting)


_OF_MODULES: Final = frozenset({"module"})


def _in_fields(entry: AnyNode, harmless: frozenset[str], quoting: Quoting) -> Iterator[AnyNode]:
    """The values under all keys but harmless ones; those of maps one by one."""
    if not isinstance(entry, Map):
        yield entry
        return
    for key, child in entry.items.items():
        if key in harmless:
            continue
        for value in child.items.values() if isinstance(child, Map) else [child]:
            told = _REFERENCES.match(_written(value)) is None
            source = value.trail.source
            if told and not quoting.is_public(source, value.start, value.end):
                yield value


# --- and in one that cannot be read

_NAME_ALONE: Final = compile_regex(r"""["']?[\w.-]+["']?[ \t]*:[ \t]*(?:[{\[][ \t]*)?""")
_BRACKETS: Final = compile_regex(r"[\[\]{},\s]*")
_SIMPLE: Final = r"""["']?(?:{})["']?[ \t]*:[^,{{}}\[\]]*,?[ \t]*"""
_LINE_OF_DEFINITION: Final = compile_regex(_SIMPLE.format("type|secret|description"))
_LINE_OF_INCLUDE: Final = compile_regex(_SIMPLE.format("path|description"))
_LINE_OF_MODULE: Final = compile_regex(_SIMPLE.format("type|module|description"))
_LINE_KEY: Final = compile_regex(r"""\{?[ \t]*["']?([\w.-]+)["']?[ \t]*:""")
_NOTHING: Final = compile_regex(r"(?!)")
_USES_MODULE: Final = compile_regex(r"bpp/module|celerity/blueprint|\bmodule[\"']?[ \t]*:")


def _hidden_lines(source: Source) -> Iterator[Range]:
    """The lines of an unreadable text that may be for a secret: those that do not look harmless.

    Looks at indentation, as it does for JSON that is laid out; of all else nothing is shown.
    """
    text = source.text
    declares = any(map(_may_declare, {*re.findall(r"[\w-]+", text)}))
    if not declares and not _GIVING.search(text):
        return
    flow = in_flow_style(text)
    for section, entries in _outlined(_lines(source)):
        for entry in entries:
            harmless = _harmless_lines(section, entry, declares)
            for number, (start, indent, body) in enumerate(entry):
                if _BRACKETS.fullmatch(body) or (number == 0 and _NAME_ALONE.fullmatch(body)):
                    continue
                if harmless is None:
                    # several keys on one line of JSON may be anything
                    shown = not flow or body.count(":") < 2 or not ("," in body or "{" in body)
                else:
                    shown = harmless.fullmatch(body) is not None and not _QUERY.search(body)
                if not shown or _has_password(body):
                    yield start, start + indent + len(body)


def _may_declare(word: str) -> bool:
    from ..structure.near_fields import field_elsewhere

    return _is_flag(word) or field_elsewhere(word, VARIABLE) == _WORD


def _harmless_lines(
    section: str | None, entry: list[_Line], declares: bool
) -> re.Pattern[str] | None:
    """The lines of an entry of a section that give nothing to a secret; None for all."""
    if section in ("include", "children"):
        return _LINE_OF_INCLUDE
    if section is None:
        return _NOTHING
    if section in _DEFINING:
        return _LINE_OF_DEFINITION if declares else None
    if section == "resources" and any(_USES_MODULE.search(body) for _, _, body in entry):
        return _LINE_OF_MODULE
    return None


_Line: TypeAlias = tuple[int, int, str]
"""Offset of the beginning, indentation, and the text without blanks around it."""


def _lines(source: Source) -> Iterator[_Line]:
    """The lines that are not blank."""
    for number, start in enumerate(source.line_starts, 1):
        line = source.line(number)
        body = line.strip()
        if body:
            yield start, len(line) - len(line.lstrip()), body


def _outlined(lines: Iterable[_Line]) -> Iterator[tuple[str | None, list[list[_Line]]]]:
    """The sections by the names that are meant, each with its own line and its entries."""
    section: str | None = None
    entries: list[list[_Line]] = []
    top = inner = -1
    sections = 0
    for line in lines:
        indent, body = line[1:]
        key = _LINE_KEY.match(body)
        if key is not None and (indent <= top or top < 0):
            if entries:
                yield section, entries
            section, entries = _meant_section(key[1], sections), [[line]]
            top, inner = indent, -1
            sections += 1
            continue
        if inner < 0:
            inner = indent
        if indent <= inner or not entries:
            entries.append([])
        entries[-1].append(line)
    if entries:
        yield section, entries


CHILD: Final = QuotingRule(is_certain, hidden)
