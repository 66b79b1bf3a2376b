"""What other languages call functions and keys: each word leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bpp.functions.core.registry import core_functions
from bpp.functions.signatures import read_table
from bpp.pipeline import Source, check
from bpp.pipeline.dialects.bluelink.structure import near_fields, sections
from support.in_process import bpp_inside
from support.rows import hold

FUNCTIONS = core_functions()
WORDS = read_table("bpp.functions.core", "elsewhere.toml")
FIELDS = {**read_table(near_fields.__package__, "elsewhere.toml")}
ADVICE = FIELDS.pop("advice")
DEFINITIONS = {
    one.noun: one for one in vars(sections).values() if isinstance(one, sections.Definition)
}
OPPOSITES = (
    *("jsonencode", "to_json", "notcontains", "not_in", "neq", "not_equals", "unless", "reject"),
    *("nonempty", "isnull", "nonsensitive", "rejectattr"),
)


def test_a_word_is_listed_once_and_is_no_function() -> None:
    words = [word for others in WORDS.values() for word in others.split()]
    assert len(words) == len({*words}) > 200
    assert {*words} & {*FUNCTIONS} == set()
    assert all(re.fullmatch(r"[a-z0-9]+", word) for word in words)


def test_what_is_proposed_exists() -> None:
    hold(WORDS, _exists)


def _exists(advice: str) -> None:
    called = [advice] if advice.isidentifier() else re.findall(r"([a-z_0-9]+)\(", advice)
    assert {*called} <= {*FUNCTIONS}


@pytest.mark.parametrize("word", OPPOSITES)
def test_no_hint_proposes_the_opposite(word: str) -> None:
    advice = FUNCTIONS.advise(word) or ""
    assert not advice.startswith("did you mean")


def test_the_command_has_the_same_hint(tmp_path: Path) -> None:
    done = bpp_inside(tmp_path, "functions", "jsonencode")
    assert (
        done.stderr == f"error: unknown function `jsonencode` ({FUNCTIONS.advise('jsonencode')})\n"
    )


def test_how_a_word_is_written_makes_no_difference() -> None:
    for word in ("startsWith", "starts_with", "StartsWith", "startswith"):
        assert FUNCTIONS.advise(word) == "did you mean `has_prefix`?"
    assert FUNCTIONS.advise("Sub") == FUNCTIONS.advise("sub") is not None


@pytest.mark.parametrize("name", ["get_network_config", "print_all", "title", "bank", "zed"])
def test_nothing_unrelated_is_proposed(name: str) -> None:
    text = f"version: 2023-04-20\nresources: {{a: {{type: x/y, spec: {{b: '${{{name}(1)}}'}}}}}}\n"
    (item,) = check(Source("a.yaml", text, "yaml"))
    assert not (item.hint or "").startswith("did you mean")


@pytest.mark.parametrize("noun", FIELDS)
def test_a_key_elsewhere_means_a_key_of_its_definition(noun: str) -> None:
    fields = DEFINITIONS[noun].fields
    assert {*FIELDS[noun]} <= {*fields}
    words = [near_fields._plain(word) for others in FIELDS[noun].values() for word in others]
    assert len(words) == len({*words})
    assert {*words} & {near_fields._plain(field) for field in fields} == set()


@pytest.mark.parametrize("noun", ADVICE)
def test_a_word_with_advice_stands_for_no_key(noun: str) -> None:
    if noun != "reference":
        near = [near_fields.field_elsewhere(word, DEFINITIONS[noun]) for word in ADVICE[noun]]
        assert {*near} == {None}
    assert all(near_fields.advice(word, noun) for word in ADVICE[noun])
