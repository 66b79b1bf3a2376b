"""Files of tests: cases of inputs, and what is expected of a render with them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from ...functions.record import Record, field
from ..building.expansion import Path, expand
from ..building.target import Target
from ..formats.detection import EXTENSIONS
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics
from ..values.quoting import Quoting, QuotingRule, Range
from ..values.settings import Limits
from ..values.source import Source, Span
from ..values.tree import AnyNode, Map
from ..world.data_files import read_data
from ..world.files import DiskFiles

CODE: Final = "invalid_test_file"
MARK: Final = ".blueprint-test"
"""What stands before the extension of the name of a file of tests."""

_ENDINGS: Final = ("", ".blueprint")
_INPUTS: Final = frozenset({"variables", "options"})


class Case(Record, eq=False):
    """One test: its name, the target that is rendered, and the node of what is expected.

    `expect` is the same as plain data; `span` is the place of the test's name.
    """

    name: str
    target: Target
    expect: dict[str, Any]
    span: Span
    node: AnyNode | None = field(default=None, repr=False)


class TestFile(Record, eq=False):
    """A file of tests; there are no cases when its diagnostics have errors.

    `name` is the one for messages, `path` the real path; relative paths start at its folder. `root`
    is the tree of its `source`.
    """

    __test__ = False  # pytest takes its name for that of a test

    name: str
    path: str
    cases: tuple[Case, ...]
    diagnostics: Diagnostics
    source: Source | None = None
    root: Map = field(default=None, repr=False)

    @property
    def folder(self) -> str:
        """The folder that relative paths start from."""
        return os.path.dirname(self.path)


def is_test_file(name: str) -> bool:
    """True for the name of a file of tests."""
    stem, extension = os.path.splitext(os.path.basename(name).lower())
    return extension in EXTENSIONS and stem.endswith(MARK)


def read_tests(name: str, files: DiskFiles) -> TestFile:
    """The tests in a file that the user names; mistakes are in its diagnostics.

    Raises:
        FileProblem: it cannot be read.
    """
    from ..building.tables import Tests, check_tables
    from ..formats.records import RecordError

    data = files.open_input(name, only_file=True)
    found = TestFile(files.shown(name), files.resolve(name), (), Diagnostics())
    content, root = read_data(found.name, data, Meter(Limits()), found.diagnostics)
    if root is None:
        return found
    source = root.trail.source
    found.diagnostics.quoting.admit(source, QuotingRule(_is_ours, _Hidden(root)))
    found = found.evolve(source=source)
    blame = _Blame(root, found.diagnostics)
    if not isinstance(content, dict) or "tests" not in content:
        words = f"`{found.name}` is no file of tests: it has no `tests` at the top level"
        blame.add((), words, "name a file such as `app.blueprint-test.yaml`")
        return found
    _times(content)
    try:
        check_tables(content, Tests)
    except RecordError as error:
        for path, words in error.problems:
            blame.add(path, words, key=path in error.unknown)
        return found
    cases = tuple(_cases(content, found, blame, files))
    if not cases and not found.diagnostics.errors:
        blame.add((), "there are no tests", "add one below `tests`, by its name")
    assert isinstance(root, Map)
    return found if found.diagnostics.errors else found.evolve(cases=cases, root=root)


def _is_ours(source: Source) -> bool:
    return re.search(r"""(?m)^[ \t{]*["']?tests["']?[ \t]*:""", source.text) is not None


def _times(content: dict[str, Any]) -> None:
    """Makes moments of the texts that are written for `now`, as TOML does itself."""
    tests = content.get("tests")
    tables = [content.get("defaults"), *(tests.values() if isinstance(tests, dict) else ())]
    for table in tables:
        if isinstance(table, dict) and isinstance(table.get("now"), str):
            try:
                table["now"] = datetime.fromisoformat(table["now"])
            except ValueError:
                continue


def _cases(
    content: dict[str, Any], found: TestFile, blame: _Blame, files: DiskFiles
) -> Iterator[Case]:
    """The tests of a well-formed file, each combination of a matrix for itself."""
    tests = content.get("tests", {})
    names = [*tests]
    blueprint = content.get("blueprint") or _named_after(found, files)
    shared = {**content.get("defaults", {}), "output": "-"}
    if blueprint is not None:
        shared.setdefault("blueprint", blueprint)
    elif any("blueprint" not in {**shared, **table} for table in tests.values()):
        stem = _stem(found)
        words = f"there is no blueprint beside this file that it is named after, `{stem}`"
        blame.add((), words, "name it: `blueprint: FILE`")
        return
    targets = {
        str(number): {key: value for key, value in table.items() if key != "expect"}
        for number, table in enumerate(tests.values())
    }

    def report(code: str, path: Path, words: str, hint: str | None) -> None:
        if path[:1] == ("targets",):
            path = ("tests", names[int(path[1])], *path[2:])
        blame.add(path, words, hint, code=CODE if code == "invalid_configuration" else code)

    for target in expand({"defaults": shared, "targets": targets}, report):
        title = names[int(target.group)]
        name = title + target.name.removeprefix(target.group)
        yield Case(
            name,
            target.evolve(name=name, group=title),
            tests[title].get("expect", {}),
            blame.place(("tests", title), key=True),
            blame.node(("tests", title, "expect")),
        )


def _stem(found: TestFile) -> str:
    return os.path.basename(found.path).rpartition(MARK)[0]


def _named_after(found: TestFile, files: DiskFiles) -> str | None:
    """The document beside a file of tests that has its name."""
    stem = _stem(found)
    for ending in _ENDINGS[::-1]:
        for extension in EXTENSIONS:
            name = f"{stem}{ending}{extension}"
            if files.exists(os.path.join(found.folder, name)):
                return name
    return None


class _Hidden:
    """The parts of a file of tests that no report quotes: inputs may hold secrets."""

    def __init__(self, root: AnyNode) -> None:
        self._root = root

    def __call__(self, source: Source, quoting: Quoting) -> Iterator[Range]:
        tests = self._root.get("tests") if isinstance(self._root, Map) else None
        shared = self._root.get("defaults") if isinstance(self._root, Map) else None
        tables = [shared, *(tests.items.values() if isinstance(tests, Map) else ())]
        for table in tables:
            for key, node in table.items.items() if isinstance(table, Map) else ():
                if key in _INPUTS:
                    yield node.start, node.end


class _Blame:
    """Adds diagnostics about paths in a file of tests."""

    def __init__(self, root: AnyNode, diagnostics: Diagnostics) -> None:
        self._root = root
        self._diagnostics = diagnostics

    def add(
        self,
        path: Path,
        words: str,
        hint: str | None = None,
        key: bool = False,
        code: str = CODE,
    ) -> None:
        """Adds an error about the value at a path, or about its key."""
        self._diagnostics.error(code, self.place(path, key), words, hint)

    def node(self, path: Path) -> AnyNode | None:
        """The node at a path, if there is one."""
        from ..answers.nodes import node_at

        return node_at(self._root, path)

    def place(self, path: Path, key: bool = False) -> Span:
        """Where a path is written, as far as it is: its value, or its key."""
        from ..answers.nodes import chain

        items, nodes = chain(self._root, path)
        above = nodes[-2] if len(nodes) > 1 else None
        if key and len(items) == len(path) and isinstance(above, Map):
            return above.key_span(str(items[-1]))
        node = nodes[-1]
        if isinstance(node, Map) and items and isinstance(above, Map):
            return above.key_span(str(items[-1]))
        return node.span if items else node.trail.source.span(0, 0)
