"""`python -m benchmarks [COUNT...]`: bpp against its peers, start-up, other shapes, builds.

Every program runs as a whole process, in turn with the others, after its output was compared with
what the workload means. Figures are the medians of the counted runs, wall and CPU time (user and
system, children included), and the peak memory. Needs an installed `bpp`; the peers come with
`pip install '.[bench]'`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from . import aims, tables
from .measuring import Figures, measure
from .peers import PEERS

WORK = Path(__file__).parent / "work"
COUNTS = (10, 100, 1_000, 10_000)


def main(arguments: list[str] | None = None) -> int:
    """Prints tables and verdicts; 1 when an output is not what the workload means."""
    options = _parser().parse_args(arguments)
    place = tables.Place(tables.find_bpp(), options.work)
    for peer in PEERS:
        missing = peer.missing()
        print(f"{peer.name}: {f'skipped, {missing}' if missing else peer.versions()}")
    print(f"{options.runs} counted runs each; what takes longer than {options.cap:g} s is stopped")
    results: dict[str, dict[str, Figures]] = {}
    for make in _tables(place, options.counts or COUNTS, options.peers_only):
        table = make()
        results[table.title] = measure(
            table.programs, place.folder("outputs"), options.runs, options.cap
        )
        _print(table, results[table.title])
    print("\nwhat the ratios should be")
    verdicts = list(aims.verdicts(results))
    for verdict in verdicts:
        print(verdict.line())
    if options.json is not None:
        _write(options.json, options.runs, results, verdicts)
    different = any(one.differs for table in results.values() for one in table.values())
    return 1 if different else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "counts", metavar="COUNT", type=_count, nargs="*", help="resources; default: 10 to 10,000"
    )
    parser.add_argument("--runs", type=_count, default=5, help="counted runs of each program")
    parser.add_argument("--cap", type=float, default=60, help="seconds that a run may take")
    parser.add_argument("--json", type=Path, help="a file to write the figures to")
    parser.add_argument("--work", type=Path, default=WORK, help="the folder to work in")
    parser.add_argument(
        "--peers-only", action="store_true", help="leave out other shapes and builds"
    )
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _tables(
    place: tables.Place, counts: tuple[int, ...], peers_only: bool
) -> Iterator[Callable[[], tables.Table]]:
    """What makes the tables, one after the other: each writes its files just before it runs."""
    yield lambda: tables.start_up(place)
    for count in counts:
        yield lambda count=count: tables.size(place, count)  # type: ignore[misc]
    if not peers_only:
        yield lambda: tables.other_shapes(place)
        nearest = min(counts, key=lambda count: abs(count - 1_000))
        yield lambda: tables.what_else(place, nearest)
        yield lambda: tables.incremental(place)
        yield lambda: tables.kargo(place)


def _print(table: tables.Table, figures: dict[str, Figures]) -> None:
    """One line a program."""
    heads = f"{'wall ms':>10} {'CPU ms':>10} {'peak MB':>9} {'CPU ratio':>10}"
    print(f"\n{table.title}\n{'':<32}{heads}")
    base = figures[table.base]
    for name, one in figures.items():
        if one.failure is not None:
            print(f"{name:<32}{'differs: ' if one.differs else ''}{one.failure}")
            continue
        ratio = f"{one.cpu / base.cpu:10.2f}" if base.failure is None else f"{'-':>10}"
        megabytes = one.peak / 2**20
        print(f"{name:<32}{one.wall * 1e3:10.1f} {one.cpu * 1e3:10.1f} {megabytes:9.1f} {ratio}")
    for note in table.notes:
        print(f"({note})")
    sys.stdout.flush()


def _write(
    path: Path, runs: int, results: dict[str, dict[str, Figures]], verdicts: list[aims.Verdict]
) -> None:
    """The figures as JSON: seconds and bytes."""
    data = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "peers": {peer.name: peer.missing() or peer.versions() for peer in PEERS},
        "runs": runs,
        "tables": {
            title: {name: attrs.asdict(one) for name, one in figures.items()}
            for title, figures in results.items()
        },
        "aims": [attrs.asdict(verdict) for verdict in verdicts],
    }
    path.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
