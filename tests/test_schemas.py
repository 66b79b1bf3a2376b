"""`bpp schema`: what the schemas accept and refuse, and that they fit the checks."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bpp.pipeline import Diagnostics, Limits, Source
from bpp.pipeline.answers.schemas import datasources_schema, source_map_schema, state_schema
from bpp.pipeline.building.tables import check_tables
from bpp.pipeline.cli.schema_command import makers
from bpp.pipeline.dialects.bluelink.answers.schemas import blueprint_schema
from bpp.pipeline.dialects.bluelink.structure import sections
from bpp.pipeline.dialects.bluelink.structure.structure import check_structure
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.formats.detection import read
from bpp.pipeline.formats.records import RecordError
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.tree import AnyNode, Array, Map, Scalar
from support.harness import discover
from support.in_process import bpp_inside
from support.schemas import closed, misfits, validator

EXAMPLES = Path(__file__).parents[1] / "examples"
CONFIG = makers(None)["bpp.toml"]()


def plain(node: AnyNode) -> Any:
    if isinstance(node, Map):
        return {str(key): plain(value) for key, value in node.items.items()}
    if isinstance(node, Array):
        return [plain(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else node.text


def structures() -> Iterator[tuple[Any, bool]]:
    """Each case that can be read, as plain data, and whether its structure is sound."""
    language = Language(SYNTAX, Limits())
    for case in discover():
        text = (case.folder / case.main).read_text("utf-8", "replace")
        form = "json" if case.main.endswith(("json", "jsonc")) else "yaml"
        found = Diagnostics()
        source = Source(case.main, text, form)
        root = read(source, language.split, language.opener, Meter(Limits()), found)
        if root is None or found.errors:
            continue
        check_structure(root, language.opener, found)
        yield plain(root), not found.errors


def test_the_schema_of_blueprints_tells_what_the_checks_tell() -> None:
    fits = validator(blueprint_schema()).is_valid
    count = {True: 0, False: 0}
    for data, sound in structures():
        count[sound] += 1
        assert fits(data) is sound, data
    assert count[True] > 300
    assert count[False] > 50


@pytest.mark.parametrize("version", sections.VERSIONS)
def test_a_schema_of_one_version_takes_no_other(version: str) -> None:
    schema = blueprint_schema(version)
    for named in sections.VERSIONS:
        assert (misfits({"version": named, "resources": {}}, schema) == []) is (named == version)


def test_every_key_has_words() -> None:
    schema = blueprint_schema()
    for name, one in schema["$defs"].items():
        for key, about in one.get("properties", {}).items():
            assert about["description"].endswith("."), (name, key)


@pytest.mark.parametrize("name", ["state", "datasources", "diagnostics", "source-map", "bpp.toml"])
def test_schemas_are_schemas(name: str) -> None:
    misfits({}, makers(None)[name]())


CONFIGURATIONS = [
    '[targets.a]\nblueprint = "a.yaml"\noutput = "b.yaml"\n',
    "[targets.a]\nallow-net = ['h']\nnow = 5\nvariables = {n = 1}\n[limits]\nmax_nodes = 9\n",
    '[targets."a[n={n}]"]\nmatrix = {n = ["x", "y"], exclude = [{n = "x"}]}\n',
    '[defaults]\nformat = "json"\n[check]\nselect = ["all"]\nfiles = ["x"]\n',
    "[target.a]\n",
    '[defaults]\nformat = "toml"\n',
    '[defaults]\nsecrets = "reveal"\n',
    "[defaults]\nallow_net = ['h']\n",
    "[limits]\nmax_nodes = 0\n",
    "[limits]\nmax_nods = 1\n",
    '[targets.a]\nblueprint = "-"\n',
    '[targets.a]\nmatrix = {target = ["x"]}\n',
    "[targets.a]\nmatrix = {n = []}\n",
    "[targets.a]\nvariables = {n = []}\n",
    "[targets.a]\nseed = true\n",
    "[targets.a]\nnow = -1\n",
]


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_the_schema_of_configurations_tells_what_their_check_tells(text: str) -> None:
    data = tomllib.loads(text)
    try:
        check_tables(data)
        sound = True
    except RecordError:
        sound = False
    assert sound is (CONFIGURATIONS.index(text) < 4)
    assert (misfits(data, CONFIG) == []) is sound


def test_examples_fit() -> None:
    for file in EXAMPLES.rglob("bpp.toml"):
        assert misfits(tomllib.loads(file.read_text()), CONFIG) == [], file
    states = [*EXAMPLES.rglob("*.state.yaml")]
    assert states
    for file in states:
        assert misfits(yaml.safe_load(file.read_text()), state_schema()) == [], file
    assert misfits({"resources": {"a": {"spec": {}}}}, state_schema())
    assert misfits({"links": {"a": {}}}, state_schema())
    assert misfits({"aws/vpc": [{"id": 1}]}, datasources_schema()) == []
    assert misfits({"aws/vpc": {"id": 1}}, datasources_schema())


def test_a_source_map_fits(tmp_path: Path) -> None:
    blueprint = EXAMPLES / "orders" / "app.blueprint.yaml"
    bpp_inside(
        tmp_path,
        *("render", str(blueprint), "--var", "environment=staging", "-o", "out.yaml"),
        *("--source-map", "out.map"),
    )
    data = json.loads((tmp_path / "out.map").read_text())
    assert misfits(data, closed(source_map_schema())) == []


BLUEPRINT = """
version: 2025-11-02
variables:
  stage: {type: string, allowedValues: [dev, prod], default: dev, description: the stage}
  count: {type: integer}
  region: {type: aws/region}
  key: {type: string, secret: true, default: s3cr3t, allowedValues: [s3cr3t]}
resources: {}
"""


def test_variables_are_typed_by_their_declarations(tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(BLUEPRINT)
    done = bpp_inside(tmp_path, "schema", "variables", "app.yaml")
    assert done.returncode == 0
    assert "s3cr3t" not in done.stdout
    schema = json.loads(done.stdout)
    assert schema["properties"]["stage"] == {
        "type": "string",
        "description": "the stage",
        "default": "dev",
        "enum": ["dev", "prod"],
    }
    fitting = {"stage": "prod", "count": 1, "region": "eu-west-1", "key": "x"}
    assert misfits(fitting, schema) == []
    for name, value in {
        "stage": "test",
        "count": "1",
        "region": 1,
        "key": 1,
        "stag": "dev",
    }.items():
        assert misfits({name: value}, schema), name


def test_the_list_names_all(tmp_path: Path) -> None:
    listed = bpp_inside(tmp_path, "schema").stdout
    names = [line.split()[0] for line in listed.splitlines()]
    assert names == sorted([*makers(None), "variables"])


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ("blueprnt", 2, "unknown schema `blueprnt` (did you mean `blueprint`?)"),
        ("x", 2, "unknown schema `x` (`bpp schema` lists them)"),
        ("variables", 2, "`variables` needs the blueprint: `bpp schema variables FILE`"),
        ("state app.yaml", 2, "only `variables` takes a file"),
        ("variables none.yaml", 3, "error[file_not_found]: `none.yaml` does not exist"),
        ("variables wrong.yaml", 1, "error[invalid_map]: `variables` must be a map"),
        ("variables garden.yml", 2, "the variables of the dialect `garden` have no schema"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: str, status: int, told: str) -> None:
    (tmp_path / "app.yaml").write_text(BLUEPRINT)
    (tmp_path / "wrong.yaml").write_text("version: 2025-11-02\nvariables: 1\nresources: {}\n")
    (tmp_path / "garden.yml").write_text("kind: Build\nname: a\ntype: exec\n")
    done = bpp_inside(tmp_path, "schema", *arguments.split())
    assert done.returncode == status
    assert told in done.stderr
    assert done.stdout == ""
