"""Files in other encodings, with marks, line breaks and characters that not every reader takes."""

from __future__ import annotations

import pytest
from bpp.pipeline import FileProblem, MemoryFiles, render
from bpp.pipeline.codes import CODES

YAML = 'version: 2023-04-20\nresources:\n  a:\n    type: x/y\n    spec: {k: "@"}\n'
JSON = '{"version": "2023-04-20",\n"resources": {"a": {"type": "x/y",\n"spec": {"k": "@"}}}}'
AT_YAML, AT_JSON = "5:16", "3:16"
BOM = b"\xef\xbb\xbf"


def outcome(data: bytes, form: str) -> str:
    """The value of `k`, or each code with its place."""
    name = f"a.{form}"
    try:
        run = render(name, files=MemoryFiles({name: data}))
    except FileProblem as problem:
        assert problem.code in CODES
        assert problem.hint == "save it as UTF-8"
        assert problem.span is not None
        return f"{problem.code}@{problem.span.line}:{problem.span.column}"
    if not run.ok:
        places = [
            f"{d.code}@{d.span.line}:{d.span.column}" if d.span else d.code for d in run.diagnostics
        ]
        return " ".join(places)
    import json

    return str(json.loads(run.text("json"))["resources"]["a"]["spec"]["k"])


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_line_breaks_and_a_mark_in_front_change_nothing(mark: bytes, end: str, form: str) -> None:
    text = (YAML if form == "yaml" else JSON).replace("\n", end)
    assert outcome(mark + text.replace("@", "é😀").encode(), form) == "é😀"
    # and places are counted alike
    wrong = mark + text.replace("@", "${nothing}").encode()
    place = {"yaml": "5:18", "json": "3:18"}[form]
    assert outcome(wrong, form) == f"resource_not_found@{place}"


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_wide_encodings_are_told(mark: str, encoding: str, form: str) -> None:
    text = mark + (YAML if form == "yaml" else JSON)
    data = text.encode(encoding)
    name = f"a.{form}"
    with pytest.raises(FileProblem) as problem:
        render(name, files=MemoryFiles({name: data}))
    assert problem.value.message == f"`{name}` is written in {encoding[:6].upper()}"
    assert outcome(data, form) == "invalid_utf8@1:1"


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize(
    "data",
    [
        b"\xe9",  # Latin-1
        b"\xc3",  # a character that is cut off
        b"\x80",  # a byte that continues nothing
        b"\xc0\xaf",  # a longer form than needed
        b"\xed\xa0\x80",  # half of a character
        b"\xf4\x90\x80\x80",  # beyond U+10FFFF
        b"\xff",
    ],
)
def test_bytes_that_are_no_utf8_are_told_with_their_place(data: bytes, form: str) -> None:
    text = (YAML if form == "yaml" else JSON).encode()
    place = AT_YAML if form == "yaml" else AT_JSON
    assert outcome(text.replace(b"@", data), form) == f"invalid_utf8@{place}"
    assert outcome(BOM + text.replace(b"@", data), form) == f"invalid_utf8@{place}"


# what stands between the quotes; what YAML and what JSON make of it, `=` for the character itself
CHARACTERS = [
    ("\t", "=", "invalid_character"),
    ("\0", "invalid_character", "invalid_character"),
    ("\x01", "invalid_character", "invalid_character"),
    ("\b", "invalid_character", "invalid_character"),
    ("\v", "invalid_character", "invalid_character"),
    ("\f", "invalid_character", "invalid_character"),
    ("\x1b", "invalid_character", "invalid_character"),
    ("\x1f", "invalid_character", "invalid_character"),
    ("\x7f", "invalid_character", "="),
    ("\x80", "invalid_character", "="),
    ("\x85", "invalid_character", "="),
    ("\x9f", "invalid_character", "="),
    ("\u2028", "invalid_character", "="),
    ("\u2029", "invalid_character", "="),
    ("\ufeff", "invalid_character", "="),
    ("\ufffe", "invalid_character", "="),
    ("\uffff", "invalid_character", "="),
    ("\xa0", "=", "="),
    ("\xad", "=", "="),
    ("\u0301", "=", "="),
    ("\u200b", "=", "="),
    ("\u202e", "=", "="),
    ("\ud7ff", "=", "="),
    ("\ue000", "=", "="),
    ("\uf8ff", "=", "="),
    ("\ufdd0", "=", "="),
    ("\ufffd", "=", "="),
    ("\U00010000", "=", "="),
    ("\U0001f600", "=", "="),
    ("\U0001ffff", "=", "="),
    ("\U0010ffff", "=", "="),
    ("x" * 500_000, "=", "="),
]


@pytest.mark.parametrize(
    ("text", "in_yaml", "in_json"), CHARACTERS, ids=lambda text: repr(text)[:16]
)
def test_each_character_is_read_or_refused_at_its_place(
    text: str, in_yaml: str, in_json: str
) -> None:
    for form, expected in (("yaml", in_yaml), ("json", in_json)):
        data = (YAML if form == "yaml" else JSON).replace("@", f"a{text}b").encode()
        if expected == "=":
            assert outcome(data, form) == f"a{text}b"
        else:
            place = "5:17" if form == "yaml" else "3:17"
            assert outcome(data, form) == f"{expected}@{place}"


ESCAPES = [
    (r"\u00e9", "é", "é"),
    (r"\ud83d\ude00", "invalid_yaml@5:18", "😀"),
    (r"\ud83d", "invalid_yaml@5:18", "invalid_character@3:16"),
    (r"\ude00", "invalid_yaml@5:18", "invalid_character@3:16"),
    (r"\ude00\ud83d", "invalid_yaml@5:18", "invalid_character@3:16"),
    (r"\ud83d\u0041", "invalid_yaml@5:18", "invalid_character@3:16"),
    (r"\ud83dx", "invalid_yaml@5:18", "invalid_character@3:16"),
    (r"\U0001F600", "😀", "invalid_json@3:16"),
    (r"\U00110000", "invalid_yaml@5:18", "invalid_json@3:16"),
    (r"\UFFFFFFFF", "invalid_yaml@5:18", "invalid_json@3:16"),
    (r"\x41", "A", "invalid_json@3:16"),
    (r"\u12", "invalid_yaml@5:18", "invalid_json@3:16"),
    (r"\q", "invalid_yaml@5:16", "invalid_json@3:16"),
    (r"\/", "/", "/"),
    (r"\u0000", "\0", "\0"),
    (r"\ufeff", "\ufeff", "\ufeff"),
    (r"\uffff", "\uffff", "\uffff"),
    (r"\u0085\u2028", "\x85\u2028", "\x85\u2028"),
    (r"\N\L\P\_\e", "\x85\u2028\u2029\xa0\x1b", "invalid_json@3:16"),
]


@pytest.mark.parametrize(("text", "in_yaml", "in_json"), ESCAPES)
def test_each_escape_is_read_or_refused_at_its_place(text: str, in_yaml: str, in_json: str) -> None:
    assert outcome(YAML.replace("@", text).encode(), "yaml") == in_yaml
    assert outcome(JSON.replace("@", text).encode(), "json") == in_json


@pytest.mark.parametrize(
    ("data", "in_yaml", "in_json"),
    [
        (b"", "invalid_map@1:1", "invalid_json@1:1"),
        (BOM, "invalid_map@1:1", "invalid_json@1:1"),
        (b"\n\n", "invalid_map@1:1", "invalid_json@1:1"),
        (b"  \r\n", "invalid_map@1:1", "invalid_json@1:1"),
        (b"\0", "unrecognised_file@1:1", "unrecognised_file@1:1"),
        (b"# c\n", "invalid_map@1:1", "invalid_json@1:1"),
        (b"// c\n", "unrecognised_file@1:1", "unrecognised_file@2:1"),
        (b"/* c */", "unrecognised_file@1:1", "unrecognised_file@1:8"),
        (b"null", "unrecognised_file@1:1", "unrecognised_file@1:1"),
        (b"\x1f\x8b\x08\0", "invalid_utf8@1:2", "invalid_utf8@1:2"),
        (b"PK\x03\x04", "unrecognised_file@1:3", "unrecognised_file@1:1"),
    ],
)
def test_files_without_a_blueprint_are_told(data: bytes, in_yaml: str, in_json: str) -> None:
    assert outcome(data, "yaml") == in_yaml
    assert outcome(data, "json") == in_json
