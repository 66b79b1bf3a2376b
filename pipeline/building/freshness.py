"""Which targets are up to date, and what the cache has for those that are not."""

from __future__ import annotations

import os
from typing import Any

from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from .configuration import Configuration
from .digests import digest_of, keyed_digest, result_key, shared_by_all
from .file_states import FileStates
from .results import FAILED, RESTORED, UNCHANGED, Outcome, TargetResult
from .store import Store
from .target import Surroundings, Target


class Index:
    """What is known of a configuration's targets from earlier builds."""

    def __init__(self, store: Store, around: Surroundings, path: str) -> None:
        self._store = store
        self._around = around
        self._path = path
        self._content = store.load_index(path)
        self._packages: str | None = None
        self._shared_by_all: dict[str, str] = {}
        self._news: dict[str, Any] = {}
        self.states = FileStates(self._content["files"], store.key)

    # ---------------------------------------------------------------- the configuration

    def knows(self, content: bytes) -> bool:
        """Whether this content of the configuration was found to have the right form."""
        return bool(self._store.folder) and self._content["form"] == self._form(content)

    def _form(self, content: bytes) -> str:
        return keyed_digest(self._store.key, content)

    # ---------------------------------------------------------------- targets

    def up_to_date(self, target: Target, folder: str, check: bool) -> Outcome | None:
        """The outcome for a target that need not be rendered; None when it must be.

        Its outputs are there, and everything that they were made from is the same; or the cache has
        a result for what is there now, which is then written, unless this is a check.
        """
        entry = self._content["targets"].get(target.name)
        if entry is None:
            return None
        try:
            return self._outcome(target, folder, entry, check)
        # an index of another make, or a warning about a file that has just gone
        except (KeyError, TypeError, ValueError, AttributeError, FileProblem):
            return None

    def _outcome(
        self, target: Target, folder: str, entry: dict[str, Any], check: bool
    ) -> Outcome | None:
        inputs = {path: self.states.digest(path) for path in entry["inputs"]}
        packages = self._installed() if entry["packages"] else ""
        key = result_key(
            self._store.key,
            target,
            self._shared(folder),
            self._around.environment,
            entry["names"],
            inputs,
            packages,
        )
        if key == entry["key"] and all(
            self.states.digest(os.path.join(folder, name)) == digest
            for name, digest in entry["outputs"].items()
        ):
            return Outcome(_result(target, UNCHANGED, entry["warnings"], folder, inputs))
        kept = self._store.load_result(key)
        if kept is None:
            return None
        return self._restored(target, folder, {**entry, "key": key, "inputs": inputs}, kept, check)

    def _restored(
        self,
        target: Target,
        folder: str,
        entry: dict[str, Any],
        kept: dict[str, Any],
        check: bool,
    ) -> Outcome:
        texts, warnings = kept["files"], kept["warnings"]
        result = _result(target, RESTORED, warnings, folder, entry["inputs"])
        if check:
            from .checking import compared

            path = os.path.join(folder, target.output)
            return Outcome(compared(result, path, texts[target.output]))
        from .target_rendering import bytes_of, write_files

        changed = write_files(folder, texts)
        outputs = {name: digest_of(bytes_of(text), self._store.key) for name, text in texts.items()}
        return Outcome(
            result.evolve(changed=changed), {**entry, "outputs": outputs, "warnings": warnings}
        )

    def _shared(self, folder: str) -> str:
        if folder not in self._shared_by_all:
            self._shared_by_all[folder] = shared_by_all(folder, self._around)
        return self._shared_by_all[folder]

    def _installed(self) -> str:
        if self._packages is None:
            from .target_rendering import packages_digest

            self._packages = packages_digest(self._store.key)
        return self._packages

    def learn(self, outcome: Outcome, folder: str) -> None:
        """Takes over what a render found out.

        When a target fails, its outputs stay, and so does what is known of them: they are up to
        date again as soon as the mistake is gone.
        """
        target = outcome.result.target
        for name in target.outputs():
            self.states.forget(os.path.join(folder, name))
        if outcome.result.status == FAILED:
            return
        self._news[target.name] = outcome.entry
        if outcome.entry is None:
            self._content["targets"].pop(target.name, None)
        else:
            self._content["targets"][target.name] = outcome.entry

    # ---------------------------------------------------------------- keeping

    def save(self, configuration: Configuration, last: bool = True) -> None:
        """Keeps what is new, beside what other builds have kept meanwhile."""
        form = self._form(configuration.content) if self._store.folder else ""
        stale = self._content["form"] != form
        if not self._store.folder or not (self._news or stale or (last and self.states.learned)):
            return
        targets = {**self._store.load_index(self._path)["targets"], **self._news}
        names = {target.name for target in configuration.targets}
        targets = {name: e for name, e in targets.items() if name in names and e is not None}
        files = self.states.known
        if last:
            used = {path for entry in targets.values() for path in entry["inputs"]}
            used |= {
                os.path.join(configuration.folder, name)
                for entry in targets.values()
                for name in entry["outputs"]
            }
            files = {path: look for path, look in files.items() if path in used}
        self._content = {"form": form, "files": files, "targets": targets}
        self._store.save_index(self._path, self._content)
        self._news = {}
        self.states.learned = False


def _result(
    target: Target, status: str, warnings: list[Any], folder: str, reads: dict[str, str]
) -> TargetResult:
    diagnostics = Diagnostics()
    if warnings:
        from .packing import unpacked

        diagnostics = unpacked(warnings, folder)
    return TargetResult(target, status, diagnostics, reads=tuple(reads))
