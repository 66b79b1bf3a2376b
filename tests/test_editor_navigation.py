"""Definitions, references, highlights and renaming, for each dialect, and the law of a rename."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import Source, check, render
from bpp.pipeline.answers.inspection import inspection_of
from bpp.pipeline.answers.mentions import Thing, mentions_in_tree
from bpp.pipeline.dialects.table import command_lines, find_dialect
from bpp.pipeline.editor.coordinates import Coordinates
from bpp.pipeline.editor.feature import Refused
from bpp.pipeline.editor.navigation import Names
from bpp.pipeline.editor.texts import OpenFiles
from bpp.pipeline.rendering import prepare
from lsprotocol import types
from support.editor import Desk, Editor, cut, marked
from support.harness import (
    Case,
    discover,
    discover_projects,
    files_of,
)
from support.tiny_dialect import TINY

PARENT = """\
version: 2025-11-02
variables:
  region: {type: string}
include:
  core:
    path: core.blueprint.yaml
    variables: {prefix: "${variables.region}"}
values:
  host: {type: string, value: "${children.core.host}-${children.core[\\"host\\"]}"}
resources:
  a: {type: aws/x, spec: {id: "${values.host}"}}
  b:
    type: aws/x
    dependsOn: [a, "a"]
    linkSelector: {byLabel: {app: x}, exclude: ["a"]}
    spec: {id: "${a.spec.id}", n: '${resources["a"].spec.id}', l: '${link("a", b)}'}
exports:
  x: {type: string, field: resources.a.spec.id}
"""
CHILD = """\
version: 2025-11-02
variables:
  prefix: {type: string}
resources:
  q: {type: aws/x, spec: {id: "${variables.prefix}"}}
exports:
  host: {type: string, field: resources.q.spec.id}
"""
BLUEPRINTS = {"app.blueprint.yaml": PARENT, "core.blueprint.yaml": CHILD}

GARDEN = {
    "project.garden.yml": """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments:
  - {name: dev, variables: {host: dev}}
providers: [{name: kubernetes}]
variables:
  host: a
  url: http://${var.host}/${variables["host"]}
""",
    "api/api.garden.yml": """\
kind: Build
type: container
name: api
---
kind: Deploy
type: kubernetes
name: api
dependencies: [build.api, {kind: Build, name: api}]
build: api
variables: {port: 1}
spec: {a: "${var.host}", b: "${actions.build.api.version}", c: "${actions.deploy.web.var.port}"}
---
kind: Deploy
type: kubernetes
name: web
dependencies: ["deploy.api"]
variables: {port: 2}
spec: {a: "${var.port} ${providers.kubernetes.outputs}"}
""",
}

KARGO = {
    "kargo.yaml": """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {name: main}
spec: {subscriptions: [{image: {repoURL: nginx}}]}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: test}
spec:
  requestedFreight:
    - origin: {kind: Warehouse, name: main}
      sources: {direct: true}
  promotionTemplate:
    spec:
      vars:
        - {name: repo, value: https://x.example/r.git}
      steps:
        - uses: git-clone
          as: clone
          config: {repoURL: "${{ vars.repo }}", checkout: [{path: a}]}
        - task: {name: push}
          as: out
          vars: [{name: msg, value: "${{ outputs.clone.commits['a'] }}"}]
        - uses: http
          if: ${{ status('clone') == 'Succeeded' }}
          vars: [{name: repo, value: "${{ vars.repo }}b"}]
          config:
            url: ${{ vars.repo }}/${{ outputs['out::commit'].commit }}
            body: ${{ imageFrom('nginx', warehouse('main')).Tag }}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: prod}
spec:
  requestedFreight:
    - origin: {kind: Warehouse, name: main}
      sources: {stages: [test]}
""",
    "task.yaml": """\
apiVersion: kargo.akuity.io/v1alpha1
kind: PromotionTask
metadata: {name: push}
spec:
  vars: [{name: msg}]
  steps:
    - uses: git-commit
      as: commit
      config: {path: a, message: "${{ vars.msg }} ${{ vars.repo }}"}
    - uses: git-push
      config: {path: "${{ task.outputs.commit.commit }}"}
""",
}

LANDSCAPER = {
    "blueprint.yaml": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
  - {name: replicas, schema: {type: array}}
  - {name: cluster, type: target, targetType: landscaper.gardener.cloud/kubernetes-cluster}
exports:
  - {name: url, schema: {type: string}}
subinstallations:
  - name: db
    blueprint: {ref: a}
    imports:
      data: [{name: size, dataRef: replicas}]
      targets: [{name: c, target: cluster}]
    exports: {data: [{name: host, dataRef: dbhost}]}
  - name: web
    blueprint: {ref: a}
    imports: {data: [{name: h, dataRef: dbhost}]}
deployExecutions:
  - name: main
    type: GoTemplate
    template: |
      {{- $name := .imports.replicas }}
      {{ define "part" }}x{{ end }}
      deployItems:
        - name: web
          type: landscaper.gardener.cloud/kubernetes-manifest
          target:
            import: cluster
          config:
            count: {{ $name }} {{ index .imports "replicas" }} {{ template "part" . }}
exportExecutions:
  - name: out
    type: GoTemplate
    template: |
      exports:
        url: {{ .values.deployitems.web.x }}
  - name: more
    type: Spiff
    template:
      exports:
        url: (( values.deployitems.web.y ))
"""
}

# the files, the one that is open, what the cursor stands in (after which text), the new name, and
# how often the name is defined and found in each file
ROWS: list[tuple[Mapping[str, str], str, str, str, str, str, list[int], int]] = [
    (BLUEPRINTS, "app.blueprint.yaml", "variables: {", "prefix", "name", "variable", [1, 2], 1),
    (BLUEPRINTS, "core.blueprint.yaml", "\n  ", "host", "address", "export", [2, 1], 1),
    (BLUEPRINTS, "core.blueprint.yaml", "\n  ", "host", "a.b", "export", [2, 1], 1),
    (BLUEPRINTS, "app.blueprint.yaml", "${values.", "host", "name", "value", [2, 0], 1),
    (BLUEPRINTS, "app.blueprint.yaml", "children.", "core", "c-2", "child", [3, 0], 1),
    (BLUEPRINTS, "app.blueprint.yaml", '"${', "a", "first", "resource", [8, 0], 1),
    (GARDEN, "project.garden.yml", "var.", "host", "name", "variable", [4, 1], 2),
    (GARDEN, "api/api.garden.yml", "build.", "api", "backend", "Build", [0, 5], 1),
    (GARDEN, "api/api.garden.yml", '"deploy.', "api", "backend", "Deploy", [0, 2], 1),
    (GARDEN, "api/api.garden.yml", "web.var.", "port", "a-b", "variable", [0, 3], 1),
    (KARGO, "kargo.yaml", '"${{ vars.', "repo", "url", "variable", [3, 1], 1),
    (KARGO, "kargo.yaml", "url: ${{ vars.", "repo", "url", "variable", [2, 0], 1),
    (KARGO, "kargo.yaml", "status('", "clone", "src", "step", [3, 0], 1),
    (KARGO, "task.yaml", "task.outputs.", "commit", "made", "step", [1, 2], 1),
    (KARGO, "task.yaml", "vars.", "msg", "text", "variable", [1, 2], 1),
    (KARGO, "kargo.yaml", "task: {name: ", "push", "send", "PromotionTask", [1, 1], 1),
    (KARGO, "kargo.yaml", "warehouse('", "main", "other", "Warehouse", [4, 0], 1),
    (KARGO, "kargo.yaml", "stages: [", "test", "first", "Stage", [2, 0], 1),
    (LANDSCAPER, "blueprint.yaml", "- {name: ", "replicas", "list", "import", [4], 1),
    (LANDSCAPER, "blueprint.yaml", "import: ", "cluster", "k8s", "import", [3], 1),
    (LANDSCAPER, "blueprint.yaml", "\n        ", "url", "address", "export", [3], 1),
    (LANDSCAPER, "blueprint.yaml", "{{- ", "$name", "$n", "template variable", [2], 1),
    (LANDSCAPER, "blueprint.yaml", "template ", '"part"', "piece", "template", [2], 1),
    (LANDSCAPER, "blueprint.yaml", "deployitems.", "web", "front", "deploy item", [3], 1),
    (LANDSCAPER, "blueprint.yaml", "h, dataRef: ", "dbhost", "made", "data object", [2], 1),
]


def changed(text: str, edits: Iterable[types.TextEdit]) -> str:
    """A text with edits."""
    at = Coordinates(Source("a", text))
    for edit in sorted(edits, key=lambda one: at.offset(one.range.start), reverse=True):
        start, end = at.offset(edit.range.start), at.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


class Place:
    """A place in one of some files, open on a desk."""

    def __init__(self, folder: Path, files: Mapping[str, str], name: str, before: str, word: str):
        assert before + word in files[name]
        text, self.position = marked(files[name].replace(before + word, f"{before}§{word}", 1), "§")
        assert text == files[name]
        self.files = files
        self.desk = Desk(folder, files)
        self.desk.open(name, text)
        self.document = self.desk.document(name)

    def ask(self, method: str, kind: Any, *more: Any) -> Any:
        """The answer to a request for the place."""
        return self.desk.ask(method, kind(*more, self.document, self.position))

    def shown(self, locations: list[types.Location] | None) -> list[tuple[str, str]]:
        """The files and texts of locations."""
        names = {self.desk.uri(name): name for name in self.files}
        return [
            (names[one.uri], cut(self.files[names[one.uri]], one.range)) for one in locations or ()
        ]

    def rename(self, new: str) -> dict[str, str]:
        """The files after a rename."""
        found = self.desk.ask(
            types.TEXT_DOCUMENT_RENAME, types.RenameParams(self.document, self.position, new)
        )
        names = {self.desk.uri(name): name for name in self.files}
        edits = {names[uri]: listed for uri, listed in found.changes.items()}
        return {name: changed(text, edits.get(name, [])) for name, text in self.files.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]}: {row[2]}{row[3]}")
def test_a_name(
    tmp_path: Path,
    row: tuple[Mapping[str, str], str, str, str, str, str, list[int], int],
) -> None:
    files, name, before, word, new, kind, counts, definitions = row
    place = Place(tmp_path, files, name, before, word)
    plain = word.strip('"')
    found = place.shown(place.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams))
    assert len(found) == definitions
    assert {text.strip("\"'") for _, text in found} == {plain}

    with_all = types.ReferenceContext(True)
    params = types.ReferenceParams(with_all, place.document, place.position)
    everywhere = place.shown(place.desk.ask(types.TEXT_DOCUMENT_REFERENCES, params))
    assert [sum(one == other for one, _ in everywhere) for other in files] == counts
    assert {text.strip("\\\"'") for _, text in everywhere} == {plain}
    params = types.ReferenceParams(types.ReferenceContext(False), place.document, place.position)
    uses = place.desk.ask(types.TEXT_DOCUMENT_REFERENCES, params)
    assert len(uses) == len(everywhere) - definitions
    lit = place.ask(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams)
    assert len(lit) == counts[list(files).index(name)]

    prepared = place.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams)
    assert prepared.placeholder == plain
    after = place.rename(new)
    again = Place(tmp_path, after, name, "", next(iter(after[name])))
    moved = [f for f in files if files[f] != after[f]]
    assert [f for f, count in zip(files, counts, strict=True) if count] == moved
    # everything that named it names it still
    listed = again.desk.workspace
    from bpp.pipeline.editor.navigation import with_parents

    names = with_parents(listed, again.document.uri)
    assert names is not None
    things = Counter(one.thing.name for one in names.all() if one.thing.kind == kind)
    assert things[new] == sum(counts)


REFUSED = [
    (BLUEPRINTS, "app.blueprint.yaml", '"${', "a", "b", "there is a resource `b` already"),
    (BLUEPRINTS, "app.blueprint.yaml", '"${', "a", "a b", "not a valid name"),
    (BLUEPRINTS, "app.blueprint.yaml", '"${', "a", "", "not a valid name"),
    (BLUEPRINTS, "app.blueprint.yaml", '"${', "a", "values", "would be a mistake"),
    (GARDEN, "api/api.garden.yml", "providers.", "kubernetes", "k", "is fixed"),
    (KARGO, "kargo.yaml", '"${{ vars.', "repo", "a-b", "letters, digits and `_`"),
    (LANDSCAPER, "blueprint.yaml", "{{- ", "$name", "name", "`$`"),
]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: f"{row[3]} to {row[4]}")
def test_a_refusal(tmp_path: Path, row: tuple[Mapping[str, str], str, str, str, str, str]) -> None:
    files, name, before, word, new, why = row
    place = Place(tmp_path, files, name, before, word)
    with pytest.raises(Refused, match=why.replace("`$`", r"`\$`")):
        place.rename(new)


def test_a_name_of_elsewhere(tmp_path: Path) -> None:
    files = {"a.blueprint.yaml": PARENT.replace("${values.host}", "${values.other}")}
    place = Place(tmp_path, files, "a.blueprint.yaml", "${values.", "other")
    assert place.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams) is None
    with pytest.raises(Refused, match="not defined here"):
        place.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams)


def test_what_is_no_name(tmp_path: Path) -> None:
    place = Place(tmp_path, BLUEPRINTS, "app.blueprint.yaml", "", "version")
    assert place.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams) is None
    assert place.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams) is None
    assert place.ask(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams) is None


def test_the_output_keeps_what_is_no_name(tmp_path: Path) -> None:
    """A name that something outside of the files has as well is refused: the output tells."""
    text = (
        "version: 2025-11-02\nvalues:\n  a: {type: object, value: '${object(r = 1)}'}\nresources:\n"
        "  r: {type: aws/x, spec: {n: '${values.a[\"r\"]}'}}\n"
    )
    place = Place(tmp_path, {"a.blueprint.yaml": text}, "a.blueprint.yaml", "\n  ", "r")
    # `object(r = 1)` and `values.a["r"]` name no resource, and stay
    (after,) = place.rename("new").values()
    assert after == text.replace("  r:", "  new:")


def test_a_file_of_values_follows(tmp_path: Path) -> None:
    text = (
        "version: 2025-11-02\nvariables:\n  zone: {type: string}\nresources:\n"
        "  r: {type: aws/x, spec: {n: '${variables.zone}'}}\n"
    )
    values = "other: 1\n'zone': eu  # here\n"
    files = {"a.blueprint.yaml": text, "prod.yaml": values}
    place = Place(tmp_path, files, "a.blueprint.yaml", "variables.", "zone")
    path = os.path.realpath(tmp_path / "a.blueprint.yaml")
    place.desk.workspace.inputs.choose(path, ["--vars", str(tmp_path / "prod.yaml")])
    place.desk.open("a.blueprint.yaml", text)
    after = place.rename("region")
    assert after["prod.yaml"] == values.replace("zone", "region")
    assert after["a.blueprint.yaml"] == text.replace("zone", "region")


def test_a_rename_across_files(tmp_path: Path) -> None:
    """By a client: a name of a child, changed from its parent."""
    text, position = marked(PARENT.replace("children.core.host", "children.core.h§ost"), "§")

    async def play() -> tuple[Any, str | None]:
        async with Editor(tmp_path, {"core.blueprint.yaml": CHILD}) as editor:
            await editor.open("app.blueprint.yaml", text)
            uri = (tmp_path / "app.blueprint.yaml").as_uri()
            document = types.TextDocumentIdentifier(uri)
            params = types.RenameParams(document, position, "address")
            found = await editor.ask(types.TEXT_DOCUMENT_RENAME, params)
            refused = types.RenameParams(document, position, "no name")
            try:
                await editor.ask(types.TEXT_DOCUMENT_RENAME, refused)
            except Exception as error:
                return found, str(error)
            return found, None

    found, refusal = asyncio.run(play())
    edits = {Path(uri).name: len(listed) for uri, listed in found.changes.items()}
    assert edits == {"app.blueprint.yaml": 2, "core.blueprint.yaml": 1}
    assert refusal is not None
    assert "not a valid name" in refusal


# --- the law of a rename --------------------------------------------------------------------------

SPIFF = "a:\n  b: 1\n  c: (( b + a.b ))\nd: (( .a.b + e.[0] ))\ne: [1, 2]\n"
GOTEMPLATE = (
    "{{ $a := 1 }}{{ with $a }}{{ $a := 2 }}{{ $a }}{{ end }}{{ $a }}"
    '{{ define "t" }}x{{ end }}{{ block "q" . }}y{{ end }}{{ template "t" }}{{ template "q" }}'
)
NEW = "zq1x"


def renamed(names: Names, thing: Thing, new: str) -> dict[str, Source]:
    """The texts in which a thing has a new name."""
    edits: dict[str, dict[int, Any]] = {}
    sources: dict[str, Source] = {}
    for one in names.of([thing]):
        edit = one.renamed(new)
        assert edit is not None, one
        source = edit.span.source
        sources[source.path or ""] = source
        edits.setdefault(source.path or "", {})[edit.span.start] = edit
    after = {}
    for path, listed in edits.items():
        text = sources[path].text
        for start in sorted(listed, reverse=True):
            text = text[:start] + listed[start].text + text[listed[start].span.end :]
        after[path] = sources[path].evolve(text=text)
    return after


@pytest.mark.parametrize(("dialect", "text"), [("spiff", SPIFF), ("gotemplate", GOTEMPLATE)])
def test_a_rename_of_what_is_no_document(tmp_path: Path, dialect: str, text: str) -> None:
    path = str(tmp_path / "x.yaml")
    source = Source("x.yaml", text, "yaml", path)
    context, document = prepare(source, dialect=dialect)
    door = inspection_of(find_dialect(dialect)).mentions
    assert door is not None
    names = Names(context.dialect, door(document, context))
    things = {one.thing for one in names.all() if one.defines}
    assert len(things) >= 4
    before = render(source, dialect=dialect).text()
    for thing in things:
        new = f"${NEW}" if thing.name.startswith("$") else NEW
        (after,) = renamed(names, thing, new).values()
        assert after.text.count(NEW) == len(names.of([thing]))
        made = render(after, dialect=dialect)
        assert made.ok, str(made.diagnostics)
        assert made.text().replace(new, thing.name) == before


def test_a_dialect_that_lists_no_names(tmp_path: Path) -> None:
    """The framework finds those of its elements."""
    text = "let:\n  a: 1\n  b: <% a + 1 %>\nout: <% b + a %> <% c %>\n"
    source = Source("x.yaml", text, "yaml", str(tmp_path / "x.yaml"))
    context, document = prepare(source, dialect=TINY)
    names = Names(TINY, mentions_in_tree(document, context))
    (thing,) = {one.thing for one in names.all() if one.thing.name == "a"}
    (after,) = renamed(names, thing, NEW).values()
    assert after.text == text.replace("a", NEW)
    assert {one.thing.name for one in names.all()} == {"a", "b", "out"}


def _errors(case: Case, files: Any) -> list[str]:
    found = check(
        case.main, files=files, settings=case.settings, options=case.project, dialect=case.dialect
    )
    return sorted(item.code for item in found if item.severity == "error")


def _data(case: Case, files: Any, variables: Mapping[str, Any]) -> str:
    made = render(
        case.main,
        variables=variables,
        files=files,
        settings=case.settings,
        dialect=case.dialect,
        options=case.project,
    )
    return json.dumps(made.data) if made.ok else "null"


def _sorted(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


# what takes its names from elsewhere too: a state, records, flags, files of values
TOPICS = ("children", "spec_sections", "each", "garden", "residuals", "exports", "transforms")
ELSEWHERE = (
    "children/known_and_unknown_exports",
    "transforms/module_names_collide",
    "transforms/module_parts",
    "garden/disabled",
    "garden/module_templates",
    "garden/modules",
    "garden/namespace_of_a_variable",
    "garden/spec_",
    "garden/state",
    "garden/string_in_a_string",
    "garden/varfiles",
)
CASES = [
    case
    for case in (*discover(), *discover_projects())
    if case.name.split("/")[0] in TOPICS
    and case.state is None
    and case.datasources is None
    and not case.errors
    and case.render
    and not case.name.startswith(ELSEWHERE)
]


def test_a_rename_changes_the_name_alone() -> None:
    """Of each kind of thing in each of these cases: no new mistakes, the same output but for it."""
    done: Counter[str] = Counter()
    for case in CASES:
        files = files_of(case)
        context, document = prepare(
            case.main,
            files=files,
            settings=case.settings,
            options=case.project,
            dialect=case.dialect,
        )
        door = inspection_of(context.dialect).mentions
        assert door is not None
        names = Names(context.dialect, door(document, context))
        fixed = {"field", "provider", "environment"}  # given by others, or asked for by name
        kinds = {
            one.thing.kind: one.thing
            for one in names.all()
            if one.defines and one.thing.kind not in fixed and len(one.thing.name) > 1
        }
        before: tuple[list[str], str] | None = None
        for kind, thing in kinds.items():
            if done[kind] >= 8:
                continue
            if before is None:
                before = _errors(case, files), _data(case, files, case.variables)
            done[kind] += 1
            after = OpenFiles(files_of(case), renamed(names, thing, NEW))
            assert _errors(case, after) == before[0], (case.name, thing)
            own = os.path.join(case.folder, case.main)
            given = {
                (NEW if name == thing.name and thing.scope == own else name): value
                for name, value in case.variables.items()
            }
            made = _data(case, after, given).replace(NEW, thing.name)
            assert _sorted(made) == _sorted(before[1]), (case.name, thing)
    assert done.keys() >= {"variable", "value", "resource", "child", "export", "Build", "Deploy"}


def test_every_dialect_lists_its_names() -> None:
    without = {
        name for name in command_lines() if inspection_of(find_dialect(name)).mentions is None
    }
    assert without <= {"expr"}  # which has no documents
