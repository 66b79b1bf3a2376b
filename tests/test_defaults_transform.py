"""The patterns of `bpp/defaults-1`; what it makes of blueprints is in `cases/transforms`."""

from __future__ import annotations

import pytest
from bpp.pipeline import Source, render
from bpp.pipeline.values.tree import Map
from bpp.transforms.expansion import is_pattern, matches, rank


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("aws/lambda/function", "aws/lambda/function", "aws/lambda/functions"),
        ("aws/lambda/*", "aws/lambda/layer", "aws/lambda"),
        ("aws/*", "aws/bucket", "aws/s3/bucket"),
        ("aws/**", "aws/s3/bucket", "awsx/s3"),
        ("*/queue", "example/queue", "aws/sqs/queue"),
        ("**/queue", "aws/sqs/queue", "aws/sqs/queues"),
        ("aws/sq*/queue", "aws/sqs/queue", "aws/s/queue"),
        ("**", "a/b", ""),
        ("a.b/c", "a.b/c", "axb/c"),
    ],
)
def test_what_a_pattern_fits(pattern: str, fitting: str, other: str) -> None:
    assert is_pattern(pattern)
    assert matches(pattern, fitting)
    assert pattern == "**" or not matches(pattern, other)


@pytest.mark.parametrize("text", ["", "a b", "/a", "a/", "a//b", "a/***", "a/?", "${a}", "a,b"])
def test_what_is_no_pattern(text: str) -> None:
    assert not is_pattern(text)


def test_the_more_special_pattern_wins() -> None:
    ascending = ["**", "*/*", "aws/**", "aws/*/*", "aws/lambda/*", "aws/lambda/function*", "a/b"]
    assert [*map(rank, ascending)] == sorted(map(rank, ascending))


def test_a_slow_pattern_is_not_slow() -> None:
    assert not matches("a/" + "*a" * 30, "a/" + "a" * 200 + "b")
    assert not matches("**a" * 30, "a" * 200 + "b")


def test_what_a_default_brings_has_the_place_of_the_default() -> None:
    text = """\
version: 2023-04-20
transform: bpp/defaults-1
metadata:
  bppDefaults:
    a/b: {spec: {x: 1}}
resources:
  r: {type: a/b, spec: {}}
"""
    run = render(Source("app.yaml", text, "yaml"))
    section = dict(run.stages)["transform"].section("resources")
    assert section is not None
    node = section.items["r"]
    assert isinstance(node, Map)
    spec = node.items["spec"]
    assert isinstance(spec, Map)
    assert spec.items["x"].span.line == 5
    assert spec.items["x"].origin.steps == ("load", "bpp/defaults-1")
