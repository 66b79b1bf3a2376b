"""Patterns of Go: RE2's syntax, by google-re2, else translated for `re`.

`re` tries one way after the other, so what a search may cost there is told beforehand.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final

_A_STEP: Final = 1024
_ENDLESS: Final = 1 << 10
"""Choices of a repetition of what can match in several ways."""
_LOOKING: Final = ("(?=", "(?!", "(?<=", "(?<!")


class BadPattern(ValueError):
    """A text that is not a pattern; `hint` says what is wrong with it, if that is known."""

    def __init__(self, hint: str | None = None) -> None:
        super().__init__("the pattern is not valid")
        self.hint = hint


class Regexp:
    """A compiled pattern: `compiled` has the methods of those of `re`, for strings."""

    __slots__ = ("_choices", "_loops", "compiled", "source")

    def __init__(self, source: str, compiled: Any, loops: int = 0, choices: int = 0) -> None:
        self.source = source
        self.compiled = compiled
        self._loops = loops
        self._choices = choices

    def cost(self, text: str | bytes) -> int:
        """The steps that a search of a text may take, to be spent before it."""
        size = len(text)
        steps = len(self.source) * size // _A_STEP
        if self._loops or self._choices:
            ways = min(self._choices if self._choices < _ENDLESS else size, 60)
            steps += (size ** min(self._loops + 1, 20) << ways) // _A_STEP
        return steps

    def finds(self, text: str | bytes) -> bool:
        """Whether the pattern matches anywhere in a text."""
        return self.compiled.search(text) is not None


@cache
def _options(kind: Any) -> Any:
    options = kind()
    options.log_errors = False
    return options


@lru_cache(256)
def compile_pattern(pattern: str, may_translate: bool = True) -> Regexp:
    """A pattern compiled by google-re2, else by `re` if it may be translated.

    Raises:
        BadPattern: it is not a pattern of RE2.
        ImportError: google-re2 is not installed.
    """
    hint = None
    if any(mark in pattern for mark in _LOOKING):
        hint = "there is no looking ahead or behind in RE2"
    elif any(f"\\{digit}" in pattern for digit in "123456789"):
        hint = "there are no references to groups in RE2"
    if "\\C" in pattern:
        raise BadPattern(hint)
    try:
        import re2
    except ImportError:
        if not may_translate:
            raise
        return _translated(pattern, hint)
    try:
        return Regexp(pattern, re2.compile(pattern, _options(re2.Options)))
    except re2.error as error:
        message = error.args[0] if error.args else ""
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise BadPattern(hint or text.split(":")[0] or None) from None


# What `re` writes in another way, or does not have.

_TOKEN: Final = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\\x\{(?P<code>[0-9a-fA-F]{1,6})\}|(?P<posix>\[:\^?[a-z]+:\])"
    r"|\(\?P?<(?P<name>\w+)>|\(\?(?P<flags>[ims]*(?:-[ims]+)?)(?P<stop>[:)])|(?P<bad>\(\?)"
    r"|(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??)|\\(?P<escape>.)|(?P<other>.)",
    re.DOTALL,
)
_ESCAPES: Final = frozenset("dDwWSbBAfnrtvax0")
_SPACE: Final = r"\t\n\f\r "
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


class _Group:
    """An open group: its flags, whether `m` holds, and whether it matches in several ways."""

    def __init__(self, multiline: bool) -> None:
        self.flags: list[str] = []
        self.multiline = multiline
        self.varies = False


def _translated(pattern: str, hint: str | None) -> Regexp:
    """A pattern for `re`.

    Raises:
        BadPattern: it is not a pattern of RE2, or one that `re` does not have.
    """
    made: list[str] = []
    groups = [_Group(False)]
    inside = 0  # where the class that is being read begins
    repeatable = ended = False  # whether something may be repeated, and matches in several ways
    loops = choices = 0
    for token in _TOKEN.finditer(pattern):
        kind, text, before = token.lastgroup or "", token[0], repeatable
        repeatable = True
        if kind == "quoted" or kind == "code":
            text = token[kind] if kind == "quoted" else chr(int(token[kind], 16))
            made.append(re.escape(text))
        elif kind == "escape" and token[kind] in "zsS":
            within = _SPACE if token[kind] == "s" else r"\S"
            made.append(r"\Z" if token[kind] == "z" else within if inside else f"[{_SPACE}]")
            if token[kind] == "S" and not inside:
                made[-1] = f"[^{_SPACE}]"
        elif kind == "escape":
            if token[kind].isalnum() and token[kind] not in _ESCAPES:
                raise BadPattern(hint or f"`\\{token[kind]}` needs the package google-re2")
            made.append(text)
        elif inside:
            if kind == "posix":
                name = text[2:-2].lstrip("^")
                if name not in _POSIX or "^" in text:
                    raise BadPattern(f"`{text}` needs the package google-re2")
                made.append(_POSIX[name])
            elif text == "]" and token.start() > inside:
                inside = 0
                made.append(text)
            else:
                made.append("".join("\\" + one if one in "[]&|~" else one for one in text))
        elif kind == "repeat":
            if not before:
                raise BadPattern(hint or "there is nothing to repeat")
            many = text[0] in "*+" or "," in text
            if many and ended:
                choices = _ENDLESS
            loops += many
            choices += text[0] == "?"
            groups[-1].varies = True
            repeatable = False
            made.append(text)
        elif kind in ("name", "stop") or text == "(":
            if kind == "stop" and token["stop"] == ")":
                groups[-1].flags.append(f"(?{token['flags']}:")
                made.append(groups[-1].flags[-1])
                groups[-1].multiline |= "m" in token["flags"].partition("-")[0]
            else:
                groups.append(_Group(groups[-1].multiline or "m" in (token["flags"] or "")))
                made.append(f"(?P<{token['name']}>" if kind == "name" else text)
            repeatable = False
        elif text == ")" and len(groups) > 1:
            group = groups.pop()
            made.append(")" * len(group.flags) + ")")
            ended = group.varies
            groups[-1].varies |= group.varies
            continue
        elif kind == "bad" or text == ")":
            raise BadPattern(hint)
        elif text == "[":
            inside = token.end() + pattern.startswith("^", token.end())
            made.append(text)
        else:
            if text == "|":
                groups[-1].varies, repeatable = True, False
                flags = groups[-1].flags
                text = ")" * len(flags) + "|" + "".join(flags)
            made.append(r"\Z" if text == "$" and not groups[-1].multiline else text)
        ended = False
    if len(groups) > 1 or inside:
        raise BadPattern(hint)
    text = "".join(made) + ")" * len(groups[0].flags)
    try:
        return Regexp(pattern, re.compile(text, re.ASCII), loops, choices)
    except (re.error, OverflowError, RecursionError):
        raise BadPattern(hint) from None
