"""Laws that hold for every blueprint, tried on generated ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs
import pytest
import yaml
from bpp.pipeline import MemoryFiles, Run, Source, render
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.harness import Case, difference, discover, load_json, load_yaml

few = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

STATE = {
    f"r{n}": {"state": {"text": f"s{n}", "ready": n % 2 == 0, "list": [f"l{n}"]}} for n in range(4)
}


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """YAML with every text in double quotes, which all readers read alike."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


Dumper.add_representer(str, _quoted)


def as_yaml(data: Any) -> str:
    """The data as YAML, keys in their order."""
    return str(yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True))


def run(text: str, form: str = "yaml", **inputs: Any) -> Run:
    """Renders a text without touching a disk."""
    return render(Source(f"blueprint.{form}", text, form), files=MemoryFiles({}), **inputs)


def data_of(outcome: Run) -> Any:
    """The materialised blueprint as plain data."""
    assert outcome.ok, [(item.code, str(item.span), item.summary) for item in outcome.diagnostics]
    return load_yaml(outcome.text())


# --- generated blueprints -----------------------------------------------------------------------


@attrs.frozen
class Generated:
    """A blueprint as plain data, and values for its variables."""

    document: Mapping[str, Any]
    variables: Mapping[str, Any]


# What is hard about text: substitutions, quotes, escapes, other types' looks.
PIECES = ("${", "$", "}", "{x}", '"', "\\", "'", "a", "NO", "1", " ", "\n", "é", "#", ": ", "none")
outside_text = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
literal_text = st.sampled_from(("", "a", "b-c", "${x", "}", "é", '\\"quoted\\"', "two words"))


@cache
def text_expressions(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Expressions that give a text, from references that give one."""
    leaf = st.one_of(st.sampled_from(names), literal_text.map(lambda text: f'"{text}"'))
    truth = bool_expressions(names)

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(
                lambda parts: f'join(list({", ".join(parts)}), "-")'
            ),
            inner.map(lambda text: f"to_upper({text})"),
            st.tuples(truth, inner, inner).map(lambda parts: f"if({', '.join(parts)})"),
            st.tuples(inner, inner).map(lambda parts: f"coalesce(none, {', '.join(parts)})"),
            st.tuples(inner, inner).map(lambda parts: f"first({', '.join(parts)})"),
            inner.map(lambda text: f"object(k = {text}, j = 1).k"),
            inner.map(lambda text: f'lookup(object(k = {text}), "k")'),
        )

    return st.recursive(leaf, grow, max_leaves=4)


@cache
def bool_expressions(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Expressions that give a boolean."""
    text = st.one_of(st.sampled_from(names), literal_text.map(lambda text: f'"{text}"'))
    ready = [name[: -len(".text")] + ".ready" for name in names if name.endswith(".state.text")]
    leaf = st.one_of(
        st.sampled_from(["true", "false", "variables.on", *ready]),
        st.tuples(text, text).map(lambda pair: f"eq({pair[0]}, {pair[1]})"),
    )

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, inner).map(lambda pair: f"and({pair[0]}, {pair[1]})"),
            st.tuples(inner, inner).map(lambda pair: f"or({pair[0]}, {pair[1]})"),
            inner.map(lambda value: f"not({value})"),
        )

    return st.recursive(leaf, grow, max_leaves=3)


@cache
def strings(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Strings with substitutions: a lone one, or text with some."""
    whole = text_expressions(names).map(lambda text: "${" + text + "}")
    plain = st.sampled_from(("", "x", "$", " {x}", " - "))
    return st.one_of(whole, st.lists(st.one_of(whole, plain), max_size=3).map("".join))


@st.composite
def blueprints(draw: st.DrawFn) -> Generated:
    """Valid blueprints: nothing in them is a mistake, whatever is known."""
    variables = {"a": draw(outside_text), "b": draw(outside_text), "on": draw(st.booleans())}
    document: dict[str, Any] = {
        "version": "2023-04-20",
        "variables": {
            "a": {"type": "string"},
            "b": {"type": "string", "default": "default"},
            "on": {"type": "boolean"},
        },
    }
    names = ["variables.a", "variables.b"]
    resources: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for n in range(draw(st.integers(1, 4))):
        known = tuple(names)
        if draw(st.booleans()):
            written = draw(strings(known))
            values[f"v{n}"] = {"type": "string", "value": written}
            names.append(f"values.v{n}")
            known = tuple(names)
        kind = draw(st.sampled_from(("plain", "plain", "conditional", "each")))
        definition: dict[str, Any] = {"type": "example/thing"}
        if kind == "conditional":
            definition["condition"] = draw(conditions(known))
        inside = known
        if kind == "each":
            definition["each"] = '${list("e0", variables.a, "e2")}'
            inside = (*known, "elem")
            names.append(f"resources.r{n}[1].spec.own")
        definition["spec"] = {
            "own": draw(st.sampled_from(("own", "${variables.a}"))),
            "field": draw(strings(inside)),
            "deep": {"list": [draw(strings(inside)), 1, True, {"k": draw(strings(inside))}]},
        }
        resources[f"r{n}"] = definition
        if kind == "plain":
            names += [f"resources.r{n}.state.text", f"resources.r{n}.spec.own"]
    document["values"] = values
    document["resources"] = resources
    document["metadata"] = {"m": draw(strings(tuple(names)))}
    field = draw(st.sampled_from(names))
    document["exports"] = {"e": {"type": "string", "field": field}}
    return Generated(document, variables)


@cache
def conditions(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Conditions as text and as objects."""
    leaf = bool_expressions(names).map(lambda text: "${" + text + "}")
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"and": parts}),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"or": parts}),
            inner.map(lambda part: {"not": part}),
        ),
        max_leaves=3,
    )


# --- laws ---------------------------------------------------------------------------------------


@few
@given(blueprints(), st.data())
def test_laws_of_a_blueprint(case: Generated, data: st.DataObject) -> None:
    """Of one blueprint all: making one takes as long as rendering it a few times."""
    text = as_yaml(case.document)
    first = run(text, variables=case.variables)
    expected = data_of(first)
    at_once = data_of(run(text, variables=case.variables, state={"resources": STATE}))
    _rendering_again_changes_nothing(first)
    _completing_later_is_completing_at_once(first, at_once)
    _json_and_yaml_mean_the_same(case, first)
    order = data.draw(st.permutations(list(case.document)))
    _order_of_sections_is_order_of_output_only(case, order, expected)
    _nothing_known_is_left(at_once)


def _rendering_again_changes_nothing(first: Run) -> None:
    for form in ("yaml", "json"):
        written = first.text(form)
        again = run(written, form)
        data_of(again)
        assert again.text(form) == written


def _completing_later_is_completing_at_once(first: Run, at_once: Any) -> None:
    later = data_of(run(first.text(), state={"resources": STATE}))
    wrong = difference(later, at_once)
    assert not wrong, wrong


def _json_and_yaml_mean_the_same(case: Generated, from_yaml: Run) -> None:
    from_json = run(json.dumps(case.document), "json", variables=case.variables)
    data_of(from_json)
    assert from_yaml.text() == from_json.text()
    assert from_yaml.text("json") == from_json.text("json")
    wrong = difference(load_json(from_yaml.text("json")), load_yaml(from_yaml.text()))
    assert not wrong, wrong


def _order_of_sections_is_order_of_output_only(
    case: Generated, order: list[str], expected: Any
) -> None:
    shuffled = {name: case.document[name] for name in order}
    actual = data_of(run(as_yaml(shuffled), variables=case.variables))
    assert set(actual) == set(expected)
    for section in expected:
        wrong = difference(actual[section], expected[section], path=section)
        assert not wrong, wrong
    kept = [name for name in order if name in expected and name != "version"]
    assert list(actual) == ["version", *kept]


def _nothing_known_is_left(document: Any) -> None:
    assert "variables" not in document
    assert not any("variables." in text for text in _substitutions(document))


def _substitutions(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [text for value in data.values() for text in _substitutions(value)]
    if isinstance(data, list):
        return [text for value in data for text in _substitutions(value)]
    if isinstance(data, str):
        return data.replace('${"${"}', "").split("${")[1:]
    return []


# --- anything at all ----------------------------------------------------------------------------

TOKENS = (
    "version: 2023-04-20\n", "resources:\n", "  a:\n", "    type: x/y\n", "    spec:\n",
    "      k: ", "${", "}", "variables.", "values.a", "elem", "list(", ")", '"', "'", "[", "]", "{",
    ": ", "- ", "\n", "  ", "each: ", "condition: ", "&a ", "*a", "!!str ", "|\n", ">-\n", "#", ",",
    "\t", "\ufeff", "\x00", "\u2028", "é", "𝄞", "1e999", "~", "---\n", "%YAML 1.1\n", "? ", "<<: ",
    '{"version": "2023-04-20", ', '"resources": {}', "//", "/*", "\\u0000", "NaN", "-", "0x",
)  # fmt: skip

any_text = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(TOKENS), max_size=30).map("".join)
)
any_data = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10),
        st.sampled_from(("${variables.a}", "${elem}", "${resources.a.state.b}", "${list(", "x/y")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.text(max_size=5),
                st.sampled_from(("type", "spec", "value", "a", "each", "path", "field")),
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)  # fmt: skip
SECTIONS = (
    "transform", "variables", "values", "datasources", "resources", "include", "children",
    "exports", "metadata",
)  # fmt: skip
shaped = st.dictionaries(st.sampled_from(SECTIONS), any_data, max_size=4).map(
    lambda sections: json.dumps({"version": "2023-04-20", **sections})
)


def _answered(outcome: Run) -> None:
    """Either there is an output that can be read, or there are errors."""
    if outcome.ok:
        load_json(outcome.text("json"))
        load_yaml(outcome.text())
    else:
        assert any(item.severity == "error" for item in outcome.diagnostics)


@settings(few, max_examples=400)
@given(any_text, st.sampled_from(("yaml", "json")))
def test_any_text_gets_an_answer(text: str, form: str) -> None:
    _answered(run(text, form))


@settings(few, max_examples=400)
@given(shaped)
def test_any_sections_get_an_answer(text: str) -> None:
    _answered(run(text, "json"))


# --- the cases, changed -------------------------------------------------------------------------


def _loaded() -> list[tuple[Case, Any, dict[str, bytes]]]:
    """Each case whose main document can be read: its data, and the files beside it."""
    found = []
    for case in discover():
        beside = {
            str(file.relative_to(case.folder)): file.read_bytes()
            for file in sorted(case.folder.rglob("*"))
            if file.is_file()
        }
        try:
            data = load_yaml((case.folder / case.main).read_text("utf-8"))
        except yaml.YAMLError:
            continue
        if isinstance(data, dict):
            found.append((case, data, beside))
    return found


LOADED = _loaded()
# by number: a strategy hashes all that it samples from
LOADED_CASES = st.sampled_from(range(len(LOADED))).map(LOADED.__getitem__)
RENDERING = {item[0].name: item for item in LOADED if item[0].render and not item[0].errors}

# Expressions of every type, known and not, to be put where they may or may not fit.
FOREIGN = (
    "${none}", "a${none}", "${1.5}", "${true}", "${[]}", "${list(1, 2)}", "${object()}",
    "${object(a = 1)}", '${jsondecode("null")}', '${jsondecode("{\\"a b\\": [1]}")}',
    '${lookup(object(), "x")}', '${base64decode("//8=")}', '${base64decode("YQ==")}',
    "${resources.a.state.x}", "x-${resources.a.state.x}", '${a.state.y[0]["q.r"]}',
    '${list("a", resources.a.state.x, none)}', '${object(k = a.state.x, j = "b")}',
    '${if(a.state.b, list(1), none)}', '${first(a.state.b, "", [])}', "${len(list(a.state.x))}",
    '${map(list(a.state.x, "b"), to_upper)}', '${eq(a.state, object(k = 1))}',
    '${join(list(a.state.x, "\\""), base64decode("YQ=="))}', '${link("a", "b")}', "${elem}",
    "${i}", "${values.config}", "${variables.env}", "${children.c.name}", "${children.core.arn}",
    "${datasources.network.vpc}", '${file("blueprint.yaml")}',
)  # fmt: skip


def _paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below: list[tuple[Any, Any]] = []
    if isinstance(data, dict):
        below = list(data.items())
    elif isinstance(data, list):
        below = list(enumerate(data))
    return [path, *(deep for key, value in below for deep in _paths(value, (*path, key)))]


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _replaced(data: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(data, dict):
        return {k: _replaced(v, rest, new) if k == key else v for k, v in data.items()}
    return [_replaced(v, rest, new) if n == key else v for n, v in enumerate(data)]


@settings(few, max_examples=400)
@given(st.data())
def test_a_damaged_case_gets_an_answer(data: st.DataObject) -> None:
    _, document, files = data.draw(LOADED_CASES)
    for _ in range(data.draw(st.integers(1, 2))):
        paths = _paths(document)
        path = data.draw(st.sampled_from(paths[1:] or paths))
        other = data.draw(LOADED_CASES)[1]
        piece = _at(other, data.draw(st.sampled_from(_paths(other))))
        document = _replaced(document, path, data.draw(st.one_of(any_data, st.just(piece))))
    text = json.dumps(document)
    _answered(render(Source("blueprint.json", text, "json"), files=MemoryFiles(files)))


@pytest.mark.slow
@settings(few, max_examples=1500)
@given(st.sampled_from(list(RENDERING)), st.data())
def test_what_a_changed_case_renders_to_renders_to_itself(name: str, data: st.DataObject) -> None:
    case, document, files = RENDERING[name]
    leaves = [path for path in _paths(document) if isinstance(_at(document, path), str)]
    path = data.draw(st.sampled_from([leaf for leaf in leaves if leaf[0] != "version"] or leaves))
    text = json.dumps(_replaced(document, path, data.draw(st.sampled_from(FOREIGN))))

    def rendered(written: str, form: str, **inputs: Any) -> Run:
        source = Source(case.main, written, form, path=f"/{case.main}")
        return render(source, files=MemoryFiles(files), settings=case.settings, **inputs)

    first = rendered(
        text, "json", variables=case.variables, state=case.state, datasources=case.datasources
    )
    _answered(first)
    if first.ok and not case.settings.strict:
        for form in ("yaml", "json"):
            written = first.text(form)
            again = rendered(written, form)
            assert again.ok, [(item.code, item.summary) for item in again.diagnostics]
            assert again.text(form) == written
