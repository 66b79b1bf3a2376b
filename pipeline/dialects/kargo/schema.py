"""An evaluated config against the schema of its step.

What is not known yet fits anything: a residual that stands alone has any type, one beside text is a
string, unless the text may be part of something else (`{"a": ${{ .. }}}`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

from ....functions.names import Hint, did_you_mean, meant, nearest, quoted
from ....functions.regexes import compile_regex
from ....functions.values import article
from ...language.errors import IN_QUOTES
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar, Template, is_as_read, kind_of
from .steps import UNKNOWN, Fields, Gone, Problem, Rule, Step, Type

Where: TypeAlias = Callable[[], Span]
"""A place, which is only looked for when something is wrong there."""

_DATA: Final = compile_regex(r"""\s*[\[{]|[\d.+_-]*\s*\Z""")
"""Texts around expressions that may become something else than a string."""
_HOW_MANY: Final = {"one": "exactly one", "most": "at most one"}


def problems(
    config: AnyNode | None, step: Step, place: Where, work: Callable[[int], object]
) -> Iterator[Problem]:
    """What a step would say of its evaluated config, in written order.

    `place` says where a config that is missing would stand; each node costs `work`.
    """
    check = _Check(step, work)
    if config is None or (isinstance(config, Scalar) and config.value is None):
        for name in step.config.required:
            said = f"`{step.name}` needs `{name}`"
            yield Problem("missing_field", place(), said, None, step.platform)
        return
    yield from check.node(config, step.config, "", place)


class _Check:
    def __init__(self, step: Step, work: Callable[[int], object]) -> None:
        self.step = step
        self.work = work

    def node(self, node: AnyNode, wanted: Type, path: str, place: Where) -> Iterator[Problem]:
        """The problems of a node that is found at a path such as `checkout[].commit`."""
        self.work(1)
        if wanted in ("any", UNKNOWN) or (isinstance(node, Template) and _may_be(node, wanted)):
            return
        if isinstance(wanted, Fields) and isinstance(node, Map):
            yield from self._object(node, wanted, path, place)
        elif isinstance(wanted, list) and isinstance(node, Array):
            for item in node.items:
                yield from self.node(item, wanted[0], f"{path}[]", partial(_span, item))
        elif not _fits(node, wanted):
            yield self._mistyped(node, wanted, path)

    def _object(self, node: Map, wanted: Fields, path: str, place: Where) -> Iterator[Problem]:
        lacking = [name for name in wanted.required if name not in node.items]
        broken = False
        prefix = f"{path}." if path else ""
        for key, child in node.items.items():
            gone, old = (kept.get(prefix + key) for kept in (self.step.fields, self.step.old))
            if key in wanted.known or wanted.rest is not None:
                if old is not None:
                    yield self._old(node, key, old)
                kind = wanted.known.get(key, wanted.rest)
                yield from self.node(child, kind, prefix + key, partial(node.key_span, key))
                continue
            self.work(1)
            broken = True
            if gone is not None:
                said = f"`{key}` of `{self.step.name}` was removed in Kargo {gone.version}"
                instead = gone.instead
                lacking = [name for name in lacking if not instead.startswith(f"`{name}:")]
                yield Problem("removed_field", node.key_span(key), said, f"use {instead}")
                continue
            near = nearest(key, [name for name in wanted.known if name not in node.items])
            said = f"{self._called(path)} has no field {quoted(key)}"
            hint = did_you_mean(key, near) if near else None
            yield Problem("unknown_field", node.key_span(key), said, hint, near not in lacking)
            lacking = [name for name in lacking if name != near]
        at = (_first_key(node) if not path else None) or place
        for name in lacking:
            said = f"{self._called(path)} needs `{name}`"
            yield Problem("missing_field", at(), said, None, self.step.platform)
        for rule in self.step.rules.get(path, ()) if not broken else ():
            broken_rule = _broken_rule(rule, node)
            if broken_rule:
                yield Problem("step_rule", at(), f"{self._called(path)} {broken_rule}")

    def _called(self, path: str) -> str:
        if not path:
            return f"`{self.step.name}`"
        each = "each of " if path.endswith("[]") else ""
        return f"{each}`{path.replace('[]', '')}` of `{self.step.name}`"

    def _old(self, node: Map, key: str, old: Gone) -> Problem:
        said = f"`{key}` of `{self.step.name}` goes away in Kargo {old.version}"
        nothing, _, why = old.instead.partition(": ")
        hint = why if nothing == "nothing" else f"use {old.instead}"
        return Problem("deprecated_field", node.key_span(key), said, hint, True)

    def _mistyped(self, node: AnyNode, wanted: Type, path: str) -> Problem:
        name = path.rpartition(".")[2] or "config"
        what = f"an item of `{name[:-2]}`" if name.endswith("[]") else f"`{name}`"
        if isinstance(wanted, tuple) and _fits(node, "string"):
            listed = ", ".join(f"`{one}`" for one in wanted)
            given = str(node.value) if isinstance(node, Scalar) else ""
            said = f"{what} must be one of {listed}"
            return Problem("step_field_type", node.span, said, meant(given, wanted))
        word = "string" if isinstance(wanted, tuple) else wanted
        word = "object" if isinstance(word, Fields) else "array" if isinstance(word, list) else word
        said = f"{what} of `{self.step.name}` must be {article(word)}, not {_a_kind(node)}"
        return Problem("step_field_type", node.span, said, _remedy(node, word))


def _a_kind(node: AnyNode) -> str:
    kind = kind_of(node)
    return "null" if kind == "null" else article("number" if kind in ("integer", "float") else kind)


def _remedy(node: AnyNode, word: str) -> Hint:
    if not isinstance(node, Scalar):
        return None
    if word == "string" and node.value is not None:
        return IN_QUOTES if is_as_read(node) else "`quote(..)` keeps it a string"
    if word in ("boolean", "integer", "number") and isinstance(node.value, str):
        return f"write {article(word)} without quotes" if is_as_read(node) else None
    return None


def _may_be(node: Template, wanted: Type) -> bool:
    texts = [part for part in node.segments if isinstance(part, str)]
    if not texts or _DATA.match("".join(texts)):
        return True
    return _fits_word("string", wanted) or isinstance(wanted, tuple)


def _fits(node: AnyNode, wanted: Type) -> bool:
    if isinstance(node, Scalar) and isinstance(wanted, tuple):
        return node.value in wanted
    kind = kind_of(node)
    if kind == "float" and isinstance(node, Scalar) and float(node.value or 0).is_integer():
        kind = "integer"
    return _fits_word(kind, wanted)


def _fits_word(kind: str, wanted: Type) -> bool:
    return kind == wanted or (wanted == "number" and kind in ("integer", "float"))


def _first_key(node: Map) -> Where | None:
    return partial(node.key_span, next(iter(node.items))) if node.items else None


def _span(node: AnyNode) -> Span:
    return node.span


def _counts(node: AnyNode | None) -> bool:
    """Whether a field counts as given; one that is empty or false does not."""
    return node is not None and not (isinstance(node, Scalar) and node.value in (None, "", False))


def _broken_rule(rule: Rule, node: Map) -> str | None:
    given = [name for name in rule.names if _counts(node.get(name))]
    certain = [name for name in given if not _is_open(node, name)]
    if rule.kind == "with":
        first, other = rule.names
        lacks = first in certain and other not in given
        return f"needs `{other}` beside `{first}`" if lacks else None
    if len(certain) > 1 or (rule.kind == "one" and not given):
        *most, last = [f"`{name}`" for name in rule.names]
        names = f"{', '.join(most)} and {last}"
        return f"needs {_HOW_MANY[rule.kind]} of {names}".replace("needs at", "takes at")
    return None


def _is_open(node: Map, name: str) -> bool:
    """Whether a field is not known yet and may come to nothing."""
    found = node.get(name)
    return isinstance(found, Template) and not any(isinstance(part, str) for part in found.segments)


def templates(node: AnyNode | None, wanted: Type) -> Iterator[tuple[Template, Type]]:
    """The templates in a config that is written, each with the type that its step wants there."""
    if isinstance(node, Template):
        yield node, wanted
    elif isinstance(node, Map):
        for key, child in node.items.items():
            inner = wanted if wanted in ("any", UNKNOWN) else None
            if isinstance(wanted, Fields):
                inner = wanted.known.get(key, wanted.rest)
            yield from templates(child, inner)
    elif isinstance(node, Array):
        for item in node.items:
            yield from templates(item, wanted[0] if isinstance(wanted, list) else wanted)
