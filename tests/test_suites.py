"""The drivers that hold readers and writers against suites and other programs, in small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

JSON_FILES = {
    "y_numbers": b"[1, -0.5e3, 123456789012345678]",
    "y_text": b'{"a": "\\u00e9\\ud83d\\ude00", "": null}',
    "n_comma": b"[1,,2]",
    "n_text": b'["a\tb"]',
    "n_utf8": b'["\xff"]',
    "i_huge": b"[1e400]",
}
YAML_CASES = {
    "A/00": (
        "a: [b, 'c: d', 1.5]\n",
        "+MAP|=VAL :a|+SEQ []|=VAL :b|=VAL 'c: d|=VAL :1.5|-SEQ|-MAP",
    ),
    "A/01": ("- |\n  x\n  y\n- ~\n", "+SEQ|=VAL |x\\ny\\n|=VAL :~|-SEQ"),
    "B": ("a: &b c\n", "+MAP|=VAL :a|=VAL &b :c|-MAP"),
    "C": ("a: 'b\n", None),
}


def _write(folder: Path) -> None:
    for name, data in JSON_FILES.items():
        (folder / f"{name}.json").write_bytes(data)
    for name, (text, events) in YAML_CASES.items():
        place = folder / name
        place.mkdir(parents=True)
        (place / "in.yaml").write_text(text, "utf-8")
        if events is None:
            (place / "error").touch()
        else:
            lines = ["+STR", "+DOC", *_lines(events), "-DOC", "-STR"]
            (place / "test.event").write_text("\n".join(lines) + "\n", "utf-8")


def _lines(events: str) -> list[str]:
    return events.replace("=VAL |", "=VAL \0").replace("|", "\n").replace("\0", "|").split("\n")


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks.attacks.{name}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_suites_are_counted(tmp_path: Path) -> None:
    _write(tmp_path)
    done = _run("conformance", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert [" ".join(line.split()) for line in done.stdout.splitlines()] == [
        "JSON: 1 may be read: refused with number_out_of_range",
        "JSON: 2 must be read: read",
        "JSON: 1 must be refused: refused with invalid_character",
        "JSON: 1 must be refused: refused with invalid_json",
        "JSON: 1 must be refused: refused with invalid_utf8",
        "YAML: 2 must be read: read",
        "YAML: 1 must be refused: refused with invalid_yaml",
        "YAML: 1 outside of the profile: refused with yaml_alias_not_supported",
    ]


def test_a_wrong_value_is_told(tmp_path: Path) -> None:
    place = tmp_path / "D"
    place.mkdir()
    (place / "in.yaml").write_text("a: no\n", "utf-8")
    events = ["+STR", "+DOC", "+MAP", "=VAL :a", "=VAL :false", "-MAP", "-DOC", "-STR"]
    (place / "test.event").write_text("\n".join(events), "utf-8")
    done = _run("conformance", str(tmp_path))
    assert done.returncode == 1
    assert "1 must be read: read as another value" in done.stdout
    assert done.stdout.splitlines()[1].endswith("/D")


def test_values_are_written_and_read_back() -> None:
    done = _run("written", "--count", "2000", "--seed", "3")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("seed 3: 2,0")
    assert done.stdout.endswith(" 0 differences\n")
