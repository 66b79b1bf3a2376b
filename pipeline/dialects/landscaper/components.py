"""Component descriptors: files, folders of a registry with their blobs, and addresses `cd://..`.

Inside all descriptors have the form v2.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from typing import Any, Final

from ....functions.landscaper.components import (
    as_v2,
    as_v3,
    follow,
    fresh,
    is_descriptor,
    own,
    parse_address,
)
from ....functions.regexes import compile_regex
from ....functions.values import FunctionError
from ...engine.run import Context
from ...formats.go_yaml import plain, read_go
from ...values.diagnostics import Diagnostics, meant, worded
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map
from ...world.files import FileProblem, Files, decode_text, is_inside
from ...world.memory_files import MemoryFiles
from .options import BlueprintOptions
from .supplied import read_given, report_problem

_DESCRIPTOR: Final = "component-descriptor.yaml"
_BLOBS: Final = "blobs"
_BLOB_NAMES: Final = {"localFilesystemBlob": "filename", "localBlob": "localReference"}
_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_VERSION: Final = compile_regex(
    rf"v?{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER})?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
).fullmatch
_GZIP: Final = b"\x1f\x8b"
_LARGEST_BLUEPRINT: Final = 16 << 20


class Components:
    """All components of a run by name and version, with the folders of their blobs.

    `descriptor` is that of the blueprint which sees them, if it has one.
    """

    def __init__(self, files: Files, context: Context) -> None:
        self.files = files
        self.context = context
        self.descriptor: dict[str, Any] | None = None
        self.known: dict[tuple[str, str], tuple[dict[str, Any], list[str], bool]] = {}
        self.has_read = False

    def add(self, node: AnyNode, *folders: str) -> dict[str, Any] | None:
        """Keeps a descriptor in the form v2, of equal ones the first; None for one with mistakes.

        `folders` are those that may hold its blobs.
        """
        data = plain(node)
        told = self.context.diagnostics
        before = told.errors
        if not is_descriptor(data):
            summary = "this is not a component descriptor"
            told.error("component_invalid", node.span, summary, "it has `component` or `metadata`")
            return None
        try:
            made = as_v2(data)
        except FunctionError as error:
            told.error("component_invalid", node.span, error.message)
            return None
        is_v3 = "component" not in data
        _check(made["component"], node, told)
        if told.errors > before:
            return None
        name = made["component"]["name"], made["component"]["version"]
        known = self.known.setdefault(name, (made, [], is_v3))
        known[1].extend(folders)
        return known[0]

    def read(self, folder: str) -> None:
        """Adds the descriptors in the folder of a registry."""
        told, work = self.context.diagnostics, self.context.meter.work
        if not self.files.exists(folder):
            told.error("file_not_found", None, f"the folder `{folder}` does not exist")
            return
        folder = folder.rstrip("/")
        try:
            for name in self.files.below(folder, lambda one: one.endswith(_DESCRIPTOR), work):
                path = f"{folder}/{name}"
                root = read_go(self._source(path, path, "yaml"), self.context.meter, told)
                for node in _entries(root) if root is not None else ():
                    self.add(node, path.rpartition("/")[0], folder)
        except FileProblem as problem:
            report_problem(problem, self.context)

    def _source(self, path: str, shown: str, language: str) -> Source:
        text = decode_text(self.files.read(path), shown)
        return Source(shown, text, language, path)

    def find(self, name: str, version: str) -> dict[str, Any] | None:
        """The descriptor of a component."""
        found = self.known.get((name, version))
        return found[0] if found else None

    def bindings(self, form: str | None) -> dict[str, Any]:
        """`cd`, `components` and `componentDescriptorDef` as templates see them.

        `form` is `v2` or `ocm.software/v3alpha1`, None that of the own descriptor.
        """
        mine = self.descriptor
        if mine is None:
            return {"cd": None, "components": None, "componentDescriptorDef": {}}
        component = mine["component"]
        key = component["name"], component["version"]
        is_v3 = self.known[key][2] if form is None else form != "v2"
        listed = [fresh(as_v3(one) if is_v3 else one) for one in self._reachable(mine)]
        about: dict[str, Any] = {"componentName": key[0], "version": key[1]}
        if component["repositoryContexts"]:
            about = {"repositoryContext": component["repositoryContexts"][-1], **about}
        meta = {"schemaVersion": "v2"}
        return {
            "cd": listed[0],
            "components": listed if is_v3 else {"meta": meta, "components": listed},
            "componentDescriptorDef": {"ref": about},
        }

    def _reachable(self, first: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A component and those that references lead to, each once, depth first."""
        seen: set[int] = set()
        pending = [first]
        while pending:
            one = pending.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            references = one["component"]["componentReferences"]
            self.context.meter.work(len(references) + 1)
            below = (
                self.find(r.get("componentName", ""), r.get("version", "")) for r in references
            )
            pending += reversed([found for found in below if found is not None])

    def spend(self, steps: int) -> None:
        """Counts the steps of a search.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        self.context.meter.work(steps)

    def content(self, descriptor: dict[str, Any], resource: dict[str, Any]) -> bytes:
        """What a resource holds.

        Raises:
            FunctionError: it is not in a folder of the registry.
        """
        path = self._blob(descriptor, resource)
        self.has_read = True
        try:
            return self.files.read(path)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def _blob(self, descriptor: dict[str, Any], resource: dict[str, Any]) -> str:
        access = resource.get("access")
        access = access if isinstance(access, dict) else {}
        name = access.get(_BLOB_NAMES.get(str(access.get("type")), ""))
        shown = resource.get("name")
        if not isinstance(name, str):
            raise FunctionError(
                f"resource `{shown}` has no local access, and nothing is fetched",
                "function_not_supported",
                "give it the access `localBlob` and put the blob into `blobs/` of `--registry`",
            )
        component, files = descriptor["component"], self.files
        folders = self.known[component["name"], component["version"]][1]
        for folder in folders:
            path = f"{folder}/{_BLOBS}/{name}"
            with suppress(FileProblem):  # a link in a circle
                root = files.resolve(folders[-1])
                if files.exists(path) and is_inside(files.resolve(path), root):
                    return path
        summary = f"resource `{shown}` has no blob `{name}` in the registry"
        hint = f"put it into the folder `{_BLOBS}` beside the descriptor"
        raise FunctionError(summary, "file_not_found", hint)

    def parsed(self, text: str) -> Any:
        """The data of a YAML text that a template made.

        Raises:
            FunctionError: it is not YAML.
        """
        told = self.context.diagnostics.beside()
        source = Source("<text>", text, "yaml")
        node = read_go(source, self.context.meter, told, computed=True)
        if node is None:
            raise FunctionError("the text is not YAML", "template_error")
        return plain(node)

    def text_of(
        self, address: str, component: dict[str, Any] | None, span: Span
    ) -> tuple[Source, dict[str, Any]] | None:
        """The text of a resource and its component, for the address of a schema.

        `component` is where it begins. None after a mistake, which is reported at the address.
        """
        resolved = self._resolved(address, component, span)
        if resolved is None:
            return None
        path, descriptor = resolved
        try:
            return self._source(path, self.files.shown(path), "json"), descriptor
        except FileProblem as problem:
            report_problem(problem, self.context, span)
            return None

    def blueprint(self, address: str, span: Span) -> tuple[Files, str, Components] | None:
        """The files of a blueprint, its folder there, and what it sees of components.

        None after a mistake, which is reported at the address.
        """
        resolved = self._resolved(address, self.descriptor, span)
        if resolved is None:
            return None
        path, descriptor = resolved
        components = copy(self)
        components.descriptor = descriptor
        try:
            if self.files.exists(f"{path}/blueprint.yaml"):
                return self.files, path, components
            unpacked = dict(_unpacked(self.files.read(path)))
            if "blueprint.yaml" not in unpacked:
                raise ValueError("no blueprint")
            return MemoryFiles(unpacked), "/", components
        except FileProblem as problem:
            report_problem(problem, self.context, span)
        except ValueError:
            summary = f"`{address}` is not the folder of a blueprint, nor an archive of one"
            self.context.diagnostics.error("blueprint_reference", span, summary)
        return None

    def _resolved(
        self, address: str, component: dict[str, Any] | None, span: Span
    ) -> tuple[str, dict[str, Any]] | None:
        try:
            steps, wanted = parse_address(address)
            start = component if component is not None else own(self)
            descriptor, resource = follow(self, start, steps, wanted)
            return self._blob(descriptor, resource), descriptor
        except FunctionError as error:
            told = self.context.diagnostics
            told.error(error.code, span, error.message, worded(error.hint))
            return None


def read_components(options: BlueprintOptions, context: Context) -> Components:
    """The components that options supply; mistakes go to the context."""
    found = Components(context.files.with_roots(*options.registry), context)
    first: dict[str, Any] | None = None
    for given in options.component_descriptors:
        root = read_given(given, context)
        for node in _entries(root) if root is not None else ():
            made = found.add(node)
            first = first or made
    for folder in options.registry:
        found.read(folder)
    found.descriptor = first
    if options.component is not None:
        name, _, version = options.component.partition(":")
        known = [one["component"] for one, *_ in found.known.values()]
        chosen = [one for one in known if one["name"] == name and version in ("", one["version"])]
        found.descriptor = found.find(name, chosen[0]["version"]) if chosen else None
        if not chosen:
            hint = meant(name, [one["name"] for one in known])
            summary = f"`--component {options.component}` names no component that was given"
            context.diagnostics.error("component_not_found", None, summary, hint)
    return found


def _entries(root: AnyNode) -> list[AnyNode]:
    """The descriptors of a file: one, or a list below `components`."""
    listed = root.get("components") if isinstance(root, Map) else None
    return listed.items if isinstance(listed, Array) else [root]


def _check(component: dict[str, Any], node: AnyNode, told: Diagnostics) -> None:
    """Reports what a descriptor in the form v2 lacks."""

    def wrong(summary: str, hint: str | None = None) -> None:
        told.error("component_invalid", node.span, summary, hint)

    shown = component.get("name")
    if not isinstance(shown, str) or not shown:
        wrong("a component needs a name")
        return
    checked: list[tuple[str, Any]] = [("the component", component)]
    for key, what in (("resources", "resource"), ("componentReferences", "reference")):
        checked += [(f"{what} `{one.get('name')}`", one) for one in component[key]]
    for what, entry in checked:
        version = entry.get("version")
        if not isinstance(entry.get("name"), str):
            wrong(f"each entry of component `{shown}` needs a name")
        if version is None and what.startswith("resource"):
            continue  # that of its component
        if not isinstance(version, str):
            wrong(f"{what} of `{shown}` needs a version", "put quotes around it")
        elif not _VERSION(version):
            hint = "write numbers without leading zeros, such as 1.2.3"
            wrong(f"{what} of `{shown}` has the version {version}, which is not semantic", hint)


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, compressed or not; links are passed over.

    Raises:
        ValueError: for what is no archive, or a large one.
    """
    import tarfile
    import zlib
    from io import BytesIO

    try:
        mode: Any = "r:gz" if data.startswith(_GZIP) else "r:"
        with tarfile.open(None, mode, BytesIO(data)) as archive:
            for member in archive:
                if member.offset_data + member.size > _LARGEST_BLUEPRINT:
                    raise ValueError("the archive is too large")
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    yield member.name.removeprefix("./"), stream.read()
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise ValueError("no archive") from error
