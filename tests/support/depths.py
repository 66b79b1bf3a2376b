"""Blueprints that are as deep as one likes, in every way in which one can be deep.

Run as a program it renders each of them from a given depth of the caller's stack, and prints what
was said as JSON: a crash of the interpreter would end it, and not the tests.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from bpp.pipeline import Limits, MemoryFiles, Settings, Source, check, render
from bpp.pipeline.engine.run import Unwritable

HEAD = "version: 2025-11-02\n"
RESOURCE = "  r:\n    type: a/b\n    metadata:\n      displayName: r\n"
EMPTY = f"resources:\n{RESOURCE}    spec: {{}}\n"
# the levels of the document, `resources`, `r` and `spec`
AROUND = 4
# and those of the document, `values` and a value
AROUND_A_VALUE = 3
FRAMES = (0, 500, 800)
SMALL_STACK = 256 * 1024

Text = str | Mapping[str, str]
"""One blueprint, or `main.yaml` and its children by name."""


def block(levels: int) -> str:
    """Block sequences in YAML."""
    return f"{HEAD}resources:\n{RESOURCE}    spec:\n      k:\n        {'- ' * (levels - AROUND)}x\n"


def flow(levels: int) -> str:
    """Flow sequences in YAML."""
    inner = levels - AROUND
    return f"{HEAD}resources:\n{RESOURCE}    spec: {{k: {'[' * inner}x{']' * inner}}}\n"


def flow_maps(levels: int) -> str:
    """Flow mappings in YAML."""
    inner = levels - AROUND
    return f"{HEAD}resources:\n{RESOURCE}    spec: {{k: {'{a: ' * inner}x{'}' * inner}}}\n"


def json_arrays(levels: int, comment: str = "") -> str:
    """Arrays in JSON."""
    inner = levels - AROUND
    return (
        comment + '{"version": "2025-11-02", "resources": {"r": {"type": "a/b", "metadata": '
        '{"displayName": "r"}, "spec": {"k": ' + "[" * inner + "]" * inner + "}}}}"
    )


def jsonc(levels: int) -> str:
    """Arrays in JSON with comments."""
    return json_arrays(levels, "// with comments\n")


def jsondecode(levels: int) -> str:
    """Arrays in a text that is decoded."""
    arrays = "[" * levels + "]" * levels
    return HEAD + named(f'len(jsondecode("{arrays}"))')


def named(expression: str) -> str:
    """Resources, one of which has an expression in it."""
    return f"resources:\n{RESOURCE}    spec:\n      name: ${{{expression}}}\n"


def calls(levels: int) -> str:
    """Calls in calls."""
    return HEAD + named("trim(" * levels + '"x"' + ")" * levels)


def brackets(levels: int) -> str:
    """Array literals in array literals."""
    return HEAD + named("len([" + "[" * (levels - 2) + "]" * (levels - 2) + "])")


def objects(levels: int) -> str:
    """Objects in objects."""
    return HEAD + named("len(" + "object(a=" * (levels - 1) + "1" + ")" * levels)


def forms(levels: int) -> str:
    """Conditions in conditions, which take turns with other calls."""
    pairs, odd = divmod(levels, 2)
    start, end = "if(eq(1, 1), trim(" * pairs, '), "y")' * pairs
    return HEAD + named("trim(" * odd + start + '"x"' + end + ")" * odd)


def functions(levels: int) -> str:
    """Functions as arguments that are made of functions."""
    return HEAD + named(
        'join(map(["x"], ' + "compose(" * (levels - 2) + "trim" + ")" * (levels - 2) + '), "")'
    )


def chain_of_values(levels: int) -> str:
    """Values that refer to values, from the last on; a resource asks for it."""
    return HEAD + _values(levels, "values.v{0}") + named(f"values.v{levels - 1}")


def _values(levels: int, expression: str) -> str:
    made = [
        f"  v{i}:\n    type: string\n    value: ${{{expression.format(i - 1)}}}\n"
        for i in range(levels - 1, 0, -1)
    ]
    return "values:\n" + "".join(made) + "  v0:\n    type: string\n    value: x\n"


CHILD = f"{HEAD}variables:\n  p:\n    type: string\n" + named("variables.p")


def values_for_a_child(levels: int, expression: str = "values.v{0}") -> Mapping[str, str]:
    """The same, asked for by an include, which needs it before values have their turn."""
    main = HEAD + _values(levels, expression) + EMPTY
    include = (
        f"include:\n  c:\n    path: c.yaml\n    variables:\n      p: ${{values.v{levels - 1}}}\n"
    )
    return {"main.yaml": main + include, "c.yaml": CHILD}


def nested_values_for_a_child(levels: int) -> Mapping[str, str]:
    """The same with expressions that are nested themselves."""
    return values_for_a_child(levels, "trim(" * 12 + "values.v{0}" + ")" * 12)


def chain_of_fields(levels: int, expression: str = "resources.r.spec.f{0}") -> str:
    """Fields of one resource that refer to one another."""
    fields = [f"      f{i}: ${{{expression.format(i - 1)}}}\n" for i in range(levels, 0, -1)]
    return f"{HEAD}resources:\n{RESOURCE}    spec:\n{''.join(fields)}      f0: x\n"


def nested_chain_of_fields(levels: int) -> str:
    """The same with expressions that are nested themselves."""
    return chain_of_fields(levels, "trim(" * 12 + "resources.r.spec.f{0}" + ")" * 12)


def chain_of_conditions(levels: int) -> str:
    """Resources whose conditions look at the resource before."""
    made = [
        f'  r{i}:\n    type: a/b\n    condition: ${{eq(resources.r{i - 1}.spec.a, "x")}}\n'
        "    metadata:\n      displayName: r\n"
        f"    spec:\n      a: ${{resources.r{i - 1}.spec.a}}\n"
        for i in range(levels, 0, -1)
    ]
    last = "  r0:\n    type: a/b\n    metadata:\n      displayName: r\n    spec:\n      a: x\n"
    return f"{HEAD}resources:\n{''.join(made)}{last}"


def chain_through_data(levels: int) -> Mapping[str, str]:
    """Values for a child, each of which refers to the one before from deep inside of a map."""
    inner = 40
    head, path = "{a: " * inner, ".a" * inner
    made = [
        f'  v{i}:\n    type: object\n    value: {head}"${{values.v{i - 1}{path}}}"{"}" * inner}\n'
        for i in range(levels - 1, 0, -1)
    ]
    first = f"  v0:\n    type: object\n    value: {head}x{'}' * inner}\n"
    include = (
        "include:\n  c:\n    path: c.yaml\n    variables:\n"
        f"      p: ${{values.v{levels - 1}{path}}}\n"
    )
    main = HEAD + "values:\n" + "".join(made) + first + EMPTY + include
    return {"main.yaml": main, "c.yaml": CHILD}


def chains_in_children(levels: int) -> Mapping[str, str]:
    """Children in children, each of which makes what its own child gets of a chain of values."""
    made = {}
    chain = "trim(" * 12 + "values.v{0}" + ")" * 12
    for i in range(levels + 1):
        name = "main.yaml" if i == 0 else f"c{i}.yaml"
        given = "" if i == 0 else "variables:\n  p:\n    type: string\n"
        values = _values(6, chain).replace(
            "value: x", "value: x" if i == 0 else "value: ${variables.p}"
        )
        include = (
            f"include:\n  c:\n    path: c{i + 1}.yaml\n    variables:\n      p: ${{values.v5}}\n"
            if i < levels
            else ""
        )
        made[name] = HEAD + given + values + include + EMPTY
    return made


def growing_values(levels: int) -> str:
    """Values each of which holds the one before."""
    inner = levels - AROUND_A_VALUE
    made = [
        f"  v{i}:\n    type: array\n    value: ${{list(values.v{i - 1})}}\n"
        for i in range(1, inner)
    ]
    first = "values:\n  v0:\n    type: array\n    value: ${list(1)}\n"
    return HEAD + first + "".join(made) + named(f"len(values.v{inner - 1})")


def growing_maps(levels: int) -> str:
    """The same with values that are maps with a substitution in them."""
    inner = levels - AROUND_A_VALUE
    made = [
        f"  v{i}:\n    type: object\n    value:\n      a: ${{values.v{i - 1}}}\n"
        for i in range(1, inner)
    ]
    first = "values:\n  v0:\n    type: object\n    value:\n      a: x\n"
    return HEAD + first + "".join(made) + named(f"len(values.v{inner - 1})")


def elements(levels: int) -> str:
    """An element of `each` that is deep itself."""
    inner = levels - AROUND_A_VALUE - 1
    arrays = "[" * inner + "]" * inner
    values = f"values:\n  v:\n    type: array\n    value: ${{jsondecode('[{arrays}]')}}\n"
    each = RESOURCE.replace("    metadata", "    each: ${values.v}\n    metadata")
    rest = "    spec:\n      name: ${len(elem)}\n"
    return f"{HEAD}{values}resources:\n{each}{rest}".replace("'", '"')


def children(levels: int) -> Mapping[str, str]:
    """Children in children, what the innermost exports being passed on."""
    made = {}
    for i in range(levels + 1):
        name = "main.yaml" if i == 0 else f"c{i}.yaml"
        include = f"include:\n  c:\n    path: c{i + 1}.yaml\n" if i < levels else ""
        value = "${children.c.e}" if i < levels else "x"
        values = f"values:\n  v:\n    type: string\n    value: {value}\n"
        exports = "exports:\n  e:\n    type: string\n    field: values.v\n"
        made[name] = HEAD + values + include + exports + EMPTY
    return made


PROJECT = "kind: Project\nname: p\nenvironments: [{name: local}]\nvariables:\n  a: a\n"
AROUND_A_FIELD = 2


def in_project(value: str, variables: str = "") -> str:
    """A project of Garden with an action, one field of which has a value."""
    head = "---\nkind: Deploy\nname: d\ntype: exec\nspec:\n  f: "
    return f"{PROJECT}{variables}{head}{value}\n"


def garden_operators(opening: str, middle: str, closing: str = "") -> Callable[[int], Text]:
    """Operators inside of one another."""
    return lambda levels: in_project(f"'${{{opening * levels}{middle}{closing * levels}}}'")


def garden_structures(opening: str, less: int = 1) -> Callable[[int], Text]:
    """Structures inside of one another."""

    def make(levels: int) -> Text:
        inner = levels - AROUND_A_FIELD - less
        return in_project(opening * inner + "{a: 1}" + "}" * inner)

    return make


def garden_variables(first: str, value: str, more: int, step: int = -1) -> Callable[[int], Text]:
    """Variables of which each (`#`) leads to the one before, the last or with `step` 1 the first
    of them first."""

    def make(levels: int) -> Text:
        numbers = range(1, levels + more + 1)[::step]
        made = [f"  v{i}: {value.replace('#', f'v{i - 1}')}\n" for i in numbers]
        return in_project(f"${{var.v{levels + more}}}", "".join(made) + f"  v0: {first}\n")

    return make


def garden_blocks(levels: int) -> Text:
    """Blocks in blocks."""
    return in_project(f"'{'${if true}' * levels}x{'${endif}' * levels}'")


def garden_templates(levels: int) -> Text:
    """Templates that render templates."""
    made = [
        f"---\nkind: ConfigTemplate\nname: t{i}\nconfigs: "
        f"[{{kind: RenderTemplate, name: r, template: t{i + 1}}}]\n"
        for i in range(levels - 1)
    ]
    last = f"---\nkind: ConfigTemplate\nname: t{levels - 1}\nconfigs: "
    last += "[{kind: Build, name: b, type: exec}]\n"
    return f"{PROJECT}{''.join(made)}{last}---\nkind: RenderTemplate\nname: r\ntemplate: t0\n"


WAYS: dict[str, tuple[Callable[[int], Text], str]] = {
    "garden_negations": (garden_operators("!", "true"), "max_expression_depth"),
    "garden_typeof": (garden_operators("typeof ", "true"), "max_expression_depth"),
    "garden_choices": (garden_operators("true ? ", "1", " : 2"), "max_expression_depth"),
    "garden_keys": (garden_operators("var[", "var.a", "]"), "max_expression_depth"),
    "garden_lists": (garden_operators("[", "1", "]"), "max_expression_depth"),
    "garden_blocks": (garden_blocks, "max_expression_depth"),
    "garden_conditions": (garden_structures("{$if: true, $then: "), "max_depth"),
    "garden_merges": (garden_structures("{$merge: "), "max_depth"),
    "garden_maps": (garden_structures("{a: ", 2), "max_depth"),
    "garden_chain": (garden_variables("x", "${var.#}", 2), "max_reference_depth"),
    "garden_growing": (garden_variables("[1]", "['${var.#}']", -4, 1), "max_depth"),
    "garden_templates": (garden_templates, "max_include_depth"),
    "block": (block, "max_depth"),
    "flow": (flow, "max_depth"),
    "flow_maps": (flow_maps, "max_depth"),
    "json_plain": (json_arrays, "max_depth"),
    "json_with_comments": (jsonc, "max_depth"),
    "jsondecode": (jsondecode, "max_depth"),
    "calls": (calls, "max_expression_depth"),
    "brackets": (brackets, "max_expression_depth"),
    "objects": (objects, "max_expression_depth"),
    "forms": (forms, "max_expression_depth"),
    "functions": (functions, "max_expression_depth"),
    "chain_of_values": (chain_of_values, ""),
    "values_for_a_child": (values_for_a_child, "max_reference_depth"),
    "nested_values_for_a_child": (nested_values_for_a_child, "max_reference_depth"),
    "chain_of_fields": (chain_of_fields, "max_reference_depth"),
    "nested_chain_of_fields": (nested_chain_of_fields, "max_reference_depth"),
    "chain_of_conditions": (chain_of_conditions, ""),
    "chain_through_data": (chain_through_data, "max_reference_depth"),
    "chains_in_children": (chains_in_children, "max_include_depth"),
    "growing_values": (growing_values, "max_depth"),
    "growing_maps": (growing_maps, "max_depth"),
    "elements": (elements, "max_depth"),
    "children": (children, "max_include_depth"),
}
"""Ways of being deep, each with the limit that bounds it; some are not deep to the engine."""


def said(way: str, levels: int, limits: Limits) -> str:
    """`ok`, or the codes and sentences of the first mistakes, of a render and of the checks."""
    made = WAYS[way][0](levels)
    texts = {"main.yaml": made} if isinstance(made, str) else dict(made)
    text = texts["main.yaml"]
    kind = "json" if way.startswith("json_") else "yaml"
    files = MemoryFiles({f"/{name}": content for name, content in texts.items()})
    source = Source(f"main.{kind}", text, kind, "/main.yaml")
    settings = Settings(limits=limits)
    run = render(source, settings=settings, files=files)
    found = [f"{item.code}: {item.summary[:200]}" for item in run.diagnostics][:3]
    try:
        if run.ok:
            assert run.text("yaml") and run.text("json")
    except Unwritable as problem:
        found.append(f"{problem.diagnostic.code}: {problem.diagnostic.summary}")
    checked = check(source, settings=settings, files=files)
    return " | ".join([*(found or ["ok"]), *sorted({item.code for item in checked})])


def deeper(frames: int, call: Callable[[], Any]) -> Any:
    """What a call gives that is made with so many more frames on the stack."""
    return call() if frames == 0 else deeper(frames - 1, call)


def answers(names: list[str], levels: Mapping[str, int], limits: Limits, frames: int) -> Any:
    """What is said of each way."""

    def answer(name: str) -> str:
        try:
            return said(name, levels[name], limits)
        except BaseException as error:
            return type(error).__name__

    return {name: deeper(frames, lambda name=name: answer(name)) for name in names}  # type: ignore[misc]


def main() -> None:
    """Prints the answers to the request on standard input."""
    asked = json.load(sys.stdin)
    limits = Limits(**asked["limits"])
    found: dict[str, Any] = {}
    levels = asked["levels"]

    def work(key: str, frames: int) -> None:
        found[key] = answers(list(levels), levels, limits, frames)

    for frames in asked["frames"]:
        work(str(frames), frames)
    if asked["thread"]:
        threading.stack_size(SMALL_STACK)
        thread = threading.Thread(target=work, args=("thread", 0))
        thread.start()
        thread.join()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
