"""A Kargo project of N Stages that share two tasks, and the promotions that they become.

Each Stage has ten steps or so: eight of a task that delivers, some with an `if`, two of one that
announces, and one of its own. Every third Stage opens pull requests. What steps put out is not
known, so templates are left.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

GIT, IMAGE = "https://git.example.com/lamps/config.git", "registry.example.com/lamps/api"
COMMIT, TAG = "c0ffee5a4888ac3903adafd5c2e2eeb25e020fc5", "1.10"
DIGEST = "sha256:5d7b50e27c48e69f3ea8ec9e4285c68531d8034240e1cd24b5bf3b628d25aa50"
FREIGHT = "f7a90d1c8d7332dbfd8f26af408d863e877368c0"
HEAD = "apiVersion: kargo.akuity.io/v1alpha1\nkind: {}\nmetadata: {{name: {}, namespace: lamps}}\n"
FILES = {
    "warehouse.yaml": HEAD.format("Warehouse", "lamps")
    + f"""\
spec:
  subscriptions:
    - git: {{repoURL: {GIT}, branch: main}}
    - image: {{repoURL: {IMAGE}, strictSemvers: false}}
""",
    "tasks.yaml": HEAD.format("PromotionTask", "deliver")
    + """\
spec:
  vars:
    - name: repoURL
      value: https://git.example.com/lamps/config.git
    - name: image
      value: registry.example.com/lamps/api
    - name: branch
      value: main
    - name: review
  steps:
    - uses: git-clone
      config:
        repoURL: ${{ vars.repoURL }}
        checkout:
          - commit: ${{ commitFrom(vars.repoURL).ID }}
            path: ./source
          - branch: ${{ vars.branch }}
            path: ./config
    - uses: yaml-update
      as: update
      config:
        path: ./config/${{ vars.region }}/${{ ctx.stage }}.yaml
        updates:
          - key: image.tag
            value: ${{ quote(imageFrom(vars.image).Tag) }}
          - key: image.digest
            value: ${{ imageFrom(vars.image).Digest }}
          - key: replicas
            value: '${{ vars.replicas > 4 ? 4 : vars.replicas }}'
          - key: freight
            value: freight-${{ ctx.targetFreight.name[:7] }}
    - uses: helm-template
      config:
        path: ./source/chart
        outPath: ./config/rendered/${{ ctx.stage }}.yaml
        releaseName: ${{ ctx.project }}-${{ ctx.stage }}
        valuesFiles:
          - ./config/${{ vars.region }}/${{ ctx.stage }}.yaml
    - uses: git-commit
      as: commit
      config:
        path: ./config
        message: "${{ ctx.stage }}: ${{ task.outputs.update.commitMessage }}"
    - uses: git-push
      as: push
      config:
        path: ./config
        generateTargetBranch: ${{ vars.review }}
    - uses: git-open-pr
      as: open
      if: ${{ vars.review && status('commit') != 'Skipped' }}
      config:
        repoURL: ${{ vars.repoURL }}
        sourceBranch: ${{ task.outputs.push.branch }}
        targetBranch: ${{ vars.branch }}
        title: Deliver ${{ imageFrom(vars.image).Tag }} to ${{ upper(vars.region) }}
    - uses: git-wait-for-pr
      as: merged
      if: ${{ vars.review && status('commit') != 'Skipped' }}
      config:
        repoURL: ${{ vars.repoURL }}
        prNumber: ${{ task.outputs.open.pr.id }}
    - uses: argocd-update
      vars:
        - name: last
          value: "${{ vars.review ? 'merged' : 'push' }}"
      config:
        apps:
          - name: lamps-${{ ctx.stage }}
            sources:
              - repoURL: ${{ vars.repoURL }}
                desiredRevision: ${{ task.outputs[vars.last].commit }}
---
"""
    + HEAD.format("PromotionTask", "announce")
    + """\
spec:
  vars:
    - name: room
  steps:
    - uses: http
      as: post
      config:
        method: POST
        url: https://chat.example.com/rooms/${{ vars.room }}
        headers:
          - name: Content-Type
            value: application/json
        body: '${{ quote({text: "lamps in " + ctx.stage, room: vars.room}) }}'
        successExpression: response.status == 200
        outputs:
          - name: id
            fromExpression: response.body.id
    - uses: compose-output
      as: said
      config:
        message: ${{ quote(task.outputs.post.id) }}
""",
}
STAGE = """\
spec:
  vars:
    - name: region
      value: {region}
  requestedFreight:
    - origin: {{kind: Warehouse, name: lamps}}
      sources: {sources}
  promotionTemplate:
    spec:
      vars:
        - name: review
          value: ${{{{ {review} }}}}
        - name: replicas
          value: ${{{{ {replicas} }}}}
      steps:
        - task: {{name: deliver}}
          as: deliver
        - uses: json-update
          as: record
          config:
            path: ./config/record.json
            updates:
              - key: ${{{{ ctx.stage }}}}.tag
                value: ${{{{ quote(imageFrom('{image}').Tag) }}}}
        - task: {{name: announce}}
          as: announce
          vars:
            - name: room
              value: lamps-{region}
"""
MANIFEST = f"""\
apiVersion: kargo.akuity.io/v1alpha1
kind: Freight
metadata: {{name: {FREIGHT}, namespace: lamps}}
origin: {{kind: Warehouse, name: lamps}}
commits:
  - repoURL: {GIT}
    id: {COMMIT}
images:
  - repoURL: {IMAGE}
    tag: "{TAG}"
    digest: {DIGEST}
"""
REGIONS = ("north", "south", "east", "west")


def facts(number: int) -> dict[str, Any]:
    """The parameters of the n-th Stage."""
    return {
        "name": f"stage-{number:03d}",
        "region": REGIONS[number % len(REGIONS)],
        "review": number % 3 == 0,
        "replicas": 1 + number % 6,
    }


def write(count: int, folder: Path) -> tuple[Path, Path]:
    """Writes the project and its Freight; the paths of the Stages and of the Freight."""
    project = folder / "kargo"
    project.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (project / name).write_text(text, "utf-8")
    stages = []
    for number in range(count):
        one = facts(number)
        before = f"{{stages: [{facts(number - 4)['name']}]}}" if number >= 4 else "{direct: true}"
        spec = STAGE.format(
            region=one["region"],
            sources=before,
            review=str(one["review"]).lower(),
            replicas=one["replicas"],
            image=IMAGE,
        )
        stages.append(HEAD.format("Stage", one["name"]) + spec)
    (project / "stages.yaml").write_text("---\n".join(stages), "utf-8")
    (folder / "freight.yaml").write_text(MANIFEST, "utf-8")
    return project / "stages.yaml", folder / "freight.yaml"


def expected(count: int) -> list[dict[str, Any]]:
    """The promotions of the Stages."""
    return [
        {
            "apiVersion": "kargo.akuity.io/v1alpha1",
            "kind": "Promotion",
            "metadata": {"namespace": "lamps"},
            "spec": {"stage": one["name"], "freight": FREIGHT, "steps": _steps(one)},
        }
        for one in map(facts, range(count))
    ]


def _steps(one: dict[str, Any]) -> list[dict[str, Any]]:
    stage, region, review = one["name"], one["region"], one["review"]
    values = f"./config/{region}/{stage}.yaml"
    delivered = "merged" if review else "push"
    steps = [
        {
            "uses": "git-clone",
            "as": "deliver::step-1",
            "config": {
                "repoURL": GIT,
                "checkout": [
                    {"commit": COMMIT, "path": "./source"},
                    {"branch": "main", "path": "./config"},
                ],
            },
        },
        {
            "uses": "yaml-update",
            "as": "deliver::update",
            "config": {
                "path": values,
                "updates": [
                    {"key": "image.tag", "value": TAG},
                    {"key": "image.digest", "value": DIGEST},
                    {"key": "replicas", "value": min(one["replicas"], 4)},
                    {"key": "freight", "value": f"freight-{FREIGHT[:7]}"},
                ],
            },
        },
        {
            "uses": "helm-template",
            "as": "deliver::step-3",
            "config": {
                "path": "./source/chart",
                "outPath": f"./config/rendered/{stage}.yaml",
                "releaseName": f"lamps-{stage}",
                "valuesFiles": [values],
            },
        },
        {
            "uses": "git-commit",
            "as": "deliver::commit",
            "config": {
                "path": "./config",
                "message": f"{stage}: ${{{{ task.outputs.update.commitMessage }}}}",
            },
        },
        {
            "uses": "git-push",
            "as": "deliver::push",
            "config": {"path": "./config", "generateTargetBranch": review},
        },
        {
            "uses": "git-open-pr",
            "as": "deliver::open",
            "if": '${{ status("commit") != "Skipped" }}',
            "config": {
                "repoURL": GIT,
                "sourceBranch": "${{ task.outputs.push.branch }}",
                "targetBranch": "main",
                "title": f"Deliver {TAG} to {region.upper()}",
            },
        },
        {
            "uses": "git-wait-for-pr",
            "as": "deliver::merged",
            "if": '${{ status("commit") != "Skipped" }}',
            "config": {"repoURL": GIT, "prNumber": "${{ task.outputs.open.pr.id }}"},
        },
        {
            "uses": "argocd-update",
            "as": "deliver::step-8",
            "config": {
                "apps": [
                    {
                        "name": f"lamps-{stage}",
                        "sources": [
                            {
                                "repoURL": GIT,
                                "desiredRevision": f"${{{{ task.outputs.{delivered}.commit }}}}",
                            }
                        ],
                    }
                ]
            },
        },
        {
            "uses": "json-update",
            "as": "record",
            "config": {
                "path": "./config/record.json",
                "updates": [{"key": f"{stage}.tag", "value": TAG}],
            },
        },
        {
            "uses": "http",
            "as": "announce::post",
            "config": {
                "method": "POST",
                "url": f"https://chat.example.com/rooms/lamps-{region}",
                "headers": [{"name": "Content-Type", "value": "application/json"}],
                "body": f'{{"room":"lamps-{region}","text":"lamps in {stage}"}}',
                "successExpression": "response.status == 200",
                "outputs": [{"name": "id", "fromExpression": "response.body.id"}],
            },
        },
        {
            "uses": "compose-output",
            "as": "announce::said",
            "config": {"message": "${{ quote(task.outputs.post.id) }}"},
        },
    ]
    return [step for step in steps if review or "if" not in step]
