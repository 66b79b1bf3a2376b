"""The programs that bpp is compared with: what PyPI has for the same work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import attrs

from . import peer_programs, workload

DRIVERS = Path(__file__).parent / "drivers"


@attrs.frozen
class Peer:
    """A program by name, the distributions it needs, and how it is given the workload."""

    name: str
    distributions: tuple[str, ...]
    driver: str
    file: str
    program: Callable[[int], str]

    def missing(self) -> str | None:
        """Why it cannot run here; None when it can."""
        for distribution in self.distributions:
            try:
                version(distribution)
            except PackageNotFoundError:
                return f"{distribution} is not installed"
        if "PyYAML" in self.distributions and find_spec("yaml._yaml") is None:
            return "PyYAML has no C loader here"
        return None

    def versions(self) -> str:
        """What is installed: `Jinja2 3.1.6, PyYAML 6.0.3`."""
        return ", ".join(f"{name} {version(name)}" for name in self.distributions)

    def command(self, folder: Path) -> tuple[str, ...]:
        """What runs it on the workload in a folder."""
        return (sys.executable, str(DRIVERS / self.driver), str(folder / self.file))


PEERS = (
    Peer("rjsonnet", ("rjsonnet",), "rjsonnet_driver.py", "main.jsonnet", workload.jsonnet),
    Peer("gojsonnet", ("gojsonnet",), "gojsonnet_driver.py", "main.jsonnet", workload.jsonnet),
    Peer("kcl-lib", ("kcl-lib",), "kcl_driver.py", "main.k", peer_programs.kcl),
    Peer("jinja2", ("Jinja2", "PyYAML"), "jinja_driver.py", "main.yaml.j2", peer_programs.jinja),
    Peer("OmegaConf", ("omegaconf",), "omegaconf_driver.py", "omega.yaml", peer_programs.omegaconf),
)


def write(count: int, folder: Path) -> None:
    """Writes the workload as a blueprint and as the program of every peer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "blueprint.yaml").write_text(workload.blueprint(count), "utf-8")
    for peer in PEERS:
        (folder / peer.file).write_text(peer.program(count), "utf-8")
