"""The values that the shell offers for an option or an argument, by what its row says they are.

Offers names, never values, and only those that no shell reads as anything but a word: completion
scripts put them on a command line, and some of them evaluate what they get.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ..engine.options import Options

if TYPE_CHECKING:
    from ..engine.run import Dialect
    from ..values.settings import Settings
    from ..values.source import Source
    from ..world.files import DiskFiles

_PLAIN: Final = re.compile(r"[\w./@%+,:=-][\w./@%+,:=\[\]-]*")
_MOST: Final = 1_000
_MOST_SCANNED: Final = 10_000
_SECONDS: Final = 2
_VARIABLE_FILES: Final = (".yaml", ".yml", ".json", ".jsonc", ".toml", ".env")


def completions(kind: str, options: Options, begun: str) -> list[str]:
    """The values of a kind that begin as what is typed; empty if there are none, and for mistakes.

    `options` are those of the rest of the command line.
    """
    try:
        found = _KINDS.get(kind, _names(kind))(options, begun)
        offered = [word for word in found if word.startswith(begun) and _PLAIN.fullmatch(word)]
    # whatever is wrong with the line, its files or plugins: it is reported when the line is run
    except Exception:
        return []
    return sorted(dict.fromkeys(offered))[:_MOST]


def _files(begun: str, endings: tuple[str, ...]) -> list[str]:
    """The folders, and the files with one of the endings, that a path may go on with.

    A single folder is offered with what is in it, so that the shell does not end the word there.
    """
    from ..world.files import paths_from

    found = paths_from(begun, endings)
    if len(found) == 1 and found[0].endswith("/"):
        found += paths_from(found[0], endings)
    return found


def _blueprints(_: Options, begun: str) -> Iterable[str]:
    from ..formats.detection import EXTENSIONS

    return _files(begun, tuple(EXTENSIONS))


def _data(_: Options, begun: str) -> Iterable[str]:
    return _files(begun, _VARIABLE_FILES)


def _configurations(_: Options, begun: str) -> Iterable[str]:
    return _files(begun, (".toml",))


def _folders(_: Options, begun: str) -> Iterable[str]:
    return _files(begun, ("/",))


def _dialects(_: Options, __: str) -> Iterable[str]:
    from ..dialects.table import Dialects

    return Dialects().names()


def _stages(options: Options, _: str) -> Iterable[str]:
    return _spoken(options).pipeline.names()


def _views(options: Options, _: str) -> Iterable[str]:
    from ..answers.inspection import inspection_of

    return inspection_of(_spoken(options)).views


def _functions(options: Options, _: str) -> Iterable[str]:
    from ..values.settings import Settings

    return _spoken(options).functions(Settings())


def _codes(_: Options, __: str) -> Iterable[str]:
    from ..codes import CODES
    from .limit_flags import limits

    return [*CODES, *limits(), "limits"]


def _schemas(options: Options, _: str) -> Iterable[str]:
    from .schema_command import VARIABLES, makers

    return [*makers(options.dialect), VARIABLES]


def _limits(_: Options, __: str) -> Iterable[str]:
    from .limit_flags import limits

    return [f"{name}=" for name in limits()]


def _targets(options: Options, _: str) -> Iterator[str]:
    from ..building.configuration import find_configuration, load_configuration

    path = options.config or find_configuration()
    for target in load_configuration(path).targets if path is not None else ():
        yield target.group
        yield target.name


def _names(kind: str) -> Callable[[Options, str], Iterable[str]]:
    """The names of a kind that the blueprint of the command line gives."""

    def names(options: Options, _: str) -> Iterable[str]:
        from ..answers.inspection import inspection_of
        from ..rendering import prepare

        source, spoken, settings, files = _blueprint(options)
        context, document = prepare(source, settings=settings, files=files, dialect=spoken)
        return inspection_of(spoken).names[kind](document, context)

    return names


def _variables(options: Options, begun: str) -> Iterable[str]:
    return [f"{name}=" for name in _names("variables")(options, begun)]


def _paths(options: Options, begun: str) -> list[str]:
    """The paths of the output that go on from what is typed, a level at a time.

    A path with others below it is offered with these when it is the only one, like a folder.
    """
    from ..answers.inspection import top_level
    from ..rendering import render
    from .render_inputs import Inputs

    source, spoken, settings, files = _blueprint(options)
    inputs = Inputs(options.evolve(allow_net=(), lock=None))
    given = inputs.arguments(source) or {}
    given |= {"settings": settings, "files": files, "dialect": spoken, "after": None}
    run = render(source, **given)
    if run.ok:
        root: Any = top_level(run).document.root
    elif run.stages:
        root = run.stages[-1][1].root
    else:
        return []
    found = list(_below(root, "", begun))
    while len(found) == 1 and found[0] != begun:
        begun = found[0]
        found = list(_below(root, "", begun))
    return found


def _below(node: Any, path: str, begun: str) -> Iterator[str]:
    from ..answers.paths import path_text
    from ..values.tree import Array, Map

    children: Iterable[tuple[str, Any]] = ()
    if isinstance(node, Map):
        steps = ((path_text((key,)), child) for key, child in node.items.items())
        children = (
            (f"{path}.{step}" if path and step[:1] != "[" else path + step, child)
            for step, child in steps
        )
    elif isinstance(node, Array):
        children = ((f"{path}[{index}]", child) for index, child in enumerate(node.items))
    for number, (text, child) in enumerate(children):
        if number == _MOST_SCANNED:
            return
        if text.startswith(begun):
            yield text
        if begun.startswith(text):
            yield from _below(child, text, begun)


def _blueprint(options: Options) -> tuple[Source, Dialect, Settings, DiskFiles]:
    """The blueprint of the command line, its dialect, and what reads it: no servers, little time.

    Raises:
        FileProblem, UsageProblem: there is none that can be read without waiting.
    """
    from ..rendering import read_source
    from ..values.settings import Limits, Settings
    from ..world.files import DiskFiles
    from .render_inputs import dialect_of
    from .usage import UsageProblem

    if not os.path.isfile(options.file):
        raise UsageProblem("no file")
    limits = Limits(run_seconds=_SECONDS)
    files = DiskFiles(options.allow_path, limits=limits)
    source = read_source(options.file, files)
    settings = Settings(allow_path=options.allow_path, limits=limits)
    return source, dialect_of(source, Options(dialect=options.dialect)), settings, files


def _spoken(options: Options) -> Dialect:
    """The dialect that is named, else that of the blueprint, else the default one."""
    from .render_inputs import named_dialect

    if options.dialect is None and os.path.isfile(options.file):
        return _blueprint(options)[1]
    return named_dialect(options.dialect)


_KINDS: Final[dict[str, Callable[[Options, str], Iterable[str]]]] = {
    "blueprints": _blueprints,
    "codes": _codes,
    "configurations": _configurations,
    "data": _data,
    "dialects": _dialects,
    "folders": _folders,
    "functions": _functions,
    "limits": _limits,
    "paths": _paths,
    "schemas": _schemas,
    "stages": _stages,
    "targets": _targets,
    "variables": _variables,
    "views": _views,
}
