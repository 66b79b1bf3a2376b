"""Mistakes as `code@line:column`, and how those found differ from those expected."""

from __future__ import annotations

from collections.abc import Iterable

from ..values.diagnostics import ERROR, Diagnostic


def places(diagnostics: Iterable[Diagnostic], severity: str = ERROR, main: str = "") -> list[str]:
    """`file:code@line:column` of each by their places; the file `main` is not named."""
    found = []
    for diagnostic in diagnostics:
        if diagnostic.severity != severity:
            continue
        span = diagnostic.span
        if span is None:
            found.append(("", 0, 0, diagnostic.code))
        else:
            name = "" if span.source.name == main else span.source.name
            found.append((name, span.line, span.column, diagnostic.code))
    return [_place(*item) for item in sorted(found)]


def _place(name: str, line: int, column: int, code: str) -> str:
    where = f"@{line}:{column}" if line else ""
    return f"{name}:{code}{where}" if name else f"{code}{where}"


def mismatch(actual: list[str], expected: Iterable[str]) -> str | None:
    """How places found differ from those expected, one a line; None when they do not.

    Expected may be `code@line` or just `code`, and the code `*`, where no more is demanded.
    """
    left = list(actual)
    missing = []
    # The most precise expectations choose first.
    for place in sorted(expected, key=lambda text: (text.startswith("*"), -text.count(":"))):
        hit = next((item for item in left if _fits(item, place)), None)
        if hit is None:
            missing.append(place)
        else:
            left.remove(hit)
    lines = [f"expected but not found: {place}" for place in missing]
    lines += [f"found but not expected: {place}" for place in left]
    return "\n".join(lines) or None


def _fits(actual: str, expected: str) -> bool:
    head, _, where = actual.partition("@")
    wanted_head, _, wanted_where = expected.partition("@")
    name, _, code = head.rpartition(":")
    wanted_name, _, wanted_code = wanted_head.rpartition(":")
    if wanted_code not in ("*", code):
        return False
    if not wanted_where:
        return wanted_name in ("", name)
    return name == wanted_name and (where == wanted_where or where.split(":")[0] == wanted_where)
