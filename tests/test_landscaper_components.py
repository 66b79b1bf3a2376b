"""What is wrong with component descriptors, registries and addresses, and where it is told."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path
from typing import Any

import attrs
import pytest
from bpp.pipeline import Run, render
from bpp.pipeline.dialects.landscaper import BlueprintOptions
from bpp.pipeline.world.files import DiskFiles
from support.rows import hold

CASE = Path(__file__).parent / "cases" / "landscaper" / "components"
SHOP = "registry/shop-component-descriptor.yaml"
DATABASE = "registry/database/component-descriptor.yaml"
MAIN = "app/blueprint.yaml"


@attrs.frozen
class Row:
    """A change to a file of the case, and the code that is told then, where, with what."""

    file: str
    old: str
    new: str
    code: str
    place: str = ""
    told: str = ""
    stage: str = ""


REF = "cd://componentReferences/"
LOCAL = "{type: localFilesystemBlob, filename: sub}"
IMAGE = 'getResource .cd "name" "image"'
ROWS = [
    Row(
        *(SHOP, "name: image,", "name: imagee,", "resource_not_found", MAIN),
        *("did you mean `imagee`", "deployExecutions"),
    ),
    Row(
        SHOP, "kind: ComponentVersion\nmetadata", "meta", "component_invalid", SHOP, "", "registry"
    ),
    Row(
        MAIN,
        "imports:\n- name: size",
        "imports:\n- nam: size",
        "field_required",
        MAIN,
        "",
        "validate",
    ),
    Row(MAIN, "- name: shop", "- nam: shop", "field_required", MAIN, "", "deployItems"),
    Row(MAIN, "kind: Blueprint", "kind: [", "invalid_yaml", MAIN, "", "load"),
    Row(
        MAIN,
        "- name: database\n",
        "- name: data_base\n",
        "subinstallation_import",
        MAIN,
        "",
        "subinstallations",
    ),
    Row(SHOP, "metadata:\n  name: example.com/shop\n", "metadata:\n", "component_invalid", SHOP),
    Row(DATABASE, "version: 2.0.0\n    prov", "version: 02.0.0\n    prov", "component_invalid"),
    Row(DATABASE, "2.0.0, type: json", "18.04.0, type: json", "component_invalid"),
    Row(DATABASE, "resources:\n", "resources: {b: 1}\n    a:\n", "component_invalid", DATABASE),
    Row(DATABASE, "  version: 2.0.0\n", "  version: 3.0.0\n", "component_not_found", MAIN),
    Row(DATABASE, "filename: sub", "filename: none", "file_not_found", MAIN),
    Row(DATABASE, "filename: sub", "filename: ../../app", "file_not_found", MAIN),
    Row(DATABASE, "filename: sub", "filename: greeting.txt", "blueprint_reference", MAIN),
    Row(DATABASE, LOCAL, "{type: [localBlob]}", "function_not_supported", MAIN),
    Row(DATABASE, LOCAL, "{type: ociArtifact}", "function_not_supported", MAIN),
    Row(MAIN, "resources/blueprint\n  i", "resource/blueprint\n  i", "blueprint_reference"),
    Row(MAIN, f"{REF}database/resources/size", f"{REF}data/resources/a", "component_not_found"),
    Row(MAIN, IMAGE, f'{IMAGE} "version" "1"', "resource_not_found", MAIN),
]


def rendered(folder: Path, **options: Any) -> Run:
    given = {"component": "example.com/shop", "registry": ("registry",), "nested": True} | options
    return render(
        MAIN,
        files=DiskFiles(cwd=str(folder)),
        dialect="landscaper",
        options=BlueprintOptions(variables={"size": {"memory": "1Gi"}}, **given),
    )


def told(run: Run) -> list[str]:
    return [str(item) for item in run.diagnostics]


def test_mistakes_of_components(tmp_path: Path) -> None:
    def law(row: Row) -> None:
        folder = tmp_path / str(ROWS.index(row))
        shutil.copytree(CASE, folder)
        file = folder / row.file
        text = file.read_text()
        assert row.old in text
        file.write_text(text.replace(row.old, row.new, 1))
        run = rendered(folder)
        found = [item for item in run.diagnostics if item.code == row.code]
        assert found, told(run)
        assert found[0].span is not None
        assert found[0].span.source.name.endswith(row.place)
        assert row.told in f"{found[0].summary} {found[0].hint}"
        assert found[0].stage == (row.stage or found[0].stage) != ""

    hold(ROWS, law, lambda row: f"{row.old} -> {row.new}")


def test_which_component_is_the_own(tmp_path: Path) -> None:
    assert told(rendered(CASE)) == []
    for name in ("example.com/shopp", "example.com/shop:9.0.0"):
        assert "[component_not_found]" in told(rendered(CASE, component=name))[0]
    first = rendered(CASE, component=None, component_descriptors=(SHOP,))
    assert told(first) == []
    assert "[component_missing]" in told(rendered(CASE, component=None))[0]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_blueprint_in_an_archive(mode: str, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    shutil.copytree(CASE, folder)
    blobs = folder / "registry" / "blobs"
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
        archive.add(blobs / "sub" / "blueprint.yaml", "./blueprint.yaml")
        archive.addfile(_link("secret", "/etc/passwd"))
    shutil.rmtree(blobs / "sub")
    (blobs / "sub").write_bytes(data.getvalue())
    found = rendered(folder)
    assert told(found) == []
    assert found.text() == rendered(CASE).text()


def test_an_archive_is_bounded(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    shutil.copytree(CASE, folder)
    blob = folder / "registry" / "blobs" / "sub"
    shutil.rmtree(blob)
    for data in (gzip.compress(bytes(17 << 20)), gzip.compress(b"x")[:-12], b"\x1f\x8b"):
        blob.write_bytes(data)
        (found,) = rendered(folder).diagnostics
        assert found.code == "blueprint_reference"


def _link(name: str, target: str) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = tarfile.SYMTYPE, target
    return made


def test_a_registry_must_exist() -> None:
    assert "[file_not_found]" in told(rendered(CASE, registry=("none",)))[0]
