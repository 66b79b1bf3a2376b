"""Transforms by registration and by entry point, and pipelines put together by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bpp.pipeline import Document, Pipeline, Run, Source, Stage, build, check, render
from bpp.pipeline.dialects.bluelink.dialect import BLUELINK
from bpp.pipeline.values.expression import Reference, Segments, residual
from bpp.pipeline.values.tree import AnyNode, Array, Map, Scalar, Template
from bpp.pipeline.world import plugins
from bpp.transforms import (
    Expansion,
    Resource,
    Transform,
    TransformContext,
    Transforms,
    expanding,
)
from support.compiled import interpreted

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


@pytest.mark.parametrize("answer", [None, 5, "text", [], {}])
def test_a_transform_with_a_wrong_answer_is_named(answer: object) -> None:
    broken = Transform("broken", lambda document, context: answer)  # type: ignore[arg-type,return-value]
    (found,) = run("broken", broken).diagnostics
    assert found.code == "transform_failed"
    assert found.summary == (
        f"the transform `broken` is broken: it returned a `{type(answer).__name__}`, not a document"
    )


class Odd(BaseException):
    """What no `except Exception` catches."""


@pytest.mark.parametrize(
    "error", [KeyError, ValueError, RecursionError, MemoryError, SystemExit, GeneratorExit, Odd]
)
def test_a_transform_that_raises_is_named(error: type[BaseException]) -> None:
    def fail(document: Document, context: TransformContext) -> Document:
        context.working_on("orders")
        raise error("secret text")

    (found,) = run("failing", Transform("failing", fail)).diagnostics
    assert found.code == "transform_failed"
    assert "`failing`" in found.summary
    assert "`orders`" in found.summary
    assert error.__name__ in found.summary
    assert "secret text" not in repr(found)


def test_ctrl_c_in_a_transform_is_ctrl_c() -> None:
    def wait(document: Document, context: TransformContext) -> Document:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("waiting", Transform("waiting", wait))


def test_after_a_mistake_no_other_transform_runs() -> None:
    def fail(document: Document, context: TransformContext) -> Document:
        raise KeyError

    def forbidden(document: Document, context: TransformContext) -> Document:
        raise AssertionError("it ran")

    outcome = run("[a, b]", Transform("a", fail), Transform("b", forbidden))
    assert codes(outcome) == ["transform_failed"]
    assert "`a`" in next(iter(outcome.diagnostics)).summary


def _orders(document: Document) -> Map:
    section = document.section("resources")
    assert section is not None
    node = section.items["orders"]
    assert isinstance(node, Map)
    return node


def _with_orders(document: Document, node: Any) -> Document:
    section = document.section("resources")
    assert section is not None
    return document.replacing({"resources": section.replacing({"orders": node})}, "broken")


def _loop(node: Map) -> Map:
    items = dict(node.items)
    made = node.replacing(items)
    items["spec"] = made
    return made


def _deep(node: Map) -> AnyNode:
    found: AnyNode = node
    for _ in range(100):
        found = Map({"a": found}, {}, node.trail, node.start, node.end)
    return found


def _hollow(node: Map) -> Map:
    return object.__new__(Map)


class Subclass(Map):
    """Looks like a node."""


def _of_subclass(node: Map) -> Map:
    return Subclass(node.items, node.places, node.trail, node.start, node.end)


def _in_spec(make: Callable[[Map], Any]) -> Callable[[Map], Any]:
    return lambda node: node.replacing({**node.items, "spec": node.replacing({"a": make(node)})})


def _bad_template(root: str) -> Callable[[Map], Any]:
    def make(node: Map) -> Any:
        segments = Segments([residual(Reference(root, ("a b",)))])
        return Template(segments, None, node.trail, node.start, node.end)

    return make


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda node: None, "`resources.orders` is a `NoneType`, not a node"),
        (lambda node: dict(node.items), "`resources.orders` is a `dict`, not a node"),
        pytest.param(_hollow, "`resources.orders` is a node without an origin", marks=interpreted),
        pytest.param(
            _of_subclass, "`resources.orders` is a `Subclass`, not a node", marks=interpreted
        ),
        (_loop, "`resources.orders.spec` is a node that contains itself"),
        (_deep, "is nested more than 64 deep (`max_depth`)"),
        (_in_spec(lambda node: "text"), "`resources.orders.spec.a` is a `str`, not a node"),
        pytest.param(
            _in_spec(lambda node: Scalar(object(), node.trail, 0, 0)),  # type: ignore[arg-type]
            "`resources.orders.spec.a` is a `Scalar` of a `object`",
            marks=interpreted,
        ),
        (_in_spec(lambda node: Scalar(1e999, node.trail, 0, 0)), "a number that is not finite"),
        (_in_spec(lambda node: Scalar(2**64, node.trail, 0, 0)), "an integer of more than 64 bits"),
        (
            _in_spec(lambda node: Scalar("\ud800", node.trail, 0, 0)),
            "string that is not valid Unicode",
        ),
        (_in_spec(lambda node: Scalar(1, node.trail, 5, 10**6)), "position outside of `app.yaml`"),
        pytest.param(
            _in_spec(lambda node: Array((), node.trail, 0, 0)),  # type: ignore[arg-type]
            "an `Array` of a `tuple`",
            marks=interpreted,
        ),
        (_in_spec(lambda node: Map({1: node}, {}, node.trail, 0, 0)), "a key that is a `int`"),  # type: ignore[dict-item]
        (_in_spec(lambda node: Template((), None, node.trail, 0, 0)), "without `Segments`"),  # type: ignore[arg-type]
        (
            _in_spec(lambda node: Template(Segments(["a"]), None, node.trail, 0, 0)),
            "a `Template` without substitutions",
        ),
        (_in_spec(_bad_template("nonsense")), "an expression that cannot be parsed"),
    ],
)
def test_a_broken_tree_is_told_with_its_place(make: Callable[[Map], Any], told: str) -> None:
    def break_it(document: Document, context: TransformContext) -> Document:
        return _with_orders(document, make(_orders(document)))

    (found,) = run("broken", Transform("broken", break_it)).diagnostics
    assert found.code == "transform_failed"
    assert found.summary.startswith("the transform `broken` is broken at the resource `orders`")
    assert told in found.summary


@pytest.mark.parametrize(
    "make",
    [
        _hollow,
        _of_subclass,
        _in_spec(lambda node: Scalar(object(), node.trail, 0, 0)),  # type: ignore[arg-type]
        _in_spec(lambda node: Array((), node.trail, 0, 0)),  # type: ignore[arg-type]
    ],
)
def test_a_node_of_wrong_type_is_the_transforms_mistake(make: Callable[[Map], Any]) -> None:
    """Told when the tree is looked at, or, where modules are compiled, when the node is made."""

    def break_it(document: Document, context: TransformContext) -> Document:
        return _with_orders(document, make(_orders(document)))

    (found,) = run("broken", Transform("broken", break_it)).diagnostics
    assert found.code == "transform_failed"
    assert "`broken`" in found.summary


def test_a_transform_may_not_change_what_it_is_given() -> None:
    def scribble(document: Document, context: TransformContext) -> Document:
        _orders(document).items["type"] = Scalar("acme/x", document.root.trail, 0, 0)
        return document

    (found,) = run("scribbling", Transform("scribbling", scribble)).diagnostics
    assert found.code == "transform_failed"
    assert "modifies its input document" in found.summary


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"type": 5, "spec": {}}, "`type` must be a string"),
        ({"spec": {}}, "`orders`"),
        ({"type": "a/b", "spec": {}, "nonsense": 1}, "`nonsense` is not a field of a resource"),
        ({"type": "a/b", "spec": []}, "`spec`"),
        ({"type": "a/b", "spec": {}, "each": [1]}, "`each`"),
    ],
)
def test_what_a_transform_makes_has_the_structure_of_a_blueprint(made: Any, told: str) -> None:
    def break_it(document: Document, context: TransformContext) -> Document:
        return _with_orders(document, context.node(made, _orders(document)))

    outcome = run("breaking", Transform("breaking", break_it))
    found = next(iter(outcome.diagnostics))
    assert set(codes(outcome)) == {"invalid_transform_result"}
    assert "`breaking`" in found.summary
    assert "the resource `orders`" in found.summary
    assert told in found.summary
    assert found.span is not None
    assert found.span.line in (6, 7)


def test_an_unknown_section_is_the_transform_s() -> None:
    def break_it(document: Document, context: TransformContext) -> Document:
        node = context.node({}, document.root)
        return document.replacing({"nonsense": node}, context.name)

    (found,) = run("breaking", Transform("breaking", break_it)).diagnostics
    assert found.code == "invalid_transform_result"
    assert "`nonsense` is not a field of a blueprint" in found.summary


def test_a_reference_that_a_transform_breaks_says_so() -> None:
    def forget(document: Document, context: TransformContext) -> Document:
        return document.replacing({"variables": None}, context.name)

    outcome = run("forgetting", Transform("forgetting", forget))
    found = next(d for d in outcome.diagnostics if d.code == "variable_not_found")
    assert [note.text for note in found.notes] == [
        "this was valid before the transform `forgetting` ran"
    ]


# --- what a transform is ------------------------------------------------------------------------


class Services:
    """Expands services.

    More is told further down.
    """

    name = "acme-services"
    types = ("acme/service",)

    def run(self, document: Document, context: TransformContext, /) -> Document:
        return expand(document, context)


@pytest.mark.parametrize("given", [Services, Services()])
def test_a_class_or_an_object_is_a_transform(given: Any) -> None:
    source = Source("app.yaml", TEXT.format(names="acme-services"), "yaml")
    assert render(source, transforms=Transforms([given], entry_points=False)).ok
    found = Transforms([given], entry_points=False).find("acme-services")
    assert found is not None
    assert (found.types, found.doc) == (("acme/service",), "Expands services.")


class _Nameless:
    types = ()

    def run(self, document: Document, context: TransformContext) -> Document:
        return document


class _Demanding(Services):
    def __init__(self, more: int) -> None:
        self.more = more


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (5, "a `int` is not a transform: it has no `run`"),
        (_Nameless, "it has no `name`"),
        (_Demanding, "creating a transform from it fails with TypeError"),
        (Transform("", expand), "must be a non-empty string"),
        (Transform("a", 5), "cannot be called"),  # type: ignore[arg-type]
        (Transform("bpp/modules-1", expand), "ships with bpp"),
    ],
)
def test_what_is_no_transform_is_refused(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Transforms([given])


def test_names_of_transforms_may_have_slashes() -> None:
    outcome = run("acme/services-1", Transform("acme/services-1", expand))
    assert outcome.ok


def test_transforms_that_ship_are_known_without_entry_points() -> None:
    registry = Transforms(entry_points=False)
    assert registry.names() == ["bpp/defaults-1", "bpp/modules-1"]
    for name in registry.names():
        found = registry.find(name)
        assert found is not None
        assert found.name == name
        assert found.doc


# --- expansion ----------------------------------------------------------------------------------

SHOP = """\
version: 2025-11-02
transform: shop-1
variables:
  stage: {type: string}
values:
  both: {type: string, value: '${orders.spec.name} at ${resources["orders"].state.url}'}
resources:
  base: {type: acme/x, spec: {}}
  orders:
    type: shop/service
    metadata:
      displayName: Orders
      labels: {app: orders}
      annotations: {stage: "${variables.stage}"}
    condition: ${resources.base.state.ready}
    dependsOn: base
    removalPolicy: retain
    linkSelector: {byLabel: {app: base}, exclude: [base]}
    spec: {name: "orders-${variables.stage}"}
  user:
    type: acme/x
    dependsOn: [base, orders]
    linkSelector: {byLabel: {a: b}, exclude: [orders]}
    spec:
      text: "at ${orders.state.url}!"
      call: ${to_upper(resources.orders.spec.name)}
      link: ${link("orders", base)}
exports:
  name: {type: string, field: 'resources["orders"].spec.name'}
"""


@expanding("shop-1", "shop/*")
def shop(resource: Resource, context: TransformContext) -> Expansion:
    """Expands the services of a shop."""
    name = resource.name
    return Expansion(
        {
            f"{name}_function": {
                "type": "acme/function",
                "spec": {"functionName": resource.need("spec.name", "string")},
            },
            f"{name}_queue": {
                "type": "acme/queue",
                "metadata": {"labels": {"app": "own"}},
                "condition": '${eq(variables.stage, "prod")}',
                "spec": {"url": f"${{resources.{name}_function.state.url}}"},
            },
        },
        primary=f"{name}_function",
        fields={"spec.name": "spec.functionName"},
        leave={f"{name}_queue": ["linkSelector"]},
    )


def test_one_resource_becomes_several() -> None:
    run = render(Source("shop.yaml", SHOP, "yaml"), variables={"stage": "dev"}, transforms=[shop])
    assert run.ok, [item.summary for item in run.diagnostics]
    assert (
        run.text()
        == """\
version: "2025-11-02"
values:
  both:
    type: string
    value: orders-dev at ${resources.orders_function.state.url}
resources:
  base:
    type: acme/x
    spec: {}
  orders_function:
    type: acme/function
    metadata:
      displayName: Orders
      annotations:
        stage: dev
      labels:
        app: orders
    condition: ${resources.base.state.ready}
    linkSelector:
      byLabel:
        app: base
      exclude:
        - base
    dependsOn: base
    removalPolicy: retain
    spec:
      functionName: orders-dev
  user:
    type: acme/x
    dependsOn:
      - base
      - orders_function
    linkSelector:
      byLabel:
        a: b
      exclude:
        - orders_function
    spec:
      text: at ${resources.orders_function.state.url}!
      call: ORDERS-DEV
      link: ${link("orders_function", resources.base)}
exports:
  name:
    type: string
    field: resources.orders_function.spec.functionName
    value: orders-dev
"""
    )
    assert render(Source("shop.yaml", run.text(), "yaml")).text() == run.text()


def test_a_second_part_keeps_its_own_and_joins_conditions() -> None:
    run = render(Source("shop.yaml", SHOP, "yaml"), variables={"stage": "prod"}, transforms=[shop])
    document = dict(run.stages)["transform"]
    section = document.section("resources")
    assert section is not None
    queue = section.items["orders_queue"]
    assert isinstance(queue, Map)
    assert "linkSelector" not in queue.items
    assert queue.origin.steps == ("load", "shop-1")
    assert queue.span == section.items["orders_function"].span
    assert section.key_span("orders_queue").line == 9
    condition = queue.items["condition"]
    assert isinstance(condition, Map)
    assert list(condition.items) == ["and"]
    labels = queue.items["metadata"]
    assert isinstance(labels, Map)
    assert repr(labels.items["labels"]) == "Map({'app': Scalar('own')})"


def test_references_in_instances_keep_their_index() -> None:
    text = """\
version: 2023-04-20
transform: shop-1
values: {list: {type: array, value: [a, b]}}
variables: {stage: {type: string, default: dev}}
resources:
  orders: {type: shop/service, each: "${values.list}", spec: {name: "${elem}"}}
  user: {type: a/b, spec: {second: "${orders[1].spec.name}", url: "${orders[0].state.url}"}}
"""

    @expanding("shop-1", "shop/service")
    def one(resource: Resource, context: TransformContext) -> Expansion:
        made = {"type": "acme/f", "spec": {"called": resource.get("spec.name")}}
        return Expansion({"orders_f": made}, "orders_f", {"spec.name": "spec.called"})

    run = render(Source("shop.yaml", text, "yaml"), transforms=[one])
    assert run.ok, [item.summary for item in run.diagnostics]
    assert "second: b" in run.text()
    assert "url: ${resources.orders_f_0.state.url}" in run.text()


@pytest.mark.parametrize(
    ("spec", "told", "line"),
    [
        ("{}", "the resource `orders` needs `spec.name`", 9),
        ("{name: 5}", "`spec.name` of the resource `orders` must be a string, not an integer", 19),
    ],
)
def test_need_points_at_the_field(spec: str, told: str, line: int) -> None:
    text = SHOP.replace('{name: "orders-${variables.stage}"}', spec)
    run = render(Source("shop.yaml", text, "yaml"), variables={"stage": "d"}, transforms=[shop])
    (found,) = run.diagnostics
    assert (found.code, found.summary) == ("transform_refused", told)
    assert found.span is not None
    assert found.span.line == line
    assert [note.text for note in found.notes] == ["reported by the transform `shop-1`"]


def test_names_that_are_taken_are_told_at_the_resource() -> None:
    text = SHOP.replace("  base: {", "  orders_queue: {type: acme/x, spec: {}}\n  base: {")
    run = render(Source("shop.yaml", text, "yaml"), variables={"stage": "d"}, transforms=[shop])
    (found,) = run.diagnostics
    assert found.code == "duplicate_resource_name"
    assert "`orders_queue`" in found.summary
    assert found.span is not None
    assert found.span.line == 10


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (None, "the expander must return an `Expansion`, not a `NoneType`"),
        (Expansion({"a": {}}, "b"), "the primary `b` is not one of its resources"),
        (Expansion({"a": {}}, "a", leave={"b": []}), "`leave` names `b`"),
        (Expansion({"a": {}}, "a", leave={"a": ["spec"]}), "`spec` in `leave`"),
        (Expansion({"a": []}, "a"), "the definition of `a` is not an object"),
        (Expansion({"a": {"spec": {1, 2}}}, "a"), "`spec` is a `set`"),
        (Expansion({"a": {"spec": "${"}}, "a"), "`spec` cannot be read"),
    ],
)
def test_a_broken_expansion_is_told_with_its_resource(made: Any, told: str) -> None:
    broken = expanding("shop-1", "shop/service")(lambda resource, context: made)
    run = render(Source("shop.yaml", SHOP, "yaml"), variables={"stage": "d"}, transforms=[broken])
    (found,) = run.diagnostics
    assert found.code == "transform_failed"
    assert found.summary.startswith("the transform `shop-1` is broken at the resource `orders`: ")
    assert told in found.summary
    assert found.span is not None
    assert found.span.line == 9


def test_a_mistake_in_one_resource_does_not_hide_others() -> None:
    text = SHOP.replace("  user:\n", "  other: {type: shop/x, spec: {}}\n  user:\n", 1)
    text = text.replace('{name: "orders-${variables.stage}"}', "{}")
    run = render(Source("shop.yaml", text, "yaml"), variables={"stage": "d"}, transforms=[shop])
    assert [item.summary for item in run.diagnostics] == [
        "the resource `orders` needs `spec.name`",
        "the resource `other` needs `spec.name`",
    ]


def test_check_runs_transforms_without_values() -> None:
    assert not check(Source("shop.yaml", SHOP, "yaml"), transforms=[shop]).errors


def test_a_transform_can_be_left_for_a_later_run() -> None:
    def wait(document: Document, context: TransformContext) -> Document:
        context.keep()
        return document

    outcome = run("waiting", Transform("waiting", wait))
    text = TEXT.format(names="waiting").replace(
        "field: resources.orders_queue.spec.name", "value: a"
    )
    source = Source("app.yaml", text, "yaml")
    outcome = render(source, transforms=[Transform("waiting", wait)])
    assert outcome.ok
    assert "transform: waiting" in outcome.text()


# --- entry points -------------------------------------------------------------------------------


class _Point:
    """An entry point."""

    def __init__(self, name: str, loaded: object) -> None:
        self.name = name
        self.value = "acme.transforms:it"
        self.group = "bpp.transforms"
        self.module = "acme.transforms"
        self.dist = None
        self.loaded = loaded

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


def installed(monkeypatch: pytest.MonkeyPatch, *points: _Point) -> Run:
    found = {"bpp.transforms": list(points)}
    monkeypatch.setattr(plugins, "_installed", lambda group: found.get(group, []))
    source = Source("app.yaml", TEXT.format(names="acme-services"), "yaml")
    return render(source)


def test_an_installed_transform_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed(monkeypatch, _Point("acme-services", SERVICES)).ok


@pytest.mark.parametrize(
    "loaded", [ImportError("no"), 5, _Nameless, _Demanding, Transform("other-1", expand)]
)
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
