"""`python -m benchmarks.templates [--count N]`: Kargo's templates, here and by its own engine.

N templates of twelve usual shapes, each with a number of its own, are the config of a Stage, which
is rendered in this process. The same templates go to a program in Go, which compiles and runs each
with expr-lang, as Kargo does. Values must be equal; the figures are the least CPU times, those of
the Stage without what it takes to render it with plain strings in place of the templates. Go is
left out where it is missing, or the module, which is not fetched.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from bpp.pipeline import Run, render
from bpp.pipeline.dialects.kargo.options import PromotionOptions
from bpp.pipeline.values.source import Source

from . import comparing

ENGINE = Path(__file__).parent / "drivers" / "expr_go"
A_STEP = 40
"""Templates in the config of one step."""
GIT, IMAGE = "https://git.example.com/lamps/config.git", "registry.example.com/lamps/api"
SHAPES = (
    "vars.gitRepo",
    "'stage/' + ctx.stage + '-{n}'",
    "outputs['update-{n}']?.commitMessage ?? 'none'",
    f"quote(imageFrom('{IMAGE}').Tag)",
    "semverDiff('1.{n}.0', outputs.read.version) == 'Major'",
    "ctx.targetFreight.name[:7] + '-{n}'",
    "vars.apps | filter(.enabled) | map(.name + '-{n}') | join(',')",
    "vars.count > {n} ? 'big' : 'small'",
    "vars.region in ['us', 'eu', 'x{n}']",
    "success() && vars.tag matches '^v[0-9]+\\\\.{n}'",
    "let n = len(vars.apps); n * {n} + 2",
    f"commitFrom('{GIT}').ID",
)
APPS = [{"name": name, "enabled": name != "web"} for name in ("api", "web", "mail")]
VARIABLES = {"gitRepo": GIT, "apps": APPS, "count": 500, "region": "eu", "tag": "v1.4.2"}
COMMIT = {"repoURL": GIT, "id": "c0ffee5a4888ac3903adafd5c2e2eeb25e020fc5"}
TAGGED = {"repoURL": IMAGE, "tag": "1.4.2"}
FREIGHT = {
    "apiVersion": "kargo.akuity.io/v1alpha1",
    "kind": "Freight",
    "metadata": {"namespace": "lamps", "name": "f7a90d1c8d7332dbfd8f26af408d863e877368c0"},
    "origin": {"kind": "Warehouse", "name": "lamps"},
    "commits": [COMMIT],
    "images": [TAGGED],
}
STATE = {
    "status": {"*": "Succeeded"},
    "stages": {"test": {"outputs": {"read": {"version": "2.3.1"}}}},
}
HEAD = f"""\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {{name: lamps, namespace: lamps}}
spec:
  subscriptions:
    - git: {{repoURL: {GIT}}}
    - image: {{repoURL: {IMAGE}}}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {{name: test, namespace: lamps}}
spec:
  requestedFreight:
    - origin: {{kind: Warehouse, name: lamps}}
      sources: {{direct: true}}
  promotionTemplate:
    spec:
      steps:
        - uses: yaml-parse
          as: read
          config:
            path: ./version.yaml
            outputs:
              - name: version
                fromExpression: version
"""


def templates(count: int) -> list[str]:
    """Templates of all shapes in turn."""
    texts = []
    for number in range(count):
        code = SHAPES[number % len(SHAPES)].replace("{n}", str(number // len(SHAPES)))
        texts.append(f"${{{{ {code} }}}}")
    return texts


def stage(texts: list[str]) -> Source:
    """A Stage with strings as the config of its steps."""
    lines = [HEAD]
    for number, text in enumerate(texts):
        if number % A_STEP == 0:
            lines.append("        - uses: compose-output\n          config:\n")
        lines.append(f"            f{number}: {json.dumps(text)}\n")
    return Source("stage.yaml", "".join(lines), "yaml")


def rendered(source: Source) -> tuple[Run, float]:
    """A run over a Stage, and its CPU seconds."""
    options = PromotionOptions(
        freight=(FREIGHT,),
        state=STATE,
        variables=VARIABLES,
        undefined="nil",
        world="closed",
        scan=False,
    )
    gc.collect()
    gc.disable()  # as the command does
    start = process_time()
    run = render(source, dialect="kargo", options=options)
    seconds = process_time() - start
    gc.enable()
    run.raise_for_errors()
    return run, seconds


def values(run: Run) -> list[Any]:
    """What the templates of a Stage became."""
    found = {}
    (promotion,) = run.data
    for step in promotion["spec"]["steps"]:
        if step["uses"] == "compose-output":
            found.update(step["config"])
    return [found[f"f{number}"] for number in range(len(found))]


def by_engine(texts: list[str], rounds: int) -> tuple[list[Any], float] | str:
    """The values that the engine gives and its least CPU seconds, or why it cannot be asked."""
    if shutil.which("go") is None:
        return "Go is not installed"
    known = {
        "templates": texts,
        "env": {
            "ctx": {"stage": "test", "targetFreight": {"name": FREIGHT["metadata"]["name"]}},  # type: ignore[index]
            "vars": VARIABLES,
            "outputs": STATE["stages"]["test"]["outputs"],  # type: ignore[index]
        },
        "images": {IMAGE: TAGGED},
        "commits": {GIT: COMMIT},
        "statuses": {"read": "Succeeded"},
    }
    with TemporaryDirectory() as folder:
        program, given = Path(folder) / "engine", Path(folder) / "templates.json"
        built = subprocess.run(
            ["go", "build", "-o", str(program), "."],
            cwd=ENGINE,
            env={**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off"},
            capture_output=True,
            text=True,
        )
        if built.returncode:
            return f"the program is not built: {built.stderr.strip().splitlines()[-1]}"
        given.write_text(json.dumps(known), "utf-8")
        answers = []
        for _ in range(rounds):
            # the engine's threads collect its garbage; one core is what bpp has
            env = {**os.environ, "GOMAXPROCS": "1"}
            done = subprocess.run([program, given], env=env, capture_output=True, check=True)
            answers.append(json.loads(done.stdout))
    return answers[0]["values"], min(answer["seconds"] for answer in answers)


def main(arguments: list[str] | None = None) -> int:
    """Prints the figures; 1 when a value is not the engine's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.templates", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    texts = templates(options.count)
    plain = stage([text.replace("${{", "{{") for text in texts])
    least = {"templates": float("inf"), "strings": float("inf")}
    for _ in range(options.rounds):
        run, seconds = rendered(stage(texts))
        least["templates"] = min(least["templates"], seconds)
        least["strings"] = min(least["strings"], rendered(plain)[1])
    mine = least["templates"] - least["strings"]
    print(f"bpp: {mine * 1e3:.0f} ms; the whole Stage {least['templates'] * 1e3:.0f} ms")
    answer = by_engine(texts, options.rounds)
    if isinstance(answer, str):
        print(f"expr-lang: skipped, {answer}")
        return 0
    wanted, seconds = answer
    print(f"expr-lang: {seconds * 1e3:.0f} ms")
    print(f"ratio: {mine / seconds:.2f}, at most 1 {'met' if mine <= seconds else 'not met'}")
    for text, found, value in zip(texts, values(run), wanted, strict=True):
        difference = comparing.first_difference(_float(found), _float(value), text)
        if difference is not None:
            print(f"differs: {difference}")
            return 1
    return 0


def _float(value: Any) -> Any:
    """A number as a float: the engine's config is JSON, in which kinds of numbers are one."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


if __name__ == "__main__":
    sys.exit(main())
