"""`python -m benchmarks.attacks.conformance FOLDER...`: our readers on suites of test files.

Looks below the folders for files as JSONTestSuite has them (`y_*.json` must be read, `n_*.json`
must be refused, `i_*.json` may be either) and as yaml-test-suite has them in its branch `data`
(folders with `in.yaml`, `test.event`, and a file `error` where the text is no YAML). Of the latter,
the profile of a blueprint is what counts: one document without anchors, aliases, tags, directives.

Prints the figures, and the names of files that are taken otherwise than the suite says. Exit status
1 when a value is wrong, or a refusal is none of our own diagnostics.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from bpp.pipeline.codes import CODES
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.formats.scalars import OutOfRange, resolve
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.data_files import plain
from bpp.pipeline.world.files import FileProblem, decode_text

READ, WRONG = "read", "read as another value"
_EVENT = re.compile(r"=VAL ([:\"'|>])(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "\\": "\\"}


@attrs.frozen
class Answer:
    """What our reader makes of a text: its data, or the codes of its diagnostics."""

    data: Any
    codes: tuple[str, ...]

    @property
    def proper(self) -> bool:
        """Whether a refusal is made of known codes."""
        return all(code in CODES for code in self.codes)


def main() -> int:
    """Prints the figures of both suites."""
    if len(sys.argv) < 2:
        sys.stderr.write("usage: python -m benchmarks.attacks.conformance FOLDER...\n")
        return 2
    folders = [Path(name) for name in sys.argv[1:]]
    failed = False
    total = 0
    for title, results in (("JSON", json_results(folders)), ("YAML", yaml_results(folders))):
        counts: dict[tuple[str, str], list[str]] = {}
        for expected, outcome, name in results:
            counts.setdefault((expected, outcome), []).append(name)
        total += sum(map(len, counts.values()))
        for (expected, outcome), names in sorted(counts.items()):
            sys.stdout.write(f"{title}: {len(names):4} {expected}: {outcome}\n")
            if not _as_expected(expected, outcome):
                sys.stdout.write("           " + " ".join(sorted(names)) + "\n")
            failed = failed or outcome == WRONG or outcome.startswith("improper")
    if not total:
        sys.stderr.write(f"no file of either suite below {' '.join(sys.argv[1:])}\n")
        return 2
    return 1 if failed else 0


def _as_expected(expected: str, outcome: str) -> bool:
    if expected == "must be read":
        return outcome == READ
    return expected == "may be read" or outcome != READ


def answer(data: bytes, form: str) -> Answer:
    """What comes of the bytes of a file."""
    try:
        text = decode_text(data, f"suite.{form}")
    except FileProblem as problem:
        return Answer(None, (problem.code,))
    diagnostics = Diagnostics()
    root = read_plain(Source(f"suite.{form}", text, form), Meter(Limits()), diagnostics)
    codes = tuple(item.code for item in diagnostics)
    if root is None and not codes:
        return Answer(None, ("nothing was said",))
    return Answer(None if codes or root is None else plain(root), codes)


def _outcome(found: Answer, expected: Any) -> str:
    if not found.proper:
        return f"improper refusal {found.codes}"
    if found.codes:
        return f"refused with {found.codes[0]}"
    return READ if _same(found.data, expected) else WRONG


def _same(left: Any, right: Any) -> bool:
    """Equal, and of equal types all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


# --- JSON ---------------------------------------------------------------------------------------

_DEMANDS = {"y": "must be read", "n": "must be refused", "i": "may be read"}


def json_results(folders: list[Path]) -> Iterator[tuple[str, str, str]]:
    """What is demanded, what happens, and the name of each file."""
    files = [file for folder in folders for file in sorted(folder.rglob("[yni]_*.json"))]
    for file in files:
        data = file.read_bytes()
        found = answer(data, "json")
        expected = found.data
        if file.name[0] == "y":
            expected = json.loads(data)
        yield _DEMANDS[file.name[0]], _outcome(found, expected), file.stem


# --- YAML ---------------------------------------------------------------------------------------


def yaml_results(folders: list[Path]) -> Iterator[tuple[str, str, str]]:
    """What is demanded, what happens, and the name of each case of the profile."""
    for file in [file for folder in folders for file in sorted(folder.rglob("in.yaml"))]:
        name = "/".join(part for part in file.parent.parts[-2:])
        found = answer(file.read_bytes(), "yaml")
        if file.with_name("error").exists():
            yield "must be refused", _outcome(found, found.data), name
            continue
        events = file.with_name("test.event").read_text("utf-8").splitlines()
        text = file.read_bytes().decode("utf-8")
        expected, inside = _expected(events), _in_profile(events, text)
        if not inside:
            yield "outside of the profile", _outcome(found, found.data), name
        elif isinstance(expected, Foreign):
            yield "must be refused", _outcome(found, found.data), name
        else:
            yield "must be read", _outcome(found, expected), name


class Foreign(Exception):
    """A document that is YAML and no blueprint: keys that are maps, the same key twice, `.inf`."""


def _in_profile(events: list[str], text: str) -> bool:
    lines = [line.strip() for line in events]
    kinds = [line.partition(" ")[0] for line in lines]
    marked = any(re.match(r"[+=](?:MAP|SEQ|VAL)(?: [\[{][\]}])? [&<]", line) for line in lines)
    directive = re.search(r"^%", text, re.MULTILINE) is not None
    return not (marked or "=ALI" in kinds or kinds.count("+DOC") > 1 or directive)


def _expected(events: list[str]) -> Any:
    """The data that a list of events stands for, plain scalars by the core schema; or a Foreign."""
    rest = iter([line.lstrip(" ") for line in events])
    for line in rest:
        if line.startswith("+DOC"):
            try:
                return _node(next(rest), rest)
            except Foreign as problem:
                return problem
    return None  # no document at all


def _node(line: str, rest: Iterator[str]) -> Any:
    if line.startswith("+SEQ"):
        items = []
        while not (inner := next(rest)).startswith("-SEQ"):
            items.append(_node(inner, rest))
        return items
    if line.startswith("+MAP"):
        mapping: dict[str, Any] = {}
        while not (inner := next(rest)).startswith("-MAP"):
            if not inner.startswith("=VAL"):
                raise Foreign
            key = _scalar(inner)[1]
            if key in mapping:
                raise Foreign
            mapping[key] = _node(next(rest), rest)
        return mapping
    if line.startswith("=ALI"):
        return None
    style, text = _scalar(line)
    if style != ":":
        return text
    try:
        return resolve(text)
    except OutOfRange:
        raise Foreign from None


def _scalar(line: str) -> tuple[str, str]:
    match = _EVENT.match(re.sub(r"^=VAL (?:[&<]\S* )+", "=VAL ", line))
    if match is None:
        raise ValueError(f"not an event of the suite: {line!r}")
    return match[1], _ESCAPE.sub(lambda found: _ESCAPES[found[1]], match[2])


if __name__ == "__main__":
    sys.exit(main())
