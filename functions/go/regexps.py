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
_SPECIAL: Final = {"z": (r"\Z", r"\Z"), "s": (f"[{_SPACE}]", _SPACE), "S": (f"[^{_SPACE}]", r"\S")}
"""Escapes with another meaning, outside of a class and inside."""
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
    made = _Translation(pattern, hint)
    for token in _TOKEN.finditer(pattern):
        made.take(token)
    if len(made.groups) > 1 or made.inside:
        raise BadPattern(hint)
    text = "".join(made.parts) + ")" * len(made.groups[0].flags)
    try:
        return Regexp(pattern, re.compile(text, re.ASCII), made.loops, made.choices)
    except (re.error, OverflowError, RecursionError):
        raise BadPattern(hint) from None


class _Translation:
    """A pattern that is being translated.

    `inside` is where the class that is being read begins, else 0. `repeatable` says whether what
    was read last may be repeated, `varies` whether it matches in several ways.
    """

    def __init__(self, pattern: str, hint: str | None) -> None:
        self.pattern = pattern
        self.hint = hint
        self.parts: list[str] = []
        self.groups = [_Group(False)]
        self.inside = self.loops = self.choices = 0
        self.repeatable = self.varies = False

    def take(self, token: re.Match[str]) -> None:
        """Translates the next token."""
        kind, text = token.lastgroup or "", token[0]
        if kind == "repeat" and not self.inside:
            self._repeat(text)
            return
        self.repeatable, self.varies = True, False
        if kind in ("quoted", "code"):
            found = token[kind] if kind == "quoted" else chr(int(token[kind], 16))
            self.parts.append(re.escape(found))
        elif kind == "escape":
            self._escape(token[kind])
        elif self.inside:
            self._of_class(token, kind, text)
        elif kind in ("name", "stop") or text == "(":
            self._open(token, kind)
        elif text == ")" and len(self.groups) > 1:
            group = self.groups.pop()
            self.parts.append(")" * (len(group.flags) + 1))
            self.varies = group.varies
            self.groups[-1].varies |= group.varies
        elif kind == "bad" or text == ")":
            raise BadPattern(self.hint)
        elif text == "[":
            self.inside = token.end() + self.pattern.startswith("^", token.end())
            self.parts.append(text)
        elif text == "|":
            self.groups[-1].varies, self.repeatable = True, False
            flags = self.groups[-1].flags
            self.parts.append(")" * len(flags) + "|" + "".join(flags))
        else:
            self.parts.append(r"\Z" if text == "$" and not self.groups[-1].multiline else text)

    def _escape(self, letter: str) -> None:
        special = _SPECIAL.get(letter)
        if special is not None:
            self.parts.append(special[bool(self.inside)])
        elif letter.isalnum() and letter not in _ESCAPES:
            raise BadPattern(self.hint or f"`\\{letter}` needs the package google-re2")
        else:
            self.parts.append(f"\\{letter}")

    def _of_class(self, token: re.Match[str], kind: str, text: str) -> None:
        if kind == "posix":
            if text[2:-2] not in _POSIX:
                raise BadPattern(f"`{text}` needs the package google-re2")
            self.parts.append(_POSIX[text[2:-2]])
        elif text == "]" and token.start() > self.inside:
            self.inside = 0
            self.parts.append(text)
        else:
            self.parts.append("".join("\\" + one if one in "[]&|~" else one for one in text))

    def _repeat(self, text: str) -> None:
        if not self.repeatable:
            raise BadPattern(self.hint or "there is nothing to repeat")
        many = text[0] in "*+" or "," in text
        if many and self.varies:
            self.choices = _ENDLESS
        self.loops += many
        self.choices += text[0] == "?"
        self.groups[-1].varies = True
        self.repeatable = self.varies = False
        self.parts.append(text)

    def _open(self, token: re.Match[str], kind: str) -> None:
        flags = token["flags"] or ""
        if kind == "stop" and token["stop"] == ")":
            self.groups[-1].flags.append(f"(?{flags}:")
            self.parts.append(f"(?{flags}:")
            self.groups[-1].multiline |= "m" in flags.partition("-")[0]
        else:
            self.groups.append(_Group(self.groups[-1].multiline or "m" in flags))
            self.parts.append(f"(?P<{token['name']}>" if kind == "name" else token[0])
        self.repeatable = False
