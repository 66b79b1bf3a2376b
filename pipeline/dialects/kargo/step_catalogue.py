"""The catalogue of promotion steps (Kargo 1.11); `steps.py` explains the notation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CATALOGUE: Final[Mapping[str, Any]] = {
    "types": {
        "provider": "azure|bitbucket|gitea|github|gitlab",
        "author": "{email! name! signingKey}",
        "pair": "{name! value!}",
        "output": "{name! fromExpression!}",
        "update": "{key! value!:any}",
        "setting": "{key! value!}",
        "condition": "{key! operator!:In|NotIn|Exists|DoesNotExist values:[string]}",
        "selector": "{matchLabels:{*} matchExpressions:[condition]}",
        "image": "{repoURL! digest newName tag}",
        "source": (
            "{repoURL! chart desiredRevision helm:{images!:[setting]} kustomize:{images:[image]} "
            "updateTargetRevision:boolean}"
        ),
        "checkout": "{path! as branch commit create:boolean tag sparse:[string]}",
        "app": "{name namespace}",
    },
    "steps": {
        "argocd-update": {
            "config": "apps!:[{name namespace selector:selector sources:[source]}]",
            "output": "apps:[app]",
            "rules": [
                "one apps[]: name selector",
                "with apps[].sources[]: updateTargetRevision desiredRevision",
                "one apps[].sources[].kustomize.images[]: tag digest",
            ],
            "fields": {
                "apps[].sources[].desiredCommitFromStep": [
                    "1.3",
                    "`desiredRevision: ${{ outputs['alias'].commit }}`",
                ]
            },
        },
        "argocd-wait": {
            "config": (
                "apps!:[{name namespace selector:selector "
                "waitFor:[health|sync|operation|suspended|degraded]}]"
            ),
            "output": "apps:[app]",
            "rules": ["one apps[]: name selector"],
        },
        "compose-output": {"config": "*:any", "result": "*"},
        "copy": {"config": "inPath! outPath! ignore"},
        "delete": {
            "config": "path paths:[string] pathsAreGlobs:boolean strict:boolean",
            "rules": ["one : path paths"],
        },
        "fail": {"config": "message"},
        "file-write": {"config": "path! contents! permissions overwrite:boolean"},
        "get-user-input": {
            "platform": True,
            "config": "schema!:{*:any} responders:[any] display pollInterval",
            "output": "values:{*:any} respondedBy respondedAt",
        },
        "gh-create-issue": {
            "platform": True,
            "config": (
                "repoURL! title! insecureSkipTLSVerify:boolean body labels:[string] "
                "assignees:[string] issueAlias"
            ),
            "output": "number:integer url",
        },
        "gh-issue-add-comment": {
            "platform": True,
            "config": "repoURL! issueNumber!:integer body! insecureSkipTLSVerify:boolean",
            "output": "commentID:integer url",
        },
        "gh-issue-delete-comment": {
            "platform": True,
            "config": "repoURL! commentID!:integer insecureSkipTLSVerify:boolean",
        },
        "gh-issue-update-comment": {
            "platform": True,
            "config": "repoURL! commentID!:integer body! insecureSkipTLSVerify:boolean",
            "output": "commentID:integer url",
        },
        "gh-search-issues": {"platform": True, "output": "issues:[any]"},
        "gh-update-issue": {
            "platform": True,
            "config": [
                (
                    "repoURL! issueNumber!:integer insecureSkipTLSVerify:boolean title body "
                    "state addLabels:[string]"
                ),
                "removeLabels:[string] assignees:[string]",
            ],
        },
        "gh-wait-for-issue-state": {
            "platform": True,
            "config": [
                (
                    "repoURL! issueNumber!:integer successExpression "
                    "insecureSkipTLSVerify:boolean failureExpression"
                ),
                "pollInterval",
            ],
        },
        "gha-dispatch-workflow": {
            "platform": True,
            "config": [
                "repoURL! workflowFile! ref! owner repo inputs:{*:any} timeout:integer",
                "insecureSkipTLSVerify:boolean",
            ],
            "output": "runID:integer",
        },
        "gha-wait-for-workflow": {
            "platform": True,
            "config": (
                "repoURL! runID!:integer owner repo expectedConclusion "
                "insecureSkipTLSVerify:boolean pollInterval"
            ),
            "output": "conclusion",
        },
        "git-clear": {"config": "path!"},
        "git-clone": {
            "config": [
                (
                    "repoURL! checkout!:[checkout] insecureSkipTLSVerify:boolean "
                    "recurseSubmodules:boolean"
                ),
                "blobless:boolean author:author",
            ],
            "output": "commits:{*}",
            "rules": ["most checkout[]: branch commit tag"],
            "fields": {
                "checkout[].fromFreight": ["1.3", "`commit: ${{ commitFrom(repoURL).ID }}`"],
                "checkout[].fromOrigin": ["1.3", "`commitFrom(repoURL, warehouse('name'))`"],
            },
        },
        "git-commit": {
            "config": "message! path! author:author",
            "output": "commit",
            "fields": {
                "messageFromSteps": ["1.5", "`message: ${{ outputs['alias'].commitMessage }}`"]
            },
            "deprecated": {"author": ["1.12", "`author` of `git-clone`"]},
        },
        "git-merge-pr": {
            "config": [
                (
                    "repoURL! prNumber!:integer provider:provider insecureSkipTLSVerify:boolean "
                    "wait:boolean"
                ),
                "pollInterval mergeMethod",
            ],
            "output": "commit",
        },
        "git-open-pr": {
            "config": [
                (
                    "repoURL! sourceBranch! targetBranch! createTargetBranch:boolean "
                    "insecureSkipTLSVerify:boolean"
                ),
                "provider:provider title description labels:[string]",
            ],
            "output": "pr:{id:number url}",
            "fields": {
                "sourceBranchFromStep": ["1.3", "`sourceBranch: ${{ outputs['alias'].branch }}`"]
            },
            "outputs": {"prNumber": ["1.7", "`pr.id`"]},
            "deprecated": {"createTargetBranch": ["1.12", "nothing: it never did anything"]},
        },
        "git-push": {
            "config": [
                (
                    "path! generateTargetBranch:boolean maxAttempts:integer targetBranch "
                    "provider:provider"
                ),
                "force:boolean tag",
            ],
            "output": "branch commit commitURL",
            "rules": ["most : targetBranch generateTargetBranch tag", "most : tag force"],
        },
        "git-tag": {"config": "message! tag! path! force:boolean", "output": "commit"},
        "git-wait-for-pr": {
            "config": (
                "prNumber!:integer repoURL! insecureSkipTLSVerify:boolean provider:provider "
                "pollInterval"
            ),
            "output": "commit pr:{id:number url open:boolean merged:boolean}",
            "fields": {"prNumberFromStep": ["1.3", "`prNumber: ${{ outputs['alias'].pr.id }}`"]},
        },
        "github-push": {
            "config": [
                "path! generateTargetBranch:boolean targetBranch force:boolean maxAttempts:integer",
                "insecureSkipTLSVerify:boolean",
            ],
            "output": "branch commit commitURL",
        },
        "hcl-update": {"platform": True, "config": "path! updates!:[any]"},
        "helm-template": {
            "config": [
                "path! outPath! releaseName! outLayout:helm|flat useReleaseName:boolean namespace",
                (
                    "valuesFiles:[string] ignoreMissingValueFiles:boolean setValues:[{key! "
                    "value! literal:boolean}]"
                ),
                (
                    "buildDependencies:boolean includeCRDs:boolean disableHooks:boolean "
                    "skipTests:boolean kubeVersion"
                ),
                "apiVersions:[string]",
            ]
        },
        "helm-update-chart": {
            "config": "path! charts:[{repository! name! version!}]",
            "output": "commitMessage",
            "fields": {
                "charts[].fromOrigin": ["1.3", "`chartFrom(repoURL, name, warehouse('name'))`"]
            },
        },
        "helm-update-image": {
            "removed": ["1.3", "`yaml-update` with `value: ${{ imageFrom(..).Tag }}`"]
        },
        "http": {
            "config": [
                (
                    "url! method headers:[pair] queryParams:[pair] body bodyFromFile "
                    "insecureSkipTLSVerify:boolean"
                ),
                "proxy timeout pollInterval responseContentType outputs:[output] successExpression",
                "failureExpression errorExpression",
            ],
            "result": "outputs[].name",
        },
        "http-download": {
            "config": [
                "url! outPath! allowOverwrite:boolean headers:[pair] queryParams:[pair]",
                "insecureSkipTLSVerify:boolean timeout",
            ]
        },
        "jfrog-evidence": {"platform": True},
        "jira": {"platform": True},
        "json-parse": {"config": "path! outputs!:[output]", "result": "outputs[].name"},
        "json-update": {"config": "path! updates!:[update]", "output": "commitMessage"},
        "kustomize-build": {
            "config": (
                "path! outPath! outputFormat:kargo|kustomize plugin:{helm:{apiVersions:[string] "
                "kubeVersion}}"
            ),
        },
        "kustomize-set-image": {
            "config": "path! images:[{image! digest name newName tag}]",
            "output": "commitMessage",
            "rules": ["one images[]: tag digest"],
            "fields": {"images[].fromOrigin": ["1.3", "`imageFrom(repoURL, warehouse('name'))`"]},
        },
        "oci-download": {
            "config": (
                "imageRef! outPath! allowOverwrite:boolean mediaType insecureSkipTLSVerify:boolean"
            ),
        },
        "oci-push": {
            "config": "srcRef! destRef! annotations:{*} insecureSkipTLSVerify:boolean",
            "output": "image digest tag",
        },
        "record-audit-event": {"platform": True, "config": "message! type actor data:{*:any}"},
        "send-message": {
            "platform": True,
            "config": "channel!:{*:any} message! encodingType slack:{*:any} smtp:{*:any}",
            "output": "threadTS",
        },
        "set-freight-alias": {"config": "name! alias!"},
        "set-metadata": {"config": "updates!:[{kind!:Stage|Freight name! values!:{*:any}}]"},
        "snow-create": {
            "platform": True,
            "config": "parameters!:any tableName! template:{*:any}",
            "output": "sys_id number",
        },
        "snow-delete": {"platform": True, "config": "tableName! ticketId! template:{*:any}"},
        "snow-query-for-records": {
            "platform": True,
            "config": "tableName! query!:{*:any}",
            "output": "record:{*:any}",
        },
        "snow-query-records": {
            "platform": True,
            "config": "tableName! query!:{*:any}",
            "output": "record:{*:any}",
        },
        "snow-update": {
            "platform": True,
            "config": "parameters!:any tableName! ticketId! template:{*:any}",
        },
        "snow-wait-for-condition": {
            "platform": True,
            "config": "tableName! ticketId! condition! pollInterval",
        },
        "tar": {"config": "inPath! outPath! ignore gzip:boolean"},
        "tf-apply": {
            "platform": True,
            "config": "dir! plan vars:[any] env:[any]",
            "output": "result",
        },
        "tf-output": {
            "platform": True,
            "config": "dir! name out state sensitive:boolean vars:[any] env:[any]",
        },
        "tf-plan": {"platform": True, "config": "dir! out vars:[any] env:[any]", "output": "plan"},
        "toml-parse": {"config": "path! outputs!:[output]", "result": "outputs[].name"},
        "toml-update": {"config": "path! updates!:[update]", "output": "commitMessage"},
        "untar": {"config": "inPath! outPath! stripComponents:integer ignore"},
        "wait-for-approval": {
            "platform": True,
            "config": "approvers:[any] minApprovals:integer pollInterval",
            "output": "responses:[any]",
        },
        "yaml-merge": {
            "config": "inFiles!:[string] outFile! ignoreMissingFiles:boolean",
            "output": "commitMessage",
        },
        "yaml-parse": {"config": "path! outputs!:[output]", "result": "outputs[].name"},
        "yaml-update": {"config": "path! updates!:[update]", "output": "commitMessage"},
    },
}
