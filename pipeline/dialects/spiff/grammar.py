"""The grammar of expressions, and the trees that it makes.

Operators are one flat list: with a rule for each level of precedence, the parser would recurse ten
times for one pair of parentheses. `_Builder.chain` applies the precedence. As in the engine, words
such as `true`, `nil`, `auto` and `merge` are taken from the start of longer names, too.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from ...language.errors import LanguageError
from ...values.expression import Argument, Call, Expression, Literal, Path, Reference
from . import forms

_S = r"[ \t\r\n]"
_NAME = "[a-zA-Z0-9_]++"
_PART = "[a-zA-Z0-9_][a-zA-Z0-9_-]*+"
_KEY = f"{_PART}(?::{_PART})?+"
_STEP = rf"(?:\.{_KEY}|\.?\[-?[0-9]++\])"
_WORD = "[a-zA-Z_][a-zA-Z0-9_]*+"
_TAG = rf"(?:doc[.:]-?[0-9]++|{_WORD}(?:[.:]{_WORD})*+)"
_NUMBER = r"-?[0-9][0-9_]*+(?:\.[0-9]++)?+(?:[eE]-?[0-9]++)?+(?!::)"
_OPERATORS = "|".join(
    re.escape(name) for name in sorted(forms.BINARY - {forms.CONCATENATED}, key=len, reverse=True)
)
_HOW = rf"(?:{_S}+(?:replace|on{_S}+{_NAME}))?+"

_RULES: Final = {
    "literal": r"[0-9]++\.[0-9]++\.[0-9]++\.[0-9]++"
    rf'|"(?:\\"|[^"])*+"|{_NUMBER}|true|false|~~|nil|~|\${_NAME}',
    "reference": rf"(?:{_TAG}::(?:\.|{_KEY})|\.?{_KEY}){_STEP}*+",
    "steps": rf"{_STEP}++",
    "reference_of_merge": rf"merge(?!{_S}+required){_HOW}{_S}+(?=[a-zA-Z0-9_.])",
    "merge": rf"merge(?!\()(?:{_S}+(?:replace|required|on{_S}+{_NAME}))?+",
    "auto": "auto",
    "marker": rf"&(?:template|temporary|local|inject|state|default|dynamic|tag:\*?{_TAG})",
    "glue": rf"{_S}+(?:(?:{_OPERATORS}){_S}+)?+",
    "prefix": rf"!{_S}*+|\*",
    "mapping": r"(?:map|select|filter)[\[{]",
    "name": f"{_S}*+{_NAME}{_S}*+",
    "given": f"{_S}*+{_NAME}{_S}*+=",
    "sp": f"{_S}++",
    "ws": f"{_S}*+",
    "dots": r"\.\.\." + f"{_S}*+",
}

GRAMMAR: Final = r"""
whole      = prefer / marked / expression
prefer     = ws "prefer" sp expression
marked     = ws marker (sp marker)* ws group? ws
expression = ws (scoped / function / flat) ws
scoped     = scope expression
scope      = "(" (assignments / ws) ")"
flat       = chain (ws "?" expression ":" expression)?
chain      = operand (glue operand)*
operand    = prefix* primary
primary    = literal / ref_merge / merge / auto / keyword / chained
ref_merge  = reference_of_merge reference
keyword    = "lambda" (after / function)
after      = sp expression
chained    = head tail*
head       = mapped / sync / catch / sum / list / map / range / group / reference / top
tail       = call / curry / steps / index / projected
mapped     = mapping ws flat arm ~"[]}]"
sync       = "sync[" ws flat arm ("," expression)? arm? arm? "]"
catch      = "catch[" ws flat arm "]"
sum        = "sum[" ws flat "|" ws flat arm "]"
arm        = function / ("|" expression)
function   = ws "|" (params / ws) "|" ws "->" expression
params     = name ("," name)* default? ("," name default)* dots?
default    = "=" expression
list       = "[" (items / ws) "]"
items      = item ("," item)*
item       = expression dots?
range      = "[" (expression / ws) ".." (expression / ws) "]"
map        = "{" (assignments / ws) "}"
assignments = assignment ("," assignment)*
assignment = expression "=" expression
group      = "(" expression ")"
top        = "." index
index      = "."? "[" items "]"
call       = "(" (arguments / ws) ")"
arguments  = (named ("," named)* ("," items)?) / items
named      = given expression
curry      = "*" call
projected  = "."? ("[*]" / range) tail*
""" + "".join(f"{name} = ~{pattern!r}\n" for name, pattern in _RULES.items())

_PLAIN: Final = re.compile(
    rf"{_S}*+(?!true|false|nil|auto|merge|lambda|prefer|[0-9])(\.?{_KEY}{_STEP}*+){_S}*+"
)
_QUOTED: Final = re.compile(rf'{_S}*+("(?:\\"|[^"])*+"){_S}*+')
_STEPS: Final = re.compile(rf"\[(-?[0-9]++)\]|({_KEY})")
_CONSTANTS: Final = {"true": True, "false": False, "nil": None, "~": None}
_MOST: Final = 1 << 63
_MOST_BRANCHES: Final = 64  # each may stand in the one before, without brackets to count


@cache
def _grammar() -> Any:
    from parsimonious.grammar import Grammar

    return Grammar(GRAMMAR)


def parse(text: str, offset: int = 0, shape: bool = False) -> Expression:
    """The tree of the text between the delimiters; `offset` is added to all positions.

    Raises:
        LanguageError: at the first position that does not match the grammar.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return _reference(plain[1], plain.start(1) + offset)
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        start, end = quoted.start(1) + offset, quoted.end(1) + offset
        return Literal(_string(quoted[1], start, end), start, end)
    if text.count("?") + text.count("->") > _MOST_BRANCHES:
        summary = f"an expression may have {_MOST_BRANCHES} conditions and functions"
        hint = "put parts of it into keys of their own"
        raise LanguageError("limit_exceeded", summary, offset, offset + len(text), hint)
    from parsimonious.exceptions import ParseError

    stopped = -1
    try:
        tree = _grammar().parse(text)
    except ParseError as error:  # which holds all that was tried, so nothing is raised here
        stopped = error.pos
    if stopped >= 0:
        from .syntax_errors import explain

        raise explain(text, stopped, offset)
    return _Builder(offset).build(tree.children[0])


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


_PARTS: Final[dict[str, tuple[str, tuple[int, ...]]]] = {
    "prefer": (forms.PREFER, (3,)),
    "group": (forms.GROUP, (1,)),
    "mapped": ("", (2, 3)),  # a form with the name of its first token
    "catch": (forms.CATCH, (2, 3)),
    "sum": (forms.SUM, (2, 5, 6)),
}
"""Rules that make a call of a form, and the children that are its arguments."""


class _Builder:
    """Turns parse nodes into expressions, each by the method with the name of its rule."""

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def build(self, node: Any) -> Expression:
        form, places = _PARTS.get(node.expr_name, ("", ()))
        if places:
            parts = [self.build(node.children[place]) for place in places]
            return self.call(form or node.children[0].text, parts, node)
        made: Expression = getattr(self, node.expr_name)(node)
        return made

    def call(self, name: str, parts: list[Any], node: Any, start: int | None = None) -> Call:
        """A call of a form, of nodes or trees, that ends with `node`."""
        arguments = [
            part if isinstance(part, Argument) else Argument(part, None, part.start, part.end)
            for part in parts
        ]
        begin = self.offset + node.start if start is None else start
        return Call(name, tuple(arguments), begin, self.offset + node.end)

    def marked(self, node: Any) -> Expression:
        _, first, others, _, group, _ = node.children
        names = [first.text, *(one.children[1].text for one in others.children)]
        parts: list[Any] = [Literal(" ".join(names))]
        if group.children:
            parts += [self.build(group.children[0]), Literal(group.text)]
        return self.call(forms.MARKED, parts, node)

    def expression(self, node: Any) -> Expression:
        return self.build(node.children[1].children[0])

    def scoped(self, node: Any) -> Expression:
        scope, body = node.children
        return self.call(
            forms.SCOPE, [*self.assignments(scope.children[1]), self.expression(body)], node
        )

    def assignments(self, node: Any) -> list[Any]:
        """Keys and values by turns; none for a space."""
        chosen = node.children[0]
        if chosen.expr_name != "assignments":
            return []
        first, rest = chosen.children
        every = [first, *(one.children[1] for one in rest.children)]
        return [
            self.expression(side) for one in every for side in (one.children[0], one.children[2])
        ]

    def flat(self, node: Any) -> Expression:
        chain, choice = node.children
        operands, operators = self.operands(chain)
        if choice.children:
            _, _, yes, _, no = choice.children[0].children
            ends = [at for at, name in enumerate(operators) if name in forms.LOOSEST]
            cut = ends[-1] + 1 if ends else 0
            condition = self.chain(operands[cut:], operators[cut:])
            branches = [condition, self.expression(yes), self.expression(no)]
            operands[cut:] = [self.call(forms.CHOICE, branches, node, condition.start)]
            del operators[cut:]
        return self.chain(operands, operators)

    def operands(self, node: Any) -> tuple[list[Expression], list[str]]:
        first, rest = node.children
        operands, operators = [self.operand(first)], []
        for pair in rest.children:
            glue, operand = pair.children
            operators.append(glue.text.strip() or forms.CONCATENATED)
            operands.append(self.operand(operand))
        return operands, operators

    def chain(self, operands: list[Expression], operators: list[str]) -> Expression:
        """One tree of operands with binary operators between them, by their precedence."""
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

    def operand(self, node: Any) -> Expression:
        prefixes, primary = node.children
        made = self.build(primary.children[0])
        if len(prefixes.children) > _MOST_BRANCHES:
            summary = f"an operand may have {_MOST_BRANCHES} signs"
            raise LanguageError("limit_exceeded", summary, made.start, made.end)
        for prefix in reversed(prefixes.children):
            name = forms.NOT if prefix.text[0] == "!" else forms.SUBSTITUTED
            made = self.call(name, [made], node, prefix.start + self.offset)
        return made

    def literal(self, node: Any) -> Expression:
        text, start, end = node.text, node.start + self.offset, node.end + self.offset
        if text == "~~":
            return Call(forms.UNDEFINED, (), start, end)
        value: Any
        if text in _CONSTANTS:
            value = _CONSTANTS[text]
        elif text[0] == '"':
            value = _string(text, start, end)
        elif text[0] == "$":
            value = text[1:]
        elif text.count(".") == 3:
            value = text
        else:
            value = _number(text, start, end)
        return Literal(value, start, end)

    def reference(self, node: Any) -> Expression:
        return _reference(node.text, node.start + self.offset)

    def ref_merge(self, node: Any) -> Expression:
        how, reference = node.children
        return self.call(forms.MERGE, [Literal(_how(how.text)), self.reference(reference)], node)

    def merge(self, node: Any) -> Expression:
        return self.call(forms.MERGE, [Literal(_how(node.text))], node)

    def auto(self, node: Any) -> Expression:
        return self.call(forms.AUTO, [], node)

    def keyword(self, node: Any) -> Expression:
        chosen = node.children[1].children[0]
        if chosen.expr_name == "function":
            return self.build(chosen)
        made = self.expression(chosen.children[1])
        if isinstance(made, Call) and made.function == forms.LAMBDA:
            return made
        return self.call(forms.LAMBDA_OF, [made], node)

    def chained(self, node: Any) -> Expression:
        head, tails = node.children
        return self.tails(self.build(head.children[0]), tails)

    def tails(self, made: Expression, tails: Any) -> Expression:
        for tail in tails.children:
            chosen = tail.children[0]
            match chosen.expr_name:
                case "call" | "curry":
                    curry = chosen.expr_name == "curry"
                    given = self.arguments(chosen.children[1] if curry else chosen)
                    name = forms.CURRY if curry else forms.CALL
                    made = self.call(name, [made, *given], chosen, made.start)
                case "steps":
                    path = Literal(steps_of(chosen.text), chosen.start + self.offset, 0)
                    made = self.call(forms.FIELD, [made, path], chosen, made.start)
                case "index":
                    made = self.call(forms.INDEX, [made, self.index(chosen)], chosen, made.start)
                case _:
                    made = self.projected(made, chosen)
        return made

    def index(self, node: Any) -> Expression:
        return self.call(forms.LIST, self.items(node.children[2]), node)

    def top(self, node: Any) -> Expression:
        start = node.start + self.offset
        root = Reference("", (), False, start, start + 1)
        return self.call(forms.INDEX, [root, self.index(node.children[1])], node)

    def projected(self, made: Expression, node: Any) -> Expression:
        _, chosen, tails = node.children
        what = chosen.children[0]
        if what.expr_name == "range":
            made = self.call(forms.SLICE, [made, self.range(what)], what, made.start)
        item = Call(forms.ITEM, (), node.start + self.offset, node.start + self.offset)
        return self.call(forms.PROJECTED, [made, self.tails(item, tails)], node, made.start)

    def arguments(self, node: Any) -> list[Any]:
        """The arguments of a call, those with names first."""
        chosen = node.children[1].children[0]
        if chosen.expr_name != "arguments":
            return []
        chosen = chosen.children[0]
        if chosen.expr_name == "items":
            return self.items(chosen)
        first, others, rest = chosen.children
        named = [first, *(one.children[1] for one in others.children)]
        made: list[Any] = [
            Argument(
                self.expression(one.children[1]),
                one.children[0].text.rstrip("=").strip(),
                one.start + self.offset,
                one.end + self.offset,
            )
            for one in named
        ]
        return made + (self.items(rest.children[0].children[1]) if rest.children else [])

    def items(self, node: Any) -> list[Any]:
        first, rest = node.children
        return [self.item(one) for one in (first, *(one.children[1] for one in rest.children))]

    def item(self, node: Any) -> Expression:
        expression, dots = node.children
        made = self.expression(expression)
        return self.call(forms.EXPANDED, [made], node) if dots.children else made

    def list(self, node: Any) -> Expression:
        inner = node.children[1].children[0]
        items = self.items(inner) if inner.expr_name == "items" else []
        return self.call(forms.LIST, items, node)

    def range(self, node: Any) -> Expression:
        ends = [node.children[at].children[0] for at in (1, 3)]
        parts = [
            self.expression(end)
            if end.expr_name == "expression"
            else Call(forms.NEVER, (), end.start + self.offset, end.start + self.offset)
            for end in ends
        ]
        return self.call(forms.RANGE, parts, node)

    def map(self, node: Any) -> Expression:
        return self.call(forms.MAP, self.assignments(node.children[1]), node)

    def arm(self, node: Any) -> Expression:
        chosen = node.children[0]
        return self.build(chosen) if chosen.expr_name else self.expression(chosen.children[1])

    def sync(self, node: Any) -> Expression:
        _, _, source, arm, then, *others, _ = node.children
        parts = [self.flat(source), self.arm(arm)]
        parts += [self.expression(one.children[1]) for one in then.children]
        parts += [self.arm(one) for other in others for one in other.children]
        return self.call(forms.SYNC, parts, node)

    def function(self, node: Any) -> Expression:
        """A lambda: its body, and a `Literal` of its names; `Argument.name` of those with more."""
        chosen = node.children[2].children[0]
        body = self.expression(node.children[6])
        parts: list[Any] = [body]
        if chosen.expr_name == "params":
            first, others, default, more, dots = chosen.children
            names = [first, *(one.children[1] for one in others.children)]
            defaults: list[Any] = [None] * (len(names) - 1) + [*(default.children or [None])]
            for one in more.children:
                names.append(one.children[1])
                defaults.append(one.children[2])
            for name, given in zip(names, defaults, strict=True):
                start, end = name.start + self.offset, name.end + self.offset
                value = self.expression(given.children[1]) if given is not None else None
                parts.append(Argument(value or Call(forms.NEVER), name.text.strip(), start, end))
            if dots.children:
                parts.append(Call(forms.EXPANDED))
        return self.call(forms.LAMBDA, parts, node)


def _how(text: str) -> str:
    """What a merge says between its word and its path: `replace`, `required`, `on NAME`."""
    return " ".join(text.split()[1:])


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
        summary = (
            f"the number is too large for {'64 bits' if isinstance(value, int) else 'a float'}"
        )
        raise LanguageError("template_syntax", summary, start, end)
    return value
