"""A plugin that breaks is told with its own line, and what it raised where it is asked for."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bpp.functions import function
from bpp.functions.breakage import breakage
from bpp.pipeline import (
    BlueprintError,
    DataSourceProvider,
    MemoryFiles,
    Run,
    Settings,
    Source,
    check,
    evaluate,
    render,
)
from bpp.pipeline.testing import assert_diagnostics, assert_expands
from bpp.transforms import Transform

SECRET = "hunter2"
DEBUG = Settings(debug=True)
FILES = {
    "acme_broken/__init__.py": "",
    "acme_broken/helpers.py": "def half(text):\n    return text / 2\n",
    "acme_broken/web.py": (
        "import json\n"
        "from .helpers import half\n"
        "def slug(text: str) -> str:\n"
        '    """A slug."""\n'
        "    return half(text)\n"
        "def parsed(text: str) -> str:\n"
        '    """A value."""\n'
        "    return json.loads(text)\n"
        "def expand(document, context):\n"
        "    return document.gett('resources')\n"
        "def answer(query):\n"
        "    raise KeyError('hunter2')\n"
        "def resolve(request):\n"
        "    return request.nothing\n"
    ),
}


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of a package that breaks in every way."""
    (tmp_path / "acme_broken").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import acme_broken.web  # type: ignore[import-not-found]

    yield acme_broken.web
    for name in [name for name in sys.modules if name.startswith("acme_broken")]:
        del sys.modules[name]


def one(body: str, **arguments: Any) -> Run:
    text = f"version: 2025-11-02\n{body}"
    return render(Source("app.yaml", text, "yaml"), files=MemoryFiles({}), **arguments)


def broken(web: Any, kind: str, settings: Settings) -> Run:
    """A run in which one plugin breaks."""
    resource = "resources: {r: {type: a/b, spec: {n: '${%s}'}}}\n"
    if kind == "transform":
        body = "transform: web-1\n" + resource % "cwd()"
        return one(body, transforms=[Transform("web-1", web.expand)], settings=settings)
    if kind == "provider":
        source = (
            "datasources:\n  d: {type: a/d, filter: {field: n, operator: '=', search: x},"
            " exports: {n: {type: string}}}\n"
        )
        body = source + resource % "datasources.d.n"
        given = DataSourceProvider(("a/d",), web.answer)
        return one(body, providers=[given], settings=settings)
    if kind == "resolver":
        include = "include: {c: {path: c.yaml, metadata: {sourceType: acme}}}\n"
        return one(include + resource % "cwd()", resolvers={"acme": web.resolve}, settings=settings)
    python = getattr(web, kind)
    calls = resource % f'{kind}("a")'
    return one(calls, functions=[function(python)], settings=settings)


KINDS = [
    ("slug", "TypeError", "acme_broken/helpers.py:2 in half"),
    ("parsed", "JSONDecodeError", "acme_broken/web.py:8 in parsed"),
    ("transform", "AttributeError", "acme_broken/web.py:10 in expand"),
    ("provider", "KeyError", "acme_broken/web.py:12 in answer"),
    ("resolver", "AttributeError", "acme_broken/web.py:14 in resolve"),
]


@pytest.mark.parametrize(("kind", "error", "place"), KINDS)
def test_a_plugin_that_breaks_is_told_with_its_line(
    web: Any, kind: str, error: str, place: str
) -> None:
    run = broken(web, kind, Settings())
    (found,) = run.diagnostics
    assert f"{error} at {place}" in found.summary
    assert run.diagnostics.causes == []
    assert SECRET not in run.report() + str(run.diagnostics)
    with pytest.raises(BlueprintError) as caught:
        run.raise_for_errors()
    assert caught.value.__cause__ is None
    assert str(caught.value) == run.report()


@pytest.mark.parametrize(("kind", "error", "place"), KINDS)
def test_with_debug_it_is_the_cause(web: Any, kind: str, error: str, place: str) -> None:
    run = broken(web, kind, DEBUG)
    (cause,) = run.diagnostics.causes
    assert type(cause).__name__ == error
    with pytest.raises(BlueprintError) as caught:
        run.raise_for_errors()
    assert caught.value.__cause__ is cause
    shown = run.report()
    assert "Traceback (most recent call last):" in shown
    line = place.partition(":")[2].partition(" ")[0]
    assert f", line {line}, in " in shown
    with pytest.raises(AssertionError) as failed:
        assert_diagnostics(run)
    assert failed.value.__cause__ is cause
    assert json.loads(run.report("json"))  # tracebacks are for people


def test_several_are_a_group(web: Any) -> None:
    body = "values:\n  a: {type: string, value: '${slug(\"a\")}'}\n"
    body += "  b: {type: string, value: '${slug(\"b\")}'}\nresources: {}\n"
    run = one(body, functions=[function(web.slug)], settings=DEBUG)
    with pytest.raises(BlueprintError) as caught:
        run.raise_for_errors()
    assert isinstance(caught.value.__cause__, ExceptionGroup)
    assert len(caught.value.__cause__.exceptions) == 2


def test_runs_keep_their_own_causes(web: Any) -> None:
    first, second = (broken(web, "slug", DEBUG) for _ in range(2))
    assert len(first.diagnostics.causes) == len(second.diagnostics.causes) == 1
    assert broken(web, "slug", Settings()).diagnostics.causes == []


def test_single_strings_and_checks_keep_them_too(web: Any) -> None:
    found = evaluate('${slug("a")}', functions=[function(web.slug)], settings=DEBUG)
    assert [type(cause) for cause in found.causes] == [TypeError]
    text = "version: 2025-11-02\ntransform: web-1\nresources: {}\n"
    diagnostics = check(
        Source("app.yaml", text, "yaml"),
        files=MemoryFiles({}),
        transforms=[Transform("web-1", web.expand)],
        settings=DEBUG,
    )
    assert [type(cause) for cause in diagnostics.causes] == [AttributeError]


def test_the_kit_has_the_cause_unasked(web: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_expands("resources: {}", "resources: {}", Transform("web-1", web.expand))
    assert isinstance(caught.value.__cause__, AttributeError)
    with pytest.raises(AssertionError, match=r"`settings=Settings\(debug=True\)`") as caught:
        assert_diagnostics(broken(web, "slug", Settings()))
    assert caught.value.__cause__ is None


def test_a_module_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "acme_broken" / "typo.py"
    file.parent.mkdir()
    file.write_text("x = 1\ny = (\n")
    try:
        compile(file.read_text(), str(file), "exec")
    except SyntaxError as error:
        assert breakage(error) == "SyntaxError at acme_broken/typo.py:2"


def test_without_a_line_of_its_own_the_kind_is_all() -> None:
    function_of_c: Callable[..., Any] = [].index
    try:
        function_of_c(1)
    except ValueError as error:
        error.__traceback__ = None
        assert breakage(error) == "ValueError"


PACKAGE = {
    "acme_broken-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
    "acme_broken-1.0.dist-info/entry_points.txt": "[bpp.functions]\nacme = acme_broken.web:slug\n",
    "app.yaml": "version: 2025-11-02\nresources: {a: {type: x/y, spec: {n: '${slug(\"a\")}'}}}\n",
    "bpp.toml": "".join(
        f'[targets.{name}]\nblueprint = "app.yaml"\noutput = "{name}.out"\nformat = "yaml"\n'
        for name in ("one", "two", "three")
    ),
    "values.yaml": "version: 2025-11-02\nvalues: {v: {type: string, value: a}}\nresources: {}\n",
}


@pytest.mark.parametrize(
    "command",
    [
        "render app.yaml",
        'eval slug("a")',
        "eval slug(values.v) -f values.yaml",
        "why app.yaml resources.a",
        "build -j 1",
        "build -j 2",
    ],
)
@pytest.mark.parametrize("traced", ["", "1", "full"])
def test_commands_show_tracebacks_on_demand(tmp_path: Path, command: str, traced: str) -> None:
    for name, text in {**FILES, **PACKAGE}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("BPP_")}
    cache = {"BPP_CACHE_DIR": str(tmp_path / "cache"), "BPP_TRACEBACK": traced}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("bpp")), *command.split()],
        cwd=tmp_path,
        env={**kept, **cache, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "failed with TypeError at acme_broken/helpers.py:2 in half" in done.stderr
    assert done.stderr.count("Traceback") == (traced == "full")
    assert ("unsupported operand" in done.stderr) is (traced == "full")


# --- results ------------------------------------------------------------------------------------

APP = """\
resources:
  a: {type: x/y, spec: {n: 1, id: "${resources.b.state.id}-x"}}
  b: {type: x/y, spec: {on: true}}
"""


def test_a_result_is_plain_data() -> None:
    run = one(APP)
    assert run.data["resources"]["a"]["spec"] == {"n": 1, "id": "${resources.b.state.id}-x"}
    assert run.data == json.loads(run.text("json"))
    run.raise_for_errors()
    failed = one("resources: {a: {type: x/y, spek: 1}}")
    with pytest.raises(BlueprintError, match="unknown_field"):
        _ = failed.data


def test_data_shows_no_more_than_text_does() -> None:
    body = (
        "variables: {p: {type: string, secret: true}}\n"
        "resources: {a: {type: x/y, spec: {p: '${variables.p}'}}}\n"
    )
    assert SECRET not in str(one(body, variables={"p": SECRET}).data)


def test_reports_and_strings() -> None:
    run = one("resources: {a: {type: x/y, spek: 1}}")
    assert "^^^^" in run.report() and run.report().endswith("\n1 error\n")
    assert run.report("sarif").startswith("{")
    assert run.report("github").startswith("::error file=app.yaml,")
    with pytest.raises(ValueError, match="xml"):
        run.report("xml")
    run = one("resources:\n  a: {type: x/y, spek: 1}\n  b: {type: x/y, spekk: 1}\n")
    first, second = run.diagnostics.sorted()
    said = "app.yaml:3:18: error[unknown_field]: `spek` is not a field of a resource"
    assert str(first).splitlines()[0] == said
    assert str(first).splitlines()[-1] == "  help: did you mean `spec`?"
    assert str(run.diagnostics) == f"{first}\n{second}"
    assert "\x1b" not in str(first.evolve(summary="\x1b[2J"))


def test_records_have_signatures() -> None:
    signature = inspect.signature(Source)
    shown = "(name: str, text: str, format: str = 'text', path: str | None = None)"
    assert str(signature) == shown
    assert "secrets: str = 'keep'" in str(inspect.signature(Settings))
    assert list(inspect.signature(Run).parameters) == list(Run.__match_args__)
    assert not hasattr(Source("a", "b"), "__signature__")
