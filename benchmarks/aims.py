"""What the ratios should be, and whether they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from . import builds, shapes, tables
from .measuring import Figures

Results = Mapping[str, Mapping[str, Figures]]


@attrs.frozen
class Verdict:
    """A ratio with its bounds, the one that must be met first; or why there is no ratio."""

    name: str
    bounds: tuple[float, ...]
    ratio: float | None = None
    missing: str | None = None

    def line(self) -> str:
        """What is printed."""
        if self.ratio is None:
            return f"{self.name:<62} not measured: {self.missing}"
        told = [
            f"at most {bound:g} {'met' if self.ratio <= bound else 'not met'}"
            for bound in self.bounds
        ]
        return f"{self.name:<62} {self.ratio:6.2f}  {', then '.join(told)}"


def verdicts(results: Results) -> Iterator[Verdict]:
    """All aims in the order of their tables; those of tables that were not asked for are named."""
    thousand, most = tables.title_of(1_000), tables.title_of(10_000)
    find = _Finder(results)
    start, floor = tables.START_UP, tables.FLOOR
    yield find.ratio("bpp --version / python -c pass", start, tables.VERSION, floor, 2.5)
    yield find.ratio("ten resources, cold / python -c pass", start, tables.COLD, floor, 9)
    yield find.ratio("ten resources, warm / python -c pass", start, tables.WARM, floor, 4.5)
    bpp = tables.BPP
    for title, jsonnet, jinja in ((thousand, (1.0, 0.75), 0.15), (most, (0.7, 0.45), 0.1)):
        yield find.ratio(f"{title}: CPU / rjsonnet's", title, bpp, "rjsonnet", *jsonnet)
        yield find.ratio(f"{title}: CPU / jinja2's", title, bpp, "jinja2", jinja)
    for title, bound in ((thousand, 0.9), (most, 0.6)):
        name = f"{title}: peak memory / rjsonnet's"
        yield find.ratio(name, title, bpp, "rjsonnet", bound, of=lambda one: one.peak)
    for fewer in (100, 1_000):
        name = f"CPU of {10 * fewer:,} resources / of {fewer:,}"
        yield find.growth(name, tables.title_of(10 * fewer), tables.title_of(fewer), bpp, 9.5)
    other, plain = tables.ELSE, tables.PLAIN
    yield find.ratio("with a source map / plain", other, tables.SOURCE_MAP, plain, 1.6)
    for kind in shapes.MISTAKES:
        yield find.ratio(f"failing for {kind} / plain", other, kind, plain, 2)
    for changed in (builds.ONE_CHANGED, builds.ONE_CHANGED_OF_MATRIX):
        name = f"build, {changed} / that one alone"
        yield find.ratio(name, tables.BUILDS, changed, builds.ALONE, 2)
    for mine, bound in ((tables.RENDERED, 40), (tables.CHECKED, 55), (tables.ONE_STAGE, 4.5)):
        yield find.ratio(f"{mine} / python -c pass", tables.KARGO, mine, floor, bound)


def _cpu(figures: Figures) -> float:
    return figures.cpu


class _Finder:
    def __init__(self, results: Results) -> None:
        self._results = results

    def ratio(
        self,
        name: str,
        table: str,
        mine: str,
        base: str,
        *bounds: float,
        of: Callable[[Figures], float] = _cpu,
    ) -> Verdict:
        """What one program takes by what another of the same table does."""
        return self._verdict(name, (table, mine), (table, base), bounds, of)

    def growth(self, name: str, table: str, base: str, program: str, *bounds: float) -> Verdict:
        """What a program takes in one table by what it does in another."""
        return self._verdict(name, (table, program), (base, program), bounds, _cpu)

    def _verdict(
        self,
        name: str,
        mine: tuple[str, str],
        base: tuple[str, str],
        bounds: tuple[float, ...],
        of: Callable[[Figures], float],
    ) -> Verdict:
        found = []
        for table, program in (mine, base):
            if table not in self._results:
                return Verdict(name, bounds, missing=f"`{table}` was not run")
            figures = self._results[table].get(program)
            if figures is None:
                return Verdict(name, bounds, missing=f"{program} is not installed")
            if figures.failure is not None:
                why = "differs" if figures.differs else figures.failure
                return Verdict(name, bounds, missing=f"{program}: {why}")
            found.append(of(figures))
        return Verdict(name, bounds, found[0] / found[1])
