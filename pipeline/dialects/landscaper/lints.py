"""Lints: what works in templates, but hardly as it is meant.

Numbers of imports are floats in Go, which is what most of them are about.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ....functions.regexes import compile_regex
from ...engine.lints import OFF, Finding, Lint, Reading
from ...language.errors import IN_QUOTES
from ...values.diagnostics import NOTE, WARNING, meant, write_instead
from ...values.document import Document
from ...values.expression import Call, Expression, Literal, Reference, walk
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, text_at
from ..gotemplate import nodes as go
from ..gotemplate.nodes import Tree
from .blueprint import DATA, Execution
from .checking import ANY, Checked, GoText, SpiffText, strings
from .options import DEPLOY, EXPORT, IMPORT, SUBINSTALLATION

_NUMBERS: Final = ("integer", "number")
_A_NODE: Final = 4
_LARGE: Final = 1_000_000
_COMPARING: Final = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_PRINTING: Final = frozenset(("quote", "squote", "toString", "print", "println", "cat"))
_WANT_INTS: Final[Mapping[str, tuple[int, int]]] = {
    **dict.fromkeys(("until", "repeat", "indent", "nindent", "trunc", "abbrev", "wrap"), (0, 1)),
    **dict.fromkeys(("untilStep", "seq"), (0, 3)),
    "substr": (0, 2),
    "chunk": (0, 1),
    "index": (1, 9),
    "slice": (1, 3),
}
"""Functions that take Go's int alone, with the range of their arguments that are."""

_DATES: Final = {"date": 1, "dateInZone": 1, "date_in_zone": 1, "htmlDate": 0, "htmlDateInZone": 0}
_VERB: Final = compile_regex(r"%(?:%|[-+# 0]*(?:\d+)?(?:\.\d+)?([a-zA-Z]))")
_ON_INTS: Final = frozenset("dbcoOqxXUs")
_BOOLEAN_KEY: Final = compile_regex(r"^[ ]*(?:- )?(y|n|yes|no|on|off)[ ]*:(?=[ \n]|$)", re.M | re.I)
_KEY: Final = compile_regex(r"^[ ]+(?:- )?[\"']?([\w.-]+)[\"']?[ ]*:(?=[ \n]|$)", re.MULTILINE)
_ITEM: Final = compile_regex(r"^([ ]*)- name:[ ]*(\S.*)$", re.MULTILINE)
_TARGET: Final = compile_regex(r"\bimport:[ ]*[\"']?([\w.-]+)")
_NAME: Final = compile_regex(r"[\w.-]+")
_VALUE: Final = compile_regex(r"(?:^|\n)[ ]*(?:(?:- )*[^\s:{]+:|(?:- )*-)[ ]+\Z")
_STATE: Final = compile_regex(r"^state[ ]*:", re.MULTILINE)
_OPEN: Final = compile_regex(r"bindings:[ ]*\0|\n[ ]*\0[ ]*(?:\n|\Z)")
_MOST_KEY: Final = 200
_HOLE: Final = "\0"
_COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%", " "))
_TAKE_INTS: Final = frozenset(("join", "contains", "element", "index", "substr"))

_WARNINGS: Final = (
    "float_compared float_as_text float_as_int printf_verb default_of_false date_of_text "
    "has_of_float b64dec_error yaml_boolean_key spiff_float_operand concat_in_comparison "
    "import_unused import_unknown deploy_item_unknown dataobject_unknown undefined_template "
    "state_slot_shared"
)
_LEVELS: Final = {
    **dict.fromkeys(_WARNINGS.split(), WARNING),
    **dict.fromkeys(("unused_template", "unused_variable", "unreachable"), NOTE),
    "unquoted_interpolation": OFF,
}


def find(document: Document, reading: Reading) -> Iterator[Finding]:
    """What is remarkable in the templates of a blueprint."""
    root = reading.context.work.find(Checked)
    if root is None or document.source is not root.work.blueprint.source:
        return
    everything = [root]
    for checked in everything:
        everything += checked.inside
        imports = _Imports(checked)
        for text in checked.go:
            yield from _GoLints(text, imports).findings()
        for one in checked.spiff:
            yield from _spiff_findings(one, imports)
        yield from imports.findings()
        yield from _outcomes(checked)
        yield from _slots(checked)


LINTS: Final = (Lint(_LEVELS, find, lenient=True),)


def rendered(text: GoText) -> str:
    """The constant text of a template, with a mark for each action."""
    parts = []
    for node in text.trees():
        if isinstance(node, go.Text):
            parts.append(node.text)
        elif isinstance(node, go.Action):
            parts.append(_HOLE)
    return "".join(parts)


def bound_names(checked: Checked, execution: Execution) -> set[str]:
    """The imports that an import execution binds, with `ANY` where not all of them are written."""
    found: set[str] = set()
    for text in checked.go:
        if text.execution is execution:
            whole = rendered(text)
            found |= set(_KEY.findall(whole))
            found |= {ANY} if _OPEN.search(whole) else set()
    for one in checked.spiff:
        if one.execution is execution:
            bindings = one.root.get("bindings") if isinstance(one.root, Map) else None
            if isinstance(bindings, Map):
                found |= {ANY if key.startswith("<<") else key for key in bindings.items}
            elif bindings is not None:
                found.add(ANY)
    return found


def named_imports(text: GoText) -> set[str]:
    """Names in the constant text that may be those of imports: of targets, and of links."""
    pattern = _NAME if text.execution.phase == SUBINSTALLATION else _TARGET
    return set(pattern.findall(rendered(text)))


class _Imports:
    """The imports of a blueprint, what binds more of them, and their types."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.work = checked.work
        self.declared = {one.name: one for one in self.work.blueprint.all_imports()}
        self.bound: set[str] = set()
        self.open = False
        for execution in self.work.blueprint.executions.get(IMPORT, ()):
            names = bound_names(checked, execution)
            self.bound |= names
            self.open |= ANY in names

    def schema(self, path: tuple[str, ...]) -> Map | None:
        """The schema of what a path of the bindings leads to, as far as it is declared."""
        if len(path) < 2 or path[0] != "imports" or path[1] in self.bound:
            return None
        declared = self.declared.get(path[1])
        if declared is None or declared.kind != DATA or declared.schema is None:
            return None
        node: AnyNode | None = self.work.schemas.resolved(declared.schema)
        for step in path[2:]:
            fields = node.get("properties") if isinstance(node, Map) else None
            found = fields.get(step) if isinstance(fields, Map) else None
            if found is None and isinstance(node, Map) and (step == ANY or step.isdigit()):
                found = node.get("items") or node.get("additionalProperties")
            node = found
        return node if isinstance(node, Map) else None

    def type(self, paths: list[tuple[str, ...]]) -> str:
        """The type of what all of the paths lead to, empty where that is not declared."""
        found = {text_at(node, "type") for node in map(self.schema, paths)}
        return found.pop() if len(found) == 1 else ""

    def findings(self) -> Iterator[Finding]:
        """Imports that nothing declares, and those that nothing uses."""
        used: set[str] = set()
        everything = bool(self.checked.unread)
        self.open |= self.checked.lacks(IMPORT)
        for use in self.checked.uses():
            if not use.path or use.path in (("imports",), ("imports", ANY)):
                everything = True
            elif use.path[0] == "imports":
                name = use.path[1]
                used.add(name)
                if not (name in self.declared or name in self.bound or self.open):
                    yield self._unknown(name, use.place.span)
        if everything:
            return
        used |= self._named()
        for name, one in self.declared.items():
            if name not in used:
                summary = f"nothing uses the import `{name}`"
                yield Finding("import_unused", one.span, summary)

    def _unknown(self, name: str, span: Span) -> Finding:
        hint = meant(name, [*self.declared, *sorted(self.bound)])
        return Finding("import_unknown", span, f"nothing declares the import `{name}`", hint)

    def _named(self) -> set[str]:
        """The imports that are named without an expression: by targets and by links."""
        names: set[str] = set()
        for text in self.checked.go:
            names |= named_imports(text)
            names |= {
                node.value
                for node in text.trees()
                if isinstance(node, go.Literal) and isinstance(node.value, str)
            }
        for one in self.checked.spiff:
            names |= {str(node.value) for node in strings(one.root)}
            for _, tree in one.expressions:
                names |= {str(node.value) for node in walk(tree) if isinstance(node, Literal)}
        for sub in self.checked.subinstallations:
            names |= {link.ref for link in sub.imports}
        return names


_Found: TypeAlias = Iterator[tuple[str, Tree, str, str | None]]


class _GoLints:
    """The lints of one GoTemplate."""

    def __init__(self, text: GoText, imports: _Imports) -> None:
        self.text = text
        self.imports = imports
        self.origins = text.origins()

    def findings(self) -> Iterator[Finding]:
        """What is found, each at its place."""
        before = ""
        for node in self.text.trees():
            self.imports.work.context.meter.work(_A_NODE)
            found: _Found = iter(())
            if isinstance(node, go.Pipe):
                found = self._pipe(node)
            elif isinstance(node, go.Action):
                found = self._printed(node, _VALUE.search(before) is not None)
            elif isinstance(node, go.Block | go.Condition):
                found = _unreachable(node)
            elif isinstance(node, go.Insert) and node.name not in self.text.program.tree:
                found = iter([("undefined_template", node, f"no template `{node.name}`", None)])
            elif isinstance(node, go.Text):
                yield from self._keys(node)
            for code, part, summary, hint in found:
                yield Finding(code, self.text.place(part).span, summary, hint)
            if isinstance(node, go.Text | go.Action):
                before = node.text[-_MOST_KEY:] if isinstance(node, go.Text) else ""
        yield from self._unused()

    def kind(self, node: Tree) -> str:
        """The type of what an operand leads to, empty where that is not declared."""
        if isinstance(node, go.Pipe) and len(node.commands) == 1 and not node.names:
            return self.kind(node.commands[0])
        if isinstance(node, go.Command):
            first = node.operands[0]
            if isinstance(first, go.Called):
                indexes = first.name in ("index", "get") and len(node.operands) > 1
                return self.kind(node.operands[1]) if indexes else ""
            return self.kind(first) if len(node.operands) == 1 else ""
        paths = self.origins.get(node)
        return self.imports.type(paths) if paths else ""

    def _pipe(self, pipe: go.Pipe) -> _Found:
        before: Tree | None = None
        for command in pipe.commands:
            first, *rest = command.operands
            arguments = [*rest, *([before] if before is not None else [])]
            if isinstance(first, go.Called):
                yield from self._called(first, arguments)
            before = command

    def _called(self, called: go.Called, arguments: list[Tree]) -> _Found:
        name = called.name
        kinds = [self.kind(one) for one in arguments]
        if name in _COMPARING and any(kind in _NUMBERS for kind in kinds):
            for one in arguments:
                if isinstance(one, go.Literal) and type(one.value) is int:
                    summary = f"`{name}` fails: the import is a float, and `{one.written}` an int"
                    yield (
                        "float_compared",
                        one,
                        summary,
                        write_instead(one.written, f"{one.written}.0"),
                    )
        if name in _WANT_INTS:
            first, last = _WANT_INTS[name]
            for one, kind in zip(arguments[first:last], kinds[first:last], strict=False):
                if kind in _NUMBERS:
                    summary = f"`{name}` takes an int, and numbers of imports are floats"
                    yield "float_as_int", one, summary, _INT
        if name == "printf" and arguments and isinstance(arguments[0], go.Literal):
            yield from self._verbs(arguments, kinds)
        literal = [one.value if isinstance(one, go.Literal) else None for one in arguments]
        if name == "default" and literal[:1] == [True] and kinds[-1:] == ["boolean"]:
            summary = "`default true` turns false into true"
            yield "default_of_false", called, summary, "give the import a default of its own"
        at = _DATES.get(name, 9)
        if at < len(arguments) and (isinstance(literal[at], str) or kinds[at] == "string"):
            summary = f"`{name}` of a string formats the present time"
            yield "date_of_text", arguments[at], summary, "read it by `toDate` first"
        has = name == "has" and len(arguments) > 1 and type(literal[0]) is int
        listed = self.origins.get(arguments[1], ()) if has else ()
        if self.imports.type([(*path, ANY) for path in listed]) in _NUMBERS:
            summary = "`has` finds no int among the numbers of an import, which are floats"
            yield (
                "has_of_float",
                arguments[0],
                summary,
                write_instead(f"{literal[0]}", f"{literal[0]}.0"),
            )
        text = literal[0] if name == "b64dec" and literal else None
        if isinstance(text, str) and not _is_base64(text):
            summary = "`b64dec` gives the text of an error for this"
            yield "b64dec_error", arguments[0], summary, None

    def _verbs(self, arguments: list[Tree], kinds: list[str]) -> _Found:
        form = getattr(arguments[0], "value", None)
        verbs = [one for one in _VERB.findall(form) if one] if isinstance(form, str) else []
        for verb, one, kind in zip(verbs, arguments[1:], kinds[1:], strict=False):
            if kind in _NUMBERS and verb in _ON_INTS:
                summary = f"`%{verb}` of a float prints a mark, and numbers of imports are floats"
                hint = "`toString` makes a string of it" if verb == "s" else _INT
                yield "printf_verb", one, summary, hint

    def _printed(self, action: go.Action, is_value: bool) -> _Found:
        """Large numbers, and with `is_value` strings that begin a value of YAML."""
        pipe = action.pipe
        if pipe.names or not pipe.commands:
            return
        last = pipe.commands[-1]
        called = isinstance(last.operands[0], go.Called)
        shown: list[Tree] = [last]
        if called and getattr(last.operands[0], "name", "") in _PRINTING:
            shown = [*last.operands[1:], *pipe.commands[-2:-1]]
        elif called and getattr(last.operands[0], "name", "") not in ("index", "get"):
            return
        for one in shown:
            if self.kind(one) == "integer" and self._is_large(one):
                summary = "an import of 1000000 or more is printed as `1e+06`"
                yield "float_as_text", one, summary, "print it by `int` or `toJson`"
            elif is_value and one is last and self.kind(one) == "string":
                summary = "YAML may read the text of this import as something else"
                yield "unquoted_interpolation", one, summary, "add `| quote` or `| toJson`"

    def _is_large(self, node: Tree) -> bool:
        for one in node.inside():
            for path in self.origins.get(one, ()):
                schema = self.imports.schema(path)
                for name in ("maximum", "exclusiveMaximum", "enum"):
                    bound = schema.get(name) if schema is not None else None
                    if bound is not None and getattr(bound, "value", 0) < _LARGE:
                        return False
        return True

    def _keys(self, text: go.Text) -> Iterator[Finding]:
        for match in _BOOLEAN_KEY.finditer(text.text):
            if match.start() or text.start == 0:
                start = text.start + match.start(1)
                span = self.text.program.text.span(start, start + len(match[1]))
                made = "true" if match[1].lower() in ("y", "yes", "on") else "false"
                summary = f"the key `{match[1]}` is read as `{made}`"
                yield Finding("yaml_boolean_key", span, summary, IN_QUOTES)

    def _unused(self) -> Iterator[Finding]:
        """Templates and variables that nothing uses."""
        blocks: dict[str, Tree] = {**self.text.program.tree}
        declared: dict[str, Tree] = {}
        named: set[Tree] = set()
        used = {"execution"}
        for node in self.text.trees():
            if isinstance(node, go.Pipe):
                named.update(node.names)
                if len(node.names) == 1:
                    declared.setdefault(node.names[0].name, node.names[0])
            elif isinstance(node, go.Insert | go.Variable) and node not in named:
                used.add(node.name)
        for what, found in (("template", blocks), ("variable", declared)):
            for name, place in found.items():
                if name not in used and not name.startswith("$_"):
                    summary = f"nothing uses the {what} `{name}`"
                    yield Finding(f"unused_{what}", self.text.place(place).span, summary)


def _unreachable(node: go.Block | go.Condition) -> _Found:
    """What follows the end of a turn or of the template, and what a constant condition leaves."""
    dead: list[Tree] = []
    if isinstance(node, go.Block):
        ends = [number for number, one in enumerate(node.nodes) if _ends(one)]
        after = node.nodes[ends[0] + 1 :] if ends else []
        dead += [one for one in after if not isinstance(one, go.Text) or one.text.strip()][:1]
    else:
        taken = False
        for pipe, block in node.branches:
            value = _constant(pipe)
            dead += block.nodes[:1] if taken or value is False else []
            taken |= value is True
        dead += node.otherwise.nodes[:1] if taken and node.otherwise is not None else []
    for one in dead:
        yield "unreachable", one, "this is never reached", None


def _ends(node: Tree) -> bool:
    """True for `break`, `continue` and `fail`."""
    called = node.pipe.commands[-1:] if isinstance(node, go.Action) else []
    names = [getattr(one.operands[0], "name", "") for one in called]
    return isinstance(node, go.Leave) or names == ["fail"]


def _constant(pipe: go.Pipe) -> bool | None:
    """The truth of a condition that is a constant."""
    operands = pipe.commands[0].operands if len(pipe.commands) == 1 else []
    only = operands[0] if len(operands) == 1 else None
    return bool(only.value) if isinstance(only, go.Literal) else None


_INT: Final = "wrap it in `(int ..)`"


def _is_base64(text: str) -> bool:
    try:
        b64decode(text, validate=True)
    except ValueError:
        return False
    return True


# Spiff


def _spiff_findings(text: SpiffText, imports: _Imports) -> Iterator[Finding]:
    own = text.root.items if isinstance(text.root, Map) else {}
    for scalar, tree in text.expressions:
        for node in walk(tree):
            imports.work.context.meter.work(_A_NODE)
            if not isinstance(node, Call):
                continue
            operands = [one.value for one in node.arguments]
            if node.function == " ":
                for one in operands:
                    if isinstance(one, Call) and one.function in _COMPARISONS:
                        summary = "the comparison is made before the texts are joined"
                        span = text.place(scalar, node).span
                        yield Finding("concat_in_comparison", span, summary, "use parentheses")
            name = node.function
            if name == "()" and isinstance(operands[0], Reference):
                name, operands = operands[0].root, operands[1:]
            if name in _COMPARISONS | _ARITHMETIC | _TAKE_INTS:
                for one in operands:
                    if _is_float(one, imports, own):
                        summary = "the number of an import is a float, which fails here"
                        if name in _COMPARISONS:
                            summary = "the number of an import is a float, so this is never true"
                        span = text.place(scalar, one).span
                        yield Finding("spiff_float_operand", span, summary, "use `integer(..)`")


def _is_float(tree: Expression, imports: _Imports, own: Mapping[str, Any]) -> bool:
    if not isinstance(tree, Reference) or tree.root in own:
        return False
    return imports.type([(tree.root, *map(str, tree.path))]) in _NUMBERS


# What exports and state refer to


def _outcomes(checked: Checked) -> Iterator[Finding]:
    """Deploy items, data objects and targets that export templates read and nothing makes."""
    items = None if checked.lacks(DEPLOY) else _item_names(checked)
    made: dict[str, set[str] | None] = {"deployitems": items, "dataobjects": None, "targets": None}
    computed = checked.work.blueprint.executions.get(SUBINSTALLATION)
    if not computed and not checked.lacks(SUBINSTALLATION):
        named = [(link.ref, link.kind) for sub in checked.subinstallations for link in sub.exports]
        named += [(one.name, one.kind) for one in checked.work.blueprint.all_imports()]
        made |= {
            "dataobjects": {name for name, kind in named if kind == DATA},
            "targets": {name for name, kind in named if kind != DATA},
        }
    for use in checked.uses():
        root = made.get(use.path[0]) if use.path and use.execution.phase == EXPORT else None
        if root is None or len(use.path) < 2 or use.path[1] == ANY or use.path[1] in root:
            continue
        name, kind = use.path[1], use.path[0]
        code = "deploy_item_unknown" if kind == "deployitems" else "dataobject_unknown"
        what = "deploy execution makes" if kind == "deployitems" else "subinstallation exports"
        words = {"deployitems": "deploy item", "dataobjects": "data object", "targets": "target"}
        summary = f"no {what} the {words[kind]} `{name}`"
        yield Finding(code, use.place.span, summary, meant(name, sorted(root)))


def _item_names(checked: Checked) -> set[str] | None:
    """The names of deploy items, None where they are not all written as they are."""
    found = list(item_names(checked))
    written = {id(execution) for execution, _, _ in found}
    deploying = checked.work.blueprint.executions.get(DEPLOY, ())
    if any(id(one) not in written for one in deploying) or any(not name for _, name, _ in found):
        return None
    return {name for _, name, _ in found}


def item_names(checked: Checked) -> Iterator[tuple[Execution, str, Span]]:
    """The names of deploy items as they are written, empty where they are computed."""
    for text in checked.go:
        if text.execution.phase == DEPLOY:
            named = [*_ITEM.finditer(rendered(text))]
            least = min((len(one[1]) for one in named), default=0)
            for one in named:
                name = one[2].strip().strip("\"'")
                if len(one[1]) == least:
                    span = text.program.text.span(0, 1)
                    yield text.execution, "" if _HOLE in name else name, span
    for template in checked.spiff:
        if template.execution.phase == DEPLOY:
            listed = template.root.get("deployItems") if isinstance(template.root, Map) else None
            entries = listed.items if isinstance(listed, Array) else []
            for item in entries:
                name = text_at(item, "name")
                computed = name.startswith("((")
                yield template.execution, "" if computed else name, item.span


def _slots(checked: Checked) -> Iterator[Finding]:
    """Executions of two phases that share a slot of state, and use it."""
    executions = checked.work.blueprint.executions
    others = {one.name: one for one in executions.get(SUBINSTALLATION, ())}
    using = {use.execution.name for use in checked.uses() if use.path[:1] == ("state",)}
    using |= {one.execution.name for one in checked.go if _STATE.search(rendered(one))}
    for one in executions.get(DEPLOY, ()):
        if one.name in others and one.name in using:
            summary = f"the state of `{one.name}` is that of the subinstallation execution, too"
            place = one.node.items.get("name", one.node).span
            yield Finding("state_slot_shared", place, summary, "give one of them another name")
