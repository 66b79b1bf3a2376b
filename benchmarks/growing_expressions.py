"""Blueprints of any size whose weight is in their substitutions, for `benchmarks.growth`."""

from __future__ import annotations

from itertools import count
from typing import Final

from .growing_inputs import HEAD, NEWER, SPEC, Make, filled, numbered

VARIABLES: Final = (
    "variables:\n  a: {type: string, default: x}\n  s: {type: string, secret: true, default: y}\n"
)
VALUES: Final = "values:\n  list: {type: array, value: [a, b, c]}\n"
OTHER: Final = "resources:\n  other: {type: a/b/c, spec: {}}\n"
BEFORE: Final = HEAD + VARIABLES + VALUES + SPEC.replace("resources:\n", OTHER)


def _fields(pattern: str) -> Make:
    """Fields of one resource, each with a number in the place of `#`."""
    return numbered(f"      field#: {pattern}\n", BEFORE)


def _joined(piece: str, between: str, before: str, after: str, most: int = 4_000) -> Make:
    """Fields whose expressions are about as long as they may be."""
    inner = between.join([piece] * (most // (len(piece) + len(between))))
    return _fields(f"{before}{inner}{after}")


def _shapes(size: int) -> str:
    """Expressions of which no two have one shape."""
    return _fields("${if(eq(len(values.list), #), #, len(values.list))}")(size)


def _wide_objects(size: int) -> str:
    """Objects of many fields with different names."""
    fields = ", ".join(f'a{n} = "b"' for n in range(300))
    return _fields(f"'${{object({fields})}}'")(size)


def _chain(size: int) -> str:
    """Values of which each needs the next one."""
    number = size // 50
    parts = [HEAD, "values:\n"]
    for n in range(number):
        value = f"${{values.v{n + 1}}}" if n < number - 1 else "end"
        parts.append(f"  v{n}:\n    type: string\n    value: {value}\n")
    return "".join([*parts, SPEC, "      field: ${values.v0}\n"])


def _ring(size: int) -> str:
    """Values in one circle."""
    number = size // 50
    parts = [HEAD, "values:\n"]
    for n in range(number):
        parts.append(f"  v{n}:\n    type: string\n    value: ${{values.v{(n + 1) % number}}}\n")
    return "".join([*parts, SPEC, "      field: ${values.v0}\n"])


def _rings(size: int) -> str:
    """Values in many circles of two."""
    return filled(
        size,
        lambda n: f"  v{n}:\n    type: string\n    value: ${{values.v{n ^ 1}}}\n",
        HEAD + "values:\n",
        SPEC + "      name: x\n",
    )


def _resource_chain(size: int) -> str:
    """Resources of which each takes a field of the next one."""
    number = size // 75
    parts = [HEAD, "resources:\n"]
    for n in range(number):
        value = f"${{resources.r{n + 1}.spec.name}}" if n < number - 1 else "end"
        parts.append(f"  r{n}:\n    type: a/b/c\n    spec:\n      name: {value}\n")
    return "".join(parts)


def _names(size: int) -> str:
    """Names that do not exist, beside as many that do."""
    number = size // 90
    parts = [HEAD, "variables:\n"]
    parts += [f"  name{n}: {{type: string, default: x}}\n" for n in range(number)]
    parts.append(SPEC)
    parts += [f"      field{n}: ${{variables.nam{n}}}\n" for n in range(number)]
    return "".join(parts)


def _each(size: int) -> str:
    """One resource for each element of a long list."""
    items = filled(
        size, lambda n: f"      - item{n}\n", f"{HEAD}values:\n  l:\n    type: array\n    value:\n"
    )
    return items + (
        "resources:\n  worker:\n    type: a/b/c\n    each: ${values.l}\n"
        "    spec:\n      name: worker-${elem}-${i}\n"
    )


def _beside_instances(body: str) -> Make:
    """As many resources with a body as another one has instances; `#` is a number."""

    def make(size: int) -> str:
        number = size // (60 + len(body))
        items = "".join(f"      - item{n}\n" for n in range(number))
        head = f"{NEWER}values:\n  l:\n    type: array\n    value:\n{items}resources:\n"
        head += "  w:\n    type: a/b/c\n    each: ${values.l}\n    spec:\n      name: ${elem}\n"
        parts = [f"  r{n}:\n    type: a/b/c\n{body}".replace("#", str(n)) for n in range(number)]
        return head + "".join(parts)

    return make


def _conditions(size: int) -> str:
    """Resources of which every second one goes."""
    one = '  r#:\n    type: a/b/c\n    condition: ${eq(variables.a, "%")}\n    spec: {}\n'
    numbers = count()
    return filled(
        size,
        lambda _: one.replace("#", str(n := next(numbers))).replace("%", "xy"[n % 2]),
        HEAD + VARIABLES + "resources:\n",
    )


EXPRESSIONS: Final[dict[str, Make]] = {
    "one reference again and again": _fields("${variables.a}"),
    "many in one string": _joined("${variables.a}", "-", "", "", 6_000),
    "shapes that all differ": _shapes,
    "texts that all differ": _fields('${join(list(variables.a, "#"), "-")}'),
    "long texts": _joined("word", " ", '${trim("', '")}'),
    "escapes in texts": _joined('\\\\\\"', "", "'${trim(\"", "\")}'"),
    "nested calls": _fields(f"${{{'trim(' * 28}variables.a{')' * 28}}}"),
    "brackets that open": _joined("trim(", "", "${", "}"),
    "wide calls": _joined("variables.a", ", ", "${len(list(", "))}"),
    "wide objects": _wide_objects,
    "wide objects of one name": _joined('a = "b"', ", ", "'${object(", ")}'"),
    "long paths": _joined("field", ".", "${resources.other.state.", "}"),
    "indices": _joined("[0]", "", "${resources.other.state.list", "}"),
    "openers that never close": _joined("${", "", "", "", 6_000),
    "openers, then words": _joined("${variables.a ", "", "", "", 6_000),
    "closers": _joined("}", "", "a", "", 6_000),
    "spaces inside": _joined(" ", "", "${variables.a", "}"),
    "digits": _joined("1", "", "${trim(", ")}"),
    "backslashes": _joined("\\", "", "${trim('", "')}"),
    "quotes that never close": _joined('"', " ", "'${trim(", ")}'"),
    "what is not known yet": _fields("${resources.other.state.field}-${variables.a}"),
    "what is known in part": _fields(
        '${join(list(variables.a, resources.other.state.x, "#"), "-")}'
    ),
    "secrets": _fields("${variables.s}-#"),
    "functions that do not exist": _fields("${triim(variables.a)}"),
    "wrong arguments": _fields("${trim(5, #)}"),
    "mistakes of values": _fields("${values.list[9]}"),
    "names that do not exist": _names,
    "openers in texts": _fields("'${\"${\"}#'"),
    "functions over lists": _fields("${len(map(values.list, to_upper))}"),
    "a chain of values": _chain,
    "a chain of resources": _resource_chain,
    "one circle": _ring,
    "many circles": _rings,
    "one long each": _each,
    "a reader of each instance": _beside_instances(
        "    spec:\n      name: ${resources.w[#].spec.name}\n"
    ),
    "conditions": _conditions,
}
