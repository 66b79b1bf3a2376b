"""Blueprints of all forms that there are: what is rendered once renders to itself, or is refused.

An input is JSON: the document, the files beside it and what is known of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from bpp.pipeline import Limits, MemoryFiles, Run, Settings, Source, check, render
from bpp.pipeline.dialects.bluelink.splitting import split_documents
from bpp.pipeline.engine.run import Unwritable
from bpp.pipeline.values.diagnostics import ERROR, Diagnostics
from bpp.pipeline.values.expression import Shape

from . import layouts
from .sound import Names, expression
from .values import data, text
from .verdict import broken, examine

_NAMES: Final = ("a", "b-c", "d.e", "true", "i", "elem", "none", "r", "r_0", "r_1", "x.y-z", "0")
_SCALARS: Final = ("string", "string", "string", "integer", "float", "boolean")
_KINDS: Final = ("string", "integer", "float", "boolean", "array", "object")
_ODD: Final = (
    "${", "$${a}", "$$${", "}", 'say "x"', "it's", "\\", 'a\\"b', '${"${"}', "2023-04-20", "1e3",
    "0x1F", "yes", "null", "~", "", " ", "\n", "a\nb\n", "  a\n b", "a\r\nb", "\ttab", "é\u2028",
    "x" * 300, "- a", "a: b", "# a", "9223372036854775807", "-9223372036854775808", "1.0", "-0.0",
    "{", "[]", "(secret)", "@a", "\u0085", "\ufeffa", "...", "---", "<<", "=", "😀", "true", "5",
    '{"a": [1, null]}', "[" * 70, "a,b,c", "10.0.0.0/8", "1.5", "${variables.a}", "}${", "a\\",
)  # fmt: skip
_NUMBERS: Final = (0, 1, -1, 2**63 - 1, -(2**63), 1.5, -0.0, 1e16, 1e300, 5e-324, 2.0)
_LIMITS: Final = (
    ("max_scalar_chars", 40, 400), ("max_key_chars", 12, 60), ("max_depth", 5, 12),
    ("max_expression_chars", 20, 200), ("max_expression_depth", 2, 6), ("max_substitutions", 1, 3),
    ("max_input_bytes", 300, 3000), ("max_nodes", 20, 120), ("max_output_chars", 300, 3000),
    ("max_value_items", 5, 30), ("max_value_chars", 30, 300), ("max_total_nodes", 40, 200),
    ("max_reference_depth", 2, 6), ("max_each", 2, 4), ("max_resources", 3, 6),
    ("max_built_chars", 100, 2000), ("max_include_depth", 1, 2), ("max_includes", 1, 2),
)  # fmt: skip


def make(rng: Random) -> str:
    """A blueprint, its children, and some of what may be known."""
    case: dict[str, Any] = {"document": _document(rng, 2), "files": {}}
    for name in ("child.json", "sub/other.json"):
        case["files"][name] = _document(rng, 1)
    case["files"]["leaf.json"] = _document(rng, 0)
    case["settings"] = {"secrets": rng.choice(("keep", "keep", "mask", "reveal"))}
    if "transform" in case["document"]:
        case["settings"]["keep_transform"] = ["x/first", "x/second"]
    if not rng.randrange(4):
        name, least, most = rng.choice(_LIMITS)
        case["limits"] = {name: rng.randrange(least, most)}
    if rng.randrange(2):
        case["layout"] = rng.randrange(1000)
    declared = case["document"].get("variables", {})
    case["variables"] = {
        name: _of(rng, node["type"])
        for name, node in declared.items()
        if "default" not in node or (rng.randrange(3) and "allowedValues" not in node)
    }
    if not rng.randrange(3):
        case["state"] = {
            "resources": {
                name: {"state": {"t": rng.choice(_ODD), "n": 3, "list": ["x", None], "on": True}}
                for name in rng.sample(_NAMES, 3)
            }
        }
    if not rng.randrange(3):
        case["records"] = {"x/source": [{"id": "abc", "vpc": rng.choice(_ODD), "ids": ["s", 1]}]}
    return json.dumps(case)


def _of(rng: Random, kind: str) -> Any:
    if kind == "string":
        return rng.choice(_ODD) if rng.randrange(4) else text(rng)[:300]
    if kind == "integer":
        return rng.choice([n for n in _NUMBERS if isinstance(n, int)])
    if kind == "float":
        return rng.choice(_NUMBERS)
    if kind == "boolean":
        return rng.randrange(2) == 0
    if kind == "array":
        return [rng.choice(_ODD), rng.choice(_NUMBERS)][: rng.randrange(3)]
    if kind == "object":
        return {rng.choice(_ODD[8:]): rng.choice(_ODD) for _ in range(rng.randrange(3))}
    return rng.choice(("abc", "t2.large"))


_MIXED: Final = (
    "if(@boolean, {}, {})", "coalesce({}, {})", "first({}, {})", 'lookup(object(k = {}), "k")',
    "list({}, {})[0]", "object(k = {}, j = {}).k",
)  # fmt: skip


def _expression(rng: Random, kind: str, names: Names, depth: int) -> str:
    """An expression that gives a kind where what it depends on turns out well."""
    if depth and not rng.randrange(6):
        other = rng.choice((kind, kind, *_KINDS))
        form = rng.choice(_MIXED).replace("@boolean", _expression(rng, "boolean", names, 1))
        return form.replace("{}", _expression(rng, kind, names, depth - 1), 1).replace(
            "{}", _expression(rng, other, names, depth - 1)
        )
    if kind == "float":
        return rng.choice((*names.get("float", ()), "1.5", "-0.0", "123456789012345680.0"))
    return expression(rng, kind, names, depth)


def _lone(rng: Random, kind: str, names: Names, depth: int) -> str:
    return f"${{{_expression(rng, kind, names, depth)}}}"


def _dotted(*parts: str) -> str:
    root, *rest = parts
    return root + "".join(
        f".{part}" if part.replace("-", "").replace("_", "").isalnum() and not part[0].isdigit()
        else f'["{part}"]'
        for part in rest
    )  # fmt: skip


def _document(rng: Random, levels: int) -> dict[str, Any]:
    newer = rng.randrange(2) == 0
    made: dict[str, Any] = {"version": "2025-11-02" if newer else "2023-04-20"}
    if levels == 2 and not rng.randrange(6):
        made["transform"] = rng.choice(("x/first", ["x/first", "x/second"], []))
    names: Names = {}
    pure: Names = {}
    made["variables"] = {}
    for name in rng.sample(_NAMES[:7], rng.randrange(1, 4)):
        made["variables"][name] = _variable(rng, levels)
        kind = made["variables"][name]["type"]
        for known in (names, pure):
            known.setdefault("string" if "/" in kind else kind, []).append(
                _dotted("variables", name)
            )
    if not rng.randrange(3):
        made["datasources"] = {"d": _datasource(rng, names, newer)}
        names.setdefault("string", []).append("datasources.d.vpc")
        names.setdefault("array", []).append("datasources.d.subnets")
    if levels and rng.randrange(2):
        made["include"] = _include(rng, names, levels)
        for name in made["include"]:
            names.setdefault("any", []).append(_dotted("children", name, rng.choice(_NAMES[:3])))
    made["values"] = {}
    for name in rng.sample(_NAMES[:8], rng.randrange(4)):
        kind = rng.choice(_KINDS)
        is_pure = not rng.randrange(3)
        value = _value(rng, kind, pure if is_pure else names)
        node: dict[str, Any] = {"type": kind, "value": value}
        made["values"][name] = node
        if is_pure:
            pure.setdefault(kind, []).append(_dotted("values", name))
        if not rng.randrange(6):
            node["secret"] = True
        if not rng.randrange(5):
            node["description"] = _text(rng, names)
        names.setdefault(kind, []).append(_dotted("values", name))
    made["resources"] = {}
    for name in rng.sample(_NAMES, rng.randrange(1, 4)):
        made["resources"][name] = _resource(rng, name, names, pure, newer, made["resources"])
    if levels < 2 or rng.randrange(3):
        made["exports"] = {name: _export(rng, names) for name in _NAMES[:3]}
    if not rng.randrange(3):
        made["metadata"] = {_key(rng): _leaf(rng, names, 2) for _ in range(2)}
    return {name: section for name, section in made.items() if section or name == "resources"}


def _variable(rng: Random, levels: int) -> dict[str, Any]:
    kind = rng.choice(("string", "string", "integer", "float", "boolean", "x/custom"))
    made: dict[str, Any] = {"type": kind}
    if levels < 2 or rng.randrange(8):
        made["default"] = _plain(_of(rng, kind))
        if kind not in ("boolean",) and not rng.randrange(4):
            made["allowedValues"] = [made["default"], _plain(_of(rng, kind))]
    if not rng.randrange(5):
        made["secret"] = True
    if not rng.randrange(6):
        made["description"] = rng.choice([odd for odd in _ODD if "${" not in odd])
    return made


def _plain(found: Any) -> Any:
    """Data without substitutions."""
    return json.loads(json.dumps(found).replace("${", "$"))


def _key(rng: Random) -> str:
    return rng.choice([odd for odd in _ODD if "${" not in odd]) if rng.randrange(3) else "k"


def _template(rng: Random, names: Names, kinds: tuple[str, ...] = (*_KINDS, "any")) -> str:
    if rng.randrange(3):
        return _lone(rng, rng.choice(kinds), names, 2)
    return _text(rng, names)


def _text(rng: Random, names: Names) -> str:
    pieces = []
    for _ in range(rng.randrange(1, 4)):
        pieces.append(rng.choice(("", "a", "-", "\n", "$", "}", ": ", '"', "\\", "  ")))
        pieces.append(_lone(rng, rng.choice(("string", "integer")), names, 2))
    return "".join(pieces)


def _leaf(rng: Random, names: Names, depth: int) -> Any:
    kind = rng.randrange(10 if depth else 7)
    if kind < 5:
        return _template(rng, names)
    if kind == 5:
        return rng.choice([odd for odd in _ODD if "${" not in odd])
    if kind == 6:
        return rng.choice((None, True, False, [], {}, *_NUMBERS))
    if kind == 7:
        return [_leaf(rng, names, depth - 1) for _ in range(rng.randrange(4))]
    return {_key(rng): _leaf(rng, names, depth - 1) for _ in range(rng.randrange(4))}


def _value(rng: Random, kind: str, names: Names) -> Any:
    choice = rng.randrange(6)
    if choice < 3:
        return _lone(rng, kind, names, 2)
    if choice == 3 and kind == "array":
        return [_leaf(rng, names, 1) for _ in range(rng.randrange(3))]
    if choice == 3 and kind == "object":
        return {_key(rng): _leaf(rng, names, 1) for _ in range(rng.randrange(3))}
    if choice == 3 and kind == "string":
        return _text(rng, names)
    if choice == 4 and kind in ("integer", "float", "boolean"):
        return rng.choice(
            {"integer": ("5", " -3\n"), "float": ("1.5", "2"), "boolean": ("true",)}[kind]
        )
    if choice == 5 and kind in ("integer", "float"):
        return f"1${{{_expression(rng, 'integer', names, 1)}}}"
    return _plain(_of(rng, kind))


def _condition(rng: Random, names: Names, depth: int = 2) -> Any:
    if not depth or rng.randrange(3):
        return rng.choice((_lone(rng, "boolean", names, 2), True))
    if rng.randrange(3):
        return {rng.choice(("and", "or")): [_condition(rng, names, depth - 1) for _ in range(2)]}
    return {"not": _condition(rng, names, depth - 1)}


def _metadata(rng: Random, names: Names, labels: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if rng.randrange(2):
        made["displayName"] = _template(rng, names, _SCALARS)
    if rng.randrange(2):
        made["annotations"] = {
            _key(rng): rng.choice((_template(rng, names, _SCALARS), 1, True, "yes"))
            for _ in range(2)
        }
    if labels and rng.randrange(2):
        made["labels"] = {_key(rng): rng.choice([odd for odd in _ODD if "${" not in odd])}
    if rng.randrange(2):
        made["custom"] = rng.choice((
            {_key(rng): _leaf(rng, names, 1)}, _lone(rng, 'object', names, 1),
            _lone(rng, 'object', names, 2),
        ))  # fmt: skip
    return made


def _datasource(rng: Random, names: Names, newer: bool) -> dict[str, Any]:
    operator = rng.choice(("=", "=", "starts with", "in"))
    one: dict[str, Any] = {"field": "id", "operator": operator, "search": "abc"}
    if rng.randrange(2):
        one["search"] = _template(rng, names, ("string",))
    if operator == "in":
        one["search"] = [one["search"], "abc", _template(rng, names, ("string",))]
    made: dict[str, Any] = {
        "type": "x/source",
        "filter": [one, dict(one, search="abc")] if newer and rng.randrange(2) else one,
        "exports": {
            "vpc": {"type": "string"},
            "subnets": {"type": "array", "aliasFor": "ids", "description": "d"},
        },
    }
    if newer and not rng.randrange(4):
        made["exports"] = "*"
    if not rng.randrange(3):
        made["description"] = _template(rng, names, _SCALARS)
    if not rng.randrange(3):
        made["metadata"] = _metadata(rng, names, False)
    return made


def _include(rng: Random, names: Names, levels: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    paths = ("/child.json", "/sub/other.json") if levels == 2 else ("/leaf.json",)
    for name in rng.sample(("c", "b-c", "d.e"), rng.randrange(1, 3)):
        made[name] = {"path": rng.choice((*paths, *paths, '${if(true, "leaf", "x")}.json'))}
        if rng.randrange(3):
            made[name]["variables"] = {
                key: _template(rng, names, _SCALARS)
                for key in rng.sample(_NAMES[:7], rng.randrange(4))
            }
        if not rng.randrange(4):
            made[name]["metadata"] = rng.choice((
                {"sourceType": "https", "url": "x"}, {"k": _leaf(rng, names, 1)},
            ))  # fmt: skip
        if not rng.randrange(4):
            made[name]["description"] = _template(rng, names, _SCALARS)
    return made


def _resource(
    rng: Random, name: str, names: Names, pure: Names, newer: bool, others: dict[str, Any]
) -> dict[str, Any]:
    made: dict[str, Any] = {"type": rng.choice(("x/thing", "x/y-z/thing"))}
    inside = {kind: list(found) for kind, found in names.items()}
    if not rng.randrange(3):
        made["condition"] = _condition(rng, names)
    if not rng.randrange(3):
        kind = rng.choice(("array", "strings"))
        made["each"] = _lone(rng, kind, pure, 2)
        inside.setdefault("any", []).append("elem")
        inside.setdefault("string", []).append("elem")
        inside.setdefault("integer", []).append("i")
        names.setdefault("any", []).append(_dotted("resources", name) + "[0].spec.own")
        names.setdefault("string", []).append(_dotted("resources", name) + "[0].state.t")
        if not rng.randrange(3):
            made["condition"] = _condition(rng, inside)
    else:
        names.setdefault("string", []).append(_dotted("resources", name, "state", "t"))
        names.setdefault("any", []).append(_dotted("resources", name, "spec", "own"))
        names.setdefault("any", []).append(_dotted("resources", name, "spec", "field"))
        names.setdefault("object", []).append(_dotted("resources", name, "spec"))
        names.setdefault("boolean", []).append(_dotted("resources", name, "state", "on"))
    if not rng.randrange(3):
        made["description"] = _template(rng, inside, _SCALARS)
    if not rng.randrange(2):
        made["metadata"] = _metadata(rng, inside, True)
        if "displayName" in made["metadata"] and "each" not in made:
            names.setdefault("any", []).append(
                _dotted("resources", name, "metadata", "displayName")
            )
    if not rng.randrange(4):
        made["linkSelector"] = {"byLabel": {_key(rng): rng.choice(("a", "no", "1"))}}
        if newer and others and rng.randrange(2):
            made["linkSelector"]["exclude"] = [rng.choice(list(others))]
    if newer and others and not rng.randrange(3):
        named = rng.sample(list(others), rng.randrange(1, len(others) + 1))
        made["dependsOn"] = named[0] if len(named) == 1 and rng.randrange(2) else named
    if newer and not rng.randrange(5):
        made["removalPolicy"] = rng.choice(("retain", "delete"))
    made["spec"] = {
        "own": _leaf(rng, inside, 1),
        "field": _template(rng, inside),
        _key(rng): _leaf(rng, inside, 3),
        "data": _plain(data(rng, 2)),
    }
    return made


def _export(rng: Random, names: Names) -> dict[str, Any]:
    kind = rng.choice([kind for kind, found in names.items() if found])
    if kind == "any" and rng.randrange(3):
        kind = rng.choice([kind for kind, found in names.items() if found])
    made: dict[str, Any] = {
        "type": kind if kind in _KINDS else rng.choice(_KINDS),
        "field": rng.choice(names[kind]),
    }
    if not rng.randrange(4):
        made["description"] = _template(rng, names, _SCALARS)
    return made


def written(documents: list[Any], layout: int | None) -> tuple[str, str]:
    """Documents as text and its format: JSON, or YAML in the layout of a number."""
    if layout is None:
        return json.dumps(documents if len(documents) > 1 else documents[0]), "json"
    rng = Random(layout)
    return "---\n".join(layouts.yaml_text(rng, document) for document in documents), "yaml"


# --- the law ------------------------------------------------------------------------------------


def _split(run: Run, form: str) -> dict[str, str]:
    """The documents of a run in files of their own."""
    assert run.document is not None
    parts = split_documents(run.document, "main", form)
    return {name: run.text(form, part) for name, part in parts.items()}


def read_case(case: str) -> tuple[dict[str, Any], dict[str, bytes]] | None:
    """What a case gives, and the texts of its files; None for a text that is no case."""
    try:
        given = json.loads(case)
        given["document"]
    except (ValueError, TypeError, KeyError):
        return None
    return given, {name: json.dumps(node).encode() for name, node in given.get("files", {}).items()}


def hold(case: str) -> None:
    """What is rendered renders to itself, with and without what was known; or it is refused."""
    read = read_case(case)
    if read is None:
        return
    given, files = read
    document = given["document"]
    known = {
        "variables": given.get("variables", {}),
        "state": given.get("state"),
        "datasources": given.get("records"),
    }
    settings = Settings(
        now=0.0, seed=1, limits=Limits(run_seconds=20, **given.get("limits", {})),
        **{k: tuple(v) if isinstance(v, list) else v for k, v in given.get("settings", {}).items()},
    )  # fmt: skip

    def rendered(text: str, form: str, **inputs: Any) -> Run:
        source = Source(f"main.{form}", text, form, f"/main.{form}")
        return render(source, files=MemoryFiles(files), settings=settings, **inputs)

    first = rendered(*written([document], given.get("layout")), **known)
    examine(
        first.diagnostics, frozenset({"undeclared_variable", "undeclared_state", "limit_exceeded"})
    )
    if not first.ok:
        return
    said = {(item.code, item.summary) for item in first.diagnostics}
    for form in ("yaml", "json"):
        try:
            text = first.text(form)
        except Unwritable as problem:
            if problem.diagnostic.code != "limit_exceeded":
                broken("an output cannot be written", problem.diagnostic.summary)
            continue
        source = Source(f"main.{form}", text, form, f"/main.{form}")
        wrong = check(source, files=MemoryFiles(files), settings=settings)
        if wrong.errors and _is_too_much_json(wrong, given.get("limits", {})):
            continue
        if wrong.errors:
            broken("an output fails the checks", [(d.code, d.summary) for d in wrong], text)
        if first.document is not None and first.document.children:
            apart = _split(first, form)
            files.update((f"/{name}", text.encode()) for name, text in apart.items())
            again = rendered(apart[f"main.{form}"], form)
            if _is_too_much(again.diagnostics, given):
                pass  # each file of a split counts, where one that is included twice counted once
            elif not again.ok:
                broken("split output has errors", list(again.diagnostics), apart)
            elif _split(again, form) != apart:
                broken("split output changes", apart, _split(again, form))
        shapes: Mapping[str, Shape] | None = None
        for inputs in ({}, known):
            again = rendered(text, form, **inputs, shapes=shapes)
            shapes = again.language.shapes  # parsed once: values change nothing about it
            if not again.ok:
                told = [(d.code, str(d.span), d.summary) for d in again.diagnostics]
                broken(
                    f"an output has errors {sorted({t[0] for t in told})}", bool(inputs), told, text
                )
            try:
                found = again.text(form)
            except Unwritable as problem:
                broken("an output cannot be written again", problem.diagnostic.summary)
            if found != text:
                broken("an output changes", bool(inputs), text, found)
            new = {(d.code, d.summary) for d in again.diagnostics if d.code not in _AGAIN} - said
            if new:
                broken(
                    f"an output has warnings {sorted({code for code, _ in new})}",
                    bool(inputs),
                    new,
                    text,
                )


def _is_too_much(found: Diagnostics, given: dict[str, Any]) -> bool:
    """True where nothing but a drawn limit stops a run."""
    codes = {item.code for item in found if item.severity == ERROR}
    return "limits" in given and codes == {"limit_exceeded"}


def _is_too_much_json(found: Diagnostics, limits: dict[str, int]) -> bool:
    """True where a drawn limit is too low for the text that a known value is written as.

    What no other expression can say is text for `jsondecode`, longer than the strings in it. It is
    bounded by `max_scalar_chars`, which only a drawn `max_value_chars` is below.
    """
    most = limits.get("max_value_chars")
    words = f"the result of `jsondecode` would have more than {most} characters (`max_value_chars`)"
    return most is not None and all(d.summary == words for d in found if d.severity == ERROR)


_AGAIN: Final = frozenset({"undeclared_variable", "undeclared_state", "mixed_list"})
"""Warnings about what is given and used up by now, and about types that were not known before."""
