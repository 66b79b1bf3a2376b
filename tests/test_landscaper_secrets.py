"""No message tells values of imports, Targets, state or files of variables of Landscaper's engines.

Templates that are wrong in all ways are given secrets; all that commands say, and every file that
they write beside the product, is searched for these in many encodings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.in_process import bpp_inside
from support.taint import Finder

SECRETS = {
    "target": "tGt1h5-Kq7vXw2m",
    "configuration": "cFg0n3-Wd5xPq8s",
    "import": "iMp2k9-Zr9LtB4n",
    "number": "83746510293847",
    "item": "lSt4j7-Pq8sYc3h",
    "state": "sTt5m8-Hh6bnMx2",
}
FINDER = Finder(SECRETS)
OF_TARGETS = Finder({name: SECRETS[name] for name in ("target", "configuration")})
IMPORTS = {
    "s": SECRETS["import"],
    "num": int(SECRETS["number"]),
    "l": [SECRETS["item"], {"a": SECRETS["item"]}],
    "m": {"a": SECRETS["import"]},
}
KUBECONFIG = f"users:\n- user: {{token: {SECRETS['configuration']}}}\n"
TARGET = {
    "kind": "Target",
    "metadata": {"name": "cluster"},
    "spec": {"type": "t/c", "config": {"token": SECRETS["target"], "kubeconfig": KUBECONFIG}},
}
STATE = {"deployitems": {"a": {"x": SECRETS["state"]}}, "dataobjects": {"d": SECRETS["state"]}}
FILES = {
    "imports.json": {"imports": IMPORTS},
    "values.json": {"imports": IMPORTS},
    "targets.json": TARGET,
    "state.json": STATE,
}
GIVEN = [
    *("--imports", "imports.json", "--targets", "targets.json", "--state", "state.json"),
    *("--component-descriptor", "cd.yaml"),
]
COMPONENT = """\
meta: {schemaVersion: v2}
component: {name: x.y/z, version: 1.0.0, provider: internal, repositoryContexts: [], sources: [],
  componentReferences: [], resources: []}
"""
HEAD = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
- {name: cluster, type: target, targetType: t/c}
- {name: s, type: data, schema: {type: string}}
- {name: num, type: data, schema: {type: number}}
- {name: l, type: data, schema: {type: array}}
- {name: m, type: data, schema: {type: object}}
exports:
- {name: e, type: data, schema: {type: integer}}
"""
TOKEN = ".imports.cluster.spec.config.token"
CONFIG = "(.imports.cluster.spec.config.kubeconfig | fromYaml)"
CALLS = """\
fail S
fail (print "no " S "!")
fail (upper S)
fail (b64enc S)
fail (b64enc (print "user:" S))
fail (b64enc S | trimAll "=")
fail (b64enc S | replace "+" "-" | replace "/" "_")
fail (printf "%x" S)
fail (printf "0x%X" TOKEN)
fail (urlquery S)
fail (print "bad " TOKEN)
fail (toJson .)
fail (index CONFIG.users 0).user.token
atoi S | until
semver S
semverCompare S S
S.x
index .imports.l 99
index .imports.m .imports.num
regexMatch (print "(" S) "x"
mustRegexMatch (print "(" S) "x"
fromJson S
fromYaml (print "[" S)
fromYaml (print "*" S)
toDate S S
mustToDate S S
duration S
urlParse (print "http://[" S)
mustFromJson S
include S .
readFile S
readDir S
getResource .cd "name" S
getComponent .cd "name" S
getResourceKey S
ociRefRepo S
parseOCIRef S
eq S 3
repeat .imports.num S
printf "%d" S
until .imports.num
upper .imports.l
dig S "x" 1 S
required S .nope
template S
range S
set S S 1
join S .imports.num
htpasswd S S
derivePassword S S S S S
decryptAES S S
getHostByName S
env S
add S 1 | until S
ternary 1 2 S
chunk S .imports.l
date S now
shuffle S | fail
call S
len .imports.num
"""
EXPRESSIONS = """\
imports.s.x
imports.num + imports.s
error(imports.s)
error(imports.cluster.spec.config.token)
imports.s / 2
parse(imports.s ": [")
imports.l.99
imports.m.[imports.s]
read(imports.s)
integer(imports.s)
match("(" imports.s, "x")
validate(imports.s, ["match", "x"])
check(imports.s, ["match", "x"])
env(imports.s)
exec(imports.s)
base64_decode(imports.s)
eval(imports.s "+")
stub(imports.s)
imports.s(1)
sum[imports.s|0|x,y|->y]
getResource(cd, "name", imports.s)
ociRefRepo(imports.s)
list_to_map(imports.l, imports.s)
split(imports.num, imports.s)
"""
ITEMS = """\
- {name: 'S', type: a/b}\n- {name: 'S', type: a/b}
- {name: a, type: a/b, target: {import: 'S'}}
- {name: a, type: a/b, target: {import: l, index: 'S'}}
- {name: a, type: a/b, dependsOn: ['S']}
- {name: a, type: a/b, dependsOn: [bS]}\n- {name: bS, type: a/b, dependsOn: [a]}
- {name: a, type: a/b, timeout: 'S'}
- {name: a, type: a/b, labels: {'S!': 'S!'}}
- {name: a, type: a/b, 'S': 1, updateOnChangeOnly: S}
- {name: [S], type: a/b}
- {name: a, type: a/b, config: S: b}
- {name: a, type: a/b, config: *S}
- {name: a, type: a/b, config: !S x}
- {name: a, type: a/b, config: {{ TOKEN }}: x: y}
- {name: a, type: a/b, config: "{{ TOKEN }}\\q"}
- {name: a, type: a/b, config: {S: 1, S: 2}}
- {name: 'a-{{ TOKEN }}', type: a/b, config: {'{{ TOKEN }}': 1}}
- {name: 'a-{{ TOKEN }}', type: 'a/{{ TOKEN }}'}
- {name: 'a-{{ TOKEN }}', type: a/b}\n- {name: b, type: a/b, dependsOn: ['a-{{ TOKEN }}']}
"""
SUBS = """\
- {name: 'S!', blueprint: {ref: 'cd://resources/S'}}
- {name: a, blueprint: {ref: 'S'}, imports: {data: [{name: x, dataRef: 'S'}]}}
- {name: a, blueprint: {filesystem: {blueprint.yaml: 'S: ['}}}
- {name: a, 'S': 1, imports: {targets: [{name: 'S', target: 'S', targetMap: {'S!': x}}]}}
- 'S'
"""
SCHEMAS = """\
s string {type: integer}
s string {enum: [a]}
s string {const: x}
s string {pattern: "^x$"}
s string {maxLength: 2}
s string {format: email}
s string {not: {}}
s string {oneOf: [{type: integer}, {const: a}]}
num number {multipleOf: 7}
num number {maximum: 3}
num number {type: string}
l array {items: {type: integer}}
l array {uniqueItems: true}
m object {additionalProperties: {type: integer}}
"""


def _in_template(text: str) -> str:
    return text.replace("S", "{{ .imports.s }}").replace("TOKEN", TOKEN)


def _execution(phase: str, text: str) -> str:
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    head = f"{phase}Executions:\n- name: a\n  type: GoTemplate\n  template: |\n"
    return f"{HEAD}{head}{lines}\n"


def actions() -> Iterator[str]:
    for call in CALLS.splitlines():
        text = call.replace("TOKEN", TOKEN).replace("CONFIG", CONFIG)
        yield "{{ " + " ".join(".imports.s" if one == "S" else one for one in _words(text)) + " }}"


def _words(text: str) -> list[str]:
    return text.replace("(", "( ").replace(")", " )").replace("S.x", ".imports.s.x").split(" ")


def blueprints() -> Iterator[str]:
    for action in actions():
        yield _execution("deploy", f"deployItems: []\nx: {action}")
        yield _execution("import", f"errors: ['{action}']")
    for text in ("errors: ['S']", "errors: S: x", "bindings: S", "errors: ['{{ TOKEN }}']"):
        yield _execution("import", _in_template(text))
    for line in ITEMS.split("\n")[:-1]:
        text = line.replace("\\n", "\n")
        yield _execution("deploy", _in_template(f"deployItems:\n{text}"))
    for line in SUBS.split("\n")[:-1]:
        yield _execution("subinstallation", _in_template(f"subinstallations:\n{line}"))
    for text in ("{e: 'S'}", "{'S': 1}", "{e: '{{ .deployitems.a.x }}'}", "{e: S: 1}"):
        yield _execution("export", _in_template(f"exports: {text}"))
    for line in EXPRESSIONS.splitlines():
        for phase, key in (("deploy", "deployItems"), ("import", "bindings")):
            template = f"{{{key}: {'{}' if key == 'bindings' else '[]'}, x: '(( {line} ))'}}"
            yield f"{HEAD}{phase}Executions:\n- {{name: a, type: Spiff, template: {template}}}\n"
    for line in SCHEMAS.splitlines():
        name, kind, schema = line.split(" ", 2)
        old = f"{{name: {name}, type: data, schema: {{type: {kind}}}}}"
        yield HEAD.replace(old, f"{{name: {name}, type: data, schema: {schema}}}")
    yield HEAD.replace("t/c", "other/t")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).write_text(json.dumps(data))
    (tmp_path / "cd.yaml").write_text(COMPONENT)
    return tmp_path


def search(folder: Path, *arguments: str) -> str:
    """What a command says, which holds no secret."""
    done = bpp_inside(folder, *arguments)
    said = done.stderr + (done.stdout if arguments[0] == "check" else "")
    assert done.returncode in (0, 1), (arguments, said)
    assert FINDER.found(said) == [], (arguments, said)
    if arguments[0] in ("graph", "why"):  # which show names that templates make of imports
        assert OF_TARGETS.found(done.stdout) == [], (arguments, done.stdout)
    return said


BESIDE = ("--dump-stages", "stages", "--source-map", "map", "-o", "product.yaml", "--nested")


@pytest.mark.slow
def test_no_command_tells_what_a_blueprint_is_given(folder: Path) -> None:
    told = 0
    for number, text in enumerate(blueprints()):
        (folder / "blueprint.yaml").write_text(text)
        told += bool(search(folder, "render", ".", *GIVEN, "--strict", *BESIDE))
        form = ("text", "json", "sarif", "github")[number % 4]
        commands = (["check", "."], ["graph", "."], ["why", ".", "deployItems"], ["render", "."])
        search(folder, *commands[number // 4 % 4], *GIVEN, "--diagnostics", form)
    assert told > 150


def test_no_answer_to_an_expression_tells_it(folder: Path) -> None:
    (folder / "blueprint.yaml").write_text(HEAD)
    for text in actions():
        search(folder, "eval", text, "-f", ".", *GIVEN)
        search(folder, "eval", text.strip("{} "), "-f", ".", *GIVEN)
    for line in EXPRESSIONS.splitlines():
        search(folder, "eval", f"(( {line} ))", "-f", ".", *GIVEN)


def test_no_engine_alone_tells_values_of_files(folder: Path) -> None:
    for text in actions():
        (folder / "a.tmpl").write_text(text)
        for command in (("render", "a.tmpl"), ("eval", text, "-f", "a.tmpl"), ("eval", text)):
            search(folder, *command, "--dialect", "gotemplate", "--vars", "values.json")
    for line in EXPRESSIONS.splitlines():
        (folder / "a.yaml").write_text(f"a: (( {line} ))\nb: x\n")
        for command in (("render", "a.yaml"), ("eval", f"(( {line} ))", "-f", "a.yaml")):
            search(folder, *command, "--dialect", "spiff", "--vars", "values.json")


BROKEN = ("a: {}: x", "a: [{}", "{}", "a: *{}", "a: !{} x", "a: {}\na: {}", "(( {} ))", "a: (( {}")


@pytest.mark.parametrize("name", ["imports.json", "targets.json", "state.json", "values.json"])
def test_no_file_of_values_is_quoted(folder: Path, name: str) -> None:
    (folder / "blueprint.yaml").write_text(_execution("deploy", "deployItems: []"))
    (folder / "a.tmpl").write_text("{{ .a }}")
    (folder / "a.yaml").write_text("a: (( imports.s ))\n")
    for text in BROKEN:
        secret = SECRETS["import"]
        (folder / name).write_text(text.replace("{}", secret))
        for form in ("text", "json"):
            search(folder, "render", ".", *GIVEN, "--diagnostics", form)
            values = ("--vars", "values.json", "--diagnostics", form)
            bpp = ("--dialect", "spiff", "--state", "state.json")
            search(folder, "render", "a.yaml", *bpp, *values)
            search(folder, "render", "a.tmpl", "--dialect", "gotemplate", *values)


def test_the_message_of_a_template_is_told_without_values(folder: Path) -> None:
    text = '{{ fail (printf "%s is not allowed" .imports.s) }}'
    (folder / "blueprint.yaml").write_text(_execution("deploy", text))
    said = search(folder, "render", ".", *GIVEN)
    assert "error[template_failed]: (imports.s) is not allowed" in said


def test_names_and_keys_are_masked_as_values_are(folder: Path) -> None:
    item = "{name: 'NAME-{{ TOKEN }}', type: a/b, config: {'{{ TOKEN }}': 1, '(secret)': 2}"
    items = f"deployItems:\n- {item}}}\n- {item}, dependsOn: ['a-{{{{ TOKEN }}}}']}}"
    text = items.replace("NAME", "a", 1).replace("NAME", "b").replace("TOKEN", TOKEN)
    (folder / "blueprint.yaml").write_text(_execution("deploy", text))
    search(folder, "render", ".", *GIVEN, "--secrets", "mask", "-o", "out.yaml")
    written = (folder / "out.yaml").read_text()
    assert OF_TARGETS.found(written) == []
    assert "name: b-(secret)" in written
    assert "(secret): 1\n    (secret) 2: 2" in written
    drawn = bpp_inside(folder, "graph", ".", *GIVEN, "--format", "json").stdout
    assert OF_TARGETS.found(drawn) == []
    edges = [(one["from"], one["to"]) for one in json.loads(drawn)["edges"]]
    assert ('deployItems["b-(secret)"]', 'deployItems["a-(secret)"]') in edges
    for path in ("deployItems", "deployItems[1].config", "deployItems.nothing"):
        told = bpp_inside(folder, "why", ".", path, *GIVEN)
        assert OF_TARGETS.found(told.stdout + told.stderr) == [], path
        assert "(secret)" in told.stdout + told.stderr


FOREIGN = {
    "a key": "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
    "a list": "a:{}\nb: [{}\n",
    "a manifest": "apiVersion: v1\nkind: Secret\ntype: Opaque\ndata: {{k: [{}\n",
    "JSON": '{{"auths": {{"h": "{}",,}}}}\n',
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_no_foreign_file_of_a_blueprint_is_quoted(folder: Path, kind: str) -> None:
    (folder / "id_rsa").write_text(FOREIGN[kind].format(*[SECRETS["import"]] * 2))
    for more in (
        "subinstallations:\n- {file: id_rsa}\n",
        "deployExecutions:\n- {name: a, type: Spiff, file: id_rsa}\n",
        "deployExecutions:\n- {name: a, type: GoTemplate, "
        "template: '{{ include \"id_rsa\" . }}'}\n",
    ):
        (folder / "blueprint.yaml").write_text(HEAD + more)
        for command in ("render", "check", "graph"):
            search(folder, command, ".", *GIVEN)
    schema = "{name: s, type: data, schema: {$ref: 'blueprint://id_rsa'}}"
    (folder / "blueprint.yaml").write_text(
        HEAD.replace("{name: s, type: data, schema: {type: string}}", schema)
    )
    for command in ("render", "check", "graph"):
        search(folder, command, ".", *GIVEN)


@pytest.mark.parametrize("kind", FOREIGN)
def test_no_content_of_a_file_is_told_when_what_is_made_of_it_is_wrong(
    folder: Path, kind: str
) -> None:
    (folder / "blobs").mkdir()
    text = FOREIGN[kind].format(*[SECRETS["import"]] * 2)
    for name in ("id_rsa", "blobs/id_rsa"):
        (folder / name).write_text(text)
    access = "access: {type: localFilesystemBlob, filename: id_rsa}"
    resource = f"{{name: r, version: 1.0.0, type: t, relation: local, {access}}}"
    descriptor = COMPONENT.replace("resources: []", f"resources: [{resource}]")
    (folder / "component-descriptor.yaml").write_text(descriptor)
    given = [*GIVEN[:-2], "--registry", ".", "--component", "x.y/z"]
    told = 0
    for call in (
        'getResourceContent "cd://resources/r"',
        'readFile "id_rsa" | toString',
        'readFile "id_rsa" | printf "a: %s"',
        'readFile "id_rsa" | printf "{%s: 1, %[1]s: 2}"',
    ):
        (folder / "blueprint.yaml").write_text(_execution("deploy", f"{{{{ {call} }}}}"))
        for command in (("render", "."), ("graph", "."), ("render", ".", "--nested")):
            told += "error[" in search(folder, *command, *given)
    assert told >= 6


def test_neither_a_check_nor_the_cache_of_a_build_has_a_secret(folder: Path) -> None:
    product = f"deployItems:\n- {{name: a, type: a/b, config: '{{{{ {TOKEN} }}}}'}}"
    (folder / "blueprint.yaml").write_text(_execution("deploy", product))
    options = 'imports = ["imports.json"], targets = ["targets.json"]'
    (folder / "bpp.toml").write_text(
        f'[targets.a]\nblueprint = "."\noutput = "out.yaml"\noptions = {{{options}}}\n'
    )
    assert bpp_inside(folder, "build", "-j1").returncode == 0
    assert SECRETS["target"] in (folder / "out.yaml").read_text()
    rotated = json.dumps(TARGET).replace("tGt1h5", "changed")
    (folder / "targets.json").write_text(rotated)
    done = bpp_inside(folder, "build", "-j1", "--check")
    assert done.returncode == 1, done.stderr
    assert "deployItems[0].config" in done.stdout
    assert FINDER.found(done.stdout + done.stderr) == []
    assert "changed-" not in done.stdout
    kept = [file for file in (folder / ".cache").rglob("*") if file.is_file()]
    assert kept
    for file in kept:
        assert FINDER.found(file.read_bytes().decode("utf-8", "replace")) == [], file


@pytest.mark.parametrize(
    "path", ["x", "d/canary", "d/none", "../outside/canary", "/../outside/canary", "l1"]
)
def test_neither_a_path_nor_a_link_leaves_the_folder_of_a_blueprint(
    tmp_path: Path, path: str
) -> None:
    inside, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (inside / "x").symlink_to("../outside/canary")
    (inside / "d").symlink_to("../outside")
    for number in range(1, 60):
        (inside / f"l{number}").symlink_to(f"l{number + 1}")
    (inside / "blueprint.yaml").write_text(
        f"{HEAD[: HEAD.index('imports')]}imports:\n"
        f"- {{name: i, type: data, required: false, schema: {{$ref: 'blueprint://{path}'}}}}\n"
        f"deployExecutions:\n- {{name: a, type: GoTemplate, file: {path}}}\n"
        f'- {{name: b, type: Spiff, template: {{x: \'(( read("{path}", "text") ))\'}}}}\n'
        "- name: c\n  type: GoTemplate\n"
        f'  template: \'{{{{ include "{path}" . }}}}{{{{ readFile "{path}" }}}}\'\n'
        f"subinstallations: [{{file: {path}}}]\n"
    )
    told = []
    for there in (False, True):
        if there:
            (outside / "canary").write_text(f"deployItems: [{SECRETS['import']}]\n")
        done = [bpp_inside(inside, command, ".") for command in ("render", "check", "graph")]
        assert all(one.returncode in (1, 3) for one in done)
        told.append([one.stdout + one.stderr for one in done])
    assert told[0] == told[1]
    assert FINDER.found(str(told)) == []
