"""No secret becomes a part of a path or an address, with whatever it is mixed and however shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bpp.pipeline import (
    DataSourceProvider,
    Diagnostic,
    MemoryFiles,
    ProviderError,
    Query,
    Run,
    Settings,
    render,
)

SECRET = "Kq7vXw2mZr9LtB4n"
MODES = ("keep", "mask", "reveal")
CALLS = """\
file(S)
file(join(list("a", S), "/"))
file(to_upper(S))
file(base64encode(S))
file(sha256(S))
file(substr(S, 0, 3))
file(join(split(S, "q"), "-"))
file(join(map(list(S), to_upper), ""))
file(utf8(base64decode(base64encode(S))))
file(if(eq(S, "x"), "a", "b"))
file(if(true, S, "b"))
file(coalesce(lookup(object(a="b"), S), "c"))
file(coalesce(S, "x"))
file(first("", S))
file(list(S)[0])
file(list("a", S)[1])
file(list(S, "a")[1])
file(object(p=S).p)
file(values.path)
file(values.paths[0])
file(values.hidden)
file(children.c.path)
file(children.c.deep.path)
file(resources.r.spec.path)
file(resources.t[0].spec.path)
file(datasources.asked.path)
map(list(S), file)
map(list("a", S), pipe(file, utf8))
map(list(S), compose(utf8, file))
flatmap(list(S), file)
filter(list(S), file)
map(values.paths, file)
http_resource(join(list("https://example.com/?", S), ""))
http_resource(join(list("https://", base64encode(S), ".example.com"), ""))
http_resource(join(list("https://example.com/", if(eq(S, "x"), "a", "b")), ""))
http_resource(join(list("https://example.com/", children.c.path), ""))
map(list(join(list("https://example.com/", S), "")), http_resource)
""".splitlines()

VALUE = "${variables.s}"
CODED = "${base64encode(variables.s)}"
PATHS = (
    f"{VALUE}.json",
    "${to_lower(variables.s)}.json",
    CODED,
    "${values.path}",
    "${children.c.path}",
    '${if(eq(variables.s, "x"), "d.json", "e.json")}',
    "${list(variables.s)[0]}",
    "d${len(variables.s)}.json",
    "${datasources.asked.path}",
)
PLACES: tuple[dict[str, str], ...] = (
    {"sourceType": VALUE},
    {"sourceType": "${to_lower(variables.s)}"},
    {"sourceType": "https", "host": VALUE},
    {"sourceType": "https", "host": CODED},
    {"sourceType": "aws/s3", "bucket": CODED, "region": "eu-west-1"},
    {"sourceType": "aws/s3", "bucket": "b", "region": "${to_lower(variables.s)}"},
    {"sourceType": "googlecloud/storage", "bucket": "${children.c.path}"},
    {"sourceType": "azure/blob", "storageAccountName": "${values.path}", "container": "c"},
    {"sourceType": "azure/blob", "storageAccountName": "a", "container": "${len(variables.s)}"},
)
BLUEPRINT: dict[str, Any] = {
    "version": "2023-04-20",
    "variables": {"s": {"type": "string", "secret": True}},
    "values": {
        "path": {"type": "string", "value": f"p-{VALUE}"},
        "paths": {"type": "array", "value": [f"p-{VALUE}", "x.txt"]},
        "hidden": {"type": "string", "secret": True, "value": "hidden.txt"},
    },
    "include": {"c": {"path": "c.json", "variables": {"in": "${to_lower(variables.s)}"}}},
    "datasources": {
        name: {
            "type": "a/d",
            "filter": {"field": "n", "operator": "=", "search": search},
            "exports": {"path": {"type": "string"}},
        }
        for name, search in (("asked", VALUE), ("plain", "plain"))
    },
    "resources": {
        "r": {"type": "a/b", "spec": {"path": f"x/{VALUE}"}},
        "t": {"type": "a/b", "each": "${list(1, 2)}", "spec": {"path": f"${{i}}-{VALUE}"}},
    },
}
CHILD: dict[str, Any] = {
    "version": "2023-04-20",
    "variables": {"in": {"type": "string"}},
    "values": {"v": {"type": "object", "value": {"path": "${variables.in}", "plain": "x.txt"}}},
    "resources": {},
    "exports": {
        "path": {"type": "string", "field": "variables.in"},
        "deep": {"type": "object", "field": "values.v"},
    },
}


def run(
    secrets: str,
    allow_net: tuple[str, ...] = (),
    child: dict[str, Any] = CHILD,
    state: dict[str, Any] | None = None,
    **sections: Any,
) -> Run:
    document = {**BLUEPRINT, **{k: {**BLUEPRINT.get(k, {}), **v} for k, v in sections.items()}}
    texts = {"m.json": json.dumps(document), "c.json": json.dumps(child), "x.txt": "X"}
    # what an address made of the secret would lead to
    names = (SECRET, "a", "b", "c", "p-" + SECRET, "Kq7", f"x/{SECRET}")
    found = {f"{name}{end}": json.dumps(CHILD) for name in names for end in ("", ".json")}
    more = {name: json.dumps(CHILD) for name in ("d.json", "e.json", "d16.json")}
    return render(
        "m.json",
        files=MemoryFiles({**found, **more, **texts}),
        variables={"s": SECRET},
        settings=Settings(secrets=secrets, allow_net=allow_net),
        state=state,
        datasources={"a/d": [{"n": n, "path": "x.txt"} for n in ("plain", SECRET)]},
    )


def errors(done: Run) -> list[Diagnostic]:
    found = [item for item in done.diagnostics if item.severity == "error"]
    for item in found:
        assert item.span is not None
        told = f"{item.summary} {item.hint} {item.notes!r}".lower()
        assert SECRET.lower() not in told
        assert "S3E3dlh3Mm1acjlMdEI0bg".lower() not in told
    return found


def field(expression: str) -> dict[str, Any]:
    text = expression.replace("S", "variables.s")
    return {"x": {"type": "a/b", "spec": {"x": f"${{{text}}}"}}}


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize("call", CALLS)
def test_no_call_asks_for_what_is_made_of_a_secret(call: str, secrets: str) -> None:
    done = run(secrets, ("example.com", "*.example.com"), resources=field(call))
    assert {item.code for item in errors(done)} == {"secret_not_allowed"}


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize(
    ("call", "known"),
    [
        ('file("x.txt")', "X"),
        ("file(datasources.plain.path)", "X"),
        ("file(children.c.deep.plain)", None),
        ("file(values.paths[1])", None),
        ('map(list("x.txt"), pipe(file, utf8))', ["X"]),
        ('if(eq(S, "a"), file("x.txt"), "Y")', None),
        ('if(true, file("x.txt"), S)', "X"),
        ('file(if(contains(uuid(), "-"), "x.txt", "y.txt"))', "X"),
    ],
)
def test_what_is_not_made_of_a_secret_is_asked_for(call: str, known: Any, secrets: str) -> None:
    done = run(secrets, resources=field(call))
    if "values.paths" in call:  # nobody knows which element it is when the first one may be none
        assert [item.code for item in errors(done)] == ["secret_not_allowed"]
        return
    assert errors(done) == []
    if known is not None:
        assert json.loads(done.text("json"))["resources"]["x"]["spec"]["x"] == known


@pytest.mark.parametrize(
    ("kind", "secret", "text", "refused"),
    [
        ("string", "hunt", "hunt", True),
        ("string", "hun", "hun", False),
        ("integer", 1234, "1234", True),
        ("integer", 123, "123", False),
        ("float", 1.25, "1.25", True),
        ("boolean", True, "true", False),
        ("object", {"a": [{"b": "hunt"}]}, "hunt", True),
        ("object", {"hunt": "x"}, "hunt", False),
        ("array", ["x", 1234], "1234", True),
    ],
)
def test_no_path_holds_a_secret_that_is_known(
    kind: str, secret: Any, text: str, refused: bool
) -> None:
    definition = {"type": kind, "secret": True, "value": secret}
    resources = field(f'file("a-{text}.txt")')
    for secrets, code in (("reveal", "secret_not_allowed"), ("keep", "file_not_found")):
        done = run(secrets, values={"v": definition}, resources=resources)
        wanted = code if refused else "file_not_found"
        assert [item.code for item in errors(done)] == [wanted]


def test_variables_that_are_no_secrets_may_be_in_a_path() -> None:
    plain = {"type": "string", "default": "plain"}
    for text, code in (("plain", "file_not_found"), (SECRET, "secret_not_allowed")):
        resources = field(f'file("a-{text}.txt")')
        done = run("reveal", variables={"plain": plain}, resources=resources)
        assert [item.code for item in done.diagnostics if item.severity == "error"] == [code]


def test_a_secret_that_is_a_mistake_is_told_once() -> None:
    wrong = {"type": "string", "secret": True, "value": '${list("a")[3]}'}
    plain = {"type": "string", "default": "a-plain.txt"}
    resources = field("file(variables.plain)")
    done = run("reveal", variables={"plain": plain}, values={"a": wrong}, resources=resources)
    assert [item.code for item in errors(done)] == ["index_out_of_bounds"]


# there is no such item, which only a secret can tell
FAILING = '${if(eq(variables.s, "x"), list("a")[3], "x.txt")}'


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("file(values.f)", "x.txt"),
        ("file(resources.f.spec.path)", "x.txt"),
        ("file(children.c.path)", FAILING),
        ("file(children.c.fails)", "${to_lower(variables.s)}"),
    ],
)
def test_what_has_a_value_only_where_a_secret_is_known_is_made_of_one(
    call: str, given: str
) -> None:
    inner = {"type": "string", "value": FAILING.replace("variables.s", "variables.in")}
    child = {
        **CHILD,
        "values": {**CHILD["values"], "f": inner},
        "exports": {**CHILD["exports"], "fails": {"type": "string", "field": "values.f"}},
    }
    sections = {
        "values": {"f": {"type": "string", "value": FAILING}},
        "include": {"c": {"path": "c.json", "variables": {"in": given}}},
    }
    resource = {"f": {"type": "a/b", "spec": {"path": FAILING}}}
    done = run("reveal", child=child, **sections, resources=resource | field(call))
    assert {item.code for item in errors(done)} == {"secret_not_allowed"}
    assert errors(run("reveal", child=child, **sections, resources=resource)) == []


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("children.c.old", "x.txt"),
        ("children.c.only", "known.txt"),
        ("children.c.path", None),
        ("children.c.deep.path", None),
        ("children.c.deep.plain", "x.txt"),
    ],
)
def test_a_state_tells_what_is_not_made_of_a_secret(
    call: str, told: str | None, secrets: str
) -> None:
    exports = {**CHILD["exports"], "only": {"type": "string", "value": "x.txt"}}
    known = {"path": SECRET, "old": "x.txt", "only": "known.txt"}
    state = {"children": {"c": {**known, "deep": {"path": SECRET, "plain": "x.txt"}}}}
    done = run(secrets, child={**CHILD, "exports": exports}, state=state, resources=field(call))
    assert errors(done) == []
    found = json.loads(done.text("json"))["resources"]["x"]["spec"]["x"]
    if told is not None:
        assert found == told
    else:
        assert found == {"keep": f"${{{call}}}", "mask": "(secret)", "reveal": SECRET}[secrets]


@pytest.mark.parametrize("secrets", MODES)
def test_an_export_without_a_field_is_what_its_value_is(secrets: str) -> None:
    more = field("file(children.c.only.a)")
    # what could be made of a secret cannot stand there
    for text, codes in (("x.txt", []), ("${variables.in}", ["value_in_export"])):
        only = {"type": "object", "value": {"a": text}}
        child = {**CHILD, "exports": {**CHILD["exports"], "only": only}}
        found = errors(run(secrets, child=child, resources=more))
        assert [item.code for item in found] == codes


def test_an_id_in_a_path_is_no_secret() -> None:
    done = run("reveal", resources=field('file(join(list(uuid(), "txt"), "."))'))
    assert [item.code for item in errors(done)] == ["file_not_found"]


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize("path", PATHS)
def test_no_child_is_looked_for_where_a_secret_leads(path: str, secrets: str) -> None:
    found = errors(run(secrets, include={"x": {"path": path}}))
    wanted = "secret_not_allowed" if secrets == "reveal" else "include_path_unknown"
    assert [item.code for item in found] == [wanted]


@pytest.mark.parametrize("secrets", MODES)
@pytest.mark.parametrize("metadata", PLACES, ids=json.dumps)
def test_no_server_is_told_a_secret(metadata: dict[str, str], secrets: str) -> None:
    include = {"x": {"path": "d.json", "metadata": metadata}}
    found = errors(run(secrets, ("example.com",), include=include))
    assert [item.code for item in found] == ["secret_not_allowed"]


PLAIN = {"field": "n", "operator": "=", "search": "plain"}
ASKING: tuple[dict[str, Any], ...] = (
    {"filter": PLAIN, "metadata": {"annotations": {"a": VALUE}}},
    {"filter": {**PLAIN, "search": '${if(eq(variables.s, "x"), "y", "plain")}'}},
    {"filter": [PLAIN, {**PLAIN, "operator": "!=", "search": VALUE}]},
    {"filter": [{**PLAIN, "operator": "in", "search": ["plain", VALUE]}]},
)


@pytest.mark.parametrize("asking", ASKING, ids=json.dumps)
def test_what_is_found_by_a_secret_is_made_of_it(
    asking: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BLUEPRINT, "version", "2025-11-02")
    more = {"type": "a/d", "exports": {"path": {"type": "string"}}}
    for part, codes in (({"filter": PLAIN}, []), (asking, ["secret_not_allowed"])):
        resources = field("file(datasources.d.path)")
        found = errors(run("reveal", datasources={"d": {**more, **part}}, resources=resources))
        assert [item.code for item in found] == codes


RESOURCE_PARTS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("a key", {"spec": {VALUE: 1}}, "substitution_not_allowed"),
    ("a label", {"metadata": {"labels": {"a": VALUE}}}, "substitution_not_allowed"),
    ("a label's name", {"metadata": {"labels": {VALUE: "a"}}}, "substitution_not_allowed"),
    ("a selector", {"linkSelector": {"byLabel": {"a": VALUE}}}, "substitution_not_allowed"),
    ("the type", {"type": VALUE}, "substitution_not_allowed"),
    ("each", {"each": '${split(variables.s, "q")}'}, "each_not_resolvable"),
    ("a choice of each", {"each": '${if(eq(variables.s, "a"), list(1), list(2))}'}, "each_not_"),
    ("the length of each", {"each": '${list("a", variables.s)}'}, "each_not_resolvable"),
)


@pytest.mark.parametrize(("where", "part", "code"), RESOURCE_PARTS, ids=lambda one: str(one)[:20])
def test_no_name_is_made_of_a_secret(where: str, part: dict[str, Any], code: str) -> None:
    resource = {"type": "a/b", "spec": {}, **part}
    for secrets in ("keep", "mask"):
        found = errors(run(secrets, resources={"x": resource}))
        assert found and all(item.code.startswith(code) for item in found), where


@pytest.mark.parametrize(
    "condition",
    [
        '${eq(variables.s, "a")}',
        "${gt(len(variables.s), 3)}",
        '${has_prefix(variables.s, "K")}',
        {"not": '${contains(variables.s, "q")}'},
        {"and": ['${eq(variables.s, "a")}', True]},
        {"or": [False, '${if(eq(variables.s, "a"), true, false)}']},
    ],
    ids=str,
)
def test_no_condition_tells_of_a_secret_by_what_is_left(condition: Any) -> None:
    for secrets in ("keep", "mask"):
        resource = {"type": "a/b", "condition": condition, "spec": {}}
        done = run(secrets, resources={"x": resource})
        assert errors(done) == []
        left = json.loads(done.text("json"))["resources"]["x"]["condition"]
        assert "${" in json.dumps(left)


def test_what_a_provider_says_is_withheld_when_it_may_know_a_secret() -> None:
    asked: list[Query] = []

    def answer(query: Query) -> None:
        asked.append(query)
        raise ProviderError(f"there is no {query.filters[0].search}")

    source = BLUEPRINT["datasources"]["asked"]
    document = {**BLUEPRINT, "datasources": {"asked": source}}
    for secrets, calls in (("keep", 0), ("mask", 0), ("reveal", 1)):
        asked.clear()
        done = render(
            "m.json",
            files=MemoryFiles({"m.json": json.dumps(document), "c.json": json.dumps(CHILD)}),
            variables={"s": SECRET},
            settings=Settings(secrets=secrets),
            providers=[DataSourceProvider(("a/d",), answer)],
        )
        assert (len(asked), len(errors(done))) == (calls, calls)
