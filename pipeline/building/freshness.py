"""The index of a build: which targets are up to date, and which results the cache has."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import Any

from ..values.diagnostics import Diagnostics
from ..values.version import VERSION
from ..world.files import FileProblem
from .store import (
    FileStates,
    Store,
    digest_of,
    keyed_digest,
    result_key,
    shared_by_all,
    target_digest,
    unpacked,
)
from .target import FAILED, RESTORED, UNCHANGED, Outcome, Surroundings, Target, TargetResult


class Index:
    """The results of earlier builds of a configuration.

    It remembers, for each target, the files that were read and written; and for the configuration,
    as long as its content stays the same, the names and digests of its targets. Their values are
    not kept, since variables may hold secrets.
    """

    def __init__(self, store: Store, around: Surroundings, path: str) -> None:
        self._store = store
        self._around = around
        self._path = path
        self._folder = os.path.dirname(path)
        self._content = store.load_index(path)
        self._packages: str | None = None
        self._shared = shared_by_all(self._folder, around)
        self._digests: dict[str, str] = {}
        self._news: dict[str, Any] = {}
        self._stale = False
        self.states = FileStates(self._content["files"], store.key)

    def knows(self, content: bytes) -> bool:
        """True if this version of bpp has found this content of the configuration valid."""
        known = bool(content and self._store.folder)
        return known and self._content["form"] == self._form(content)

    def _form(self, content: bytes) -> str:
        return keyed_digest(self._store.key, VERSION.encode() + b"\n" + content)

    def use(self, targets: Collection[Target], content: bytes | None) -> None:
        """Takes the targets of a valid configuration; remembers them with its content.

        `content` is None if the targets need not be those of the file.
        """
        if not self._store.folder:
            return
        key = self._store.key
        self._digests = {target.name: target_digest(key, target) for target in targets}
        if content and not self.knows(content):
            names = [[one.name, one.group, self._digests[one.name]] for one in targets]
            self._content = {**self._content, "form": self._form(content), "names": names}
            self._stale = True

    def unchanged(self, content: bytes, wanted: Callable[[str, str], bool]) -> int | None:
        """The number of wanted targets if all are up to date without warnings; None otherwise.

        `content` is the configuration, which is only read if it has changed. `wanted` takes the
        name of a target and its group.
        """
        if not self.knows(content):
            return None
        count = 0
        try:
            for name, group, digest in self._content["names"]:
                if wanted(name, group):
                    entry = self._content["targets"][name]
                    if entry["warnings"] or not self._is_fresh(entry, self._key(entry, digest)[0]):
                        return None
                    count += 1
        except (KeyError, TypeError, ValueError, AttributeError):  # an index of another version
            return None
        return count

    def up_to_date(self, target: Target, check: bool) -> Outcome | None:
        """The outcome for a target that need not be rendered; None if it must be.

        Either its outputs and everything they were made from are unchanged; or the cache has a
        result for the current inputs, which is then written, unless this is a check.
        """
        entry = self._content["targets"].get(target.name)
        if entry is None:
            return None
        try:
            return self._outcome(target, entry, check)
        # an index of another version, or a warning about a file that has just been removed
        except (KeyError, TypeError, ValueError, AttributeError, FileProblem):
            return None

    def why_stale(self, target: Target) -> str:
        """Why a target is not up to date; empty for one that is."""
        entry = self._content["targets"].get(target.name)
        if entry is None:
            return "no earlier result is known"
        try:
            key, inputs = self._key(entry, self._digests[target.name])
            changed = [path for path, digest in inputs.items() if digest != entry["inputs"][path]]
            if not changed and key == entry["key"]:
                outputs = entry["outputs"]
                paths = {os.path.join(self._folder, name): name for name in outputs}
                changed = [
                    path for path in paths if self.states.digest(path) != outputs[paths[path]]
                ]
        except (KeyError, TypeError, ValueError, AttributeError):
            return "the results of another version of bpp are not used"
        if changed:
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            what = "changed" if os.path.lexists(changed[0]) else "does not exist"
            return f"`{os.path.relpath(changed[0], self._folder)}`{more} {what}"
        if key != entry["key"]:
            return "its options or variables, the environment or bpp changed"
        return ""

    def _outcome(self, target: Target, entry: dict[str, Any], check: bool) -> Outcome | None:
        key, inputs = self._key(entry, self._digests[target.name])
        if self._is_fresh(entry, key):
            return Outcome(_result(target, UNCHANGED, entry["warnings"], self._folder, inputs))
        kept = self._store.load_result(key)
        if kept is None:
            return None
        why = self.why_stale(target)
        found = self._restored(target, {**entry, "key": key, "inputs": inputs}, kept, check)
        return found.evolve(result=found.result.evolve(why=why))

    def _key(self, entry: dict[str, Any], digest: str) -> tuple[str, dict[str, str]]:
        """The key of a target's result as of now, and the digests of its inputs."""
        inputs = {path: self.states.digest(path) for path in entry["inputs"]}
        packages = self._installed() if entry["packages"] else ""
        environment, names = self._around.environment, entry["names"]
        key = self._store.key
        return result_key(key, digest, self._shared, environment, names, inputs, packages), inputs

    def _is_fresh(self, entry: dict[str, Any], key: str) -> bool:
        """True if the outputs are those of the last render, which had the same key."""
        return bool(key == entry["key"]) and all(
            self.states.digest(os.path.join(self._folder, name)) == digest
            for name, digest in entry["outputs"].items()
        )

    def _restored(
        self, target: Target, entry: dict[str, Any], kept: dict[str, Any], check: bool
    ) -> Outcome:
        texts, warnings = kept["files"], kept["warnings"]
        result = _result(target, RESTORED, warnings, self._folder, entry["inputs"])
        if check:
            from .target_rendering import compared

            path = os.path.join(self._folder, target.output)
            return Outcome(compared(result, path, texts[target.output]))
        from .target_rendering import bytes_of, write_files

        changed = write_files(self._folder, texts)
        outputs = {name: digest_of(bytes_of(text), self._store.key) for name, text in texts.items()}
        return Outcome(
            result.evolve(changed=changed), {**entry, "outputs": outputs, "warnings": warnings}
        )

    def _installed(self) -> str:
        if self._packages is None:
            from .target_rendering import packages_digest

            self._packages = packages_digest(self._store.key)
        return self._packages

    def learn(self, outcome: Outcome) -> None:
        """Remembers the outcome of a render.

        If a target fails, its outputs and its entry stay: they are up to date again as soon as the
        error is fixed.
        """
        target = outcome.result.target
        for name in target.outputs():
            self.states.forget(os.path.join(self._folder, name))
        if outcome.result.status == FAILED:
            return
        self._news[target.name] = outcome.entry
        if outcome.entry is None:
            self._content["targets"].pop(target.name, None)
        else:
            self._content["targets"][target.name] = outcome.entry

    def save(self, last: bool = True) -> None:
        """Saves what is new, merged with what other builds have saved meanwhile."""
        new = self._news or self._stale or (last and self.states.learned)
        if not self._store.folder or not new:
            return
        targets = {**self._store.load_index(self._path)["targets"], **self._news}
        names = self._digests or {name for name, _, _ in self._content["names"]}
        targets = {name: e for name, e in targets.items() if name in names and e is not None}
        files = self.states.known
        if last:
            used = {path for entry in targets.values() for path in entry["inputs"]}
            used |= {
                os.path.join(self._folder, name)
                for entry in targets.values()
                for name in entry["outputs"]
            }
            files = {path: look for path, look in files.items() if path in used}
        self._content = {**self._content, "files": files, "targets": targets}
        self._store.save_index(self._path, self._content)
        self._news = {}
        self._stale = self.states.learned = False


def _result(
    target: Target, status: str, warnings: list[Any], folder: str, reads: dict[str, str]
) -> TargetResult:
    diagnostics = unpacked(warnings, folder) if warnings else Diagnostics()
    return TargetResult(target, status, diagnostics, reads=tuple(reads))
