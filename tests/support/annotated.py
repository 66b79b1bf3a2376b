"""Blueprints with marks under their mistakes, as the corpus in `places/` has them.

A file of the corpus holds many texts. Each begins with a heading and its options:

    === the name of the text [json crlf]

The options are `json`, `jsonc` or `yaml` (the default); `crlf`, `cr` and `bom`; `unended` for a
text without a line break at its end; `check` for the static checks alone; `garden` for a project of
Garden; `vars` for a file of variables, which may be `toml` or `env` too. A line `@ NAME {..}` gives
`variables`, `settings`, `state`, `datasources` or the `project`'s options as JSON, and `--- NAME`
begins a further file.
What a line ends with `<end` before is written without that, to show blanks. A line
of carets is a mark and no part of the text: it tells the code of a mistake that is found in the
line above it, in just these columns.

    values: ${variables.x}
              ^^^^^^^^^^^ variable_not_found

Columns count code points. After the code may stand `warning` or `note`, and `approximate` for a
place that says of itself that it is a guess. `!! CODE` is a mistake that has no place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
from bpp.pipeline import Diagnostic, Diagnostics, Limits, MemoryFiles, Settings, check, render
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.engine.input_files import read_variables
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import ERROR

from support import broken_kit

PLACES = Path(__file__).parents[1] / "places"

_HEADING = re.compile(r"=== (?P<name>[^\[]+?)(?: \[(?P<options>[^\]]*)\])?")
_MARK = re.compile(r"(?P<blanks> *)(?P<carets>\^+) (?P<code>[a-z0-9_]+)(?P<words>(?: [a-z]+)*)")
_NOWHERE = re.compile(r"!! (?P<code>[a-z0-9_]+)(?P<words>(?: [a-z]+)*)")
_FORMATS = ("yaml", "json", "jsonc", "toml", "env")
_BREAKS = {"crlf": "\r\n", "cr": "\r"}


@attrs.frozen(order=True)
class Mark:
    """One mistake: where it is found and how many columns of its first line it takes."""

    file: str
    line: int
    column: int
    width: int
    code: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}+{self.width}" if self.line else "nowhere"
        return " ".join((f"{place} {self.code}", *self.words))


@attrs.frozen
class Annotated:
    """One text of the corpus, the files beside it, and the mistakes that it should have."""

    name: str
    main: str
    files: dict[str, str]
    marks: tuple[Mark, ...]
    options: frozenset[str] = frozenset()
    given: dict[str, Any] = attrs.field(factory=dict)

    def diagnostics(self) -> list[Diagnostic]:
        """What is said of the text, by place."""
        settings = dict(self.given.get("settings", {}))
        if "limits" in settings:
            settings["limits"] = Limits(**settings["limits"])
        if "allow_net" in settings:
            settings["allow_net"] = tuple(settings["allow_net"])
        if "vars" in self.options:
            told = Diagnostics()
            read_variables(self.main, self.files[self.main].encode(), Meter(Limits()), told)
            return told.sorted()
        files = MemoryFiles(self.files)
        if "garden" in self.options:
            project = ProjectOptions(**self.given.get("project", {}))
            done = render(self.main, files=files, dialect="garden", options=project)
            return done.diagnostics.sorted()
        if "check" in self.options:
            return check(self.main, files=files, settings=Settings(**settings)).sorted()
        done = render(
            self.main,
            files=files,
            settings=Settings(**settings),
            variables=self.given.get("variables"),
            state=self.given.get("state"),
            datasources=self.given.get("datasources"),
            transforms=broken_kit.TRANSFORMS,
            providers=broken_kit.PROVIDERS,
            functions=broken_kit.FUNCTIONS,
            resolvers=broken_kit.RESOLVERS,
        )
        return done.diagnostics.sorted()


def corpus(folder: Path = PLACES) -> list[Annotated]:
    """All texts, in the order of the files and of what is in them."""
    return [text for file in sorted(folder.glob("*.txt")) for text in _texts(file)]


def marks_of(diagnostics: Iterable[Diagnostic]) -> list[Mark]:
    """Diagnostics as marks, in their order."""
    return sorted(_mark_of(item) for item in diagnostics)


def _mark_of(item: Diagnostic) -> Mark:
    words = [] if item.severity == ERROR else [item.severity]
    if item.span is None:
        return Mark("", 0, 0, 0, item.code, tuple(words))
    span = item.span
    if not span.exact:
        words.append("approximate")
    line = span.source.line(span.line)
    end = span.end_column if span.end_line == span.line else len(line) + 1
    width = max(1, end - span.column)
    return Mark(span.source.name, span.line, span.column, width, item.code, tuple(words))


def _texts(file: Path) -> Iterator[Annotated]:
    parts = re.split(r"^(?==== )", file.read_text("utf-8"), flags=re.M)
    for part in parts:
        if part.startswith("=== "):
            yield _text(file.stem, part.rstrip("\n").split("\n"))


def _text(topic: str, lines: list[str]) -> Annotated:
    heading = _HEADING.fullmatch(lines[0])
    if heading is None:
        raise ValueError(f"{topic}: no heading: {lines[0]}")
    options = frozenset((heading["options"] or "").split())
    extension = next((word for word in _FORMATS if word in options), "yaml")
    main = name = "project.garden.yml" if "garden" in options else f"blueprint.{extension}"
    files: dict[str, list[str]] = {main: []}
    marks: list[Mark] = []
    given: dict[str, Any] = {}
    for line in lines[1:]:
        written = files[name]
        if mark := _MARK.fullmatch(line):
            column = len(mark["blanks"]) + 1
            width = len(mark["carets"])
            words = tuple(mark["words"].split())
            marks.append(Mark(name, len(written), column, width, mark["code"], words))
        elif mark := _NOWHERE.fullmatch(line):
            marks.append(Mark("", 0, 0, 0, mark["code"], tuple(mark["words"].split())))
        elif line.startswith("@ "):
            _, key, value = line.split(" ", 2)
            given[key] = json.loads(value)
        elif line.startswith("--- "):
            name = line[4:]
            files[name] = []
        else:
            written.append(line.removesuffix("<end"))
    line_break = next((_BREAKS[word] for word in _BREAKS if word in options), "\n")
    texts = {key: "".join(line + line_break for line in written) for key, written in files.items()}
    if "unended" in options:
        texts[name] = texts[name].removesuffix(line_break)
    if "bom" in options:
        texts[main] = "\ufeff" + texts[main]
    return Annotated(
        f"{topic}: {heading['name']}", main, texts, tuple(sorted(marks)), options, given
    )
