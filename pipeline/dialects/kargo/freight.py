"""Freight: what Warehouses subscribe to, what a promotion has of it, and the lookups in that.

Sections 5.4 and 6.2 of the notes on promotions. Lookups are over plain data and know no trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from ....functions.expr.kinds import StringMap, Struct
from ....functions.expr.layouts import read_time
from ....functions.kargo.promotion import STRUCTS
from ....functions.record import Record, field
from ....functions.values import FunctionError, article
from ...values.diagnostics import meant, suggestion
from ...values.source import Span
from ...values.tree import AnyNode, Map, kind_of
from ...world.data_files import plain
from .manifests import (
    UNGIVEN,
    Manifest,
    Manifests,
    Ungiven,
    at,
    items_at,
    list_at,
    name_span,
    text_at,
)
from .recognition import GROUP
from .state import as_json

COMMIT: Final = "commit"
IMAGE: Final = "image"
CHART: Final = "chart"
ARTIFACT: Final = "artifact"


class Kind(Record):
    """A kind of artifact: its fields in a Warehouse and in Freight, and what it is called."""

    subscription: str
    listed: str
    word: str


KINDS: Final = {
    COMMIT: Kind("git", "commits", "commit of"),
    IMAGE: Kind("image", "images", "image"),
    CHART: Kind("chart", "charts", "chart"),
    ARTIFACT: Kind("subscription", "artifacts", "artifact of the subscription"),
}

Key = tuple[str, str]
"""What an artifact is found by: a URL or the name of a subscription, and the name of a chart."""

_SCP: Final = re.compile(r"(?:([\w.-]+)@)?([\w.-]+):(?!//)/?(.*)")
_WEB: Final = re.compile(r"(https?://)(?:[^/@]*@)?(.*)")


def normalised(url: str) -> str:
    """The address of a Git repository as it is compared."""
    url = url.lower().rstrip("/").removesuffix(".git")
    web = _WEB.fullmatch(url)
    if web is not None:
        return web[1] + web[2]
    scp = _SCP.fullmatch(url)
    if scp is not None:
        return f"ssh://{scp[1]}@{scp[2]}/{scp[3]}" if scp[1] else f"ssh://{scp[2]}/{scp[3]}"
    return url


def key_of(kind: str, data: Mapping[str, Any], name: str = "subscriptionName") -> Key:
    """What an artifact, or with `name` a subscription, is found by."""
    if kind == ARTIFACT:
        return str(data.get(name) or ""), ""
    url = str(data.get("repoURL") or "")
    return (normalised(url) if kind == COMMIT else url), (
        str(data.get("name") or "") if kind == CHART else ""
    )


class Item(Record, eq=False):
    """The Freight of one origin. A `partial` one may have artifacts that nobody told."""

    name: str
    alias: str
    origin: str
    artifacts: Mapping[str, list[Mapping[str, Any]]] = field(repr=False)
    span: Span | None = None
    partial: bool = False


class Collection:
    """The Freight of a promotion, by origin, and the lookups in it.

    `requested` are the origins that the Stage requests, in their order; None where it is not known.
    `target` is the Freight that is promoted. In what a Warehouse has `discovered`, addresses are
    compared without what is often left out.
    """

    def __init__(
        self,
        manifests: Manifests,
        namespace: str,
        requested: list[str] | None,
        freight: Mapping[str, Item],
        target: Item | None,
        discovered: bool = False,
    ) -> None:
        self.requested = requested
        self.freight = freight
        self.target = target
        self._manifests = manifests
        self._namespace = namespace
        self._closed = manifests.options.closed
        self._discovered = discovered

    def commit(self, url: str, origin: Any = None) -> Any:
        """The commit of a repository.

        Raises:
            FunctionError: `artifact_not_found` where the engine has nil, `artifact_ambiguous`,
                `warehouse_not_found`.
        """
        return self._find(COMMIT, (normalised(url), ""), url, origin)

    def image(self, url: str, origin: Any = None) -> Any:
        """The image of a repository; errors are those of `commit`."""
        return self._find(IMAGE, (url, ""), url, origin)

    def chart(self, url: str, name: str | None = None, origin: Any = None) -> Any:
        """The chart of a repository; errors are those of `commit`, and `chart_not_found`."""
        shown = f"{url}#{name}" if name else url
        return self._find(CHART, (url, name or ""), shown, origin)

    def artifact(self, subscription: str, origin: Any = None) -> Any:
        """The artifact of a subscription; errors are those of `commit`."""
        return self._find(ARTIFACT, (subscription, ""), subscription, origin)

    def _find(self, kind: str, key: Key, shown: str, origin: Any) -> Any:
        if origin is None:
            found = self._origin(kind, key, shown)
            if isinstance(found, Ungiven):
                return found
        else:
            found = origin.field("Name")
        item = self.freight.get(found)
        if item is None and not self._closed and found in (self.requested or (found,)):
            return UNGIVEN
        for one in item.artifacts.get(kind, ()) if item is not None else ():
            self._manifests.context.meter.work(1)
            if self._is_same(kind, key_of(kind, one), key):
                return made(
                    "discovered_commit" if self._discovered and kind == COMMIT else kind, one
                )
        if item is not None and item.partial and not self._closed:
            return UNGIVEN
        raise self._not_found(kind, key, shown, found)

    def _origin(self, kind: str, key: Key, shown: str) -> str | Ungiven:
        """The one requested origin that could give an artifact."""
        matches = []
        waits = self.requested is None
        for name in self.requested if self.requested is not None else self.freight:
            listed = self._subscribed(name, kind)
            if listed is None:
                waits = True
                continue
            matches += [name for one in listed if self._is_same(kind, one, key)]
        if len(matches) > 1:
            raise FunctionError(
                f"more than one origin could give the {KINDS[kind].word} `{shown}`",
                "artifact_ambiguous",
                f"name the Warehouse: `warehouse('{matches[0]}')` as the last argument",
            )
        if matches:
            return matches[0]
        if waits and not self._closed:
            return UNGIVEN
        raise self._not_found(kind, key, shown, None)

    def _is_same(self, kind: str, one: Key, key: Key) -> bool:
        if self._discovered and kind in (IMAGE, CHART):
            return (_bare(one[0]), one[1]) == (_bare(key[0]), key[1])
        return one == key

    def _subscribed(self, origin: str, kind: str) -> list[Key] | None:
        """What a Warehouse subscribes to of a kind; None when that is not known.

        A Warehouse that no file has subscribes to what its Freight holds.
        """
        found = self._manifests.find("Warehouse", origin, self._namespace)
        if found is not None:
            return subscriptions(self._manifests, found, kind)
        if self._closed:
            hint = meant(origin, self._manifests.names("Warehouse", self._namespace))
            raise FunctionError(
                f"the Warehouse `{origin}` does not exist", "warehouse_not_found", hint
            )
        item = self.freight.get(origin)
        if item is None or item.partial:
            return None
        return list(dict.fromkeys(key_of(kind, one) for one in item.artifacts.get(kind, ())))

    def _not_found(self, kind: str, key: Key, shown: str, origin: str | None) -> FunctionError:
        word = KINDS[kind].word
        if origin is None:
            fails = kind == CHART and not self._discovered
            code = "chart_not_found" if fails else "artifact_not_found"
            summary = f"no requested Warehouse subscribes to the {word} `{shown}`"
            return FunctionError(summary, code, lambda: self._near(kind, key))
        if origin not in (self.requested or (origin,)):
            summary = f"the Stage requests no Freight of the Warehouse `{origin}`"
            return FunctionError(summary, "artifact_not_found", meant(origin, self.requested or ()))
        if origin not in self.freight:
            summary = f"the promotion has no Freight of `{origin}`"
            return FunctionError(summary, "artifact_not_found", "name it with `--freight`")
        summary = f"the Freight of `{origin}` has no {word} `{shown}`"
        return FunctionError(summary, "artifact_not_found", lambda: self._near(kind, key))

    def _near(self, kind: str, key: Key) -> str | None:
        origins = self.requested if self.requested is not None else [*self.freight]
        return _near(self._manifests, self._namespace, origins, self.freight, kind, key)


def _near(
    manifests: Manifests,
    namespace: str,
    origins: list[str],
    freight: Mapping[str, Item],
    kind: str,
    key: Key,
) -> str | None:
    """The hint that names a subscription or an artifact that is nearly the one."""
    known: dict[Key, None] = {}
    for origin in origins:
        warehouse = manifests.find("Warehouse", origin, namespace)
        if warehouse is not None:
            known |= dict.fromkeys(subscriptions(manifests, warehouse, kind))
        if origin in freight:
            known |= dict.fromkeys(
                key_of(kind, one) for one in freight[origin].artifacts.get(kind, ())
            )
    shown = {f"{url}#{name}" if name else url: (url, name) for url, name in known}
    wanted = _bare(key[0])
    same = [text for text, (url, _) in shown.items() if _bare(url) == wanted and shown[text] != key]
    if same:
        return f"did you mean `{same[0]}`?"
    return meant(f"{key[0]}#{key[1]}" if key[1] else key[0], shown)


def _bare(url: str) -> str:
    """An address without what is often left out or written in another way."""
    url = re.sub(r"^[a-z]+://", "", url.lower()).rstrip("/").removesuffix(".git")
    url = url.rpartition("@")[2] if "/" in url else url
    return url.removeprefix("docker.io/").removeprefix("library/")


def made(kind: str, data: Mapping[str, Any]) -> Struct:
    """The value that an expression gets of an artifact."""
    values = {}
    for name, own, type_name in _fields(kind):
        value = data.get(own)
        if type_name == "strings" and isinstance(value, dict):
            value = StringMap(value)
        if type_name == "time" and isinstance(value, str):
            value = read_time(value, RFC_3339)
        if value is not None:
            values[name] = as_json(value) if type_name == "object" else value
    return Struct(STRUCTS[kind], values)


def _fields(kind: str) -> Iterator[tuple[str, str, str]]:
    """The fields of an artifact: their names in Go and in manifests, and their types."""
    for name, (type_name, own) in STRUCTS[kind].fields.items():
        yield name, own[0].lower() + own[1:], type_name


RFC_3339: Final = "2006-01-02T15:04:05Z07:00"


def subscriptions(manifests: Manifests, warehouse: Manifest, kind: str) -> list[Key]:
    """What a Warehouse subscribes to of a kind of artifact."""

    def read() -> list[Key]:
        listed = list_at(warehouse.node, "spec", "subscriptions")
        manifests.context.meter.work(len(listed))
        inner = (at(item, KINDS[kind].subscription) for item in listed)
        fields = [
            {name: text_at(one, name) for name in ("repoURL", "name")}
            for one in inner
            if isinstance(one, Map)
        ]
        return [key_of(kind, one, "name") for one in fields]

    return manifests.kept(warehouse, kind, read)


def collection_of(
    manifests: Manifests,
    stage: Manifest | None,
    promotion: Manifest | None = None,
    now: bool = False,
) -> Collection:
    """The Freight of a promotion of a Stage, or with `now` what the Stage has.

    `promotion` is a record of it, by default that of the options if it is of this Stage. Without a
    Stage, what is requested is not known.
    """
    options = manifests.options
    holder = stage or promotion
    namespace = holder.namespace if holder is not None else ""
    requested = None
    if stage is not None:
        requested = [
            text_at(one, "origin", "name")
            for one in list_at(stage.node, "spec", "requestedFreight")
        ]
    if promotion is None and stage is not None and manifests.promotion is not None:
        of = text_at(manifests.promotion.node, "spec", "stage")
        promotion = manifests.promotion if of == stage.name else None
    found: dict[str, Item] = {}
    wanted = options.target_freight or text_at(promotion and promotion.node, "spec", "freight")
    given = [
        one
        for each in manifests.freight
        if not namespace or each.namespace in ("", namespace)
        for one in _items(manifests, each)
    ]
    if promotion is not None:
        given += _items(manifests, promotion)
    named = manifests.find("Freight", wanted, namespace) if wanted else None
    if named is not None:
        given += _items(manifests, named)
    for one in sorted(given, key=lambda one: one.name != wanted):
        first = found.setdefault(one.origin, one)
        if first.name not in (one.name, wanted):
            _report_second(manifests, one)
    _add_flags(found, requested, manifests, namespace)
    order = requested if requested is not None else list(found)
    target = next((found[name] for name in order if name in found), None)
    if wanted:
        target = next((one for one in found.values() if one.name == wanted), None)
        if target is None and options.target_freight:
            _report_missing(manifests, wanted, [one.name for one in given])
    if stage is not None and (now or target is not None):
        for one in _items(manifests, stage):
            found.setdefault(one.origin, one)
    return Collection(manifests, namespace, requested, found, target)


def _report_second(manifests: Manifests, one: Item) -> None:
    summary = f"there is a second Freight of the Warehouse `{one.origin}`"
    hint = f"give one for each origin, or choose with `--target-freight {one.name}`"
    manifests.context.diagnostics.error("duplicate_manifest", one.span, summary, hint)


def _report_missing(manifests: Manifests, name: str, known: list[str]) -> None:
    summary = f"there is no Freight `{name}`"
    hint = suggestion(name, [*known, *manifests.names("Freight")])
    manifests.context.diagnostics.error("artifact_not_found", None, summary, hint)


def _items(manifests: Manifests, manifest: Manifest) -> list[Item]:
    """The Freight that a manifest is, or that a promotion or a Stage has."""
    return manifests.kept(manifest, "items", lambda: list(_read_items(manifests, manifest)))


def _read_items(manifests: Manifests, manifest: Manifest) -> Iterator[Item]:
    node = manifest.node
    if manifest.kind == "Freight":
        alias = text_at(node, "alias") or text_at(node, "metadata", "labels", f"{GROUP}alias")
        yield _item(manifests, node, manifest.name, alias, name_span(manifest))
        return
    held = at(node, "status", "freightCollection")
    if manifest.kind == "Stage":
        held = next(iter(list_at(node, "status", "freightHistory")), None)
    references = [one for _, one in items_at(held, "items")]
    target = at(node, "status", "freight")
    for one in (*references, target):
        if one is not None:
            yield _item(manifests, one, text_at(one, "name"), "", one.span)


def _item(manifests: Manifests, node: AnyNode, name: str, alias: str, span: Span) -> Item:
    artifacts = {
        kind: [
            _artifact(manifests, kind, one)
            for one in list_at(node, about.listed)
            if isinstance(one, Map)
        ]
        for kind, about in KINDS.items()
    }
    return Item(name, alias, text_at(node, "origin", "name"), artifacts, span)


def _artifact(manifests: Manifests, kind: str, node: Map) -> dict[str, Any]:
    """An artifact as plain data; reports fields that must be strings."""
    context = manifests.context
    data: dict[str, Any] = {}
    for _, own, type_name in _fields(kind):
        context.meter.work(1)
        child = node.get(own)
        if child is None:
            continue
        value = plain(child)
        if type_name == "string" and value is not None and not isinstance(value, str):
            summary = f"`{own}` must be a string, not {article(kind_of(child))}"
            context.diagnostics.error("invalid_string", child.span, summary, "put quotes around it")
        elif type_name != "strings" or isinstance(value, dict):
            data[own] = value
    return data


_DISCOVERED: Final = (
    (COMMIT, "git", "commits"),
    (IMAGE, "images", "references"),
    (CHART, "charts", "versions"),
    (ARTIFACT, "results", "artifactReferences"),
)


def discovered_by(manifests: Manifests, warehouse: Manifest) -> Collection:
    """The newest artifact of each kind that a Warehouse has discovered, for its criteria."""
    found = {}
    held = warehouse.at("status", "discoveredArtifacts")
    if held is not None:
        artifacts: dict[str, list[Mapping[str, Any]]] = {}
        for kind, listed, inner in _DISCOVERED:
            for one in list_at(held, listed):
                manifests.context.meter.work(1)
                newest = next(iter(list_at(one, inner)), None)
                if newest is not None:
                    value = plain(newest)
                    told = value if isinstance(value, dict) else {"version": value}
                    about = {
                        key: text
                        for key in ("repoURL", "name", "subscriptionName")
                        if (text := text_at(one, key))
                    }
                    artifacts.setdefault(kind, []).append({**told, **about})
        found[warehouse.name] = Item("", "", warehouse.name, artifacts, held.span)
    names = [warehouse.name]
    return Collection(manifests, warehouse.namespace, names, found, None, discovered=True)


_FLAGS: Final = (
    ("images", IMAGE, re.compile(r"(?P<repoURL>.+)=(?P<tag>[^@]+)(?:@(?P<digest>.+))?")),
    ("commits", COMMIT, re.compile(r"(?P<repoURL>.+)=(?P<id>.+)")),
    ("charts", CHART, re.compile(r"(?P<repoURL>[^#]+)(?:#(?P<name>.+))?=(?P<version>.+)")),
    ("artifacts", ARTIFACT, re.compile(r"(?P<subscriptionName>.+)=(?P<version>.+)")),
)


def _add_flags(
    found: dict[str, Item], requested: list[str] | None, manifests: Manifests, namespace: str
) -> None:
    """Adds the artifacts without a manifest to the Freight of their origins."""
    for option, kind, pattern in _FLAGS:
        for text in getattr(manifests.options, option):
            parts = pattern.fullmatch(text)
            told: dict[str, Any] = (
                {key: one for key, one in parts.groupdict().items() if one} if parts else {}
            )
            if not manifests.options.closed:
                untold = {own: UNGIVEN for _, own, _ in _fields(kind)}
                told = {**untold, "name": "", **told}
            origin = _origin_of(kind, key_of(kind, told), requested, manifests, namespace)
            if origin is None:
                continue
            old = found.get(origin) or Item("", "", origin, {}, None, True)
            others = [
                one
                for one in old.artifacts.get(kind, ())
                if key_of(kind, one) != key_of(kind, told)
            ]
            artifacts = {**old.artifacts, kind: [told, *others]}
            # with another artifact it is other Freight
            found[origin] = old.evolve(name="", alias="", artifacts=artifacts)


def _origin_of(
    kind: str, key: Key, requested: list[str] | None, manifests: Manifests, namespace: str
) -> str | None:
    """The origin that gives an artifact of the command line; None, reported, for an unclear one."""
    takers = {
        one.name
        for one in manifests.all("Warehouse")
        if namespace in ("", one.namespace) or not one.namespace
        if key in subscriptions(manifests, one, kind)
    }
    known = requested if requested is not None else sorted(takers)
    mine = [name for name in known if name in takers]
    word = f"{KINDS[kind].word} `{key[0]}`"
    tell = manifests.context.diagnostics
    if len(mine) > 1:
        summary = f"more than one Warehouse subscribes to the {word}: {', '.join(mine)}"
        hint = "give a manifest of the Freight with `--freight`"
        tell.error("artifact_ambiguous", None, summary, hint)
    elif not mine and not takers:
        summary = f"no requested Warehouse subscribes to the {word}"
        near = partial(_near, manifests, namespace, known, {}, kind, key)
        if len(known) != 1:
            tell.error("artifact_ambiguous", None, summary, near)
        elif manifests.find("Warehouse", known[0], namespace) is not None:
            tell.warn("artifact_not_found", None, summary, near)
    return mine[0] if len(mine) == 1 else known[0] if len(known) == 1 else None
