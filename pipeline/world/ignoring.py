"""The patterns that say which files are left out: ignore files as Git reads them, and plain globs.

Git compares a pattern without a slash with a name alone, any other with the path below the folder
of its ignore file, and never looks into a folder that is ignored; so whoever asks has asked for the
folders above before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from ...functions.regexes import compile_regex
from .searching import is_pattern, matches

if TYPE_CHECKING:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

Work: TypeAlias = Callable[[int], object]

_A_LINE: Final = 40
_CHARS_A_STEP: Final = 50
_CHARS_A_NODE: Final = 16
_MOST_STEPS: Final = 1 << 40


class IgnoreRule:
    """One line of an ignore file; `takes_back` what lines above it ignore."""

    __slots__ = ("_by_name", "_folders", "_pattern", "_wildcards", "line", "takes_back", "text")

    def __init__(self, text: str, line: int, pattern: GitIgnoreSpecPattern) -> None:
        body = text.rstrip(" ").removeprefix("!")
        self.text = text.strip()
        self.line = line
        self.takes_back = not pattern.include
        self._pattern = pattern
        self._folders = body.endswith("/")
        self._by_name = "/" not in body.removesuffix("/")
        self._wildcards = len(_STARS.findall(body))

    def matches(self, path: str, is_folder: bool, work: Work) -> bool:
        """True for a path below the folder of the file that this line is about.

        Spends what its regular expression may take at the worst.
        """
        if self._folders and not is_folder:
            work(1)
            return False
        target = path.rpartition("/")[2] if self._by_name else path
        if self._folders:
            target += "/"
        steps = 1
        for number in range(self._wildcards):
            steps = steps * max(len(target) - number, 1) // (number + 1)
            if steps > _MOST_STEPS:
                break
        work(1 + steps // _CHARS_A_STEP)
        found = self._pattern.match_file(target)
        # the one group is the end of a folder above, which was asked for itself
        return found is not None and (
            found.match.lastgroup is None or found.match.end() == len(target)
        )


_STARS: Final = compile_regex(r"\*+")


def read_ignore_file(text: str, work: Work) -> list[IgnoreRule]:
    """The rules of an ignore file, the last line first; Git passes over malformed lines."""
    from pathspec.patterns.gitignore.base import GitIgnorePatternError  # few projects have any
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    found = []
    work(len(text))
    for number, line in enumerate(text.split("\n"), 1):
        # the end of each bracket is looked for
        work(_A_LINE + len(line) * line.count("[") // _CHARS_A_STEP)
        try:
            pattern = GitIgnoreSpecPattern(line.removesuffix("\r"))
        except GitIgnorePatternError:
            continue
        if pattern.include is not None:
            found.append(IgnoreRule(line.removesuffix("\r"), number, pattern))
    return found[::-1]


class Glob:
    """A glob over paths with `/`: `*`, `?`, `[..]`, `**` and `{a,b}`; `!` in front is `negated`.

    A path without any of them stands for a file, or for a folder with everything in it.
    """

    __slots__ = ("_plain", "_ways", "negated", "text")

    def __init__(self, text: str, count: Work) -> None:
        self.text = text
        self.negated = text.startswith("!")
        body = text.removeprefix("!")
        while body.startswith("./"):
            body = body[2:]
        body = body.rstrip("/").replace("[^", "[!")
        self._plain = not (self.negated or is_pattern(body) or "{" in body)
        self._ways = _alternatives(body, count)

    def matches(self, path: str, work: Work) -> bool:
        """True for the path of a file, whether or not the pattern is negated."""
        return any(self._fits(way, path, work) for way in self._ways)

    def holds(self, folder: str, work: Work) -> bool:
        """True for a folder in which everything matches."""
        for way in self._ways:
            base = way.removesuffix("/*") if way.endswith("**/*") else way
            if base == "**":
                return True
            if not (base.endswith("/**") or self._plain):
                continue
            if self._fits(base.removesuffix("/**"), folder, work):
                return True
        return False

    def _fits(self, way: str, path: str, work: Work) -> bool:
        work((way.count("/") + 1) * (path.count("/") + 1))
        if self._plain and path.startswith(f"{way}/"):
            return True
        return matches(way, path)


_BRACES: Final = compile_regex(r"\{([^{},]*+,[^{}]*+)\}")


def _alternatives(text: str, count: Work) -> list[str]:
    """The patterns without braces that one with `{a,b}` stands for.

    `count` is told what they take, in nodes.
    """
    found = []
    left = [text]
    while left:
        one = left.pop()
        inner = _BRACES.search(one)
        if inner is None:
            found.append(one)
        else:
            before, after = one[: inner.start()], one[inner.end() :]
            ways = inner[1].split(",")
            count(len(ways) * (1 + len(one) // _CHARS_A_NODE))
            left += [f"{before}{way}{after}" for way in ways]
    return found


def deciding(globs: tuple[Glob, ...], path: str, work: Work) -> Glob | None:
    """The glob of a list that takes the path of a file; None when none does.

    A later negated one takes back what others took; where all are negated, they take the rest.
    """
    found = globs[0] if globs and all(one.negated for one in globs) else None
    for glob in globs:
        if glob.matches(path, work):
            found = None if glob.negated else glob
    return found
