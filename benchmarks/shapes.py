"""Workloads of other shapes: many children, one long `each`, a long chain of values, mistakes."""

from __future__ import annotations

from pathlib import Path

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


def write(folder: Path) -> dict[str, tuple[Path, str]]:
    """Writes the workloads; of each its file and a text that its output must hold, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "200 children": (_children(folder / "children", 200), "child: queue-199"),
        "each over 5,000": (_each(folder / "each.yaml", 5_000), "  worker_4999:"),
        "chain of 2,000": (_chain(folder / "chain.yaml", 2_000), "end: the-start"),
    }


def failing(blueprint: Path, folder: Path) -> Path:
    """A copy of a blueprint in which every tenth use of a variable is misspelt."""
    used = "${variables.place}"
    *parts, last = blueprint.read_text("utf-8").split(used)
    text = "".join(
        part + ("${variables.palce}" if number % 10 == 0 else used)
        for number, part in enumerate(parts)
    )
    path = folder / "failing.yaml"
    path.write_text(text + last, encoding="utf-8")
    return path


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


def _each(path: Path, count: int) -> Path:
    items = "".join(f"      - name{number}\n" for number in range(count))
    path.write_text(
        f"{HEAD}values:\n  names:\n    type: array\n    value:\n{items}"
        "resources:\n  worker:\n    type: aws/lambda/function\n    each: ${values.names}\n"
        "    spec:\n      name: worker-${elem}-${i}\n      upper: ${to_upper(elem)}\n",
        encoding="utf-8",
    )
    return path


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
