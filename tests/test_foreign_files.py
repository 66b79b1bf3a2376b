"""Files of other tools: one sentence says what each is, whatever command and dialect was asked."""

from __future__ import annotations

import pytest
from bpp.functions.signatures import read_table
from bpp.pipeline import MemoryFiles, Source, check, render
from bpp.pipeline.formats import foreign_files

ROWS = read_table(foreign_files.__package__, "foreign_files.toml")["file"]
TEXTS = {
    "written in Blueprint Language": (
        'version "2025-11-02"\n\nvariable prefix: string {}\n',
        "resource x: aws/y {\n  spec { n = 1 }\n}\n",
        "include core {\n  path = 'core.bp'\n}\n",
    ),
    "a Terraform configuration": ('resource "aws_s3_bucket" "b" {\n  bucket = "x"\n}\n',),
    "a Terraform state": (
        '{"version": 4, "terraform_version": "1.5.0", "resources": [{}], "outputs": {}}',
    ),
    "a CloudFormation template": (
        "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  b: {Type: 'AWS::S3::Bucket'}\n",
        "Transform: AWS::Serverless-2016-10-31\nResources:\n  b:\n    Type: AWS::S3::Bucket\n",
        '{"Resources": {"B": {"Type": "AWS::S3::Bucket"}}, "Outputs": {}}',
    ),
    "an Azure Resource Manager template": (
        '{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate'
        '.json#", "contentVersion": "1.0.0.0", "resources": [], "outputs": {}, "parameters": {}}',
    ),
    "written with `apiVersion`": (
        "apiVersion: 2025-11-02\nresources: {a: {type: x/y, spec: {}}}\n",
        'apiVersion: "2023-04-20"\nvariables: {}\nresources: {}\n',
    ),
    "a Kargo manifest": ("apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nspec: {}\n",),
    "a Landscaper file": (
        "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\nimports: []\n",
    ),
    "Garden configuration": (
        "apiVersion: garden.io/v1\nkind: Project\nname: p\n",
        "kind: Deploy\ntype: container\nname: web\n",
        "kind: Workflow\nname: w\nsteps: []\n",
    ),
    "a Helm chart's `Chart.yaml`": ("apiVersion: v2\nname: c\nversion: 0.1.0\n",),
    "a Kubernetes manifest": (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {}\n",
        "---\n# two\napiVersion: v1\nkind: Secret\ndata: {}\n---\napiVersion: v1\nkind: Secret\n",
    ),
    "a Compose file": (
        'version: "3.8"\nservices:\n  web:\n    image: nginx\nvolumes: {}\n',
        "services:\n  web:\n    build: .\n",
    ),
    "a GitHub Actions workflow": ("name: CI\non: [push]\njobs: {}\n",),
    "an OpenAPI document": (
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\n",
        "swagger: '2.0'\npaths: {}\n",
    ),
    "a Serverless Framework configuration": ("service: s\nprovider: {name: aws}\nfunctions: {}\n",),
    "a template of another tool, such as Helm or Jinja": (
        "{{- if .Values.web }}\nreplicas: 1\n{{- end }}\n",
        "{% if web %}\nreplicas: 1\n{% endif %}\n",
    ),
}
PAIRS = [(name, text) for name, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), PAIRS)
def test_one_sentence_says_what_a_file_is(name: str, text: str) -> None:
    source = Source("given.yaml", text, "json" if text.startswith('{"') else "yaml")
    for run in (check, render):
        found = run(source, files=MemoryFiles({}), dialect="bluelink")
        said = [*(found if run is check else found.diagnostics)]
        assert [(item.code, str(item.span)) for item in said] == [
            ("unrecognised_file", "given.yaml:1:1")
        ]
        assert said[0].summary.startswith(f"`given.yaml` is {name}, not ")


def test_every_row_is_the_first_for_a_text() -> None:
    firsts = set()
    for _, text in PAIRS:
        fits = [number for number, row in enumerate(ROWS) if _is(text, row)]
        firsts.add(fits[0])
    assert firsts == set(range(len(ROWS)))


def _is(text: str, row: dict[str, object]) -> bool:
    source = Source("given.yaml", text, "yaml")
    fields = dict(reversed([*foreign_files.top_level_fields(source.text)]))
    return foreign_files._fits(row, fields, text)


def test_a_child_of_another_tool_is_told_at_its_include() -> None:
    main = "version: 2023-04-20\nresources: {}\ninclude: {c: {path: c.yaml}}\n"
    files = MemoryFiles({"main.yaml": main, "c.yaml": "apiVersion: v1\nkind: Secret\n"})
    found = check("main.yaml", files=files)
    (item,) = found
    assert item.summary == "`c.yaml` is a Kubernetes manifest, not a blueprint"
    assert [note.text for note in item.notes] == ["`c` is included here"]


@pytest.mark.parametrize(
    "text",
    [
        "version: 2023-04-20\nresources: {a: {type: x/y, spec: {Type: 'AWS::S3'}, k: '{{- x }}'}}",
        "version: 2025-11-02\nservices: {web: {image: nginx}}\nresources: {}\n",
        "resources: {a: {type: x/y}}\nvariables: {services: {type: strin}}\n",
    ],
)
def test_a_blueprint_with_mistakes_stays_one(text: str) -> None:
    found = check(Source("given.yaml", text, "yaml"))
    assert found.errors
    assert "unrecognised_file" not in {item.code for item in found}
