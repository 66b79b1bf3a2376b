"""What may be quoted: every command, every kind of mistake, every place that a secret comes from.

The commands run in a folder in which one secret is written where a mistake is; all that they print,
and every file that they write, is searched for it in twelve encodings.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bpp.pipeline import Diagnostics, MemoryFiles, Quoting, Source, Span, check, render
from bpp.pipeline.dialects.bluelink.secrets.quotation import hidden, is_blueprint
from bpp.pipeline.formats.report import render_text
from bpp.pipeline.values.quoting import Ranges
from support.in_process import bpp_inside
from support.taint import Finder

S = "Kq7vXw2mZr9LtB4n"
FINDER = Finder({"the secret": S})
FORMATS = ("json", "sarif", "github")
VERSION = "version: 2025-11-02\n"
SECRET_PIN = "{type: string, secret: true, allowedValues: [one, two]}"
CHILD = f"{VERSION}variables:\n  pin: {SECRET_PIN}\nresources: {{}}\n"

# what is written in a definition of a secret, by the kind of mistake
DEFINED = {
    "syntax": f'p: {{type: string, secret: true, default: "{S}}}',
    "syntax, below": f"p:\n    type: string\n    secret: true\n    default: {S}: x\n",
    "syntax, misspelt": f'p:\n    type: string\n    secert: true\n    defualt: "{S}\n',
    "structure": f"p: {{type: string, secret: true, default: {S}, oops: 1}}",
    "no definition": f"p: {S}",
    "a list": f"p: {{type: string, secret: true, default: [{S}]}}",
    "flag misspelt": f"p: {{type: string, secert: true, default: {S}}}",
    "flag in capitals": f"p: {{type: string, SECRET: true, default: {S}}}",
    "flag of text": f'p: {{type: string, secret: "yes", default: {S}}}',
    "flag by merge": f"p: {{type: string, <<: *flag, default: {S}}}",
    "name misspelt": f"p: {{type: string, secret: true, defualt: {S}}}",
    "twice": f"p: {{type: string, secret: true, default: {S}, default: x}}",
    "type": f"p: {{type: integer, secret: true, default: {S}}}",
    "type misspelt": f"p: {{type: strin, secret: true, default: {S}}}",
    "missing": f"p: {{secret: true, default: {S}}}",
    "disallowed": f"p: {{type: string, secret: true, default: {S}, allowedValues: [x{S}]}}",
    "tag": f"p: {{type: string, secret: true, default: !{S} x}}",
    "alias": f"p: {{type: string, secret: true, default: *{S}}}",
    "escape": f'p: {{type: string, secret: true, default: "\\\\{S}"}}',
    "substitution": f'p: {{type: string, secret: true, default: "${{1 + {S}"}}',
    "unclosed": f'p: {{type: string, secret: true, default: "${{{S}"}}',
    "reference": f'p: {{type: string, secret: true, default: "${{values.{S}}}"}}',
    "limit": f"p: {{type: string, secret: true, default: {S}}}",
    "cycle": f"p: {{type: string, secret: true, default: {S}}}",
}
VALUES = {
    "syntax": f'v: {{type: string, secret: true, value: "{S}}}',
    "structure": f"v: {{type: string, secret: true, value: {S}, oops: 1}}",
    "flag": f'v: {{type: string, secret: "yes", value: {S}}}',
    "type": f"v: {{type: integer, secret: true, value: {S}}}",
    "key": f"v: {{type: object, secret: tru, value: {{{S}: 1}}}}",
    "call": f"v: {{type: string, secret: true, value: '${{to_uper(\"{S}\")}}'}}",
    "name": f"v: {{type: string, secret: true, value: '{S}-${{values.nope}}'}}",
}
# what an include gives, by the kind of mistake
GIVEN = {
    "syntax": f'path: child.yaml, variables: {{pin: "{S}}}',
    "structure": f"path: child.yaml, variables: {{pin: {S}}}, oops: 1",
    "name": f"path: child.yaml, variables: {{pni: {S}, pin: one}}, oops: 1",
    "key": f"path: child.yaml, varaibles: {{pin: {S}}}",
    "type": f"path: child.yaml, variables: {{pin: [{S}]}}",
    "a list": f"path: child.yaml, variables: [{S}]",
    "missing": f"variables: {{pin: {S}}}",
    "absent": f"path: absent.yaml, variables: {{pin: {S}}}",
    "unreadable": f"path: broken.yaml, variables: {{pin: {S}, other: ${{1 +}}}}",
    "no blueprint": f"path: id_rsa, variables: {{pin: {S}, pin: 1}}",
    "disallowed": f"path: child.yaml, variables: {{pin: {S}}}",
    "unknown": f"path: child.yaml, variables: {{pin: '{S}-${{values.nope}}'}}",
    "path": f"path: '${{values.nope}}', variables: {{pin: {S}}}",
    "remote": f"path: x, metadata: {{sourceType: nope}}, variables: {{pin: {S}}}, oops: 1",
    "cycle": f"path: blueprint.yaml, variables: {{pin: {S}}}",
    "alone": S,
}
REST = {"cycle": "values: {a: {type: string, value: '${values.a}'}}\n"}
MODULE = "transform: bpp/modules-1\nresources:\n  m: {{type: bpp/module, spec: {{{0}}}}}\n"


def blueprints() -> Iterator[tuple[str, str]]:
    """The main blueprints by the place of the secret and the kind of mistake."""
    for kind, line in DEFINED.items():
        rest = REST.get(kind, "") + "resources: {}\n"
        yield f"default/{kind}", f"{VERSION}variables:\n  {line}\n{rest}"
    for kind, line in VALUES.items():
        yield f"value/{kind}", f"{VERSION}values:\n  {line}\nresources: {{}}\n"
    for kind, text in GIVEN.items():
        entry = text if kind == "alone" else f"{{{text}}}"
        yield f"child/{kind}", f"{VERSION}include:\n  c: {entry}\nresources: {{}}\n"
        if kind != "alone":
            spec = text.replace("path:", "module:")
            yield f"module/{kind}", VERSION + MODULE.format(spec)
    yield (
        "section/misspelt",
        f"{VERSION}includ: {{c: {{path: child.yaml, variables: {{pin: {S}}}}}}}\n",
    )
    yield "section/list", f"{VERSION}variables: [{S}]\nresources: {{}}\n"
    yield (
        "block",
        f"{VERSION}include:\n  c:\n    path: child.yaml\n    variables:\n      pin: {S}\n   x: [\n",
    )
    yield (
        "json",
        '{"version": "2025-11-02", "variables": {"p": {"secret": true,\n"default":\n'
        f'"{S}",,}}}}}}',
    )


def write(folder: Path) -> None:
    """The files beside the blueprints, all of which hold the secret."""
    texts = {
        "child.yaml": CHILD,
        "broken.yaml": f"{VERSION}variables: {{pin: {{secret: true, default: {S}}}\nresources: [\n",
        "id_rsa": f"-----BEGIN PRIVATE KEY-----\n{S}\n-----END PRIVATE KEY-----\n",
        "config": f'[remote "origin"]\n\turl = https://{S}@example.com\n',
        "passwords.yaml": f"{S}: {S}\ndb: {S}\nversion: {S}\n",
        "state.tfstate": f'{{"version": 4, "resources": [{{"{S}": "{S}"}}], "outputs": {{}}}}',
        "secret.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\ndata: {{p: {S}}}\n",
        "values.yaml": f"resources: {S}\nimage: {S}\npassword: {S}\n",
        "list.yaml": f"- {S}\n- version: {S}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


COMMANDS = (
    ("render", "--dump-stages", "d", "-o", "o.yaml"),
    ("render", "--stop-after", "load"),
    ("render", "--strict", "--explain-unknowns"),
    ("check",),
    ("graph", "--show", "values", "--show", "variables"),
    ("lock", "-o", "-"),
)


def search(folder: Path, *arguments: str, text: str | None = None) -> str:
    """What a command says, after the secret was looked for in it and in what it wrote."""
    done = bpp_inside(folder, *arguments, text=text)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    assert FINDER.found(done.stdout + done.stderr) == [], done.stdout + done.stderr
    written = {file: file.read_text() for file in (*folder.glob("d/*"), *folder.glob("o.yaml"))}
    for file in written:
        file.unlink()
    assert FINDER.found("\n".join(written.values())) == [], written
    return done.stderr or (done.stdout if arguments[0] == "check" else "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("quoting")
    write(found)
    return found


@pytest.mark.parametrize(("text"), [pytest.param(text, id=name) for name, text in blueprints()])
def test_no_command_quotes_a_secret(folder: Path, text: str) -> None:
    (folder / "blueprint.yaml").write_text(text)
    limits = ("--limit", "max_nodes=4") if text.endswith("limit") else ()
    for command, *options in COMMANDS:
        search(folder, command, "blueprint.yaml", *options, *limits)
    search(folder, "eval", "variables.p", "-f", "blueprint.yaml")
    search(folder, "why", "blueprint.yaml", "resources")
    search(folder, "diff", "blueprint.yaml", "blueprint.yaml")
    for form in FORMATS:
        search(folder, "check", "blueprint.yaml", "--diagnostics", form)


# files that are not what was expected, and what names them
FOREIGN = (
    "id_rsa",
    "config",
    "passwords.yaml",
    "state.tfstate",
    "secret.yaml",
    "values.yaml",
    "list.yaml",
)
NAMING = {
    "include": "include: {{c: {{path: {0}}}}}\nresources: {{}}\n",
    "module": (
        "transform: bpp/modules-1\nresources:\n  m: {{type: bpp/module, spec: {{module: {0}}}}}\n"
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_no_command_tells_words_of_a_foreign_file(folder: Path, name: str) -> None:
    for how, text in NAMING.items():
        main = f"by_{how}.yaml"
        (folder / main).write_text(VERSION + text.format(name))
        for command, *options in COMMANDS:
            said = search(folder, command, main, *options)
            if (how, command) in (
                ("include", "check"),
                ("include", "render"),
            ) and "load" not in options:
                kind = "a Kubernetes manifest, not" if name == "secret.yaml" else "not recognisably"
                assert f"`{name}` is {kind} a blueprint" in said
        for form in FORMATS:
            search(folder, "render", main, "--diagnostics", form)
    for command, *options in COMMANDS:
        assert "unrecognised_file" in search(folder, command, name, *options)
    content = (folder / name).read_text()
    assert "unrecognised_file" in search(folder, "render", "-", text=content)
    # a manifest of Kubernetes is an action of an unknown kind
    for dialect in ("garden", "garden-v2") if name != "secret.yaml" else ():
        for command in ("render", "check", "graph"):
            said = search(folder, command, name, "--dialect", dialect)
            assert "is not recognisably Garden configuration" in said


DATA = {
    "v.yaml": (
        f'p: "{S}',
        f"p: [{S}]",
        f"p: {{a: {S}}}",
        f"p: *{S}",
        f"p: !{S} x",
        f"p: {S}\np: {S}",
        f"p: {S}: x",
        f"pp: {S}",
        f"p: {S}",
        S,
    ),
    "v.json": (
        f'{{"p": "{S}",,}}',
        f'{{"p": "{S}}}',
        f'{{"p": {S}}}',
        f'{{"p": ["{S}"]}}',
        f'"{S}"',
    ),
    "v.toml": (f"p = {S}", f'p = "{S}', f'p = ["{S}"]', f'p = "{S}"\np = "{S}"', f'[p]\na = "{S}'),
    "v.env": (f"p {S}", f'p="{S}', f"p='{S}", f'p="{S}" {S}', f"p={S}\np={S}", f"pp={S}"),
    "v.txt": (f"p: {S}",),
}
READING = f"{VERSION}variables: {{p: {{type: integer, secret: true}}}}\nresources: {{}}\n"
STATES = (
    f'{{"resources": {{"a": {{"state": "{S}"}}}}}}',
    f'{{"resources": {{"a": {{"state": {{"x": "{S}"}}, "oops": "{S}"}}}}}}',
    f'{{"resources": ["{S}"]}}',
    f'{{"links": "{S}"',
    f'{{"oops": "{S}"}}',
    f"resources: {S}: x",
    f'"{S}"',
)


@pytest.mark.parametrize("form", ["text", *FORMATS])
def test_no_report_quotes_data(tmp_path: Path, form: str) -> None:
    (tmp_path / "b.yaml").write_text(READING)
    report = ("--diagnostics", form)
    for name, texts in DATA.items():
        for text in texts:
            (tmp_path / name).write_text(text)
            assert search(tmp_path, "render", "b.yaml", "--vars", name, *report), text
            search(tmp_path, "graph", "b.yaml", "--vars", name, *report)
            search(tmp_path, "diff", "b.yaml", "--vars-b", name, *report)
    for text in STATES:
        (tmp_path / "s.json").write_text(text)
        for option in ("--state", "--datasources"):
            assert search(tmp_path, "render", "b.yaml", option, "s.json", *report), text
    assert search(tmp_path, "render", "b.yaml", "--var", f"p={S}", *report)
    (tmp_path / "bpp.lock").write_text(
        f'{{"version": 1, "files": {{"a": {{"digest": "{S}"}}}}, "{S}": 1}}'
    )
    search(tmp_path, "render", "b.yaml", "--lock", "bpp.lock", *report)
    for text in (
        f'[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\n[targets.a.variables]\np = "{S}',
        f'[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\nvariables = {{p = "{S}", q = 1e}}',
        f'[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\n[targets.a.variables]\np = "{S}"',
        f'[credentials]\npassword = "{S}" "{S}"',
        f"-----BEGIN-----\n{S}",
    ):
        (tmp_path / "bpp.toml").write_text(text)
        assert search(tmp_path, "build", "-j1", *report), text


PROJECT = """\
apiVersion: garden.io/v1
kind: Project
name: p
environments: [{name: dev, varfile: more.env}]
varfile: FILE
variables: {a: "${var.p}"}
---
kind: Run
type: exec
name: r
varfiles: [FILE]
spec: {x: "${var.p.q}", y: "${local.env.TOKEN.z}", z: "${secrets.nope.x}"}
"""
VARFILES = {
    "v.env": (f"p={S}${{nope.x}}", f"p={S}${{oops", f"p=${{{S}}}", f'p="${{{S[:8]}.{S[8:]}}}"', S),
    "v.yaml": (
        f'p: "{S}',
        f"p: [{S}",
        f"p: {S}${{nope.x}}",
        f"p: {S}\np: {S}",
        f"- {S}",
        f"p: ${{{S}}}",
        f"p: ${{var.{S}}}",
        f"p: ${{upper({S})}}",
        f"p: {{$merge: {S}}}",
        f"p: {{$concat: {S}}}",
        f"p: {{$if: {S}}}",
        f"p: *{S}",
        f"a: b\n---\np: {S}",
    ),
    "v.json": (f'{{"p": "{S}",,}}', f'{{"p": {S}}}', f'["{S}"]', f'{{"p": "${{{S}}}"}}'),
}


@pytest.mark.parametrize("name", VARFILES)
def test_no_command_quotes_files_of_a_garden_project(tmp_path: Path, name: str) -> None:
    (tmp_path / "garden.yml").write_text(PROJECT.replace("FILE", name))
    (tmp_path / "more.env").write_text(f"q={S}\nw={S}${{nope.x}}\n")
    (tmp_path / "local.json").write_text(f'{{"local": {{"env": {{"TOKEN": "{S}"}}}}}}')
    given = ("--context", "local.json")
    for text in VARFILES[name]:
        (tmp_path / name).write_text(text)
        for command in ("render", "graph", "diff"):
            assert search(tmp_path, command, *["garden.yml"] * (1 + (command == "diff")), *given)
        assert search(tmp_path, "render", "garden.yml", *given, "--dump-stages", "d")
        search(tmp_path, "why", "garden.yml", "spec", *given)
        search(tmp_path, "eval", "var.p", "-f", "garden.yml", *given)
        for form in ("text", *FORMATS):
            assert search(tmp_path, "check", "garden.yml", "--diagnostics", form)
        search(tmp_path, "render", "garden.yml", "--vars", name, *given)
        search(tmp_path, "render", "garden.yml", "--var", f"p={S}", "--env", "nope", *given)


@pytest.mark.parametrize("name", FOREIGN)
def test_no_file_that_a_scan_finds_is_quoted(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "garden.yml").write_text(PROJECT.replace("FILE", "none.env"))
    (tmp_path / "x.garden.yml").write_text((folder / name).read_text())
    for command in ("render", "check", "graph"):
        said = search(tmp_path, command, "garden.yml")
        assert "unrecognised_file" in said or name == "secret.yaml"  # any kind may be an action


# --- what is still quoted, and the rule itself

HONEST = {
    "a misspelt section": "resorces: {a: {type: x/y, spec: {}}}\n",
    "no version": "resources: {a: {type: x/y, spec: {}}}\n",
    "a misspelt version": "verison: 2025-11-02\nresources: {}\n",
    "a wrong version": "version: 2025-11-03\nresources: {}\n",
    "a bracket": f"{VERSION}resources: [\n",
    "a quote": f"{VERSION}resources:\n  a: {{type: x/y, spec: {{a: 'b}}}}\n",
    "JSON": '{"version": "2025-11-02", "resources": {,}}',
    "a default": f"{VERSION}variables: {{p: {{type: integer, default: x}}}}\nresources: {{}}\n",
    "Garden": "kind: Deplyo\ntype: x\nname: [\n",
}


@pytest.mark.parametrize("kind", HONEST)
def test_honest_mistakes_are_quoted(tmp_path: Path, kind: str) -> None:
    options = ("--dialect", "garden") if kind == "Garden" else ()
    said = bpp_inside(tmp_path, "render", "-", *options, text=HONEST[kind]).stderr
    assert " | " in said
    assert "^" in said
    assert "unrecognised_file" not in said


def test_what_a_child_does_not_keep_secret_is_quoted(tmp_path: Path) -> None:
    child = CHILD.replace("secret: true, ", "")
    (tmp_path / "child.yaml").write_text(child)
    text = (
        f"{VERSION}include:\n  c: {{path: child.yaml, variables: {{pin: {S}}}}}\nresources: {{}}\n"
    )
    (tmp_path / "b.yaml").write_text(text)
    for command in ("render", "check"):
        assert FINDER.found(bpp_inside(tmp_path, command, "b.yaml").stderr)


def test_nothing_is_quoted_of_what_nobody_admitted() -> None:
    source = Source("a.yaml", "a: 1\nb: 2\n", "yaml")
    quoting = Quoting()
    assert not quoting.may_show(source, 1)
    quoting.admit(source, None)
    assert not quoting.may_show(source, 1)
    quoting.admit_typed(source)
    assert [quoting.may_show(source, line) for line in (1, 2, 3)] == [True, True, True]
    quoting.leave_unquoted(Span(source, 5, 6))
    assert [quoting.may_show(source, line) for line in (1, 2, 3)] == [True, False, True]
    other = Quoting()
    other.add(quoting)
    assert [other.may_show(source, line) for line in (1, 2, 3)] == [True, False, True]


def test_of_data_names_and_their_parts_are_told() -> None:
    data = Source("data.yaml", "hosts: my-server\ncert: |\n  bXktdG9rZW4\n  QUJDREVGRw==\n")
    quoting = Quoting()
    for word, told in {
        **dict.fromkeys(("hosts", "host", "hos…", "absent"), True),
        **dict.fromkeys(("my-server", "server", "my-s…", "bXktdG9rZW4", "QUJDREVGRw=="), False),
    }.items():
        assert quoting.told(f"no `{word}`", data) == f"no `{word if told else '…'}`", word


def test_parts_are_found_in_an_index() -> None:
    text = "x\n" * 4000
    source = Source("a.yaml", text, "yaml")
    quoting = Quoting()
    quoting.admit(source, Ranges((at, at + 1) for at in range(0, len(text), 4)).rule())
    first = quoting.hidden_in(source)
    shown = [quoting.may_show(source, line) for line in range(1, 4001)]
    assert shown == [False, True] * 2000
    assert quoting.hidden_in(source) is first  # made once, not for each line


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (VERSION, True),
        ("a: 1\n", False),
        ('{"version": "2025-11-02"}', True),
        ("AWSTemplateFormatVersion: 2010-09-09\nResources: {}\n", False),
        ('version: "3.8"\nservices: {a: {environment: {P: x}}}\n', False),
        ("", False),
    ],
)
def test_a_blueprint_is_recognised_by_its_keys(text: str, found: bool) -> None:
    assert is_blueprint(Source("a.yaml", text, "yaml")) is found


def test_a_public_text_of_a_broken_blueprint_is_shown() -> None:
    definition = f"  p:\n    type: string\n    secret: true\n    default: {S}\n"
    text = f"{VERSION}variables:\n{definition}resources: [\n"
    source = Source("a.yaml", text, "yaml")
    assert [text[start:end].strip() for start, end in hidden(source, Quoting())] == [
        f"default: {S}"
    ]


def test_the_library_asks_the_same_rule() -> None:
    definition = f"{{type: integer, secret: true, default: {S}}}"
    text = f"{VERSION}variables:\n  p: {definition}\nresources: {{}}\n"
    run = render(Source("b.yaml", text, "yaml"), files=MemoryFiles({}))
    item = next(iter(run.diagnostics))
    assert item.span is not None
    quoting = run.diagnostics.quoting
    assert [quoting.may_show(item.span.source, line) for line in (1, 2, 3)] == [True, True, False]
    copied = Diagnostics()
    copied.add(item)
    assert not copied.quoting.may_show(item.span.source, 1)


GIVING = """\
version: 2023-04-20
include:
  net:
    path: child.yaml
    variables:
      cidrr: 10.0.0.0/8
      nested: [
        5]
resources: {}
"""


@pytest.mark.parametrize(
    ("declares", "cidrr"),
    [
        ("cidr: {type: string, default: x}", "cidrr: 10.0.0.0/8"),
        ("p: {type: string}", "cidrr: ..."),
    ],
)
def test_a_line_is_quoted_up_to_what_may_be_a_secret(declares: str, cidrr: str) -> None:
    secret = "true" if "default" not in declares else "false"
    child = f"{VERSION}variables: {{{declares[:-1]}, secret: {secret}}}}}\nresources: {{}}\n"
    files = MemoryFiles({"main.yaml": GIVING, "child.yaml": child})
    said = render_text(check("main.yaml", files=files), color=False)
    assert f"6 |       {cidrr}\n  |       ^^^^^\n" in said
    assert ("10.0.0.0" in said) == ("10.0.0.0" in cidrr)


def test_a_line_of_which_nothing_is_quoted_says_so() -> None:
    value = f"{{type: array, secret: true, value:\n    [{S}: b: c]}}"
    text = f"{VERSION}values:\n  x: {value}\n"
    said = render_text(check(Source("a.yaml", text, "yaml")), color=False)
    assert re.search(r"a\.yaml:4:\d+ \(line not shown: it may give something to a secret\)\n", said)
    assert S not in said


@pytest.mark.parametrize("flag", ["noEcho", "sensitive", "masked", "scrt"])
def test_what_is_taken_for_secret_hides_a_value(flag: str) -> None:
    definition = f"{{type: string, {flag}: true, Default: {S}}}"
    text = f"{VERSION}parameters:\n  p: {definition}\nresources: {{}}\n"
    found = check(Source("a.yaml", text, "yaml"))
    assert "did you mean `secret`?" in [item.hint for item in found]
    assert S not in render_text(found, color=False)


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ("include", f"https://user:{S}@a.b/c.yaml"),
        ("include", f"https://{S}@a.b/c.yaml"),
        ("include", f"https://a.b/c.yaml?token={S}"),
        ("metadata", f"https://user:{S}@a.b/c.yaml"),
    ],
)
def test_credentials_in_an_address_are_not_quoted(section: str, path: str) -> None:
    entry = f'{{path: "{path}", feild: "${{values.no}}"}}'
    text = f"{VERSION}{section}:\n  c: {entry}\nresources: {{}}\n"
    for broken in ("", "x: [\n"):
        source = Source("a.yaml", text + broken, "yaml")
        for found in (check(source), render(source, files=MemoryFiles({})).diagnostics):
            assert found.errors
            assert S not in render_text(found, color=False)


def test_what_may_be_quoted_goes_to_another_process_without_the_tree() -> None:
    source = Source(
        "app.yaml", "version: 2023-04-20\nresources: {r: {type: x/y, spec: {}}}\n", "yaml"
    )
    run = render(source)
    kept = run.diagnostics.quoting
    assert kept.tree_of(source) is not None
    sent, same = pickle.loads(pickle.dumps((kept, source)))
    assert sent.tree_of(same) is None
    assert sent.may_show(same, 1) is kept.may_show(source, 1) is True


HOSTS = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports: [{name: host, required: false, type: data, schema: {type: string}}]
"""


@pytest.mark.parametrize(
    ("text", "option", "data"),
    [
        (
            f"{VERSION}variables: {{host: {{type: string}}}}\nresources: {{}}\n",
            "--vars",
            "hosts: {}",
        ),
        (HOSTS, "--imports", "imports: {{hosts: {}}}"),
    ],
)
def test_a_declared_name_is_told_whatever_values_have_it(
    tmp_path: Path, text: str, option: str, data: str
) -> None:
    (tmp_path / "blueprint.yaml").write_text(text)
    for value in (S, f"my-host-{S}"):
        (tmp_path / "values.yaml").write_text(data.format(value))
        done = bpp_inside(tmp_path, "render", "blueprint.yaml", option, "values.yaml")
        assert "did you mean `host`?" in done.stderr
        assert not FINDER.found(done.stderr)
