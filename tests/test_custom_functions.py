"""Functions of your own: declared in Python, given by a caller, or installed with a package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Optional, Union

import pytest
from bpp.functions import (
    NONE,
    DeclarationError,
    Example,
    Function,
    FunctionError,
    FunctionValue,
    Parameter,
    function,
    invoke,
)
from bpp.pipeline import MemoryFiles, Run, Settings, Source, check, evaluate, find_dialect, render
from bpp.pipeline.testing import assert_diagnostics
from bpp.pipeline.world import plugins

SECRET = "hunter2-and-more"


@function(composable=True, topic="text", examples={'kebab("Orders API")': "orders-api"})
def kebab(text: str, separator: Literal["-", "_"] = "-") -> str:
    """A text in lower case with dashes for blanks.

    More is said here.

    Args:
        text: the text
        separator (str): what stands
            between the words.

    Returns:
        another text
    """
    if "/" in text:
        raise FunctionError("`kebab` takes no text with a slash", hint="leave it out", argument=0)
    return text.lower().replace(" ", separator)


@function(indexed=True, composable=True)
def label(item: str, prefix: str = "n", index: int = 0) -> str:
    """A label.

    :param item: what gets one
    :param str prefix: what it begins with
    """
    return f"{prefix}{index}-{item}"


@function
def total(items: list[int], unit: Literal["kg", "t"] = "kg", *more: float) -> Optional[float]:  # noqa: UP045
    """The sum of numbers."""
    return (sum(items) + sum(more)) * (1000 if unit == "t" else 1) if items else None


@function
def by_length(a: str, b: str) -> int:
    """Orders texts by their length."""
    return len(a) - len(b)


@function(indexed=True)
def weigh(sum_so_far: int, item: int, index: int) -> int:
    """Adds each item as often as its index says."""
    return sum_so_far + item * index


@function
def default(value: Union[str, None], other: Any) -> str:  # noqa: UP007
    """The value, or another when it is none."""
    return str(other) if value is None else value


@function
def twice(value: Any, change: Callable[[Any], Any]) -> Any:
    """What a function makes of what it makes."""
    return change(change(value))


@function
def fields(data: dict[str, list[str]]) -> list[str]:
    """All texts in the fields of an object."""
    return [text for texts in data.values() for text in texts]


@function('pad(text: string, width?: integer, side?: "left" | "right") -> string')
def _pad(text: Any, width: Any = 4, side: Any = "left") -> Any:
    """A text of a least width."""
    return text.rjust(width) if side == "left" else text.ljust(width)


@function
def half(number: float) -> float:
    """The half."""
    return number / 2


OURS = [kebab, label, total, by_length, weigh, default, twice, fields, _pad, half]


def value(expression: str, scope: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression that may call our functions."""
    found = evaluate(f"${{{expression}}}", scope, functions=OURS)
    assert found.diagnostics == (), found.diagnostics
    return found.residual if found.value is None else found.value


def mistake(expression: str, *functions: Function, **arguments: Any) -> tuple[str, str]:
    """The code and the words of the one mistake in an expression."""
    found = evaluate(f"${{{expression}}}", functions=functions or OURS, **arguments)
    (diagnostic,) = found.diagnostics
    return diagnostic.code, f"{diagnostic.summary}; {diagnostic.hint}"


# --- declarations -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "signature"),
    [
        (kebab, "kebab(text: string, separator?: string) -> string"),
        (label, "label(item: string, prefix?: string, index?: integer) -> string"),
        (total, "total(items: array, unit?: string, ...more: integer | float) -> float"),
        (by_length, "by_length(a: string, b: string) -> integer"),
        (default, "default(value: string, other: any) -> string"),
        (twice, "twice(value: any, change: function) -> any"),
        (fields, "fields(data: object) -> array"),
        (_pad, "pad(text: string, width?: integer, side?: string) -> string"),
        (half, "half(number: integer | float) -> float"),
    ],
)
def test_annotations_become_types(record: Function, signature: str) -> None:
    assert record.signature == signature


def test_docstrings_become_documents() -> None:
    assert kebab.summary == "A text in lower case with dashes for blanks"
    assert [p.doc for p in kebab.parameters] == ["the text", "what stands between the words"]
    assert kebab.parameters[1].choices == ("-", "_")
    assert kebab.examples == (Example('kebab("Orders API")', "orders-api"),)
    assert [p.doc for p in label.parameters] == ["what gets one", "what it begins with", ""]
    assert kebab.origin == f"the module `{__name__}`"
    silent = function(signature="f() -> any")(lambda: 1)
    assert silent.summary == "`f` has no description"


def test_examples_of_ours_hold() -> None:
    for record in OURS:
        for example in record.examples:
            assert value(example.expression) == example.result


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('kebab("A b")', "a-b"),
        ('kebab("A b", "_")', "a_b"),
        ("kebab(none)", NONE),
        ('kebab("A", none)', NONE),
        ('map(list("A b", "C"), kebab)', ["a-b", "c"]),
        ('map(list("A b"), kebab_g("_"))', ["a_b"]),
        ('map(list("A b"), compose(to_upper, kebab_g("_")))', ["A_B"]),
        ('map(list("a", "b"), label_g("x"))', ["x0-a", "x1-b"]),
        ('label("a", "x", 3)', "x3-a"),
        ("total(list(1, 2))", 3.0),
        ('total(list(1), "t", 2, 0.5)', 3500.0),
        ("total(list())", NONE),
        ('sort(list("ccc", "a", "bb"), by_length)', ["a", "bb", "ccc"]),
        ("reduce(list(5, 6, 7), weigh, 0)", 20),
        ('default(none, "x")', "x"),
        ('default("a", none)', NONE),
        ("twice(2, abs)", 2),
        ('twice("A B", kebab)', "a-b"),
        ('fields(object(a = list("x"), b = list("y")))', ["x", "y"]),
        ('pad("a")', "   a"),
        ('pad("a", 2, "right")', "a "),
        ("half(3)", 1.5),
        ("half(4)", 2.0),
        ("kebab(resources.a.state.x)", "${kebab(resources.a.state.x)}"),
        ("default(resources.a.state.x, 1)", "${default(resources.a.state.x, 1)}"),
        ('map(resources.a.state.x, kebab_g("_"))', '${map(resources.a.state.x, kebab_g("_"))}'),
    ],
)
def test_calls(expression: str, expected: Any) -> None:
    found = value(expression)
    assert found == expected if expected is not NONE else found is NONE
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("expression", "code", "words"),
    [
        ("kebab(1)", "invalid_argument_type", "argument 1 (`text`) of `kebab` must be a string"),
        ("kebab()", "invalid_argument_count", "`kebab` takes 1 to 2 arguments, but got 0"),
        ('kebab("a", "+")', "invalid_argument", "must be one of `-`, `_`"),
        ('kebab("a/b")', "invalid_argument", "`kebab` takes no text with a slash; leave it out"),
        ('map(list("a/b"), kebab)', "invalid_argument", "no text with a slash (at element 0)"),
        ('map(list("a/b"), kebab_g("_"))', "invalid_argument", "no text with a slash"),
        ('total(list(1, "a"))', "invalid_argument_type", "must be an array of integers"),
        ("total(list(1.5))", "invalid_argument_type", "must be an array of integers"),
        ('fields(object(a = "x"))', "invalid_argument_type", "must be an object of arrays"),
        ('pad("a", 2, "top")', "invalid_argument", "must be one of `left`, `right`"),
        ("twice(1, kebab)", "invalid_argument_type", "must be a string, not an integer"),
        ("kebap(1)", "function_not_found", "did you mean `kebab`?"),
        # the index is the last argument, so those before it must be given
        ('map(list("a"), label)', "invalid_argument_type", "argument 2 (`prefix`) of `label`"),
    ],
)
def test_mistakes(expression: str, code: str, words: str) -> None:
    found = mistake(expression)
    assert found[0] == code
    assert words in found[1]


@pytest.mark.parametrize(
    ("expression", "type_name", "places"),
    [
        ('kebab("A", "+")', "string", ["invalid_argument@4:42"]),
        ('kebab(list("A"))', "string", ["invalid_argument_type@4:37"]),
        ('sort(list("a"), by_length)', "array", []),
        ('sort(list("a"), by_lenght)', "array", ["function_not_found@4:46"]),
        ('sort(list("a"), by_length)', "string", ["value_type_mismatch@4:31"]),
    ],
)
def test_calls_are_checked_before_anything_is_evaluated(
    expression: str, type_name: str, places: list[str]
) -> None:
    text = (
        "version: 2025-11-02\nresources: {}\nvalues:\n"
        f"  a: {{type: {type_name}, value: '${{{expression}}}'}}\n"
    )
    found = check(Source("a.yaml", text, "yaml"), files=MemoryFiles({}), functions=OURS)
    assert_diagnostics(found, places)


class _Odd:
    def method(self, text: str) -> str:
        """A method."""
        return text


def test_methods_and_bound_objects_can_be_declared() -> None:
    record = function(_Odd().method)
    assert record.signature == "method(text: string) -> string"


def no_annotation(text) -> str:  # type: ignore[no-untyped-def]
    return str(text)


def no_result(text: str):  # type: ignore[no-untyped-def]
    return text


def odd_type(text: complex) -> str:
    return str(text)


def odd_choice(text: Literal[1, 2]) -> str:
    return str(text)


def only_none(text: None) -> str:
    return str(text)


def by_name(*, text: str) -> str:
    return text


def any_name(**texts: str) -> str:
    return "".join(texts)


def unknown_name(text: Missing) -> str:  # type: ignore[name-defined]  # noqa: F821
    return str(text)


def nothing_to_wait_for(*texts: str) -> str:
    return "".join(texts)


@pytest.mark.parametrize(
    ("python", "arguments", "words"),
    [
        (no_annotation, {}, "the parameter `text` of `no_annotation` has no annotation"),
        (no_result, {}, "`no_result` has no annotation for its result"),
        (odd_type, {}, "has the annotation `complex`, which has no type in expressions"),
        (odd_choice, {}, "which has no type in expressions"),
        (only_none, {}, "can only be none"),
        (by_name, {}, "cannot be given by position"),
        (any_name, {}, "cannot be given by position"),
        (unknown_name, {}, "the annotations of `unknown_name` cannot be read (NameError"),
        (
            nothing_to_wait_for,
            {"composable": True},
            "has no first argument for a composable variant",
        ),
        (by_length.call, {"indexed": True}, "function without a name needs `name`"),
        (lambda a: a, {"signature": "f(a: text) -> string"}, "has no type `text`"),
        (lambda a: a, {"signature": "f(a: string) -> text"}, "has no type `text`"),
        (lambda a: a, {"signature": "f(a: string)"}, "is not a signature such as"),
        (lambda a: a, {"signature": "f(a) -> string"}, "is not a parameter of the signature"),
        (lambda a: a, {"signature": "f() -> string"}, "does not fit the parameters in Python"),
        (lambda: 1, {"signature": "f(a: string) -> string"}, "does not fit the parameters"),
        (
            lambda a, b: a,
            {"signature": "f(a?: string, b: string) -> string"},
            "`b` comes too late",
        ),
        (
            lambda a: a,
            {"signature": "f(a: string) -> string", "indexed": True},
            "its last parameter takes an integer",
        ),
    ],
)
def test_what_cannot_be_declared_is_refused_at_once(
    python: Any, arguments: Any, words: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        function(**arguments)(python) if arguments else function(python)
    assert words in str(caught.value)


# --- functions that misbehave -------------------------------------------------------------------


def raising(error: BaseException) -> Function:
    """A function that raises."""

    def break_down(text: str) -> str:
        """Never answers."""
        raise error

    return function(break_down)


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        KeyError(SECRET),
        SystemExit(SECRET),
        RecursionError(SECRET),
        MemoryError(),
        StopIteration(SECRET),
        AssertionError(SECRET),
        TypeError(SECRET),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_is_raised_is_a_mistake_without_its_text(error: BaseException) -> None:
    code, words = mistake(f'break_down("{SECRET}")', raising(error))
    assert code == "function_failed"
    kind = type(error).__name__
    assert re.match(rf"`break_down` failed with {kind} at test_\w+\.py:\d+ in break_down; ", words)
    assert SECRET not in words


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (FunctionError("no\nway  out"), "invalid_argument", "no way out; None"),
        (FunctionError("no", "acme_code"), "acme_code", "no; None"),
        (FunctionError("no", "Not A Code"), "invalid_argument", "no; None"),
        (FunctionError("no", argument=7), "invalid_argument", "no; None"),
        (FunctionError("no", argument="x"), "invalid_argument", "no; None"),  # type: ignore[arg-type]
        (FunctionError(5, 6, 7), "invalid_argument", "`break_down` refuses its arguments; None"),  # type: ignore[arg-type]
        (FunctionError("x" * 9_000), "invalid_argument", "x" * 500 + "; None"),
    ],
)
def test_own_mistakes_are_told_in_any_form(error: FunctionError, code: str, words: str) -> None:
    assert mistake('break_down("a")', raising(error)) == (code, words)


def answering(answer: Any, result: str = "any") -> Function:
    """A function that gives the same answer always."""
    return function(signature=f"answer() -> {result}")(lambda: answer)


@pytest.mark.parametrize(
    ("answer", "result", "words"),
    [
        ({1, 2}, "any", "a value that no expression can hold: a set is not a value"),
        (object(), "any", "a value that no expression can hold"),
        (2**70, "integer", "an integer is beyond 64 bits"),
        (float("nan"), "float", "a number is not finite"),
        ({1: "a"}, "object", "a key is not a string"),
        ("a", "integer", "`answer` returned a string, not an integer"),
        (True, "integer", "`answer` returned a boolean, not an integer"),
        (1.5, "integer", "`answer` returned a float, not an integer"),
        ([1], "object", "`answer` returned an array, not an object"),
        ("a", "function", "`answer` returned a string, not a function"),
    ],
)
def test_answers_are_held_against_the_declaration(answer: Any, result: str, words: str) -> None:
    code, told = mistake("answer()", answering(answer, result))
    assert code == "invalid_function_result"
    assert words in told


def test_answers_may_be_python_of_any_kind() -> None:
    for answer, expected in (((1, None, 2), [1, 2]), ({"a": None, "b": (1,)}, {"b": [1]})):
        assert evaluate("${answer()}", functions=[answering(answer)]).value == expected
    found = evaluate("${answer()}", functions=[answering(2, "float")]).value
    assert type(found) is float
    nested: list[Any] = []
    nested.append(nested)
    assert mistake("answer()", answering(nested))[0] in ("invalid_function_result",)


def test_python_functions_are_answers_of_composable_ones() -> None:
    def above(least: int) -> Callable[..., Any]:
        """A predicate."""
        return lambda number: number > least

    found = evaluate("${filter(list(1, 5, 9), above(4))}", functions=[function(above)])
    assert found.value == [5, 9]
    broken = function(signature="broken() -> function")(lambda: lambda number: 1 // 0)
    assert mistake("map(list(1), broken())", broken)[0] == "function_failed"


def test_arguments_are_the_functions_own() -> None:
    @function
    def greedy(items: list[Any]) -> int:
        """Changes what it is given."""
        items[0]["a"] = 5
        items.clear()
        return 1

    text = (
        "version: 2025-11-02\nresources:\n  r: {type: x/y, spec: {n: '${greedy(values.v)}', "
        "v: '${values.v}'}}\nvalues:\n  v: {type: array, value: [{a: 1}]}\n"
    )
    run = render(Source("a.yaml", text, "yaml"), files=MemoryFiles({}), functions=[greedy])
    assert run.ok
    spec = json.loads(run.text("json"))["resources"]["r"]["spec"]
    assert spec == {"n": 1, "v": [{"a": 1}]}


def secret_run(secrets: str, *functions: Function) -> Run:
    """A render in which a secret goes through `reveal_it`."""
    text = (
        "version: 2025-11-02\nvariables:\n  p: {type: string, secret: true}\n"
        "resources:\n  r: {type: x/y, spec: {a: '${reveal_it(variables.p)}'}}\n"
    )
    return render(
        Source("a.yaml", text, "yaml"),
        files=MemoryFiles({}),
        variables={"p": SECRET},
        functions=functions,
        settings=Settings(secrets=secrets),
    )


@pytest.mark.parametrize("secrets", ["keep", "mask", "reveal"])
@pytest.mark.parametrize("kind", [FunctionError, ValueError])
def test_secrets_are_never_told(secrets: str, kind: type[Exception]) -> None:
    seen: list[str] = []

    def reveal_it(text: str) -> str:
        """Tells what it was given."""
        seen.append(text)
        raise kind(f"cannot work with {text[:12]}")

    run = secret_run(secrets, function(reveal_it))
    said = "".join(f"{d.summary} {d.hint} {d.notes}" for d in run.diagnostics)
    assert SECRET[:12] not in said
    assert run.ok is (secrets != "reveal")
    assert seen == ([SECRET] if secrets == "reveal" else [])
    inside = function(signature="reveal_it(text: string) -> string", composable=True)(reveal_it)
    assert SECRET[:12] not in repr(list(secret_run(secrets, inside).diagnostics))


def test_functions_of_a_dialect_are_as_discreet() -> None:
    def reveal_it(text: str) -> str:
        """Tells what it was given."""
        raise FunctionError(f"cannot work with {text}")

    base = find_dialect("bluelink")
    own = function(composable=True)(reveal_it)
    dialect = base.evolve(functions=lambda s: base.functions(s).with_functions(own))
    scope = {"values": {"v": SECRET}}
    for expression in ("reveal_it(values.v)", "map(list(values.v), reveal_it_g())"):
        for secrets in ("keep", "reveal"):
            found = evaluate(
                f"${{{expression}}}", scope, dialect=dialect, settings=Settings(secrets=secrets)
            )
            (diagnostic,) = found.diagnostics
            assert (SECRET in diagnostic.summary) is (secrets == "keep")


# --- records made by hand -----------------------------------------------------------------------


def test_records_made_by_hand_are_guarded_too() -> None:
    line = sys._getframe().f_lineno + 6
    record = Function(
        name="odd",
        summary="fails",
        parameters=(Parameter("text", ("string",)),),
        result="string",
        call=lambda text: text / 0,
        topic="text",
    )
    code, words = mistake('odd("a")', record)
    assert (code, words) == (
        "function_failed",
        f"`odd` failed with TypeError at test_custom_functions.py:{line} in <lambda>; "
        "this is a mistake in the function, which the caller declares",
    )


def test_a_name_is_given_once() -> None:
    for twice_given in ([kebab, kebab], [kebab, kebab.evolve(name="kebab_g", composable=False)]):
        with pytest.raises(ValueError, match="registered twice"):
            evaluate("a", functions=twice_given)
    with pytest.raises(ValueError, match="a `str` is no function"):
        evaluate("a", functions=["kebab"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="`len` is registered twice"):
        evaluate("a", functions=[kebab.evolve(name="len", composable=False)])


def test_a_record_can_be_called_from_python() -> None:
    assert kebab.call("A B") == "a-b"
    assert invoke(kebab, ["A B", "_"]) == "a_b"
    with pytest.raises(FunctionError, match="must be a string"):
        invoke(kebab, [1])
    value = invoke(answering(lambda: 1, "function"), [])
    assert isinstance(value, FunctionValue)
    assert invoke(answering(value, "function"), []) is value


# --- packages -----------------------------------------------------------------------------------

ACME = '''
from __future__ import annotations
from bpp.functions import function

@function(composable=True, topic="text", examples={'shout("a")': "A!"})
def shout(text: str) -> str:
    """A text said loudly.

    Args:
        text: what is said
    """
    return text.upper() + "!"

def whisper(text: str) -> str:
    """A text said quietly."""
    return text.lower()

def untyped(text):
    return text

ONE = shout
ALL = [shout, whisper]
TWICE = [whisper, whisper]
CORE = [function(name="len")(whisper), shout]
'''


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Installs packages of one module each, with entry points for functions."""

    def make(name: str, points: Iterable[str], code: str = ACME) -> Path:
        folder = tmp_path / name
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code, "utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[bpp.functions]", *points, ""]))
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return folder

    return make


def installed(expression: str) -> tuple[Any, list[tuple[str, str]]]:
    """The value of an expression, and what was said, with what is installed."""
    found = evaluate(f"${{{expression}}}")
    return found.value, [(d.severity, f"{d.code}: {d.summary}") for d in found.diagnostics]


@pytest.mark.parametrize("point", ["shout = acme_a:ONE", "anything = acme_a:ALL"])
def test_installed_functions_are_found(install: Callable[..., Path], point: str) -> None:
    install("acme_a", [point])
    assert installed('shout("a")') == ("A!", [])
    assert installed('map(list("a"), shout)') == (["A!"], [])
    assert installed('map(list("a"), shout_g())') == (["A!"], [])
    assert installed("shout(1)")[1][0][1].startswith("invalid_argument_type")


def test_a_plain_python_function_may_be_installed(install: Callable[..., Path]) -> None:
    install("acme_a", ["quiet = acme_a:whisper"])
    assert installed('whisper("A")') == ("a", [])


def test_installed_functions_are_known_to_the_checks(install: Callable[..., Path]) -> None:
    install("acme_a", ["all = acme_a:ALL"])
    text = (
        "version: 2025-11-02\nvalues:\n  a: {type: string, value: '${shout(\"a\")}'}\n"
        "  b: {type: array, value: '${map(list(\"a\"), shout)}'}\n"
        "resources:\n  whisper: {type: x/y, spec: {a: '${shout(values.a)}', b: '${values.b}'}}\n"
    )
    source = Source("a.yaml", text, "yaml")
    run = render(source, files=MemoryFiles({}))
    assert run.ok
    assert "a: A!!" in run.text()
    assert_diagnostics(run, [], [])
    assert_diagnostics(check(source, files=MemoryFiles({})), [], [])
    wrong = Source("a.yaml", text.replace("shout(values.a)", "shout(5)"), "yaml")
    assert_diagnostics(check(wrong, files=MemoryFiles({})), ["invalid_argument_type@6:43"])


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("x = acme_b:NOTHING", "cannot be imported (AttributeError)"),
        ("x = acme_none:ALL", "cannot be imported (ModuleNotFoundError)"),
        ("x = acme_b:__name__", "is a `str`, not a `Function`"),
        ("x = acme_b:NUMBERS", "is a `list`, not a `Function`"),
        ("x = acme_b:untyped", "the parameter `text` of `untyped` has no annotation"),
        ("x = acme_b:TWICE", "declares the function `whisper` twice"),
        ("x = acme_b:CORE", "declares the function `len`, which is a core function"),
        ("x = acme_b:VARIANT", "has no first argument, which"),
    ],
)
def test_a_package_that_does_not_work_is_told_and_passed_over(
    install: Callable[..., Path], point: str, words: str
) -> None:
    more = (
        "NUMBERS = [1, shout]\n"
        "VARIANT = function(signature='f() -> any')(lambda: 1).evolve(composable=True)\n"
    )
    install("acme_a", ["all = acme_a:ONE"])
    install("acme_b", [point], ACME.replace("shout", "cry") + more.replace("shout", "cry"))
    found, said = installed('shout("a")')
    assert found == "A!"
    (remark,) = said
    assert remark[0] == "warning"
    assert remark[1].startswith("function_not_loaded: ")
    assert words in remark[1]
    package = "acme_b"
    assert f"`{point}` of the package `{package}`" in remark[1]


def test_what_two_packages_declare_is_nobodys(install: Callable[..., Path]) -> None:
    install("acme_a", ["all = acme_a:ALL"])
    install("acme_b", ["quiet = acme_b:whisper"])
    found, said = installed('whisper("a")')
    both = (
        "the entry point `all = acme_a:ALL` of the package `acme_a` and the entry point "
        "`quiet = acme_b:whisper` of the package `acme_b` both declare the function `whisper`"
    )
    assert found is None
    assert [severity for severity, _ in said] == ["error", "warning"]
    assert all(text == f"function_not_loaded: {both}" for _, text in said)
    assert installed('shout("a")')[0] == "A!"


def test_what_the_caller_gives_comes_before_what_is_installed(
    install: Callable[..., Path],
) -> None:
    install("acme_a", ["all = acme_a:ALL"])
    own = function(signature="shout(text: string) -> string")(lambda text: "own")
    assert evaluate('${shout("a")}', functions=[own]).value == "own"
    found = evaluate('${whisper(shout("a"))}', functions=[own])
    assert found.value == "own"
    assert "which the module" in found.diagnostics[0].summary


def test_packages_are_looked_at_for_unknown_functions_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scanned(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(plugins, "_installed", scanned)
    text = (
        "version: 2025-11-02\nresources:\n  a: {type: x/y, spec: {n: '${len(list(a.spec.m))}', "
        "m: 1}}\n  b: {type: x/y, spec: {o: '${a.spec.m}', p: '${link(a, b)}'}}\n"
    )
    assert_diagnostics(render(Source("a.yaml", text, "yaml"), files=MemoryFiles({})), [], [])
    assert evaluate('${kebab("A b")}', functions=OURS).value == "a-b"
    with pytest.raises(AssertionError):
        evaluate("${unheard_of()}")


def bpp(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line with a package on its path."""
    program = "from bpp.pipeline.cli.entry import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_command_line_shows_installed_functions(install: Callable[..., Path]) -> None:
    folder = install("acme_a", ["all = acme_a:ALL"])
    shown = bpp(folder, "functions", "shout")
    assert shown.stdout == (
        "shout(text: string) -> string\n\nA text said loudly\n\n"
        "Declared by the entry point `all = acme_a:ALL` of the package `acme_a`\n\n"
        "Parameters\n  text         string: what is said\n\n"
        'Examples\n  shout("a")\n    = "A!"\n'
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    listed = bpp(folder, "functions").stdout
    assert "  shout_g(" in listed
    assert bpp(folder, "eval", 'shout("a")').stdout == '"A!"\n'
    unknown = bpp(folder, "functions", "shoot")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "did you mean `shout`?" in unknown.stderr


def test_the_command_line_goes_on_with_a_broken_package(install: Callable[..., Path]) -> None:
    folder = install("acme_a", ["x = acme_none:X", "all = acme_a:ALL"])
    done = bpp(folder, "eval", 'shout("a")')
    assert (done.returncode, done.stdout) == (0, '"A!"\n')
    assert "`x = acme_none:X` of the package `acme_a` cannot be imported" in done.stderr
    broken = install("acme_b", ["twice = acme_b:TWICE"])
    done = bpp(broken, "functions", "whisper")
    assert done.returncode == 2
    assert "declares the function `whisper` twice" in done.stderr
    assert "Traceback" not in done.stderr
