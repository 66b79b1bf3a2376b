"""The values of an evaluation, and where names are looked for.

A document is a tree of cells that are computed when they are asked for. A value is plain data, a
`Table` for a map of a document, or a function or template; lists and maps may hold cells. A cell
that fails keeps its `Problem`; what needs it then waits for good (`Waiting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ....functions.record import Record
from ...language.errors import Failure
from ...values.expression import Expression
from ...values.tree import AnyNode, Array, Map, Scalar

TEMPORARY: Final = 1
LOCAL: Final = 2
INJECT: Final = 4
STATE: Final = 8
DEFAULT: Final = 16
TEMPLATE: Final = 32
IMPLIED: Final = 128
MARKERS: Final = {
    "&temporary": TEMPORARY,
    "&local": LOCAL,
    "&inject": INJECT,
    "&state": STATE,
    "&default": DEFAULT,
    "&template": TEMPLATE,
}
INSERTIONS: Final = ("<<", "<<<")
SELF: Final = "_"
DOCUMENT: Final = "__"
OUTERMOST: Final = "___"
CONTEXT: Final = "__ctx"


class Undefined:
    """The value of `~~`: what has it disappears."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "~~"


UNDEFINED: Final = Undefined()
MISSING: Final = Undefined()


class Problem(Failure):
    """An expression that fails, which `||`, `catch` and `valid` notice.

    `sentence` is the engine's, with names in single quotes, as `catch` gives it. `home` is the cell
    in whose text the `node` stands. A `final` one is noticed by nothing.
    """

    def __init__(
        self,
        sentence: str,
        node: Any = None,
        hint: Any = None,
        code: str = "spiff_unresolved",
        notes: tuple[Any, ...] = (),
        final: bool = False,
    ) -> None:
        super().__init__(code, sentence.replace("'", "`"), node, hint, notes)
        self.sentence = sentence
        self.final = final
        self.home: Cell | None = None


class Waiting(Exception):
    """An expression that needs a cell that has no value; nothing in the expression helps that.

    `cause` is the cell that failed for a reason of its own, None in a `cycle`, which has the cells
    on the way from one back to itself.
    """

    def __init__(self, label: str, cause: Cell | None, cycle: tuple[Cell, ...] = ()) -> None:
        super().__init__(label)
        self.label = label
        self.cause = cause
        self.cycle = cycle


class Frame:
    """One scope: the entries of a map of a document, or names of a lambda, in front of others."""

    __slots__ = ("entries", "outer")

    def __init__(self, entries: Table | Mapping[str, Any], outer: Frame | None) -> None:
        self.entries = entries
        self.outer = outer


class Instance:
    """One use of a template, or one document inside of another: what fails in it, fails its use."""

    __slots__ = ("outer",)

    def __init__(self, outer: Instance | None) -> None:
        self.outer = outer


class Env:
    """Where an expression stands.

    `path` leads to it, `stub_path` is where stubs are asked for its value: None for nowhere.
    `locals` are the names of lambdas and scopes, which functions made here keep. `stubs` are the
    documents behind it, `root` is its own document, `outer` where names are looked for last, and
    `source` the file.
    """

    frame: Frame | None = None
    path: tuple[str, ...] = ()
    stub_path: tuple[str, ...] | None = ()
    locals: Mapping[str, Any] = MappingProxyType({})
    stubs: tuple[Cell, ...] = ()
    root: Any = None
    outer: Env | None = None
    source: str = ""
    instance: Instance | None = None

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def inside(self, entries: Table) -> Env:
        """In front of which the entries of a map are seen."""
        return self._but(frame=Frame(entries, self.frame))

    def local(self, names: Mapping[str, Any]) -> Env:
        """In front of which the names of a lambda or a scope are seen."""
        return self._but(frame=Frame(names, self.frame), locals={**self.locals, **names})

    def at(self, step: str) -> Env:
        """One step further down."""
        stub_path = self.stub_path
        return self._but(
            path=(*self.path, step),
            stub_path=None if stub_path is None else (*stub_path, step),
        )

    def _but(self, **changes: Any) -> Env:
        made = Env(**self.__dict__)
        made.__dict__.update(changes)
        return made

    def redirected(self, path: tuple[str, ...] | None) -> Env:
        """Which asks stubs for another path."""
        return self._but(stub_path=path)

    def standing_in(self, instance: Instance) -> Env:
        """Of a use of a template."""
        return self._but(instance=instance)

    def belongs_to(self, instance: Instance) -> bool:
        """True for what stands in a use of a template, or deeper."""
        found = self.instance
        while found is not None and found is not instance:
            found = found.outer
        return found is not None


RAW: Final = 0
BUSY: Final = 1
DONE: Final = 2
FAILED: Final = 3


class Cell:
    """A node of a document on the way to its value.

    `node` is what was written, in an environment, or a `step` below it; a cell without a node has a
    `value` from the start. `override` says that stubs may replace the value, `origin` is what made
    it. `deep` says that all of the value is known.
    """

    __slots__ = (
        "_env",
        "deep",
        "failure",
        "flags",
        "key_name",
        "node",
        "origin",
        "override",
        "status",
        "step",
        "value",
    )

    def __init__(
        self,
        node: AnyNode | None,
        env: Env,
        override: bool = True,
        flags: int = 0,
        step: str | None = None,
    ) -> None:
        self.node = self.origin = node
        self._env = env
        self.step = step
        self.override = override
        self.flags = flags
        self.value: Any = None
        self.failure: Problem | Waiting | None = None
        self.key_name = ""
        # a scalar is its own value unless it is an expression, or a stub may have another one
        if node.__class__ is Scalar and not (override and env.stubs) and _is_plain(node.value):
            self.value = node.value
            self.status = DONE
            self.deep = True
        else:
            self.status = RAW
            self.deep = False

    @property
    def env(self) -> Env:
        """Where it stands."""
        if self.step is not None:
            self._env, self.step = self._env.at(self.step), None
        return self._env

    @property
    def label(self) -> str:
        """Its path, for messages."""
        return path_text(self.env.path) or "."


def _is_plain(value: Any) -> bool:
    return not (isinstance(value, str) and value.startswith("((") and value.endswith("))"))


def known(value: Any, env: Env, flags: int = 0) -> Cell:
    """A cell whose value is known."""
    made = Cell(None, env, False, flags)
    made.value, made.status = value, DONE
    return made


def path_text(path: tuple[str, ...]) -> str:
    """A path of an environment as references write it: `l.alice.[0]`."""
    return ".".join(step.partition(":")[2] or step for step in path)


class Table:
    """A map of a document: its own `cells`, and the cell of what is inserted, if anything is.

    `at` is the number of own keys before the insertion. `entries` are both, once known. `merged`
    says that what is inserted comes from a stub.
    """

    __slots__ = ("at", "cells", "entries", "env", "insertion", "merged", "node")

    def __init__(self, node: AnyNode | None, env: Env) -> None:
        self.node = node
        self.env = env
        self.cells: dict[str, Any] = {}
        self.insertion: Cell | None = None
        self.at = 0
        self.entries: dict[str, Any] | None = None
        self.merged = False


class Rows(list[Any]):
    """A list of a document, with the field by which its maps are addressed."""

    __slots__ = ("key_name",)

    def __init__(self, items: list[Any], key_name: str = "") -> None:
        super().__init__(items)
        self.key_name = key_name


class Parameter(Record):
    """A parameter of a lambda; `default` is `MISSING` without one."""

    name: str
    default: Any = MISSING


class Lambda:
    """A function of a document: `locals` are the names that it keeps, `env` where it was made.

    `home` is the cell in whose text it stands, `text` how it is printed.
    """

    __slots__ = ("body", "env", "home", "locals", "parameters", "text", "variadic")

    def __init__(
        self,
        parameters: tuple[Parameter, ...],
        variadic: bool,
        body: Expression,
        text: str,
        locals_: Mapping[str, Any],
        env: Env,
        home: Cell | None,
    ) -> None:
        self.parameters = parameters
        self.variadic = variadic
        self.body = body
        self.text = text
        self.locals = locals_
        self.env = env
        self.home = home


class Template:
    """A node that is evaluated where it is used.

    `shown` is the node in a result; what a use evaluates is the node `prepared`, or a tree.
    """

    __slots__ = ("env", "prepared", "shown")

    def __init__(self, shown: AnyNode, env: Env, prepared: AnyNode | Expression) -> None:
        self.shown = shown
        self.env = env
        self.prepared = prepared

    def cell(self, env: Env, override: bool = False) -> Cell | None:
        """The cell of a use of a node."""
        node = self.prepared
        return Cell(node, env, override) if isinstance(node, Scalar | Array | Map) else None


def type_name(value: Any) -> str:
    """The type of a value as the language names it."""
    match value:
        case None | Undefined():
            return "nil"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "string"
        case list():
            return "list"
        case dict() | Table():
            return "map"
        case Lambda():
            return "lambda"
        case Template():
            return "template"
    return type(value).__name__
