"""The catalogue of promotion steps (Kargo 1.11): what they take, what they give, what is gone.

`types` in `step_catalogue.py`, which has it, are names for types. Of each step there are

- `config`: the fields of the evaluated config: `x!` is required, a string where no type follows,
  `*` is any other key; `[t]` is a list of t, `{..}` an object, `a|b` allowed values, a name of
  `types` that type
- `output`: the keys of `outputs.<alias>` in the same notation; without any it has no outputs
- `result`: where the names of outputs come from: `*` is all of the config, else the names in a list
- `rules` for the objects at a path: exactly `one` of the fields, at `most` one, the first one
  `with` the other; a boolean counts when it is true
- `removed`, `fields`, `outputs`: the step, fields and outputs that are gone: since when, and what
  to write instead
- `deprecated`: fields that go away: when, and what to write instead
- `platform`: true for a step of the commercial platform: its fields are known in part, its outputs
  where some are listed
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache, partial
from typing import Any, Final, TypeAlias

from ....functions.names import Hint, meant
from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar
from .step_catalogue import CATALOGUE

Type: TypeAlias = Any
"""A word, a tuple of allowed values, a list with the type of its items, or `Fields`."""

UNKNOWN: Final = "?"
"""The type of what a step takes that the catalogue does not know."""

_TOKEN: Final = compile_regex(r"[\w.|*-]+!?|[\[\]{}:]")


class Problem(Record):
    """What is wrong with a part of a config; `mild` ones are warnings in a check too."""

    code: str
    span: Span
    summary: str
    hint: Hint = None
    mild: bool = False


class Fields(Record):
    """An object: the types of its keys, those that it needs, and the type of all others."""

    known: Mapping[str, Type]
    required: tuple[str, ...] = ()
    rest: Type = None


class Rule(Record):
    """What is asked beyond types: `one`, `most` or `with` some names of the objects at a path."""

    kind: str
    names: tuple[str, ...]


class Gone(Record):
    """Something that was removed, or will be: the version, and what to write instead."""

    version: str
    instead: str

    @property
    def hint(self) -> str:
        """The remedy."""
        told = f"it was removed in Kargo {self.version}"
        return told if self.instead == "nothing" else f"{told}; use {self.instead}"


class Step(Record):
    """A kind of step; paths of fields are written as in `checkout[].commit`."""

    name: str
    platform: bool = False
    config: Fields = Fields({})
    outputs: Fields = Fields({})
    result: str = ""
    rules: Mapping[str, list[Rule]] = field(factory=dict)
    fields: Mapping[str, Gone] = field(factory=dict)
    gone: Mapping[str, Gone] = field(factory=dict)
    old: Mapping[str, Gone] = field(factory=dict)
    removed: Gone | None = None


class Outputs(Record):
    """What a step that ran puts out."""

    step: str
    fields: Fields
    gone: Mapping[str, Gone] = field(factory=dict)

    def missing(self, path: tuple[str | int, ...]) -> tuple[int, str, Hint] | None:
        """The first key of a path below the outputs that is never there: its index, the sentence
        and a hint."""
        kind: Type = self.fields
        for index, key in enumerate(path):
            if not isinstance(kind, Fields) or not isinstance(key, str):
                return None
            if key not in kind.known and kind.rest is None:
                of = f"`{path[index - 1]}` of `{self.step}`" if index else f"`{self.step}`"
                gone = self.gone.get(".".join(map(str, path[: index + 1])))
                hint = gone.hint if gone else partial(_near, key, kind.known)
                return index, f"{of} has no output `{key}`", hint
            kind = kind.known.get(key, kind.rest)
        return None


def _near(key: str, known: Collection[str]) -> str | None:
    """The hint that names the output that is meant, or all of a few."""
    listed = ", ".join(f"`{name}`" for name in known) or "none"
    return meant(key, known) or (f"it has {listed}" if len(known) <= _A_FEW else None)


_A_FEW: Final = 8


def _fields(tokens: list[str]) -> Fields:
    """The fields up to the end of an object; the next token is the last one of the list."""
    known: dict[str, Type] = {}
    required = []
    rest = None
    while tokens and tokens[-1] != "}":
        name = tokens.pop()
        kind: Type = "string"
        if tokens and tokens[-1] == ":":
            tokens.pop()
            kind = _type(tokens)
        if name == "*":
            rest = kind
        else:
            known[name.rstrip("!")] = kind
            required += [name[:-1]] if name.endswith("!") else []
    if tokens:
        tokens.pop()
    return Fields(known, tuple(required), rest)


def _type(tokens: list[str]) -> Type:
    token = tokens.pop()
    if token == "{":
        return _fields(tokens)
    if token == "[":
        items = [_type(tokens)]
        tokens.pop()
        return items
    named = CATALOGUE["types"].get(token)
    if named is not None:
        return _type(_tokens(named))
    return tuple(token.split("|")) if "|" in token else token


def _tokens(text: str | list[str]) -> list[str]:
    text = text if isinstance(text, str) else " ".join(text)
    return _TOKEN.findall(text)[::-1]


@cache
def find(uses: str) -> Step | None:
    """The step of a name; None for one that Kargo does not bring."""
    entry = CATALOGUE["steps"].get(uses)
    if entry is None:
        return None
    config, outputs = (_fields(_tokens(entry.get(key, ""))) for key in ("config", "output"))
    if entry.get("platform"):
        config = config.evolve(rest=UNKNOWN)
        outputs = outputs if "output" in entry else Fields({}, (), "any")
    rules: dict[str, list[Rule]] = {}
    for line in entry.get("rules", ()):
        path, _, names = line.partition(":")
        kind, _, path = path.partition(" ")
        rules.setdefault(path.strip(), []).append(Rule(kind, tuple(names.split())))
    gone, lost, old = (
        {path: Gone(*told) for path, told in entry.get(key, {}).items()}
        for key in ("fields", "outputs", "deprecated")
    )
    removed = Gone(*entry["removed"]) if "removed" in entry else None
    platform, result = entry.get("platform", False), entry.get("result", "")
    return Step(uses, platform, config, outputs, result, rules, gone, lost, old, removed)


def step_names() -> Iterable[str]:
    """The names of all steps, of those that were removed, too."""
    return tuple(CATALOGUE["steps"])


def unknown_step(uses: str, others: Collection[str]) -> tuple[str, str, Hint] | None:
    """The code, the sentence and the hint for a step that there is not; `others` are steps of
    one's own."""
    step = find(uses)
    if uses in others or (step is not None and step.removed is None):
        return None
    if step is not None and step.removed is not None:
        return "removed_step", f"there is no step `{uses}` any more", step.removed.hint

    def hint() -> str:
        near = meant(uses, (*CATALOGUE["steps"], *others))
        return near or "`--allow-step` names a step of your own, as CustomPromotionStep does"

    return "unknown_step", f"there is no step `{uses}`", hint


def outputs_of(uses: str, config: AnyNode | None) -> Outputs | None:
    """What a step with a config puts out; None when that can be anything."""
    step = find(uses)
    if step is None or step.removed is not None:
        return None
    fields = step.outputs
    if step.result == "*":
        fields = Fields(dict.fromkeys(config.items, "any") if isinstance(config, Map) else {})
    elif step.result:
        key = step.result.partition("[")[0]
        listed = config.get(key) if isinstance(config, Map) else None
        if listed is not None and not isinstance(listed, Array):
            return None
        known: dict[str, Type] = {}
        for item in listed.items if listed is not None else ():
            name = item.get("name") if isinstance(item, Map) else None
            if not isinstance(name, Scalar):
                return None
            known[str(name.value)] = "any"
        fields = Fields(known)
    return Outputs(uses, fields, step.gone) if fields.rest is None else None


def custom_steps(manifests: Any) -> frozenset[str]:
    """The steps that CustomPromotionStep manifests add."""
    return frozenset(one.name for one in manifests.all("CustomPromotionStep"))
