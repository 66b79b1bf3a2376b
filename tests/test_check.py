"""`check` against `render`: what renders passes the static checks, and they find what they can."""

from __future__ import annotations

import pytest
from support.harness import Case, checks, discover, run, said

CASES = discover()
RENDERED = [case for case in CASES if case.render and not case.errors]
BROKEN = [case for case in CASES if not case.render and case.errors]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in RENDERED])
def test_what_renders_passes_the_checks(case: Case) -> None:
    found = checks(case)
    assert found.errors == 0, said(case, found)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in BROKEN])
def test_what_the_checks_refuse_does_not_render(case: Case) -> None:
    assert run(case).diagnostics.errors > 0
