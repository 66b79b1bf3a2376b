"""What may stand at a place of a document, as the JSON Schema of its dialect tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

from ...functions.record import Record, field
from ..engine.run import Dialect
from ..values.tree import AnyNode, Map, Scalar
from .inspection import Inspection
from .nodes import step
from .paths import Path

Schema: TypeAlias = dict[str, Any]
Rules: TypeAlias = Sequence[tuple[Schema, bool]]
"""Schemas that hold together, each with whether it holds in any case."""

_ENDLESS: Final = 60
_BRANCHES: Final = ("anyOf", "oneOf")


class Field(Record, eq=False):
    """What is known of the value at a path.

    `about` says what it is for, `allowed` are the only values that it can have, if they are known,
    `types` the names of types in JSON Schema. `required` says that the map around it must have it.
    """

    about: str = ""
    examples: tuple[Any, ...] = ()
    allowed: tuple[Any, ...] = ()
    types: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    deprecated: bool = False
    rules: Rules = field(default=(), repr=False)
    whole: Schema = field(factory=dict, repr=False)

    def inside(self, node: AnyNode | None) -> Mapping[str, Field]:
        """The fields of the map that stands here; `node` is what is there already, if anything."""
        found: dict[str, list[tuple[Schema, bool]]] = {}
        needed: set[str] = set()
        for rule, certain in _flat(self.rules, self.whole, node):
            if certain:
                needed.update(rule.get("required", ()))
            for key, inner in rule.get("properties", {}).items():
                if isinstance(inner, dict):
                    found.setdefault(key, []).append((inner, certain))
        return {key: _field(rules, self.whole, key in needed) for key, rules in found.items()}

    def below(self, item: str | int, node: AnyNode | None) -> Field | None:
        """The field under a key or an index of what stands here."""
        found: list[tuple[Schema, bool]] = []
        needed = False
        for rule, certain in _flat(self.rules, self.whole, node):
            needed = needed or (certain and item in rule.get("required", ()))
            inner = _inner(rule, item)
            if isinstance(inner, dict):
                found.append((inner, certain))
        return _field(found, self.whole, needed) if found else None

    def at(self, root: AnyNode | None, path: Path) -> Field | None:
        """The field at a path below; `root` is what stands here."""
        found: Field | None = self
        node = root
        for item in path:
            if found is None:
                return None
            found = found.below(item, node)
            inner = step(node, item) if node is not None else None
            node = inner[1] if inner is not None else None
        return found

    def content(self) -> Field | None:
        """What the text that stands here holds, where it is a document itself."""
        for rule, _ in _flat(self.rules, self.whole, None):
            if "contentSchema" in rule:
                return _field([(rule["contentSchema"], True)], self.whole, False)
        return None


def field_at(dialect: Dialect, root: Map, path: Path) -> Field | None:
    """What may stand at a path of a document; None when nothing is known of it.

    `root` is the tree of the document as far as there is one: what decides about others, such as
    the version or a type, is looked up in it.
    """
    schema = _schema(dialect.inspection) if dialect.inspection is not None else None
    return _field([(schema, True)], schema, False).at(root, path) if schema is not None else None


@lru_cache(8)
def _schema(answers: Callable[[], object]) -> Schema | None:
    """The schema of a dialect, by what makes its answers."""
    found = answers()
    if not isinstance(found, Inspection):
        return None
    make = found.fields or next(iter(found.schemas.values()), None)
    return make() if make is not None else None


def _flat(rules: Rules, whole: Schema, node: AnyNode | None) -> Iterator[tuple[Schema, bool]]:
    """The schemas that hold at a place, with those that they are made of.

    One of a choice is not certain. Conditions are decided by the node.
    """
    waiting = [*rules][::-1]
    seen: set[int] = set()
    while waiting and len(seen) < _ENDLESS:
        rule, certain = waiting.pop()
        if id(rule) in seen:
            continue
        seen.add(id(rule))
        yield rule, certain
        if "$ref" in rule:
            waiting.append((_referred(rule["$ref"], whole), certain))
        waiting += [(one, certain) for one in rule.get("allOf", ())]
        for word in _BRANCHES:
            branches = rule.get(word, ())
            waiting += [(one, certain and len(branches) == 1) for one in branches[::-1]]
        if "if" in rule:
            branch = rule.get("then" if _holds(rule["if"], node) else "else")
            waiting += [(branch, certain)] if branch is not None else []


def _referred(name: str, whole: Schema) -> Schema:
    found: Any = whole
    for part in unquote(name).removeprefix("#").split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {})
    return found if isinstance(found, dict) else {}


def _holds(rule: Any, node: AnyNode | None) -> bool:
    """Whether a condition holds; only words that conditions are made of are looked at."""
    if not isinstance(rule, dict):
        return bool(rule)
    if isinstance(node, Map):
        if any(key not in node.items for key in rule.get("required", ())):
            return False
        inner = rule.get("properties", {})
        return all(_holds(one, node.items[key]) for key, one in inner.items() if key in node.items)
    if "required" in rule:
        return False
    value = node.value if isinstance(node, Scalar) else None
    if "const" in rule and value != rule["const"]:
        return False
    if "enum" in rule and value not in rule["enum"]:
        return False
    pattern = rule.get("pattern")
    return pattern is None or (isinstance(value, str) and re.search(pattern, value) is not None)


def _inner(rule: Schema, item: str | int) -> Any:
    if isinstance(item, int):
        return rule.get("items")
    found = rule.get("properties", {}).get(item)
    return rule.get("additionalProperties") if found is None else found


def _field(rules: Rules, whole: Schema, required: bool) -> Field:
    """What schemas say together of the value that they are for."""
    about, examples, default = "", (), None
    types: dict[str, None] = {}
    allowed: dict[Any, None] = {}
    deprecated = False
    for rule, _ in _flat(rules, whole, None):
        about = about or rule.get("description", "")
        examples = examples or tuple(rule.get("examples", ()))
        default = rule.get("default") if default is None else default
        deprecated = deprecated or rule.get("deprecated", False)
        words = rule.get("type", ())
        types |= dict.fromkeys([words] if isinstance(words, str) else words)
        allowed |= dict.fromkeys(rule.get("enum", ()))
        if "const" in rule:
            allowed[rule["const"]] = None
    made = tuple(allowed), tuple(types), default, required, deprecated
    return Field(about, examples, *made, tuple(rules), whole)


def tabled(tables: Mapping[str, Mapping[str, str]]) -> Schema:
    """The schema that tables of fields describe; the first table is that of a document.

    A field has its type and a sentence (`name! = "text What others call it."`, with `!` for one
    that is required): `text`, `bool`, `whole`, `number`, `map`, `any`, words to choose from
    (`=a,b`), another table, or a list of one of these in brackets. A table `kind:Run,Test` is for
    documents with one of these words in the field `kind`.
    """
    whole: Schema = {"$defs": {}}
    for name, fields in tables.items():
        whole["$defs"][name] = _of_table(fields)
        key, _, words = name.partition(":")
        if words:
            condition = {"properties": {key: {"enum": words.split(",")}}, "required": [key]}
            branch = {"if": condition, "then": {"$ref": f"#/$defs/{quote(name)}"}}
            whole.setdefault("allOf", []).append(branch)
    whole["$ref"] = f"#/$defs/{next(iter(tables))}"
    return whole


def _of_table(fields: Mapping[str, str]) -> Schema:
    made: Schema = {"type": "object", "properties": {}}
    for key, told in fields.items():
        word, _, about = told.partition(" ")
        schema = {**_typed(word), **({"description": about} if about else {})}
        made["properties"][key.rstrip("!")] = schema
    needed = [key[:-1] for key in fields if key.endswith("!")]
    return {**made, "required": needed} if needed else made


_TYPES: Final[Mapping[str, Schema]] = {
    "text": {"type": "string"},
    "bool": {"type": "boolean"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "map": {"type": "object"},
    "list": {"type": "array"},
    "any": {},
}


def _typed(word: str) -> Schema:
    if word.startswith("["):
        return {"type": "array", "items": _typed(word[1:-1])}
    if word.startswith("="):
        return {"enum": word[1:].split(",")}
    return dict(_TYPES[word]) if word in _TYPES else {"$ref": f"#/$defs/{word}"}
