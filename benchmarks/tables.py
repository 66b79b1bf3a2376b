"""The tables that are measured: their programs, and which of them the ratios are to."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from . import builds, comparing, peers, shapes, stages, workload
from .measuring import Differs, Program

FLOOR, VERSION = "python -c pass", "bpp --version"
COLD, WARM = "ten resources, cold", "ten resources, warm"
BPP, BPP_WARM = "bpp", "bpp, warm caches"
PLAIN, SOURCE_MAP = "plain", "with source map"
START_UP, OTHER_SHAPES, ELSE, BUILDS, KARGO = (
    "start-up",
    "other shapes",
    "what else is asked",
    "builds",
    "Kargo",
)
STAGES = 60
RENDERED, CHECKED, ONE_STAGE = f"{STAGES} Stages, render", f"{STAGES} Stages, check", "a Stage"

Accept = Callable[[bytes, bytes], None]


@attrs.frozen
class Table:
    """Programs that run in turn; ratios are to the CPU time of `base`. `notes` stand below."""

    title: str
    programs: Mapping[str, Program]
    base: str
    notes: tuple[str, ...] = ()


@attrs.frozen
class Place:
    """Where bpp is, and the folder that everything is written to."""

    bpp: str
    work: Path

    @property
    def warm(self) -> dict[str, str]:
        """The environment of runs that find what earlier ones kept."""
        return {"BPP_CACHE_DIR": str(self.work / "cache")}

    @property
    def caches(self) -> Path:
        """A folder for caches that are thrown away."""
        return self.work / "cold"

    def folder(self, name: str) -> Path:
        """A folder by name, made where there is none."""
        folder = self.work / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


NO_CACHE = {"BPP_NO_CACHE": "1"}


def find_bpp() -> str:
    """The `bpp` of this environment, else the first on the path."""
    found = shutil.which("bpp", path=str(Path(sys.executable).parent)) or shutil.which("bpp")
    if found is None:
        raise SystemExit("there is no `bpp` here: pip install -e '.[bench]'")
    return found


def start_up(place: Place) -> Table:
    """What a process costs before it does anything of note."""
    folder = place.folder("10")
    peers.write(10, folder)
    render = (place.bpp, "render", str(folder / "blueprint.yaml"))
    accept = _resources(10)
    cold = {"BPP_CACHE_DIR": str(place.caches)}

    def forget() -> None:
        shutil.rmtree(place.caches, ignore_errors=True)

    return Table(
        START_UP,
        {
            FLOOR: Program((sys.executable, "-c", "pass")),
            VERSION: Program((place.bpp, "--version")),
            COLD: Program(render, cold, before=forget, accept=accept),
            WARM: Program(render, place.warm, accept=accept),
        },
        FLOOR,
        ("cold: with an empty cache, which the run fills; warm: with that of an earlier run",),
    )


def size(place: Place, count: int) -> Table:
    """bpp and its peers on the same work."""
    folder = place.folder(str(count))
    peers.write(count, folder)
    source = str(folder / "blueprint.yaml")
    accept = _resources(count)
    programs = {
        BPP: Program((place.bpp, "render", source), NO_CACHE, accept=accept),
        BPP_WARM: Program((place.bpp, "render", source), place.warm, accept=accept),
    }
    notes = []
    for peer in peers.PEERS:
        missing = peer.missing()
        if missing is None:
            programs[peer.name] = Program(peer.command(folder), accept=accept)
        else:
            notes.append(f"{peer.name} is skipped: {missing} (pip install '.[bench]')")
    return Table(title_of(count), programs, BPP, tuple(notes))


def title_of(count: int) -> str:
    """The title of the table of a size."""
    return f"{count:,} resources"


def other_shapes(place: Place) -> Table:
    """Workloads that stress one thing each."""
    programs = {FLOOR: Program((sys.executable, "-c", "pass"))}
    for name, (path, wanted) in shapes.write(place.folder("shapes")).items():
        command = (place.bpp, "render", str(path))
        programs[name] = Program(command, place.warm, accept=_must_hold(wanted))
    return Table(OTHER_SHAPES, programs, FLOOR)


def what_else(place: Place, count: int) -> Table:
    """What a source map and mistakes cost, against the plain render."""
    folder = place.folder(str(count))
    peers.write(count, folder)
    blueprint = folder / "blueprint.yaml"
    source_map = folder / "source-map.json"
    render = (place.bpp, "render")
    plain = (*render, str(blueprint))
    accept = _resources(count)

    def with_map(output: bytes, errors: bytes) -> None:
        accept(output, errors)
        data = comparing.read(source_map.read_bytes())
        if not data:
            raise Differs("the source map is empty")

    programs = {
        PLAIN: Program(plain, place.warm, accept=accept),
        SOURCE_MAP: Program((*plain, "--source-map", str(source_map)), place.warm, accept=with_map),
    }
    for kind in shapes.MISTAKES:
        path, mistakes = shapes.failing(blueprint, kind)
        programs[kind] = Program((*render, str(path)), place.warm, status=1, accept=_told(mistakes))
    return Table(ELSE, programs, PLAIN, (f"{title_of(count)}, caches warm",))


def incremental(place: Place) -> Table:
    """A build with nearly nothing to do."""
    return Table(
        BUILDS,
        builds.programs(place.bpp, place.folder("build"), place.warm),
        builds.ALONE,
        (f"{builds.TARGETS} targets of ten resources each, caches warm",),
    )


def kargo(place: Place) -> Table:
    """Promotions of many Stages and of one, and the checks of many."""
    many = stages.write(STAGES, place.folder("stages"))
    one = stages.write(1, place.folder("stage"))

    def render(files: tuple[Path, Path], count: int) -> Program:
        def accept(output: bytes, _: bytes) -> None:
            comparing.must_be(output, stages.expected(count))

        command = (place.bpp, "render", str(files[0]), "--freight", str(files[1]))
        return Program(command, place.warm, accept=accept)

    return Table(
        KARGO,
        {
            FLOOR: Program((sys.executable, "-c", "pass")),
            RENDERED: render(many, STAGES),
            CHECKED: Program((place.bpp, "check", str(many[0])), place.warm, accept=_told(0)),
            ONE_STAGE: render(one, 1),
        },
        FLOOR,
        ("eight to eleven steps each, most of tasks that all share; caches warm",),
    )


def _resources(count: int) -> Accept:
    def accept(output: bytes, _: bytes) -> None:
        comparing.must_hold(output, workload.expected(count))

    return accept


def _must_hold(wanted: dict[str, object]) -> Accept:
    def accept(output: bytes, _: bytes) -> None:
        comparing.must_hold(output, wanted)

    return accept


def _told(mistakes: int) -> Accept:
    """Looks whether every mistake was told, up to the most that bpp tells of."""

    def accept(_: bytes, errors: bytes) -> None:
        told = sum(line.startswith(b"error[") for line in errors.splitlines())
        if told != min(mistakes, MOST_TOLD):
            raise Differs(f"{told} mistakes are told instead of {mistakes}")

    return accept


MOST_TOLD = 1_000
