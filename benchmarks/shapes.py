"""Workloads of other shapes: many children, one long `each`, a long chain of values, mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HEAD = "version: 2023-04-20\n"
CHILD = """\
version: 2023-04-20
variables:
  number:
    type: integer
resources:
  queue:
    type: aws/sqs/queue
    spec:
      name: queue-${variables.number}
exports:
  name:
    type: string
    field: resources.queue.spec.name
"""


def write(folder: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Writes the workloads; of each its file and the resources that it renders to, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "200 children": (_children(folder / "children", 200), _used_children(200)),
        "each over 5,000": (_each(folder / "each.yaml", 5_000), _instances(5_000)),
        "chain of 2,000 values": (_chain(folder / "chain.yaml", 2_000), _END),
    }


MISTAKES = {
    # told by the checks of references, before anything is computed
    "misspelt names": ("${variables.place}", "${variables.palce}"),
    # told when it is computed
    "missing keys": (
        '${coalesce(lookup(values.sizes, "small"), "t3.micro")}',
        '${values.sizes["tiny"]}',
    ),
}
"""What a failing blueprint has in place of what, by the kind of mistake."""


def failing(blueprint: Path, kind: str) -> tuple[Path, int]:
    """A copy of a blueprint with a mistake in every tenth place, and how many that are."""
    used, wrong = MISTAKES[kind]
    *parts, last = blueprint.read_text("utf-8").split(used)
    wanted = range(0, len(parts), 10)
    text = "".join(
        part + (wrong if number in wanted else used) for number, part in enumerate(parts)
    )
    path = blueprint.with_name(f"{kind.replace(' ', '-')}.yaml")
    path.write_text(text + last, encoding="utf-8")
    return path, len(wanted)


def _children(folder: Path, count: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [HEAD, "include:\n"]
    for number in range(count):
        (folder / f"child{number}.yaml").write_text(CHILD, encoding="utf-8")
        lines.append(f"  part{number}:\n    path: child{number}.yaml\n")
        lines.append(f"    variables:\n      number: {number}\n")
    lines.append("resources:\n")
    for number in range(count):
        lines.append(f"  user{number}:\n    type: aws/lambda/function\n    spec:\n")
        lines.append(f"      child: ${{children.part{number}.name}}\n")
    path = folder / "main.yaml"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _used_children(count: int) -> dict[str, Any]:
    return {
        f"user{number}": {"type": "aws/lambda/function", "spec": {"child": f"queue-{number}"}}
        for number in range(count)
    }


def _each(path: Path, count: int) -> Path:
    items = "".join(f"      - name{number}\n" for number in range(count))
    path.write_text(
        f"{HEAD}values:\n  names:\n    type: array\n    value:\n{items}"
        "resources:\n  worker:\n    type: aws/lambda/function\n    each: ${values.names}\n"
        "    spec:\n      name: worker-${elem}-${i}\n      upper: ${to_upper(elem)}\n",
        encoding="utf-8",
    )
    return path


def _instances(count: int) -> dict[str, Any]:
    return {
        f"worker_{number}": {
            "type": "aws/lambda/function",
            "spec": {"name": f"worker-name{number}-{number}", "upper": f"NAME{number}"},
        }
        for number in range(count)
    }


_END = {"last": {"type": "aws/sqs/queue", "spec": {"end": "the-start"}}}


def _chain(path: Path, count: int) -> Path:
    lines = [HEAD, "values:\n"]
    for number in range(count):
        # the first needs the second, and so on: nothing is known before the last
        value = f"${{values.v{number + 1}}}" if number < count - 1 else "the-start"
        lines.append(f"  v{number}:\n    type: string\n    value: {value}\n")
    lines.append(
        "resources:\n  last:\n    type: aws/sqs/queue\n    spec:\n      end: ${values.v0}\n"
    )
    path.write_text("".join(lines), encoding="utf-8")
    return path
