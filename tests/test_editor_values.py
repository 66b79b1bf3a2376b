"""What the editor shows of values: hints, hovers, signatures, lenses, and what it never shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline.editor.computed import Shift
from bpp.pipeline.editor.coordinates import Coordinates
from bpp.pipeline.editor.feature import Refused
from bpp.pipeline.editor.features import commands
from bpp.pipeline.editor.workspace import Preferences
from lsprotocol import types
from support.editor import Desk, Editor, marked
from support.taint import Finder

EVERYTHING = types.Range(types.Position(0, 0), types.Position(1_000_000, 0))

BLUELINK = """\
version: 2025-11-02
variables:
  environment:
    type: string
    description: where it runs
  region:
    type: string
    default: eu-west-1
values:
  prefix:
    type: string
    value: orders-${variables.environment}
  names:
    type: array
    value: ${list("a", "b", "c")}
  ready:
    type: boolean
    value: ${eq(variables.region, "eu-west-1")}
include:
  store:
    path: store.blueprint.yaml
    variables:
      name: ${values.prefix}
resources:
  queue:
    type: aws/sqs/queue
    each: ${values.names}
    spec:
      name: ${values.prefix}-${elem}
      same: ${variables.region}
  api:
    type: aws/lambda/function
    condition: ${values.ready}
    spec:
      text: a-${variables.region}-b-${to_upper("x")}
      wait: ${resources.queue[0].state.arn}
      list: ${values.names}
      url: ${children.store.url}
"""
STORE = """\
version: 2025-11-02
variables:
  name:
    type: string
values:
  url:
    type: string
    value: https://${variables.name}.example.com
exports:
  url:
    type: string
    description: where it is
    field: values.url
resources: {}
"""
TARGETS = """\
[targets.app]
blueprint = "app.blueprint.yaml"
output = "{env}.yaml"
matrix.env = ["staging", "prod"]
[targets.app.variables]
environment = "{env}"
"""
GARDEN = """\
apiVersion: garden.io/v1
kind: Project
name: shop
defaultEnvironment: dev
environments:
  - name: dev
    variables: {hostname: dev.example.com}
  - name: prod
    variables: {hostname: example.com}
variables:
  level: debug
  short: ${upper("api")}
providers:
  - name: local-kubernetes
"""
ACTION = """\
kind: Deploy
type: kubernetes
name: api
variables:
  host: ${var.hostname}
spec:
  image: ${actions.build.api.outputs.id}
  replicas: "${environment.name == 'prod' ? 3 : 1}"
  short: ${var.short}
  level: ${var.level}
---
kind: Build
type: container
name: api
"""
KARGO = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: test, namespace: demo}
spec:
  vars:
    - {name: repo, value: "https://${{ ctx.stage }}.example.com"}
  promotionTemplate:
    spec:
      steps:
        - uses: compose-output
          as: made
          config:
            count: ${{ 1 + 2 }}
            repo: ${{ vars.repo }}
        - uses: http
          as: call
          if: ${{ ctx.stage == 'prod' }}
          config:
            url: ${{ outputs.made.repo }}/${{ imageFrom('x').Tag }}
"""
LANDSCAPER = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
  - name: host
    type: data
    schema: {type: string}
deployExecutions:
  - name: default
    type: GoTemplate
    template: |
      deployItems:
      {{- range $i, $e := list 1 2 }}
        - name: {{ $.imports.host }}-{{ $e }}
          type: landscaper.gardener.cloud/helm
      {{- end }}
"""
TEMPLATE = "host: {{ .host | upper }}\n{{ range .items }}- {{ . }}\n{{ end }}"
SPIFF = 'name: shop\nhost: (( name ".example.com" ))\nsizes: (( [ 1, 2 ] ))\n'


def hints(desk: Desk, name: str) -> list[str]:
    """Each hint after the part of its line before it."""
    found = desk.ask(
        types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(desk.document(name), EVERYTHING)
    )
    source = desk.workspace.source(desk.uri(name))
    assert source is not None
    lines = source.text.split("\n")
    return [
        f"{lines[one.position.line][: one.position.character].strip()} {one.label}"
        for one in found or ()
    ]


def hover(desk: Desk, name: str, mark: str) -> str:
    """What is told at the `|` of a part of a text."""
    source = desk.workspace.source(desk.uri(name))
    assert source is not None
    offset = source.text.index(mark.replace("|", "", 1)) + mark.index("|")
    position = Coordinates(source, desk.workspace.units).position(offset)
    found = desk.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(desk.document(name), position))
    return str(found.contents.value) if found is not None else ""


def signature(desk: Desk, name: str, text: str) -> types.SignatureHelp | None:
    """The help at the `^` of a text that is not read yet."""
    text, position = marked(text, "^")
    desk.workspace.open(desk.uri(name), text)
    params = types.SignatureHelpParams(desk.document(name), position)
    found: types.SignatureHelp | None = desk.ask(types.TEXT_DOCUMENT_SIGNATURE_HELP, params)
    return found


def lenses(desk: Desk, name: str) -> list[str]:
    found = desk.ask(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(desk.document(name)))
    return [one.command.title for one in found]


def command(desk: Desk, name: str, document: str, *arguments: Any) -> Any:
    (found,) = [one for one in commands() if one.name == name]
    return found.answer(desk.workspace, [desk.uri(document), *arguments])


@pytest.fixture
def shop(tmp_path: Path) -> Desk:
    files = {"app.blueprint.yaml": BLUELINK, "store.blueprint.yaml": STORE, "bpp.toml": TARGETS}
    desk = Desk(tmp_path, files)
    desk.open("app.blueprint.yaml")
    return desk


def garden(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path, {"project.garden.yml": GARDEN, "api/garden.yml": ACTION})
    desk.open("project.garden.yml")
    return desk


def opened(tmp_path: Path, name: str, text: str, dialect: str, **files: str) -> Desk:
    desk = Desk(tmp_path, {name: text, **{key.replace("__", "."): v for key, v in files.items()}})
    desk.workspace.preferences = Preferences({name: dialect})
    desk.open(name)
    return desk


def test_blueprints_show_values(shop: Desk) -> None:
    assert hints(shop, "app.blueprint.yaml") == [
        "value: orders-${variables.environment} staging",
        'value: ${list("a", "b", "c")} ["a", "b", "c"]',
        'value: ${eq(variables.region, "eu-west-1")} true',
        "name: ${values.prefix} orders-staging",
        'each: ${values.names} ["a", "b", "c"]',
        "name: ${values.prefix} orders-staging",
        "name: ${values.prefix}-${elem} a  \u00d73",
        "same: ${variables.region} eu-west-1",
        "condition: ${values.ready} true",
        "text: a-${variables.region} eu-west-1",
        'text: a-${variables.region}-b-${to_upper("x")} X',
        "wait: ${resources.queue[0].state.arn} ?",
        'list: ${values.names} ["a", "b", "c"]',
        "url: ${children.store.url} https://orders-staging.example.com",
    ]


def test_children_show_what_their_parents_give(shop: Desk) -> None:
    shop.workspace.open(shop.uri("store.blueprint.yaml"), STORE)
    shown = ["value: https://${variables.name} orders-staging"]
    assert hints(shop, "store.blueprint.yaml") == shown
    shop.workspace.open(shop.uri("store.blueprint.yaml"), "# x\n" + STORE)
    assert hints(shop, "store.blueprint.yaml") == shown
    changed = STORE.replace("${variables.name}", "${variables.other}")
    shop.workspace.open(shop.uri("store.blueprint.yaml"), changed)
    assert hints(shop, "store.blueprint.yaml") == []  # what the parent read was another text


def test_only_what_is_visible_is_asked_for(shop: Desk) -> None:
    name = "app.blueprint.yaml"
    lines = BLUELINK.split("\n")
    line = lines.index("      same: ${variables.region}")
    part = types.Range(types.Position(line, 0), types.Position(line, 40))
    asked = types.InlayHintParams(shop.document(name), part)
    found = shop.ask(types.TEXT_DOCUMENT_INLAY_HINT, asked)
    assert [one.label for one in found] == ["eu-west-1"]


def test_values_stay_while_a_text_is_broken(shop: Desk) -> None:
    name = "app.blueprint.yaml"
    before = hints(shop, name)
    shop.open(name, BLUELINK.replace("values:\n", "values:\n  broken: [\n", 1))
    assert hints(shop, name) == before
    # not at what was changed, and not at wrong places, before the new text is looked at
    changed = BLUELINK.replace(
        "orders-${variables.environment}", "\n      o-${variables.region}", 1
    )
    shop.workspace.open(shop.uri(name), changed)
    assert hints(shop, name) == before[1:]


@pytest.mark.parametrize(
    ("old", "new", "place", "expected"),
    [
        ("abcdef", "abcdef", (2, 3), (2, 3)),
        ("abcdef", "abXcdef", (0, 2), (0, 2)),
        ("abcdef", "abXcdef", (2, 4), (3, 5)),
        ("abcdef", "abef", (2, 4), None),
        ("abcdef", "abef", (4, 6), (2, 4)),
        ("aaaa", "aaa", (3, 4), None),
        ("", "x", (0, 0), (0, 0)),
    ],
)
def test_places_move_with_the_text(
    old: str, new: str, place: tuple[int, int], expected: tuple[int, int] | None
) -> None:
    assert Shift(old, new).place(*place) == expected


def test_projects_of_garden_show_values(tmp_path: Path) -> None:
    desk = garden(tmp_path)
    assert hints(desk, "project.garden.yml") == ['short: ${upper("api")} API']
    desk.workspace.open(desk.uri("api/garden.yml"), ACTION)
    assert hints(desk, "api/garden.yml") == [
        "host: ${var.hostname} dev.example.com",
        "image: ${actions.build.api.outputs.id} ?",
        "replicas: \"${environment.name == 'prod' ? 3 : 1} 1",
        "short: ${var.short} API",
        "level: ${var.level} debug",
    ]
    command(desk, "bpp.chooseInputs", "project.garden.yml", "--env", "prod")
    shown = hints(desk, "api/garden.yml")
    assert shown[0] == "host: ${var.hostname} example.com" and shown[2].endswith(" 3")
    assert lenses(desk, "project.garden.yml")[1] == "inputs: --env prod"


def test_promotions_of_kargo_show_values(tmp_path: Path) -> None:
    desk = opened(tmp_path, "stages.yaml", KARGO, "kargo")
    assert hints(desk, "stages.yaml") == [
        '- {name: repo, value: "https://${{ ctx.stage }} test',
        "count: ${{ 1 + 2 }} 3",
        "repo: ${{ vars.repo }} https://test.example.com",
        "if: ${{ ctx.stage == 'prod' }} false",
        "url: ${{ outputs.made.repo }} https://test.example.com",
        "url: ${{ outputs.made.repo }}/${{ imageFrom('x').Tag }} ?",
    ]


def test_templates_of_go_show_what_they_print(tmp_path: Path) -> None:
    values = {"given__yaml": "imports: {host: tea}\n"}
    desk = opened(tmp_path, "blueprint.yaml", LANDSCAPER, "landscaper", **values)
    assert hints(desk, "blueprint.yaml") == []
    command(desk, "bpp.chooseInputs", "blueprint.yaml", "--imports", "given.yaml")
    assert hints(desk, "blueprint.yaml") == [
        "- name: {{ $.imports.host }} tea",
        "- name: {{ $.imports.host }}-{{ $e }} 1  \u00d72",
    ]
    assert lenses(desk, "blueprint.yaml")[0] == "rendered: 2 deployItems"


def test_templates_alone_show_values(tmp_path: Path) -> None:
    values = {"my_vars__yaml": "host: tea\nitems: [1, 2]\n"}
    desk = opened(tmp_path, "a.tmpl", TEMPLATE, "gotemplate", **values)
    listed = command(desk, "bpp.chooseInputs", "a.tmpl", "list")
    assert [one["words"] for one in listed] == [["none"], ["--vars", "my_vars.yaml"]]
    command(desk, "bpp.chooseInputs", "a.tmpl", *listed[1]["words"])
    assert hints(desk, "a.tmpl") == [
        "host: {{ .host | upper }} TEA",
        "{{ range .items }}- {{ . }} 1  \u00d72",
    ]
    spiff = opened(tmp_path, "a.yaml", SPIFF, "spiff")
    assert hints(spiff, "a.yaml") == [
        'host: (( name ".example.com" )) shop.example.com',
        "sizes: (( [ 1, 2 ] )) [1, 2]",
    ]


# ---------------------------------------------------------------- inputs


def test_the_first_target_is_chosen(shop: Desk) -> None:
    name = "app.blueprint.yaml"
    listed = command(shop, "bpp.chooseInputs", name, "list")
    assert [(one["label"], one["chosen"]) for one in listed] == [
        ("app[env=staging]", True),
        ("app[env=prod]", False),
        ("no inputs", False),
    ]
    command(shop, "bpp.chooseInputs", name, "target", "app[env=prod]")
    assert hints(shop, name)[0] == "value: orders-${variables.environment} prod"
    assert lenses(shop, name) == [
        "rendered: 3 values, 1 include, 4 resources, 1 unknown",
        "inputs: app[env=prod]",
        "open the picture",
    ]
    command(shop, "bpp.chooseInputs", name, "none")
    assert hints(shop, name)[0] == 'value: ${list("a", "b", "c")} ["a", "b", "c"]'
    command(shop, "bpp.chooseInputs", name, "target", "gone")
    assert lenses(shop, name)[0] == "not rendered"


def test_files_are_picked(tmp_path: Path) -> None:
    files = {"app.blueprint.yaml": BLUELINK, "store.blueprint.yaml": STORE}
    desk = Desk(tmp_path, {**files, "vars/prod.env": "environment=prod\n"})
    desk.open("app.blueprint.yaml")
    command(desk, "bpp.chooseInputs", "app.blueprint.yaml", "--vars", "vars/prod.env")
    assert hints(desk, "app.blueprint.yaml")[0] == "value: orders-${variables.environment} prod"
    told = hover(desk, "app.blueprint.yaml", "orders-${variables.en|vironment}")
    assert "vars/prod.env:1:13" in told
    command(desk, "bpp.chooseInputs", "app.blueprint.yaml", "--vars", "gone.env")
    assert lenses(desk, "app.blueprint.yaml")[0] == "not rendered"
    with pytest.raises(Refused, match=r"gone\.env"):
        command(desk, "bpp.showRendered", "app.blueprint.yaml")


def test_the_user_is_asked(shop: Desk) -> None:
    asked: list[list[str]] = []

    class Client:
        def choose(self, message: str, options: list[str]) -> str | None:
            asked.append(options)
            return "app[env=prod]"

        def look_again(self, uri: str) -> None:
            shop.open("app.blueprint.yaml")

    shop.workspace.client = Client()  # type: ignore[assignment]
    assert command(shop, "bpp.chooseInputs", "app.blueprint.yaml") is None
    assert asked == [["app[env=staging]", "app[env=prod]", "no inputs"]]
    assert hints(shop, "app.blueprint.yaml")[0].endswith(" prod")


# ---------------------------------------------------------------- hovers


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("name: ${values.pre|fix}-", ["values.prefix: string = orders-staging", "type `string`"]),
        (
            "name: ${values.pre|fix}-",
            ['variables.environment = "staging"', "at app.blueprint.yaml:12:12"],
        ),
        ("orders-${variables.environ|ment}", ["where it runs", "from bpp.toml"]),
        ("${e|q(variables", ["eq(a: any, b: any) -> boolean", "value: boolean = true"]),
        ("$|{list", ['value: array = ["a", "b", "c"]']),
        ("arn|}", ["not known yet", "known after deployment"]),
        ("  st|ore:", ["store.blueprint.yaml", "exports: `url`"]),
        ("tex|t: a", ["a-eu-west-1-b-X"]),
        ("condi|tion:", ["**condition**", "value: boolean = true"]),
        ("    na|me: ${values.prefix}\nresources", ["orders-staging"]),
        ("typ|e: aws/sqs/queue", ["**type**", "required"]),
        ("name: ${values.prefix}-${el|em}", ["elem: string = a", "element 0 of the list"]),
    ],
)
def test_hovers_tell(shop: Desk, mark: str, expected: list[str]) -> None:
    told = hover(shop, "app.blueprint.yaml", mark)
    for one in expected:
        assert one in told, told


def test_hovers_tell_of_mistakes(shop: Desk) -> None:
    name = "app.blueprint.yaml"
    shop.open(name, BLUELINK.replace("${values.names}", "${values.nam}"))
    told = hover(shop, name, "each: ${values.na|m}")
    assert told.startswith("**value_not_found**: ") and "values.nam" not in told.split("\n")[0]


def test_hovers_in_other_dialects(tmp_path: Path) -> None:
    desk = garden(tmp_path / "garden")
    desk.workspace.open(desk.uri("api/garden.yml"), ACTION)
    assert "upper(" in hover(desk, "project.garden.yml", "${up|per(")
    told = hover(desk, "api/garden.yml", "host: ${var.host|name}")
    assert "var.hostname: string = dev.example.com" in told
    assert "project.garden.yml:7:17" in told
    assert lenses(desk, "api/garden.yml") == lenses(desk, "project.garden.yml")
    values = {"given__yaml": "imports: {host: tea}\n"}
    text = LANDSCAPER.replace("$.imports.host }}", "upper $.imports.host }}")
    blueprint = opened(tmp_path / "landscaper", "blueprint.yaml", text, "landscaper", **values)
    command(blueprint, "bpp.chooseInputs", "blueprint.yaml", "--imports", "given.yaml")
    told = hover(blueprint, "blueprint.yaml", "{{ up|per")
    assert "upper(" in told and "prints, the first of 2\n\n```text\nTEA\n```" in told
    kargo = opened(tmp_path / "kargo", "stages.yaml", KARGO, "kargo")
    told = hover(kargo, "stages.yaml", "${{ vars.re|po }}")
    assert "vars.repo: string = https://test.example.com" in told and "ctx.stage" in told
    assert "imageFrom(repoURL" in hover(kargo, "stages.yaml", "image|From('x')")


# ---------------------------------------------------------------- signatures


@pytest.mark.parametrize(
    ("text", "label", "place"),
    [
        ("substr(^", "substr(", 0),
        ('substr("a,b", 1, ^', "substr(", 2),
        ("substr(to_upper(^", "to_upper(", 0),
        ("substr(to_upper(x), ^", "substr(", 1),
        ("list(1, 2, [3, 4, ^", "list(", 0),
        ("substr(x[0], ^}", "substr(", 1),
        ('substr("}", ${values.names}, ^', "substr(", 2),
        ("values.ready}${substr(1, ^", "substr(", 1),
    ],
)
def test_signatures(shop: Desk, text: str, label: str, place: int) -> None:
    found = signature(
        shop, "app.blueprint.yaml", BLUELINK.replace("a-${variables.region}", f"${{{text}")
    )
    assert found is not None
    assert found.signatures[0].label.startswith(label) and found.active_parameter == place


@pytest.mark.parametrize("text", ["none(^", "^", "substr(1)^", '"substr(^', "substr(1)}substr(^"])
def test_no_signature(shop: Desk, text: str) -> None:
    whole = BLUELINK.replace("a-${variables.region}", f"${{{text}")
    assert signature(shop, "app.blueprint.yaml", whole) is None


def test_signatures_in_quoted_scalars(shop: Desk) -> None:
    text = BLUELINK.replace("a-${variables.region}", '"${join(list(\\"a\\", 1), ^')
    found = signature(shop, "app.blueprint.yaml", text)
    assert found is not None and found.active_parameter == 1


@pytest.mark.parametrize(
    ("dialect", "name", "good", "old", "new", "label", "place"),
    [
        ("kargo", "s.yaml", KARGO, "1 + 2 }}", "semverDiff('1', ^", "semverDiff(", 1),
        ("landscaper", "b.yaml", LANDSCAPER, "$.imports.host }}", 'replace "a" ^', "replace(", 1),
        (
            "gotemplate",
            "a.tmpl",
            TEMPLATE,
            ".host | upper }}",
            "upper .x | replace ^",
            "replace(",
            0,
        ),
        ("spiff", "a.yaml", SPIFF, "[ 1, 2 ] ))", 'join(",", ^', "join(", 1),
        ("garden", "p.yaml", GARDEN, '"api")}', '"api", ^', "upper(", 1),
    ],
)
def test_signatures_of_dialects(
    tmp_path: Path, dialect: str, name: str, good: str, old: str, new: str, label: str, place: int
) -> None:
    desk = opened(tmp_path, name, good, dialect)
    found = signature(desk, name, good.replace(old, new, 1))
    assert found is not None
    assert found.signatures[0].label.startswith(label) and found.active_parameter == place


# ---------------------------------------------------------------- commands


def test_what_is_rendered_is_shown(shop: Desk) -> None:
    found = command(shop, "bpp.showRendered", "app.blueprint.yaml")
    assert found["language"] == "yaml" and found["title"] == "app.blueprint.yaml (rendered)"
    assert "name: orders-staging-b" in found["text"]
    picture = command(shop, "bpp.showGraph", "app.blueprint.yaml", "mermaid")
    assert picture["language"] == "mermaid" and "queue" in picture["text"]
    with pytest.raises(Refused, match="mermaid"):
        command(shop, "bpp.showGraph", "app.blueprint.yaml", "gif")
    with pytest.raises(Refused, match="not open"):
        command(shop, "bpp.showRendered", "gone.yaml")


def test_the_server_answers(tmp_path: Path) -> None:
    files = {"app.blueprint.yaml": BLUELINK, "store.blueprint.yaml": STORE, "bpp.toml": TARGETS}
    name = "app.blueprint.yaml"

    async def play() -> tuple[Any, Any, Any, str]:
        async with Editor(tmp_path, files) as editor:
            await editor.open(name)
            params = types.InlayHintParams(editor.document(name), EVERYTHING)
            found = await editor.ask(types.TEXT_DOCUMENT_INLAY_HINT, params)
            asked = types.CodeLensParams(editor.document(name))
            above = await editor.ask(types.TEXT_DOCUMENT_CODE_LENS, asked)
            shown = above[0].command
            run = types.ExecuteCommandParams(shown.command, shown.arguments)
            text = await editor.ask(types.WORKSPACE_EXECUTE_COMMAND, run)
            words = [editor.uri(name), "target", "app[env=prod]"]
            choose = types.ExecuteCommandParams("bpp.chooseInputs", words)
            await editor.ask(types.WORKSPACE_EXECUTE_COMMAND, choose)
            again = await editor.ask(types.TEXT_DOCUMENT_INLAY_HINT, params)
            return found, above, text, again[0].label

    found, above, text, label = asyncio.run(play())
    assert label == "prod"
    assert found[0].label == "staging" and found[0].position.line == 11
    assert above[1].command.title == "inputs: app[env=staging]"
    assert "orders-staging-b" in str(text)


def test_parts_of_projects_are_no_documents(tmp_path: Path) -> None:
    async def play() -> tuple[list[types.Diagnostic], Any]:
        files = {"project.garden.yml": GARDEN, "api/garden.yml": ACTION}
        async with Editor(tmp_path, files) as editor:
            await editor.open("project.garden.yml")
            found = await editor.open("api/garden.yml")
            params = types.InlayHintParams(editor.document("api/garden.yml"), EVERYTHING)
            return found, await editor.ask(types.TEXT_DOCUMENT_INLAY_HINT, params)

    found, shown = asyncio.run(play())
    assert found == []
    assert [one.label for one in shown] == ["dev.example.com", "?", "1", "API", "debug"]


# ---------------------------------------------------------------- secrets

SECRETS = {
    "given": "hUnTeR2-s3cr3t-w0rd",
    "default": "z9y8x7w6v5u4t3s2",
    "made": "k1j2h3g4f5d6s7a8p9",
    "state": "qQ7wW8eE9rR0tT1yY2",
}
FINDER = Finder(SECRETS)
SECRET_BLUEPRINT = f"""\
version: 2025-11-02
variables:
  given: {{type: string, secret: true, description: given}}
  other: {{type: string, secret: true, default: "{SECRETS["default"]}"}}
  open: {{type: string, default: made}}
values:
  made:
    type: string
    secret: true
    value: ${{replace("k1j2h3g4f5d6s7a8p9", "x", variables.open)}}
  joined:
    type: string
    value: a-${{variables.given}}-${{variables.other}}-${{values.made}}
include:
  store:
    path: store.blueprint.yaml
    variables:
      name: ${{replace("k1j2h3g4f5d6s7a8p9", "x", variables.open)}}
resources:
  api:
    type: aws/lambda/function
    condition: ${{eq(variables.given, "x")}}
    spec:
      joined: ${{values.joined}}
      encoded: ${{base64encode(variables.given)}}
      upper: ${{to_upper(values.made)}}
      list: ${{list(variables.given, values.made)}}
      object: ${{object(a = variables.other, b = values.joined)}}
      count: ${{len(variables.given)}}
      sub: ${{substr(variables.given, 0, 9)}}
"""
SECRET_CHILD = STORE.replace(
    "    type: string\nvalues", "    type: string\n    secret: true\nvalues"
)
SECRET_GARDEN = """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments: [{name: dev}]
providers: [{name: exec}]
variables:
  token: ${secrets.given}
  joined: a-${secrets.given}-b
---
kind: Run
type: exec
name: api
variables:
  own: ${base64Encode(secrets.given)}
spec:
  command: [echo, "${var.token}", "${var.joined}", "${var.own}", "${upper(var.token)}"]
"""
SECRET_KARGO = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: own, namespace: demo}}
stringData: {{token: "{SECRETS["given"]}", text: "{SECRETS["made"]}"}}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {{name: test, namespace: demo}}
spec:
  vars:
    - {{name: token, value: "${{{{ secret('own').token }}}}"}}
    - {{name: joined, value: "a-${{{{ vars.token }}}}-${{{{ secret('own').text }}}}"}}
  promotionTemplate:
    spec:
      steps:
        - uses: http
          as: call
          if: ${{{{ vars.token != '' }}}}
          config:
            url: https://example.com/${{{{ vars.token }}}}
            body: "${{{{ quote({{a: vars.joined, b: toBase64(vars.token)}}) }}}}"
"""
SECRET_LANDSCAPER = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
  - {name: cluster, type: target, targetType: t/c}
  - {name: host, type: data, schema: {type: string}}
  - {name: names, type: data, schema: {type: array}}
importExecutions:
  - name: binds
    type: GoTemplate
    template: |
      bindings:
        sum: {{ .imports.cluster.spec.config.token | sha256sum }}
        host2: {{ .imports.host }}
deployExecutions:
  - name: default
    type: GoTemplate
    template: |
      {{- $token := b64enc .imports.cluster.spec.config.token }}
      deployItems:
      {{- with (or .imports.nothing (upper .imports.cluster.spec.config.token)) }}
        - name: with
          type: t/x
          config: {a: {{ . }}, b: {{ $.imports.host }}}
      {{- end }}
      {{- range .imports.names }}
        - name: {{ . }}-{{ $.imports.host }}
          type: t/x
          config: {a: {{ $token }}, b: {{ b64enc $.imports.cluster.spec.config.token }}}
      {{- end }}
      {{- range list (upper .imports.cluster.spec.config.token) }}
        - name: {{ sha1sum . }}
          type: t/x
          config: {a: {{ . }}}
      {{- end }}
        - name: {{ .imports.host }}
          type: t/x
          config:
            raw: {{ .imports.cluster.spec.config.token }}
            encoded: {{ $token }}
            bound: {{ .imports.sum }}
            {{ .imports.cluster.spec.config.token | b64enc }}: key
            whole: {{ toJson .imports | b64enc }}
            target: {{ .imports.cluster.metadata.name }}
"""
SECRET_TARGET = {
    "kind": "Target",
    "metadata": {"name": "cluster"},
    "spec": {"type": "t/c", "config": {"token": SECRETS["given"]}},
}


def all_that_is_told(desk: Desk, name: str) -> str:
    """Hints with their tooltips, hovers everywhere, lenses, and what commands answer."""
    asked = types.InlayHintParams(desk.document(name), EVERYTHING)
    told = [repr(desk.ask(types.TEXT_DOCUMENT_INLAY_HINT, asked)), repr(lenses(desk, name))]
    source = desk.workspace.source(desk.uri(name))
    assert source is not None
    for number, line in enumerate(source.text.split("\n")):
        for column in range(0, len(line) + 1, 3):
            position = types.Position(number, column)
            params = types.HoverParams(desk.document(name), position)
            found = desk.ask(types.TEXT_DOCUMENT_HOVER, params)
            told += [str(found.contents.value)] if found is not None else []
    told += [json.dumps(command(desk, "bpp.chooseInputs", name, "list"))]
    for what in ("bpp.showRendered", "bpp.showGraph"):
        try:
            told.append(command(desk, what, name, *["mermaid"][: what == "bpp.showGraph"])["text"])
        except Refused as refused:
            told.append(str(refused))
    return "\n".join(told)


@pytest.mark.parametrize("dialect", ["bluelink", "garden", "kargo", "landscaper"])
def test_no_secret_is_told(tmp_path: Path, dialect: str) -> None:
    name, text = {
        "bluelink": ("app.blueprint.yaml", SECRET_BLUEPRINT),
        "garden": ("project.garden.yml", SECRET_GARDEN),
        "kargo": ("stages.yaml", SECRET_KARGO),
        "landscaper": ("blueprint.yaml", SECRET_LANDSCAPER),
    }[dialect]
    files = {
        name: text,
        "store.blueprint.yaml": SECRET_CHILD,
        "given.vars.yaml": f"given: {SECRETS['given']}\n",
        "imports.yaml": "imports: {host: tea.example.com, names: [north, south]}\n",
        "targets.yaml": json.dumps(SECRET_TARGET),
        "state.yaml": json.dumps({"secrets": {"given": SECRETS["given"]}}),
    }
    words = {
        "bluelink": ["--vars", "given.vars.yaml"],
        "garden": ["--state", "state.yaml"],
        "kargo": ["none"],
        "landscaper": ["--imports", "imports.yaml", "--targets", "targets.yaml"],
    }[dialect]
    desk = Desk(tmp_path, files)
    desk.workspace.preferences = Preferences({name: dialect})
    desk.open(name)
    command(desk, "bpp.chooseInputs", name, *words)
    assert lenses(desk, name)[0].startswith("rendered: ")
    told = all_that_is_told(desk, name)
    assert "(secret)" in told
    assert FINDER.found(told) == []


def test_what_is_no_secret_of_a_target_is_told(tmp_path: Path) -> None:
    files = {
        "imports.yaml": "imports: {host: tea.example.com, names: [north, south]}\n",
        "targets.yaml": json.dumps(SECRET_TARGET),
    }
    desk = opened(tmp_path, "blueprint.yaml", SECRET_LANDSCAPER, "landscaper", **files)
    words = ["--imports", "imports.yaml", "--targets", "targets.yaml"]
    command(desk, "bpp.chooseInputs", "blueprint.yaml", *words)
    assert hints(desk, "blueprint.yaml") == [
        "host2: {{ .imports.host }} tea.example.com",
        "- name: {{ . }} north  \u00d72",
        "- name: {{ . }}-{{ $.imports.host }} tea.example.com",
        "- name: {{ .imports.host }} tea.example.com",
        "target: {{ .imports.cluster.metadata.name }} cluster",
    ]
