"""Promotions of Kargo: what is rendered renders to itself, or is refused; Freight may come later.

An input is JSON: the manifests and the options. They are those of an ordinary project in which some
parts stand where they may not.
"""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any, Final

from bpp.pipeline import Limits, Run, Settings, Source, render
from bpp.pipeline.dialects.kargo import PromotionOptions

from .verdict import broken, examine

_API: Final = "kargo.akuity.io/v1alpha1"
_GIT: Final = "https://git.example.com/x.git"
_ORIGIN: Final = {"kind": "Warehouse", "name": "w"}
_KNOWN: Final = (
    "ctx.stage", "ctx.project", "vars.a", "vars.b", "vars.n", "vars.on", "'t'", "1 + vars.n",
    "{a: 1, b: [vars.a]}", "upper(vars.a)", "quote(vars.a)", "semverDiff('1.0.0', vars.v)",
    "vars.on ? vars.a : vars.b", "len(vars)", "vars.v + '-' + vars.a", "[1, 2] | map(# * 2)",
    "asYAML({a: vars.a})", "'${' + '{'", "vars.a matches '^x'", "let x = vars.n; x * 2", "nil",
)  # fmt: skip
_LATER: Final = (
    f"commitFrom('{_GIT}').ID", "imageFrom('r/a').Tag", "imageFrom('r/a')", "outputs.s.k",
    "task.outputs.s?.k ?? 'none'", "status('s')", "success()", "ctx.promotion", "now()",
    "ctx.targetFreight.name", "configMap('c').k", "secret('p').token", "freightMetadata('f')",
    "outputs.s.k == 'x' && vars.on", "vars.on || failure()", "imageFrom('r/a').Tag ?? vars.a",
    "ctx.meta.promotion.actor", "stageMetadata('s').k", "chartFrom('r/c', 'x').Version",
)  # fmt: skip
_ODD: Final = (
    None, True, 0, 1.5, "", [], {}, ["a"], {"a": 1}, "text", "a::b", "step-1", "${{", "${{ }}",
    "${{}}", "${% 1 %}", "${{ vars }}", "${{ outputs }}", "${{ $env }}", "${{ 1 / 0 }}", "always()",
    "${{ task.outputs }}", "${{ vars.a.b.c }}", "${{ nope }}", "1.10", "007", '"q"', "a\nb\n",
    "${{ let x = outputs; x.s }}", "${{ get($env, 'ctx') }}", "\x7f", "é\u2028", "9" * 20,
)  # fmt: skip


def make(rng: Random) -> str:
    """The manifests of a project, and the options of a render."""
    steps = [_step(rng, number) for number in range(rng.randrange(1, 5))]
    used = {"task": {"name": "t"}, "as": "u", "vars": [_variable(rng, "own")]}
    steps.insert(rng.randrange(len(steps) + 1), used)
    variables = [
        {"name": "on", "value": rng.choice(("${{ true }}", "${{ false }}", "true"))},
        {"name": "n", "value": "${{ 3 }}"},
        {"name": "v", "value": "1.4.2"},
        *(_variable(rng, name) for name in "ab"),
    ]
    documents: list[dict[str, Any]] = [
        _manifest("Warehouse", "w", {"subscriptions": [
            {"git": {"repoURL": _GIT}}, {"image": {"repoURL": "r/a"}},
        ]}),
        _manifest("PromotionTask", "t", {
            "vars": [{"name": "own"}, {"name": "a", "value": "${{ vars.b }}"}],
            "steps": [_step(rng, number) for number in range(rng.randrange(1, 4))],
        }),
        _manifest("Stage", "st", {
            "requestedFreight": [{"origin": {**_ORIGIN}, "sources": {"direct": True}}],
            "promotionTemplate": {"spec": {"vars": variables, "steps": steps}},
        }),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"},
         "data": {"k": rng.choice(("v", "1.10", "${{ vars.a }}"))}},
    ]  # fmt: skip
    odd = rng.choice((0, 0, 0, 1, 2))
    for _ in range(odd):
        _misplace(rng, documents)
    options: dict[str, Any] = {
        "world": rng.choice(("open", "open", "closed")),
        "undefined": rng.choice(("error", "nil")),
        "status": rng.choice(({}, {"*": "Succeeded"}, {"s": "Failed"})),
        "freight": [_freight(rng, name) for name in "wv" if rng.randrange(2)],
    }
    if not rng.randrange(3):
        options["variables"] = {rng.choice("ab"): rng.choice(("given", "${{ ctx.stage }}", 7))}
    if rng.randrange(2):
        known = {"k": rng.choice(("x", 5, None, "1.10", "${{ a }}"))}
        options["state"] = {"stages": {"st": {"outputs": {"s": known, "u::s": known}}}}
    return json.dumps({"documents": documents, "options": options, "odd": odd})


def _manifest(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "n"}
    return {"apiVersion": _API, "kind": kind, "metadata": metadata, "spec": spec}


def _freight(rng: Random, origin: str) -> dict[str, Any]:
    """Freight of a Warehouse: of `w`, which the Stage requests, or of another one."""
    tag = rng.choice(("1.10", "v1.2.3", "20240101", "latest", "${{ x }}"))
    made = _manifest("Freight", f"f00d{origin}", {})
    del made["spec"]
    images, commits = [{"repoURL": "r/a", "tag": tag}], [{"repoURL": _GIT, "id": "ab" * 20}]
    return {**made, "origin": {**_ORIGIN, "name": origin}, "images": images, "commits": commits}


def _variable(rng: Random, name: str) -> dict[str, str]:
    value = rng.choice(("text", "1.10", "x-${{ ctx.stage }}", "${{ 'q' }}", "42", "", "a b"))
    return {"name": name, "value": value}


def _step(rng: Random, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {"uses": "compose-output"}
    if number == 0:
        made["as"] = "s"
    elif rng.randrange(2):
        made["as"] = f"s{number}"
    if not rng.randrange(3):
        made["if"] = "${{ " + rng.choice(("vars.on", "success()", "always()", "!vars.on")) + " }}"
    if not rng.randrange(3):
        made["vars"] = [{"name": "b", "value": _text(rng)}]
    if number == 0:  # its output is not its config, which a state could contradict
        outputs = [{"name": "k", "fromExpression": "response.body"}]
        return {**made, "uses": "http", "config": {"url": _text(rng), "outputs": outputs}}
    made["config"] = {key: _tree(rng, 2) for key in "kl"[: rng.randrange(1, 3)]}
    return made


def _tree(rng: Random, depth: int) -> Any:
    kind = rng.randrange(7 if depth else 5)
    if kind < 5:
        return _text(rng) if kind else rng.choice((1, True, "plain", "1.10"))
    if kind == 5:
        return [_tree(rng, depth - 1) for _ in range(rng.randrange(3))]
    return {key: _tree(rng, depth - 1) for key in "xy"[: rng.randrange(3)]}


def _text(rng: Random) -> str:
    code = rng.choice(_KNOWN if rng.randrange(3) else _LATER)
    lone = "${% " + code + " %}" if rng.randrange(6) == 0 else "${{ " + code + " }}"
    return lone if rng.randrange(3) else f"a {lone}{rng.choice(('', '-b', lone))}"


def _misplace(rng: Random, documents: list[Any]) -> None:
    """Put something odd in the place of a part, or take it away."""
    node: Any = rng.choice(documents)
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(node[key], dict | list) and rng.randrange(4):
            node = node[key]
            continue
        if rng.randrange(4):
            node[key] = deepcopy(rng.choice(_ODD))  # another part may be put into it
        else:
            del node[key]
        return


# --- the laws -----------------------------------------------------------------------------------


def hold(case: str) -> None:
    """What is rendered renders to itself; Freight and state given later are as given at once.

    Of manifests with odd parts an output may say less than they do, so nothing is given later.
    """
    try:
        given = json.loads(case)
        text = "---\n".join(f"{json.dumps(one)}\n" for one in given["documents"])
        known = {k: tuple(v) if k == "freight" else v for k, v in given["options"].items()}
        options = PromotionOptions(scan=False, **known)
    except (ValueError, TypeError, KeyError, AttributeError):
        return
    settings = Settings(now=0.0, seed=1, limits=Limits(run_seconds=20))

    def rendered(text: str, options: PromotionOptions, form: str = "yaml") -> Run:
        source = Source(f"kargo.{form}", text, form)
        return render(source, settings=settings, dialect="kargo", options=options)

    first = rendered(text, options)
    examine(first.diagnostics, frozenset(item.code for item in first.diagnostics))
    if not first.ok or not first.text().strip():
        return
    # what is left is printed with one kind of delimiters, or as it was written
    if options.world == "open" and not given.get("odd") and "${%" not in text:
        # without a Stage, any Freight may be requested unless the output says what is
        others = tuple(one for one in options.freight if one["origin"] != _ORIGIN)
        gaps = rendered(text, options.evolve(freight=others, state=None, status={}))
        if gaps.ok and gaps.text().strip():
            later = rendered(gaps.text(), options)
            if not later.ok:
                told = [(d.code, d.summary) for d in later.diagnostics]
                broken("an output with gaps has errors", told, gaps.text())
            if later.text() != first.text():
                broken("what is given later differs", first.text(), later.text())
    for form in ("yaml", "json"):
        again = rendered(first.text(form), options, form)
        if not again.ok:
            told = [(d.code, d.summary) for d in again.diagnostics]
            broken("an output has errors", told, first.text())
        if again.text(form) != first.text(form):
            broken("an output changes", first.text(form), again.text(form))
