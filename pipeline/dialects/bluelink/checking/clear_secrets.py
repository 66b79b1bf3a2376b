"""Lints: secrets that are written in a blueprint as they are.

What looks like a secret is told by the name of a field together with its value, or by a value that
has the form of a key. No finding repeats a value, and its line is not quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .....functions.regexes import compile_regex
from ....engine.lints import Finding, Lint, Reading
from ....engine.materialisation import flag_of
from ....values.diagnostics import WARNING
from ....values.document import Document
from ....values.expression import Hole
from ....values.tree import AnyNode, Map, Scalar, Template
from ..structure.inspection import is_lone

# the end of a name, in any spelling: `dbPassword`, `DB_PASSWORD`, `db-password`
_PASSWORD: Final = compile_regex(r"(?:password|passwd|passphrase)\Z", re.IGNORECASE)
_KEY: Final = compile_regex(
    r"(?:secret|token|(?:api|access|private|secret)[-_]?key)\Z", re.IGNORECASE
)
# words that say how a password comes about, and addresses of where it is kept
_WORDS: Final = frozenset(
    {"none", "null", "true", "false", "yes", "no", "on", "off", "optional", "required", "disabled"}
    | {"enabled", "auto", "generated", "generate", "default", "password", "passwd", "plain"}
)
_ADDRESS: Final = compile_regex(r"arn:|[a-z][\w+.-]*+:|/|\{\{|\$|<|%|\*+\Z|x+\Z", re.IGNORECASE)
_RANDOM: Final = compile_regex(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_.~-]{16,}\Z")
_FORMS: Final = compile_regex(
    r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bxox[abprs]-[0-9A-Za-z-]{20,}|\bsk_live_[0-9A-Za-z]{20,}"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"']{1,100}:[^\s:/@\"'$<{*]{1,100}@",
)
_IN_FORMS: Final = compile_regex(r"-----BEGIN|A[KS]IA|gh[pousr]_|xox|sk_live_|[@\\\\]")
"""What is in a source with any of the forms; a backslash may write any of it in another way."""
_HINT: Final = "declare a variable with `secret: true` and refer to it"


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    names, secrets = _defined(document)
    for name, node in secrets:
        summary = f"the default of the secret variable `{name}` is written in clear"
        yield _told(node, summary, reading, "remove it: a render gets the value from outside")
    told = {id(node) for _, node in secrets}
    kinds: dict[str, str] = {}
    has_forms = _IN_FORMS.search(document.source.text) is not None
    for key, node in reading.strings(document.root, without=("description",)):
        name = names.get(id(node), key)
        kind = kinds.get(name)
        if kind is None:
            kind = kinds[name] = _kind(name)
        if not (kind or has_forms):  # as most
            continue
        text = _literal(node)
        if text is None or id(node) in told:
            continue
        reading.context.meter.work(len(text) // 16 + 1)
        if kind and _looks_secret(kind, text):
            yield _told(node, f"`{name}` looks like a secret that is written in clear", reading)
        elif has_forms and _FORMS.search(text):
            yield _told(node, "this looks like a secret that is written in clear", reading)


def _defined(document: Document) -> tuple[dict[int, str], list[tuple[str, AnyNode]]]:
    """The names of what defaults and values define, by their nodes; the defaults of secrets."""
    names: dict[int, str] = {}
    secrets: list[tuple[str, AnyNode]] = []
    for section, key in (("variables", "default"), ("values", "value")):
        found = document.section(section)
        for name, node in found.items.items() if found else ():
            given = node.get(key) if isinstance(node, Map) else None
            if not isinstance(node, Map) or not isinstance(given, Scalar | Template):
                continue
            names[id(given)] = name
            secret = section == "variables" and flag_of(node.get("secret"))
            if secret and isinstance(given, Scalar) and given.value not in (None, ""):
                secrets.append((name, given))
    return names, secrets


def _literal(node: AnyNode) -> str | None:
    """The text of a string without references, of a lone literal its value."""
    if isinstance(node, Scalar):
        return str(node.value)
    if not isinstance(node, Template) or node.segments.roots:
        return None
    one = node.segments.substitutions[0]
    lone = is_lone(node) and isinstance(one.shape.expression, Hole)
    return one.literals[0] if lone else node.text


def _kind(name: str) -> str:
    """`password` or `key` for a name that says so, else nothing."""
    if _PASSWORD.search(name):
        return "password"
    return "key" if _KEY.search(name) else ""


def _looks_secret(kind: str, text: str) -> bool:
    """True for a password, or for a key of a random look."""
    if not text or " " in text or text.lower() in _WORDS or _ADDRESS.match(text):
        return False
    return kind == "password" or _RANDOM.match(text) is not None


def _told(node: AnyNode, summary: str, reading: Reading, hint: str = _HINT) -> Finding:
    reading.context.quoting.leave_unquoted(node.span)
    return Finding("secret_in_clear", node.span, summary, hint)


CLEAR_SECRETS: Final = Lint({"secret_in_clear": WARNING}, _find)
