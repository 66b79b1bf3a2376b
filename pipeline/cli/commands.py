"""How typer's commands are shown, and the options that dialects add to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperOption

_VALUES: Final = "bpp.own"
_NAMED: Final = "bpp.dialect"
_FLAG: Final = "--dialect"


class Command(TyperCommand):
    """A command whose usage shows arguments as `FILE`, where typer would write `{FILE}`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the command's name in its usage line."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


class RenderingCommand(Command):
    """A command that renders, and so takes the options of all dialects."""

    endings: tuple[str, ...] = ("",)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Notes which dialect is named: it may bring options."""
        ctx.meta[_NAMED] = _named(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of the command, then the options of dialects, then `--help`."""
        found = super().get_params(ctx)
        return [*found[:-1], *self._own(ctx), *found[-1:]]

    def _own(self, ctx: Any) -> Iterator[TyperOption]:
        from ..dialects.own_options import dialect_options

        for option in dialect_options(ctx.meta.get(_NAMED)).values():
            for ending in self.endings:
                yield TyperOption(
                    param_decls=[option.flag + ending],
                    help="The same for this side only." if ending else option.help,
                    metavar=option.metavar or None,
                    is_flag=not option.metavar,
                    default=None if option.metavar else False,
                    show_default=False,
                    multiple=option.many,
                    expose_value=False,
                    callback=_note,
                )


class TwoSidedCommand(RenderingCommand):
    """A command that renders twice; an option with `-a` or `-b` is for one side alone."""

    endings = ("", "-a", "-b")


def _named(args: list[str]) -> str | None:
    """The dialect that a command line names."""
    for position, text in enumerate(args):
        if text == _FLAG:
            return args[position + 1] if position + 1 < len(args) else None
        if text.startswith(f"{_FLAG}="):
            return text.partition("=")[2]
    return None


def _note(ctx: Any, parameter: Any, value: Any) -> Any:
    """Keeps the value of a dialect's option, if it was given."""
    if value is not None and value is not False and value != ():
        values = ctx.meta.setdefault(_VALUES, {})
        flag = parameter.opts[0]
        values[flag] = ("",) if value is True else value if parameter.multiple else (value,)
    return value


def own_values(context: typer.Context, ending: str = "") -> dict[str, tuple[str, ...]]:
    """The values of dialects' options by flag; with `ending` those for one side, without it."""
    others = TwoSidedCommand.endings[1:]
    return {
        flag.removesuffix(ending): tuple(values)
        for flag, values in context.meta.get(_VALUES, {}).items()
        if (flag.endswith(ending) if ending else not flag.endswith(others))
    }
