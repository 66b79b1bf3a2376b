"""What is kept between runs: whatever lies there, output is the same and nothing fails or waits."""

from __future__ import annotations

import marshal
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from bpp.pipeline import Limits, MemoryFiles, render
from bpp.pipeline.building.store import ABSENT, FileStates, Store
from bpp.pipeline.dialects.table import DEFAULT, find_dialect
from bpp.pipeline.values.expression import Argument, Call, Hole, Literal, Shape
from bpp.pipeline.world.files import read_kept
from bpp.pipeline.world.remote.downloads import ContentCache
from bpp.pipeline.world.remote.lock import content_of
from bpp.pipeline.world.shape_files import (
    from_bytes,
    keep_shapes,
    load_shapes,
    shapes_path,
    to_bytes,
)
from bpp.pipeline.world.writing import keep
from support.in_process import bpp_inside as bpp
from test_cli import BPP

BLUEPRINT = """\
version: 2023-04-20
variables: {name: {type: string, default: orders}}
resources:
  a: {type: a/b, spec: {x: "${trim(trim(trim(trim(variables.name))))}-${resources.b.state.id}"}}
  b: {type: a/b, spec: {}}
"""


def shorten(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def change(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def change_version(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data.replace(b"-1\n", b"-9\n", 1) if b"-1\n" in data else b"9" + data)


def enlarge(file: Path) -> None:
    os.truncate(file, 1 << 40)


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def make_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def make_loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.name)


def make_link(file: Path) -> None:
    # never to a device: a root that follows it would replace the machine's own
    elsewhere = file.with_name("elsewhere")
    elsewhere.write_bytes(bytes(4096))
    file.unlink()
    file.symlink_to(elsewhere)


def give_away(file: Path) -> None:
    os.chown(file, 65534, 65534)


as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="chown is for root")
BREAKING: list[object] = [
    lambda file: file.write_bytes(b""),
    shorten,
    change,
    change_version,
    enlarge,
    make_folder,
    make_pipe,
    make_loop,
    make_link,
    pytest.param(give_away, marks=as_root),
]
breaking = pytest.mark.parametrize("broken", BREAKING)
Breaking = Callable[[Path], None]


@breaking
def test_a_store_of_shapes_that_is_none(tmp_path: Path, broken: Breaking) -> None:
    files = MemoryFiles({"b.yaml": BLUEPRINT})
    run = render("b.yaml", files=files)
    path = tmp_path / "shapes"
    keep_shapes(str(path), run.language.shapes)
    kept = load_shapes(str(path))
    assert kept.keys() == run.language.shapes.keys() != set()
    assert render("b.yaml", files=files, shapes=kept).text("yaml") == run.text("yaml")
    broken(path)
    assert load_shapes(str(path)) == {}
    keep_shapes(str(path), run.language.shapes)
    if path.is_dir() or (path.is_symlink() and not path.is_file()):
        assert load_shapes(str(path)) == {}
    else:
        assert load_shapes(str(path)).keys() == kept.keys()


REFERENCE = ("reference", "variables", ("name",), False)
DEEP: list[object] = [("literal", 1), *[("call", "trim", None)] * 5_000]
BAD_TREES: list[object] = [
    *(5, None, "text", (), [], {}, [5], [()], [("nonsense",)], [("literal", b"x")]),
    *([("literal", [1])], [("literal", ...)], [("literal", 1), ("literal", 2)]),
    *(
        [("hole", 0)],
        [("hole", -1)],
        [("hole", True, 1)],
        [("call", "trim", None)],
        [("access", ())],
    ),
    *([REFERENCE, ("call", 5, None)], [REFERENCE, ("call", "trim", 5)], [REFERENCE, ("access", 5)]),
    *([("reference", 5, (), False)], [("reference", "x", (1.5,), False)], DEEP),
]


FOREIGN: list[object] = [
    *([("reference", "variables", (), False)], [("reference", "nosuch", ("x",), False)]),
    *([("reference", "resources", (), True)], [REFERENCE, ("call", "nosuch", None)]),
    [("reference", "elem", (0, 2**70), False), ("call", "trim", "name")],
]
"""Sound trees of other expressions."""


@pytest.mark.parametrize("tree", [*BAD_TREES, *FOREIGN])
def test_stored_shapes_are_checked_when_they_are_read(tmp_path: Path, tree: object) -> None:
    run = render("b.yaml", files=MemoryFiles({"b.yaml": BLUEPRINT}))
    body = marshal.dumps(dict.fromkeys(run.language.shapes, tree))
    path = tmp_path / "shapes"
    path.write_bytes(b"bpp-shapes-2\n" + crc32(body).to_bytes(4, "big") + body)
    again = render(
        "b.yaml", files=MemoryFiles({"b.yaml": BLUEPRINT}), shapes=load_shapes(str(path))
    )
    # a sound tree of another expression may say something else
    assert tree in FOREIGN or again.text("yaml") == run.text("yaml")


def test_a_stored_tree_is_read_without_recursion() -> None:
    inner = Call("b", (Argument(Hole(0)),))
    shape = Shape(Call("a", (Argument(inner), Argument(Literal(2), "n"))))
    (again,) = from_bytes(to_bytes({"a": shape})).values()
    assert (again.expression, again.is_sound(1), again.is_sound(0)) == (
        shape.expression,
        True,
        False,
    )
    deepest = shape.expression
    for _ in range(300):
        deepest = Call("trim", (Argument(deepest),))
    (again,) = from_bytes(to_bytes({"a": Shape(deepest)})).values()
    assert not again.is_sound(1)


@pytest.mark.parametrize("data", [5, [], {1: 2}, {"a": ()}, None])
def test_a_store_with_a_right_sum_and_no_shapes(tmp_path: Path, data: object) -> None:
    body = marshal.dumps(data)
    path = tmp_path / "shapes"
    path.write_bytes(b"bpp-shapes-2\n" + crc32(body).to_bytes(4, "big") + body)
    run = render("b.yaml", files=MemoryFiles({"b.yaml": BLUEPRINT}), shapes=load_shapes(str(path)))
    assert run.text("yaml") == render("b.yaml", files=MemoryFiles({"b.yaml": BLUEPRINT})).text(
        "yaml"
    )


@breaking
def test_results_of_builds_that_are_none(tmp_path: Path, broken: Breaking) -> None:
    folder = tmp_path / "builds"
    store = Store(str(folder))
    index = {"form": "f", "names": [], "files": {}, "targets": {"t": {}}}
    store.save_index("/bpp.toml", index)
    store.save_result("ab" * 16, {"files": {"o.yaml": "text"}, "warnings": []})
    again = Store(str(folder))
    assert again.load_index("/bpp.toml") == index
    found = again.load_result("ab" * 16)
    assert found is not None
    assert found["files"] == {"o.yaml": "text"}
    for file in [file for file in folder.rglob("*") if file.is_file() and file.name != "key"]:
        broken(file)
    assert again.load_index("/bpp.toml")["targets"] == {}
    assert again.load_result("ab" * 16) is None
    again.save_index("/bpp.toml", index)
    again.save_result("ab" * 16, {"files": {}, "warnings": []})


@breaking
def test_the_key_of_builds_that_is_none(tmp_path: Path, broken: Breaking) -> None:
    folder = tmp_path / "builds"
    store = Store(str(folder))
    store.save_index("/bpp.toml", {"form": "f", "names": [], "files": {}, "targets": {"t": {}}})
    broken(folder / "key")
    again = Store(str(folder))
    assert again.key != store.key or broken is change
    assert again.load_index("/bpp.toml")["targets"] == {}


@breaking
def test_fetched_contents_that_are_none(tmp_path: Path, broken: Breaking) -> None:
    data = b"version: 2023-04-20\n"
    content = content_of(data)
    cache = ContentCache(str(tmp_path), Limits())
    cache.store(content, data)
    assert cache.load(content) == data
    (file,) = (file for file in tmp_path.rglob("*") if file.is_file())
    assert file.stat().st_mode & 0o777 == 0o600
    broken(file)
    assert cache.load(content) in (None, data if broken is change_version else None)
    cache.store(content, data)


def test_what_is_kept_is_read_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_kept(str(file), 5) == b"12345"
    assert read_kept(str(file), 4) is None
    assert read_kept(str(tmp_path / "none"), 4) is None
    assert read_kept("a\0b", 4) is None


@pytest.mark.parametrize("broken", [make_pipe, make_folder, enlarge])
def test_a_render_with_a_broken_cache(tmp_path: Path, broken: Breaking) -> None:
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    wanted = bpp(tmp_path, "render", "b.yaml")
    assert (wanted.returncode, wanted.stderr) == (0, "")
    (file,) = (tmp_path / ".cache").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    broken(file)
    for _ in range(2):
        done = bpp(tmp_path, "render", "b.yaml")
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted.stdout, "")


@pytest.mark.parametrize("folder", ["file", "/dev/null", "file/below", "relative", "n\nl"])
def test_a_folder_for_caches_that_is_none(tmp_path: Path, folder: str) -> None:
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "file").write_text("in the way")
    path = folder if folder == "relative" else os.path.join(tmp_path, folder)
    done = subprocess.run(
        [BPP, "render", "b.yaml"],
        cwd=tmp_path,
        env={**os.environ, "BPP_CACHE_DIR": path},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "file").read_text() == "in the way"
    assert not (tmp_path / "relative").exists()


def test_no_total_of_bytes_keeps_a_build_from_knowing_files(tmp_path: Path) -> None:
    states = FileStates({}, b"key")
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, 50 * 1024 * 1024)
        assert states.digest(str(tmp_path / name)) != ABSENT


def test_the_name_of_a_store_changes_with_the_grammar(tmp_path: Path) -> None:
    grammar = find_dialect(DEFAULT).syntax.grammar
    assert shapes_path("/c", grammar) != shapes_path("/c", grammar + "\n")


# --- folders that are not private ----------------------------------------------------------------


def modes(folder: Path) -> set[tuple[bool, int]]:
    """Whether it is a folder, and its mode, of everything in a folder and of itself."""
    found = [folder, *folder.rglob("*")]
    return {(one.is_dir(), one.stat().st_mode & 0o777) for one in found}


@pytest.mark.parametrize("umask", ["000", "002", "022", "077"])
@pytest.mark.parametrize("command", ["render b.yaml", "build"])
def test_a_cache_is_private_whatever_the_umask(tmp_path: Path, umask: str, command: str) -> None:
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "bpp.toml").write_text('[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\n')
    folder = tmp_path / "not" / "yet"
    line = f"umask {umask}; exec {BPP} {command}"
    env = {**os.environ, "BPP_CACHE_DIR": str(folder)}
    subprocess.run(["bash", "-c", line], cwd=tmp_path, env=env, check=True, capture_output=True)
    assert modes(folder) == {(True, 0o700), (False, 0o600)}
    assert (tmp_path / "not").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: folder.chmod(0o777),
        lambda folder: folder.chmod(0o1777),
        lambda folder: folder.chmod(0o720),
        pytest.param(lambda folder: os.chown(folder, 65534, 65534), marks=as_root),
        pytest.param(
            lambda folder: (
                folder.rename(folder.with_name("real")),
                folder.symlink_to("real"),
                os.chown(folder, 65534, 65534, follow_symlinks=False),
            ),
            marks=as_root,
        ),
    ],
)
def test_a_cache_that_others_can_write_to_is_not_used(tmp_path: Path, spoil: Breaking) -> None:
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "bpp.toml").write_text('[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\n')
    folder = tmp_path / ".cache"
    folder.mkdir(0o700)
    spoil(folder)
    for _ in range(2):
        done = bpp(tmp_path, "render", "b.yaml")
        assert (done.returncode, done.stderr) == (0, "")
        assert bpp(tmp_path, "build").returncode == 0
    assert os.listdir(folder) == []
    assert read_kept(str(folder / "x"), 9) is None


def test_no_link_in_a_cache_is_written_through(tmp_path: Path) -> None:
    folder, target = tmp_path / "cache", tmp_path / "target"
    folder.mkdir(0o700)
    target.write_bytes(b"theirs")
    (folder / "kept").symlink_to(target)
    assert read_kept(str(folder / "kept"), 9) is None
    keep(str(folder / "kept"), b"ours")
    assert target.read_bytes() == b"theirs"
    assert read_kept(str(folder / "kept"), 9) == b"ours"
    assert not (folder / "kept").is_symlink()
    folder.chmod(0o777)
    keep(str(folder / "other"), b"ours")
    assert os.listdir(folder) == ["kept"]
