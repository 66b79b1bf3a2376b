"""The reader of ordinary YAML never differs from the one that reads a parser's events."""

from __future__ import annotations

from pathlib import Path

import pytest
from bpp.pipeline.dialects.table import find_dialect
from bpp.pipeline.formats.yaml_fast import read_lines
from bpp.pipeline.formats.yaml_reader import _composed
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.values.tree import AnyNode
from fuzz.verdict import facts
from hypothesis import given
from hypothesis import strategies as st
from support import rows

ROOT = Path(__file__).parent.parent
LIMITS = Limits()
LANGUAGE = Language(find_dialect("bluelink").syntax, LIMITS)
FILES = sorted([*ROOT.glob("tests/cases/**/*.yaml"), *ROOT.glob("examples/**/*.yaml")])

KEYS = (
    "a",
    "b",
    "name",
    "a.b",
    "0",
    "two words",
    '"q"',
    "'q'",
    "${a}",
    "-",
    "a-",
    "null",
    "k ",
    "... k",
    "",
)
VALUES = (
    *(
        "x",
        "two words",
        "1",
        "-1",
        "+1",
        "1.5",
        ".5",
        "0x1F",
        "0o7",
        "1e3",
        "true",
        "null",
        "~",
        "",
    ),
    *(
        "${variables.a}",
        "a-${values.b}-c",
        '"${variables.a}"',
        "'${values.b} '",
        "${",
        "$${a}",
        "${a",
    ),
    *(
        '"a b"',
        "'it''s'",
        '"a\\"b\\n"',
        '"a\\x41"',
        '"open',
        "'open",
        '"a" b',
        "a 'b'",
        'a "b"',
        '""',
    ),
    *(
        "- x",
        "-",
        "--- x",
        "...",
        "?",
        "? x",
        ": x",
        ":x",
        "a: b",
        "a:b",
        "a :b",
        "x:",
        "x #c",
        "x# c",
    ),
    *(
        "# c",
        "#",
        "&a x",
        "*a",
        "!t x",
        "%x",
        "@x",
        "`x",
        "[",
        "]",
        "[]",
        "{}",
        "[ ]",
        "[a, b]",
        "[a,b]",
    ),
    *(
        "[\"${values.b}\", 1, 'x', -1]",
        "[a, ]",
        "[a b, c: d]",
        "[[a]]",
        "[[a], {b: [1, {}]}, []]",
        "{a: {b: [1]}, 'c d': \"${values.b}\"}",
        "[ a , b ]  # c",
        "[a]]",
        "{a: b: c}",
        "{a:  {b:   c}}",
        "--flag",
        "{a: 1}",
        "{a: 1, a: 2}",
        "{a}",
    ),
    *(
        "{a: ${b}}",
        "[] x",
        "[] # c",
        "|",
        "|-",
        "|+",
        "|2",
        "| # c",
        "| x",
        ">",
        ">-",
        "<<",
        "=",
        "a\u00a0b",
    ),
    *(
        "9223372036854775808",
        ".inf",
        "\u00e9",
        "(x)",
        "$x",
        "/a/b",
        "x\\y",
        "a, b",
        "a]b",
        "http://a.b:80/c",
        "12:30",
        "::a:",
        "x  y",
        "x ",
    ),
)
INDENTS = st.sampled_from(("", "  ", "    ", " ", "   ", "      "))
PIECES = st.one_of(
    st.builds("{}{}: {}".format, st.just(""), st.sampled_from(KEYS), st.sampled_from(VALUES)),
    st.builds("- {}: {}".format, st.sampled_from(KEYS), st.sampled_from(VALUES)),
    st.builds("{}:".format, st.sampled_from(KEYS)),
    st.builds("a: {{{}: {}, b: [{}, c:d]}}".format, *map(st.sampled_from, (KEYS, VALUES, VALUES))),
    st.builds("-{}{}".format, st.sampled_from((" ", "  ", "   ")), st.sampled_from(VALUES)),
    st.sampled_from(VALUES),
    st.sampled_from(("", "-", "# c", "---", "...", "\t", "text of a block", "${values.b}")),
)
LINES = st.builds("{}{}{}".format, INDENTS, PIECES, st.sampled_from(("", "", "", " ", "  # c")))
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINES, min_size=1, max_size=7),
    st.sampled_from(("\n", "\n\n", "", "\n  \n", "\r\n")),
)


@given(TEXTS)
def test_what_is_read_line_by_line_is_what_the_parser_reads(text: str) -> None:
    hold(text)


FOLDERS = {path.relative_to(ROOT).parts[:3] for path in FILES}


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids="/".join)
def test_real_files_are_read_as_the_parser_reads_them(folder: tuple[str, ...]) -> None:
    chosen = [path for path in FILES if path.relative_to(ROOT).parts[:3] == folder]
    rows.hold(chosen, lambda path: hold(path.read_text(encoding="utf-8", errors="replace")))


def test_ordinary_files_are_read_line_by_line() -> None:
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in FILES]
    assert sum(quick(text) is not None for text in texts) > 0.8 * len(texts)


@pytest.mark.parametrize(
    ("name", "most", "text"),
    [
        ("max_nodes", 4, "a: b\nc: d\n"),
        ("max_depth", 1, "a:\n  b: c\n"),
        ("max_depth", 1, "- b: c\n"),
        ("max_scalar_chars", 8, "a: 123456789\n"),
        ("max_scalar_chars", 8, "a: |\n  123456\n  123456\n"),
        ("max_key_chars", 2, "abc: d\n"),
        ("max_key_chars", 2, "abc:\n  d: e\n"),
    ],
)
def test_limits_are_left_to_the_parser(name: str, most: int, text: str) -> None:
    source = Source("t.yaml", text, "yaml")
    assert read_lines(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS)) is not None
    tight = LIMITS.evolve(**{name: most})
    assert read_lines(source, LANGUAGE.split, LANGUAGE.opener, Meter(tight)) is None


def hold(text: str) -> None:
    """Fails when the text is read line by line, but not as the parser reads it."""
    root = quick(text)
    if root is None:
        return
    source = Source("t.yaml", text, "yaml")
    diagnostics = Diagnostics()
    expected = _composed(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS), diagnostics)
    assert not list(diagnostics)
    assert expected is not None and facts(root) == facts(expected)


def quick(text: str) -> AnyNode | None:
    source = Source("t.yaml", text, "yaml")
    return read_lines(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS))
