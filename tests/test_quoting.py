"""What may be quoted: every command, every kind of mistake, every place that a secret comes from.

The commands run in a folder in which one secret is written where a mistake is; all that they print,
and every file that they write, is searched for it in twelve encodings.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
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
        f'{{"version": "2025-11-02", "variables": {{"p": {{"secret": true,\n"default":\n"{S}",,}}}}}}',
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
    return done.stderr


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
