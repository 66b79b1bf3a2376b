"""Attacks on files and secrets: links, foreign files, what is quoted and what is written."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from .. import growing_kargo, growing_landscaper
from ..growing_inputs import HEAD, NEWER
from .attack import (
    BLUEPRINT,
    BUILD,
    FEW,
    GARDEN,
    LANDSCAPER,
    READING,
    SECRET,
    Attack,
    Files,
    Outcome,
    must_fail,
)

R = "resources:\n  r: {type: a/b, spec: {x: 1}}\n"
SMALL = NEWER + R
PROJECT = "kind: Project\nname: p\n"
DEPLOY = "---\nkind: Deploy\ntype: container\nname: r\n"
LISTS = ("vars", "state", "datasources")
TARGET = '[targets.t]\nblueprint = "{}"\noutput = "{}"\n'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

SECRET_MANIFEST = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\n"
    f"stringData: {{key: {SECRET}}}\n"
)

Prepare = Callable[[Path], object]

OUTSIDE: Final = {
    "above": "../outside/canary.yaml",
    "above, written otherwise": "./x/../../outside/canary.yaml",
    "variables": "../outside/canary.env",
    "the environment": "/proc/self/environ",
    "passwords": "/etc/passwd",
    "a device": "/dev/zero",
    "standard input": "/dev/stdin",
    "an address": "file:///proc/self/environ",
    "an address with dots": "file://./../outside/canary.yaml",
    "a home": "~/x",
    "a long path": "a/" * 3_000 + "a",
    "a long name": "a" * 5_000,
    "a folder": ".",
    "nothing": "",
}

FOREIGN: Final = {
    "a key": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n-----END OPENSSH PRIVATE KEY-----\n",
    "a list of passwords": f"a:{SECRET}\nb: [{SECRET}\n",
    "variables of a shell": f"export KEY={SECRET}\n\x00",
    "a token": f"{SECRET}\n",
    "a configuration of git": f'[remote "o"]\n\turl = https://u:{SECRET}@h/\n',
    "YAML with a mistake": f"key: {SECRET}\n  other: {SECRET}\n",
    "another YAML": f"apiVersion: v1\nkind: Secret\ndata: {{k: {SECRET}}}\n",
    "JSON": f'{{"auths": {{"h": {{"auth": "{SECRET}"}}}}}}\n',
}

WRITTEN: Final = {
    "a default of the wrong type": f"s: {{type: integer, secret: true, default: {SECRET}}}",
    "an unknown key": f"s: {{type: string, secret: true, default: {SECRET}, secrte: 1}}",
    "a key twice": f"s: {{type: string, secret: true, default: {SECRET}, default: {SECRET}}}",
    "a variable twice": f"s: {{type: string, secret: true, default: {SECRET}}}\n  s: {SECRET}",
    "an unknown type": f"s: {{type: strnig, secret: true, default: {SECRET}}}",
    "a flag that is none": f"s: {{type: string, secret: yes please, default: {SECRET}}}",
    "a default that is a list": f"s: {{type: string, secret: true, default: [{SECRET}]}}",
    "allowed values": f"s: {{type: string, secret: true, default: x, allowedValues: [{SECRET}]}}",
    "allowed values of no type": f"s: {{type: integer, secret: true, allowedValues: [{SECRET}]}}",
    "an expression": f"s: {{type: string, secret: true, default: '${{trim(\"{SECRET}\"}}'}}",
    "a quote that is not closed": f"s: {{type: string, secret: true, default: '{SECRET}",
    "a tab": f"s:\n    type: string\n    secret: true\n\t  default: {SECRET}",
    "an anchor": f"s: {{type: string, secret: true, default: &a {SECRET}}}",
    "a tag": f"s: {{type: string, secret: true, default: !!binary {SECRET}}}",
    "a flag behind it": f"s:\n    default: [{SECRET}\n    secret: true",
}

GIVEN: Final = {
    "the wrong type": f"n: {SECRET}",
    "a misspelt name": f"s: a, ss: {SECRET}",
    "a value that is not allowed": f"o: {SECRET}",
    "a mistake in the line": f"s: '{SECRET}${{'",
    "an unknown reference in the line": f"s: '{SECRET}${{values.none}}'",
    "a map": f"s: {{a: {SECRET}}}",
    "a name twice": f"s: {SECRET}, s: {SECRET}",
    "a call with a mistake": f"s: '${{trm(\"{SECRET}\")}}'",
}

VARIABLES: Final = {
    "v.env": f"KEY={SECRET}\nthis is no {SECRET} variable\n=={SECRET}\n",
    "quote.env": f"KEY='{SECRET}\n",
    "v.yaml": f"KEY: {SECRET}\n  BAD: {SECRET}\n- {SECRET}\n",
    "twice.yaml": f"KEY: {SECRET}\nKEY: {SECRET}\n",
    "v.json": f'{{"KEY": "{SECRET}", "BAD": {SECRET}}}',
    "list.json": f'["{SECRET}"]',
    "v.toml": f'KEY = "{SECRET}"\nBAD = {SECRET}\n',
}

SECRETS_OF_A_RUN: Final = (
    "${secrets.s.a.b}",
    '${secrets.s || "x"}',
    '${secrets.s == "x" ? 1 : 2}',
    "${var[secrets.s]}",
    "${jsonDecode(secrets.s)}",
    "${secrets.s + 1}",
    "${base64Encode(secrets.s)}",
    "${local.env.TOKEN}",
    "${jsonEncode(local.env)}",
    "${[secrets.s]}",
)

SECRETS_OF_A_PROMOTION: Final = (
    *("secret('s').key", "secret('s')", "upper(secret('s').key)", "secret('s').kye"),
    *(
        "quote(secret('s').key)",
        "asYAML(secret('s'))",
        "toJSON(secret('s'))",
        "type(secret('s').key)",
    ),
    *("secret('s').key[1:3]", "split(secret('s').key, '')[0]", "len(secret('s').key)"),
    *("secret('s').key == 'x'", "secret('s').key matches secret('s').key", "int(secret('s').key)"),
    *("fromJSON(secret('s').key)", "date(secret('s').key)", "semverParse(secret('s').key)"),
    *("secret('s')[secret('s').key]", "vars[secret('s').key]", "outputs[secret('s').key].x"),
    *("imageFrom(secret('s').key).Tag", "status(secret('s').key)", "configMap(secret('s').key).x"),
    *("secret(secret('s').key).x", "let x = secret('s').key; x + nope", "$env[secret('s').key]"),
)

SECRETS_OF_A_CLUSTER: Final = {
    "no base64": f"data: {{key: {SECRET}}}",
    "a number": "data: {key: 4711}\n" + f"stringData: {{other: [{SECRET}]}}",
    "a text in the place of the keys": f"stringData: {SECRET}",
    "a list in the place of the keys": f"stringData: [{SECRET}, {{key: {SECRET}}}]",
    "a map in the place of a text": f"stringData: {{key: {{inner: {SECRET}}}}}",
    "a key twice": f"stringData: {{key: {SECRET}, key: {SECRET}}}",
    "the secret as a key": f"stringData: {{{SECRET}: a, {SECRET}: b}}",
    "keys that are misspelt": f"stringDate: {{key: {SECRET}}}\nstringData: {{kye: {SECRET}}}",
    "a field twice": f"stringData: {{key: {SECRET}}}\nstringData: {{key: {SECRET}}}",
    "an expression": f'stringData: {{key: "${{{{ vars.{SECRET}"}}',
    "an anchor": f"stringData: {{key: &a {SECRET}, other: *b}}",
    "an alias": f"stringData: {{key: &a {SECRET}}}\nmore: *a",
    "a tag": f"stringData: {{key: !!binary {SECRET}, other: !x {SECRET}}}",
    "a quote that is not closed": f"stringData:\n  key: '{SECRET}",
    "a tab": f"stringData:\n  key: a\n\tother: {SECRET}",
    "what was applied": f'note: \'{{"stringData": {{"key": "{SECRET}"}}}}\'\nnote: {SECRET}',
}

TARGET_OF_A_CLUSTER: Final = (
    "kind: Target\nmetadata: {name: c}\n"
    f"spec: {{type: t/c, config: {{token: {SECRET}, kubeconfig: 'token: {SECRET}'}}}}\n"
)
TOKEN: Final = ".imports.c.spec.config.token"
SECRETS_OF_A_TARGET: Final = (
    *("{{ fail T }}", "{{ fail (print T) }}", "{{ fail (upper T) }}", "{{ b64enc T | fail }}"),
    *("{{ T.x }}", "{{ include T . }}", "{{ readFile T }}", "{{ range T }}{{ end }}", "{{ T }}: ["),
    *(
        '{{ printf "%d" T }}: x: y',
        "{{ semver T }}",
        '{{ fromYaml (print "[" T) }}',
        "{{ until T }}",
    ),
    *('{{ urlParse (print "http://[" T) }}', "{{ semverCompare T T }}", "{{ template T }}"),
    *("{name: [{{ T }}], type: 1}", "{name: a, type: b, dependsOn: ['{{ T }}']}", "*{{ T }}"),
    *("{name: a, type: b, target: {import: '{{ T }}'}}", "{'{{ T }}': 1}", "{{ toYaml . }}"),
    *("{{ fail (.imports.c.spec.config.kubeconfig) }}", "{{ toJson .imports | fail }}"),
    *("(( error(T) ))", "(( read(T) ))", "(( T.x ))", '(( parse(T ": [") ))', "(( T / 2 ))"),
    *('(( match("(" T, "x") ))', "(( exec(T) ))", "(( T(1) ))", "(( env(T) ))", "(( eval(T) ))"),
)

MADE_FOR_MAKE: Final = (
    *(".IGNORE", ".SILENT", ".PHONY", ".DEFAULT", ".ONESHELL", ".SUFFIXES", "-include x"),
    *("a b", "a$(shell touch pwned)", "a#b", "a%b", "a:b", "a;b", "a\\", "a|b", "a=b"),
)
MAKES = """"$@"; s=$?; [ -f depfile ] || exit $s
printf 'all: out.yaml\\n\\tfalse\\ninclude depfile\\n' > ../run/Makefile
make -f ../run/Makefile all > ../run/said 2>&1 && exit 99
[ ! -e pwned ] || exit 98
exit $s
"""


def made(files: Files, prepare: Prepare) -> Callable[[Path], Files]:
    """Files, and what is none."""

    def make(project: Path) -> Files:
        prepare(project)
        return files

    return make


def link(name: str, target: str) -> Prepare:
    """A symbolic link in the project."""
    return lambda project: (project / name).symlink_to(target)


def links(count: int, end: str) -> Prepare:
    """So many links, one to the next."""

    def make(project: Path) -> None:
        for number in range(count):
            (project / f"l{number}").symlink_to(f"l{number + 1}")
        (project / f"l{count}").write_text(end)

    return make


def reading(path: str) -> str:
    """A blueprint that reads a file and includes it."""
    return (
        f"{NEWER}include: {{c: {{path: '{path}'}}}}\nresources:\n"
        f"  r: {{type: a/b, spec: {{x: '${{file(\"{path}\")}}'}}}}\n"
    )


def project_reading(path: str) -> str:
    """A project that takes a file for anything."""
    return (
        f"{PROJECT}varfile: '{path}'\nenvironments: [{{name: e, varfile: '{path}'}}]\n{DEPLOY}"
        f"varfiles: ['{path}', {{path: '{path}', optional: true}}]\nspec: {{x: '${{var.KEY}}'}}\n"
        f"---\nkind: ConfigTemplate\nname: t\ninputsSchemaPath: '{path}'\nconfigs: []\n---\n"
        "kind: RenderTemplate\nname: n\ntemplate: t\n"
    )


def garden(name: str, text: str, prepare: Prepare = str, **more: object) -> Attack:
    """An attack on the commands for Garden projects."""
    return Attack(name, made({"garden.yml": text}, prepare), main="garden.yml", **more)  # type: ignore[arg-type]


def promotion(
    name: str,
    spec: str,
    prepare: Prepare = str,
    files: Files = {"secret.yaml": SECRET_MANIFEST},  # noqa: B006
    **more: object,
) -> Attack:
    """An attack on the commands for Kargo; `spec` is that of a Stage's promotions."""
    stage = (
        f"{growing_kargo.API.format('Stage', 's')}spec: {{promotionTemplate: {{spec: {spec}}}}}\n"
    )
    files = {"kargo.yaml": stage, **files}
    return Attack(name, made(files, prepare), main="kargo.yaml", **more)  # type: ignore[arg-type]


def installation(name: str, text: str, prepare: Prepare = str, **more: object) -> Attack:
    """An attack on the commands for Landscaper, with a Target that has a secret."""
    files = {"blueprint.yaml": growing_landscaper.HEAD + text, "t.yaml": TARGET_OF_A_CLUSTER}
    return Attack(name, made(files, prepare), main="blueprint.yaml", **more)  # type: ignore[arg-type]


def _landscaper() -> Iterator[Attack]:
    imports = "imports: [{name: c, type: target, targetType: t/c}]\n"
    for text in SECRETS_OF_A_TARGET:
        is_spiff = "((" in text
        written = json.dumps(text.replace("T", TOKEN[is_spiff:]))
        engine = "Spiff" if is_spiff else "GoTemplate"
        templates = {
            "deploy": f"{{deployItems: [{written}]}}",
            "import": f"{{bindings: {{x: {written}}}, errors: [{written}]}}",
        }
        for phase, template in templates.items():
            lines = (
                template if is_spiff else json.dumps(template.replace(written, json.loads(written)))
            )
            run = f"{phase}Executions: [{{name: e, type: {engine}, template: {lines}}}]\n"
            inner = json.dumps(growing_landscaper.HEAD + imports + run)
            nested = (
                "subinstallations: [{name: s, imports: {targets: [{name: c, target: c}]}, "
                f"blueprint: {{filesystem: {{blueprint.yaml: {inner}}}}}}}]\n"
            )
            for how, more in {"": run, ", nested": nested}.items():
                name = f"secrets, Landscaper: {text} in {phase}{how}"
                commands = tuple(
                    f"{line} --targets t.yaml" for line in LANDSCAPER if "check" not in line
                )
                yield installation(name, imports + more, commands=commands)
    reading = (
        "imports: [{{name: i, type: data, required: false, schema: {{$ref: 'blueprint://{0}'}}}}]\n"
        "deployExecutions:\n- {{name: a, type: GoTemplate, file: '{0}'}}\n"
        "- {{name: b, type: Spiff, file: '{0}'}}\n- {{name: c, type: GoTemplate, template: "
        '\'{{{{ include "{0}" . }}}}{{{{ readFile "{0}" }}}}{{{{ readDir "{0}" }}}}\'}}\n'
        '- {{name: d, type: Spiff, template: {{x: \'(( read("{0}", "text") ))\'}}}}\n'
        "subinstallations: [{{file: '{0}'}}]\n"
    )
    for what, path in OUTSIDE.items():
        yield installation(f"files, Landscaper: reads {what}", reading.format(path))
    for what, prepare in _things().items():
        yield installation(f"files, Landscaper: takes {what}", reading.format("x"), prepare)
        given = ("imports", "targets", "state", "component-descriptor", "export-templates")
        if "link" not in what and what != "a pipe":  # what the command line names may be either
            commands = tuple(f"render {{main}} --{one} x" for one in given)
            yield installation(
                f"files, Landscaper: given {what}", imports, prepare, commands=commands
            )
        blob = "access: {type: localFilesystemBlob, filename: x}"
        descriptor = (
            "meta: {schemaVersion: v2}\ncomponent: {name: a.b/c, version: 1.0.0, provider: x, "
            f"resources: [{{name: r, version: 1.0.0, type: x, relation: local, {blob}}}]}}\n"
        )
        used = (
            "deployExecutions: [{name: a, type: GoTemplate, template: "
            "'{{ getResourceContent \"cd://resources/r\" }}'}]\n"
            "subinstallations: [{name: s, blueprint: {ref: 'cd://resources/r'}}]\n"
        )

        def stored(project: Path, prepare: Prepare = prepare, text: str = descriptor) -> None:
            (project / "r" / "blobs").mkdir(parents=True)
            (project / "r" / "component-descriptor.yaml").write_text(text)
            prepare(project / "r" / "blobs")

        name = f"files, Landscaper: a registry with {what}"
        options = "--registry r --component a.b/c"
        lines = ("render {main}", "render {main} --nested", "graph {main}")
        yield installation(name, used, stored, commands=lines, options=options)
    for path in ("../outside/maybe.env", "l/maybe.env"):
        out = link("l", "../outside")
        name = f"files, Landscaper: is there `{path}`"
        yield installation(name, reading.format(path), out, twin=twin)


def _kargo() -> Iterator[Attack]:
    things: dict[str, Prepare] = {
        "a pipe": lambda project: os.mkfifo(project / "x.yaml"),
        "a folder": lambda project: (project / "x.yaml").mkdir(),
        "a link to itself": link("x.yaml", "x.yaml"),
        "a link out": link("x.yaml", "../outside/canary.yaml"),
        "a link to the environment": link("x.yaml", "/proc/self/environ"),
        "a link to a device": link("x.yaml", "/dev/zero"),
    }
    for what, prepare in things.items():
        yield promotion(f"files, Kargo: {what} beside", "{steps: [{uses: fail}]}", prepare)
    for text in SECRETS_OF_A_PROMOTION:
        written = f'"${{{{ {text} }}}}"'
        steps = f"{{uses: http, config: {{k: {written}}}}}, {{uses: fail, if: {written}}}"
        spec = f"{{vars: [{{name: v, value: {written}}}], steps: [{steps}]}}"
        yield promotion(f"secrets, Kargo: {text}", spec)
    uses = """{vars: [{name: v, value: "${{ secret('s').key }}"}], steps: [{uses: fail}]}"""
    for what, text in SECRETS_OF_A_CLUSTER.items():
        files = {"secret.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\n{text}\n"}
        yield promotion(f"secrets, Kargo: a Secret with {what}", uses, files=files)
        listed = files["secret.yaml"].replace("\n", "\n    ")
        files = {"list.yaml": f"apiVersion: v1\nkind: List\nitems:\n  - {listed}\n"}
        yield promotion(f"secrets, Kargo: a list of a Secret with {what}", uses, files=files)
    for what, text in FOREIGN.items():
        files = {"x.yaml": f"{text}# kargo.akuity.io/ kind: Secret\n"}
        yield promotion(f"secrets, Kargo: {what} beside", uses, files=files)
        yield promotion(
            f"secrets, Kargo: {what} given", uses, files=files, commands=READING, argument="x.yaml"
        )
    for what, path in OUTSIDE.items():
        yield promotion(f"files, Kargo: {what} given", uses, commands=READING, argument=path)


def _things() -> dict[str, Prepare]:
    """What may lie in a folder as `x`."""
    things: dict[str, Prepare] = {
        "a link out": link("x", "../outside/canary.yaml"),
        "a link to variables outside": link("x", "../outside/canary.env"),
        "a link to a folder outside": link("x", "../outside"),
        "a link to itself": link("x", "x"),
        "a link to the environment": link("x", "/proc/self/environ"),
        "a link to a device": link("x", "/dev/zero"),
        "a pipe": lambda project: os.mkfifo(project / "x"),
        "a socket": _listen,
        "a folder": lambda project: (project / "x").mkdir(),
        "a sparse file": _sparse,
    }
    for what, text in FOREIGN.items():
        things[what] = lambda project, text=text: (project / "x").write_text(text)  # type: ignore[misc]
    return things


def _files() -> Iterator[Attack]:
    for what, path in OUTSIDE.items():
        yield Attack(f"files: reads {what}", {"app.yaml": reading(path)})
        yield garden(f"files, Garden: reads {what}", project_reading(path))
    for what, prepare in _things().items():
        included = {"app.yaml": f"{HEAD}include: {{c: {{path: x}}}}\n{R}"}
        yield Attack(f"files: includes {what}", made(included, prepare))
        yield garden(f"files, Garden: takes {what}", project_reading("x"), prepare)
        if "link" in what or what == "a pipe":
            continue  # what the command line names may lie anywhere, and be a pipe
        taken = tuple(f"render {{main}} --{option} x" for option in LISTS)
        yield Attack(f"files: given {what}", made({"app.yaml": SMALL}, prepare), taken)
    for count in (40, 1_500):
        what = f"{count} links, one to the next"
        yield Attack(f"files: {what}", made({"app.yaml": reading("l0")}, links(count, SMALL)))
        yield garden(f"files, Garden: {what}", project_reading("l0"), links(count, "A=1\n"))
        lines = ("render l0", "check l0", "lock {main} -o l0", "render {main} -o l0")
        files = made({"app.yaml": SMALL}, links(count, SMALL))
        yield Attack(f"files: {what}, named", files, (*lines, "render {main} --vars l0"))
    yield Attack(
        "files: the root is the working directory",
        {"app.yaml": reading("/proc/self/environ"), "b.yaml": reading("proc/self/environ")},
        ("render app.yaml", "check app.yaml", "graph app.yaml", "render b.yaml"),
        through='p=$PWD; cd /; exec "$1" "$2" "$p/$3"',
    )
    for path in ("../outside/maybe.env", "x/../../outside/maybe.env", "l/maybe.env"):
        out = link("l", "../outside")
        text = f"varfiles: [{{path: {path}, optional: true}}, '{path}']\n"
        yield garden(f"files, Garden: is there `{path}`", PROJECT + DEPLOY + text, out, twin=twin)
        yield Attack(f"files: is there `{path}`", made({"app.yaml": reading(path)}, out), twin=twin)


def _outputs() -> Iterator[Attack]:
    def kept(outcome: Outcome) -> str | None:
        text = (outcome.folder / "app.yaml").read_text()
        return None if text == SMALL else "replaced its input"

    options = ("-o app.yaml", "-o ./app.yaml", "--depfile app.yaml", "--source-map app.yaml")
    over = (*(f"render {{main}} {one}" for one in options), "graph {main} -o app.yaml")
    over = (
        *over,
        "lock {main} -o app.yaml",
        "render {main} -o l.yaml",
        "render l.yaml -o app.yaml",
    )
    files = made({"app.yaml": SMALL}, link("l.yaml", "app.yaml"))
    yield Attack("files: the output is the input", files, over, wrong=kept)
    for what, target in {"a file": "canary.yaml", "nothing": "new"}.items():
        files = made({"app.yaml": SMALL}, link("bpp.lock", f"../outside/{target}"))
        lines = ("lock {main}", "lock {main} --add", "lock {main} --check")
        yield Attack(f"files: a lock file that leads to {what} outside", files, lines)
    asking = "'${http_resource(\"http://127.0.0.1:PORT/\")}'"
    fetching = f"{NEWER}resources:\n  r: {{type: a/b, spec: {{x: {asking}}}}}\n"
    locks: dict[str, Prepare] = {
        "pipe": lambda project: os.mkfifo(project / "bpp.lock"),
        "folder": lambda project: (project / "bpp.lock").mkdir(),
        "link to nothing": link("bpp.lock", "none"),
    }
    for what, prepare in locks.items():
        yield Attack(
            f"files: a lock file that is a {what}",
            made({"app.yaml": fetching}, prepare),
            ("render {main}", "lock {main} --add", "lock {main} --check"),
            options="--allow-net 127.0.0.1",
            answers=lambda: [ANSWER],
            wrong=must_fail,
        )
    rule = f"{NEWER}{R[:-3]}, y: '${{file(\"NAME\")}}'}}}}\n"
    for name in MADE_FOR_MAKE:
        yield Attack(
            f"files: a make rule with {name!r}",
            {"app.yaml": rule.replace("NAME", name.replace("\\", 2 * "\\")), name: "x"},
            ("render {main} -o out.yaml --depfile depfile",),
            through=MAKES,
        )
    child = {"app.yaml": f"{HEAD}include: {{c: {{path: c.yaml}}}}\n{R}", "c.yaml": SMALL}
    split = ("render {main} --split d", "render {main} -o o.yaml --dump-stages d")
    yield Attack("files: folders of links that lead out", made(child, _folder_of_links), split)
    build = {"app.yaml": SMALL, "bpp.toml": TARGET.format("app.yaml", "d/x")}
    files = made(build, link("d", "../outside"))
    yield Attack("files: an output folder that leads out", files, BUILD, wrong=must_fail)
    build = {"app.yaml": SMALL, "bpp.toml": TARGET.format("../outside/canary.yaml", "x")}
    yield Attack("files: a target that lies outside", build, BUILD)
    template = (
        "---\nkind: ConfigTemplate\nname: t\nconfigs: [{kind: Run, type: exec, name: a, path: d}]\n"
    )
    template += "---\nkind: RenderTemplate\nname: r\ntemplate: t\n"
    name = "files, Garden: the path of a template's configuration"
    yield garden(name, PROJECT + template, _secret_folder)


def _secrets() -> Iterator[Attack]:
    used = "resources:\n  r: {type: a/b, spec: {x: '${variables.s}', y: '${values.s}'}}\n"
    stages = (
        "--dump-stages stages",
        "--stop-after load",
        "--stop-after transform",
        "--secrets mask",
    )
    lines = (*BLUEPRINT, *(f"render {{main}} {one}" for one in stages))
    for what, text in WRITTEN.items():
        files = {"app.yaml": f"{NEWER}variables:\n  {text}\n{used}"}
        yield Attack(f"secrets: {what}", files, lines)
        if "default" in text and "\n" not in text:
            value = text.replace("default:", "value:")
            files = {"app.yaml": f"{NEWER}values:\n  {value}\n{used}"}
            yield Attack(f"secrets: {what}, of a value", files, lines)
    names = "s: {type: string, secret: true}, n: {type: integer, secret: true}"
    allowed = "o: {type: string, secret: true, allowedValues: [a]}"
    child = f"{NEWER}variables: {{{names}, {allowed}}}\n{R}"
    children = {"c.yaml": child, "broken.yaml": f"{child}resources: [\n"}
    used = "resources:\n  r: {type: a/b, spec: {x: '${children.c.none}'}}\n"
    for what, text in GIVEN.items():
        for how, entry in {
            "in a line": f"path: c.yaml, variables: {{{text}}}",
            "in lines": f"path: c.yaml,\n    variables: {{\n      {text}\n    }}",
            "beside a mistake": f"path: c.yaml, variables: {{{text}}}, unknown: 1",
            "to a child that is not there": f"path: none.yaml, variables: {{{text}}}",
            "to a child with a mistake": f"path: broken.yaml, variables: {{{text}}}",
        }.items():
            files = {"app.yaml": f"{NEWER}include:\n  c: {{{entry}}}\n{used}", **children}
            yield Attack(f"secrets: given, {what}, {how}", files, FEW)
    for name, text in VARIABLES.items():
        for known in ("KEY", "KYE"):
            declared = f"variables: {{{known}: {{type: integer, secret: true}}}}\n"
            used = f"resources:\n  r: {{type: a/b, spec: {{x: '${{variables.{known}}}'}}}}\n"
            files = {"app.yaml": NEWER + declared + used, name: text}
            both = ("render {main}", "graph {main}")
            lines = tuple(f"{one} --{option} {name}" for one in both for option in LISTS)
            yield Attack(f"secrets: {name} for {known}", files, lines)
        project = (
            f"{PROJECT}varfile: {name}\nenvironments: [{{name: e, varfile: {name}}}]\n{DEPLOY}"
        )
        project += f"varfiles: [{name}]\nspec: {{x: '${{var.KYE}}'}}\n"
        files = {"garden.yml": project, name: text}
        yield Attack(f"secrets, Garden: {name}", files, main="garden.yml")
        lines = tuple(f"{one} --context {name}" for one in GARDEN if not one.startswith("check"))
        files = {"garden.yml": PROJECT + DEPLOY, name: text}
        yield Attack(f"secrets, Garden: {name} as the context", files, lines, "garden.yml")
    for text in SECRETS_OF_A_RUN:
        project = (
            f"{PROJECT}variables: {{v: '{text}'}}\n{DEPLOY}spec: {{x: '{text}', y: '${{var.v}}'}}\n"
        )
        files = {"garden.yml": project, "s.yaml": f"secrets: {{s: {SECRET}}}\n"}
        lines = tuple(f"{one} --state s.yaml" for one in GARDEN if not one.startswith("check"))
        yield Attack(f"secrets, Garden: {text}", files, lines, "garden.yml")
    project = f"{PROJECT}{DEPLOY}spec: {{x: '${{var[secrets.k]}}', y: '${{var[var.none]}}'}}\n"
    paths = ("deploy.r", "deploy.r.spec.x", "deploy.r.spec.y", "p")
    lines = tuple(f"why {{main}} {path}" for path in paths)
    yield garden("secrets, Garden: why of a key that is not known", project, commands=lines)


def twin(folder: Path) -> None:
    """Makes the file that may be there."""
    (folder / "maybe.env").write_text("A=1\n")


def _listen(project: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(project / "x"))


def _sparse(project: Path) -> None:
    (project / "x").touch()
    os.truncate(project / "x", 1 << 40)


def _folder_of_links(project: Path) -> None:
    (project / "d").mkdir()
    stages = ("load", "transform", "include", "substitute", "prune", "each", "export")
    names = [f"{number}-{stage}" for number, stage in enumerate(stages, 1)]
    for name in (*names, *(f"0{one}" for one in names), *stages, "c", "app"):
        (project / "d" / f"{name}.yaml").symlink_to("../../outside/canary.yaml")


def _secret_folder(project: Path) -> None:
    (project.parent / "outside" / SECRET).mkdir()
    (project / "d").symlink_to(f"../outside/{SECRET}")


CRAFTED: Final = (*_files(), *_outputs(), *_secrets(), *_kargo(), *_landscaper())
