"""`bpp fmt`: documents in the one style, in place or as a difference."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

from ..dialects.table import detect_dialect
from ..engine.formatting import format_text
from ..engine.options import Options
from ..engine.run import Dialect
from ..formats.layout import unspaced
from ..rendering import failed_to_read
from ..values.diagnostics import ERROR, UNRECOGNISED, Diagnostic, Diagnostics
from ..values.source import Source
from ..values.terminal import visible
from ..world.files import FileProblem
from ..world.writing import write_atomically
from .render_inputs import Inputs, limits_of, named_dialect, report, status_of
from .searches import documents
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_out, write_raw
from .usage import STANDARD_INPUT, read_once


def run_fmt(options: Options) -> int:
    """Formats each document, unless it has a mistake, and tells which ones change."""
    read_once(*options.files)
    asked = options.dialect and named_dialect(options.dialect)
    found = Diagnostics(limits_of(options).max_diagnostics)
    named = set(options.files)
    changed = unreadable = False
    inputs: Inputs | None = None
    names = list(documents(options, _is_certain, every=True).files(options.files))
    for name in names:
        if name not in named and os.path.islink(name):
            continue
        inputs = Inputs(options.evolve(file=name), inputs)
        source = inputs.source()
        found.extend(inputs.diagnostics)
        unreadable |= inputs.unreadable
        if source is None:
            continue
        made = _formatted(source, asked or detect_dialect(source), bool(asked), options, found)
        if made is None:
            continue
        changed |= made != source.text
        try:
            _give(name, source, made, options, name in named)
        except FileProblem as problem:
            found.add(failed_to_read(problem))
            unreadable = True
    report(found, options, names[0])
    if unreadable:
        return EXIT_UNREADABLE
    if found.errors:
        return status_of(found)
    return EXIT_ERRORS if changed and options.check else 0


def _is_certain(dialect: Dialect, source: Source) -> bool:
    """Whether a file in a folder is certainly a document of a dialect."""
    recognises = dialect.stands_alone if dialect.recognises is None else dialect.recognises
    return recognises is not None and recognises(source)


def _formatted(
    source: Source, dialect: Dialect, asked: bool, options: Options, found: Diagnostics
) -> str | None:
    """The text of a document in the one style; None after a mistake, which is added."""
    rule = dialect.quotes
    known = rule is not None and rule.recognises(source)
    if rule is not None:
        found.quoting.admit(source, rule)
    made = format_text(source, dialect, limits_of(options)) if known or asked else None
    if made is not None and (known or not made.diagnostics):
        for item in made.diagnostics:
            found.add(item)
        return None if made.diagnostics else made.text
    summary = f"`{source.name}` is not recognisably a document of a dialect"
    hint = None if asked else "name its dialect with --dialect if it is one"
    place = made.diagnostics[0].span if made is not None else source.span(0, 0)
    found.add(Diagnostic(UNRECOGNISED, summary, place, ERROR, hint))
    return None


def _give(name: str, source: Source, made: str, options: Options, named: bool) -> None:
    """Writes a formatted text to where it belongs, and tells of a change.

    Raises:
        FileProblem: it cannot be written.
    """
    is_stream = name in STANDARD_INPUT
    if options.diff:
        write_out("".join(difference(source.text, made, source.name)))
    elif is_stream and not options.check:
        write_raw(made)
        return
    if made == source.text:
        return
    if not (options.check or options.diff):
        write_atomically(name, made.encode("utf-8", "surrogateescape"), named=named)
    if options.check or not options.diff:
        would = "would be " if options.check else ""
        write_err(f"{visible(source.name)}: {would}formatted\n")


def difference(before: str, after: str, name: str) -> Iterator[str]:
    """The unified difference of a text and what came of it, which differ in white space.

    What is not white space is the same in both, so that the lines of a change are found in time in
    proportion to the texts.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if before == after:
        return
    yield f"--- {name}\n"
    yield f"+++ {name}\n"
    for group in _Changes(old, new).get_grouped_opcodes(3):
        (_, a, _, b, _), (_, _, c, _, d) = group[0], group[-1]
        yield f"@@ -{_range(a, c)} +{_range(b, d)} @@\n"
        for tag, i, j, k, m in group:
            pieces = chain(
                (" " + line for line in old[i:j] if tag == "equal"),
                ("-" + line for line in old[i:j] if tag != "equal"),
                ("+" + line for line in new[k:m] if tag != "equal"),
            )
            for line in pieces:
                yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    """Lines as the head of a hunk has them."""
    count = stop - start
    return str(start + 1) if count == 1 else f"{start + (count > 0)},{count}"


class _Changes(SequenceMatcher[str]):
    """The runs of equal lines and those of changed ones, of which `difflib` makes hunks."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        super().__init__()
        self._found = _changes(old, new)

    def get_opcodes(self) -> list[Any]:
        """What is equal and what is changed."""
        return self._found


def _changes(old: list[str], new: list[str]) -> list[Any]:
    found: list[tuple[str, int, int, int, int]] = []
    left, right = [len(unspaced(line)) for line in old], [len(unspaced(line)) for line in new]
    i = j = ahead = 0

    def put(tag: str, a: int, b: int) -> None:
        if found and found[-1][0] == tag:
            _, x, _, y, _ = found.pop()
            found.append((tag, x, a, y, b))
        else:
            found.append((tag, i, a, j, b))

    while i < len(old) or j < len(new):
        a, b = i, j
        if ahead == 0 and i < len(old) and j < len(new) and old[i] == new[j]:
            a, b, tag = i + 1, j + 1, "equal"
        else:
            tag = "replace"
            # a line of the side that is behind; blank ones go alone
            if j == len(new) or (
                i < len(old) and (ahead < 0 or (ahead == 0 and left[i] <= right[j]))
            ):
                ahead += left[i]
                a += 1
            else:
                ahead -= right[j]
                b += 1
        put(tag, a, b)
        i, j = a, b
    return found
