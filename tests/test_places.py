"""Mistakes are shown where they are: each line and column of an annotated corpus."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from bpp.pipeline.codes import CODES
from support.annotated import Annotated, corpus, marks_of
from support.harness import NOWHERE, discover, discover_others
from test_codes import RESERVED, sources

HERE = Path(__file__).parent
CORPUS = corpus()
CASES = (*discover(), *discover_others())

# Codes that need more than texts (files, servers, builds): a test module that brings them about.
ELSEWHERE = {
    "duplicate_output": "test_build_configuration",
    "effect_not_allowed": "test_remote",
    "file_too_large": "test_files",
    "file_unreadable": "test_files",
    "expectation_failed": "test_blueprint_tests",
    "function_failed": "test_custom_functions",
    "invalid_configuration": "test_build_configuration",
    "invalid_lock": "test_remote",
    "invalid_test_file": "test_blueprint_tests",
    "limit_not_tighter": "test_build_configuration",
    "network_failed": "test_network",
    "not_formatted": "test_fmt",
    "not_json": "test_kargo_templates",
    "remote_changed": "test_remote",
    "remote_denied": "test_remote",
    "remote_extra_missing": "test_remote_stores",
    "remote_failed": "test_remote",
    "remote_not_a_blueprint": "test_remote",
    "remote_not_cached": "test_remote",
    "remote_not_found": "test_remote",
    "remote_not_locked": "test_remote",
    "target_cycle": "test_build",
    "unknown_placeholder": "test_build_configuration",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=text.name) for text in CORPUS])
def test_every_mistake_is_where_it_is_marked(text: Annotated) -> None:
    found = marks_of(text.diagnostics())
    assert [str(mark) for mark in found] == [str(mark) for mark in text.marks]
    assert found


def test_the_corpus_is_large() -> None:
    marks = [mark for text in CORPUS for mark in text.marks]
    assert len(CORPUS) >= 150
    assert len(marks) >= 600
    assert len({text.name for text in CORPUS}) == len(CORPUS)


def test_every_code_with_a_place_is_in_the_corpus() -> None:
    marked = {mark.code for text in CORPUS for mark in text.marks if mark.line}
    exact = re.compile(r"(?:.*:)?([a-z0-9_]+)@\d+:\d+")
    for case in CASES:
        told = (*case.errors, *(case.warnings or ()), *(case.notes or ()))
        found = map(exact.fullmatch, told)
        marked |= {match[1] for match in found if match}
    assert _codes_of_blueprints() - marked - RESERVED == set(ELSEWHERE) | NOWHERE
    for code, module in ELSEWHERE.items():
        assert code in (HERE / f"{module}.py").read_text("utf-8")


def _codes_of_blueprints() -> set[str]:
    """The codes that not only the documents of another dialect can have."""
    dialects = HERE.parent / "pipeline" / "dialects"
    others = {path.name for path in dialects.iterdir() if path.is_dir()} - {"bluelink"}
    texts = [path.read_text("utf-8") for path in sources() if others.isdisjoint(path.parts)]
    words = set(re.findall(r'"([a-z0-9_]+)"', "".join(texts)))
    return set(CODES) & words


def test_places_that_are_guesses_are_few() -> None:
    guessed = Counter(
        mark.code for text in CORPUS for mark in text.marks if "approximate" in mark.words
    )
    assert guessed == {}
