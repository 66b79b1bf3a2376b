"""Freight: what Warehouses subscribe to, what a promotion has of it, and the lookups in that.

Lookups are over plain data and know no trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

from ....functions.expr.kinds import StringMap, Struct
from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ....functions.values import FunctionError, article
from ...language.errors import QUOTES_AROUND
from ...values.diagnostics import Hint, meant, suggestion
from ...values.source import Span
from ...values.tree import AnyNode, Map, Scalar, at, items_at, kind_of, list_at, text_at
from ...world.data_files import plain
from .manifests import UNGIVEN, Manifest, Manifests, Ungiven, name_span
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

LOOKUPS: Final = {
    "commitFrom": COMMIT,
    "imageFrom": IMAGE,
    "chartFrom": CHART,
    "artifactFrom": ARTIFACT,
}
"""The functions that look an artifact up, each with its kind."""

_DISCOVERED_COMMIT: Final = "discovered_commit"

Key = tuple[str, str]
"""What an artifact is found by: a URL or the name of a subscription, and the name of a chart."""

_SCP: Final = compile_regex(r"(?:([\w.-]+)@)?([\w.-]+):(?!//)/?(.*)")
_WEB: Final = compile_regex(r"(https?://)(?:[^/@]*@)?(.*)")


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
        return data.get(name) or "", ""
    url = data.get("repoURL") or ""
    return normalised(url) if kind == COMMIT else url, data.get(
        "name"
    ) or "" if kind == CHART else ""


class Item(Record, eq=False):
    """The Freight of one origin. A `partial` one may have artifacts that nobody told."""

    name: str
    alias: str
    origin: str
    artifacts: Mapping[str, list[dict[str, Any]]] = field(repr=False)
    span: Span | None = None
    partial: bool = False

    def keys(self, kind: str) -> list[Key]:
        """What its artifacts of a kind are found by."""
        return [key_of(kind, one) for one in self.artifacts.get(kind, ())]


class Collection:
    """The Freight of a promotion, by origin, and the lookups in it.

    `requested` are the origins that the Stage requests, in their order; None where it is not known.
    `target` is the Freight that is promoted. In what a Warehouse has `discovered`, addresses are
    compared without what is often left out.

    A lookup gives a struct, or `UNGIVEN` for what is not known. It raises a `FunctionError`:
    `artifact_not_found` where Kargo gives nil, `artifact_ambiguous`, `warehouse_not_found`, and for
    charts `chart_not_found`.
    """

    def __init__(
        self,
        manifests: Manifests,
        namespace: str,
        requested: list[str] | None,
        discovered: bool = False,
    ) -> None:
        self.requested = requested
        self.freight: dict[str, Item] = {}
        self.target: Item | None = None
        self._manifests = manifests
        self._namespace = namespace
        self._closed = manifests.options.closed
        self._discovered = discovered
        self._answers: dict[Any, Struct | Ungiven] = {}

    @property
    def origins(self) -> list[str]:
        """The origins whose Freight counts, in their order."""
        return self.requested if self.requested is not None else [*self.freight]

    @property
    def has_strangers(self) -> bool:
        """True where Freight is given that the Stage does not request."""
        return self.requested is not None and not self.freight.keys() <= {*self.requested}

    def find(self, kind: str, asked: str, *more: Any) -> Struct | Ungiven:
        """The artifact of a repository or a subscription; `more` may be a chart and an origin."""
        origin = more[-1] if more and isinstance(more[-1], Struct) else None
        name = more[0] if more and isinstance(more[0], str) else ""
        known = kind, asked, name, origin.field("Name") if origin is not None else None
        if known not in self._answers:
            key = key_of(kind, {"repoURL": asked, "subscriptionName": asked, "name": name})
            shown = f"{asked}#{name}" if name else asked
            self._answers[known] = self._looked_up(kind, key, shown, origin)
        return self._answers[known]

    def _looked_up(
        self, kind: str, key: Key, shown: str, origin: Struct | None
    ) -> Struct | Ungiven:
        word = f"{KINDS[kind].word} `{shown}`"
        near = partial(self._near, kind, key)
        name = self._origin(kind, key, word) if origin is None else origin.field("Name")
        if isinstance(name, Ungiven):
            return name
        if origin is not None and name not in (self.requested or (name,)):
            summary = f"the Stage requests no Freight of the Warehouse `{name}`"
            raise FunctionError(summary, "artifact_not_found", meant(name, self.origins))
        item = self.freight.get(name)
        if item is None and self._closed:
            summary = f"the promotion has no Freight of `{name}`"
            raise FunctionError(summary, "artifact_not_found", "name it with `--freight`")
        for one in item.artifacts.get(kind, ()) if item is not None else ():
            self._manifests.context.meter.work(1)
            if self._is_same(kind, key_of(kind, one), key):
                named = _DISCOVERED_COMMIT if self._discovered and kind == COMMIT else kind
                return made(named, one)
        if item is None or (item.partial and not self._closed):
            return UNGIVEN
        raise FunctionError(f"the Freight of `{name}` has no {word}", "artifact_not_found", near)

    def _origin(self, kind: str, key: Key, word: str) -> str | Ungiven:
        """The one requested origin that could give an artifact."""
        matches: list[str] = []
        waits = self.requested is None
        for name in self.origins:
            listed, complete = self._subscribed(name, kind)
            waits = waits or not complete
            matches += [name for one in listed if self._is_same(kind, one, key)]
        if len(matches) > 1:
            hint = f"name the Warehouse: `warehouse('{matches[0]}')` as the last argument"
            summary = f"more than one origin could give the {word}"
            raise FunctionError(summary, "artifact_ambiguous", hint)
        if matches:
            return matches[0]
        if waits and not self._closed:
            return UNGIVEN
        fails = kind == CHART and not self._discovered
        code = "chart_not_found" if fails else "artifact_not_found"
        near = partial(self._near, kind, key)
        raise FunctionError(f"no requested Warehouse subscribes to the {word}", code, near)

    def _is_same(self, kind: str, one: Key, key: Key) -> bool:
        loose = self._discovered and kind in (IMAGE, CHART)
        return one == key or (loose and (_bare(one[0]), one[1]) == (_bare(key[0]), key[1]))

    def _subscribed(self, origin: str, kind: str) -> tuple[list[Key], bool]:
        """What a Warehouse subscribes to of a kind, and whether that is all.

        A Warehouse that no file has subscribes to what its Freight holds, and so do all where it is
        not known which are requested.
        """
        known = self.requested is not None
        found = self._manifests.find("Warehouse", origin, self._namespace) if known else None
        if found is not None:
            return subscriptions(self._manifests, found, kind), True
        if self._closed and known:
            hint = partial(self._manifests.where, "Warehouse", origin, self._namespace)
            summary = f"the Warehouse `{origin}` does not exist"
            raise FunctionError(summary, "warehouse_not_found", hint)
        item = self.freight.get(origin)
        return ([*{*item.keys(kind)}], not item.partial) if item is not None else ([], False)

    def _near(self, kind: str, key: Key) -> str | None:
        """The hint that names a subscription or an artifact that is nearly the one."""
        known: dict[Key, None] = {}
        for origin in self.origins:
            warehouse = self._manifests.find("Warehouse", origin, self._namespace)
            if warehouse is not None:
                known |= dict.fromkeys(subscriptions(self._manifests, warehouse, kind))
            if origin in self.freight:
                known |= dict.fromkeys(self.freight[origin].keys(kind))
        shown = {f"{url}#{name}" if name else url: url for url, name in known if (url, name) != key}
        wanted = _bare(key[0])
        same = next((text for text, url in shown.items() if _bare(url) == wanted), None)
        return f"did you mean `{same}`?" if same else meant("#".join(filter(None, key)), shown)

    def tell(self, option: str, kind: str, text: str) -> None:
        """Adds an artifact without a manifest to the Freight of its origin.

        That is the one whose Warehouse subscribes to it, or the only one; all else is reported.
        """
        parts = _FLAGS[option].fullmatch(text)
        told: dict[str, Any] = {"name": ""}
        if not self._closed:
            told = {**dict.fromkeys((own for _, own, _ in _fields(kind)), UNGIVEN), **told}
        told |= {key: one for key, one in parts.groupdict().items() if one} if parts else {}
        key = key_of(kind, told)
        origin = self._taker(kind, key)
        if origin is None:
            return
        old = self.freight.get(origin) or Item("", "", origin, {}, None, True)
        others = [one for one in old.artifacts.get(kind, ()) if key_of(kind, one) != key]
        artifacts = {**old.artifacts, kind: [told, *others]}
        # with another artifact it is other Freight
        self.freight[origin] = old.evolve(name="", alias="", artifacts=artifacts)

    def _taker(self, kind: str, key: Key) -> str | None:
        manifests, namespace = self._manifests, self._namespace
        takers = manifests.kept(manifests, f"takers of {kind}", lambda: _takers(manifests, kind))
        known = self.origins if self.requested is not None else takers.get(key, [])
        mine = [name for name in known if name in takers.get(key, ())]
        if len(mine) == 1 or (not mine and key in takers):
            return mine[0] if mine else None  # else another Stage takes it
        listed = ", ".join(mine)
        word = f"the {KINDS[kind].word} `{key[0]}`"
        summary = f"no requested Warehouse subscribes to {word}"
        hint: Hint = partial(self._near, kind, key)
        report = manifests.context.diagnostics
        if mine:
            summary = f"more than one Warehouse subscribes to {word}: {listed}"
            hint = "give a manifest of the Freight with `--freight`"
        if self.requested is None and not mine:
            return ""
        if len(known) != 1:
            report.error("artifact_ambiguous", None, summary, hint)
            return None
        if manifests.find("Warehouse", known[0], namespace) is not None:
            report.warn("artifact_not_found", None, summary, hint)
        return known[0]


def _takers(manifests: Manifests, kind: str) -> dict[Key, list[str]]:
    """The names of the Warehouses that subscribe to each artifact of a kind."""
    found: dict[Key, list[str]] = {}
    for one in manifests.all("Warehouse"):
        for key in subscriptions(manifests, one, kind):
            found.setdefault(key, []).append(one.name)
    return found


_FLAGS: Final = {
    "images": compile_regex(r"(?P<repoURL>.+)=(?P<tag>[^@]+)(?:@(?P<digest>.+))?"),
    "commits": compile_regex(r"(?P<repoURL>.+)=(?P<id>.+)"),
    "charts": compile_regex(r"(?P<repoURL>[^#]+)(?:#(?P<name>.+))?=(?P<version>.+)"),
    "artifacts": compile_regex(r"(?P<subscriptionName>.+)=(?P<version>.+)"),
}


def _bare(url: str) -> str:
    """An address without what is often left out or written in another way."""
    url = re.sub(r"^[a-z]+://", "", url.lower()).rstrip("/").removesuffix(".git")
    url = url.rpartition("@")[2] if "/" in url else url
    return url.removeprefix("docker.io/").removeprefix("library/")


_RFC_3339: Final = "2006-01-02T15:04:05Z07:00"


def made(kind: str, data: Mapping[str, Any]) -> Struct:
    """The value that an expression gets of an artifact."""
    from ....functions.expr.layouts import read_time
    from ....functions.kargo.promotion import STRUCTS

    values = {}
    for name, own, type_name in _fields(kind):
        value = data.get(own)
        if type_name == "strings" and isinstance(value, dict):
            value = StringMap(value)
        elif type_name == "time" and isinstance(value, str):
            value = read_time(value, _RFC_3339)
        if value is not None:
            values[name] = as_json(value) if type_name == "object" else value
    return Struct(STRUCTS[kind], values)


@cache
def _fields(kind: str) -> list[tuple[str, str, str]]:
    """The fields of a kind of artifacts: their names in Go and in manifests, and their types."""
    from ....functions.kargo.promotion import STRUCTS

    fields = STRUCTS[kind].fields.items()
    return [(name, own[0].lower() + own[1:], type_name) for name, (type_name, own) in fields]


def subscriptions(manifests: Manifests, warehouse: Manifest, kind: str) -> list[Key]:
    """What a Warehouse subscribes to of a kind of artifact."""

    def read() -> list[Key]:
        listed = list_at(warehouse.node, "spec", "subscriptions")
        manifests.context.meter.work(len(listed))
        inner = [at(item, KINDS[kind].subscription) for item in listed]
        names = ("repoURL", "name")
        fields = [{name: text_at(one, name) for name in names} for one in inner if one is not None]
        return [key_of(kind, one, "name") for one in fields]

    return manifests.kept(warehouse, kind, read)


_A_COLLECTION: Final = 4
REQUESTED: Final = "bpp/requested-freight"
"""The annotation of an output that names the origins which its Stage requests."""


def collection_of(
    manifests: Manifests,
    stage: Manifest | None,
    promotion: Manifest | None = None,
    now: bool = False,
) -> Collection:
    """The Freight of a promotion of a Stage, or with `now` what the Stage has.

    `promotion` is a record of it, by default that of the options if it is of this Stage. Without a
    Stage, what is requested is not known unless the record says so.
    """
    options, recorded = manifests.options, manifests.promotion
    manifests.context.meter.work(_A_COLLECTION * (1 + len(manifests.freight)))
    requested = None
    if stage is not None:
        requested = requested_by(stage) or None
        if recorded is not None and text_at(recorded.node, "spec", "stage") == stage.name:
            promotion = promotion or recorded
    elif promotion is not None:
        told = text_at(promotion.node, "metadata", "annotations", REQUESTED)
        requested = told.split(",") if told else None
    holder = stage or promotion
    namespace = holder.namespace if holder is not None else ""
    wanted = options.target_freight or (promotion and text_at(promotion.node, "spec", "freight"))
    sources = [
        one for one in manifests.freight if not namespace or one.namespace in ("", namespace)
    ]
    named = manifests.find("Freight", wanted, namespace) if wanted else None
    sources += [one for one in (promotion, named) if one is not None]
    given = [item for one in sources for item in items_of(manifests, one)]
    collection = Collection(manifests, namespace, requested)
    found, report = collection.freight, manifests.context.diagnostics
    for one in sorted(given, key=lambda one: one.name != wanted):
        if found.setdefault(one.origin, one).name not in (one.name, wanted):
            summary = f"there is a second Freight of the Warehouse `{one.origin}`"
            hint = f"give one for each origin, or choose with `--target-freight {one.name}`"
            report.error("duplicate_manifest", one.span, summary, hint)
    for option, kind in zip(_FLAGS, (IMAGE, COMMIT, CHART, ARTIFACT), strict=True):
        for text in getattr(options, option):
            collection.tell(option, kind, text)
    order = [found[name] for name in collection.origins if name in found]
    fits = [one for one in order if not wanted or one.name == wanted]
    collection.target = fits[0] if fits else None
    known = [one.name for one in given]
    if options.target_freight and wanted not in known:
        known += manifests.names("Freight")
        near = suggestion(options.target_freight, known)
        report.error("artifact_not_found", None, f"there is no Freight `{wanted}`", near)
    if stage is not None and (now or fits):
        for one in items_of(manifests, stage):
            found.setdefault(one.origin, one)
    return collection


def requested_by(stage: Manifest) -> list[str]:
    """The origins whose Freight a Stage requests."""
    listed = list_at(stage.node, "spec", "requestedFreight")
    names = (text_at(one, "origin", "name") for one in listed)
    return [name for name in names if name]


def items_of(manifests: Manifests, manifest: Manifest) -> list[Item]:
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
    for one in (*(one for _, one in items_at(held, "items")), at(node, "status", "freight")):
        if one is not None:
            yield _item(manifests, one, text_at(one, "name"), "", one.span)


def _item(manifests: Manifests, node: AnyNode, name: str, alias: str, span: Span) -> Item:
    artifacts = {
        kind: [_artifact(manifests, kind, one) for one in list_at(node, about.listed)]
        for kind, about in KINDS.items()
    }
    return Item(name, alias, text_at(node, "origin", "name"), artifacts, span)


def _artifact(manifests: Manifests, kind: str, node: AnyNode) -> dict[str, Any]:
    """An artifact as plain data; reports fields that must be strings."""
    items = node.items if isinstance(node, Map) else {}
    manifests.context.meter.work(len(items))
    data: dict[str, Any] = {}
    for _, own, type_name in _fields(kind):
        child = items.get(own)
        if child is None:
            continue
        value = child.value if isinstance(child, Scalar) else plain(child)
        if type_name == "string" and not isinstance(value, str | None):
            summary = f"`{own}` must be a string, not {article(kind_of(child))}"
            hint = QUOTES_AROUND
            manifests.context.diagnostics.error("invalid_string", child.span, summary, hint)
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
    collection = Collection(manifests, warehouse.namespace, [warehouse.name], discovered=True)
    held = warehouse.at("status", "discoveredArtifacts")
    if held is None:
        return collection
    artifacts: dict[str, list[dict[str, Any]]] = {}
    for kind, listed, inner in _DISCOVERED:
        for one in list_at(held, listed):
            manifests.context.meter.work(1)
            for newest in list_at(one, inner)[:1]:
                value = plain(newest)
                about = {key: text_at(one, key) for key in ("repoURL", "name", "subscriptionName")}
                told = value if isinstance(value, dict) else {"version": value}
                artifacts.setdefault(kind, []).append({**about, **told})
    collection.freight[warehouse.name] = Item("", "", warehouse.name, artifacts, held.span)
    return collection
