"""Manifests: those of the named file, those of the files beside it, and those that are given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ....functions.values import article
from ...engine.run import Context, report_foreign
from ...formats.detection import format_of, format_of_text, read_documents
from ...formats.scalars import leave
from ...language.errors import QUOTES_AROUND
from ...values.diagnostics import ERROR, WARNING, Diagnostic, Note, did_you_mean, likely, meant
from ...values.document import Document
from ...values.settings import how_to_raise
from ...values.source import Source, Span
from ...values.tree import (
    AnyNode,
    Map,
    Trail,
    at,
    build,
    is_text,
    items_at,
    kind_of,
    list_at,
    text_at,
)
from ...world.data_files import plain
from ...world.files import FileProblem, decode_text
from .options import Given, PromotionOptions
from .recognition import GROUP, QUOTES, is_ours
from .scalars import Cutter
from .state import as_json, state_problems

T = TypeVar("T")


class Ungiven:
    """The answer of an open world to what no file has; there is one instance, `UNGIVEN`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNGIVEN"


UNGIVEN: Final = Ungiven()

SHARED: Final = "kargo-shared-resources"
"""The namespace of resources that all projects share."""

CUT: Final = {
    "Stage": ("vars", "promotionTemplate", "verification"),
    "PromotionTask": ("vars", "steps"),
    "ClusterPromotionTask": ("vars", "steps"),
    "Promotion": ("vars", "steps"),
}
"""The fields of `spec` that hold expressions in delimiters, by kind."""

KINDS: Final = (*CUT, "Warehouse", "Freight", "CustomPromotionStep")
DATA: Final = ("ConfigMap", "Secret")
_STRINGS: Final = ("data", "stringData")


class Manifest(Record, eq=False):
    """One manifest: `part` is its document, `named` tells that it is in the file to render."""

    part: Document = field(repr=False)
    kind: str
    name: str
    namespace: str
    named: bool = True

    @property
    def node(self) -> Map:
        """Its tree."""
        return self.part.root

    @property
    def file(self) -> str:
        """The name of its file in messages."""
        return self.part.source.name

    def at(self, *path: str) -> AnyNode | None:
        """The node at a path, or None."""
        return at(self.node, *path)

    def data(self, *path: str) -> Any:
        """The plain data at a path where no expressions can be, or None; that of all but `spec`."""
        if not path:
            return {key: plain(one) for key, one in self.node.items.items() if key != "spec"}
        node = self.at(*path)
        return plain(node) if node is not None else None


class Manifests:
    """All manifests of a run, those of the named file first.

    `freight` are those to promote, `promotion` is the recorded one. `unread` are files beside that
    could not be read, which may have what is looked for.
    """

    def __init__(self, context: Context, options: PromotionOptions) -> None:
        self.context = context
        self.options = options
        self.freight: list[Manifest] = []
        self.promotion: Manifest | None = None
        self.unread: list[str] = []
        self.listed: list[Manifest] = []
        self._by_kind: dict[str, list[Manifest]] = {}
        self._exact: dict[tuple[str, str, str], Manifest] = {}
        self._any: dict[tuple[str, str], Manifest] = {}
        self._kept: dict[tuple[int, str], Any] = {}

    @property
    def named(self) -> list[Manifest]:
        """Those of the named file, in its order, without its Secrets: nothing writes them."""
        return [one for one in self.listed if one.named and one.kind != "Secret"]

    def all(self, kind: str) -> list[Manifest]:
        """Those of a kind."""
        return self._by_kind.get(kind, [])

    def find(self, kind: str, name: str, namespace: str = "") -> Manifest | None:
        """The manifest of a name, or None.

        Where either says no namespace, it is taken for the same; an equal one goes before.
        """
        found = self._exact.get((kind, name, namespace))
        if found is None and namespace != SHARED:
            found = self._exact.get((kind, name, ""))
        return self._any.get((kind, name)) if found is None and not namespace else found

    def names(self, kind: str, namespace: str = "") -> list[str]:
        """The names of a kind in a namespace, for hints."""
        return [
            one.name for one in self.all(kind) if not namespace or one.namespace in ("", namespace)
        ]

    def where(self, kind: str, name: str, namespace: str = "") -> str:
        """The hint for a name that no manifest has."""
        near = meant(name, self.names(kind, namespace))
        unread = f"`{self.unread[0]}`, which cannot be read, may have it" if self.unread else None
        return near or unread or "`--manifest FILE` reads one more file"

    def kept(self, found: object, what: str, make: Callable[[], T]) -> T:
        """What was made of a manifest or of all, once."""
        key = id(found), what
        if key not in self._kept:
            self._kept[key] = make()
        known: T = self._kept[key]
        return known

    def add(self, found: Iterable[Manifest]) -> None:
        """Adds manifests; reports those that are there already."""
        for one in found:
            self.context.meter.work(1)
            twin = self._exact.setdefault((one.kind, one.name, one.namespace), one)
            recorded = one.kind == "Promotion" and not (one.named and twin.named)
            if twin is not one and one.name and not recorded:
                self._report_twin(one, twin)
            if one.namespace != SHARED:
                self._any.setdefault((one.kind, one.name), one)
            self.listed.append(one)
            self._by_kind.setdefault(one.kind, []).append(one)

    def _report_twin(self, one: Manifest, twin: Manifest) -> None:
        tell = self.context.diagnostics.error
        if not (one.named or twin.named or self.context.checks):
            tell = self.context.diagnostics.warn
        where = f" in `{one.namespace}`" if one.namespace else ""
        tell(
            "duplicate_manifest",
            name_span(one),
            f"there is a second {one.kind} `{one.name}`{where}",
            "remove one of them, or read only the files that belong together (`--no-scan`)",
            Note("the first one", name_span(twin)),
        )

    def config_map(self, name: str, namespace: str) -> dict[str, str] | Ungiven:
        """The strings of a ConfigMap; empty where none is."""
        return self._strings(self.find("ConfigMap", name, namespace))

    def secret(self, name: str, namespace: str) -> dict[str, str] | Ungiven:
        """The strings of a Secret, all of which are secret; a shared one needs its label."""
        found = self.find("Secret", name, namespace)
        if found is not None and namespace == SHARED:
            labels = found.data("metadata", "labels")
            if not isinstance(labels, dict) or labels.get(f"{GROUP}cred-type") != "generic":
                return {}
        return self._strings(found)

    def _strings(self, found: Manifest | None) -> dict[str, str] | Ungiven:
        if found is None:
            return {} if self.options.closed else UNGIVEN
        return self.kept(found, "strings", lambda: dict(self._read_strings(found)))

    def _read_strings(self, found: Manifest) -> Iterator[tuple[str, str]]:
        for key in _STRINGS:
            for name, node in items_at(found.node, key):
                self.context.meter.work(1)
                value = getattr(node, "value", None)
                if not isinstance(value, str):
                    summary = f"`{key}.{name}` must be a string, not {article(kind_of(node))}"
                    hint: str = QUOTES_AROUND
                    self.context.diagnostics.error("invalid_string", node.span, summary, hint)
                    continue
                if key == "data" and found.kind == "Secret":
                    from base64 import b64decode

                    try:
                        value = b64decode("".join(value.split()), validate=True).decode()
                    except ValueError:
                        summary = f"`{key}.{name}` is not base64 of a text"
                        hint = "write the text itself under `stringData`"
                        self.context.diagnostics.error("invalid_base64", node.span, summary, hint)
                        continue
                yield name, value

    def status(self, kind: str, name: str) -> Any:
        """The status of a Freight or a Stage as plain data; None where none is."""
        found = self.find(kind, name)
        # what stands in a repository has no status
        if not self.options.closed and (found is None or at(found.node, "status") is None):
            return UNGIVEN
        if found is None:
            return None
        return self.kept(found, "status", lambda: as_json(found.data("status")) or {})

    def metadata(self, kind: str, name: str) -> Any:
        """The metadata of a Freight or a Stage as plain data; None where none is."""
        status = self.status(kind, name)
        return (status.get("metadata") or {}) if isinstance(status, dict) else status


def name_span(one: Manifest) -> Span:
    """Where a manifest says its name."""
    found = one.at("metadata", "name")
    return found.span if found is not None else one.node.key_span("kind")


def manifests_of(document: Document, options: PromotionOptions, context: Context) -> Manifests:
    """All manifests that a run reads; problems are reported.

    Those in files beside the named one are warnings where a render does not need them.
    """
    manifests = Manifests(context, options)
    reading = _Reading(manifests, context)
    for _, words in state_problems(options.state or {}):
        context.diagnostics.error("invalid_state", None, words)
    source = document.source
    reading.known[source.path] = reading.manifests(source, document.folder, True, context)
    manifests.add(reading.known[source.path])
    for path in options.manifests:
        reading.given(path)
    for given in options.freight:
        manifests.freight += reading.holding(given, "Freight", "Promotion")
    if options.promotion is not None:
        manifests.promotion = next(iter(reading.holding(options.promotion, "Promotion")), None)
    if options.scan and source.path is not None:
        reading.beside(document.folder)
    return manifests


def stage_names(document: Document, context: Context) -> list[str]:
    """The names of the Stages in a document that is not read yet."""
    return manifests_of(document, PromotionOptions(scan=False), context).names("Stage")


_ENDINGS: Final = (".yaml", ".yml")
_WORTH: Final = compile_regex(rb"kargo\.akuity\.io/|kind\W+(?:ConfigMap|Secret)\b")
_LOOKS: Final = "a manifest of Kargo has an `apiVersion` such as `kargo.akuity.io/v1alpha1`"


class _Reading:
    """Reads files of manifests, each once."""

    def __init__(self, manifests: Manifests, context: Context) -> None:
        self.known: dict[str | None, list[Manifest]] = {}
        self._manifests = manifests
        self._context = context

    def given(self, given: Given) -> list[Manifest]:
        """Adds the manifests in a file that the user names, or in plain data, and returns them."""
        context = self._context
        if isinstance(given, str):
            return self._opened(given, None, context)
        source = Source("<manifest>", "", "json")
        nodes = [build(given, Trail(source, ("load",)), 0, 0)]
        found = list(self._manifests_in(nodes, source, "", False, context))
        self._manifests.add(found)
        return found

    def holding(self, given: Given, *kinds: str) -> list[Manifest]:
        """The manifests of some kinds in what is given; it must have one."""
        before = self._context.diagnostics.errors
        found = [one for one in self.given(given) if one.kind in kinds]
        if not found and self._context.diagnostics.errors == before:
            name = f"`{given}`" if isinstance(given, str) else "what is given"
            summary = f"{name} holds no {kinds[0]}"
            hint = f"write it with `kubectl get {kinds[0].lower()} NAME -o yaml`"
            self._context.diagnostics.error("invalid_state", None, summary, hint)
        return found

    def beside(self, folder: str) -> None:
        """Adds the manifests of the other files in a folder, whose mistakes need not matter."""
        context = self._context
        try:
            names = context.files.below(
                folder,
                lambda name: name.lower().endswith(_ENDINGS),
                context.meter.work,
                lambda _, __, found: ([], found),
            )
        except FileProblem as problem:
            _report(problem, context)
            return
        for name in names:
            found = context.diagnostics.beside()
            self._opened(name, folder, context.evolve(diagnostics=found))
            if found.errors:
                self._manifests.unread.append(context.files.shown(name, folder))
            context.diagnostics.extend(found if context.checks else map(_milder, found))

    def _opened(self, name: str, base: str | None, context: Context) -> list[Manifest]:
        """Adds the manifests in a file, once; one with a base may be anything."""
        files, limits = context.files, context.limits
        try:
            real = files.resolve(name, base)
            if real in self.known:
                return self.known[real]
            self.known[real] = []
            data = files.open_input(name) if base is None else files.read(name, base)
            context.meter.work(1 + len(data) // _BYTES_A_STEP)
            if base is not None and not _WORTH.search(data):
                return []
            context.opened.append(name)
            if len(context.opened) > limits.max_includes:
                summary = f"there are more than {limits.max_includes} files (`max_includes`)"
                raise FileProblem("limit_exceeded", summary, how_to_raise("max_includes", limits))
            shown = files.shown(name, base)
            text = decode_text(data, shown)
        except FileProblem as problem:
            _report(problem, context)
            return []
        source = Source(shown, text, format_of(name) or format_of_text(text), real)
        found = self.manifests(source, os.path.dirname(real), False, context)
        if base is not None:  # it may be what an earlier render has written
            found = [one for one in found if one.kind != "Promotion"]
        self.known[real] = found
        self._manifests.add(found)
        return found

    def manifests(
        self, source: Source, folder: str, named: bool, context: Context
    ) -> list[Manifest]:
        """The manifests in a text; one that is not recognisably Kargo's has one problem."""
        context.quoting.admit(source, QUOTES)
        found = context.diagnostics.beside()
        inner = context.evolve(diagnostics=found)
        nodes = read_documents(source, leave, "\0", context.meter, found)
        listed = list(self._manifests_in(nodes or [], source, folder, named, inner))
        if report_foreign(source, found, context, "a manifest of Kargo", _LOOKS):
            return []
        context.diagnostics.extend(found)
        return listed

    def _manifests_in(
        self,
        nodes: list[AnyNode],
        source: Source,
        folder: str,
        named: bool,
        context: Context,
    ) -> Iterator[Manifest]:
        cutter = Cutter(source, context)
        waiting = nodes[::-1]
        while waiting:
            context.meter.work(1)
            node = waiting.pop()
            if not isinstance(node, Map):
                if named:
                    summary = f"a manifest must be a map, not {article(kind_of(node))}"
                    context.diagnostics.error("invalid_map", node.span, summary)
                continue
            kind, version = text_at(node, "kind"), text_at(node, "apiVersion")
            if kind.endswith("List"):
                waiting += list_at(node, "items")[::-1]
            elif kind in (KINDS if is_ours(version) else DATA if version == "v1" else ()):
                yield _manifest(node, kind, source, folder, named, cutter, context)
            elif is_ours(version) and (near := likely(kind, KINDS)):
                context.meter.work(_A_SEARCH)
                hint = did_you_mean(kind, near)
                place = node.items["kind"].span if "kind" in node.items else node.span
                context.diagnostics.warn("unknown_kind", place, f"unknown kind `{kind}`", hint)


def _report(problem: FileProblem, context: Context) -> None:
    context.diagnostics.error(problem.code, problem.span, problem.message, problem.hint)


def _milder(one: Diagnostic) -> Diagnostic:
    """A problem of a file that nobody named: a warning, except for a limit."""
    stays = one.severity != ERROR or one.code == "limit_exceeded"
    return one if stays else one.evolve(severity=WARNING)


_A_SEARCH: Final = 100
_BYTES_A_STEP: Final = 1024


def _manifest(
    node: Map,
    kind: str,
    source: Source,
    folder: str,
    named: bool,
    cutter: Cutter,
    context: Context,
) -> Manifest:
    """A manifest with its templates and the scalars of its kind."""
    if kind == "Secret":
        for key in _STRINGS:
            for _, child in items_at(node, key):
                context.quoting.withhold(child.span)
    spec = node.get("spec")
    items = {key: cutter.node(child, False) for key, child in node.items.items() if key != "spec"}
    if isinstance(spec, Map):
        cut = CUT.get(kind, ())
        inner = {key: cutter.node(child, key in cut) for key, child in spec.items.items()}
        spec = spec.holding(inner)
    if spec is not None:
        items = {key: spec if key == "spec" else items[key] for key in node.items}
    made = node.holding(items)
    name = text_at(made, "metadata", "name")
    written = at(made, "metadata", "name")
    if written is not None and not is_text(written):
        summary = f"`metadata.name` must be a string, not {article(kind_of(written))}"
        context.diagnostics.error("invalid_string", written.span, summary, QUOTES_AROUND)
    elif not name and kind != "Promotion":
        place = (made.get("metadata") or made.items["kind"]).span
        context.diagnostics.error("missing_field", place, f"this {kind} has no `metadata.name`")
    namespace = text_at(made, "metadata", "namespace")
    return Manifest(Document(made, source, folder), kind, name, namespace, named)
