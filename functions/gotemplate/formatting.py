"""Text of values: print, println, printf with its verbs; html, js and urlquery."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from ..expr.kinds import Named, Struct, of_bytes, to_bytes
from ..expr.moments import Time
from ..expr.texts import by_character, float_text, quoted, text_of
from ..signatures import Declarations
from ..value_limits import DEFAULT_LIMITS, hold_chars
from ..values import FunctionError
from .guards import TYPES, checked_text, hold_tree
from .kinds import type_name

function: Final = Declarations("builtins", __package__, propagates_none=False, types=TYPES)

_WIDEST: Final = 1_000_000
_DIRECTIVE: Final = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<first>(?:\[[^\]]*\]?)?)(?P<width>\*|[0-9]*)"
    r"(?:\.(?P<second>(?:\[[^\]]*\]?)?)(?P<precision>\*|-?[0-9]*))?(?P<third>(?:\[[^\]]*\]?)?)"
    r"(?P<verb>.?)",
    re.DOTALL,
)
_AS_IT_IS: Final = ("%s", "%v")
_BASES: Final = {"b": "b", "o": "o", "O": "o", "x": "x", "X": "X", "d": "d", "v": "d"}
_PREFIXES: Final = {"b": "0b", "o": "0", "O": "0", "x": "0x", "X": "0X"}


@function("print(...values: any) -> string", weight=4)
def sprint(*values: Any) -> str:
    """A space stands between two values of which none is a string."""
    pieces: list[str] = []
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            pieces.append(" ")
        pieces.append(checked_text(value))
    return "".join(pieces)


@function("println(...values: any) -> string", weight=4)
def _println(*values: Any) -> str:
    return " ".join(map(checked_text, values)) + "\n"


class _Form:
    """The flags of a directive, its width and its precision (None: not given)."""

    __slots__ = ("flags", "precision", "width")

    def __init__(self, flags: str, width: int | None, precision: int | None) -> None:
        self.flags = flags
        self.width = width
        self.precision = precision

    def pad(self, written: str, zeros: bool = True) -> str:
        """A text in the width."""
        width = self.width
        if width is None or len(written) >= width:
            return written
        if "-" in self.flags:
            return written.ljust(width)
        return written.rjust(width, "0" if zeros and "0" in self.flags else " ")

    def signed(self, sign: str, digits: str, zeros: bool = True) -> str:
        """A number in the width; zeros stand behind the sign."""
        if not sign:
            sign = "+" if "+" in self.flags else " " if " " in self.flags else ""
        if zeros and "0" in self.flags and "-" not in self.flags and self.width is not None:
            return sign + digits.rjust(self.width - len(sign), "0")
        return self.pad(sign + digits, False)


@lru_cache(maxsize=512)
def _parsed(form: str) -> tuple[str | re.Match[str], ...]:
    """The texts and the directives of a form."""
    found: list[str | re.Match[str]] = []
    position = 0
    for match in _DIRECTIVE.finditer(form):
        found.append(form[position : match.start()])
        found.append(match)
        position = match.end()
    found.append(form[position:])
    return tuple(one for one in found if one)


@function("printf(form: string, ...values: any) -> string", weight=8)
def sprintf(form: str, *values: Any) -> str:
    """The directives of `form` with the values, with a mark where they do not fit."""
    pieces: list[str] = []
    at, count, reordered = 0, len(values), False
    for part in _parsed(form):
        if isinstance(part, str):
            pieces.append(part)
            continue
        directive = part[0]
        if at < count:
            value = values[at]
            kind = value.__class__
            if (kind is str and directive in _AS_IT_IS) or (kind is int and directive == "%d"):
                pieces.append(value if kind is str else str(value))
                at += 1
                continue
        piece, at, moved = _directive(part, values, at)
        reordered = reordered or moved
        pieces.append(piece)
    if not reordered and at < count:
        pieces.append(_extra(values[at:]))
    hold_chars("printf", sum(map(len, pieces)), DEFAULT_LIMITS)
    return "".join(pieces)


def _extra(values: Sequence[Any]) -> str:
    shown = [v if v is None else f"{type_name(v)}={checked_text(v)}" for v in values]
    return f"%!(EXTRA {', '.join('<nil>' if one is None else one for one in shown)})"


def _directive(match: re.Match[str], values: Sequence[Any], at: int) -> tuple[str, int, bool]:
    """A directive's text, the position of the next value, and whether it names a position."""
    flags, verb = match["flags"], match["verb"]
    moved = bad = False
    sizes: list[int | None] = []
    trouble = ""
    for group, name in (("first", "width"), ("second", "precision")):
        if match[group]:
            at, ok = _index(match[group], at, len(values))
            moved, bad = True, bad or not ok
        given = match[name]
        size: int | None = None
        if given == "*":
            found = values[at] if at < len(values) else None
            at += 1
            if isinstance(found, int) and not isinstance(found, bool) and abs(found) <= _WIDEST:
                size = int(found)
            else:
                trouble += "%!(BADWIDTH)" if name == "width" else "%!(BADPREC)"
            if size is not None and size < 0:
                if name == "width":
                    flags, size = flags + "-", -size
                else:
                    size, trouble = None, trouble + "%!(BADPREC)"
        elif given:
            size = int(given) if not given.startswith("-") else None
            if size is not None and size > _WIDEST:
                summary = f"a width of printf may be {_WIDEST} at most"
                raise FunctionError(summary, "limit_exceeded")
        elif name == "precision" and given is not None:
            size = 0
        sizes.append(size)
    if match["third"]:
        at, ok = _index(match["third"], at, len(values))
        moved, bad = True, bad or not ok
    if not verb:
        return trouble + "%!(NOVERB)", at, moved
    if verb == "%":
        return trouble + "%", at, moved
    if bad:
        return f"{trouble}%!{verb}(BADINDEX)", at, moved
    if at >= len(values):
        return f"{trouble}%!{verb}(MISSING)", at, moved
    if isinstance(values[at], list | dict):
        hold_tree(values[at], DEFAULT_LIMITS)
    form = _Form(flags, *sizes)
    if verb == "v":
        sharp = "#" in flags
        form.flags = flags.replace("#", "").replace("+", "")
        written = _go_syntax(values[at], form) if sharp else _formatted(values[at], "v", form)
        return trouble + written, at + 1, moved
    return trouble + _formatted(values[at], verb, form), at + 1, moved


def _index(written: str, at: int, count: int) -> tuple[int, bool]:
    digits = written[1:-1]
    if written[-1] == "]" and digits.isdecimal() and 1 <= int(digits) <= count:
        return int(digits) - 1, True
    return at, False


def _formatted(value: Any, verb: str, form: _Form, inner: bool = False) -> str:
    """A value by a verb; `inner` for an item of a collection."""
    if value is None:
        return "<nil>" if inner else form.pad("<nil>") if verb in "vT" else f"%!{verb}(<nil>)"
    if verb == "T":
        return _string(type_name(value), "s", form) or ""
    written: str | None = None
    match value:
        case Time() | Struct() | Named() if verb in "vsxXq":
            written = _string(text_of(value), verb, form)
        case bool():
            written = form.pad(text_of(value)) if verb in "tv" else None
        case int():
            written = _integer(int(value), verb, form)
        case float():
            written = _float(value, verb, form)
        case complex():
            parts = [
                _float(
                    part, verb, _Form(f"+{form.flags}" if i else form.flags, None, form.precision)
                )
                for i, part in enumerate((value.real, value.imag))
            ]
            written = f"({parts[0]}{parts[1]}i)" if None not in parts else None
        case str():
            written = _string(value, verb, form)
        case bytes() if verb in "sxXq":
            written = _string(of_bytes(value), verb, form)
        case list() | bytes():
            return f"[{' '.join([_formatted(one, verb, form, True) for one in value])}]"
        case dict():
            pairs = [
                f"{_formatted(key, verb, form, True)}:{_formatted(value[key], verb, form, True)}"
                for key in sorted(value)
            ]
            return f"map[{' '.join(pairs)}]"
        case _:
            written = form.pad(text_of(value)) if verb in "vs" else None
    if written is not None:
        return written
    return f"%!{verb}({type_name(value)}={_formatted(value, 'v', form)})"


def _string(value: str, verb: str, form: _Form) -> str | None:
    precision = form.precision
    if verb in "xX":
        data = to_bytes(value)[:precision]
        prefix = "0x" if "#" in form.flags and data else ""
        digits = data.hex(" ").replace(" ", f" {prefix}") if " " in form.flags else data.hex()
        written = prefix + digits
        return form.pad(written.upper() if verb == "X" else written)
    if verb not in "svq":
        return None
    if precision is not None:
        value = value[:precision]
    if verb == "q":
        if "#" in form.flags and "`" not in value and (value.replace("\t", "").isprintable()):
            return form.pad(f"`{value}`")
        value = quoted(value, "+" in form.flags)
    return form.pad(value)


def _integer(value: int, verb: str, form: _Form) -> str | None:
    if verb in _BASES:
        digits = format(abs(value), _BASES[verb])
        if form.precision == 0 and value == 0:
            return form.pad("", False)
        digits = digits.rjust(form.precision or 0, "0")
        prefix = _PREFIXES.get(verb, "") if "#" in form.flags else ""
        prefix = "" if prefix == "0" and digits[0] == "0" else prefix
        prefix = "0o" + prefix if verb == "O" else prefix
        sign = "-" if value < 0 else ""
        if form.precision is not None:
            return form.signed(sign, prefix + digits, False)
        if prefix and form.width is not None and "0" in form.flags:
            digits = digits.rjust(form.width - len(sign), "0")
            return sign + prefix + digits
        return form.signed(sign, prefix + digits)
    code = value if 0 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000 else 0xFFFD
    if verb == "c":
        return form.pad(chr(code))
    if verb == "q":
        shown = {34: '"', 39: "\\'"}.get(code) or quoted(chr(code), "+" in form.flags)[1:-1]
        return form.pad(f"'{shown}'")
    if verb == "U":
        written = f"U+{value:04X}" if value >= 0 else f"U+{value & (1 << 64) - 1:04X}"
        printed = "#" in form.flags and code == value and chr(code).isprintable()
        shown = f" '{chr(code)}'" if printed else ""
        return form.pad(written + shown)
    return None


def _float(value: float, verb: str, form: _Form) -> str | None:
    precision = form.precision
    if verb not in "vbgGxXfFeE":
        return None
    if not math.isfinite(value):
        written = text_of(value)
        if written == "NaN" and "+" not in form.flags and " " not in form.flags:
            return form.pad(written, False)
        return form.signed("-" if written[0] == "-" else "", written.lstrip("+-"), False)
    sign = "-" if math.copysign(1, value) < 0 else ""
    size = abs(value)
    if verb in "fFeE":
        digits = format(size, f".{6 if precision is None else precision}{verb.lower()}")
    elif verb in "xX":
        digits = _hexadecimal(size, precision)
    elif verb == "b":
        fraction, exponent = math.frexp(size)
        digits = f"{int(fraction * (1 << 53))}p{exponent - 53:+d}"
    elif precision is None:
        digits = float_text(size)
    else:
        digits = format(size, f".{precision or 1}g")
    if verb in "EGX":
        digits = digits.upper()
    return form.signed(sign, digits)


def _hexadecimal(value: float, precision: int | None) -> str:
    """A float with a power of two, as in `0x1.8p+01`."""
    if precision is not None and value:
        mantissa, exponent = math.frexp(value)
        value = round(mantissa * 2 * 16**precision) / 16**precision * 2.0 ** (exponent - 1)
    head, _, power = value.hex().partition("p")
    whole, _, fraction = head.partition(".")
    fraction = fraction.rstrip("0").ljust(precision or 0, "0")
    number = int(power)
    return f"{whole}{'.' * bool(fraction)}{fraction}p{'-' if number < 0 else '+'}{abs(number):02d}"


def _go_syntax(value: Any, form: _Form, inner: bool = False) -> str:
    """A value as `%#v` writes it: `[]interface {}{"a", 1}`."""
    if isinstance(value, list):
        items = ", ".join([_go_syntax(one, form, True) for one in value])
        return f"{type_name(value)}{{{items}}}"
    if isinstance(value, bytes):
        return f"[]byte{{{', '.join(f'{byte:#x}' for byte in value)}}}"
    if isinstance(value, dict):
        pairs = [f"{quoted(key)}:{_go_syntax(value[key], form, True)}" for key in sorted(value)]
        return f"{type_name(value)}{{{', '.join(pairs)}}}"
    if value is None and inner:
        return "interface {}(nil)"
    return _formatted(value, "q" if isinstance(value, str) else "v", form)


# escapes


def _joined(values: tuple[Any, ...]) -> str:
    """The text of all values, nil as actions print it."""
    return sprint(*("<no value>" if value is None else value for value in values))


_HTML: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "\0": "\ufffd"}
)
_JS: Final = str.maketrans(
    {"\\": "\\\\", "'": "\\'", '"': '\\"'}
    | {character: f"\\u{ord(character):04X}" for character in "<>&=" + "".join(map(chr, range(32)))}
)


@function("html(...values: any) -> string")
def _html(*values: Any) -> str:
    return _joined(values).translate(_HTML)


@function("js(...values: any) -> string")
def _js(*values: Any) -> str:
    written = _joined(values).translate(_JS)
    return by_character(written, lambda one: one if one.isprintable() else f"\\u{ord(one):04X}")


@function("urlquery(...values: any) -> string")
def _urlquery(*values: Any) -> str:
    from urllib.parse import quote_plus

    return quote_plus(to_bytes(_joined(values)))


@function("toYaml(value: any) -> string", weight=12)
def _to_yaml(value: Any) -> str:
    """The text has no line break at its end; what YAML has no form for gives an empty one."""
    from ..go.yaml_text import to_yaml

    if isinstance(value, list | dict):
        hold_tree(value, DEFAULT_LIMITS)
    try:
        return to_yaml(value).removesuffix("\n")
    except FunctionError as error:
        if error.code == "limit_exceeded":
            raise
        return ""
