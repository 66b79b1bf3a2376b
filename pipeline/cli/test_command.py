"""`bpp test`: runs the tests of blueprints, once or whenever files change."""

from __future__ import annotations

import os
from typing import Final

from ..building.builds import changed_since, look_at, wait_for_change
from ..engine.options import Options
from ..rendering import failed_to_read
from ..testing.test_files import TestFile, is_test_file, read_tests
from ..testing.test_runs import CaseResult, run_case
from ..values.diagnostics import Diagnostic, Diagnostics
from ..values.expression import Shape
from ..values.settings import Settings
from ..values.terminal import visible
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem
from .render_inputs import limits_of, report, status_of
from .searches import Search
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_out
from .usage import UsageProblem

_HINT: Final = "; they are in files such as `app.blueprint-test.yaml`"


def run_test(options: Options) -> int:
    """The exit status of `bpp test`; 1 when a test fails."""
    if options.watch and options.junit:
        raise UsageProblem("--junit cannot be combined with --watch")
    if not options.watch:
        return _Session(options).run()
    import gc

    gc.enable()  # this process may run for days
    while True:
        started = Effects(Settings(), DiskFiles()).now()
        session = _Session(options)
        session.run()
        watched = look_at(session.reads)
        changed = changed_since(watched, started) or wait_for_change(watched)
        shown = sorted(map(os.path.relpath, changed))
        more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
        write_err(f"{visible(shown[0])}{more} changed\n")


class _Session:
    """One run of all tests; `reads` are the files that they depend on."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._limits = limits_of(options)
        self._found = Diagnostics(self._limits.max_diagnostics)
        self._results: list[CaseResult] = []
        self._told: dict[tuple[str, str, str], Diagnostic] = {}
        self._unreadable = False
        self.reads: set[str] = set()

    def run(self) -> int:
        """Runs and reports the tests; the exit status.

        Raises:
            FileProblem: a snapshot, or a file of a report, cannot be written.
            UsageProblem: there are no tests.
        """
        options = self._options
        search = Search("tests", is_test_file, self._limits, hint=_HINT)
        names = list(search.files(options.suites or (".",)))
        for name in names:
            suite = self._read(name)
            if suite is not None and not self._run(suite):
                break
        if not self._results and not self._found.errors:
            raise UsageProblem(f"--matching: no test has `{options.matching}` in its name")
        self._found.extend(self._told.values())
        written = self._write_snapshots()
        report(self._found, options, names[0], product=True)
        if options.junit:
            self._write_junit(options.junit)
        if self._results:
            self._tell(written)
        if self._unreadable:
            return EXIT_UNREADABLE
        if self._found.errors:
            return status_of(self._found) if not self._results else EXIT_ERRORS
        return 0

    def _read(self, name: str) -> TestFile | None:
        files = DiskFiles(limits=self._limits)
        self.reads.add(os.path.abspath(name))
        try:
            suite = read_tests(name, files)
        except FileProblem as problem:
            self._found.add(failed_to_read(problem))
            self._unreadable = True
            return None
        self._found.extend(suite.diagnostics)
        return suite

    def _run(self, suite: TestFile) -> bool:
        """Runs the tests of a file; False when the rest is not to be tried."""
        options = self._options
        shapes: dict[str, Shape] = {}
        settings = Settings(limits=self._limits, debug=os.environ.get("BPP_TRACEBACK") == "full")
        for case in suite.cases:
            if options.matching is not None and options.matching not in case.name:
                continue
            result = run_case(suite, case, settings, shapes, options.update)
            self._results.append(result)
            self.reads.update(result.reads)
            self._take(result.diagnostics)
            if options.verbose or not result.ok:
                status = "passed" if result.ok else "failed"
                name = visible(f"{suite.name}: {case.name}")
                self._say(f"{status}  {name}  ({result.seconds:.2f} s)\n")
            if options.fail_fast and not result.ok:
                return False
        return True

    def _write_snapshots(self) -> int:
        """Writes what tests have given to be kept; how many files."""
        from ..world.writing import folders_of, write_together

        texts = dict(one.snapshot for one in self._results if one.snapshot is not None)
        if texts:
            with folders_of(texts):
                write_together({path: text.encode() for path, text in texts.items()})
        return len(texts)

    def _write_junit(self, path: str) -> None:
        from ..testing.junit import junit_text
        from ..world.writing import folders_of, refuse_inputs, write_together

        refuse_inputs([path], self.reads)
        with folders_of([path]):
            write_together({path: junit_text(self._results).encode()})

    def _tell(self, written: int) -> None:
        passed = sum(one.ok for one in self._results)
        counts = [f"{passed} passed", f"{len(self._results) - passed} failed"]
        if written:
            counts.append(f"{written} snapshot{'' if written == 1 else 's'} written")
        seconds = sum(one.seconds for one in self._results)
        self._say(f"{', '.join(counts)} in {seconds:.2f} s\n")

    def _say(self, text: str) -> None:
        """Says it to people: on standard error where a report for programs is the product."""
        (write_out if self._options.diagnostics == "text" else write_err)(text)

    def _take(self, found: Diagnostics) -> None:
        """Keeps what a test has found; a mistake that several have is told once, and names them."""
        self._found.quoting.add(found.quoting)
        self._found.causes += found.causes
        for item in found:
            mark = item.code, str(item.span), item.summary
            known = self._told.get(mark)
            if known is not None:
                item = known.noting(*(note for note in item.notes if note not in known.notes))
            self._told[mark] = item
        self._found.count(found)
