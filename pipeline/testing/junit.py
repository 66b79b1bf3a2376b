"""Results of tests as the XML that JUnit made a custom of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from xml.etree import ElementTree

from ..formats.report import render_text
from .test_runs import CaseResult

# what XML 1.0 has no way to write
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(results: Iterable[CaseResult]) -> str:
    """The results, a suite for each file of tests."""
    top = ElementTree.Element("testsuites")
    suites: dict[str, list[CaseResult]] = {}
    for one in results:
        suites.setdefault(one.case.span.source.name, []).append(one)
    for name, cases in suites.items():
        suite = ElementTree.SubElement(top, "testsuite", {"name": _plain(name), **_counts(cases)})
        for one in cases:
            attributes = {"classname": _plain(name), "name": _plain(one.case.name)}
            case = ElementTree.SubElement(
                suite, "testcase", {**attributes, "time": f"{one.seconds:.3f}"}
            )
            if not one.ok:
                first = next(item for item in one.diagnostics.sorted() if item.severity == "error")
                text = render_text(one.diagnostics, False)
                ElementTree.SubElement(
                    case, "failure", message=_plain(first.summary), type=first.code
                ).text = _plain(text)
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _counts(cases: list[CaseResult]) -> dict[str, str]:
    failed = sum(not one.ok for one in cases)
    seconds = sum(one.seconds for one in cases)
    return {"tests": str(len(cases)), "failures": str(failed), "time": f"{seconds:.3f}"}


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
