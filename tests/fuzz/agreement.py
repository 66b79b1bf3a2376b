"""Blueprints of all forms with mistakes in them: `check` and `render` agree about what is wrong.

An input is that of `forms`; elements with `zz` in their name or their text are the mistakes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any, Final, TypeAlias

from bpp.pipeline import Limits, MemoryFiles, Run, Settings, Source, check, render
from bpp.pipeline.engine.run import Context
from bpp.pipeline.rendering import prepare
from bpp.pipeline.values.diagnostics import ERROR, Diagnostic
from bpp.pipeline.values.document import Document
from bpp.pipeline.values.expression import Shape
from bpp.pipeline.values.tree import Map

from . import forms
from .verdict import broken, examine

Told: TypeAlias = tuple[str, str, tuple[str, int, int]]

_WRONG: Final = (
    'jsondecode("zz{")', 'list("zz")[4]', 'substr("zz", 5, 3)', 'object(zz = 1).zzz',
    'cidrsubnet("zz", 4, 2)', 'fromjson("zz", "/a")', 'getelem(list("zz"), 7)',
    'if(true, jsondecode("zz{"), "")', 'join(list(jsondecode("zz{"), "a"), "-")',
    'coalesce(none, jsondecode("zz{"))', 'and(true, jsondecode("zz{"))',
)  # fmt: skip
_UNSURE: Final = (
    "if({boolean}, {wrong}, {wrong})", 'if({boolean}, {wrong}, "")', "or({boolean}, {wrong})",
    'first({string}, {wrong})', "and({boolean}, {wrong})", 'coalesce({string}, {wrong}, "zz")',
    "lookup(object(k = {wrong}), {string})",
)  # fmt: skip
_SAMPLES: Final = {
    "string": ("", "5", "true", "abc", '{"a": 1}', "1.5"),
    "integer": (0, 1, -3, 80),
    "float": (0.0, 1.5),
    "boolean": (True, False),
}
_ROUNDS: Final = 6
_STATIC: Final = ("load", "transform")
_AHEAD_OF_EACH: Final = ("include", "substitute", "prune")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def make(rng: Random) -> str:
    """A blueprint of any form, with up to three mistakes."""
    case = json.loads(forms.make(rng))
    case.pop("limits", None)
    case.pop("layout", None)
    document = case["document"]
    for number in range(rng.randrange(4)):
        rng.choice(_MISTAKES)(rng, document, f"zz{number}")
    return json.dumps(case)


def _wrong(rng: Random, document: dict[str, Any]) -> str:
    wrong = rng.choice(_WRONG)
    if rng.randrange(2):
        return wrong
    known: dict[str, list[str]] = {"boolean": ["true", "false"], "string": ['"k"', '""']}
    for name, node in document.get("variables", {}).items():
        if name.isalnum() and node["type"] in known:
            known[node["type"]] = [f"variables.{name}"]
    for name in document["resources"]:
        if name.isalpha() and not rng.randrange(3):
            known["boolean"].append(f"resources.{name}.state.on")
    return rng.choice(_UNSURE).format(
        wrong=wrong, **{kind: rng.choice(found) for kind, found in known.items()}
    )


def _resource(rng: Random, document: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "x/thing", "spec": spec}
    if not rng.randrange(3):
        flags = [n for n, v in document.get("variables", {}).items() if v["type"] == "boolean"]
        choices = ["${true}", "${false}", *(f'${{variables["{name}"]}}' for name in flags)]
        made["condition"] = rng.choice(choices)
        if not rng.randrange(3):
            both = [made["condition"], rng.choice(choices)]
            made["condition"] = {rng.choice(("and", "or")): both}
    return made


def _value(rng: Random, document: dict[str, Any], name: str) -> None:
    wrong = _wrong(rng, document)
    kind = rng.choice(("string", "string", "integer", "array"))
    document.setdefault("values", {})[name] = {"type": kind, "value": f"${{{wrong}}}"}


def _spec(rng: Random, document: dict[str, Any], name: str) -> None:
    spec = {"a": [f"${{{_wrong(rng, document)}}}"], "b": f"${{resources.{name}.spec.a}}"}
    document["resources"][name] = _resource(rng, document, spec)


def _each(rng: Random, document: dict[str, Any], name: str) -> None:
    made = _resource(rng, document, {"a": f"${{{_wrong(rng, document)}}}", "b": "${elem}"})
    made["each"] = rng.choice(("${list(1, 2)}", '${split("a,b", ",")}', "${list()}"))
    document["resources"][name] = made
    if rng.randrange(2):
        use = {"type": "string", "value": f"${{resources.{name}[3].spec.b}}"}
        document.setdefault("values", {})[f"{name}use"] = use


def _cycle(rng: Random, document: dict[str, Any], name: str) -> None:
    one, two = f"{name}one", f"{name}two"
    facet = rng.choice(("spec.a", "state.a", "spec.absent"))
    references = [f"resources.{two}.{facet}", f"resources.{one}.{facet}"]
    if not rng.randrange(3):
        references[0] = "if({}, {}, 1)".format(
            rng.choice(("true", "false", *_flags(document))), references[0]
        )
    if not rng.randrange(3):
        document.setdefault("values", {})[name] = {
            "type": "string", "value": f"a${{{references[1]}}}",
        }  # fmt: skip
        references[1] = f"values.{name}"
    for key, reference in zip((one, two), references, strict=True):
        document["resources"][key] = _resource(rng, document, {"a": f"${{{reference}}}"})


def _flags(document: dict[str, Any]) -> Iterator[str]:
    for name, node in document.get("variables", {}).items():
        if node["type"] == "boolean":
            yield f'variables["{name}"]'


def _pruned(rng: Random, document: dict[str, Any], name: str) -> None:
    flags = [f"${{{flag}}}" for flag in _flags(document)]
    document["resources"][name] = {
        "type": "x/thing",
        "spec": {"a": 1},
        "condition": rng.choice(("${false}", "${not(true)}", *flags)),
    }
    guard = rng.choice(("{}", "if(true, {}, 1)", "if(false, {}, 1)", "coalesce(1, {})"))
    use = guard.format(f"resources.{name}.{rng.choice(('spec.a', 'state.b'))}")
    document["resources"][f"{name}use"] = _resource(rng, document, {"b": f"${{{use}}}"})


_MISTAKES: Final = (_value, _value, _spec, _spec, _each, _cycle, _cycle, _pruned)


def hold(case: str) -> None:
    """A blueprint that `check` refuses does not render whatever its variables are, and a mistake
    that every render tells is told by `check` in the same words."""
    read = forms.read_case(case)
    if read is None:
        return
    given, files = read
    document = given["document"]
    settings = Settings(
        now=0.0, seed=1, limits=Limits(run_seconds=20),
        **{k: tuple(v) if isinstance(v, list) else v for k, v in given.get("settings", {}).items()},
    )  # fmt: skip
    source = Source("main.json", json.dumps(document), "json", "/main.json")
    known: dict[str, Any] = {"settings": settings, "state": given.get("state")}
    found = check(source, files=MemoryFiles(files), **known)
    examine(found, frozenset({"undeclared_state", "limit_exceeded"}))
    checked = {_told(item) for item in found if item.severity == ERROR}
    always: set[Told] | None = None
    ever: set[Told] = set()
    rng = Random(case)
    shapes: Mapping[str, Shape] | None = None
    for round_ in range(_ROUNDS):
        run = render(
            source,
            files=MemoryFiles(files),
            variables=_values(rng, document.get("variables", {}), round_),
            datasources=given.get("records") if round_ % 2 else None,
            shapes=shapes,  # parsed once: values change nothing about it
            **known,
        )
        shapes = run.language.shapes
        told = {_told(item) for item in run.diagnostics if item.severity == ERROR}
        if checked and not told:
            broken("check refuses what renders", sorted(checked))
        prepared = partial(prepare, source, files=MemoryFiles(files), **known)
        _compare(checked, told, run, source.text, prepared)
        always = told if always is None else always & told
        ever |= told
    # what a render tells of one thing may hide what it would tell of another
    planted = {mark for item in checked | ever for mark in _marks(item, source.text)}
    if checked and len(planted) == 1 and "" not in planted and not checked & ever:
        broken("check tells a mistake in other words", sorted(checked), sorted(ever))
    missed = {item for item in (always or set()) - checked if "" not in _marks(item, source.text)}
    if missed and checked <= (always or set()):
        freely = _told_freely(given, files, rng, known)
        missed = {item for item in missed if item[:2] in freely}
        if missed:
            broken("check passes what never renders", sorted(missed))


def _told_freely(
    given: dict[str, Any], files: dict[str, bytes], rng: Random, known: dict[str, Any]
) -> set[tuple[str, str]]:
    """What every render tells when its variables may have any value of their types.

    A mistake that only the allowed values of a variable lead to, or the labels of its type, needs
    a value: to the check it is any.
    """
    document = json.loads(json.dumps(given["document"]))
    for node in document.get("variables", {}).values():
        node.pop("allowedValues", None)
        if "/" in node["type"]:
            node["type"] = "string"
    source = Source("main.json", json.dumps(document), "json", "/main.json")
    declared = document.get("variables", {})
    samples = {name: _SAMPLES[node["type"]] for name, node in declared.items()}
    in_turn = [
        {name: found[round_ % len(found)] for name, found in samples.items()}
        for round_ in range(_ROUNDS)
    ]
    at_random = [_values(rng, declared, _ROUNDS) for _ in range(_ROUNDS)]
    every: list[set[tuple[str, str]]] = []
    for round_, values in enumerate(in_turn + at_random):
        run = render(
            source,
            files=MemoryFiles(files),
            variables=values,
            datasources=given.get("records") if round_ % 2 else None,
            **known,
        )
        every.append({(item.code, item.summary) for item in run.diagnostics})
    return set.intersection(*every)


def _compare(
    checked: set[Told],
    told: set[Told],
    run: Run,
    text: str,
    prepared: Callable[[], tuple[Context, Document]],
) -> None:
    """Holds the mistakes of one render against those of the check.

    The first stages need no values, so they tell the same. A later one tells all that the check
    tells of the stages up to it: none before it found a mistake. `prepared` reads it once more.
    """
    stage = run.stages[-1][0]
    if stage in _STATIC:
        if told and told != checked:
            broken("other words without values", sorted(checked - told), sorted(told - checked))
        return
    # what is found ahead of its stage, such as cycles, may be hidden by what a value leads to
    if not checked <= told and told and _told_upto(_STATIC[-1], prepared) <= told:
        # a string tells its first mistake, which may be another one for some values
        more = told - checked
        before = {_string(place, text) for _, _, place in more}
        broken_ones = _broken(run.stages[0][1], text, [place[1] for _, _, place in more])
        hidden = {
            item
            for item in _told_upto(stage, prepared) - told
            if (string := _string(item[2], text)) not in before
            # one mistake, one message: what refers to what a value broke has none of its own
            and not _refers(text[string[1] : item[2][2]], broken_ones)
            and not _is_of_unopened(run.stages[0][1], text, string[0], broken_ones)
            # a reference asks for a part of an instance ahead of its stage, in some renders
            and not (stage in _AHEAD_OF_EACH and _is_of_instance(run.stages[0][1], text, string[1]))
        }
        if hidden:
            broken(f"a render does not tell what the check tells of {stage}", sorted(hidden))


def _broken(document: Document, text: str, places: list[int]) -> set[tuple[str, str]]:
    """The elements of the main file with a mistake at one of some places, and those that refer to
    them, directly or not."""
    nodes: dict[tuple[str, str], tuple[int, int]] = {}
    for section in ("values", "datasources", "resources", "include"):
        found = document.section(section)
        root = "children" if section == "include" else section
        for name, node in (found.items if found is not None else {}).items():
            nodes[root, name] = node.start, node.end
    broken_ones = {
        key for key, (start, end) in nodes.items() if any(start <= place < end for place in places)
    }
    before = 0
    while before < len(broken_ones):
        before = len(broken_ones)
        broken_ones |= {
            key for key, (start, end) in nodes.items() if _refers(text[start:end], broken_ones)
        }
    return broken_ones


def _is_of_unopened(
    document: Document, text: str, file: str, broken_ones: set[tuple[str, str]]
) -> bool:
    """True for a file that only children which a mistake keeps from being opened lead to."""
    include = document.section("include")
    if file == "main.json" or include is None:
        return False
    opened = [name for name in include.items if ("children", name) not in broken_ones]
    return len(opened) < len(include.items) and not any(
        file in text[include.items[name].start : include.items[name].end] for name in opened
    )


def _is_of_instance(document: Document, text: str, start: int) -> bool:
    """True for a string of the main file that each instance of a resource has for itself."""
    resources, string = document.section("resources"), _STRING.match(text, start)
    return (
        string is not None
        and re.search(r"\b(elem|i)\b", string[0]) is not None
        and any(
            isinstance(node, Map) and "each" in node.items and node.start <= start < node.end
            for node in (resources.items.values() if resources is not None else ())
        )
    )


def _refers(text: str, elements: set[tuple[str, str]]) -> bool:
    """True for text that refers to one of some elements."""
    return any(
        re.search(rf'{root}(\.|\[\\?"){re.escape(name)}(?![\w-])', text) for root, name in elements
    )


def _string(place: tuple[str, int, int], text: str) -> tuple[str, int]:
    """The file of a place and the beginning of the string that holds it in the main one."""
    name, start, _ = place
    if name == "main.json":
        for found in _STRING.finditer(text):
            if found.start() <= start < found.end():
                return name, found.start()
    return name, start


def _told_upto(stage: str, prepared: Callable[[], tuple[Context, Document]]) -> set[Told]:
    """What a check tells of the stages up to one."""
    context, document = prepared()
    assert context.dialect.check is not None
    context.dialect.check(document, context.evolve(pipeline=context.pipeline.upto(stage)))
    return {_told(item) for item in context.diagnostics if item.severity == ERROR}


def _values(rng: Random, declared: dict[str, Any], round_: int) -> dict[str, Any]:
    """Values for variables: the first ones, such as empty texts, then the last, then any."""
    made: dict[str, Any] = {}
    for name, node in declared.items():
        allowed = node.get("allowedValues")
        if allowed and node["type"] != "boolean":
            made[name] = rng.choice(allowed)
        elif "/" in node["type"]:
            made[name] = node.get("default", "abc")
        else:
            samples = _SAMPLES[node["type"]]
            ends = {0: samples[0], 1: samples[-1]}
            made[name] = ends[round_] if round_ in ends else rng.choice(samples)
    return made


def _told(item: Diagnostic) -> Told:
    span = item.span
    place = (span.source.name, span.start, span.end) if span is not None else ("", 0, 0)
    return item.code, item.summary, place


def _marks(item: Told, text: str) -> set[str]:
    """The mistakes that a diagnostic names or stands in; empty text for those of others."""
    name, start, end = item[2]
    words = item[1] + (text[start:end] if name == "main.json" else "")
    return set(re.findall(r"zz\d?", words)) or {""}
