"""Graphs of promotions: what needs what, in the pipeline and in a Stage."""

from __future__ import annotations

from typing import Any

from bpp.pipeline import Source, render
from bpp.pipeline.answers.graph.drawing import graph
from bpp.pipeline.answers.graph.model import Graph
from bpp.pipeline.dialects.kargo.options import PromotionOptions

MANIFESTS = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: test, namespace: demo}
spec:
  requestedFreight: [{origin: {kind: Warehouse, name: main}, sources: {direct: true}}]
  promotionTemplate:
    spec:
      vars: [{name: image, value: ghcr.io/example/app}, {name: pr, value: "${{ false }}"}]
      steps: [{task: {name: deploy}, as: deploy}]
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: prod, namespace: demo}
spec:
  requestedFreight: [{origin: {kind: Warehouse, name: main}, sources: {stages: [test, gone]}}]
  promotionTemplate:
    spec:
      steps:
        - {uses: fail, as: a, config: {message: "${{ ctx.stage }}"}}
        - {uses: fail, as: b, if: "${{ status('a') == 'Failed' }}", config: {message: x}}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: PromotionTask
metadata: {name: deploy, namespace: demo}
spec:
  vars: [{name: tag, value: "${{ quote(imageFrom(vars.image).Tag) }}"}]
  steps:
    - {uses: git-clear, as: clear, config: {path: ./out}}
    - {uses: compose-output, as: out, config: {path: "./${{ vars.tag }}"}}
    - {uses: git-clear, as: never, if: "${{ vars.pr }}", config: {path: ./out}}
    - {uses: git-clear, as: last, config: {path: "${{ task.outputs.out.path }}${{ vars.tag }}"}}
"""


def drawn(**options: Any) -> Graph:
    """The graph of the manifests."""
    source = Source("a.yaml", MANIFESTS, "yaml")
    return graph(render(source, dialect="kargo", options=PromotionOptions(**options)))


def edges_of(picture: Graph) -> list[str]:
    """The edges by the names of their ends; `-.->` is order, or Freight that is taken directly."""
    named = {node.id: node.name for node in picture.nodes}
    marks = {"reference": "-->", "dependsOn": "-.->"}
    return sorted(f"{named[e.source]} {marks[e.kind]} {named[e.target]}" for e in picture.edges)


def test_a_pipeline_has_warehouses_and_stages() -> None:
    picture = drawn().select()
    assert [f"{node.type} {node.name}" for node in picture.nodes] == [
        "Stage test",
        "Stage prod",
        "Warehouse main",
        "Stage gone",
    ]
    assert edges_of(picture) == ["prod --> gone", "prod --> test", "test -.-> main"]


def test_a_stage_has_its_steps_and_what_they_take() -> None:
    picture = drawn(stages=("test",))
    assert edges_of(picture.select()) == [
        "deploy::last --> deploy::out",
        "deploy::last --> imageFrom(vars.image)",
        "deploy::out --> imageFrom(vars.image)",
        "deploy::out -.-> deploy::clear",
    ]
    assert edges_of(picture.select(show=["variables"])) == [
        "deploy.tag --> image",
        "deploy.tag --> imageFrom(vars.image)",
        "deploy::last --> deploy.tag",
        "deploy::last --> deploy::out",
        "deploy::out --> deploy.tag",
        "deploy::out -.-> deploy::clear",
    ]


def test_several_stages_are_frames_and_undecided_steps_dashed() -> None:
    picture = drawn(stages=("test", "prod"))
    assert [one.id for one in picture.blueprints] == ["", "stages.test", "stages.prod"]
    assert [node.name for node in picture.nodes if node.conditional] == ["b"]
    assert edges_of(picture.select())[0] == "b --> a"
