"""The static types of expressions: what is wrong whatever the values are.

A type is a word, `?` where it is not known; an array is `("array", items)`, a map `("map", keys,
values)`. An array of Go's own kind, of which builtins know the items too, is `("array", items,
"go")`. A mistake makes the whole expression invalid, also in a part that is never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ....functions.expr.kinds import StructType, word_of
from ....functions.expr.methods import SEVERAL, TYPES
from ....functions.registry import Function, arity_message
from ....functions.values import FunctionError
from ...language.errors import LanguageError
from ...values.compiled import mypyc_attr
from ...values.expression import Call, Expression, Hole, Literal, Reference
from . import operators
from .reader import PREDICATES
from .scope import near_member

Type: TypeAlias = Any
Locals: TypeAlias = Mapping[str, Type]
Find: TypeAlias = Callable[[str], Function | None]
Structs: TypeAlias = Callable[[], Mapping[str, StructType]]

UNKNOWN: Final = "?"
NUMBERS: Final = frozenset({"integer", "float"})
_ANY_ARRAY: Final = ("array", UNKNOWN)
_MAP: Final = ("map", "string", UNKNOWN)
_ANY_MAP: Final = ("map", UNKNOWN, UNKNOWN)
_OF_LITERALS: Final[dict[type, Type]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "float",
    str: "string",
    bytes: "binary",
}
_RESULTS: Final[dict[str, Type]] = {
    "any": UNKNOWN,
    "array": _ANY_ARRAY,
    "object": _MAP,
    "strings": ("map", "string", "string"),
    "function": UNKNOWN,
}
_AGGREGATES: Final = frozenset({"max", "min", "mean", "median"})
_ONLY_ARRAYS: Final = frozenset({"first", "last", "sort"})
"""Builtins that take other values too, but not those that are known to be none."""

_TEXTS: Final = ("contains", "startsWith", "endsWith", "matches")
_ORDER: Final = ("<", "<=", ">", ">=")
_ORDERED: Final = frozenset({*NUMBERS, "string", "time", "duration"})
TAKES: Final[dict[str, frozenset[str]]] = {
    "+": _ORDERED,
    "-": _ORDERED - {"string"},
    "*": frozenset({*NUMBERS, "duration"}),
    **dict.fromkeys(("/", "**"), NUMBERS),
    **dict.fromkeys(("%", ".."), frozenset({"integer"})),
    **dict.fromkeys(_ORDER, _ORDERED),
    **dict.fromkeys(_TEXTS, frozenset({"string"})),
}
"""The kinds that an operator takes beside an operand that is not known."""

_PAIRS: Final = {
    ("+", "time", "duration"): "time",
    ("+", "duration", "time"): "time",
    ("+", "duration", "duration"): "duration",
    ("+", "string", "string"): "string",
    ("-", "time", "time"): "duration",
    ("-", "time", "duration"): "time",
    ("-", "duration", "duration"): "duration",
    ("*", "duration", "duration"): "duration",
    **{("*", kind, "duration"): "duration" for kind in NUMBERS},
    **{("*", "duration", kind): "duration" for kind in NUMBERS},
    ("matches", "binary", "string"): "boolean",
}
_KNOWN: Final = {
    **dict.fromkeys(("/", "**"), "float"),
    "%": "integer",
    "..": ("array", "integer"),
    **dict.fromkeys((*_ORDER, *_TEXTS), "boolean"),
}
_KIND: Final = {"map": "object", UNKNOWN: "any"}


def head(kind: Type) -> str:
    """The word of a type: `array` of an array, whatever its items are."""
    return str(kind[0] if isinstance(kind, tuple) else kind)


def _word(kind: Type) -> str:
    """The word of a type in signatures."""
    return _KIND.get(head(kind), head(kind))


def _shown(kind: Type) -> str:
    return word_of(_word(kind))


def typed(word: str) -> Type:
    """The type that a word of a signature means."""
    return _RESULTS.get(word, word)


def assignable(kind: Type, to: Type) -> bool:
    """Whether a value of a type can stand where another is wanted."""
    if to == UNKNOWN or kind == to:
        return True
    if head(kind) == head(to) == "map":
        return bool(kind[1] == to[1])
    return head(kind) == head(to) == "array"


def comparable(left: Type, right: Type) -> bool:
    """Whether two types can be compared with `==`."""
    if UNKNOWN in (left, right) or "null" in (left, right):
        return True
    return (left in NUMBERS and right in NUMBERS) or assignable(left, right)


@mypyc_attr(allow_interpreted_subclasses=True)
class Typer:
    """Finds the type of an expression, with the functions that `find` knows.

    `structs` gives the types that functions give, fields and methods have, by their names.
    """

    def __init__(self, find: Find, structs: Structs = dict) -> None:
        self.find = find
        self._given = structs
        self._structs: dict[str, StructType] | None = None

    @property
    def structs(self) -> dict[str, StructType]:
        """The types by their names: of this dialect, and of all."""
        if self._structs is None:
            self._structs = {**TYPES, **self._given()}
        return self._structs

    def check(self, tree: Expression) -> None:
        """Looks for mistakes of types.

        Raises:
            LanguageError: for the first one.
        """
        if tree.__class__ is not Reference and tree.__class__ is not Literal:
            self.type(tree, {})

    def type(self, node: Expression, local: Locals) -> Type:
        """The type of an expression, with the types of local names.

        Raises:
            LanguageError: for the first mistake in it.
        """
        kind = node.__class__
        if kind is Literal:
            return _OF_LITERALS.get(node.value.__class__, UNKNOWN)  # type: ignore[union-attr]
        if kind is Hole:
            return node.type  # type: ignore[union-attr]
        if kind is Reference:
            return self._reference(node, local)  # type: ignore[arg-type]
        assert isinstance(node, Call)
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node, local)
        if node.function in PREDICATES:
            return self._predicate(node, local)
        return self._function(node, local)

    def types(self, node: Call, local: Locals) -> list[Type]:
        """The types of the arguments."""
        return [self.type(argument.value, local) for argument in node.arguments]

    def refuse(self, code: str, summary: str, node: Any, hint: Any = None) -> LanguageError:
        """The mistake at a node."""
        hint = hint() if callable(hint) else hint
        return LanguageError(code, summary, node.start, node.end, hint)

    def want(
        self, what: str, kind: Type, node: Expression, code: str, *wanted: str, hint: Any = None
    ) -> None:
        """Refuses a type, if it is known, that is not one of those that are wanted."""
        if head(kind) != UNKNOWN and head(kind) not in wanted:
            raise self.refuse(code, f"{what}, not {_shown(kind)}", node, hint)

    def _decides(self, what: str, kind: Type, node: Expression) -> None:
        """Refuses what is known to be no boolean."""
        nil = "compare it, as in `x != nil`"
        hint = nil if kind == "null" else "there is no truthiness: compare it"
        self.want(what, kind, node, "condition_type", "boolean", hint=hint)

    # names, members

    def _reference(self, node: Reference, local: Locals) -> Type:
        root = node.root
        if root not in local:
            if root[0] == "#":
                known = sorted(name for name in local if name[0] == "#")
                hint = f"here there is {' and '.join(f'`{name}`' for name in known)}"
                summary = f"there is no `{root}` here"
                raise self.refuse("name_not_here", summary, node, hint if known else None)
            return UNKNOWN
        kind = local[root]
        for position, key in enumerate(node.path):
            start = node.marks[position] if position < len(node.marks) else node.start
            literal = Literal(key, start, start + len(str(key)))
            kind = self.member(kind, "string" if isinstance(key, str) else "integer", literal)
        return kind

    def member(self, base: Type, key: Type, node: Expression) -> Type:
        """The type of a member; `node` is the key."""
        if base == UNKNOWN:
            return UNKNOWN
        name = node.value if isinstance(node, Literal) and isinstance(node.value, str) else None
        kind = self.structs.get(head(base))
        code = "field_not_found"
        if base == "null":
            hint: Any = "write `?.` to get nil of nil"
            raise self.refuse(code, "nil has no fields", node, hint)
        if head(base) == "map":
            if key != UNKNOWN and not assignable(key, base[1]):
                self.want(f"the key of this map is {_shown(base[1])}", key, node, code)
            return base[2]
        if head(base) == "array":
            hint = "`len(..)` counts the items" if name in ("length", "size", "len") else None
            what = "an item of an array has an int as its index"
            self.want(what, key, node, code, "integer", hint=hint)
            return base[1]
        if base == "binary" and key in (UNKNOWN, "integer"):
            return "integer"
        if kind is not None and name is not None and name in kind.fields:
            return typed(kind.fields[name][0])
        if kind is not None and (name in kind.methods or (name is None and kind.fields)):
            return UNKNOWN
        what = f"no field `{name}`" if name is not None else "no items here"
        hint = near_member(name, kind) if name is not None else None
        raise self.refuse(code, f"{kind.word if kind else _shown(base)} has {what}", node, hint)

    def _index(self, node: Call, local: Locals) -> Type:
        base, key = self.types(node, local)
        return self.member(base, key, node.arguments[1].value)

    def _slice(self, node: Call, local: Locals) -> Type:
        (base, *bounds) = self.types(node, local)
        whole = node.arguments[0].value
        if head(base) not in (UNKNOWN, "string", "array", "binary"):
            raise self.refuse("operator_type", f"{_shown(base)} has no parts to cut out", whole)
        if base != UNKNOWN:
            for bound, argument in zip(bounds, node.arguments[1:], strict=True):
                what = "the bound of a slice is an int"
                self.want(what, bound, argument.value, "operator_type", "integer")
        return base

    def _method(self, node: Call, local: Locals) -> Type:
        base, _, *given = self.types(node, local)
        name = node.arguments[1].value
        if base == UNKNOWN:
            return UNKNOWN
        assert isinstance(name, Literal)
        own = self.structs.get(head(base))
        method = own.methods.get(name.value) if own else None
        if method is None:
            summary = f"{own.word if own else _shown(base)} has no method `{name.value}`"
            raise self.refuse("field_not_found", summary, name, near_member(name.value, own))
        wanted, result, _ = method
        if result == SEVERAL:
            summary = f"`{name.value}` gives several values, which no expression takes"
            raise self.refuse("field_not_found", summary, name, "ask for one: `Year()`, `Hour()`")
        if len(given) != len(wanted):
            summary = f"`{name.value}` takes {len(wanted)} arguments, but got {len(given)}"
            raise self.refuse("invalid_argument_count", summary, name)
        for position, (kind, want) in enumerate(zip(given, wanted, strict=True), 1):
            what = f"argument {position} of `{name.value}` must be {word_of(want)}"
            at = node.arguments[position + 1].value
            if want != "any":
                self.want(what, kind, at, "invalid_argument_type", want)
        return typed(result)

    # operators

    def operation(self, name: str, left: Type, right: Type, node: Expression) -> Type:
        """The type that an operator gives."""
        takes = TAKES.get(name, frozenset())
        if name in ("==", "!=", "in"):
            if _contained(left, right, self.structs) if name == "in" else comparable(left, right):
                return "boolean"
        elif left in NUMBERS and right in NUMBERS and left in takes and right in takes:
            return _KNOWN.get(name) or ("integer" if left == right == "integer" else "float")
        elif (name, head(left), head(right)) in _PAIRS:
            return _PAIRS[name, head(left), head(right)]
        elif left == right and left in takes and name in _KNOWN:
            return _KNOWN[name]
        elif UNKNOWN in (left, right) and {left, right} - {UNKNOWN} <= takes:
            return _KNOWN.get(name, UNKNOWN)
        kinds = [_word(kind) for kind in (left, right)]
        error = operators.wrong(name, *kinds)
        hint = error.hint
        named = [self.structs[kind] for kind in kinds if kind in self.structs]
        if "string" in kinds and any(not kind.members for kind in named):
            hint = f"`string(..)` makes a plain string of {named[0].word}"
        raise self.refuse("operator_type", error.message, node, hint)

    def _operation(self, node: Call, local: Locals) -> Type:
        kinds = self.types(node, local)
        name = node.function
        if len(kinds) == 1:
            if kinds[0] != UNKNOWN and kinds[0] not in NUMBERS:
                summary = f"`{name}` cannot take {_shown(kinds[0])}"
                raise self.refuse("operator_type", summary, node)
            return kinds[0]
        result = kinds[0]
        for position, kind in enumerate(kinds[1:], 1):
            last = node.arguments[position].value
            if name == "matches" and isinstance(last, Literal):
                self._pattern(last)
            of_literals = position == 1 and isinstance(node.arguments[0].value, (Literal, Hole))
            if name == "%" and last == Literal(0) and of_literals:
                raise self.refuse("division_by_zero", "`%` by zero has no result", last)
            result = self.operation(name, result, kind, node)
        return result

    def _pattern(self, node: Literal) -> None:
        """Checks a pattern that is written out, where the library for it is installed."""
        from .matching import compiled

        if not isinstance(node.value, str):
            return
        try:
            compiled(node.value)
        except FunctionError as error:
            if error.code == "invalid_pattern":
                raise self.refuse(error.code, error.message, node, error.hint) from None

    def _compared(self, node: Call, local: Locals) -> Type:
        parts = [argument.value for argument in node.arguments]
        kinds = [self.type(part, local) for part in parts[::2]]
        for number, name in enumerate(parts[1::2]):
            assert isinstance(name, Literal)
            self.operation(name.value, kinds[number], kinds[number + 1], node)
        return "boolean"

    def _logic(self, node: Call, local: Locals) -> Type:
        for argument, kind in zip(node.arguments, self.types(node, local), strict=True):
            self._decides(f"`{node.function}` takes booleans", kind, argument.value)
        return "boolean"

    def _coalesce(self, node: Call, local: Locals) -> Type:
        result, *others = self.types(node, local)
        for kind in others:
            if "null" in (result, kind):
                result = kind if result == "null" else result
            elif not assignable(kind, result):
                result = UNKNOWN
        return result

    def _ternary(self, node: Call, local: Locals) -> Type:
        condition, *branches = self.types(node, local)
        self._decides("a condition is a boolean", condition, node.arguments[0].value)
        first, other = branches if len(branches) == 2 else (condition, branches[0])
        if "null" in (first, other):
            return other if first == "null" else first
        return first if other != UNKNOWN and assignable(first, other) else UNKNOWN

    # what holds others

    def _let(self, node: Call, local: Locals) -> Type:
        name, value, body = (argument.value for argument in node.arguments)
        assert isinstance(name, Literal)
        taken = "a variable" if name.value in local else None
        if name.value in PREDICATES or self.find(name.value) is not None:
            taken = "a function"
        if taken is not None:
            summary = f"`{name.value}` is the name of {taken} already"
            raise self.refuse("name_taken", summary, name, "choose another name")
        return self.type(body, {**local, name.value: self.type(value, local)})

    def _list(self, node: Call, local: Locals) -> Type:
        kinds = self.types(node, local)
        alike = len({head(kind) for kind in kinds}) == 1
        return ("array", kinds[-1]) if alike else _ANY_ARRAY

    def _object(self, node: Call, local: Locals) -> Type:
        self.types(node, local)
        return _MAP

    def _last(self, node: Call, local: Locals) -> Type:
        return self.types(node, local)[-1]

    # functions

    def _function(self, node: Call, local: Locals) -> Type:
        kinds = self.types(node, local)
        function = self.find(node.function)
        if function is None:
            return UNKNOWN
        message = arity_message(function, len(kinds))
        if message is not None:
            raise self.refuse("invalid_argument_count", message, node, function.signature)
        code, trees = "invalid_argument_type", [argument.value for argument in node.arguments]
        if function.name == "get":
            self.want("`get` takes a map or an array", kinds[0], trees[0], code, "map", "array")
            return self.member(kinds[0], kinds[1], trees[1])
        for position, kind in enumerate(kinds):
            parameter = function.parameter(position)
            assert parameter is not None
            types = parameter.types
            if function.name in _AGGREGATES:
                if head(kind) in (UNKNOWN, "array"):
                    return UNKNOWN
                types = ("integer", "float", "array")
            elif position == 0 and function.name in _ONLY_ARRAYS:
                types = ("array",)
            if _word(kind) not in types and "any" not in types:
                wanted = " or ".join(map(word_of, types))
                what = f"argument {position + 1} (`{parameter.name}`) of `{function.name}`"
                self.want(f"{what} must be {wanted}", kind, trees[position], code)
        rule = _BY_NAME.get(function.name)
        return rule(kinds) if rule else typed(function.result)

    def _predicate(self, node: Call, local: Locals) -> Type:
        name, trees = node.function, [argument.value for argument in node.arguments]
        code = "invalid_argument_type"
        collection = self.type(trees[0], local)
        self.want(f"`{name}` takes an array", collection, trees[0], code, "array")
        item = collection[1] if collection != UNKNOWN else UNKNOWN
        inner = {key: kind for key, kind in local.items() if key[0] != "#"}
        inner |= {"#": item, **_POINTERS.get(name, {})}
        result = self.type(trees[1], inner) if len(trees) > 1 else None
        if len(trees) > 2:
            last = self.type(trees[2], local)
            if name == "sortBy":
                self.want("the order of `sortBy` is a string", last, trees[2], code, "string")
        if result == "null":
            summary = f"the predicate of `{name}` gives nil, whatever the item is"
            raise self.refuse("condition_type", summary, trees[1])
        if name in _GIVES:
            return _GIVES[name](collection, item, result)
        if result is not None:
            what = f"the predicate of `{name}` gives a boolean"
            self.want(what, result, trees[1], "condition_type", "boolean")
        return {"filter": ("array", item), "find": item, "findLast": item}.get(
            name, "integer" if name in ("count", "findIndex", "findLastIndex") else "boolean"
        )


def _contained(left: Type, right: Type, structs: Mapping[str, StructType]) -> bool:
    """Whether `in` takes operands of two types."""
    if head(right) == "map":
        return bool(left == UNKNOWN or assignable(left, right[1]))
    if head(right) == "array":
        return comparable(left, right[1])
    if right in structs and structs[right].fields:
        return left in (UNKNOWN, "string")
    return bool(right == UNKNOWN or (left == UNKNOWN and right == "string"))


_POINTERS: Final[dict[str, dict[str, Type]]] = {
    "map": {"#index": "integer"},
    "reduce": {"#index": "integer", "#acc": UNKNOWN},
}
_GIVES: Final[dict[str, Callable[[Type, Type, Type], Type]]] = {
    "map": lambda collection, item, result: ("array", result),
    "sortBy": lambda collection, item, result: collection,
    "groupBy": lambda collection, item, result: ("map", UNKNOWN, ("array", item)),
    "reduce": lambda collection, item, result: result,
    "sum": lambda collection, item, result: item if result is None else result,
}


def _item(kinds: list[Type]) -> Type:
    return kinds[0][1] if len(kinds[0]) > 2 and kinds[0] != UNKNOWN else UNKNOWN


_BY_NAME: Final[dict[str, Callable[[list[Type]], Type]]] = {
    **dict.fromkeys(("abs", *_AGGREGATES), lambda kinds: kinds[0]),
    **dict.fromkeys(("first", "last"), _item),
    "take": lambda kinds: (
        UNKNOWN if kinds[0] == UNKNOWN else kinds[0] if _item(kinds) else _ANY_ARRAY
    ),
    **dict.fromkeys(("split", "splitAfter"), lambda kinds: ("array", "string", "go")),
    "fromPairs": lambda kinds: _ANY_MAP,
}

_SPECIAL: Final[dict[str, Callable[[Typer, Call, Locals], Type]]] = {
    **dict.fromkeys((*TAKES, "==", "!=", "in"), Typer._operation),
    **dict.fromkeys(("and", "or", "not"), Typer._logic),
    **dict.fromkeys(operators.SLICES.values(), Typer._slice),
    **dict.fromkeys(("object", operators.ENTRIES), Typer._object),
    **dict.fromkeys((operators.INDEX, operators.OPTIONAL), Typer._index),
    **dict.fromkeys((operators.METHOD, operators.OPTIONAL_METHOD), Typer._method),
    **dict.fromkeys((operators.SEQUENCE, operators.CHAIN, operators.PREDICATE), Typer._last),
    operators.TERNARY: Typer._ternary,
    operators.LET: Typer._let,
    operators.COMPARED: Typer._compared,
    "??": Typer._coalesce,
    "list": Typer._list,
}
