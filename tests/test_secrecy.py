"""Documents for looking at: every literal that belongs to a secret is masked, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bpp.pipeline import Document, MemoryFiles, Quoting, Reference, Settings, Source, render
from bpp.pipeline.dialects.bluelink.evaluating.evaluation import Evaluation
from bpp.pipeline.dialects.bluelink.secrets.secrecy import redacted
from bpp.pipeline.dialects.bluelink.secrets.taint import is_marked_export, is_marked_reference
from bpp.pipeline.engine.materialisation import MASK

SECRET = {"type": "string", "secret": True}
CLEAR = {"type": "string"}


def loaded(data: dict[str, Any]) -> Document:
    """A document as it was read."""
    text = json.dumps({"version": "2023-04-20", **data}, indent=1)
    run = render(Source("b.json", text, "json"), files=MemoryFiles({}), stop_after="load")
    return run.stages[-1][1]


def shown(document: Document) -> dict[str, Any]:
    """A document as data, without its version."""
    run = render(Source("x.json", '{"version": "2023-04-20"}', "json"), stop_after="load")
    data: dict[str, Any] = json.loads(run.evolve(reveal=True).text("json", document))
    del data["version"]
    return data


def variable(**parts: Any) -> dict[str, Any]:
    return {"variables": {"v": parts, "w": CLEAR | {"default": "plain"}}}


def value(**parts: Any) -> dict[str, Any]:
    return {"values": {"v": parts, "w": CLEAR | {"value": "plain"}}}


REST = {"resources": {"r": {"type": "a/b", "spec": {"x": "hunter2"}}}}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a default": (
        variable(**SECRET, default="hunter2", description="d"),
        variable(**SECRET, default=MASK, description="d"),
    ),
    "what is allowed": (
        variable(**SECRET, default="b", allowedValues=["a", "b"]),
        variable(**SECRET, default=MASK, allowedValues=[MASK, MASK]),
    ),
    "a number": (variable(**SECRET, default=12), variable(**SECRET, default=MASK)),
    "null": (variable(**SECRET, default=None), variable(**SECRET, default=MASK)),
    "a value": (value(**SECRET, value="hunter2"), value(**SECRET, value=MASK)),
    "a list": (
        value(**SECRET, value=["a", ["b", {"c": 1}]]),
        value(**SECRET, value=[MASK, [MASK, MASK]]),
    ),
    "an object": (value(**SECRET, value={"a": "b"}), value(**SECRET, value=MASK)),
    "a text around a reference": (
        value(**SECRET, value="x-${variables.a}"),
        value(**SECRET, value=MASK),
    ),
    "a call": (value(**SECRET, value='${trim("hunter2")}'), value(**SECRET, value=MASK)),
    "references": (value(**SECRET, value="${variables.a}${values.b}"), {}),
    "no secret": (variable(**CLEAR, default="plain"), {}),
    "said not to be one": (variable(type="string", secret=False, default="plain"), {}),
    "said with a text": (variable(type="string", secret="true", default="plain"), {}),
    "nothing in it": (variable(**SECRET), {}),
    "a section that is none": ({"variables": ["a"], "values": 1}, {}),
    "a definition that is none": ({"variables": {"v": "hunter2"}}, {}),
    "children": (
        {"children": {"c": value(**SECRET, value="a"), "d": 5, "e": REST}},
        {"children": {"c": value(**SECRET, value=MASK), "d": 5, "e": REST}},
    ),
    "children of children": (
        {"children": {"c": {"children": {"d": value(**SECRET, value="a")}}}},
        {"children": {"c": {"children": {"d": value(**SECRET, value=MASK)}}}},
    ),
    "children that are none": ({"children": [value(**SECRET, value="a")]}, {}),
    "both": (
        variable(**SECRET, default="a") | value(**SECRET, value="b"),
        variable(**SECRET, default=MASK) | value(**SECRET, value=MASK),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_secrets_are_masked_and_nothing_else(name: str) -> None:
    given, expected = CASES[name]
    document = loaded({**given, **REST})
    found = redacted(document, Quoting())
    assert shown(found) == {**given, **expected, **REST}
    if not expected:
        assert found is document


INCLUDE = {
    "a": {"path": "a.json", "variables": {"s": "hunter2", "t": "${values.x}", "u": "x${elem}"}},
    "b": {"path": "b.json"},
    "c": "hunter2",
    "d": {"path": "d.json", "variables": "hunter2"},
    "e": {"path": "e.json", "variables": {"s": None, "t": MASK, "u": ["a", {"b": "c"}]}},
    "f": {"variables": {"s": "hunter2"}},
}


def places(document: Document, *ways: str) -> Quoting:
    """Knows that the variables of includes are secrets: `a.s`."""
    include: Any = document.section("include")
    quoting = Quoting()
    for name, key in (way.split(".") for way in ways):
        quoting.withhold(include.get(name).get("variables").get(key).span)
    return quoting


@pytest.mark.parametrize(
    ("withheld", "changes"),
    [
        ([], {}),
        (["a.s"], {"a": {"s": MASK}}),
        (["a.t"], {}),
        (["a.u"], {"a": {"u": MASK}}),
        (["e.s", "e.t"], {}),
        (["e.u", "a.s"], {"e": {"u": [MASK, MASK]}, "a": {"s": MASK}}),
        (["f.s"], {"f": {"s": MASK}}),
    ],
)
def test_what_is_given_to_secrets_of_children_is_masked(
    withheld: list[str], changes: dict[str, dict[str, Any]]
) -> None:
    document = loaded({"include": INCLUDE, **REST})
    expected: dict[str, Any] = json.loads(json.dumps(INCLUDE))
    for name, more in changes.items():
        expected[name]["variables"].update(more)
    found = redacted(document, places(document, *withheld))
    assert shown(found) == {"include": expected, **REST}
    # as in a document that another one brings along
    bundle = loaded({"children": {"c": {"include": INCLUDE}}})
    inner: Any = bundle.section("children")
    part = bundle.evolve(root=inner.get("c"))
    whole = redacted(bundle, places(part, *withheld))
    assert shown(whole) == {"children": {"c": {"include": expected}}}


def test_no_text_of_a_run_shows_a_secret() -> None:
    text = json.dumps({"version": "2023-04-20", **CASES["a default"][0], **REST})
    for secrets, words in (("keep", MASK), ("reveal", "hunter2")):
        settings = Settings(secrets=secrets)
        run = render(Source("b.json", text, "json"), settings=settings, stop_after="load")
        default = json.loads(run.text("json", run.stages[0][1]))["variables"]["v"]["default"]
        assert default == words


def test_nobody_knows_secrets_of_what_was_never_evaluated() -> None:
    run = render(Source("b.json", '{"version": "2023-04-20"}', "json"), stop_after="load")
    reference = Reference("values", ("v",))
    assert run.work.find(Evaluation) is None
    assert not is_marked_export(None, "e", ())
    assert not is_marked_reference(None, reference)
