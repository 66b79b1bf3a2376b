"""What the editor offers while one types, by dialect; `^` is the cursor."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bpp.pipeline.answers.fields import field_at
from bpp.pipeline.dialects.table import find_dialect
from bpp.pipeline.editor.cursor import cursor_at
from bpp.pipeline.editor.workspace import Preferences
from bpp.pipeline.values.source import Source
from lsprotocol import types
from support.editor import Desk, Editor, marked

BLUELINK = """\
version: 2025-11-02
variables:
  environment:
    type: string
    description: Where it runs.
  token:
    type: string
    secret: true
    default: hush
values:
  prefix:
    type: string
    value: shop-${variables.environment}
  quota:
    type: integer
    value: 3
resources:
  api:
    type: aws/lambda/function
    metadata:
      labels: {app: shop}
    spec:
      handler: main
  table:
    type: aws/dynamodb/table
    dependsOn: [api]
    spec:
      name: orders
"""

GARDEN = """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments:
  - name: dev
  - name: prod
providers:
  - name: kubernetes
variables:
  host: shop.example.com
---
kind: Build
name: api
type: container
---
kind: Deploy
name: web
type: kubernetes
dependencies:
  - build.api
"""

KARGO = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata:
  name: teapot
spec:
  subscriptions:
    - image:
        repoURL: registry.example.com/tea
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata:
  name: test
spec:
  requestedFreight:
    - origin: {kind: Warehouse, name: teapot}
      sources: {direct: true}
  promotionTemplate:
    spec:
      vars:
        - name: repo
          value: https://git.example.com/tea
      steps:
        - uses: git-clone
          as: clone
          config:
            repoURL: ${{ vars.repo }}
            checkout:
              - path: ./src
"""

LANDSCAPER = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
  - name: cluster
    targetType: landscaper.gardener.cloud/kubernetes-cluster
  - name: shop
    schema:
      type: object
      properties:
        host: {type: string}
deployExecutions:
  - name: default
    type: GoTemplate
    template: |
      deployItems:
        - name: {{ .imports.shop.host }}
          type: landscaper.gardener.cloud/helm
"""

SPIFF = """\
name: shop
host: (( name ))
"""


TEMPLATE = """\
{{- $you := .you }}
name: {{ .name }}
{{- if $you }}
  - "{{ $you }}"
{{- end }}
"""


def offered(tmp_path: Path, name: str, good: str, old: str, new: str) -> list[types.CompletionItem]:
    """What is offered after `old` has become `new` in a document that was good before."""
    desk = Desk(tmp_path)
    desk.workspace.preferences = PREFERENCES
    desk.open(name, good)
    assert old in good
    text, position = marked(good.replace(old, new, 1), "^")
    desk.workspace.open(desk.uri(name), text)
    params = types.CompletionParams(desk.document(name), position)
    found = desk.ask(types.TEXT_DOCUMENT_COMPLETION, params)
    assert found is not None
    return found.items  # type: ignore[no-any-return]


ROWS = [
    # bluelink: expressions
    ("bluelink", "shop-${variables.environment}", "shop-${^", "variables values resources join"),
    ("bluelink", "shop-${variables.environment}", "shop-${var^", "variables"),
    ("bluelink", "shop-${variables.environment}", "${values.^}", "values.quota values.prefix"),
    ("bluelink", "shop-${variables.environment}", '"${trim(values.q^', "values.quota"),
    ("bluelink", "handler: main", "handler: ${resources.table.^", "resources.table.spec"),
    ("bluelink", "handler: main", "handler: ${resources.table.spec.^", "resources.table.spec.name"),
    ("bluelink", "handler: main", "code: |2\n        x ${values.^\n", "values.quota"),
    ("bluelink", "handler: main", "{a: '${values.^'}", "values.quota"),
    # bluelink: keys
    ("bluelink", "resources:\n", "^\nresources:\n", "exports datasources !values"),
    ("bluelink", "    dependsOn: [api]\n", "    ^\n", "dependsOn linkSelector !type !spec"),
    ("bluelink", "      labels: {app: shop}\n", "      ^\n", "displayName annotations labels"),
    ("bluelink", "labels: {app: shop}", "labels: {app: shop}\n      dis^", "displayName !labels"),
    ("bluelink", "type: integer", "ty^\n    description: x", "type !description"),
    # bluelink: values
    ("bluelink", "type: integer", "type: ^", "string integer float boolean array object"),
    ("bluelink", "version: 2025-11-02", "version: ^", "2025-11-02 2023-04-20"),
    ("bluelink", "secret: true", "secret: ^", "true false"),
    ("bluelink", "[api]", "[^]", "api table"),
    ("bluelink", "[api]", "\n      - ^", "api table"),
    ("bluelink", "version: 2025-11-02", "transform: ^\nversion: 2025-11-02", "bpp/defaults-1"),
    # comments
    ("bluelink", "type: integer", "type: integer # bpp: ignore ^", "unused_value"),
    ("bluelink", "type: integer", "type: integer # b^", "bpp: ignore"),
    # garden
    ("garden", "shop.example.com", "${^", "var environment project join"),
    ("garden", "shop.example.com", "${var.^", "var.host"),
    ("garden", "- build.api", "- ^", "build.api deploy.web"),
    ("garden", "kind: Build", "kind: ^", "Project Build Deploy Run Test"),
    ("garden", "type: container\n", "type: container\n^\n", "dependencies variables !type !name"),
    ("garden", "variables:\n", "defaultEnvironment: ^\nvariables:\n", "dev prod"),
    ("garden", "  - name: kubernetes\n", "  - name: kubernetes\n    ^\n", "dependencies !name"),
    # kargo
    ("kargo", "${{ vars.repo }}", "${{ ^", "vars outputs ctx imageFrom"),
    ("kargo", "${{ vars.repo }}", "${{ vars.^", "vars.repo"),
    ("kargo", "${{ vars.repo }}", "${{ outputs['^", "outputs['clone']"),
    ("kargo", "${{ vars.repo }}", "${{ imageFrom('^", "registry.example.com/tea"),
    ("kargo", "uses: git-clone", "uses: git-^", "git-clone git-commit"),
    ("kargo", "            checkout:", "            ^\n            checkout:", "author !repoURL"),
    ("kargo", "- path: ./src", "- path: ./src\n                ^", "branch commit tag !path"),
    ("kargo", "          as: clone\n", "          ^\n", "as if retry !uses !config"),
    ("kargo", "name: teapot}", "name: ^}", "teapot"),
    # landscaper
    ("landscaper", "{{ .imports.shop.host }}", "{{ .^", ".imports .blueprint"),
    ("landscaper", "{{ .imports.shop.host }}", "{{ .imports.^", ".imports.shop .imports.cluster"),
    ("landscaper", "{{ .imports.shop.host }}", "{{ $.imports.shop.^", "$.imports.shop.host"),
    ("landscaper", "{{ .imports.shop.host }}", "{{ $x := 1 }}{{ $^", "$x"),
    ("landscaper", "{{ .imports.shop.host }}", "{{ toY^", "toYaml"),
    ("landscaper", "type: GoTemplate", "type: ^", "GoTemplate Spiff"),
    ("landscaper", "deployExecutions:", "^\ndeployExecutions:", "exports !imports !kind"),
    ("landscaper", "  - name: cluster\n", "  - name: cluster\n    ^\n", "type required !name"),
    ("landscaper", "landscaper.gardener.cloud/helm", "^", "landscaper.gardener.cloud/helm"),
    ("landscaper", "helm\n", "helm\n          ^\n", "target config dependsOn !name !type"),
    ("landscaper", "helm\n", "helm\n          target:\n            ^\n", "import index key"),
    # texts
    ("gotemplate", "{{ .name }}", "{{ $y^", "$you"),
    ("gotemplate", "{{ .name }}", "{{ trimS^", "trimSuffix"),
    # spiff
    ("spiff", "(( name ))", "(( na^", "name"),
    ("spiff", "(( name ))", "(( jo^", "join"),
]
PREFERENCES = Preferences({"shop.yaml": "spiff", "service.yaml": "gotemplate"})
DOCUMENTS = {
    "bluelink": ("shop.blueprint.yaml", BLUELINK),
    "garden": ("project.garden.yml", GARDEN),
    "kargo": ("stages.yaml", KARGO),
    "landscaper": ("blueprint.yaml", LANDSCAPER),
    "spiff": ("shop.yaml", SPIFF),
    "gotemplate": ("service.yaml", TEMPLATE),
}


@pytest.mark.parametrize(("dialect", "old", "new", "expected"), ROWS)
def test_what_is_offered(tmp_path: Path, dialect: str, old: str, new: str, expected: str) -> None:
    labels = [one.label for one in offered(tmp_path, *DOCUMENTS[dialect], old, new)]
    for label in expected.replace("bpp: ignore", "bpp:_ignore").split():
        if label.startswith("!"):
            assert label[1:] not in labels
        else:
            assert label.replace("_ig", " ig") in labels


def applied(text: str, edit: types.TextEdit) -> str:
    """A text of ASCII after an edit."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    first, last = (starts[one.line] + one.character for one in (edit.range.start, edit.range.end))
    return text[:first] + edit.new_text + text[last:]


@pytest.mark.parametrize(
    ("old", "new", "label", "expected"),
    [
        ("type: integer", "type: int^", "integer", "type: integer"),
        ("type: integer", "type:^", "integer", "type: integer"),
        ("type: integer", 'type: "int^"', "integer", 'type: "integer"'),
        ("type: integer", "ty^: integer", "type", "type: integer"),
        ("type: integer", "ty^", "type", "type: "),
        (
            "handler: main",
            "code: ${trim(values.q^)}",
            "values.quota",
            "code: ${trim(values.quota)}",
        ),
        ("handler: main", "code: ${tri^(x)}", "trim", "code: ${trim(x)}"),
        ("    dependsOn: [api]", "    meta^", "metadata", "    metadata:\n      "),
        ("    dependsOn: [api]", "    depe^", "dependsOn", "    dependsOn:"),
        ("[api]", '["ap^"]', "api", '["api"]'),
        (
            "values:\n",
            "datasources:\n  d:\n    filter:\n      operator: ^\nvalues:\n",
            ">",
            ': ">"\n',
        ),
    ],
)
def test_an_offer_replaces_what_is_typed(
    tmp_path: Path, old: str, new: str, label: str, expected: str
) -> None:
    found = offered(tmp_path, *DOCUMENTS["bluelink"], old, new)
    (item,) = [one for one in found if one.label == label]
    assert isinstance(item.text_edit, types.TextEdit)
    assert expected in applied(BLUELINK.replace(old, new.replace("^", ""), 1), item.text_edit)


JSON = """{"version": "2025-11-02", "values": {"a": {"type": "string", "value": "x"}},
 "resources": {"r": {"type": "a/b", "spec": {"x": "y"}}}}"""


@pytest.mark.parametrize(
    ("old", "new", "label", "expected"),
    [
        ('"spec": {"x": "y"}', '"sp^', "spec", '"spec": '),
        ('"spec": {"x": "y"}', '"sp^"', "spec", '"spec": }'),
        ('"spec": {"x": "y"}', "^", "spec", '"a/b", "spec": }'),
        ('"y"', '"${values.^"', "values.a", '"${values.a"'),
        ('"string"', "^", "integer", '"type": "integer"'),
        ('"string"', '"^"', "integer", '"type": "integer"'),
    ],
)
def test_offers_in_json(tmp_path: Path, old: str, new: str, label: str, expected: str) -> None:
    found = offered(tmp_path, "a.blueprint.json", JSON, old, new)
    (item,) = [one for one in found if one.label == label]
    assert isinstance(item.text_edit, types.TextEdit)
    assert expected in applied(JSON.replace(old, new.replace("^", ""), 1), item.text_edit)


def test_names_tell_types_and_values_but_no_secrets(tmp_path: Path) -> None:
    desk = Desk(tmp_path, {"prod.yaml": "environment: prod\n"})
    desk.open("shop.blueprint.yaml", BLUELINK)
    told = {}
    for root in ("values", "variables"):
        text, position = marked(BLUELINK.replace("handler: main", f"x: ${{{root}.^}}"), "^")
        desk.workspace.open(desk.uri("shop.blueprint.yaml"), text)
        params = types.CompletionParams(desk.document("shop.blueprint.yaml"), position)
        for item in desk.ask(types.TEXT_DOCUMENT_COMPLETION, params).items:
            told[item.label] = desk.ask(types.COMPLETION_ITEM_RESOLVE, item)
    assert told["values.quota"].detail == "integer = 3"
    assert told["values.prefix"].detail == "string"
    assert told["variables.environment"].documentation.value == "Where it runs."
    assert "hush" not in str(told)
    assert told["variables.token"].detail == "string = (secret)"


def test_functions_are_told_with_their_signature(tmp_path: Path) -> None:
    found = offered(tmp_path, *DOCUMENTS["bluelink"], "handler: main", "x: ${tri^")
    (item,) = [one for one in found if one.label == "trim"]
    desk = Desk(tmp_path)
    desk.open("shop.blueprint.yaml", BLUELINK)
    made = desk.ask(types.COMPLETION_ITEM_RESOLVE, item)
    assert made.detail == "trim(text: string) -> string"
    assert "trim(" in made.documentation.value


def test_fields_that_are_needed_come_first_with_their_words(tmp_path: Path) -> None:
    found = offered(tmp_path, *DOCUMENTS["bluelink"], "  api:\n", "  other:\n    ^\n  api:\n")
    assert [one.label for one in found[:2]] == ["spec", "type"]
    assert all("required" in str(one.detail) for one in found[:2])
    assert found[1].documentation.value


def test_files_are_offered_for_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "net.blueprint.yaml").write_text("version: 2025-11-02\n")
    new = "include:\n  net:\n    path: parts/^\nresources:\n"
    found = offered(tmp_path, *DOCUMENTS["bluelink"], "resources:\n", new)
    assert [one.label for one in found] == ["parts/net.blueprint.yaml"]


def test_not_more_is_offered_than_anyone_reads(tmp_path: Path) -> None:
    many = "".join(f"  v{n}: {{type: string, value: x}}\n" for n in range(300))
    text = BLUELINK.replace("values:\n", f"values:\n{many}")
    desk = Desk(tmp_path)
    desk.open("a.blueprint.yaml", text)
    text, position = marked(text.replace("handler: main", "x: ${values.^"), "^")
    desk.workspace.open(desk.uri("a.blueprint.yaml"), text)
    params = types.CompletionParams(desk.document("a.blueprint.yaml"), position)
    found = desk.ask(types.TEXT_DOCUMENT_COMPLETION, params)
    assert len(found.items) == 200
    assert found.is_incomplete


CHILD = """\
version: 2025-11-02
resources:
  net: {type: a/vpc, spec: {id: x}}
exports:
  vpcId: {type: string, field: resources.net.spec.id}
"""


def test_exports_of_children_are_offered(tmp_path: Path) -> None:
    (tmp_path / "net.blueprint.yaml").write_text(CHILD)
    good = BLUELINK.replace(
        "resources:\n", "include: {net: {path: net.blueprint.yaml}}\nresources:\n"
    )
    found = offered(tmp_path, "a.blueprint.yaml", good, "main", "${children.net.^")
    assert [one.label for one in found] == ["children.net.vpcId"]


def test_fields_are_told_of_a_partial_tree() -> None:
    source = Source("a.yaml", "kind: Stage\nspec:\n  st", "yaml")
    cursor = cursor_at(source, len(source.text), ())
    kargo = find_dialect("kargo")
    assert cursor.path == ("spec",)
    field = field_at(kargo, cursor.around, cursor.path)
    assert field is not None
    assert field.required
    fields = field.inside(None)
    assert fields["requestedFreight"].required
    assert fields["requestedFreight"].types == ("array",)
    assert not fields["vars"].required
    assert field_at(kargo, cursor.around, ("nowhere",)) is None


@pytest.mark.parametrize(
    ("text", "kind", "path", "before"),
    [
        ("a:\n  b: x # c^", "comment", ("a",), " c"),
        ("a: 'x # c^", "value", ("a",), "x # c"),
        ("a: |\n  # ${c^", "expression", ("a",), "c"),
        ("a: >-\n  x\n  y^\nb: 1", "value", ("a",), "\n  x\n  y"),
        ("- - a: 1\n    b: ^", "value", (0, 0, "b"), ""),
        ("a:\n- b: 1\n- b: 1\n  c: ^\nd: 1", "value", ("a", 1, "c"), ""),
        ('a: "one\n  two ${x^', "expression", ("a",), "x"),
        ("x: 1\n---\na:\n  b: ^", "value", ("a", "b"), ""),
        ("a:\n  {b: [1, {c^", "key", ("a", "b", 1), "c"),
        ("? a\n: b^", "key", (), ": b"),
        ('{"a": [1, "${x^', "expression", ("a", 1), "x"),
        ('{"a": {"b": "c"}, "d^"}', "key", (), "d"),
        ("a: ${x} ${y^} z", "expression", ("a",), "y"),
        ("a: ${x} y^", "value", ("a",), "${x} y"),
        ('a: ${f("}", x^', "expression", ("a",), 'f("}", x'),
        ("a:\r\n  b: ^\r\n  c: 1\r\n", "value", ("a", "b"), ""),
    ],
)
def test_where_the_cursor_is(
    text: str, kind: str, path: tuple[str | int, ...], before: str
) -> None:
    format_ = "json" if text.startswith('{"') else "yaml"
    offset = text.index("^")
    source = Source("a", text.replace("^", ""), format_)
    found = cursor_at(source, offset, (("${", "}"),))
    assert (found.kind, found.path, found.before) == (kind, path, before)
    assert found.document == text.count("---")


def test_an_editor_gets_offers_tokens_and_symbols(tmp_path: Path) -> None:
    async def play() -> tuple[list[str], int, int, types.InitializeResult]:
        async with Editor(tmp_path) as editor:
            await editor.open("a.blueprint.yaml", BLUELINK)
            document = types.TextDocumentIdentifier((tmp_path / "a.blueprint.yaml").as_uri())
            client = editor.client
            position = marked(BLUELINK.replace("${variables.", "${variables.^"), "^")[1]
            offers = await client.text_document_completion_async(
                types.CompletionParams(document, position)
            )
            tokens = await client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(document)
            )
            symbols = await client.text_document_document_symbol_async(
                types.DocumentSymbolParams(document)
            )
            assert isinstance(offers, types.CompletionList)
            assert tokens is not None
            assert symbols is not None
            assert editor.result is not None
            labels = [one.label for one in offers.items]
            return labels, len(tokens.data), len(symbols), editor.result

    labels, size, count, result = asyncio.run(play())
    assert labels == ["variables.environment", "variables.token"]
    assert size == 5 * 4
    assert count == 4
    tokens = result.capabilities.semantic_tokens_provider
    assert tokens is not None
    assert tokens.legend.token_types[0] == "macro"


@pytest.mark.parametrize(
    ("dialect", "old", "new", "expected"),
    [
        # mistakes of what the document means, then others that are in the way of the cursor
        ("bluelink", "type: aws/dynamodb/table", "type: 1\n    q: ${values.none}", "values.quota"),
        ("kargo", "uses: git-clone", "uses: none", "vars.repo"),
        ("garden", "host: shop.example.com", "host: ${var.none}", "var.host"),
        ("landscaper", "type: GoTemplate", "type: None", ".imports.shop"),
    ],
)
def test_names_are_offered_in_documents_with_mistakes(
    tmp_path: Path, dialect: str, old: str, new: str, expected: str
) -> None:
    name, good = DOCUMENTS[dialect]
    desk = Desk(tmp_path)
    desk.open(name, good)
    desk.open(name, good.replace(old, new, 1))
    opener, closer = {"kargo": ("${{", "}}"), "landscaper": ("{{", "}}")}.get(dialect, ("${", "}"))
    root = expected.rpartition(".")[0]
    typed = {"bluelink": "handler: main", "kargo": "path: ./src", "garden": "type: kubernetes"}
    place = typed.get(dialect, "name: {{ .imports.shop.host }}")
    key = place.partition(":")[0]
    text = good.replace(old, new, 1).replace(place, f"{key}: {opener} {root}.^{closer}", 1)
    text, position = marked(text, "^")
    desk.open(name, text)
    params = types.CompletionParams(desk.document(name), position)
    found = desk.ask(types.TEXT_DOCUMENT_COMPLETION, params)
    assert expected in [one.label for one in found.items]
