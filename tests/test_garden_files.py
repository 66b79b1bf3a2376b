"""Which files belong to a project of Garden, beside the cases `scan_*` in `cases/garden`."""

from __future__ import annotations

from pathlib import Path

import pytest
from bpp.pipeline import DiskFiles, Files, Limits, MemoryFiles, Run, Settings, render
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.dialects.garden.structure.scanning import explain_files
from support.garden_runs import HEAD, SECRET, rendered, told
from support.harness import load_documents
from support.in_process import bpp_inside


def action(name: str) -> str:
    return f"kind: Run\ntype: exec\nname: {name}\n"


def names(run: Run) -> list[str]:
    """The names of the configurations beside the project, in their order."""
    assert run.ok, told(run)
    return [one["name"] for one in load_documents(run.text())[1:]]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


TREE = {
    "garden.yml": f"{HEAD}scan: {{exclude: ['**/tmp/**/*', \"${{'o' + 'ps'}}\"]}}\n",
    ".gardenignore": "/out/\n*.draft.garden.yml\n!kept.draft.garden.yml\n",
    "b/garden.yml": f"{HEAD}---\nkind: Command\nname: c\n---\n{action('b')}",
    "b/kept.draft.garden.yml": action("kept"),
    "b/x.draft.garden.yml": action("x"),
    "b/tmp/garden.yml": action("tmp"),
    "cloned/.git/config": "",
    "cloned/garden.yml": action("cloned"),
    "node_modules/m/garden.yml": action("m"),
    "ops/garden.yml": action("ops"),
    "out/garden.yml": action("out"),
    ".garden/sources/garden.yml": action("source"),
    ".hidden/garden.yml": action("hidden"),
}
EXPLAINED = """\
garden.yml: taken: it is named on the command line
.garden/: left out: Garden's own folder
.hidden/garden.yml: taken: no rule leaves it out
b/garden.yml: taken: no rule leaves it out
b/kept.draft.garden.yml: taken: `!kept.draft.garden.yml` (.gardenignore:3)
b/x.draft.garden.yml: left out: `*.draft.garden.yml` (.gardenignore:2)
b/tmp/: left out: `**/tmp/**/*` in `scan.exclude` (garden.yml:4:18)
cloned/: left out: a repository of its own
node_modules/: left out: this folder is never searched
ops/: left out: `${'o' + 'ps'}` in `scan.exclude` (garden.yml:4:33)
out/: left out: `/out/` (.gardenignore:1)
b/garden.yml:2:7: left out: a Project below another one
b/garden.yml:6:7: left out: a Command outside the project's folder
"""


@pytest.mark.parametrize("on_disk", [True, False])
def test_each_file_is_explained(tmp_path: Path, on_disk: bool) -> None:
    files: Files = MemoryFiles(TREE, "/")
    if on_disk:
        write(tmp_path, TREE)
        files = DiskFiles(cwd=str(tmp_path))
    run = render("garden.yml", files=files, dialect="garden")
    assert names(run) == ["hidden", "b", "kept"]
    assert explain_files(run) == EXPLAINED


def test_the_command_explains_files(tmp_path: Path) -> None:
    write(tmp_path, {"garden.yml": HEAD, ".gardenignore": "a/\n", "a/garden.yml": action("a")})
    done = bpp_inside(tmp_path, "render", "garden.yml", "--explain-files")
    assert done.returncode == 0
    lines = ["garden.yml: taken: it is named on the command line"]
    lines.append("a/: left out: `a/` (.gardenignore:1)")
    assert done.stderr.splitlines() == lines
    assert "name: p" in done.stdout


def test_a_failed_render_explains_files_too(tmp_path: Path) -> None:
    write(tmp_path, {"garden.yml": HEAD, "a/garden.yml": "kind: [\n"})
    done = bpp_inside(tmp_path, "render", "garden.yml", "--explain-files")
    assert done.returncode == 1
    assert "a/garden.yml: taken: no rule leaves it out\n" in done.stderr


def test_a_file_named_as_ignore_file_is_not_quoted() -> None:
    files = {"garden.yml": f"{HEAD}dotIgnoreFile: .env\n", ".env": "a.garden.yml\n"}
    run = rendered({**files, "a.garden.yml": action("a")})
    assert names(run) == []
    assert "a.garden.yml: left out: a line (.env:1)\n" in explain_files(run)


def test_values_of_the_environment_are_not_shown() -> None:
    head = f"{HEAD}dotIgnoreFile: '${{local.env.NAME}}'\n"
    head += "scan: {exclude: ['${local.env.NAME}/**/*', '*-${local.env.NAME}.garden.yml']}\n"
    files = {"garden.yml": head, SECRET: "a.garden.yml\n", "a.garden.yml": action("a")}
    run = rendered({**files, "b/a.garden.yml": action("b")}, local={"env": {"NAME": SECRET}})
    assert names(run) == []
    assert "a.garden.yml: left out: a line (<ignore file>:1)\n" in explain_files(run)
    assert SECRET not in explain_files(run)


def test_what_is_ignored_is_not_searched(tmp_path: Path) -> None:
    write(tmp_path, {"garden.yml": HEAD, **{f"big/{n}.txt": "" for n in range(20)}})
    limited = Limits(max_scanned_files=6)

    def run() -> Run:
        files = DiskFiles(cwd=str(tmp_path), limits=limited)
        return render("garden.yml", files=files, dialect="garden")

    assert [one.code for one in run().diagnostics] == ["limit_exceeded"]
    write(tmp_path, {".gardenignore": "big\n"})
    assert run().ok
    (tmp_path / ".gardenignore").unlink()
    write(tmp_path, {"garden.yml": f"{HEAD}scan: {{exclude: [big]}}\n"})
    assert run().ok


def test_ignore_files_are_inputs() -> None:
    files = {"garden.yml": HEAD, "a/.gardenignore": "x\n", "a/garden.yml": action("a")}
    assert "a/.gardenignore" in rendered(files).reads


def test_named_files_count_whatever_the_rules_say() -> None:
    files = {
        "garden.yml": f"{HEAD}scan: {{include: []}}\n---\n{action('main')}",
        ".gardenignore": "*\n",
        "a/garden.yml": action("a"),
        "b/garden.yml": action("b"),
    }
    run = rendered(files, files=("a/garden.yml",))
    assert names(run) == ["main", "a"]
    assert "a/garden.yml: taken: it is named on the command line\n" in explain_files(run)


def test_a_project_beside_the_source_has_the_rules() -> None:
    files = {
        "garden.yml": action("main"),
        "p.garden.yml": f"{HEAD}scan: {{exclude: [b, '*.garden.yml']}}\n---\n{action('p')}",
        "a/garden.yml": action("a"),
        "b/garden.yml": action("b"),
    }
    run = rendered(files)
    assert run.ok, told(run)
    found = [(one["kind"], one["name"]) for one in load_documents(run.text())]
    assert found == [("Run", "main"), ("Project", "p"), ("Run", "a")]


def test_a_project_above_has_the_rules_and_the_paths() -> None:
    files = MemoryFiles(
        {
            "/p/project.yml": f"{HEAD}scan: {{exclude: [api/b]}}\n",
            "/p/api/garden.yml": action("api"),
            "/p/api/a/garden.yml": action("a"),
            "/p/api/b/garden.yml": action("b"),
        },
        "/p",
    )
    options = ProjectOptions(files=("project.yml",))
    run = render("api/garden.yml", files=files, dialect="garden", options=options)
    assert run.ok, told(run)
    found = [(one["name"], one.get("source")) for one in load_documents(run.text())]
    assert found == [("api", {"path": "api"}), ("p", None), ("a", {"path": "api/a"})]


def test_old_names_of_the_fields() -> None:
    files = {
        "garden.yml": f"{HEAD}modules: {{exclude: [a]}}\ndotIgnoreFiles: [.one, .two]\n",
        **{f"{name}/garden.yml": action(name) for name in "abcd"},
        ".one": "b\n",
        ".two": "c\n!b\n",
    }
    assert names(rendered(files)) == ["d"]


def test_later_is_at_once_where_a_path_is_unknown() -> None:
    text = "kind: Run\ntype: exec\nname: a\nsource: {path: '${local.env.DIR}'}\n"
    files = {"garden.yml": HEAD, "a/garden.yml": text}
    for path in ("./x", "../x", "x/y/", ""):
        local = {"env": {"DIR": path}}
        once = rendered(files, local=local).text()
        later = rendered(rendered(files).text(), local=local)
        assert later.text() == once, told(later)


def test_a_huge_number_of_alternatives_is_not_listed() -> None:
    files = {"garden.yml": f"{HEAD}scan: {{exclude: ['{'{a,b}' * 60}']}}\n"}
    run = rendered(files, Settings(limits=Limits(max_total_nodes=5_000)))
    assert [one.code for one in run.diagnostics] == ["limit_exceeded"]
