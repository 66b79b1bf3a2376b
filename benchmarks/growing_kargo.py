"""Kargo manifests of any size, ordinary and hostile, for `benchmarks.growth`.

Each function makes the files of a project of about so many bytes; the main one is `stages.yaml`.
Whether the manifests are valid does not matter: some answer must come, in a time that grows as the
files do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .growing_garden import _filled

MAIN: Final = "stages.yaml"
API: Final = (
    "apiVersion: kargo.akuity.io/v1alpha1\nkind: {}\nmetadata: {{name: {}, namespace: n}}\n"
)
WAREHOUSE: Final = (
    API.format("Warehouse", "w") + "spec: {subscriptions: [{image: {repoURL: r/a}}]}\n"
)
_TASK: Final = API.format("PromotionTask", "t") + (
    "spec:\n  vars: [{name: image, value: r/a}, {name: own}]\n  steps:\n"
    "    - {uses: git-clone, as: c, config: {repoURL: '${{ vars.image }}', checkout: []}}\n"
    "    - {uses: git-commit, config: {path: '${{ vars.own }}', message: m}}\n"
)
_STAGE: Final = API.format("Stage", "#") + (
    "spec:\n"
    "  requestedFreight: [{origin: {kind: Warehouse, name: w}, sources: {direct: true}}]\n"
    "  promotionTemplate:\n    spec:\n"
)
STEPS: Final = "      steps:\n"
ONE: Final = f"{WAREHOUSE}---\n{_TASK}---\n{_STAGE}".replace("#", "s")
STEPPED: Final = ONE + STEPS
NOTHING: Final = f"{STEPPED}        - {{uses: fail}}\n"
_COMPOSE: Final = f"{STEPPED}        - uses: compose-output\n          config:\n"
_STEP: Final = "        - {uses: compose-output, as: a#, config: {k: %}}\n"
_CONFIG_MAP: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: n}\ndata:\n"

Files = dict[str, str]
MakeProject = Callable[[int], Files]
"""Makes the files of a project by name."""


def _in(before: str, piece: str, after: str = "") -> MakeProject:
    """One file: a text with a number in the place of `#`, again and again."""
    return lambda size: {MAIN: _filled(size, piece, before, after)}


def _steps(template: str) -> MakeProject:
    """Steps of one Stage, each with a template."""
    return _in(STEPPED, _STEP.replace("%", f"'${{{{ {template} }}}}'"))


def _stages(piece: str) -> MakeProject:
    """Stages, each with a step."""
    return _in(f"{WAREHOUSE}---\n{_TASK}", f"---\n{_STAGE}{STEPS}        - {piece}\n")


def _freight(size: int) -> Files:
    """A Freight of many images, in a file beside the Stage."""
    head = API.format("Freight", "f") + "origin: {kind: Warehouse, name: w}\nimages:\n"
    step = _STEP.replace("#", "0").replace("%", "\"${{ imageFrom('r/a').Tag }}\"")
    images = _filled(size, "  - {repoURL: r/a#, tag: v#}\n", head)
    return {MAIN: STEPPED + step, "freight.yaml": images}


PROJECTS: Final[dict[str, MakeProject]] = {
    "stages": _stages("{task: {name: t}, as: t, vars: [{name: own, value: 'x#'}]}"),
    "steps": _steps("ctx.stage + string(#)"),
    "steps that ask the one before": _in(
        STEPPED, _STEP.replace("%", "'${{ outputs.a#?.k ?? 1 }}'")
    ),
    "steps with a condition": _in(
        STEPPED, "        - {uses: fail, if: \"${{ vars.v# == 'x' && success() }}\"}\n"
    ),
    "uses of a task": _in(
        STEPPED, "        - {task: {name: t}, as: t#, vars: [{name: own, value: x}]}\n"
    ),
    "tasks": _in(NOTHING, f"---\n{_TASK}".replace("name: t,", "name: t#,")),
    "variables": _in(
        f"{ONE}      vars:\n        - {{name: v, value: x}}\n",
        "        - {name: v#, value: '${{ vars.v }}#'}\n",
        "      steps: [{uses: fail, if: '${{ always() }}'}]\n",
    ),
    "images of a Freight": _freight,
    "Warehouses": _in(f"{NOTHING}---\n", f"---\n{WAREHOUSE}".replace("name: w,", "name: w#,")),
    "keys of a ConfigMap": _in(
        f"{NOTHING}---\n{_CONFIG_MAP}",
        '  k#: "${{ 1 }}"\n',
    ),
    "long texts": _in(
        _COMPOSE,
        "            k#: 'a ${{ ctx.stage }} b ${{ quote(1) }} ${% upper(ctx.stage) %} c'\n",
    ),
    "openers": _in(f"{_COMPOSE}            k: '", "${{ ", "'\n"),
    "unknown names": _steps("vars.v# + outputs.b#.k"),
    "unknown steps": _in(STEPPED, "        - {uses: git-clon#, config: {a: 1}}\n"),
    "equal aliases": _in(STEPPED, "        - {uses: fail, as: a}\n"),
    "wrong types": _steps('1 + "a#"'),
    "bare expressions": _in(
        STEPPED,
        "        - {uses: http, config: {url: u, successExpression: 'response.x# > 1'}}\n",
    ),
}
