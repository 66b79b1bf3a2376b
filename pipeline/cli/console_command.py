"""`bpp console`: a console that evaluates expressions in the scope of a blueprint."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from ..answers.inspection import inspection_of
from ..answers.offers import begun_name, next_steps, sorted_names
from ..engine.options import Options
from ..rendering import prepare
from ..values.source import Source
from ..values.terminal import visible
from ..world.files import read_kept
from ..world.writing import keep
from .eval_command import Session, evaluate_lines, shown
from .render_inputs import report, status_of
from .streams import write_err, write_out
from .usage import HISTORY, STANDARD_INPUT, UsageProblem, cache_folder

PROMPT: Final = "> "
TYPED: Final = "<console>"
_MOST_LINES: Final = 1_000
_LARGEST: Final = 1024 * 1024
_MOST_OFFERED: Final = 200
_SHORTEST_VALUE: Final = 3
_LEAVING: Final = ("exit", "quit")

Ask = Callable[[str], str]
Complete = Callable[[str], list[str]]


def run_console(options: Options) -> int:
    """The exit status of `bpp console`: 0 at the end of a conversation.

    From a script it answers lines and exits as `bpp eval -` does.
    """
    if options.file in STANDARD_INPUT:
        raise UsageProblem("console reads expressions from standard input, so it needs a file")
    if not sys.stdin.isatty():
        return evaluate_lines(options)
    session = Session(options)
    if not session.can_begin():
        return session.inputs.fail()
    found = session.start()
    if found.errors:
        report(found, options, options.file)
        return status_of(found)
    path = None if options.no_history else _history_file()
    earlier = _read_history(path)
    complete = _Words(session)
    ask = _with_prompt_toolkit(earlier, complete) or _with_readline(earlier, complete)
    typed: list[str] = []
    try:
        _converse(session, ask, options, typed)
    finally:
        _keep_history(path, typed, options)
    return 0


def _converse(session: Session, ask: Ask, options: Options, typed: list[str]) -> None:
    """Answers what is typed until there is no more; adds it to `typed`."""
    import gc

    gc.enable()  # a conversation may take hours
    signal.signal(signal.SIGINT, signal.default_int_handler)
    while True:
        try:
            line = ask(PROMPT).strip()
            if not line:
                continue
            if line in _LEAVING:
                return
            typed.append(line)
            answer, found = session.ask(Source(TYPED, line))
            report(found, options, TYPED)
            if not found.errors:
                write_out(f"{shown(answer)}\n")
        except KeyboardInterrupt:
            session.forget()
            write_err("\n")
        except EOFError:
            write_err("\n")
            return


class _Words:
    """The names that an expression may go on with: references and functions."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: list[str] | None = None

    def __call__(self, text: str) -> list[str]:
        """The names that go on from the end of what is typed, up to their next step."""
        if self._known is None:
            self._known = sorted_names(self._names())
        return next_steps(self._known, begun_name(text), _MOST_OFFERED)

    def _names(self) -> Iterator[str]:
        session = self._session
        assert session.source is not None and session.arguments is not None
        context, document = prepare(session.source, **session.arguments)
        names = inspection_of(session.dialect).names.get("references")
        for name in names(document, context) if names is not None else ():
            if visible(name) == name:
                yield name
        yield from session.dialect.functions(session.inputs.settings)


def _with_prompt_toolkit(earlier: list[str], complete: Complete) -> Ask | None:
    """A prompt that completes while one types; None without prompt_toolkit."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.history import InMemoryHistory
    except ImportError:
        write_err(
            "completion while you type needs `pip install 'blueprint-preprocessor[console]'`\n"
        )
        return None

    class Names(Completer):
        def get_completions(self, document: Any, event: Any) -> Iterable[Any]:
            before = document.text_before_cursor
            length = len(begun_name(before))
            for name in complete(before) if length or event.completion_requested else ():
                yield Completion(name, start_position=-length)

    prompt: Any = PromptSession(history=InMemoryHistory(earlier), completer=Names())
    return lambda text: str(prompt.prompt(text))


def _with_readline(earlier: list[str], complete: Complete) -> Ask:
    """A prompt with what Python has itself, which is nothing but the line on some systems."""
    try:
        import readline
    except ImportError:
        return input
    readline.clear_history()
    for line in earlier:
        readline.add_history(line)

    def offered(begun: str, number: int) -> str | None:
        found = complete(readline.get_line_buffer()[: readline.get_endidx()])
        return found[number] if number < len(found) else None

    readline.set_completer(offered)
    readline.set_completer_delims(" \t\n\"'(),{}$")
    if "libedit" in (readline.__doc__ or ""):
        readline.parse_and_bind("bind ^I rl_complete")
    else:
        readline.parse_and_bind("tab: complete")
    return input


def _history_file() -> str | None:
    folder = cache_folder()
    return os.path.join(folder, HISTORY) if folder is not None else None


def _read_history(path: str | None) -> list[str]:
    data = read_kept(path, _LARGEST) if path is not None else None
    lines = (data or b"").decode("utf-8", "replace").splitlines()
    return [line for line in lines if line and visible(line) == line][-_MOST_LINES:]


def _keep_history(path: str | None, typed: Iterable[str], options: Options) -> None:
    """Adds lines to the history, but none with a value that may be a secret."""
    private = [flag.partition("=")[2] for flag in options.var]
    private += [value for name, value in os.environ.items() if name.startswith("BPP_VAR_")]
    private = [value for value in private if len(value) >= _SHORTEST_VALUE]
    new = [line for line in typed if not any(value in line for value in private)]
    if path is not None and new:
        lines = [*_read_history(path), *new][-_MOST_LINES:]
        keep(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
