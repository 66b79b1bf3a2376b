"""Shapes of YAML and JSON text of any size, ordinary and hostile, for `benchmarks.growth`.

Each function makes a text of about so many bytes; whether it is a blueprint, a mistake or no YAML
at all does not matter: some answer must come, in a time that grows as the text does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Final

from . import workload

Make = Callable[[int], str]

HEAD: Final = "version: 2023-04-20\n"
NEWER: Final = HEAD.replace("2023-04-20", "2025-11-02")
TAIL: Final = "resources:\n  last:\n    type: aws/sqs/queue\n    spec:\n      name: last\n"
SPEC: Final = "resources:\n  only:\n    type: aws/sqs/queue\n    spec:\n"


def filled(size: int, piece: Callable[[int], str], before: str = HEAD, after: str = "") -> str:
    """Pieces by number until a text has a size."""
    parts = [before]
    have = len(before) + len(after)
    for number in count():
        if have >= size:
            break
        part = piece(number)
        parts.append(part)
        have += len(part)
    parts.append(after)
    return "".join(parts)


def repeated(text: str, before: str = HEAD, after: str = TAIL) -> Make:
    """The same text again and again."""
    return lambda size: before + text * (size // len(text)) + after


def numbered(pattern: str, before: str = HEAD, after: str = "") -> Make:
    """A text with a number in the place of `#`, again and again."""
    return lambda size: filled(size, lambda n: pattern.replace("#", str(n)), before, after)


def in_spec(pattern: str) -> Make:
    """Fields of one resource."""
    return numbered(f"      field#: {pattern}\n", HEAD + SPEC)


def value_of(before: str, text: str, after: str) -> Make:
    """One field whose value is as long as the whole."""
    return repeated(text, f"{HEAD}{SPEC}      field: {before}", f"{after}\n")


def nested(opening: str, closing: str = "", middle: str = "x") -> Make:
    """A value inside another again and again."""

    def make(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return f"{HEAD}{SPEC}      field: {opening * depth}{middle}{closing * depth}\n"

    return make


def _resources(size: int) -> str:
    return workload.blueprint(size // 780)


def _json_data(size: int) -> dict[str, object]:
    spec = {"name": "queue", "delay": 5, "fifo": True, "tags": ["a", "b"], "more": None}
    one = {"type": "aws/sqs/queue", "metadata": {"displayName": "Queue"}, "spec": spec}
    number = size // len(json.dumps(one))
    return {"version": "2023-04-20", "resources": {f"queue{n}": one for n in range(number)}}


def _json_value(before: str, text: str, after: str) -> Make:
    head = '{"version": "2023-04-20", "resources": {"a": {"type": "aws/sqs/queue", "spec": {"f": '
    return repeated(text, head + before, after + "}}}}\n")


def _deep(size: int) -> str:
    """Resources that are as deep as is allowed."""
    depth = 50
    chain = "".join(f"{' ' * (6 + n)}k{n}:\n" for n in range(depth))
    one = f"  deep#:\n    type: a/b/c\n    spec:\n{chain}{' ' * (6 + depth)}end: 1\n"
    return filled(size, lambda n: one.replace("#", str(n)), HEAD + "resources:\n")


YAML: Final[dict[str, Make]] = {
    "ordinary resources": _resources,
    "ordinary resources, lines of Windows": lambda size: _resources(size).replace("\n", "\r\n"),
    "blank lines in one run": repeated("\n"),
    "blank lines between lines": numbered("      f#: 1\n\n\n\n\n\n\n\n", HEAD + SPEC),
    "spaces in one run": repeated(" ", HEAD, "\n" + TAIL),
    "spaces after values": in_spec("1" + " " * 60),
    "tabs in one run": repeated("\t", HEAD, "\n" + TAIL),
    "tabs as indentation": numbered("\tfield#: 1\n"),
    "comment lines": repeated("# a comment on a line of its own\n"),
    "one long comment": repeated("# ", HEAD, "\n" + TAIL),
    "comments after values": in_spec("1  # and why it is so"),
    "tags": in_spec("!tag value"),
    "tags in a row": value_of("", "!a ", "x"),
    "directives": repeated("%TAG ! tag:x,2000:\n", "", "---\n" + HEAD + TAIL),
    "anchors": in_spec("&anchor# value"),
    "aliases": in_spec("*anchor"),
    "merge keys": numbered("      <<: {a#: 1}\n", HEAD + SPEC),
    "documents": repeated("---\na: 1\n"),
    "ends of documents": repeated("...\n"),
    "brackets that open": nested("["),
    "brackets": nested("[", "]"),
    "braces that open": nested("{"),
    "braces": nested("{a: ", "}"),
    "brackets that close": value_of("", "]", ""),
    "dashes in a row": repeated("- ", HEAD + "field: \n  ", "x\n"),
    "question marks in a row": repeated("? ", HEAD + "field:\n  ", "x\n"),
    "colons in a row": value_of("", "a: ", "x"),
    "lists in lists, line by line": lambda size: (
        HEAD + "field:\n" + "".join(f"{' ' * n}-\n" for n in range(int((2 * size) ** 0.5)))
    ),
    "deep maps": _deep,
    "many keys": numbered("      field#: value\n", HEAD + SPEC),
    "long keys": numbered("      k" + "y" * 1_000 + "#: 1\n", HEAD + SPEC),
    "one key": repeated("k", HEAD, ": 1\n" + TAIL),
    "equal keys": numbered("      field: value#\n", HEAD + SPEC),
    "quoted keys": numbered('      "field \\u0041 #": 1\n', HEAD + SPEC),
    "unknown sections": numbered("section#: 1\n", HEAD, TAIL),
    "misspelt fields": numbered("  r#:\n    typ: aws/sqs/queue\n", HEAD + "resources:\n"),
    "one word": value_of("", "word", ""),
    "words over many lines": value_of("", "word\n        ", "end"),
    "one literal block": value_of("|\n", "        a line of text\n", ""),
    "one folded block": value_of(">\n", "        a line of text\n", ""),
    "a folded block of blank lines": value_of(">\n        a\n", "\n", "        b"),
    "literal blocks": in_spec("|\n        first\n        second\n        third"),
    "double quotes": value_of('"', "word ", '"'),
    "double quotes with escapes": value_of('"', "\\u0041\\n", '"'),
    "double quotes over lines": value_of('"', "word\n        ", '"'),
    "double quotes that never close": value_of('"', "word\n        ", ""),
    "quotes in single quotes": value_of("'", "''", "'"),
    "one wide list": value_of("[", "word, ", "word]"),
    "one wide list of texts": value_of("[", '"a b", ', "word]"),
    "one wide map": numbered("k#: 1, ", f"{HEAD}{SPEC}      field: {{", "z: 1}\n"),
    "a list over lines": value_of("[", "word,\n        ", "word]"),
    "a list of lines": numbered("      - item#\n", HEAD + SPEC[:-1] + "\n      field:\n"),
    "a list of maps": numbered("      - a: #\n        b: 2\n", HEAD + SPEC + "      field:\n"),
    "characters outside the usual": in_spec("ключ 日本 \U0001f600"),
    "characters that steer": in_spec('"a\\x1b[31m"'),
    "control characters": in_spec("a\x01b"),
    "numbers": in_spec("12345.678e9"),
    "one number": value_of("", "1234567890", ""),
    "variables": numbered("  v#:\n    type: string\n    default: x\n", HEAD + "variables:\n", TAIL),
    "values": numbered("  v#:\n    type: string\n    value: x\n", HEAD + "values:\n", TAIL),
    "exports": numbered(
        "  e#:\n    type: string\n    field: resources.last.spec.name\n", HEAD + TAIL + "exports:\n"
    ),
    "annotations": numbered(
        "        a.b/c#: text\n",
        f"{HEAD}resources:\n  only:\n    type: a/b/c\n    metadata:\n      annotations:\n",
        "    spec: {}\n",
    ),
    "labels": numbered(
        "        label#: text\n",
        f"{HEAD}resources:\n  only:\n    type: a/b/c\n    metadata:\n      labels:\n",
        "    spec: {}\n",
    ),
    "links by labels": numbered(
        "  r#:\n    type: a/b/c\n    metadata:\n      labels: {app: a#}\n"
        "    linkSelector:\n      byLabel: {app: a#}\n    spec: {}\n",
        HEAD + "resources:\n",
    ),
    "dependencies of one": numbered(
        "  r#:\n    type: a/b/c\n    dependsOn: last\n    spec: {}\n", NEWER + TAIL
    ),
}

JSON: Final[dict[str, Make]] = {
    "resources on lines": lambda size: json.dumps(_json_data(size), indent=2),
    "resources on one line": lambda size: json.dumps(_json_data(size)),
    "spaces": repeated(" ", '{"version": "2023-04-20",', '"resources": {}}\n'),
    "lines": repeated("\n", '{"version": "2023-04-20",', '"resources": {}}\n'),
    "brackets": lambda size: _json_value("", "[", "]" * size)(size),
    "brackets that open": _json_value("", "[", ""),
    "braces": _json_value("", '{"a":', "1"),
    "one text": _json_value('"', "word ", '"'),
    "one text of escapes": _json_value('"', "\\u0041\\n", '"'),
    "a text that never closes": _json_value('"', "word ", ""),
    "one wide list": _json_value("[", '"word", ', '"word"]'),
    "numbers": _json_value("[", "-12.5e3,", "0]"),
    "one number": _json_value("", "1234567890", ""),
    "equal keys": numbered('"k": #,', '{"version": "2023-04-20", "resources": {', '"z": 1}}\n'),
    "many keys": numbered(
        '"k#": 1,',
        '{"version": "2023-04-20", "resources": {"a": {"type": "a/b/c", "spec": {',
        '"z": 1}}}}\n',
    ),
    "commas": _json_value("[", ",", "]"),
}

COMMENTED: Final[dict[str, Make]] = {
    "line comments": repeated("// words\n", "{", '"version": "2023-04-20", "resources": {}}\n'),
    "block comments": repeated("/* * */", "{", '"version": "2023-04-20", "resources": {}}\n'),
    "a comment that never ends": repeated("/* *", "{", "}\n"),
    "commas that trail": _json_value("[", "[1,],", "1,]"),
}
