"""Text of values: print, println, printf with its verbs; html, js and urlquery."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from ..expr.kinds import Named, Struct, of_bytes, to_bytes
from ..expr.moments import Time
from ..expr.texts import by_character, float_text, quoted, text_of
from ..regexes import compile_regex
from ..signatures import Declarations
from ..value_limits import DEFAULT_LIMITS, hold_chars
from ..values import FunctionError
from .guards import TYPES, checked_text, hold_tree
from .kinds import type_name

function: Final = Declarations("builtins", __package__, propagates_none=False, types=TYPES)

_WIDEST: Final = 1_000_000
_DIRECTIVE: Final = compile_regex(
    r"%(?P<flags>[-+# 0]*)(?P<first>(?:\[[^\]]*\]?)?)(?P<width>\*|[0-9]*)"
    r"(?:\.(?P<second>(?:\[[^\]]*\]?)?)(?P<precision>\*|-?[0-9]*))?(?P<third>(?:\[[^\]]*\]?)?)"
    r"(?P<verb>.?)",
    re.DOTALL,
)
_DIGITS: Final = 9
_USUAL: Final = {"%s": str, "%v": str, "%d": int}
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

    def signed(self, sign: str, digits: str, zeros: bool = True, prefix: str = "") -> str:
        """A number in the width; zeros stand behind the sign and the prefix."""
        if not sign:
            sign = "+" if "+" in self.flags else " " if " " in self.flags else ""
        if zeros and "0" in self.flags and "-" not in self.flags and self.width is not None:
            return sign + prefix + digits.rjust(self.width - len(sign), "0")
        return self.pad(sign + prefix + digits, False)


class _Values:
    """The values of a call: `at` is the next one, `moved` says that a directive named a place."""

    __slots__ = ("at", "moved", "values")

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self.at = 0
        self.moved = False

    def directive(self, match: re.Match[str]) -> str:
        """The next value by a directive, with a mark where it does not fit."""
        kind = _USUAL.get(match[0])
        if kind is not None and self.following().__class__ is kind:
            self.at += 1
            return str(self.values[self.at - 1])
        flags, verb = match["flags"], match["verb"]
        fits = self.move(match["first"])
        width, trouble = self.size(match["width"], "%!(BADWIDTH)")
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        fits = self.move(match["second"]) and fits
        given = match["precision"]
        precision, bad = self.size("0" if given == "" else given, "%!(BADPREC)")
        if precision is not None and precision < 0:
            precision, bad = None, "%!(BADPREC)"
        trouble += bad
        fits = self.move(match["third"]) and fits
        if verb in ("", "%"):
            return trouble + (verb or "%!(NOVERB)")
        if not fits or self.at >= len(self.values):
            return f"{trouble}%!{verb}({'MISSING' if fits else 'BADINDEX'})"
        value = self.following()
        self.at += 1
        hold_tree(value)
        if verb == "v":
            form = _Form(flags.replace("#", "").replace("+", ""), width, precision)
            return trouble + (_go_syntax if "#" in flags else _by_default)(value, form)
        return trouble + _formatted(value, verb, _Form(flags, width, precision))

    def following(self) -> Any:
        return self.values[self.at] if self.at < len(self.values) else None

    def move(self, written: str | None) -> bool:
        """Goes to the value whose number stands in brackets; False when there is none such."""
        if not written:
            return True
        self.moved = True
        digits = written[1:-1]
        if not (written[-1] == "]" and digits.isdecimal() and len(digits) < _DIGITS):
            return False
        if not 1 <= int(digits) <= len(self.values):
            return False
        self.at = int(digits) - 1
        return True

    def size(self, written: str | None, wrong: str) -> tuple[int | None, str]:
        """A width or a precision, the next value for `*`; `wrong` for a value that is none."""
        if written == "*":
            found = self.following()
            self.at += 1
            if isinstance(found, int) and not isinstance(found, bool) and abs(found) <= _WIDEST:
                return int(found), ""
            return None, wrong
        if not written or written[0] == "-":
            return None, ""
        if len(written) > _DIGITS or int(written) > _WIDEST:
            summary = f"a width of printf may be {_WIDEST} at most"
            raise FunctionError(summary, "limit_exceeded")
        return int(written), ""


@function("printf(form: string, ...values: any) -> string", weight=8)
def sprintf(form: str, *values: Any) -> str:
    """The directives of `form` with the values, with a mark where they do not fit."""
    given = _Values(values)
    written = _DIRECTIVE.sub(given.directive, form)
    rest = values[given.at :]
    if rest and not given.moved:
        shown = ("<nil>" if v is None else f"{type_name(v)}={checked_text(v)}" for v in rest)
        written += f"%!(EXTRA {', '.join(shown)})"
    hold_chars("printf", len(written), DEFAULT_LIMITS)
    return written


def _by_default(value: Any, form: _Form) -> str:
    return _formatted(value, "v", form)


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
        return form.signed(sign, digits, form.precision is None, prefix)
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

    hold_tree(value)
    try:
        return to_yaml(value).removesuffix("\n")
    except FunctionError as error:
        if error.code == "limit_exceeded":
            raise
        return ""
