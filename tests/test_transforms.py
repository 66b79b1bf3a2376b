"""Transforms by registration and by entry point, and pipelines put together by hand."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.pipeline import Document, Pipeline, Run, Source, Stage, build, render
from bpp.pipeline.dialects.bluelink.dialect import BLUELINK
from bpp.pipeline.tree import AnyNode, Map
from bpp.transforms import Transform, TransformContext, Transforms, registry

TEXT = """\
version: 2023-04-20
transform: {names}
variables:
  stage: {{type: string, default: dev}}
resources:
  orders:
    type: acme/service
    condition: ${{eq(variables.stage, "dev")}}
    spec: {{size: 2}}
exports:
  name:
    type: string
    field: resources.orders_queue.spec.name
"""


def expand(document: Document, context: TransformContext) -> Document:
    """Replaces each `acme/service` by a function and a queue."""
    resources = document.section("resources")
    assert resources is not None
    items: dict[str, AnyNode] = {}
    for name, node in resources.items.items():
        assert isinstance(node, Map)
        trail = node.trail.then(context.name)
        for kind in ("function", "queue"):
            data: dict[str, Any] = {"type": f"acme/{kind}", "spec": {"name": f"{name}-{kind}"}}
            made = build(data, trail, node.start, node.end)
            assert isinstance(made, Map)
            condition = node.items["condition"]
            items[f"{name}_{kind}"] = made.replacing({**made.items, "condition": condition})
    return document.replacing({"resources": resources.replacing(items)}, context.name)


SERVICES = Transform("acme-services", expand, ("acme/service",))


def run(names: str, *transforms: Transform, **arguments: Any) -> Run:
    source = Source("app.yaml", TEXT.format(names=names), "yaml")
    known = Transforms(transforms, entry_points=False)
    return render(source, transforms=known, **arguments)


def codes(outcome: Run) -> list[str]:
    return [item.code for item in outcome.diagnostics]


def test_a_transform_expands_and_is_gone() -> None:
    outcome = run("acme-services", SERVICES)
    assert outcome.ok, codes(outcome)
    text = outcome.text()
    assert "transform" not in text
    assert "orders_queue:" in text
    assert "value: orders-queue" in text


def test_what_a_transform_makes_says_so() -> None:
    outcome = run("acme-services", SERVICES)
    resources = dict(outcome.stages)["transform"].section("resources")
    assert resources is not None
    origin = resources.items["orders_queue"].origin
    assert origin.steps[:2] == ("load", "acme-services")
    assert origin.span.line == 7


def test_transforms_run_in_the_order_of_the_list() -> None:
    seen: list[str] = []

    def note(document: Document, context: TransformContext) -> Document:
        seen.append(context.name)
        return document

    outcome = run(
        "[second, acme-services, first]",
        SERVICES,
        Transform("first", note),
        Transform("second", note),
    )
    assert outcome.ok
    assert seen == ["second", "first"]


def test_an_unknown_transform_says_what_to_do() -> None:
    outcome = run("acme-servces", SERVICES)
    (found,) = outcome.diagnostics
    assert (found.code, found.hint) == ("missing_transformers", "did you mean `acme-services`?")
    (found,) = run("other-1").diagnostics
    assert found.hint is not None
    assert "--keep-transform other-1" in found.hint


@pytest.mark.parametrize("answer", [None, 5, "text"])
def test_a_transform_with_a_wrong_answer_is_named(answer: object) -> None:
    broken = Transform("broken", lambda document, context: answer)  # type: ignore[arg-type,return-value]
    (found,) = run("broken", broken).diagnostics
    assert found.code == "transform_failed"
    assert "`broken`" in found.summary


def test_a_transform_that_raises_is_named() -> None:
    def fail(document: Document, context: TransformContext) -> Document:
        raise KeyError("secret text")

    (found,) = run("failing", Transform("failing", fail)).diagnostics
    assert found.code == "transform_failed"
    assert "KeyError" in found.summary
    assert "secret text" not in found.summary


def test_what_a_transform_returns_is_checked() -> None:
    def break_it(document: Document, context: TransformContext) -> Document:
        resources = document.section("resources")
        assert resources is not None
        made = build({"type": 5}, resources.trail, resources.start, resources.end)
        return document.replacing(
            {"resources": resources.replacing({"orders": made})}, context.name
        )

    assert "missing_spec" in codes(run("breaking", Transform("breaking", break_it)))


class _Point:
    """An entry point."""

    def __init__(self, name: str, loaded: object) -> None:
        self.name = name
        self.value = "acme.transforms:it"
        self.dist = None
        self.loaded = loaded

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


def installed(monkeypatch: pytest.MonkeyPatch, *points: _Point) -> Run:
    monkeypatch.setattr(registry, "_installed", lambda: list(points))
    source = Source("app.yaml", TEXT.format(names="acme-services"), "yaml")
    return render(source)


def test_an_installed_transform_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed(monkeypatch, _Point("acme-services", SERVICES)).ok


@pytest.mark.parametrize("loaded", [ImportError("no"), 5])
def test_an_installed_transform_that_is_none_is_named(
    monkeypatch: pytest.MonkeyPatch, loaded: object
) -> None:
    (found,) = installed(monkeypatch, _Point("acme-services", loaded)).diagnostics
    assert found.code == "missing_transformers"
    assert "acme.transforms:it" in found.summary


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        Transforms([SERVICES, SERVICES])


def test_pipelines_are_values() -> None:
    seen: list[str] = []

    def look(document: Document, context: object) -> Document:
        seen.append(document.version)
        return document

    whole = BLUELINK.pipeline
    longer = whole.before("prune", Stage("look", look)).after("export", Stage("again", look))
    assert longer.names()[4] == "look"
    assert longer.names()[-1] == "again"
    assert longer.without("look").without("again").names() == whole.names()
    assert whole.upto("prune").names() == ("load", "transform", "include", "substitute", "prune")
    outcome = run("acme-services", SERVICES, pipeline=longer)
    assert outcome.ok
    assert seen == ["2023-04-20", "2023-04-20"]
    with pytest.raises(ValueError, match="no stage"):
        Pipeline(()).before("prune", Stage("look", look))
