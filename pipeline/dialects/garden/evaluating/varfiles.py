"""Files that give variables their values, by the extension of their names.

`.json` and `.yaml` or `.yml` hold a map, all others lines of `KEY=value`. What stands in them may
be templates, and is read with places like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .....functions.record import Record, field
from ....engine.context import Context
from ....formats.detection import format_of, read, read_documents
from ....formats.scalars import template
from ....values.source import Source, Span
from ....values.tree import AnyNode, Map, Scalar, Trail, kind_of
from ....world.files import FileProblem, decode_text
from ..structure.reading import report_problem

# ----------------------------------------------------------------------
# Lines of `KEY=value` as Garden reads them: in `.env` files and in `--var`.
#
# The rules are those of the `dotenv` package for JavaScript, which differ from those for blueprints
# (`varfiles.py`): a `#` ends a value without quotes wherever it stands, `KEY: value` will do, and
# what is no such line is passed over.

_LINE: Final = re.compile(
    r"""^[^\S\n]*(?:export[^\S\n]+)?(?P<key>[\w.-]+)(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)"""
    r"""(?P<value>'(?:\\'|[^'])*+'|"(?:\\"|[^"])*+"|`(?:\\`|[^`])*+`|[^#\r\n]*+)"""
    r"""[^\S\n]*(?:\#[^\n]*)?$""",
    re.MULTILINE | re.ASCII,
)
_QUOTES: Final = ("'", '"', "`")


class Line(Record):
    """One assignment: the key and the value, and the offsets at which they stand."""

    key: str
    value: str = field(repr=False)
    start: int
    end: int
    value_start: int


def read_dotenv(text: str) -> Iterator[Line]:
    """The assignments in a text, in order; a later one of the same key counts."""
    for match in _LINE.finditer(text):
        written = match["value"].rstrip()
        value = written
        if len(written) > 1 and written[0] in _QUOTES and written[-1] == written[0]:
            value = written[1:-1]
            if written[0] == '"':
                value = value.replace("\\n", "\n").replace("\\r", "\r")
        start = match.start("value")
        yield Line(match["key"], value, match.start("key"), start + len(written), start)


_CODE: Final = "invalid_variables_file"


def read_varfile(
    path: str,
    base: str | None,
    span: Span | None,
    optional: bool,
    context: Context,
    secret: bool = False,
) -> Map | None:
    """The variables in a file; None when it is not there and need not be, or cannot be read.

    `base` is the folder that the path starts from, None for a path of the user's own. Mistakes are
    reported, those about the file itself at `span`, where it is named. No message holds a path that
    is `secret`.
    """
    files = context.files
    try:
        if optional and not files.exists(files.resolve(path, base)):
            return None
        data = files.open_input(path) if base is None else files.read(path, base)
        name = "<variables>" if secret else files.shown(path, base)
        text = decode_text(data, name)
        if isinstance(text, FileProblem):
            raise text
    except FileProblem as problem:
        if secret:
            problem = FileProblem(problem.code, "the file that is named here cannot be read")
        report_problem(problem, span, context)
        return None
    kind = format_of(path) if not path.lower().endswith(".jsonc") else None
    source = Source(name, text, kind or "text")
    return _lines(source, context) if kind is None else _map(source, context)


def _lines(source: Source, context: Context) -> Map:
    language = context.language
    # such files hold what nobody else should read
    context.quoting.leave_unquoted(Span(source, 0, len(source.text)))
    trail = Trail(source, ("load",))
    items: dict[str, AnyNode] = {}
    places: dict[str, int] = {}
    for line in read_dotenv(source.text):
        if language.opener in line.value:
            node: AnyNode = template(
                line.value, language.split, trail, line.value_start, line.end, context.diagnostics
            )
        else:
            node = Scalar(line.value, trail, line.value_start, line.end)
        items.pop(line.key, None)
        items[line.key] = node
        places[line.key] = line.start
    return Map(items, places, trail, 0, len(source.text))


def _map(source: Source, context: Context) -> Map | None:
    language, diagnostics = context.language, context.diagnostics
    reading = (source, language.split, language.opener, context.limits, diagnostics)
    if source.format == "json":
        node = read(*reading)
        nodes = None if node is None else [node]
    else:
        nodes = read_documents(*reading)
    if nodes is None:
        return None
    if not nodes:
        return Map({}, {}, Trail(source, ("load",)), 0, 0)
    if len(nodes) > 1:
        diagnostics.error(_CODE, nodes[1].span, "a file of variables holds one document of YAML")
        return None
    root = nodes[0]
    if not isinstance(root, Map):
        summary = f"a file of variables is a map of names to values, not an {kind_of(root)}"
        diagnostics.error(_CODE, root.span, summary.replace("an string", "a string"))
        return None
    return root
