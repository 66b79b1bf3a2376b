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


def run(secrets: str, allow_net: tuple[str, ...] = (), **sections: Any) -> Run:
    document = {**BLUEPRINT, **{k: {**BLUEPRINT.get(k, {}), **v} for k, v in sections.items()}}
    texts = {"m.json": json.dumps(document), "c.json": json.dumps(CHILD), "x.txt": "X"}
    # what an address made of the secret would lead to
    names = (SECRET, "a", "b", "c", "p-" + SECRET, "Kq7", f"x/{SECRET}")
    found = {f"{name}{end}": json.dumps(CHILD) for name in names for end in ("", ".json")}
    more = {name: json.dumps(CHILD) for name in ("d.json", "e.json", "d16.json")}
    return render(
        "m.json",
        files=MemoryFiles({**found, **more, **texts}),
        variables={"s": SECRET},
        settings=Settings(secrets=secrets, allow_net=allow_net),
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
