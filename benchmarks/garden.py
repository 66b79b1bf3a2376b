"""`python -m benchmarks.garden [--actions N] [--templates N]`: a Garden project and a blueprint.

A project and a blueprint of the same size, with as many expressions that ask for the same: names,
texts with names in them, choices, function calls and what is only known later. Both are rendered
to text in this process, in turn; the figure is the least CPU time of each.
"""

from __future__ import annotations

import argparse
import gc
from time import process_time

from bpp.pipeline import MemoryFiles, Run, render

GARDEN = (
    "${{var.region}}",
    "${{var.prefix}}-{unit}-{field}",
    "\"${{environment.name == 'prod' ? {unit} : {field}}}\"",
    "${{upper(var.prefix)}}-{field}",
    "${{actions.build.b{unit}.outputs.id}}",
)
BLUELINK = (
    "${{variables.region}}",
    "${{variables.prefix}}-{unit}-{field}",
    '${{if(eq(variables.environment, "prod"), {unit}, {field})}}',
    "${{to_upper(variables.prefix)}}-{field}",
    "${{resources.b{unit}.state.id}}",
)


def project(actions: int, templates: int) -> str:
    """A project: one Build and one Deploy a unit, with the templates in the Deploy."""
    parts = [
        "apiVersion: garden.io/v1\nkind: Project\nname: bench\n"
        "environments:\n  - name: prod\n"
        "variables:\n  region: eu\n  prefix: shop\n"
    ]
    for unit in range(actions):
        fields = _fields(GARDEN, unit, templates, "  ")
        parts.append(f"kind: Build\nname: b{unit}\ntype: container\n")
        parts.append(f"kind: Deploy\nname: d{unit}\ntype: container\nspec:\n{fields}")
    return "---\n".join(parts)


def blueprint(resources: int, templates: int) -> str:
    """The same as a blueprint: two resources a unit."""
    variables = "".join(
        f"  {name}:\n    type: string\n    default: {value}\n"
        for name, value in (("region", "eu"), ("prefix", "shop"), ("environment", "prod"))
    )
    parts = [f"version: 2025-11-02\nvariables:\n{variables}resources:\n"]
    for unit in range(resources):
        fields = _fields(BLUELINK, unit, templates, "      ")
        parts.append(f"  b{unit}:\n    type: a/b\n    spec: {{}}\n")
        parts.append(f"  d{unit}:\n    type: a/b\n    spec:\n{fields}")
    return "".join(parts)


def _fields(templates: tuple[str, ...], unit: int, count: int, indent: str) -> str:
    lines = []
    for number in range(count):
        text = templates[number % len(templates)].format(unit=unit, field=number)
        lines.append(f"{indent}f{number}: {text}\n")
    return "".join(lines)


def rendered(text: str, dialect: str) -> Run:
    """A run over a text."""
    name = "/p/garden.yml" if dialect == "garden" else "/p/blueprint.yaml"
    return render(name, files=MemoryFiles({name: text}, "/p"), dialect=dialect)


def seconds(text: str, dialect: str, rounds: int) -> float:
    """The least CPU time of rendering a text to its output."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        gc.disable()  # as the command does
        start = process_time()
        run = rendered(text, dialect)
        output = run.text()
        best = min(best, process_time() - start)
        gc.enable()
        assert output.count("\n") > len(text.splitlines()) // 2
    return best


def main(arguments: list[str] | None = None) -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.garden", description=__doc__)
    parser.add_argument("--actions", type=int, default=300)
    parser.add_argument("--templates", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    sizes = options.actions, options.templates
    texts = {"garden": project(*sizes), "bluelink": blueprint(*sizes)}
    found = {name: float("inf") for name in texts}
    for _ in range(options.rounds):
        for name, text in texts.items():
            found[name] = min(found[name], seconds(text, name, 1))
    for name, least in found.items():
        print(f"{name}: {least * 1000:.0f} ms for {options.actions * options.templates} templates")
    print(f"ratio: {found['garden'] / found['bluelink']:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
