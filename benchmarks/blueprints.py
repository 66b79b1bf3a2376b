"""`python -m benchmarks.blueprints [N ..]`: a blueprint of N deploy items, by bpp and in Go.

The items come from a list by one template with ranges, conditions, maps that are merged, JSON, YAML
and lookups in a component descriptor. A program in Go does the same with text/template, sprig and
sigs.k8s.io/yaml. What both write must be equal; the figures are CPU times of whole processes, the
medians of runs by turns, with `python -c pass` (P) among them. Go is left out where it is missing,
or the modules, which are not fetched. Exit status 1 when an output differs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import comparing
from .measuring import Figures, Program, measure

ENGINE = Path(__file__).parent / "drivers" / "gotemplate_go"
AIMS = {1_000: 2.0, 10_000: 1.5}
"""The most that a blueprint may take, in terms of the program in Go."""
BLUEPRINT = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
- {name: cluster, type: target, targetType: kubernetes-cluster}
- {name: zone, type: data, schema: {type: string}}
- name: workers
  type: data
  schema: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}
deployExecutions:
- {name: workers, type: GoTemplate, file: deploy.tmpl}
"""
TEMPLATE = """\
{{- $worker := getResource .cd "name" "worker" }}
{{- $usual := dict "memory" "256Mi" "threads" 4 "queue" "default" }}
deployItems:
{{- range $number, $one := .imports.workers }}
{{- $options := mergeOverwrite (deepCopy $usual) (default dict $one.options) }}
- name: {{ printf "worker-%04d" $number }}
  type: landscaper.gardener.cloud/kubernetes-manifest
  target:
    import: cluster
  {{- with $one.needs }}
  dependsOn:
    {{- range . }}
    - {{ printf "worker-%04d" (int .) }}
    {{- end }}
  {{- end }}
  config:
    apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
    kind: ProviderConfiguration
    {{- $image := $worker.access.imageReference }}
    image: {{ ociRefRepo $image }}@{{ ociRefVersion $image }}
    title: {{ $one.name | upper | trunc 24 | quote }}
    address: {{ printf "%s.%s" (lower $one.name) $.imports.zone }}
    weight: {{ add (int $one.weight) 1 }}
    {{- if and $one.public (gt $one.weight 2.0) }}
    ingress: {{ ternary "wide" "narrow" (eq $one.kind "web") }}
    {{- else }}
    ingress: none
    {{- end }}
    queue: {{ index $options "queue" }}
    labels:
      {{- toYaml $one.labels | nindent 6 }}
    options: {{ toJson $options }}
{{- end }}
"""
IMAGE = "registry.example.com/lamps/worker:2.4.1"


def inputs(count: int) -> dict[str, Any]:
    """The imports of a blueprint of so many deploy items."""
    workers: list[dict[str, Any]] = []
    for number in range(count):
        one: dict[str, Any] = {
            "name": f"Worker of team {number % 37}",
            "kind": "web" if number % 3 else "batch",
            "public": number % 2 == 0,
            "weight": number % 7,
            "needs": [number - 1] if number % 5 == 4 else [],
            "labels": {"team": f"t{number % 37}", "app": "lamps", "n": str(number)},
        }
        if number % 4:
            one["options"] = {"threads": number % 9 + 1, "tags": ["a", f"b{number % 11}"]}
        workers.append(one)
    target = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Target",
        "metadata": {"name": "cluster", "namespace": "default"},
        "spec": {"type": "landscaper.gardener.cloud/kubernetes-cluster", "config": {}},
    }
    return {"imports": {"cluster": target, "zone": "lamps.example.com", "workers": workers}}


def descriptor() -> dict[str, Any]:
    """The component descriptor."""
    access = {"type": "ociRegistry", "imageReference": IMAGE}
    worker = {"name": "worker", "type": "ociImage", "version": "2.4.1", "relation": "external"}
    component = {
        "name": "example.com/lamps",
        "version": "1.0.0",
        "provider": "internal",
        "repositoryContexts": [],
        "sources": [],
        "componentReferences": [],
        "resources": [{**worker, "access": access}],
    }
    return {"meta": {"schemaVersion": "v2"}, "component": component}


def write(count: int, folder: Path) -> None:
    """The files of a workload."""
    (folder / "blueprint").mkdir(parents=True)
    for name, text in (
        ("blueprint/blueprint.yaml", BLUEPRINT),
        ("blueprint/deploy.tmpl", TEMPLATE),
        ("imports.json", json.dumps(inputs(count))),
        ("component-descriptor.json", json.dumps(descriptor())),
    ):
        (folder / name).write_text(text, "utf-8")


def engine(folder: Path) -> Path | str:
    """The program in Go, or why there is none."""
    if shutil.which("go") is None:
        return "Go is not installed"
    program = folder / "engine"
    built = subprocess.run(
        ["go", "build", "-o", str(program), "."],
        cwd=ENGINE,
        env={**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off"},
        capture_output=True,
        text=True,
    )
    if built.returncode:
        return f"the program is not built: {built.stderr.strip().splitlines()[-1]}"
    return program


def items(output: bytes) -> list[Any]:
    """The deploy items of an output, without what only bpp adds."""
    made: list[Any] = json.loads(output)["deployItems"]
    for one in made:
        one["target"] = {"import": "cluster"}
    return made


def command(folder: Path, *more: str) -> tuple[str, ...]:
    """A render of a workload."""
    files = ("--imports", "imports.json", "--component-descriptor", "component-descriptor.json")
    paths = [one if one[0] == "-" else str(folder / one) for one in files]
    bpp = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"
    return bpp, "render", str(folder / "blueprint"), *paths, *more


def difference(folder: Path, program: Path) -> str | None:
    """Where the outputs of both differ first, or None."""
    own = subprocess.run(command(folder, "--format", "json"), capture_output=True, check=True)
    other = subprocess.run([program, "-json", folder], capture_output=True, check=True)
    return comparing.first_difference(items(own.stdout), items(other.stdout), "deployItems")


def main(arguments: list[str] | None = None) -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blueprints", description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=[10, 1_000, 10_000], metavar="N")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    differs = False
    with TemporaryDirectory() as made:
        program = engine(Path(made))
        if isinstance(program, str):
            print(f"Go: skipped, {program}")
        for count in options.counts:
            folder = Path(made) / str(count)
            write(count, folder)
            programs = {"bpp": Program(command(folder)), "P": Program((sys.executable, "-c", ""))}
            if isinstance(program, Path):
                programs["Go"] = Program((str(program), str(folder)))
                where = difference(folder, program)
                differs = differs or where is not None
                print(f"N = {count}: {where or 'equal outputs'}")
            print("\n".join(_lines(count, measure(programs, folder, options.runs, 300))))
    return int(differs)


def _lines(count: int, found: dict[str, Figures]) -> list[str]:
    lines = [
        f"N = {count}: {name} {one.failure or f'{one.cpu:.3f} s, {one.peak / 2**20:.0f} MiB'}"
        for name, one in found.items()
    ]
    bpp, least, go = found["bpp"], found["P"], found.get("Go")
    if not bpp.failure:
        lines.append(f"N = {count}: bpp takes {bpp.cpu / least.cpu:.1f} P")
    if go is not None and not (go.failure or bpp.failure):
        aim = AIMS.get(count)
        ratio = bpp.cpu / go.cpu
        told = f", at most {aim:g}: {'met' if ratio <= aim else 'not met'}" if aim else ""
        lines.append(f"N = {count}: bpp / Go {ratio:.2f}{told}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
