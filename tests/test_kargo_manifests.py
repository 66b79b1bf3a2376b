"""Manifests of Kargo: how they are recognised, read and put together, and what Freight gives."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.functions.values import FunctionError
from bpp.pipeline import Context, MemoryFiles, Settings, Source
from bpp.pipeline.dialects.kargo import PromotionOptions
from bpp.pipeline.dialects.kargo.freight import collection_of, discovered_by, normalised
from bpp.pipeline.dialects.kargo.manifests import SHARED, UNGIVEN, Manifests, manifests_of
from bpp.pipeline.dialects.kargo.scalars import older
from bpp.pipeline.dialects.kargo.state import known_of, state_problems
from bpp.pipeline.dialects.table import detect_dialect
from bpp.pipeline.rendering import prepare
from bpp.pipeline.testing import said

API = "apiVersion: kargo.akuity.io/v1alpha1"


def manifest(kind: str, name: str, rest: str = "", version: str = API) -> str:
    return f"---\n{version}\nkind: {kind}\nmetadata: {{name: {name}}}\n{rest}\n"


def read(
    files: dict[str, str], settings: Settings | None = None, **options: Any
) -> tuple[Manifests, Context]:
    """The manifests of a folder in memory, whose named file is `kargo.yaml`."""
    memory = MemoryFiles({f"/p/{name}": text for name, text in files.items()}, "/p")
    chosen = PromotionOptions(**options)
    context, document = prepare(
        "kargo.yaml", files=memory, dialect="kargo", options=chosen, settings=settings
    )
    return manifests_of(document, chosen, context), context


def codes(context: Context) -> list[str]:
    return [f"{item.severity}: {item.code}" for item in context.diagnostics]


RECOGNISED = {
    f"# a\n{API}\nkind: Project": "kargo",
    "kind: x\n---\n'apiVersion': 'kargo.akuity.io/v1alpha1'": "kargo",
    "apiVersion: ee.kargo.akuity.io/v1alpha1\nkind: CustomPromotionStep": "kargo",
    f"apiVersion: v1\nitems:\n- {API}\n  kind: Stage\nkind: List": "kargo",
    '{"items": [{"apiVersion": "kargo.akuity.io/v1alpha1"}], "kind": "List"}': "kargo",
    f"kind: Deploy\nspec:\n  manifests:\n  - {API}": "garden",
    "version: 2025-11-02\ndescription: kargo.akuity.io/": "bluelink",
    "kind: Project\nname: kargo.akuity.io/": "garden",
}


@pytest.mark.parametrize("text", RECOGNISED)
def test_a_text_is_recognised_by_its_version(text: str) -> None:
    assert detect_dialect(Source("a.yaml", text)).name == RECOGNISED[text]


OLDER = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF"], False),
    "010": 8,
    "-010": -8,
    "0o10": 8,
    "0b11": 3,
    "+0b11": 3,
    "-0x1F": -31,
    "0x_1f": 31,
    "1_000": 1000,
    "-1_0": -10,
    "1_0.5": 10.5,
    "1_0e2": 1000.0,
}
THE_SAME = ["yES", "oN", "12:30", "2024-01-01", "1_000x", "_1", "089", "0b12", "1.10", "", "'010'"]


def test_scalars_are_those_of_yaml_1_1() -> None:
    for text, value in OLDER.items():
        found = older(text)
        assert (found, type(found)) == (value, type(value)), text
    assert [older(text) for text in THE_SAME] == THE_SAME


def test_scalars_and_keys_are_read_as_kubernetes_does_with_a_warning() -> None:
    spec = "spec:\n  a: [yes, 'yes', &n 010, \"010\", *n]\n  c: {on: 12:30}\n  b: |-\n    off"
    found, context = read({"kargo.yaml": manifest("Warehouse", "w", spec)})
    (warehouse,) = found.all("Warehouse")
    read_as = {"a": [True, "yes", 8, "010", 8], "c": {"true": "12:30"}, "b": "off"}
    assert warehouse.data("spec") == read_as
    assert codes(context) == ["warning: yaml_1_1_scalar"] * 3


FOLDER = {
    "kargo.yaml": manifest("Stage", "test")
    + "---\napiVersion: v1\nkind: List\nitems:\n"
    + f"- {API}\n  kind: Stage\n  metadata: {{name: prod}}",
    "beside.yml": manifest("PromotionTask", "task")
    + manifest("Deployment", "d", version="apiVersion: apps/v1"),
    "config.yaml": manifest("ConfigMap", "config", "data: {a: b}", "apiVersion: v1"),
    "values.yaml": "{{ .Values }}: [",
    "broken.yaml": f"{API}\nkind: Warehouse\n  metadata: [",
    "twice.yaml": manifest("PromotionTask", "task"),
    "more/far.yaml": manifest("Warehouse", "far"),
    "list.json": '{"kind": "Stage"}',
}


def test_files_beside_are_read_and_their_mistakes_are_warnings() -> None:
    found, context = read(FOLDER)
    assert [(one.kind, one.name) for one in found.named] == [("Stage", "test"), ("Stage", "prod")]
    assert [one.kind for one in found.listed[2:]] == ["PromotionTask", "ConfigMap", "PromotionTask"]
    assert found.unread == ["broken.yaml"]
    assert found.where("Warehouse", "w") == "`broken.yaml`, which cannot be read, may have it"
    assert found.where("Stage", "tset") == "did you mean `test`?"
    assert codes(context) == ["warning: invalid_yaml", "warning: duplicate_manifest"]
    found, context = read(FOLDER, scan=False, manifests=("more/far.yaml", "broken.yaml"))
    assert [one.name for one in found.listed] == ["test", "prod", "far"]
    assert codes(context) == ["error: invalid_yaml"]


MISTAKES = {
    manifest("Stage", "a") * 2: "error: duplicate_manifest",
    manifest("Stagge", "a"): "warning: unknown_kind",
    manifest("MessageChannel", "a"): "",
    manifest("Stage", "''"): "error: missing_field",
    manifest("Freight", "12"): "error: invalid_string",
    manifest("Stage", "a") + "---\n- b": "error: invalid_map",
    manifest("Stage", "a", "spec: {vars: 1, vars: 2}"): "error: duplicate_key",
    manifest("Stage", "a", "spec: {vars: ['${{ 1 +']}"): "error: unclosed_substitution",
    manifest("Stage", "a, annotations: {b: '${{ 1 +'}"): "",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_in_manifests(text: str) -> None:
    assert " ".join(codes(read({"kargo.yaml": text})[1])) == MISTAKES[text]


def namespaced(kind: str, name: str, namespace: str, data: str) -> str:
    head = f"---\napiVersion: v1\nkind: {kind}\n"
    labels = ", labels: {kargo.akuity.io/cred-type: generic}" if name == "labelled" else ""
    return f"{head}metadata: {{name: {name}, namespace: {namespace}{labels}}}\n{data}\n"


RESOURCES = "".join(
    [
        namespaced("ConfigMap", "c", "", "data: {a: none}"),
        namespaced("ConfigMap", "c", "mine", "data: {a: mine}"),
        namespaced("ConfigMap", "c", SHARED, "data: {a: shared}"),
        namespaced("ConfigMap", "only", SHARED, "data: {a: shared}"),
        namespaced("Secret", "s", "mine", "data: {a: aGk=}\nstringData: {b: plain}"),
        namespaced("Secret", "s", SHARED, "stringData: {a: shared}"),
        namespaced("Secret", "labelled", SHARED, "stringData: {a: shared}"),
        namespaced("Secret", "wrong", "mine", "data: {a: '!', b: 1}"),
    ]
)


def test_data_is_that_of_the_namespace() -> None:
    files = {"kargo.yaml": manifest("Stage", "a"), "data.yaml": RESOURCES}
    found, context = read(files)
    closed, _ = read(files, world="closed")
    assert [found.config_map("c", one) for one in ("mine", "other", "", SHARED)] == [
        {"a": one} for one in ("mine", "none", "none", "shared")
    ]
    assert found.config_map("only", "mine") is UNGIVEN
    assert closed.config_map("only", "mine") == {}
    assert found.secret("s", "mine") == {"a": "hi", "b": "plain"}
    assert found.secret("s", SHARED) == {}
    assert found.secret("labelled", SHARED) == {"a": "shared"}
    assert codes(context) == []
    assert found.secret("wrong", "mine") == {}
    assert codes(context) == ["error: invalid_base64", "error: invalid_string"]
    assert "'!'" not in said(context.diagnostics)


def test_addresses_of_repositories_are_normalised() -> None:
    for text, same in {
        "https://user:pw@Example.com/A/b.git/": "https://example.com/a/b",
        "git@example.com:a/b.git": "ssh://git@example.com/a/b",
        "ssh://git@example.com/a/b": "ssh://git@example.com/a/b",
        "http://example.com/a": "http://example.com/a",
    }.items():
        assert normalised(text) == same


WAREHOUSES = (
    manifest(
        "Warehouse",
        "one",
        "spec: {subscriptions: [{git: {repoURL: https://x.org/a.git}}, {image: {repoURL: redis}},"
        " {chart: {repoURL: https://x.org/charts, name: db}}, {subscription: {name: sub}}]}",
    )
    + manifest("Warehouse", "two", "spec: {subscriptions: [{image: {repoURL: both}}]}")
    + manifest("Warehouse", "three", "spec: {subscriptions: [{image: {repoURL: both}}]}")
)
FREIGHT = manifest(
    "Freight",
    "f1",
    "alias: fruity\norigin: {kind: Warehouse, name: one}\n"
    "commits: [{repoURL: https://x.org/a, id: abc}]\nimages: [{repoURL: redis, tag: '1.10'}]\n"
    "charts: [{repoURL: https://x.org/charts, name: db, version: 1.2.3}]\n"
    "artifacts: [{artifactType: t, subscriptionName: sub, version: v1, metadata: {count: 1}}]",
)


def stage(*origins: str, status: str = "") -> str:
    listed = ", ".join(f"{{origin: {{kind: Warehouse, name: {one}}}}}" for one in origins)
    return manifest("Stage", "test", f"spec: {{requestedFreight: [{listed}]}}\n{status}")


CHARTS = "https://x.org/charts"

# the origins of the Stage, the call, and what comes of it in an open and in a closed world
LOOKUPS: list[tuple[tuple[str, ...], tuple[str, ...], str, str]] = [
    (("one",), ("commit", "HTTPS://x.org/a.git"), "ID=abc", "ID=abc"),
    (("one",), ("image", "redis"), "Tag=1.10", "Tag=1.10"),
    (("one",), ("chart", "https://x.org/charts", "db"), "Version=1.2.3", "Version=1.2.3"),
    (("one",), ("artifact", "sub"), "Version=v1", "Version=v1"),
    (("two", "one"), ("image", "redis"), "Tag=1.10", "Tag=1.10"),
    (("one",), ("image", "docker.io/library/redis"), *["artifact_not_found: `redis`"] * 2),
    (("one",), ("image", "redi"), *["artifact_not_found: `redis`"] * 2),
    (
        ("one",),
        ("chart", "https://x.org/charts"),
        *["chart_not_found: `https://x.org/charts#db`"] * 2,
    ),
    (("two", "three"), ("image", "both"), *["artifact_ambiguous: "] * 2),
    (("two",), ("image", "both"), "UNGIVEN", "artifact_not_found: "),
    (("oen", "one"), ("image", "redis"), "Tag=1.10", "warehouse_not_found: `one`"),
    (("oen",), ("image", "redis"), "UNGIVEN", "warehouse_not_found: `one`"),
]


@pytest.mark.parametrize(("origins", "call", "opened", "closed"), LOOKUPS)
def test_lookups(origins: tuple[str, ...], call: tuple[str, ...], opened: str, closed: str) -> None:
    files = {"kargo.yaml": stage(*origins) + WAREHOUSES, "f.yaml": FREIGHT}
    for world, expected in (("open", opened), ("closed", closed)):
        found, context = read(files, world=world, freight=("f.yaml",))
        assert codes(context) == []
        collection = collection_of(found, found.named[0])
        try:
            value = collection.find(*call)
        except FunctionError as error:
            hint = error.hint() if callable(error.hint) else error.hint
            near = (hint or "").partition("did you mean ")[2].rstrip("?")
            assert f"{error.code}: {near}" == expected, world
        else:
            told = expected.partition("=")
            assert value is UNGIVEN if value is UNGIVEN else value.field(told[0]) == told[2]
            assert (value is UNGIVEN) == (expected == "UNGIVEN"), world


OTHER = FREIGHT.replace("f1", "f2").replace("name: one", "name: two")
RECORDED = manifest(
    "Promotion",
    "test.1",
    "spec: {stage: test, freight: f9, steps: []}\n"
    "status: {freight: {name: f9, origin: {name: two}},"
    " freightCollection: {items: {a: {name: f9, origin: {name: two}}, b: {name: f8, origin:"
    " {name: one}}}}, state: {a: {count: 1}}, stepExecutionMetadata: [{alias: a, status: Failed}]}",
)
HISTORY = (
    "status: {freightHistory: [{items: {x: {name: h, origin: {name: three}}}}],"
    " metadata: {count: 1}}"
)

# options, the target, and the Freight of the origins one, two and three
COLLECTED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "", ""),
    ({"freight": ("f.yaml",)}, "f1", "f1 - h"),
    ({"freight": ("other.yaml", "f.yaml")}, "f1", "f1 f2 h"),
    ({"freight": ("other.yaml", "f.yaml"), "target_freight": "f2"}, "f2", "f1 f2 h"),
    ({"promotion": "promotion.yaml"}, "f9", "f8 f9 h"),
    ({"freight": ("promotion.yaml",), "target_freight": "f8"}, "f8", "f8 f9 h"),
    ({"target_freight": "f7", "manifests": ("seven.yaml",)}, "f7", "f7 - h"),
    ({"images": ("redis=2@sha256:1",)}, "", "? - h"),
    ({"freight": ("f.yaml",), "charts": ("https://x.org/charts#db=9",)}, "", "? - h"),
]


@pytest.mark.parametrize(("options", "target", "names"), COLLECTED)
def test_what_a_promotion_has(options: dict[str, Any], target: str, names: str) -> None:
    files = {
        "kargo.yaml": stage("one", "two", "three", status=HISTORY) + WAREHOUSES,
        "f.yaml": FREIGHT,
        "other.yaml": OTHER,
        "seven.yaml": FREIGHT.replace("f1", "f7"),
        "promotion.yaml": RECORDED,
    }
    found, context = read(files, scan=False, **options)
    assert codes(context) == []
    collection = collection_of(found, found.named[0])
    assert (collection.target.name if collection.target is not None else "") == target
    items = [collection.freight.get(one) for one in ("one", "two", "three")]
    assert " ".join(one.name or "?" if one is not None else "-" for one in items) == (
        names or "- - -"
    )
    assert codes(context) == []
    assert collection_of(found, found.named[0], now=True).freight["three"].name == "h"


WRONG = {
    ("freight", "kargo.yaml"): "error: invalid_state",
    ("freight", "none.yaml"): "error: file_not_found",
    ("promotion", "f.yaml"): "error: invalid_state",
    ("freight", "number.yaml"): "error: invalid_string",
    ("freight", "f.yaml", "again.yaml"): "error: duplicate_manifest",
    ("target_freight", "f11"): "error: artifact_not_found",
    ("images", "both=1"): "error: artifact_ambiguous",
    ("images", "nope=1"): "error: artifact_ambiguous",
}


@pytest.mark.parametrize("given", WRONG)
def test_wrong_freight(given: tuple[str, ...]) -> None:
    files = {
        "kargo.yaml": stage("one", "two", "three") + WAREHOUSES,
        "f.yaml": FREIGHT,
        "again.yaml": FREIGHT.replace("f1", "f2"),
        "number.yaml": FREIGHT.replace("'1.10'", "1.10"),
    }
    many = given[0] in ("freight", "images")
    found, context = read(files, scan=False, **{given[0]: given[1:] if many else given[1]})
    collection_of(found, found.named[0])
    assert codes(context) == [WRONG[given]]


def test_an_artifact_needs_no_warehouse() -> None:
    for text in (stage("one"), manifest("Promotion", "p")):
        found, context = read({"kargo.yaml": text}, images=("redis=2",))
        collection = collection_of(found, next(iter(found.all("Stage")), None))
        assert collection.find("image", "redis").field("Tag") == "2"
        assert collection.find("image", "redis").field("Digest") is UNGIVEN
        assert collection.find("image", "other") is UNGIVEN
        assert codes(context) == []


def test_metadata_is_that_of_the_cluster() -> None:
    status = "status: {metadata: {count: 1}}"
    files = {"kargo.yaml": stage("one", status=HISTORY) + FREIGHT + f"\n{status}\n"}
    opened, _ = read(files)
    closed, _ = read(files, world="closed")
    for name, value in (("test", {"count": 1.0}), ("other", None)):
        assert closed.metadata("Stage", name) == value
        assert opened.metadata("Stage", name) == (value or UNGIVEN)
    assert type(opened.metadata("Freight", "f1")["count"]) is float
    assert opened.status("Freight", "f1") == {"metadata": {"count": 1.0}}


def test_criteria_see_the_newest_discovery() -> None:
    status = (
        "status: {discoveredArtifacts: {git: [{repoURL: https://x.org/a, commits: [{id: new,"
        " subject: s, creatorDate: '2026-01-02T03:04:05Z'}, {id: old}]}],"
        " images: [{repoURL: redis, references: [{tag: '2'}]}],"
        " charts: [{repoURL: https://x.org/charts, name: db, versions: [9.0.0]}]}}"
    )
    text = WAREHOUSES.partition("---\n")[2].partition("---\n")[0] + status
    found, _ = read({"kargo.yaml": text})
    collection = discovered_by(found, found.named[0])
    assert collection.find("commit", "https://x.org/a.git").field("ID") == "new"
    assert (
        str(collection.find("commit", "https://x.org/a").field("CreatorDate"))
        == "2026-01-02T03:04:05Z"
    )
    assert collection.find("image", "docker.io/library/redis").field("Tag") == "2"
    assert collection.find("chart", "https://x.org/charts", "db").field("Version") == "9.0.0"
    with pytest.raises(FunctionError, match="no requested Warehouse subscribes"):
        collection.find("chart", "https://x.org/charts", "dc")


def test_what_is_known_of_a_stage_wins_over_what_is_known_of_all() -> None:
    state = {
        "ctx": {"uiBaseUrl": "u", "meta": {"promotion": {"actor": "a"}}},
        "status": {"*": "Succeeded", "x": "Failed"},
        "outputs": {"p": {"all": 1}, "q": {}},
        "stages": {"test": {"outputs": {"p": {"own": 2}}, "status": {"x": "Skipped"}}},
    }
    assert [*state_problems(state)] == []
    options = PromotionOptions(
        state=state, status={"y": "Errored"}, ctx={"meta.promotion.rollback": True}
    )
    known = known_of(options, "test")
    assert known.outputs == {"p": {"own": 2.0}, "q": {}}
    assert [known.status(one) for one in "xyz"] == ["Skipped", "Errored", "Succeeded"]
    about = {"promotion": {"actor": "a", "rollback": True}}
    assert known.ctx == {"uiBaseUrl": "u", "meta": about}
    found, _ = read({"kargo.yaml": RECORDED})
    recorded = known_of(PromotionOptions(), "test", found.named[0].data())
    assert (recorded.outputs, recorded.status("a")) == ({"a": {"count": 1.0}}, "Failed")
    assert recorded.ctx["promotion"] == "test.1"


def test_mistakes_in_a_state_have_places_and_near_names() -> None:
    wrong = {
        "stagse": {},
        "ctx": {"uiBaseURL": "x", "meta": {"promotion": {"rollback": "x"}, "step": 1}},
        "status": {"a": "Done"},
        "stages": {"test": {"outputs": {"a": 1}}},
    }
    found = {".".join(path): words for path, words in state_problems(wrong)}
    assert "did you mean `stages`" in found.pop("stagse")
    assert "did you mean `uiBaseUrl`" in found.pop("ctx.uiBaseURL")
    assert "Succeeded" in found.pop("status.a")
    assert sorted(found) == [
        "ctx.meta.promotion.rollback",
        "ctx.meta.step",
        "stages.test.outputs.a",
    ]
