"""The reader of expressions: text in, a tree out, in one pass (docs/adr/0027).

What is no literal and no reference is a call of a form in `forms.py`. As in the engine, words such
as `true`, `nil`, `auto` and `merge` are taken from the start of longer names, too.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ....functions.regexes import compile_regex
from ...language.errors import CLOSED_QUOTE, LanguageError, Misplaced
from ...values.expression import Argument, Call, Expression, Literal, Path, Reference
from . import forms

_S: Final = r"[ \t\r\n]"
_NAME: Final = "[a-zA-Z0-9_]++"
_PART: Final = "[a-zA-Z0-9_][a-zA-Z0-9_-]*+"
_KEY: Final = f"{_PART}(?::{_PART})?+"
_STEP: Final = rf"(?:\.{_KEY}|\.?\[-?[0-9]++\])"
_WORD: Final = "[a-zA-Z_][a-zA-Z0-9_]*+"
_TAG: Final = rf"(?:doc[.:]-?[0-9]++|{_WORD}(?:[.:]{_WORD})*+)"
_PATH: Final = rf"(?:{_TAG}::(?:\.|{_KEY})|\.?{_KEY}){_STEP}*+"
_OPERATORS: Final = "|".join(  # the longer ones first
    map(re.escape, sorted(forms.BINARY - {forms.CONCATENATED}, key=lambda one: (-len(one), one)))
)
_ENDS: Final = rf"[?:,)\]}}=]|\.\.|\Z|(?:{_OPERATORS}){_S}"
_ON: Final = rf"on{_S}++{_NAME}"

_BLANK: Final = compile_regex(f"{_S}*+")
_PRIMARY: Final = compile_regex(
    r"(?P<literal>[0-9]++\.[0-9]++\.[0-9]++\.[0-9]++"
    r'|"(?:\\"|[^"])*+"'
    r"|-?[0-9][0-9_]*+(?:\.[0-9]++)?+(?:[eE]-?[0-9]++)?+(?!::)"
    rf"|true|false|~~|nil|~|\${_NAME})"
    rf"|merge(?!{_S}+required)(?P<how>(?:{_S}+(?:replace|{_ON}))?+){_S}+(?P<merged>{_PATH})"
    rf"|merge(?!\()(?P<merge>(?:{_S}+(?:replace|required|{_ON}))?+)"
    r"|(?P<auto>auto)"
    rf"|(?P<keyword>lambda)(?:{_S}++(?!{_ENDS})|(?={_S}*+\|(?!\|{_S})))"
    r"|(?P<mapping>(?:map|select|filter)[\[{]|(?:sync|catch|sum)\[)"
    r"|(?P<bracket>\[)|(?P<pairs>\{)|(?P<group>\()"
    rf"|(?P<reference>{_PATH})"
    r"|(?P<top>\.(?=\.?\[))"
)
_MARKERS: Final = rf"&(?:template|temporary|local|inject|state|default|dynamic|tag:\*?{_TAG})"
_MARKED: Final = compile_regex(rf"{_S}*+({_MARKERS}(?:{_S}++{_MARKERS})*+){_S}*+")
_PREFER: Final = compile_regex(rf"{_S}*+prefer{_S}++(?!{_ENDS})")
_GLUE: Final = compile_regex(rf"{_S}++(?:({_OPERATORS}){_S}++)?+(?!{_ENDS}|\|)")
_CHOICE: Final = compile_regex(rf"{_S}*+\?")
_PREFIX: Final = compile_regex(rf"!{_S}*+|\*")
_PATH_STEPS: Final = compile_regex(f"{_STEP}++")
_PARAMETER: Final = compile_regex(f"{_S}*+({_NAME}){_S}*+")
_GIVEN: Final = compile_regex(f"{_S}*+({_NAME}){_S}*+=(?!=)")
_DOTS: Final = compile_regex(rf"\.\.\.{_S}*+(?=[],)|])")
_BODY: Final = compile_regex(rf"\|{_S}*+->")
_FUNCTION: Final = compile_regex(
    rf"{_S}*+\|(?:{_PARAMETER.pattern}(?:,{_PARAMETER.pattern})*+"
    rf"(?:=(?!=)|(?:\.\.\.{_S}*+)?+\|{_S}*+->)|{_S}*+\|{_S}*+->)"
)

_REFERENCE: Final = compile_regex(_PATH)
_INDEX: Final = compile_regex(r"\.?\[")
_STEPS: Final = compile_regex(rf"\[(-?[0-9]++)\]|({_KEY})")
_CONSTANTS: Final = {"true": True, "false": False, "nil": None, "~": None}
_NAMED: Final = {f"{name}[": name for name in (forms.SYNC, forms.CATCH, forms.SUM)}
_COMPLETE: Final = frozenset(("literal", "merge", "merged", "auto", "keyword"))
_BRANCHES: Final = compile_regex(rf"\?|->|lambda{_S}")
_MOST: Final = 1 << 63
_MOST_BRANCHES: Final = 64  # each may stand in the one before, without brackets to count


class _Stopped(Exception):
    """The text cannot be read on."""


def parse(text: str, offset: int = 0, shape: bool = False) -> Expression:
    """The tree of the text between the delimiters; `offset` is added to all positions.

    Raises:
        LanguageError: for the first thing that cannot be read.
    """
    if len(_BRANCHES.findall(text)) > _MOST_BRANCHES:
        summary = f"an expression may have {_MOST_BRANCHES} conditions and functions"
        hint = "put parts of it into keys of their own"
        raise LanguageError("limit_exceeded", summary, offset, offset + len(text), hint)
    reader = _Reader(text, offset)
    try:
        return reader.whole()
    except _Stopped:
        pass
    summary, start, end, advice = _brackets(text) or _at(text, reader.furthest)
    raise LanguageError("template_syntax", summary, start + offset, end + offset, advice)


def steps_of(text: str) -> Path:
    """The steps of a path such as `a.[0].b`."""
    return tuple([int(index) if index else key for index, key in _STEPS.findall(text)])


def _reference(text: str, start: int) -> Expression:
    tag, colons, path = text.rpartition("::")
    root, *steps = ("",) if path == "." else steps_of(path)
    if path[0] == "." and path != ".":
        steps, root = [root, *steps], ""
    found = Reference(str(root), tuple(steps), False, start, start + len(text))
    if not colons:
        return found
    return Call(forms.TAGGED, (Argument(Literal(tag)), Argument(found)), start, start + len(text))


class _Reader:
    """One expression, from left to right; `at` is where the rest begins.

    Operators are read as one flat list: with a method for each level of precedence, one pair of
    parentheses would recurse ten times. `furthest` is the last place where the text could not be
    read on.
    """

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.at = self.furthest = 0
        self.no_mappings: set[int] = set()

    # texts

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Past what a pattern matches here."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def sees(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def skip(self, token: str) -> bool:
        """Past a token, if it stands here."""
        found = self.text.startswith(token, self.at)
        if found:
            self.at += len(token)
        return found

    def demand(self, found: object) -> None:
        """Stops unless something was found."""
        if not found:
            self.furthest = max(self.furthest, self.at)
            raise _Stopped

    # trees

    def call(self, name: str, parts: list[Any], start: int) -> Call:
        """A call of a form from an offset in the text to where the rest begins."""
        arguments = [
            part if part.__class__ is Argument else Argument(part, None, part.start, part.end)
            for part in parts
        ]
        return Call(name, tuple(arguments), start + self.offset, self.at + self.offset)

    def after(self, name: str, first: Expression, *parts: Any) -> Call:
        """A call of a form that begins with its first argument."""
        return self.call(name, [first, *parts], first.start - self.offset)

    def nothing(self, name: str) -> Call:
        """A form for what is not written here."""
        return Call(name, (), self.at + self.offset, self.at + self.offset)

    def whole(self) -> Expression:
        """The whole text."""
        if self.take(_PREFER):
            tree: Expression = self.call(forms.PREFER, [self.expression()], 0)
        elif markers := self.take(_MARKED):
            parts: list[Any] = [Literal(" ".join(markers[1].split()))]
            start = self.at
            if self.skip("("):
                parts += [self.group(None, start), Literal(self.text[start : self.at])]
            self.take(_BLANK)
            tree = self.call(forms.MARKED, parts, 0)
        else:
            tree = self.expression()
        self.demand(self.at == len(self.text))
        return tree

    def expression(self) -> Expression:
        """An expression with the space around it."""
        self.take(_BLANK)
        if self.sees("|"):
            tree: Expression = self.function()
        elif self.sees("("):
            tree = self.scoped()
        else:
            tree = self.flat()
        self.take(_BLANK)
        return tree

    def scoped(self) -> Expression:
        """What begins with `(`: a scope with its expression, or an ordinary expression."""
        start = self.at
        self.at += 1
        self.take(_BLANK)
        parts: list[Any] = []
        if not self.sees(")"):
            first = self.expression()
            if not self.sees("="):
                self.demand(self.skip(")"))
                return self.flat(self.tails(self.call(forms.GROUP, [first], start)))
            parts = self.assignments(first)
        self.demand(self.skip(")"))
        return self.call(forms.SCOPE, [*parts, self.expression()], start)

    def assignments(self, first: Expression) -> list[Any]:
        """Keys and values by turns."""
        parts = [first]
        while True:
            self.demand(self.skip("="))
            parts.append(self.expression())
            if not self.skip(","):
                return parts
            parts.append(self.expression())

    def flat(self, first: Expression | None = None) -> Expression:
        """Operands with operators between them, and the branches that they decide."""
        operands, operators = [first or self.operand()], []
        while glue := self.take(_GLUE):
            operators.append(glue[1] or forms.CONCATENATED)
            operands.append(self.operand())
        if self.take(_CHOICE):
            ends = [at for at, name in enumerate(operators) if name in forms.LOOSEST]
            cut = ends[-1] + 1 if ends else 0
            condition = _chain(operands[cut:], operators[cut:])
            yes = self.expression()
            self.demand(self.skip(":"))
            operands[cut:] = [self.after(forms.CHOICE, condition, yes, self.expression())]
            del operators[cut:]
        return _chain(operands, operators)

    def operand(self) -> Expression:
        """One operand with its signs."""
        prefixes = []
        while prefix := self.take(_PREFIX):
            prefixes.append(prefix)
        found = _PRIMARY.match(self.text, self.at)
        self.demand(found)
        assert found is not None
        start, self.at = self.at, found.end()
        kind = str(found.lastgroup)
        made: Expression = getattr(self, kind)(found, start)
        if kind not in _COMPLETE:
            made = self.tails(made)
        if len(prefixes) > _MOST_BRANCHES:
            summary = f"an operand may have {_MOST_BRANCHES} signs"
            raise LanguageError("limit_exceeded", summary, made.start, made.end)
        for prefix in reversed(prefixes):
            name = forms.NOT if prefix[0][0] == "!" else forms.SUBSTITUTED
            made = self.call(name, [made], prefix.start())
        return made

    # operands, each by the method with the name of its group in `_PRIMARY`

    def literal(self, found: re.Match[str], start: int) -> Expression:
        text, begin, end = found[0], start + self.offset, self.at + self.offset
        if text == "~~":
            return Call(forms.UNDEFINED, (), begin, end)
        value: Any
        if text in _CONSTANTS:
            value = _CONSTANTS[text]
        elif text[0] == '"':
            value = _string(text, begin, end)
        elif text[0] == "$":
            value = text[1:]
        elif text.count(".") == 3:
            value = text
        else:
            value = _number(text, begin, end)
        return Literal(value, begin, end)

    def merge(self, found: re.Match[str], start: int) -> Expression:
        return self.call(forms.MERGE, [Literal(" ".join(found["merge"].split()))], start)

    def merged(self, found: re.Match[str], start: int) -> Expression:
        path = _reference(found["merged"], found.start("merged") + self.offset)
        return self.call(forms.MERGE, [Literal(" ".join(found["how"].split())), path], start)

    def auto(self, found: re.Match[str], start: int) -> Expression:
        return self.call(forms.AUTO, [], start)

    def keyword(self, found: re.Match[str], start: int) -> Expression:
        made = self.expression()
        if isinstance(made, Call) and made.function == forms.LAMBDA:
            return made
        return self.call(forms.LAMBDA_OF, [made], start)

    def reference(self, found: re.Match[str], start: int) -> Expression:
        return _reference(found[0], start + self.offset)

    def mapping(self, found: re.Match[str], start: int) -> Expression:
        """A mapping, or a reference with such a name and an index; each is tried once."""
        if start not in self.no_mappings:
            try:
                return self.mapped(found[0], start)
            except _Stopped:
                self.no_mappings.add(start)
        named = _REFERENCE.match(self.text, start)
        assert named is not None
        self.at = named.end()
        return self.reference(named, start)

    def mapped(self, name: str, start: int) -> Expression:
        self.take(_BLANK)
        parts: list[Any] = [self.flat()]
        if name == "sum[":
            self.demand(self.skip("|"))
            self.take(_BLANK)
            parts.append(self.flat())
        parts.append(self.arm())
        if name == "sync[":
            if self.skip(","):
                parts.append(self.expression())
            while len(parts) < 5 and not self.sees("]"):
                parts.append(self.arm())
        self.demand(self.skip("]") or (name in forms.MAPPINGS and self.skip("}")))
        return self.call(_NAMED.get(name, name), parts, start)

    def arm(self) -> Expression:
        if _FUNCTION.match(self.text, self.at):
            return self.function()
        self.demand(self.skip("|"))
        return self.expression()

    def function(self) -> Expression:
        """A lambda: its body, and a `Literal` of its names; `Argument.name` of those with more."""
        start = self.at
        self.take(_BLANK)
        self.demand(self.skip("|"))
        given: list[Any] = []
        defaults = False
        name = self.take(_PARAMETER)
        while name:
            value: Expression = Call(forms.NEVER)
            defaults = defaults or self.sees("=")
            if defaults:
                self.demand(self.skip("="))
                value = self.expression()
            begin, end = (at + self.offset for at in name.span())
            given.append(Argument(value, name[1], begin, end))
            if not self.skip(","):
                break
            name = self.take(_PARAMETER)
            self.demand(name)
        if given and self.take(_DOTS):
            given.append(Call(forms.EXPANDED))
        self.take(_BLANK)
        self.demand(self.take(_BODY))
        return self.call(forms.LAMBDA, [self.expression(), *given], start)

    def group(self, _: object, start: int) -> Call:
        made = self.expression()
        self.demand(self.skip(")"))
        return self.call(forms.GROUP, [made], start)

    def pairs(self, found: re.Match[str], start: int) -> Expression:
        self.take(_BLANK)
        parts = [] if self.sees("}") else self.assignments(self.expression())
        self.demand(self.skip("}"))
        return self.call(forms.MAP, parts, start)

    def bracket(self, _: object, start: int) -> Call:
        """A list or a range."""
        self.take(_BLANK)
        items: list[Any] = []
        if not (self.sees("]") or self.sees("..")):
            items = self.items()
        if len(items) > 1 or not self.skip(".."):
            self.demand(self.skip("]"))
            return self.call(forms.LIST, items, start)
        first = items[0] if items else self.nothing(forms.NEVER)
        self.take(_BLANK)
        last = self.nothing(forms.NEVER) if self.sees("]") else self.expression()
        self.demand(self.skip("]"))
        return self.call(forms.RANGE, [first, last], start)

    def top(self, found: re.Match[str], start: int) -> Expression:
        root = Reference("", (), False, start + self.offset, start + self.offset + 1)
        made = self.indexed(root)
        self.demand(made.function == forms.INDEX)
        return made

    # what follows an operand

    def tails(self, made: Expression) -> Expression:
        """Calls, steps and indexes behind an operand."""
        while True:
            start = self.at
            if self.skip("("):
                made = self.after(forms.CALL, made, *self.arguments())
            elif self.skip("*("):
                made = self.after(forms.CURRY, made, *self.arguments())
            elif steps := self.take(_PATH_STEPS):
                path = Literal(steps_of(steps[0]), start + self.offset, 0)
                made = self.after(forms.FIELD, made, path)
            elif _INDEX.match(self.text, start):
                made = self.indexed(made)
            else:
                return made

    def indexed(self, made: Expression) -> Call:
        """An index, a slice or a projection of an operand; a dot may stand in front."""
        start = self.at
        self.skip(".")
        bracket = self.at
        self.demand(self.skip("["))
        if self.skip("*]"):
            item = self.nothing(forms.ITEM)
            return self.after(forms.PROJECTED, made, self.tails(item))
        found = self.bracket(None, bracket)
        if found.function == forms.RANGE:
            made = self.after(forms.SLICE, made, found)
            return self.after(forms.PROJECTED, made, self.tails(self.nothing(forms.ITEM)))
        self.demand(found.arguments)
        return self.after(forms.INDEX, made, self.call(forms.LIST, [*found.arguments], start))

    def items(self) -> list[Any]:
        """Expressions with commas between them."""
        made: list[Any] = []
        while True:
            start = self.at
            item = self.expression()
            made.append(self.call(forms.EXPANDED, [item], start) if self.take(_DOTS) else item)
            if not self.skip(","):
                return made

    def arguments(self) -> list[Any]:
        """The arguments of a call, those with names first."""
        made: list[Any] = []
        start = self.at
        while name := self.take(_GIVEN):
            value = self.expression()
            made.append(Argument(value, name[1], start + self.offset, self.at + self.offset))
            if not self.skip(","):
                self.demand(self.skip(")"))
                return made
            start = self.at
        self.take(_BLANK)
        if made or not self.sees(")"):
            made += self.items()
        self.demand(self.skip(")"))
        return made


def _chain(operands: list[Expression], operators: list[str]) -> Expression:
    """One tree of operands with binary operators between them, by their precedence."""
    if not operators:
        return operands[0]
    for level in (*forms.LEVELS, forms.LOOSEST):
        kept, left = [operands[0]], []
        for name, right in zip(operators, operands[1:], strict=True):
            if name in level:
                parts = (kept[-1], right)
                made = tuple([Argument(one, None, one.start, one.end) for one in parts])
                kept[-1] = Call(name, made, parts[0].start, right.end)
            else:
                left.append(name)
                kept.append(right)
        operands, operators = kept, left
        if not operators:
            break
    return operands[0]


def _string(text: str, start: int, end: int) -> str:
    try:
        value: str = json.loads(text)
    except ValueError as error:
        at = start + getattr(error, "pos", 0)
        hint = 'strings have the escapes of JSON: `\\n`, `\\t`, `\\"`, `\\\\`, `\\u00e9`'
        summary = "the string is not valid"
        raise LanguageError("template_syntax", summary, at, end, hint) from None
    return value


def _number(text: str, start: int, end: int) -> int | float:
    plain = text.replace("_", "")
    value: int | float
    if plain.lstrip("-").isdigit():
        value = int(plain) if len(plain) < 24 else _MOST
        fits = -_MOST <= value < _MOST
    else:
        value = float(plain)
        fits = value - value == 0
    if not fits:
        kind = "64 bits" if isinstance(value, int) else "a float"
        summary = f"the number is too large for {kind}"
        raise LanguageError("template_syntax", summary, start, end)
    return value


# mistakes: where the reader stopped, and what is meant there

_TOKEN: Final = compile_regex(r'"(?:\\"|[^"])*+"|[()\[\]{}"]')
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_AT: Final = (
    (r"(?<=[^\s])[-+*/%<>=]|[-+*/%<>=]++(?=\S)", "operators need a space on both sides"),
    (r"&&|\band\b", "write `-and`"),
    (r"\|\||\bor\b", "write `||` for a default, `-or` for a condition"),
    (r"\.\s", "a path holds no spaces"),
    (r"[^\x00-\x7f]", "names have ASCII letters, digits, `_` and `-` only"),
    (r"(?:(?<=,)|(?<=, ))[)\]}]", "no comma may stand at the end"),
)
_KEYWORD: Final = compile_regex(r"(?<![\w.\"-])(?:true|false|nil|auto|merge)(?=[\w-])")


def _brackets(text: str) -> Misplaced | None:
    opened: list[tuple[str, int]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        start, end = match.span()
        if token == '"':
            return "a string is not closed", start, end, CLOSED_QUOTE
        if token in "([{":
            opened.append((token, start))
        elif token in _PAIRS:
            if not opened or opened[-1][0] != _PAIRS[token]:
                return f"`{token}` is not expected here", start, end, None
            opened.pop()
    if opened:
        token, start = opened[-1]
        return f"`{token}` is not closed", start, start + 1, None
    return None


def _at(text: str, position: int) -> Misplaced:
    size = len(text.rstrip())
    if not size:
        return "the expression is empty", 0, max(len(text), 1), "write `(( ~ ))` for null"
    word = _KEYWORD.search(text)
    if word is not None and word.start() <= position:
        hint = f'the engine takes the word out of longer names; write `.["{word.group()}.."]`'
        return f"no name may begin with `{word.group()}`", word.start(), word.end(), hint
    if position >= size and "?" in text:
        hint = "a condition has two branches: `c ? a :b`"
        return "the expression ends too early", size - 1, size, hint
    while position < size - 1 and text[position].isspace():
        position += 1
    start = min(position, size - 1)
    advice = next((hint for look, hint in _AT if re.compile(look).match(text, start)), None)
    return "the expression cannot be parsed from here", start, size, advice
