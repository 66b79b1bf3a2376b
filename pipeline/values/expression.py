"""Expression trees, which grammars make of text between delimiters, and strings that hold them.

Offsets count from the start of the string the expression was written in; they do not take part in
equality, so two trees are equal when they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ...functions.record import Record, field
from .substitution import Substitution as Substitution

Path: TypeAlias = tuple[str | int, ...]
ELEMENT_ROOTS: Final = frozenset({"elem", "i"})


class lazy:  # noqa: N801  (used like `property`)
    """A property that is computed when it is first asked for and then kept.

    `functools.cached_property` without its lock, which costs more than what is computed here; two
    threads that ask at once compute the same.
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


class Literal(Record):
    """A known value: what a literal says, or in a residual anything that was computed."""

    value: Any
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)

    def __init__(self, value: Any, start: int = 0, end: int = 0) -> None:
        # parsing makes many of them
        fields = self.__dict__
        fields["value"] = value
        fields["start"] = start
        fields["end"] = end

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not Literal:
            return NotImplemented
        assert isinstance(other, Literal)
        # 1, 1.0 and True are three values
        return self.value.__class__ is other.value.__class__ and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((self.value.__class__, self.value))


class Hole(Record):
    """The place of the n-th literal in a shape (see `Shape`), of a type, usually a string."""

    index: int
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)
    type: str = "string"


class Reference(Record):
    """A reference: a root word and the names and indexes after it.

    `bare` marks a name written without a root: a resource, or a function where one is expected.
    `marks` are the offsets at which the items of `path` are written.
    """

    root: str
    path: Path = ()
    bare: bool = False
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)
    marks: tuple[int, ...] = field(default=(), eq=False, repr=False)

    def __init__(
        self,
        root: str,
        path: Path = (),
        bare: bool = False,
        start: int = 0,
        end: int = 0,
        marks: tuple[int, ...] = (),
    ) -> None:
        # evaluation makes many of them
        fields = self.__dict__
        fields["root"] = root
        fields["path"] = path
        fields["bare"] = bare
        fields["start"] = start
        fields["end"] = end
        fields["marks"] = marks

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not Reference:
            return NotImplemented
        assert isinstance(other, Reference)
        return self.root == other.root and self.path == other.path and self.bare == other.bare

    def __hash__(self) -> int:
        return hash((self.root, self.path, self.bare))

    def deeper(self, *path: str | int) -> Reference:
        """The reference with more items after its path."""
        return Reference(self.root, self.path + path)


class Argument(Record):
    """One argument of a call, with its name when it was given by name, and where that stands."""

    value: Expression
    name: str | None = None
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)

    def __init__(
        self, value: Expression, name: str | None = None, start: int = 0, end: int = 0
    ) -> None:
        # evaluation makes many of them
        fields = self.__dict__
        fields["value"] = value
        fields["name"] = name
        fields["start"] = start
        fields["end"] = end


class Call(Record):
    """A call of a function."""

    function: str
    arguments: tuple[Argument, ...] = ()
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)

    def __init__(
        self, function: str, arguments: tuple[Argument, ...] = (), start: int = 0, end: int = 0
    ) -> None:
        # parsing makes many of them
        fields = self.__dict__
        fields["function"] = function
        fields["arguments"] = arguments
        fields["start"] = start
        fields["end"] = end


class Access(Record):
    """Names and indexes applied to the result of a call."""

    target: Expression
    path: Path
    start: int = field(default=0, eq=False, repr=False)
    end: int = field(default=0, eq=False, repr=False)


Expression: TypeAlias = Literal | Hole | Reference | Call | Access


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all below it, parents first, in written order."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ is Call:
            stack.extend(argument.value for argument in reversed(node.arguments))
        elif node.__class__ is Access:
            stack.append(node.target)


def parts(expression: Expression) -> Iterator[Expression | Argument]:
    """All that has a place: what `walk` gives, and after each call its arguments."""
    for node in walk(expression):
        yield node
        if node.__class__ is Call:
            yield from node.arguments


def _with_keys(tree: Expression, keys: Mapping[Any, str]) -> Expression:
    """A tree with keys in place of the names that stand for them."""
    if tree.__class__ is Reference:
        if keys.keys().isdisjoint(tree.path):
            return tree
        return Reference(tree.root, tuple([keys.get(key, key) for key in tree.path]), tree.bare)
    if tree.__class__ is Call:
        made = [*tree.arguments]
        for position, argument in enumerate(tree.arguments):
            found = _with_keys(argument.value, keys)
            if found is not argument.value:
                made[position] = Argument(found, argument.name)
        return Call(tree.function, tuple(made))
    if tree.__class__ is Literal and tree.value.__class__ is str and tree.value in keys:
        return Literal(keys[tree.value])
    return tree


class Shape:
    """An expression with holes for its literals, shared by all texts that differ only there.

    A blueprint of 9,000 expressions has about ten shapes, so what is known of a shape (parse,
    static checks, what it refers to) is worked out once. `place` is the offset at which the text
    stands whose places are in the expression, if it has any.
    """

    place: int | None = None

    def __init__(self, expression: Expression, place: int | None = None) -> None:
        self.expression = expression
        if place is not None:
            self.place = place

    def is_sound(self, holes: int) -> bool:
        """True for the shape of texts with so many literals; a stored one may be foreign."""
        return True

    def with_keys(self, keys: Mapping[Any, str]) -> Shape:
        """The shape of a text with keys, each in place of a string that stands for it."""
        made = Shape(_with_keys(self.expression, keys))
        made.__dict__.update(functions=self.functions, roots=self.roots, depth=self.depth)
        return made

    @lazy
    def references(self) -> tuple[Reference, ...]:
        """All references, bare ones included."""
        if self.expression.__class__ is Reference:
            return (self.expression,)
        return tuple(node for node in walk(self.expression) if node.__class__ is Reference)

    @lazy
    def functions(self) -> frozenset[str]:
        """The names of all functions called, and bare names that may be functions."""
        if self.expression.__class__ is Reference and not self.expression.bare:
            return frozenset()
        names = set()
        for node in walk(self.expression):
            if isinstance(node, Call):
                names.add(node.function)
            elif isinstance(node, Reference) and node.bare:
                names.add(str(node.path[0]))
        return frozenset(names)

    @lazy
    def roots(self) -> frozenset[str]:
        """The roots of all references."""
        return frozenset(reference.root for reference in self.references)

    @lazy
    def depth(self) -> int:
        """The depth of nested calls."""
        if self.expression.__class__ is Reference:
            return 0
        deepest = -1
        level: list[Expression] = [self.expression]
        while level:
            deepest += 1
            inner: list[Expression] = []
            for node in level:
                if node.__class__ is Call:
                    inner += [argument.value for argument in node.arguments]
                elif node.__class__ is Access:
                    inner.append(node.target)
            level = inner
        return deepest

    @lazy
    def traits(self) -> Traits:
        """The traits of strings with this shape as their only substitution."""
        return Traits((self,))


Segment: TypeAlias = str | Substitution


def residual(expression: Expression) -> Substitution:
    """A substitution that a stage made."""
    return Substitution(Shape(expression))


class Traits:
    """Facts shared by all strings whose substitutions differ in their literals only."""

    def __init__(self, shapes: Iterable[Shape]) -> None:
        self.shapes = tuple(shapes)

    @lazy
    def roots(self) -> frozenset[str]:
        """The roots of all references."""
        return frozenset().union(*(shape.roots for shape in self.shapes))

    @lazy
    def functions(self) -> frozenset[str]:
        """The names of all functions."""
        return frozenset().union(*(shape.functions for shape in self.shapes))

    @lazy
    def needs_element(self) -> bool:
        """Whether one of them refers to the element or the index of an `each`."""
        return not self.roots.isdisjoint(ELEMENT_ROOTS)

    @lazy
    def bare(self) -> bool:
        """Whether one of them has a name without a root."""
        return "resources" in self.roots and any(
            reference.bare for shape in self.shapes for reference in shape.references
        )

    @lazy
    def heads(self) -> dict[tuple[str, str], int]:
        """The root and first name of each reference, with the number of its substitution."""
        found: dict[tuple[str, str], int] = {}
        for number, shape in enumerate(self.shapes):
            for reference in shape.references:
                if reference.path:
                    found.setdefault((reference.root, str(reference.path[0])), number)
        return found


class Segments(tuple[Segment, ...]):
    """The texts and substitutions of a string, in order, and what they have in common.

    Equal strings of a run share one, so what follows from it is worked out once. `verbatim` says
    that line breaks around a substitution count, in block scalars too.
    """

    verbatim = False

    @lazy
    def substitutions(self) -> tuple[Substitution, ...]:
        """The substitutions alone."""
        return tuple([segment for segment in self if segment.__class__ is Substitution])

    @lazy
    def traits(self) -> Traits:
        """The traits of its substitutions; the language shares them among its strings."""
        shapes = [substitution.shape for substitution in self.substitutions]
        return shapes[0].traits if len(shapes) == 1 else Traits(shapes)

    @property
    def roots(self) -> frozenset[str]:
        """The roots of all references."""
        return self.traits.roots  # type: ignore[no-any-return]

    @property
    def functions(self) -> frozenset[str]:
        """The names of all functions."""
        return self.traits.functions  # type: ignore[no-any-return]

    @property
    def needs_element(self) -> bool:
        """True when the string refers to the element or the index of an `each`."""
        return self.traits.needs_element  # type: ignore[no-any-return]
