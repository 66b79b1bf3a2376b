"""`python -m benchmarks.attacks.kills [--count N] [--signal NAME] [--only NAME] [--seed N]`.

Ends bpp at random moments while it writes, and looks at what is left: each output must have its old
bytes or its new ones, nothing else may lie beside it after the next whole run, and no process may
live on. Every second SIGINT goes to the whole group of processes, as a terminal does it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
BPP = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"
MARK = "BPP_ATTACK"
WHOLE_RUN_EVERY = 8

CHILD = """\
version: 2023-04-20
variables: {name: {type: string}}
resources: {queue: {type: a/b, spec: {name: "${variables.name}"}}}
exports: {name: {type: string, field: resources.queue.spec.name}}
"""
LOOP = """\
import sys
from bpp.pipeline.world.writing import write_atomically
path, *sizes = sys.argv[1:]
contents = [letter * 400_000 for letter in (b"a", b"b")]
print("ready", flush=True)
while True:
    for content in contents:
        write_atomically(path, content)
"""


def blueprint(variant: str, resources: int = 250) -> str:
    """A blueprint whose outputs differ with the variant, everywhere."""
    lines = [
        "version: 2023-04-20",
        f"variables: {{v: {{type: string, default: {variant * 8}}}}}",
        "include: {core: {path: child.yaml, variables: {name: '${variables.v}'}}}",
        "resources:",
        "  first: {type: a/b, spec: {}}",
    ]
    lines += [
        f"  {variant}{n}: {{type: a/b, spec: {{name: '{n}-${{variables.v}}', "
        f"needs: '${{resources.first.state.id}}'}}}}"
        for n in range(resources)
    ]
    return "\n".join([*lines, ""])


def configuration(targets: int) -> str:
    """Targets with an output, a rule and a map each."""
    numbers = ", ".join(map(str, range(targets)))
    return (
        '[targets.t]\nblueprint = "app.yaml"\noutput = "out/{n}.yaml"\ndepfile = "out/{n}.d"\n'
        f'source-map = "out/{{n}}.map"\nmatrix.n = [{numbers}]\n'
    )


@dataclass(frozen=True)
class Scene:
    """A command, and what its blueprint is like."""

    name: str
    arguments: tuple[str, ...]
    resources: int = 250
    remote: bool = False


SCENES = (
    Scene("render", ("render", "app.yaml", "-o", "out/o.yaml"), 600),
    Scene(
        "render, all outputs",
        (
            *("render", "app.yaml", "-o", "out/o.json", "--source-map", "out/map.json"),
            *("--depfile", "out/o.d", "--dump-stages", "out/dumps"),
        ),
    ),
    Scene("render --split", ("render", "app.yaml", "--split", "out")),
    Scene("graph", ("graph", "app.yaml", "-o", "out/g.dot")),
    Scene("lock", ("lock", "app.yaml", "-o", "out/bpp.lock"), 20, remote=True),
    Scene("build", ("build", "--jobs", "2"), 30),
    Scene("library", ()),
)


@dataclass
class Tally:
    """What was found after the kills of a scene."""

    statuses: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def line(self, name: str, sent: str) -> str:
        """The figures as one line of the table."""
        statuses = ", ".join(f"{status} x{n}" for status, n in sorted(self.statuses.items()))
        kinds = ("old", "new", "mixed", "stray", "stray later", "tracebacks", "processes left")
        found = "  ".join(f"{self.files[kind]} {kind}" for kind in kinds)
        return f"{name:20} {sent:5} {found}  ({statuses})"


class Attack:
    """A folder in which one scene is played again and again."""

    def __init__(self, scene: Scene, folder: Path, seed: int, around: Mapping[str, str]) -> None:
        self.scene = scene
        self.folder = folder
        self.chance = random.Random(seed)
        self.around = {**os.environ, MARK: str(folder), **around}
        self.around["BPP_CACHE_DIR"] = str(folder / "cache")
        (folder / "out").mkdir(parents=True)
        (folder / "child.yaml").write_text(CHILD)
        (folder / "bpp.toml").write_text(configuration(10))
        self.whole: dict[str, dict[str, bytes]] = {}
        self.seconds = 0.2
        for variant in "ab":
            self.seconds = self._whole_run(variant)
            self.whole[variant] = self.found()
        self.seconds = min(self.seconds, self._whole_run("a"), self._whole_run("b"))
        self.before = self.found()

    def found(self) -> dict[str, bytes]:
        """What is in the folder of outputs, by path."""
        out = self.folder / "out"
        return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def command(self) -> Sequence[str]:
        """What is run."""
        if self.scene.arguments:
            more = ("--allow-net", self.around["HOST"]) if self.scene.remote else ()
            return (BPP, *self.scene.arguments, *more)
        return (sys.executable, "-c", LOOP, str(self.folder / "out" / "loop"))

    def _write_blueprint(self, variant: str) -> None:
        text = blueprint(variant, self.scene.resources)
        if self.scene.remote:
            host = self.around["HOST"]
            text = text.replace(
                "path: child.yaml",
                f"path: {variant}.yaml, metadata: {{sourceType: https, host: '{host}'}}",
            )
        (self.folder / "app.yaml").write_text(text)

    def _whole_run(self, variant: str) -> float:
        self._write_blueprint(variant)
        start = time.perf_counter()
        if self.scene.arguments:
            done = subprocess.run(
                self.command(), cwd=self.folder, env=self.around, capture_output=True, check=False
            )
            assert done.returncode == 0, done.stderr
        else:
            from bpp.pipeline.world.writing import write_atomically

            write_atomically(str(self.folder / "out" / "loop"), variant.encode() * 400_000)
        return time.perf_counter() - start

    def kill(self, number: signal.Signals, tally: Tally, round_: int) -> None:
        """Ends one run, and looks."""
        # the one that is not there, so that there is something to write
        variant = "b" if self.before == self.whole["a"] else "a"
        self._write_blueprint(variant)
        if self.chance.random() < 0.5:
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
        process = subprocess.Popen(
            self.command(),
            cwd=self.folder,
            env=self.around,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        group = number == signal.SIGINT and round_ % 4 < 2
        self._wait(process)
        if process.poll() is None:
            (os.killpg if group else os.kill)(process.pid, number)
        _, said = process.communicate(timeout=60)
        tally.statuses[str(process.returncode)] += 1
        # Python says so itself when it is stopped before it has come to bpp
        if b"Traceback" in said and b"entry.py" in said and self.scene.arguments:
            tally.files["tracebacks"] += 1
            tally.wrong.append(said.decode(errors="replace")[-600:])
        if not _all_gone(str(self.folder)):
            tally.files["processes left"] += 1
        self._compare(tally, variant)
        # many get as far as to write, also when the machine has more to do than before
        late = process.returncode == 0 or self.found() != self.before
        self.seconds *= 0.85 if late else 1.1
        if (round_ + 1) % WHOLE_RUN_EVERY == 0:
            self._whole_run(variant)
            now = self.found()
            tally.files["stray later"] += len(now.keys() - self.whole[variant].keys())
            if any(now.get(name) != data for name, data in self.whole[variant].items()):
                tally.wrong.append(f"{self.scene.name}: a whole run leaves something else")
            for name in now.keys() - self.whole[variant].keys():
                (self.folder / "out" / name).unlink()
        self.before = self.found()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        if self.scene.arguments:
            # mostly after the start, which writes nothing
            first = 0.0 if self.chance.random() < 0.2 else 0.4
            time.sleep(self.chance.uniform(first, 1.1) * self.seconds)
        else:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(self.chance.uniform(0, 0.03))

    def _compare(self, tally: Tally, variant: str) -> None:
        now = self.found()
        news = [self.whole[variant]] if self.scene.arguments else [*self.whole.values()]
        for name, data in now.items():
            if any(name.endswith(known) and ".tmp" not in name for known in self.whole[variant]):
                if data == self.before.get(name):
                    tally.files["old"] += 1
                elif any(data == new.get(name) for new in news):
                    tally.files["new"] += 1
                else:
                    tally.files["mixed"] += 1
                    tally.wrong.append(f"{self.scene.name}: {name} is neither old nor new")
            elif name not in self.before:
                tally.files["stray"] += 1
        for name in self.before.keys() & self.whole[variant].keys() - now.keys():
            tally.files["mixed"] += 1
            tally.wrong.append(f"{self.scene.name}: {name} is lost")


def _all_gone(mark: str, seconds: float = 10) -> bool:
    """Whether all processes with a mark in their environment end in time."""
    if not os.path.isdir("/proc"):
        return True
    end = time.monotonic() + seconds
    wanted = f"{MARK}={mark}\0".encode()
    while any(_environment(pid).find(wanted) >= 0 for pid in os.listdir("/proc") if pid.isdigit()):
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def _environment(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "environ").read_bytes()
    except OSError:
        return b""


@contextmanager
def surroundings(folder: Path, remote: bool) -> Iterator[dict[str, str]]:
    """The variables that commands get; with a server for those that fetch."""
    if not remote:
        yield {}
        return
    sys.path.insert(0, str(TESTS))
    from support.web_server import web_server

    (folder / "web").mkdir()
    with web_server(folder / "web") as (server, certificate):
        server.files |= {f"/{v}.yaml": CHILD.replace("queue", f"q{v}") for v in "ab"}
        yield {"SSL_CERT_FILE": str(certificate), "HOST": server.host}


def play(scene: Scene, number: signal.Signals, count: int, seed: int) -> Tally:
    """Kills a scene's command a number of times."""
    tally = Tally()
    # a shell's background job ignores SIGINT, and so would what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with surroundings(folder, scene.remote) as around:
            attack = Attack(scene, folder / "play", seed, around)
            for round_ in range(3 * count):
                attack.kill(number, tally, round_)
                # those that came too late are none
                if tally.statuses.total() - tally.statuses["0"] >= count:
                    break
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each scene and signal; 1 when something was found that must not be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks.kills")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--signal", choices=("KILL", "TERM", "INT"), action="append")
    parser.add_argument("--only", choices=[scene.name for scene in SCENES], action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    scenes = [scene for scene in SCENES if scene.name in (options.only or [scene.name])]
    failed = False
    for name in options.signal or ("KILL", "TERM", "INT"):
        number = signal.Signals[f"SIG{name}"]
        # what is killed without notice is tried more often than what is told
        count = options.count if name == "KILL" else max(options.count // 5, 1)
        total = Tally()
        for scene in scenes:
            tally = play(scene, number, -(-count // len(scenes)), options.seed)
            print(tally.line(scene.name, name), flush=True)
            total.statuses += tally.statuses
            total.files += tally.files
            total.wrong += tally.wrong
        print(total.line("all", name), flush=True)
        for text in total.wrong[:5]:
            print(f"  {text}")
        bad = total.files["mixed"] + total.files["stray later"] + total.files["processes left"]
        failed |= bool(bad or (name != "KILL" and total.files["stray"]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
