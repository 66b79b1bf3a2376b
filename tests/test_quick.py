"""The table of `render`'s options against what typer knows, and shapes kept between runs."""

from __future__ import annotations

import inspect

import pytest
from bpp.pipeline import Limits
from bpp.pipeline.cli import app, quick
from bpp.pipeline.cli.render_command import RenderOptions
from bpp.pipeline.dialects.table import find_dialect
from bpp.pipeline.language.language import Language
from bpp.pipeline.world import shape_files as shape_store

# What typer alone reads: numbers, whose mistakes it words.
LEFT_TO_TYPER = {"--seed"}


def typer_options() -> dict[str, tuple[str, str]]:
    """The flags of `render` as typer has them: field and kind by flag."""
    found = {}
    for parameter in inspect.signature(app.render, eval_str=True).parameters.values():
        for extra in getattr(parameter.annotation, "__metadata__", ()):
            flags = getattr(extra, "param_decls", None)
            if flags is None or parameter.name == "file":
                continue
            base = parameter.annotation.__origin__
            kind = quick.FLAG if base is bool else quick.MANY if "list" in str(base) else quick.TEXT
            # typer takes the first flag for a default until it reads the annotation
            found.update(dict.fromkeys((extra.default, *flags), (parameter.name, kind)))
    return found


def test_the_table_knows_what_typer_knows() -> None:
    known = {k: v for k, v in typer_options().items() if k not in LEFT_TO_TYPER}
    assert known == quick.OPTIONS


def test_every_field_is_an_option() -> None:
    RenderOptions(file="x", **{field: None for field, _ in quick.OPTIONS.values()})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("render a.yaml", {"file": "a.yaml"}),
        ("render -", {"file": "-"}),
        ("render a.yaml -o out.yaml", {"file": "a.yaml", "output": "out.yaml"}),
        ("render --var a=b=c a.yaml --var d=", {"file": "a.yaml", "var": ("a=b=c", "d=")}),
        (
            "render a.yaml --format=json --strict",
            {"file": "a.yaml", "format": "json", "strict": True},
        ),
        ("render", None),
        ("render a.yaml b.yaml", None),
        ("render a.yaml --help", None),
        ("render a.yaml --formt json", None),
        ("render a.yaml --strict=yes", None),
        ("render a.yaml --output", None),
        ("render a.yaml --seed 1", None),
        ("render -oout.yaml a.yaml", None),
        ("check a.yaml", None),
        ("", None),
    ],
)
def test_command_lines(line: str, expected: dict[str, object] | None) -> None:
    assert quick.quick_options(line.split()) == expected


def language(shapes: object = None) -> Language:
    return Language(find_dialect("bluelink").syntax, Limits(), shapes)  # type: ignore[arg-type]


TEXTS = (
    '${join(list(variables.a, "x", none, 1, 2.5, true), "-")}',
    '${values.a["b.c"][0].d}-${thing.spec.x}',
    "${object(k=resources.a.state.b).k[1]}${i}",
)


def test_kept_shapes_mean_the_same_and_need_no_parser() -> None:
    first = language()
    before = [first.split(text) for text in TEXTS]
    second = language(shape_store.from_bytes(shape_store.to_bytes(first.shapes)))
    for text, segments in zip(TEXTS, before, strict=True):
        again = second.split(text)
        for one, other in zip(segments.substitutions, again.substitutions, strict=True):
            assert one.shape.expression == other.shape.expression
            assert one.literals == other.literals
    assert first.parses > 0
    assert second.parses == 0


def test_a_damaged_store_is_no_store() -> None:
    first = language()
    first.split(TEXTS[0])
    data = shape_store.to_bytes(first.shapes)
    assert shape_store.from_bytes(data)
    for position in range(0, len(data), 7):
        damaged = data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :]
        assert shape_store.from_bytes(damaged) == {}
    assert shape_store.from_bytes(data[:-1]) == {}
    assert shape_store.from_bytes(b"") == {}


def test_string_literals_are_not_kept() -> None:
    first = language()
    first.split('${join(list("hunter2", variables.a), "hunter3")}')
    assert b"hunter" not in shape_store.to_bytes(first.shapes)
