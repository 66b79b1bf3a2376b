"""The table of options and its two readers, and shapes kept between runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bpp.pipeline import Limits, Target
from bpp.pipeline.answers.graph.model import FORMATS, ONLY, SHOW
from bpp.pipeline.cli import app, quick
from bpp.pipeline.cli.graph_command import run_graph
from bpp.pipeline.cli.render_inputs import settings_of
from bpp.pipeline.dialects.table import find_dialect
from bpp.pipeline.engine.options import Options, config_rows, rows_by_field, rows_of
from bpp.pipeline.language.language import Language
from bpp.pipeline.values.settings import SECRETS_KEEP, SECRETS_MASK, SECRETS_REVEAL
from bpp.pipeline.world import shape_files as shape_store


def every(command: str) -> list[app.Parameter]:
    return [one for one in app.parameters(command) if one.field and not one.row.is_argument]


@pytest.mark.parametrize("command", quick.COMMANDS)
def test_the_quick_reader_and_typer_read_the_same(command: str) -> None:
    """Each option alone, with a value that it can have."""
    for one in every(command):
        value = "1" if one.row.number else (one.row.choices or ("x",))[-1]
        line = [one.row.flag] if one.row.is_switch else [one.row.flag, value]
        words = [] if command == "build" else ["a.yaml"]
        fast = quick.quick_options([command, *line, *words])
        assert fast == (None if one.row.number else read_by_typer(command, [*line, *words]))


def read_by_typer(command: str, arguments: list[str]) -> object:
    """The values of a command line that typer parses."""
    typed = app.Command(command, lambda options: options)  # type: ignore[arg-type,return-value]
    return typed.main(arguments, prog_name="bpp", standalone_mode=False)


def test_a_shell_completes_values() -> None:
    command = app.Command("graph", run_graph)
    context = command.make_context("graph", [], resilient_parsing=True)
    values = {
        parameter.opts[0]: [one.value for one in parameter.shell_complete(context, "d")]
        for parameter in command.get_params(context)
    }
    assert values["--only"] == ["dependsOn"]
    assert values["--format"] == ["dot"]
    assert values["--dialect"] == values["--var"] == []


def test_a_field_has_one_kind_of_value() -> None:
    """Rows of one field differ in help and choices only."""
    for name, rows in rows_by_field():
        options = [row for row in rows if not row.is_argument]
        assert len({(row.flag, row.many, row.is_switch, row.number) for row in options}) <= 1, name


def test_commands_take_a_flag_once_and_say_what_it_does() -> None:
    for command in app.COMMANDS:
        flags = [one.row.flag for one in app.parameters(command) if not one.side]
        assert len(flags) == len(set(flags)), command
        assert all(one.row.help.endswith(".") for one in app.parameters(command))


def test_options_are_for_commands_that_exist() -> None:
    named = {command for _, rows in rows_by_field() for row in rows for command in row.commands}
    assert named == set(app.COMMANDS) - {"lsp"}  # an editor is served without options


def test_choices_are_those_of_the_modules_that_read_them() -> None:
    choices = {
        (command, row.flag): row.choices for command in app.COMMANDS for _, row in rows_of(command)
    }
    assert choices["graph", "--format"] == FORMATS
    assert choices["graph", "--only"] == tuple(ONLY)
    assert choices["graph", "--show"] == tuple(SHOW)
    assert choices["integration", "TOOL"] == ("bazel", "cmake")
    assert choices["render", "--secrets"] == (SECRETS_KEEP, SECRETS_MASK, SECRETS_REVEAL)


def test_the_reference_of_options_is_up_to_date() -> None:
    tool = Path(__file__).resolve().parent.parent / "tools" / "option_reference.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_settings_and_targets_have_the_fields_of_their_options() -> None:
    rows = config_rows()
    assert rows.keys() <= {*Target.__match_args__}
    given = Options(
        strict=True, secrets="mask", seed=3, allow_net=("a",), lock="l", keep_transform=("t",)
    )
    settings = settings_of(given)
    assert (settings.strict, settings.secrets, settings.seed) == (True, "mask", 3)
    assert (settings.allow_net, settings.lock, settings.keep_transform) == (("a",), "l", ("t",))


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
        ("check a.yaml b.yaml", {"files": ("a.yaml", "b.yaml")}),
        ("check", {}),
        ("eval len(x) -f a.yaml", {"expression": "len(x)", "file": "a.yaml"}),
        ("graph a.yaml", None),
        ("", None),
    ],
)
def test_command_lines(line: str, expected: dict[str, object] | None) -> None:
    found = quick.quick_options(line.split())
    assert found == (None if expected is None else Options(**expected))


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
