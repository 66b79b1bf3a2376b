"""Renders one target and writes its files, or compares them in a check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ..dialects.table import DEFAULT, find_dialect, select_dialect
from ..engine.inputs import VariableInputs
from ..engine.materialisation import MASK
from ..engine.options import CommandInputs, CommandLine, config_rows
from ..engine.run import Run
from ..formats.detection import format_of
from ..formats.report import tracebacks
from ..language.meter import Meter
from ..rendering import failed_to_read, read_source, render
from ..values.diagnostics import Diagnostic, Diagnostics
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..world.files import DiskFiles, FileProblem, Files, identity
from ..world.plugins import Search, installed_packages, plugin_files, watched_searches
from .store import (
    UNLIMITED,
    UNSTEADY,
    Store,
    WitnessedFiles,
    digest_of,
    packed,
    result_key,
    shared_by_all,
    target_digest,
)
from .target import DIFFERS, FAILED, RENDERED, UNCHANGED, Outcome, Target, TargetResult, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..answers.comparison import Difference
    from ..engine.inputs import VariablesFile
    from ..engine.run import Dialect
    from ..values.concealing import Concealed
    from ..values.expression import Shape

_ASKING: Final = {"bpp.datasources": "a provider of data sources", "bpp.resolvers": "a resolver"}
_ASKED: Final = {"clock": "the clock", "chance": "random numbers"}
_RECORDS: Final = {"state": "invalid_state", "datasources": "invalid_datasources_file"}
_ABOUT_VARIABLES: Final = frozenset(
    {"variable_type_mismatch", "variable_value_not_allowed", "undeclared_variable"}
)


def render_target(task: Task, shapes: dict[str, Shape]) -> Outcome:
    """Renders a target and writes its files, or compares them if the task is a check.

    Nothing is written if an error occurs. `shapes` are parsed expressions of earlier renders; those
    of this one are added.
    """
    work = _Work(task)
    outcome = _outcome(work, shapes)
    if not work.diagnostics.causes:
        return outcome
    # a plugin's exception may not survive the way to another process, and its traceback never does
    traced = tracebacks(work.diagnostics)
    work.diagnostics.causes.clear()
    return outcome.evolve(result=outcome.result.evolve(traced=traced))


def _outcome(work: _Work, shapes: dict[str, Shape]) -> Outcome:
    with watched_searches() as searches:
        try:
            run = work.rendered(shapes)
            if run is not None and run.ok:
                return _finished(work, run, searches)
        except FileProblem as problem:
            work.diagnostics.add(failed_to_read(problem))
    reads = tuple(work.files.digests)
    return Outcome(TargetResult(work.target, FAILED, work.diagnostics, reads=reads))


class _Work:
    """The state of rendering one target."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.target = task.target
        self.folder = os.path.dirname(task.configuration)
        self.settings = self.target.settings(task.around, self.folder)
        self.files = WitnessedFiles(
            DiskFiles(self.settings.allow_path, self.folder, self.settings.limits), task.key
        )
        self.diagnostics = Diagnostics(self.settings.limits.max_diagnostics)
        self.meter = Meter(self.settings.limits)

    def rendered(self, shapes: dict[str, Shape]) -> Run | None:
        """The run; None if its inputs have errors.

        Raises:
            FileProblem: if a file that the configuration names cannot be read.
        """
        target, files = self.target, self.files
        source = read_source(target.blueprint, files)
        try:
            spoken = select_dialect(source, target.dialect)
        except ValueError as problem:
            self.diagnostics.error("invalid_configuration", None, str(problem))
            return None
        arguments = render_arguments(
            self.task, spoken, self.settings, files, self.diagnostics, self.meter
        )
        if arguments is None:
            return None
        run = render(source, **arguments, shapes=shapes)
        # the places of variables in the configuration are only computed for diagnostics
        if "given" in arguments and any(item.code in _ABOUT_VARIABLES for item in run.diagnostics):
            arguments["given"] = self._located(arguments["given"])
            shapes.update(run.language.shapes)
            run = render(source, **arguments, shapes=shapes)
        shapes.update(run.language.shapes)
        self.diagnostics.extend(map(_suited, run.diagnostics))
        self.diagnostics.count(run.diagnostics)
        self.diagnostics.quoting.add(run.diagnostics.quoting)
        return run

    def _located(self, given: VariableInputs) -> VariableInputs:
        """The inputs of a target with the places of the variables in the configuration."""
        from .configuration import variable_places

        path = self.task.configuration
        name = os.path.basename(path)
        content = self.files.open_input(name)
        places = variable_places(content, path, name, self.target.group)
        return given.evolve(files=(*given.files[:-1], _own_variables(self.target, name, places)))

    def texts(self, run: Run, modules: list[str]) -> dict[str, str]:
        """The texts to write by path as in the configuration, the output first.

        `modules` are the files of the plugins that the run used.
        """
        target = self.target
        assert run.document is not None
        kind = target.format or format_of(target.output) or run.document.source.format
        kind = kind if kind in ("yaml", "json") else "yaml"
        texts = {target.output: run.text(kind)}
        if target.source_map is not None:
            from ..answers.source_map import source_map_text

            texts[target.source_map] = source_map_text(run, [(target.output, kind, run.document)])
        if target.depfile is not None:
            from ..world.writing import depfile_text

            others = (self.task.configuration, *modules)
            inputs = [*run.reads, *map(self.files.shown, others)]
            inputs = list(dict.fromkeys(inputs))
            texts[target.depfile] = depfile_text(target.output, inputs, True, self.folder)
        return texts

    def path(self, name: str) -> str:
        """The absolute path of a file of the target."""
        return os.path.join(self.folder, name)


def _suited(item: Diagnostic) -> Diagnostic:
    """A diagnostic with a hint about the configuration instead of command-line flags."""
    if item.code != "required_variable_missing":
        return item
    return item.evolve(hint="set it in the target's `variables` or `vars`, or add a default")


def _own_variables(target: Target, name: str, places: Mapping[str, Span]) -> VariablesFile:
    """The variables in a configuration of a name, as far as known with their places."""
    from ..engine.inputs import Assignment, VariablesFile

    nowhere = Span(Source(name, ""), 0, 0)
    return VariablesFile(
        name,
        {
            variable: Assignment(value, places.get(variable, nowhere))
            for variable, value in target.variables.items()
        },
    )


def render_arguments(
    task: Task,
    spoken: Dialect,
    settings: Settings,
    files: Files,
    diagnostics: Diagnostics,
    meter: Meter,
) -> dict[str, Any] | None:
    """The arguments of `render` for a target; None after errors, which `diagnostics` get.

    `settings` are those of the target, `files` start from the folder of the configuration.

    Raises:
        FileProblem: if a file that the configuration names cannot be read.
    """
    target = task.target
    arguments: dict[str, Any] = {"settings": settings, "files": files, "dialect": spoken}
    if target.own or spoken.command_line != CommandLine():
        arguments["options"] = own_input(target, spoken, settings, files, diagnostics, meter)
    else:
        arguments |= _shared_input(task, files, diagnostics, meter)
    return None if diagnostics.errors else {**arguments, "after": meter}


def _shared_input(
    task: Task, files: Files, diagnostics: Diagnostics, meter: Meter
) -> dict[str, Any]:
    """The inputs of a target in a dialect without options of its own.

    Raises:
        FileProblem: if a file that the configuration names cannot be read.
    """
    target, found = task.target, {}
    if target.lock is not None:
        files.open_input(target.lock, only_file=True)
    named: list[VariablesFile] = []
    if target.vars or target.state is not None or target.datasources is not None:
        from ..engine.input_files import read_supplied, read_variables

        for name in target.vars:
            named.append(read_variables(name, files.open_input(name), meter, diagnostics))
        for key, code in _RECORDS.items():
            name = getattr(target, key)
            if name is not None:
                found[key] = read_supplied(name, name, code, files, meter, diagnostics)
    own = _own_variables(target, os.path.basename(task.configuration), {})
    given = VariableInputs(files=(*named, own), environment=task.around.environment)
    return {"given": given, **found}


def _finished(work: _Work, run: Run, searches: list[Search]) -> Outcome:
    """Writes or compares the result of a render.

    Raises:
        FileProblem: if a file cannot be written.
    """
    modules = plugin_files(searches)
    texts = work.texts(run, modules)
    read = set(map(identity, work.files.digests))
    for name in texts:
        if identity(work.path(name)) in read:
            raise FileProblem(
                "duplicate_output", f"`{name}` would be replaced, but the target reads it"
            )
    volatile = _volatile(work, run, searches)
    result = TargetResult(
        work.target,
        RENDERED,
        work.diagnostics,
        reads=tuple(work.files.digests),
        volatile=volatile,
    )
    if work.task.check:
        name = work.target.output
        return Outcome(compared(result, work.path(name), texts[name], _withheld(run)))
    changed = write_files(work.folder, texts)
    entry = _entry(work, run, texts, modules, bool(searches)) if not volatile else None
    return Outcome(result.evolve(changed=changed), entry)


def write_files(folder: str, texts: Mapping[str, str]) -> bool:
    """Writes files and creates their folders; true if the content of the first one is new.

    Raises:
        FileProblem: `file_unwritable`.
    """
    from ..world.writing import folders_of, write_together

    files = {os.path.join(folder, name): bytes_of(text) for name, text in texts.items()}
    with folders_of(files, folder):
        changed = write_together(files, start=folder)
    return next(iter(changed.values()))


def bytes_of(text: str) -> bytes:
    """The bytes of a text; lone surrogates come from undecodable file names."""
    return text.encode("utf-8", "surrogateescape")


def _volatile(work: _Work, run: Run, searches: list[Search]) -> tuple[str, ...]:
    """The inputs of the target that may change at any time."""
    found = [_ASKED[name] for name in sorted(run.asked)]
    if work.files.searched:
        found.append("the files of a folder")
    found += sorted({_ASKING[s.group] for s in searches if s.file and s.group in _ASKING})
    if run.contents:
        from ..world.remote.lock import FILE_NAME

        beside = os.path.join(os.path.dirname(work.target.blueprint), FILE_NAME)
        lock = os.path.normpath(work.path(work.target.lock or beside))
        if not any(
            digest and os.path.normpath(p) == lock for p, digest in work.files.digests.items()
        ):
            found.append("the network")
    return tuple(found)


def _entry(
    work: _Work, run: Run, texts: Mapping[str, str], modules: list[str], searched: bool
) -> dict[str, Any] | None:
    """The index entry of a target, whose result is stored; None if it cannot be verified later."""
    task = work.task
    store = Store(task.cache, task.key)
    if store.folder is None:
        return None
    inputs = dict(work.files.digests)
    unlimited = DiskFiles(limits=UNLIMITED)
    for module in modules:
        inputs[module] = digest_of(unlimited.open_input(module), task.key)
    warnings = packed(work.diagnostics, work.folder, inputs)
    if warnings is None or UNSTEADY in inputs.values():
        return None
    names = _declared(run)
    packages = packages_digest(task.key) if searched else ""
    shared, environment = shared_by_all(work.folder, task.around), task.around.environment
    target = target_digest(store.key, task.target)
    key = result_key(store.key, target, shared, environment, names, inputs, packages)
    if not _withheld(run):
        store.save_result(key, {"files": dict(texts), "warnings": warnings})
    return {
        "key": key,
        "inputs": inputs,
        "names": names,
        "packages": searched,
        "outputs": {name: digest_of(bytes_of(text), task.key) for name, text in texts.items()},
        "warnings": warnings,
    }


def _withheld(run: Run) -> Concealed | None:
    """What only the product of a run may show."""
    return run.document.withheld if run.document is not None else None


def packages_digest(key: bytes) -> str:
    """The digest of the names and versions of all installed packages."""
    return digest_of("\n".join(installed_packages()).encode("utf-8", "surrogatepass"), key)


def _declared(run: Run) -> list[str]:
    """The variables that the blueprint declares; values of others have no effect."""
    section = run.stages[0][1].section("variables")
    return sorted(section.items) if section is not None else []


def own_input(
    target: Target,
    spoken: Dialect,
    settings: Settings,
    files: Files,
    diagnostics: Diagnostics,
    meter: Meter,
) -> Any:
    """The inputs of a dialect's stages from a target; errors are added to `diagnostics`.

    Raises:
        FileProblem: if a file that the configuration names cannot be read.
    """
    from ..dialects.dialect_options import misplaced

    usual = target.__class__("", "", "", "")
    given = [
        row.flag
        for name, row in config_rows().items()
        if getattr(target, name) != getattr(usual, name)
    ]
    wrong = misplaced(spoken, target.own, given, target.blueprint)
    if wrong is not None:
        diagnostics.error("invalid_configuration", None, f"target `{target.name}`: {wrong}")
        return None
    make = spoken.command_line.inputs
    if make is None:
        return None
    inputs = CommandInputs(
        target.own,
        (),
        target.vars,
        target.state,
        {},
        settings,
        files,
        diagnostics,
        meter,
        target.variables,
    )
    try:
        return make(inputs)
    except ValueError as problem:
        diagnostics.error("invalid_configuration", None, f"target `{target.name}`: {problem}")
        return None


HIDDEN: Final = "(not shown)"


def compared(
    result: TargetResult, path: str, text: str, withheld: Concealed | None = None
) -> TargetResult:
    """The result of a check: how the file at a path differs from the expected text.

    Texts that only the product of a run may show are `withheld`.
    """
    from ..answers.comparison import differences
    from ..world.data_files import read_data

    limits = Limits(max_input_bytes=1 << 30)
    try:
        data = DiskFiles(limits=limits).open_input(path)
    except FileProblem as problem:
        missing = problem.code == "file_not_found"
        remark = "the file does not exist" if missing else problem.message
        return result.evolve(status=DIFFERS, remark=remark)
    if data == text.encode():
        return result.evolve(status=UNCHANGED)
    name = result.target.output
    found = Diagnostics()
    old, _ = read_data(name, data, Meter(limits), found)
    if found.errors:
        return result.evolve(status=DIFFERS, remark="the file cannot be read as a blueprint")
    new, _ = read_data(_named_alike(name, result), text.encode(), Meter(limits), found)
    secrets = frozenset(_secrets(new))
    opener = find_dialect(DEFAULT).syntax.opener
    changes = [_masked(item, withheld) for item in differences(old, new)]
    told = tuple(_discreet(item, secrets, opener) for item in changes)
    remark = "" if told else "the data is the same, but it is formatted differently"
    return result.evolve(status=DIFFERS, differences=told, remark=remark)


def _named_alike(name: str, result: TargetResult) -> str:
    """A file name with the extension of the format of the output."""
    return f"{os.path.basename(name)}.{result.target.format}" if result.target.format else name


def _secrets(node: Any) -> Iterator[str]:
    """The names of the secrets of a document and its children."""
    if isinstance(node, dict):
        for name, child in node.items():
            if isinstance(child, dict) and child.get("secret") is True:
                yield name
            yield from _secrets(child)
    elif isinstance(node, list):
        for child in node:
            yield from _secrets(child)


def _masked(item: Difference, withheld: Concealed | None) -> Difference:
    """A difference with masks in the place of what only the product may show."""
    from ..answers.comparison import Difference

    if not withheld:
        return item
    old, new = withheld.in_data(item.old), withheld.in_data(item.new)
    return Difference(item.path, item.kind, old, new)


def _discreet(item: Difference, secrets: frozenset[str], opener: str) -> Difference:
    """A difference without the old value if the new one refers to a secret."""
    from ..answers.comparison import CHANGED, Difference

    if item.kind != CHANGED or not isinstance(item.new, str):
        return item
    held = opener in item.new and any(name in item.new for name in secrets)
    if held or MASK in item.new:
        return Difference(item.path, item.kind, HIDDEN, item.new)
    return item
