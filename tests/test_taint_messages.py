"""No message, no object shown as text and no report of a bug holds a secret."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from bpp.functions import Function, FunctionError, Parameter
from bpp.pipeline import (
    Diagnostic,
    DiskFiles,
    MemoryFiles,
    Reference,
    Run,
    Settings,
    Source,
    VariableInputs,
    diff,
    graph,
    render,
    testing,
    why,
)
from bpp.pipeline.cli import render_command
from bpp.pipeline.dialects.bluelink.evaluating.evaluation import Evaluation
from bpp.pipeline.engine.input_files import read_variables
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.rendering import prepare
from bpp.pipeline.values.diagnostics import Diagnostics
from support.in_process import bpp_inside
from support.taint import TYPES, Finder, few, rows, written
from support.taint_folder import ENVIRONMENT, SECRETS, blueprint, more
from support.taint_folder import write as write_folder

FINDER = Finder(SECRETS)
MODES = ("keep", "mask", "reveal")
TYPED: dict[str, Any] = {
    "flag": SECRETS["flag"],
    "lines": SECRETS["lines"],
    "integer": int(SECRETS["integer"]),
    "negative": -int(SECRETS["integer"]),
    "float": float(SECRETS["float"]),
    "boolean": True,
    "json": more()["json"],
    "custom": SECRETS["custom type"],
    "file": SECRETS["file"],
    "environment": SECRETS["environment"],
}
# each goes to every argument of every function
KINDS = [
    *(f"variables.{name}" for name in TYPED),
    *("values.object", "values.array", "values.numbers", "values.broken"),
]


def said(diagnostics: Iterator[Diagnostic]) -> str:
    return "\n".join(
        f"{item.summary} {item.hint} {[note.text for note in item.notes]}" for item in diagnostics
    )


def fed_with_secrets() -> tuple[str, int]:
    """A blueprint that gives secrets of every type to every function, and how many calls it has."""
    document = blueprint({}, [])
    values = document["values"]
    values["numbers"] = {"type": "array", "secret": True, "value": [7391846205, 48213.90517]}
    broken = f'{{"{SECRETS["JSON, key"]}": {SECRETS["JSON, field"]}'
    values["broken"] = {"type": "string", "secret": True, "value": broken}
    document["variables"]["negative"] = {"type": "integer", "secret": True}
    spec = {}
    for number, row in enumerate(few(rows())):
        for name, value in row.others(f"p{number}"):
            values[name] = {"type": TYPES[type(value)], "value": written(value)}
        for kind in KINDS:
            root, name = kind.split(".")
            spec[f"f{len(spec)}"] = "${" + row.text(Reference(root, (name,)), f"p{number}") + "}"
    document["resources"] = {
        name: {"type": "a/b", "spec": {}} for name in ("orderApi", "createOrderFunction")
    }
    document["resources"]["fields"] = {"type": "a/b", "spec": spec}
    for section in ("include", "exports", "datasources"):
        del document[section]
    return json.dumps(document), len(spec)


@pytest.mark.slow
def test_no_mistake_of_a_call_tells_a_secret() -> None:
    text, count = fed_with_secrets()
    settings = Settings(secrets="reveal", limits=Settings().limits.evolve(max_diagnostics=9999))
    done = render(Source("b.json", text, "json"), variables=TYPED, settings=settings)
    assert count > 1000
    assert count / 3 < done.diagnostics.errors < count
    assert FINDER.found(said(iter(done.diagnostics))) == []


DEFINITIONS = (
    "type: integer",
    "type: float",
    "type: boolean",
    "type: string, allowedValues: [a, b]",
    "type: string, default: 1",
    "type: acme/labels",
    "type: array",
    "type: integer, allowedValues: [1]",
)


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_no_mistake_of_a_value_tells_it(definition: str, secrets: str) -> None:
    declared = f"variables: {{v: {{{definition}, secret: true}}}}"
    text = f"version: 2023-04-20\n{declared}\nresources: {{}}\n"
    told = 0
    for name, value in SECRETS.items():
        data = json.dumps({"v": value}).encode()
        file = read_variables("v.json", data, Meter(Settings().limits), Diagnostics())
        for given in (
            VariableInputs(flags={"v": value}),
            VariableInputs(environment={"BPP_VAR_v": value}),
            VariableInputs(files=(file,)),
            VariableInputs(values={"v": value}),
            VariableInputs(values={"v": [value]}),
            VariableInputs(values={"v": {value: value}}),
            VariableInputs(values={"w": value}),
        ):
            done = render(Source("b.yaml", text), given=given, settings=Settings(secrets=secrets))
            told += len(done.diagnostics)
            assert FINDER.found(said(iter(done.diagnostics))) == [], name
    assert told


@pytest.mark.parametrize("secrets", MODES)
def test_no_mistake_of_a_childs_variable_tells_what_it_gets(secrets: str) -> None:
    child = {
        "version": "2023-04-20",
        "variables": {
            "a": {"type": "string", "allowedValues": ["x", "y"]},
            "b": {"type": "acme/labels"},
            "c": {"type": "integer"},
        },
        "resources": {},
    }
    given = {
        "a": "${to_upper(variables.flag)}",
        "b": "${base64encode(variables.flag)}",
        "c": "${len(variables.flag)}",
        "d": "${variables.flag}",
    }
    main = {
        "version": "2023-04-20",
        "variables": {"flag": {"type": "string", "secret": True}},
        "include": {"child": {"path": "child.json", "variables": given}},
        "resources": {},
    }
    files = MemoryFiles({"b.json": json.dumps(main), "child.json": json.dumps(child)})
    variables = {"flag": SECRETS["flag"]}
    done = render("b.json", files=files, variables=variables, settings=Settings(secrets=secrets))
    assert len(done.diagnostics) >= 1 + (secrets == "reveal")
    assert FINDER.found(said(iter(done.diagnostics))) == []


# ---------------------------------------------------------------- code of others


def raising(error: Callable[[str], BaseException]) -> Function:
    def call(value: Any) -> Any:
        raise error(json.dumps(value))

    return Function(
        "shout", "shouts", (Parameter("value", ("any",), "a value"),), "any", call, "test"
    )


@pytest.mark.parametrize("error", [KeyError, ValueError, FunctionError, SystemExit, RuntimeError])
def test_no_exception_of_a_function_is_told(error: Callable[[str], BaseException]) -> None:
    spec = {kind: f"${{shout({kind})}}" for kind in KINDS[:6]}
    document = blueprint({}, []) | {"resources": {"a": {"type": "a/b", "spec": spec}}}
    for section in ("include", "exports", "datasources"):
        del document[section]
    document["variables"]["negative"] = {"type": "integer", "secret": True}
    for secrets, mistakes in (("keep", 0), ("reveal", len(spec))):
        done = render(
            Source("b.json", json.dumps(document), "json"),
            variables=TYPED,
            settings=Settings(secrets=secrets),
            functions=[raising(error)],
        )
        assert done.diagnostics.errors == mistakes
        assert FINDER.found(said(iter(done.diagnostics))) == []


@pytest.mark.parametrize("traced", ["", "1"])
def test_no_report_of_a_bug_tells_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, traced: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        held = {"key": SECRETS["flag"]}
        try:
            raise ValueError(f"unreadable: {held}")
        except ValueError as error:
            error.add_note(SECRETS["lines"])
            raise KeyError(SECRETS["file"], held) from error

    write_folder(tmp_path, share=99)
    monkeypatch.setattr(render_command, "render", fail)
    env = {**ENVIRONMENT, "BPP_TRACEBACK": traced}
    done = bpp_inside(tmp_path, "render", "b.json", env=env)
    assert done.returncode == 70
    assert "KeyError" in done.stderr
    assert ("ValueError" in done.stderr) == bool(traced)
    assert done.stderr.count("in fail\n") == (3 if traced else 1)
    assert FINDER.found(done.stderr) == []


# ---------------------------------------------------------------- objects


@attrs.frozen
class Made:
    """A run in a folder full of secrets, and what is around it."""

    run: Run
    around: tuple[Any, ...]


def made(folder: Path, secrets: str) -> Made:
    write_folder(folder, share=20)
    file = read_variables(
        "given.yaml", (folder / "given.yaml").read_bytes(), Meter(Settings().limits), Diagnostics()
    )
    flags = {"flag": SECRETS["flag"], "lines": SECRETS["lines"], **more()}
    given = VariableInputs(
        flags=flags, environment=ENVIRONMENT, files=(file,), values={"extra": flags}
    )
    arguments: dict[str, Any] = {
        "given": given,
        "files": DiskFiles(cwd=str(folder)),
        "settings": Settings(secrets=secrets),
        "state": {"children": {"child": {"flag": SECRETS["flag"]}}},
        "datasources": {"acme/users": [{"name": SECRETS["flag"]}]},
    }
    context, _ = prepare("b.json", **arguments)
    return Made(render("b.json", **arguments), (context, given, file, file.assignments))


@pytest.mark.parametrize("secrets", MODES)
def test_no_object_shows_a_secret_as_text(tmp_path: Path, secrets: str) -> None:
    found = made(tmp_path, secrets)
    run = found.run
    last = run.stages[-1][1]
    things: list[Any] = [run, *run.stages, last.source, last, *run.diagnostics, *found.around]
    evaluation = run.work.find(Evaluation)
    assert evaluation is not None
    things += [run.work, evaluation, evaluation.variables, run.diagnostics, run.language]
    if secrets != "reveal":
        things += [why(run, "resources.when.spec"), why(run, "values.object.value"), graph(run)]
        things += [diff(run, made(tmp_path, "mask").run), testing.story(run)]
        things += [testing.said(run.diagnostics)]
    for thing in things:
        for text in (repr(thing), str(thing), f"{thing}"):
            assert FINDER.found(text) == [], type(thing)


def test_no_failure_of_the_testing_kit_tells_a_secret(tmp_path: Path) -> None:
    run = made(tmp_path, "reveal").run
    with pytest.raises(AssertionError) as caught:
        testing.assert_diagnostics(run.diagnostics, errors=["no_such_code@1"])
    assert "no_such_code" in str(caught.value)
    assert FINDER.found(str(caught.value)) == []


def test_no_diagnostic_carries_what_was_given(tmp_path: Path) -> None:
    # a diagnostic takes the text along in which it points, and nothing else
    text = (
        "version: 2023-04-20\n"
        "variables: {flag: {type: string, secret: true, allowedValues: [a, b]}}\n"
        "resources: {r: {type: a/b, spec: {x: '${jsondecode(variables.flag)}'}}}\n"
    )
    for definition in (text, text.replace(", allowedValues: [a, b]", "")):
        run = render(
            Source("b.yaml", definition),
            variables={"flag": SECRETS["flag"]},
            settings=Settings(secrets="reveal"),
        )
        assert run.diagnostics.errors == 1
        for item in (run.diagnostics, *run.diagnostics):
            assert FINDER.found(pickle.dumps(item).decode("latin-1")) == []
            assert FINDER.found(repr(item)) == []
