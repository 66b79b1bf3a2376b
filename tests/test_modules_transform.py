"""`bpp/modules-1` where a case folder cannot show it: remote modules, secrets, limits, origins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from bpp.pipeline import Limits, MemoryFiles, Run, Settings, Source, check, render, why
from bpp.pipeline.values.tree import Map
from bpp.pipeline.world.remote.resolvers import ChildRequest
from support.harness import load_yaml

MAIN = """\
version: 2023-04-20
transform: bpp/modules-1
variables:
  stage: {type: string, default: dev}
resources:
  m:
    type: celerity/blueprint
    spec:
      module: {path: lib/m.yaml, metadata: {sourceType: memory, bucket: "b-${variables.stage}"}}
      variables: {stage: "${variables.stage}"}
exports:
  id: {type: string, field: resources.m.state.id}
"""
MODULE = """\
version: 2023-04-20
variables: {stage: {type: string}}
resources:
  r: {type: a/c, spec: {name: "r-${variables.stage}"}}
  n: {type: bpp/module, spec: {module: deep/n.yaml}}
exports:
  id: {type: string, field: resources.n.state.id}
"""
DEEP = """\
version: 2023-04-20
resources: {r: {type: a/d, spec: {}}}
exports: {id: {type: string, field: resources.r.state.id}}
"""


class Memory:
    """A resolver that answers from a table and remembers what it was asked for."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, request: ChildRequest) -> str:
        self.asked.append((request.path, request.metadata.get("bucket")))
        return self.files[request.path]


def rendered(
    text: str = MAIN,
    files: Mapping[str, str] | None = None,
    local: Mapping[str, str] | None = None,
    **arguments: Any,
) -> Run:
    source = Source("app.yaml", text, "yaml", "/project/app.yaml")
    resolver = Memory(files or {"lib/m.yaml": MODULE, "lib/deep/n.yaml": DEEP})
    return render(
        source,
        files=MemoryFiles(dict(local or {}), cwd="/project"),
        resolvers={"memory": resolver},
        **arguments,
    )


def codes(run: Run) -> list[str]:
    return [item.code for item in run.diagnostics]


def test_a_module_from_elsewhere_and_what_lies_beside_it() -> None:
    resolver = Memory({"lib/m.yaml": MODULE, "lib/deep/n.yaml": DEEP})
    source = Source("app.yaml", MAIN, "yaml", "/project/app.yaml")
    files = MemoryFiles({}, cwd="/project")
    run = render(source, files=files, resolvers={"memory": resolver})
    assert run.ok, codes(run)
    assert resolver.asked == [("lib/m.yaml", "b-dev"), ("lib/deep/n.yaml", "b-dev")]
    data = load_yaml(run.text())
    assert list(data["resources"]) == ["m_r", "m_n_r"]
    assert data["exports"]["id"]["field"] == "resources.m_n_r.state.id"
    assert "transform" not in data


@pytest.mark.parametrize(
    "call", ['file(\\"/etc/passwd\\")', "cwd()", 'map(list(\\"/etc/passwd\\"), file)']
)
def test_a_module_from_elsewhere_sees_nothing_of_this_machine(call: str) -> None:
    bad = MODULE.replace("r-${variables.stage}", f"${{{call}}}")
    run = rendered(files={"lib/m.yaml": bad, "lib/deep/n.yaml": DEEP})
    found = next(iter(run.diagnostics))
    assert found.code == "effect_not_allowed"
    assert found.span is not None
    assert found.span.source.name.startswith("memory:lib/m.yaml")
    assert [note.text for note in found.notes] == ["`m` uses the module here"]


def test_a_module_from_elsewhere_includes_nothing_of_this_machine() -> None:
    bad = "version: 2023-04-20\ninclude: {c: {path: c.yaml}}\n"
    run = rendered(files={"lib/m.yaml": bad})
    assert codes(run) == ["module_unknown_variable", "module_not_supported"]


def test_a_secret_is_no_part_of_an_address() -> None:
    text = MAIN.replace(
        "stage: {type: string, default: dev}", "stage: {type: string, secret: true}"
    )
    for secrets in ("keep", "reveal"):
        settings = Settings(secrets=secrets)
        run = rendered(text, settings=settings, variables={"stage": "sesame-open"})
        assert "secret_not_allowed" in codes(run), secrets
        assert "sesame-open" not in repr(list(run.diagnostics))


def test_what_is_wanted_opened_must_be_opened() -> None:
    text = MAIN.replace("sourceType: memory", "sourceType: nobody")
    run = rendered(text)
    assert run.ok
    assert codes(run) == ["include_resolver_not_found"]
    data = load_yaml(run.text())
    assert data["transform"] == "bpp/modules-1"
    assert data["resources"]["m"]["spec"]["variables"] == {"stage": "dev"}
    run = rendered(text, settings=Settings(keep_remote_includes=False))
    assert not run.ok


def test_what_was_left_is_expanded_by_a_later_run() -> None:
    first = rendered(MAIN, settings=Settings())
    closed = MAIN.replace("sourceType: memory", "sourceType: later")
    left = rendered(closed)
    assert left.ok
    opened = rendered(left.text().replace("sourceType: later", "sourceType: memory"))
    assert opened.ok, codes(opened)
    assert opened.text() == first.text()


LOCAL = {
    "/project/lib/m.yaml": MODULE,
    "/project/lib/deep/n.yaml": DEEP,
}
NEAR = MAIN.replace(
    '{path: lib/m.yaml, metadata: {sourceType: memory, bucket: "b-${variables.stage}"}}',
    "lib/m.yaml",
)


def test_origins_name_the_transform_and_the_module() -> None:
    run = rendered(NEAR, local=LOCAL)
    assert run.ok, codes(run)
    section = dict(run.stages)["transform"].section("resources")
    assert section is not None
    node = section.items["m_n_r"]
    assert isinstance(node, Map)
    assert node.origin.steps == ("load", "bpp/modules-1")
    assert node.span.source.name == "lib/deep/n.yaml"
    assert section.key_span("m_n_r").line == 6
    explained = why(run, "resources.m_r.spec.name")
    assert "lib/m.yaml" in repr(explained)


def test_expanded_resources_count() -> None:
    run = rendered(NEAR, local=LOCAL, settings=Settings(limits=Limits(max_resources=1)))
    assert "limit_exceeded" in codes(run)


def test_the_path_may_be_computed() -> None:
    run = rendered(
        NEAR.replace("module: lib/m.yaml", 'module: "${values.folder}/m.yaml"').replace(
            "resources:\n",
            'values: {folder: {type: string, value: "${trim(\\"lib \\")}"}}\nresources:\n',
        ),
        local=LOCAL,
    )
    assert run.ok, codes(run)


def test_check_without_values_asks_for_none() -> None:
    text = NEAR.replace(", default: dev", "").replace("lib/m.yaml", '"${variables.stage}.yaml"')
    source = Source("app.yaml", text, "yaml", "/project/app.yaml")
    assert not check(source, files=MemoryFiles(LOCAL, cwd="/project")).errors
    run = rendered(text, local=LOCAL)
    assert codes(run) == ["required_variable_missing"]


def test_every_state_of_a_module_can_be_given_by_the_names_of_its_parts() -> None:
    state = {"resources": {"m_n_r": {"state": {"id": "known"}}}}
    run = rendered(NEAR, local=LOCAL, state=state)
    assert load_yaml(run.text())["exports"]["id"]["value"] == "known"


def test_the_same_input_gives_the_same_bytes() -> None:
    assert rendered(NEAR, local=LOCAL).text() == rendered(NEAR, local=LOCAL).text()
