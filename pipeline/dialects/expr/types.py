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
from ...language.syntax import Semantics
from ...values.expression import Call, Expression, Hole, Literal, Reference
from .operators import (
    CHAIN,
    COMPARED,
    ENTRIES,
    INDEX,
    LET,
    METHOD,
    OPTIONAL,
    OPTIONAL_METHOD,
    PREDICATE,
    SEQUENCE,
    SLICES,
    TERNARY,
    wrong,
)
from .reader import PREDICATES
from .scope import near_member

Type: TypeAlias = Any
Locals: TypeAlias = Mapping[str, Type]
Find: TypeAlias = Callable[[str], Function | None]

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
_PLACES: Final = {
    "#index": frozenset({"map", "reduce"}),
    "#acc": frozenset({"reduce"}),
}
_AGGREGATES: Final = frozenset({"max", "min", "mean", "median"})
_ONLY_ARRAYS: Final = frozenset({"first", "last", "sort"})
"""Builtins that take other values too, but not those that are known to be none."""

TAKES: Final[dict[str, frozenset[str]]] = {
    "+": frozenset({*NUMBERS, "string", "time", "duration"}),
    "-": frozenset({*NUMBERS, "time", "duration"}),
    "*": frozenset({*NUMBERS, "duration"}),
    "/": NUMBERS,
    "**": NUMBERS,
    "%": frozenset({"integer"}),
    "..": frozenset({"integer"}),
    **dict.fromkeys(("<", "<=", ">", ">="), frozenset({*NUMBERS, "string", "time", "duration"})),
    **dict.fromkeys(("contains", "startsWith", "endsWith"), frozenset({"string"})),
    "matches": frozenset({"string"}),
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
    ("*", "integer", "duration"): "duration",
    ("*", "float", "duration"): "duration",
    ("*", "duration", "integer"): "duration",
    ("*", "duration", "float"): "duration",
    ("matches", "binary", "string"): "boolean",
}
_KNOWN: Final = {
    "/": "float",
    "**": "float",
    "%": "integer",
    "..": ("array", "integer"),
    **dict.fromkeys(
        ("<", "<=", ">", ">=", *("contains", "startsWith", "endsWith", "matches")), "boolean"
    ),
}


_KIND: Final = {"map": "object", UNKNOWN: "any"}


def head(kind: Type) -> str:
    """The word of a type: `array` of an array, whatever its items are."""
    return str(kind[0] if isinstance(kind, tuple) else kind)


def _kind_word(kind: Type) -> str:
    return word_of(_KIND.get(head(kind), head(kind)))


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


class Typer:
    """Finds the type of an expression, with the functions that `find` knows.

    `structs` are types that functions give, fields and methods have, by their names.
    """

    def __init__(self, find: Find, structs: Mapping[str, StructType] = {}) -> None:
        self.find = find
        self.structs = {**TYPES, **structs}

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

    # names, members

    def _reference(self, node: Reference, local: Locals) -> Type:
        root = node.root
        if root not in local:
            if root[0] == "#":
                known = sorted(name for name in local if name[0] == "#")
                hint = f"here there is {' and '.join(f'`{name}`' for name in known)}"
                raise self.refuse(
                    "name_not_here", f"there is no `{root}` here", node, hint if known else None
                )
            return UNKNOWN
        kind = local[root]
        for position, key in enumerate(node.path):
            if kind == UNKNOWN:
                return UNKNOWN
            start = node.marks[position] if position < len(node.marks) else node.start
            literal = Literal(key, start, start + len(str(key)))
            kind = self.member(kind, "string" if isinstance(key, str) else "integer", literal)
        return kind

    def member(self, base: Type, key: Type, node: Expression) -> Type:
        """The type of a member; `node` is the key."""
        name = node.value if isinstance(node, Literal) and isinstance(node.value, str) else None
        word = self._word(base)
        if base == UNKNOWN:
            return UNKNOWN
        if base == "null":
            raise self.refuse(
                "field_not_found", "nil has no fields", node, "write `?.` to get nil of nil"
            )
        if head(base) == "map":
            if key != UNKNOWN and not assignable(key, base[1]):
                summary = f"the key of this map is {_kind_word(base[1])}, not {_kind_word(key)}"
                raise self.refuse("field_not_found", summary, node)
            return base[2]
        if head(base) == "array":
            if key not in (UNKNOWN, "integer"):
                hint = "`len(..)` counts the items" if name in ("length", "size", "len") else None
                summary = f"an item of an array has an int as its index, not {_kind_word(key)}"
                raise self.refuse("field_not_found", summary, node, hint)
            return base[1]
        if base == "binary" and key in (UNKNOWN, "integer"):
            return "integer"
        kind = self.structs.get(base)
        if kind is not None and name is not None and name in kind.fields:
            return typed(kind.fields[name][0])
        if kind is not None and (name in kind.methods or (name is None and kind.fields)):
            return UNKNOWN
        what = f"no field `{name}`" if name is not None else "no items here"
        hint = near_member(name, kind) if name is not None else None
        raise self.refuse("field_not_found", f"{word} has {what}", node, hint)

    def _word(self, kind: Type) -> str:
        own = self.structs.get(head(kind))
        return own.word if own else _kind_word(kind)

    def _index(self, node: Call, local: Locals) -> Type:
        base, key = self.types(node, local)
        return self.member(base, key, node.arguments[1].value)

    def _slice(self, node: Call, local: Locals) -> Type:
        base = self.type(node.arguments[0].value, local)
        if base == UNKNOWN:
            return UNKNOWN
        if head(base) not in ("string", "array", "binary"):
            summary = f"{_kind_word(base)} has no parts to cut out"
            raise self.refuse("operator_type", summary, node.arguments[0].value)
        for argument in node.arguments[1:]:
            bound = self.type(argument.value, local)
            if bound not in (UNKNOWN, "integer"):
                summary = f"the bound of a slice is an int, not {_kind_word(bound)}"
                raise self.refuse("operator_type", summary, argument.value)
        return base

    def _method(self, node: Call, local: Locals) -> Type:
        base = self.type(node.arguments[0].value, local)
        name = node.arguments[1].value
        given = [self.type(argument.value, local) for argument in node.arguments[2:]]
        if base == UNKNOWN:
            return UNKNOWN
        assert isinstance(name, Literal)
        own = self.structs.get(head(base))
        method = own.methods.get(name.value) if own else None
        if method is None:
            summary = f"{self._word(base)} has no method `{name.value}`"
            raise self.refuse("field_not_found", summary, name, near_member(name.value, own))
        wanted, result, _ = method
        if result == SEVERAL:
            summary = f"`{name.value}` gives several values, which no expression takes"
            raise self.refuse("field_not_found", summary, name, "ask for one: `Year()`, `Hour()`")
        if len(given) != len(wanted):
            summary = f"`{name.value}` takes {len(wanted)} arguments, but got {len(given)}"
            raise self.refuse("invalid_argument_count", summary, name)
        for position, (kind, want) in enumerate(zip(given, wanted, strict=True)):
            if kind not in (UNKNOWN, want) and want != "any":
                summary = (
                    f"argument {position + 1} of `{name.value}` must be {word_of(want)}, "
                    f"not {_kind_word(kind)}"
                )
                raise self.refuse(
                    "invalid_argument_type", summary, node.arguments[position + 2].value
                )
        return typed(result)

    # operators

    def operation(self, name: str, left: Type, right: Type, node: Expression) -> Type:
        """The type that an operator gives."""
        if name in ("==", "!="):
            if not comparable(left, right):
                raise self._mistyped(name, left, right, node)
            return "boolean"
        if name == "in":
            return self._contained(left, right, node)
        if left in NUMBERS and right in NUMBERS and not TAKES[name].isdisjoint(NUMBERS):
            whole = left == right == "integer"
            if whole or name not in ("%", ".."):
                return _KNOWN.get(name) or ("integer" if whole else "float")
        pair = _PAIRS.get((name, head(left), head(right)))
        if pair is not None:
            return pair
        takes = TAKES[name]
        if left == right and left in takes and name in _KNOWN:
            return _KNOWN[name]
        if UNKNOWN in (left, right) and all(
            one == UNKNOWN or one in takes for one in (left, right)
        ):
            return _KNOWN.get(name, UNKNOWN)
        raise self._mistyped(name, left, right, node)

    def _mistyped(self, name: str, left: Type, right: Type, node: Expression) -> LanguageError:
        kinds = [_KIND.get(head(kind), head(kind)) for kind in (left, right)]
        error = wrong(name, *kinds)
        hint = error.hint
        named = [self.structs[kind] for kind in kinds if kind in self.structs]
        if "string" in kinds and any(not kind.members for kind in named):
            hint = f"`string(..)` makes a plain string of {named[0].word}"
        return self.refuse("operator_type", error.message, node, hint)

    def _contained(self, left: Type, right: Type, node: Expression) -> Type:
        if head(right) == "map":
            fits = left == UNKNOWN or assignable(left, right[1])
        elif head(right) == "array":
            fits = comparable(left, right[1])
        elif right in self.structs and self.structs[right].fields:
            fits = left in (UNKNOWN, "string")
        else:
            fits = right == UNKNOWN or (left == UNKNOWN and right == "string")
        if not fits:
            raise self._mistyped("in", left, right, node)
        return "boolean"

    def _operation(self, node: Call, local: Locals) -> Type:
        kinds = self.types(node, local)
        if len(kinds) == 1:
            if kinds[0] != UNKNOWN and kinds[0] not in NUMBERS:
                summary = f"`{node.function}` cannot take {_kind_word(kinds[0])}"
                raise self.refuse("operator_type", summary, node)
            return kinds[0]
        result = kinds[0]
        for position, kind in enumerate(kinds[1:], 1):
            last = node.arguments[position].value
            if node.function == "matches" and isinstance(last, Literal):
                self._pattern(last)
            of_literals = position == 1 and isinstance(node.arguments[0].value, Literal | Hole)
            if node.function == "%" and last == Literal(0) and of_literals:
                raise self.refuse("division_by_zero", "`%` by zero has no result", last)
            result = self.operation(node.function, result, kind, node)
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
            if kind not in (UNKNOWN, "boolean"):
                summary = f"`{node.function}` takes booleans, not {_kind_word(kind)}"
                raise self.refuse("condition_type", summary, argument.value, _no_truth(kind))
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
        if condition not in (UNKNOWN, "boolean"):
            summary = f"a condition is a boolean, not {_kind_word(condition)}"
            raise self.refuse(
                "condition_type", summary, node.arguments[0].value, _no_truth(condition)
            )
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
        if function.name == "get":
            return self._get(node, kinds)
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
            own = _KIND.get(head(kind), head(kind))
            if kind != UNKNOWN and own not in types and "any" not in types:
                wanted = " or ".join(map(word_of, types))
                summary = (
                    f"argument {position + 1} (`{parameter.name}`) of `{function.name}` must be "
                    f"{wanted}, not {_kind_word(kind)}"
                )
                raise self.refuse("invalid_argument_type", summary, node.arguments[position].value)
        rule = _BY_NAME.get(function.name)
        return rule(kinds) if rule else typed(function.result)

    def _get(self, node: Call, kinds: list[Type]) -> Type:
        base, key = kinds
        if base != UNKNOWN and head(base) not in ("map", "array"):
            summary = f"`get` takes a map or an array, not {_kind_word(base)}"
            raise self.refuse("invalid_argument_type", summary, node.arguments[0].value)
        return self.member(base, key, node.arguments[1].value)

    def _predicate(self, node: Call, local: Locals) -> Type:
        name = node.function
        first = node.arguments[0].value
        collection = self.type(first, local)
        if head(collection) not in (UNKNOWN, "array"):
            summary = f"`{name}` takes an array, not {_kind_word(collection)}"
            raise self.refuse("invalid_argument_type", summary, first)
        item = collection[1] if collection != UNKNOWN else UNKNOWN
        inner = {key: kind for key, kind in local.items() if key[0] != "#"}
        inner["#"] = item
        for pointer, places in _PLACES.items():
            if name in places:
                inner[pointer] = "integer" if pointer == "#index" else UNKNOWN
        result = self.type(node.arguments[1].value, inner) if len(node.arguments) > 1 else None
        if len(node.arguments) > 2:
            last = self.type(node.arguments[2].value, local)
            if name == "sortBy" and last not in (UNKNOWN, "string"):
                summary = f"the order of `sortBy` is a string, not {_kind_word(last)}"
                raise self.refuse("invalid_argument_type", summary, node.arguments[2].value)
        if result == "null":
            summary = f"the predicate of `{name}` gives nil, whatever the item is"
            raise self.refuse("condition_type", summary, node.arguments[1].value)
        match name:
            case "map":
                return ("array", result)
            case "filter":
                self._decides(node, result)
                return ("array", item)
            case "sortBy":
                return collection
            case "groupBy":
                return ("map", UNKNOWN, ("array", item))
            case "find" | "findLast":
                self._decides(node, result)
                return item
            case "reduce":
                return result
            case "sum":
                return result if result is not None else item
        self._decides(node, result)
        return "integer" if name in ("count", "findIndex", "findLastIndex") else "boolean"

    def _decides(self, node: Call, result: Type) -> None:
        if result not in (None, UNKNOWN, "boolean"):
            summary = (
                f"the predicate of `{node.function}` gives a boolean, not {_kind_word(result)}"
            )
            raise self.refuse("condition_type", summary, node.arguments[1].value)


class TypedSemantics(Semantics):
    """The evaluation rules of a dialect with this language; `typer` knows its functions.

    Residuals ask it, since some operators depend on the types of what is written.
    """

    typer: Typer | None = None


def _no_truth(kind: Type) -> str:
    return (
        "compare it, as in `x != nil`" if kind == "null" else "there is no truthiness: compare it"
    )


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
    **dict.fromkeys(
        ("+", "-", "*", "/", "%", "**", "..", "<", "<=", ">", ">=", "==", "!=", "in"),
        Typer._operation,
    ),
    **dict.fromkeys(("contains", "startsWith", "endsWith", "matches"), Typer._operation),
    **dict.fromkeys(("and", "or", "not"), Typer._logic),
    "??": Typer._coalesce,
    TERNARY: Typer._ternary,
    SEQUENCE: Typer._last,
    LET: Typer._let,
    COMPARED: Typer._compared,
    "list": Typer._list,
    "object": Typer._object,
    ENTRIES: Typer._object,
    INDEX: Typer._index,
    OPTIONAL: Typer._index,
    CHAIN: Typer._last,
    METHOD: Typer._method,
    OPTIONAL_METHOD: Typer._method,
    PREDICATE: Typer._last,
    **dict.fromkeys(SLICES.values(), Typer._slice),
}
