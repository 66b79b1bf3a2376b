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
from ....functions.spiff.values import TYPE_NAMES
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.expression import Argument, Call, Expression, Literal
from ...values.tree import AnyNode, Array, Map, Scalar
from .forms import EXPANDED, LAMBDA, NEVER
from .printing import show

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


class Env:
    """Where an expression stands.

    `frames` are the scopes from inside out: maps of a document, and names of lambdas. `path` leads
    to it, `stub_path` is where stubs are asked for its value: None for nowhere. `locals` are the
    names of lambdas and scopes, which functions made here keep. `stubs` are the documents behind
    it, `root` is its own document, `outer` where names are looked for last. `uses` are the uses of
    templates that it stands in: what fails in one, fails the use.
    """

    frames: tuple[Table | Mapping[str, Any], ...] = ()
    path: tuple[str, ...] = ()
    stub_path: tuple[str, ...] | None = ()
    locals: Mapping[str, Any] = MappingProxyType({})
    stubs: tuple[Cell, ...] = ()
    root: Any = None
    outer: Env | None = None
    uses: tuple[object, ...] = ()

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def but(self, **changes: Any) -> Env:
        """The same place, but for some fields."""
        made = Env(**self.__dict__)
        made.__dict__.update(changes)
        return made

    def inside(self, entries: Table) -> Env:
        """In front of which the entries of a map are seen."""
        return self.but(frames=(entries, *self.frames))

    def local(self, names: Mapping[str, Any]) -> Env:
        """In front of which the names of a lambda or a scope are seen."""
        return self.but(frames=(names, *self.frames), locals={**self.locals, **names})

    def at(self, step: str) -> Env:
        """One step further down."""
        stub_path = None if self.stub_path is None else (*self.stub_path, step)
        return self.but(path=(*self.path, step), stub_path=stub_path)

    def redirected(self, path: tuple[str, ...] | None) -> Env:
        """Which asks stubs for another path."""
        return self.but(stub_path=path)


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


class Lambda(Record, eq=False):
    """A function of a document: `locals` are the names that it keeps, `env` where it was made.

    `home` is the cell in whose text it stands.
    """

    parameters: tuple[Parameter, ...]
    variadic: bool
    body: Expression
    locals: Mapping[str, Any]
    env: Env
    home: Cell | None = None

    @property
    def text(self) -> str:
        """How it is printed, with the values of its defaults."""
        names = [
            Argument(Call(NEVER) if one.default is MISSING else Literal(one.default), one.name)
            for one in self.parameters
        ]
        more = (Argument(Call(EXPANDED)),) if self.variadic else ()
        return show(Call(LAMBDA, (Argument(self.body), *names, *more)))


class Template(Record, eq=False):
    """A node that is evaluated where it is used.

    `shown` is the node in a result; what a use evaluates is the node `prepared`, or a tree.
    """

    shown: AnyNode
    env: Env
    prepared: AnyNode | Expression

    def cell(self, env: Env, override: bool = False) -> Cell | None:
        """The cell of a use of a node."""
        node = self.prepared
        return Cell(node, env, override) if isinstance(node, Scalar | Array | Map) else None


_NAMES: Final[dict[type, str]] = {
    **TYPE_NAMES,
    Undefined: "nil",
    Table: "map",
    Lambda: "lambda",
    Template: "template",
}


def type_name(value: Any) -> str:
    """The type of a value as the language names it."""
    kinds = type(value).__mro__
    return next((_NAMES[kind] for kind in kinds if kind in _NAMES), kinds[0].__name__)


def failed(error: FunctionError, tree: Expression) -> Problem:
    """The failure of a call for the error of its function.

    Raises:
        FunctionError: the error itself, if it ends the run.
    """
    if error.code == "limit_exceeded":
        raise error
    own = {"template_failed", "function_refused", "function_needs_stub", "unknown_value"}
    code = error.code if error.code in own else "spiff_unresolved"
    final = code in own and code != "template_failed"
    return Problem(error.message.replace("`", "'"), tree, error.hint, code, (), final)
