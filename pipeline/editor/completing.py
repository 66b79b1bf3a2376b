"""Completion: what may stand at the cursor, in the language of the document."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from lsprotocol import types

from ...functions.record import Record
from ..answers.explanation import KNOWN, SECRET
from ..answers.fields import Field, field_at
from ..answers.inspection import Inspection, inspection_of, openers_of
from ..answers.levels import Level
from ..answers.nodes import node_at
from ..answers.offers import begun_name, next_steps, sorted_names
from ..answers.paths import Path, PathProblem, parse_path
from ..answers.tracing import ABSENT
from ..answers.values import status_of
from ..engine.materialisation import MASK
from ..engine.run import Dialect
from ..engine.string_evaluation import plain_value
from ..formats.detection import EXTENSIONS
from ..language.errors import LanguageError
from ..values.diagnostics import ERROR
from ..values.source import Source
from ..values.tree import Map, Template, kind_of, text_at
from ..world.files import paths_from
from .analysis import Analysis
from .computed import one_line
from .coordinates import Coordinates
from .cursor import COMMENT, EXPRESSION, KEY, VALUE, Cursor, cursor_at
from .feature import Feature
from .signatures import function_of
from .vocabulary import names_of
from .workspace import Workspace

_MOST: Final = 200
_MOST_NAMES: Final = 50_000
_LONGEST_CALL: Final = 1_000
_FAR: Final = 20_000
"""Characters before the cursor in which variables of templates are looked for."""

_FILES: Final = (*EXTENSIONS, ".env", ".tpl", ".toml")
_KEY_FOLLOWS: Final = re.compile(r"""[\w-]*["']?[ \t]*:""")
_VARIABLE: Final = re.compile(r"\$[A-Za-z_]\w*")
_IGNORE: Final = re.compile(r"[ \t]*bpp:[ \t]*ignore[ \t]+(?:\w+[ \t,]+)*(?P<begun>\w*)\Z")
_PLAIN: Final = re.compile(r"[\w/](?:[\w ./@+-]*[\w/])?")
_NO_TEXT: Final = re.compile(r"(?i:true|false|null|~|yes|no|on|off|[-+.\d][\d._xoe+]*)")
_STRINGS: Final = re.compile(r""""(?:[^"\\]|\\.)*("?)|'(?:[^'\\]|\\.)*('?)|`[^`]*(`?)""")
_CALL: Final = re.compile(r"([A-Za-z_]\w*)\(([^()]*)\Z")
_Kinds = types.CompletionItemKind


class Offer(Record):
    """Something to put in the place of what is typed from `start` up to the cursor.

    `order` sorts before the label. `data` is what `resolved` needs to say more of it.
    """

    label: str
    text: str
    start: int
    kind: types.CompletionItemKind
    detail: str = ""
    about: str = ""
    order: int = 0
    deprecated: bool = False
    snippet: bool = False
    beyond: int = 0
    data: tuple[str, str] | None = None


class _Asked(Record, eq=False):
    """A question: the present text, what is known of it, where the cursor is, what may be there."""

    workspace: Workspace
    analysis: Analysis
    source: Source
    offset: int
    cursor: Cursor
    field: Field | None

    @property
    def dialect(self) -> Dialect:
        """The dialect of the text."""
        return self.analysis.dialect

    @property
    def following(self) -> str:
        """The rest of the line behind the cursor."""
        end = self.source.text.find("\n", self.offset)
        return self.source.text[self.offset : end if end >= 0 else None].rstrip("\r")


def completed(workspace: Workspace, params: types.CompletionParams) -> types.CompletionList | None:
    """What may stand at a position of the present text; names are those of the last good one."""
    uri = params.text_document.uri
    source, analysis = workspace.source(uri), workspace.latest(uri)
    if source is None or analysis is None:
        return None
    at = Coordinates(source, workspace.units)
    offset = at.offset(params.position)
    written = source.evolve(format="text") if is_text(analysis.dialect) else source
    cursor = cursor_at(written, offset, openers_of(analysis.dialect))
    field = field_at(analysis.dialect, cursor.around, cursor.path)
    asked = _within(_Asked(workspace, analysis, source, offset, cursor, field))
    ranked = [(_rank(one, asked), one.order, one.label, one) for one in _offers(asked)]
    fitting = sorted((one for one in ranked if one[0] is not None), key=lambda one: one[:3])
    ordered = [*{one.label: one for *_, one in fitting}.values()]
    items = [_item(one, asked, at, uri, n) for n, one in enumerate(ordered[:_MOST])]
    return types.CompletionList(len(ordered) > _MOST, items)


def _within(asked: _Asked) -> _Asked:
    """The question for the document in a block scalar, where the cursor is in one."""
    cursor, text = asked.cursor, asked.source.text
    content = asked.field.content() if asked.field is not None and cursor.kind == VALUE else None
    if content is None or text[cursor.start : cursor.start + 1] != "\n":
        return asked
    base = cursor.start + 1
    block = Source(asked.source.name, text[base:], "yaml")
    inner = cursor_at(block, asked.offset - base, ())
    inner = inner.evolve(start=inner.start + base)
    return asked.evolve(cursor=inner, field=content.at(inner.around, inner.path))


def is_text(dialect: Dialect) -> bool:
    """True for a dialect whose documents have no structure but that of their expressions."""
    return inspection_of(dialect).texts


def _offers(asked: _Asked) -> Iterator[Offer]:
    kind = asked.cursor.kind
    if kind == EXPRESSION:
        return _in_expression(asked)
    if kind == COMMENT:
        return _codes(asked)
    return _keys(asked) if kind == KEY else _values(asked)


def _rank(one: Offer, asked: _Asked) -> int | None:
    """0 for what begins as it is typed, 1 for what has its characters in order, else None."""
    typed = asked.source.text[one.start : asked.offset].strip(" \t\"'").lower()
    label = one.label.lower()
    if label.startswith(typed):
        return 0
    rest = iter(label)
    return 1 if all(character in rest for character in typed) else None


def _item(
    one: Offer, asked: _Asked, at: Coordinates, uri: str, number: int
) -> types.CompletionItem:
    snippet = types.InsertTextFormat.Snippet if one.snippet else None
    typed = asked.source.text[one.start : asked.offset]
    return types.CompletionItem(
        one.label,
        kind=one.kind,
        tags=[types.CompletionItemTag.Deprecated] if one.deprecated else None,
        detail=one.detail or None,
        documentation=_markdown(one.about) if one.about else None,
        sort_text=f"{number:04}",
        # what is typed may have a quote or a space in front, which editors compare, too
        filter_text=one.label if one.label.startswith(typed) else _as_typed(typed, one),
        insert_text_format=snippet,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(at.range(one.start, asked.offset + one.beyond), one.text),
        data={"uri": uri, "kind": one.data[0], "name": one.data[1]} if one.data else None,
    )


def _as_typed(typed: str, one: Offer) -> str:
    lead = typed[: len(typed) - len(typed.lstrip(" \t\"'"))]
    return lead + one.label


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


# expressions


def _in_expression(asked: _Asked) -> Iterator[Offer]:
    cursor = asked.cursor
    before = cursor.before
    begun = begun_name(before)
    start = asked.offset - len(begun)
    text = _open_string(before)
    if text is not None and not begun.rstrip("\"'").endswith("["):
        inside = before[text:]
        if "[" not in begun:
            yield from _arguments(asked, before[: text - 1], asked.offset - len(inside))
            return
    shift, names = _written_names(asked, begun)
    for name in next_steps(names, begun[shift:], _MOST + 1):
        yield _name_offer(asked, begun[:shift] + name, start, name)
    if cursor.opener == "{{":
        earlier = asked.source.text[max(0, asked.offset - _FAR) : asked.offset - len(begun)]
        for name in dict.fromkeys(_VARIABLE.findall(earlier)):
            yield Offer(name, name, start, _Kinds.Variable, order=1)
    if "." not in begun and "[" not in begun:
        for name in asked.analysis.context.functions:
            if name.lower().startswith(begun.lower()) and name.isidentifier():
                yield _function_offer(asked, name, start)


def _written_names(asked: _Asked, begun: str) -> tuple[int, Sequence[str]]:
    """The names as they are written at the cursor, and how much of what is typed is before them."""
    names = names_of(asked.analysis).of("references")
    if asked.cursor.opener == "((":
        return 0, sorted_names(one.removeprefix(".") for one in names)
    if asked.cursor.opener == "{{" and begun.startswith("$."):
        return 1, names
    return 0, names


def _name_offer(asked: _Asked, label: str, start: int, name: str) -> Offer:
    node = _node_of(asked.analysis, name)
    detail, about = "", ""
    if isinstance(node, Map):
        detail, about = text_at(node, "type"), text_at(node, "description")
    elif node is not None:
        detail = kind_of(node)
    written = label
    if asked.cursor.quote:
        double = asked.cursor.quote == '"'
        written = label.replace('"', '\\"') if double else label.replace("'", "''")
    kind = _Kinds.Variable if "." in name or "[" in name else _Kinds.Module
    return Offer(label, written, start, kind, detail, about, data=("name", name))


def _node_of(analysis: Analysis, name: str) -> Any:
    good = analysis.good
    if good is None or good.document is None:
        return None
    path = _path_of(name)
    return node_at(good.document.root, path) if path else None


def _path_of(name: str) -> Path:
    try:
        return parse_path(name).items
    except PathProblem:
        return ()


def _function_offer(asked: _Asked, name: str, start: int) -> Offer:
    snippets = asked.workspace.snippets
    text, snippet = name, False
    called = not asked.following.startswith("(") and asked.cursor.opener != "{{"
    if called:
        text, snippet = (f"{name}($0)", True) if snippets else (f"{name}(", False)
    return Offer(
        name, text, start, _Kinds.Function, order=2, snippet=snippet, data=("function", name)
    )


def _open_string(before: str) -> int | None:
    """Where the string begins that is open at the end of an expression, behind its quote."""
    last = None
    for one in _STRINGS.finditer(before):
        last = one
    if last is None or last.end() != len(before) or last[1] or last[2] or last[3]:
        return None
    return last.start() + 1


def _arguments(asked: _Asked, before: str, start: int) -> Iterator[Offer]:
    """What the string may be that is typed as an argument of a call."""
    call = _CALL.search(before[-_LONGEST_CALL:])
    if call is None:
        return
    function = function_of(asked.analysis, call[1])
    position = call[2].count(",")
    parameter = function.parameter(position) if function is not None else None
    for word in parameter.choices if parameter is not None else ():
        yield Offer(word, word, start, _Kinds.EnumMember)
    kind = inspection_of(asked.dialect).named.get(f"{call[1]}({position})")
    for name in names_of(asked.analysis).of(kind) if kind else ():
        yield Offer(name, name, start, _Kinds.Reference)


# keys and values


def _keys(asked: _Asked) -> Iterator[Offer]:
    cursor, field = asked.cursor, asked.field
    node = node_at(cursor.around, cursor.path)
    there = node.items if isinstance(node, Map) else {}
    if field is not None:
        for key, one in field.inside(node).items():
            if key not in there:
                yield _key_offer(asked, key, one)
    if cursor.fresh:
        yield from _values(asked)


def _key_offer(asked: _Asked, key: str, one: Field) -> Offer:
    cursor = asked.cursor
    follows = _KEY_FOLLOWS.match(asked.following)
    json_like = asked.source.format == "json"
    quote = cursor.quote or ('"' if json_like else "")
    beyond = 0
    text = f"{'' if cursor.quote else quote}{key}"
    if follows is None:
        if cursor.quote and asked.following.startswith(cursor.quote):
            beyond = 1
        text += f"{quote}: "
        if not cursor.flow and not json_like:
            text = text[:-1] + _opening(asked, one)
    detail = " | ".join(one.types) or ("one of several words" if one.allowed else "")
    if one.required:
        detail = f"{detail} (required)" if detail else "required"
    about = one.about
    if one.examples:
        about += "".join(f"\n\n`{_shown(example)}`" for example in one.examples)
    order = 0 if one.required else 2 if one.deprecated else 1
    return Offer(
        key,
        text,
        cursor.start,
        _Kinds.Property,
        detail,
        about,
        order,
        one.deprecated,
        False,
        beyond,
    )


def _opening(asked: _Asked, one: Field) -> str:
    """What stands behind the colon of a key in block style."""
    text = asked.source.text
    line = text.rfind("\n", 0, asked.cursor.start) + 1
    indent = " " * (asked.cursor.start - len(asked.cursor.quote) - line)
    if one.types == ("object",):
        return f"\n{indent}  "
    return f"\n{indent}  - " if one.types == ("array",) else " "


def _shown(example: Any) -> str:
    return example if isinstance(example, str) else json.dumps(example)


def _values(asked: _Asked) -> Iterator[Offer]:
    cursor, field = asked.cursor, asked.field
    kinds = _Kinds.EnumMember, _Kinds.Value
    if field is not None:
        allowed = [one for one in field.allowed if one != MASK]
        if "boolean" in field.types:
            allowed += [True, False]
        examples = [one for one in field.examples if isinstance(one, (str, int))]
        for order, (words, kind) in enumerate(zip((allowed, examples), kinds, strict=True)):
            for word in words:
                yield _value_offer(asked, word, kind, field.about, order)
    inspection = inspection_of(asked.dialect)
    for kind_of_name in kinds_at(inspection, cursor.path):
        yield from _named(asked, kind_of_name)


def kinds_at(inspection: Inspection, path: Path) -> Iterator[str]:
    """The kinds of the names that stand at a path."""
    for pattern, kind in inspection.named.items():
        if fits_path(pattern.split("."), path):
            yield kind


def fits_path(steps: Sequence[str], path: Path) -> bool:
    """True for a path with these steps, of which `*` is any."""
    return len(steps) == len(path) and all(
        step in ("*", str(item)) for step, item in zip(steps, path, strict=True)
    )


def _named(asked: _Asked, kind: str) -> Iterator[Offer]:
    cursor = asked.cursor
    if kind == "files":
        if asked.source.path is not None:
            base = os.path.dirname(asked.source.path)
            for path in paths_from(cursor.before.strip(), _FILES, base):
                shape = _Kinds.Folder if path.endswith("/") else _Kinds.File
                yield _value_offer(asked, path, shape, "", 0)
        return
    names: Iterable[str] = names_of(asked.analysis).of(kind)
    if kind == "references":
        names = next_steps([*names], cursor.before.strip(), _MOST + 1)
    for name in names:
        yield _value_offer(asked, name, _Kinds.Reference, "", 0)


def _value_offer(
    asked: _Asked, word: Any, kind: types.CompletionItemKind, about: str, order: int
) -> Offer:
    cursor = asked.cursor
    label = word if isinstance(word, str) else json.dumps(word)
    text = label
    if isinstance(word, str) and not cursor.quote:
        plain = _PLAIN.fullmatch(word) and not _NO_TEXT.fullmatch(word)
        if asked.source.format == "json" or not plain:
            text = json.dumps(word, ensure_ascii=False)
    if asked.source.text[cursor.start - 1 : cursor.start] in (":", ",") and not cursor.quote:
        text = f" {text}"
    return Offer(label, text, cursor.start, kind, about=about, order=order)


# comments


def _codes(asked: _Asked) -> Iterator[Offer]:
    """The codes that a comment may ignore: those that are told now, then all lints."""
    found = _IGNORE.match(asked.cursor.before)
    if found is None:
        word = asked.cursor.before.lstrip()
        if "bpp: ignore ".startswith(word):
            start = asked.offset - len(word)
            about = "Leaves out what is told of this line, or of the next one."
            yield Offer("bpp: ignore", "bpp: ignore ", start, _Kinds.Keyword, about=about)
        return
    start = asked.offset - len(found["begun"])
    for one in asked.analysis.diagnostics.sorted():
        if one.severity != ERROR:
            yield Offer(one.code, one.code, start, _Kinds.Constant, one.summary)
    lints = asked.dialect.lints() if asked.dialect.lints is not None else ()
    for lint in lints:
        for code in lint.levels:
            yield Offer(code, code, start, _Kinds.Constant, order=1, data=("code", code))


# more of one


def resolved(workspace: Workspace, item: types.CompletionItem) -> types.CompletionItem:
    """An item with its documentation, and for a name with what it is worth."""
    data = item.data if isinstance(item.data, dict) else {}
    analysis = workspace.latest(str(data.get("uri", "")))
    tell = _TOLD.get(str(data.get("kind")))
    if analysis is not None and tell is not None:
        tell(analysis, str(data.get("name", "")), item)
    return item


def _tell_function(analysis: Analysis, name: str, item: types.CompletionItem) -> None:
    function = function_of(analysis, name)
    if function is None:
        return
    item.detail = function.signature
    shown = [one.expression for one in function.examples if one.shown][:2]
    told = [f"{function.summary[:1].upper()}{function.summary[1:]}.".replace("..", ".")]
    told += [*function.notes, *(f"`{one}`" for one in shown)]
    item.documentation = _markdown("\n\n".join(told))


def _tell_code(analysis: Analysis, name: str, item: types.CompletionItem) -> None:
    from ..codes import CODES

    found = CODES.get(name)
    if found is not None:
        item.documentation = _markdown(found.text)


def _tell_name(analysis: Analysis, name: str, item: types.CompletionItem) -> None:
    value = value_of(analysis, name)
    if value:
        item.detail = f"{item.detail} = {value}" if item.detail else f"= {value}"


def value_of(analysis: Analysis, name: str) -> str:
    """What a name is worth in the last render, in one line; empty if that is not known.

    A secret, and what is made of one, has a mask.
    """
    computed = analysis.computed
    openers = openers_of(analysis.dialect)
    if computed is None or not openers:
        return ""
    found = computed.ask(lambda: _worth(computed.level, name, openers[0]))
    return found or ""


def _worth(level: Level, name: str, delimiters: tuple[str, str]) -> str:
    language, base = level.language, level.base
    opener, closer = delimiters
    text = f"{opener}{name}{closer}"
    try:
        segments = language.split(text)
    except LanguageError:
        return ""
    if not segments.substitutions:
        return ""
    value = level.traced((), Template(segments, text, base.trail, base.start, base.end)).value
    if value is ABSENT:
        return ""
    status = status_of(value)
    path = _path_of(name)
    if status == SECRET or (path and level.is_secret(level.full(path))):
        return MASK
    return one_line(plain_value(value, language, MASK)) if status == KNOWN else ""


_TOLD: Final[dict[str, Callable[[Analysis, str, types.CompletionItem], None]]] = {
    "function": _tell_function,
    "code": _tell_code,
    "name": _tell_name,
}

FEATURES: Final = (
    Feature(
        types.TEXT_DOCUMENT_COMPLETION,
        completed,
        types.CompletionOptions(
            trigger_characters=[*".$ {[(\"':/"], resolve_provider=True, work_done_progress=False
        ),
        after="nothing",
    ),
    Feature(types.COMPLETION_ITEM_RESOLVE, resolved, after="nothing"),
)
