"""The language server in a real editor: Neovim, headless, with nothing but what it comes with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from test_cli import BPP

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim"),
]

NEOVIM = Path(__file__).parent / "support" / "neovim.lua"
APP = """\
version: 2025-11-02
variables:
  environment: {type: string}
include:
  queue:
    path: queue.blueprint.yaml
    variables:
      stage: ${variables.enviroment}
resources:
  api:
    type: acme/api
    spec: {name: "api-${variables.environment}"}
"""
QUEUE = """\
version: 2025-11-02
variables:
  stage: {type: string}
resources:
  queue:
    type: acme/queue
    spec: {name: "queue-${variables.stage}"}
"""


def play(folder: Path, files: Mapping[str, str], scenario: str) -> dict[str, Any]:
    """What a scenario returns: the body of a Lua function of `editor` (support/neovim.lua)."""
    work = folder / "work"
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    (folder / "scenario.lua").write_text(f"return function(editor)\n{scenario}\nend\n", "utf-8")
    home = {
        f"XDG_{name}_HOME": str(folder / name.lower())
        for name in ("CONFIG", "DATA", "CACHE", "STATE")
    }
    done = subprocess.run(
        ["nvim", "--headless", "-n", "-u", "NONE", "-i", "NONE", "-c", f"luafile {NEOVIM}"],
        cwd=work,
        env={
            **os.environ,
            **home,
            "BPP_CACHE_DIR": str(folder / "bpp"),
            "BPP_SERVER": json.dumps([BPP, "lsp"]),
            "BPP_SCENARIO": str(folder / "scenario.lua"),
            "BPP_RESULT": str(folder / "result.json"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
    )
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert "result" in told, told["failed"] + done.stdout + done.stderr
    result: dict[str, Any] = told["result"]
    return result


def test_a_mistake_is_shown_and_mended(tmp_path: Path) -> None:
    """The near name of a hint is one action away, and the mistake goes with it."""
    found = play(
        tmp_path,
        {"app.blueprint.yaml": APP, "queue.blueprint.yaml": QUEUE},
        """
        local app = editor.open('app.blueprint.yaml')
        editor.wait('diagnostics', function() return #editor.codes(app) > 0 end)
        local before = editor.codes(app)
        editor.go('enviroment')
        local title = editor.act('environment')
        editor.wait('a mended text', function() return not editor.text(app):match('enviroment') end)
        editor.wait('no mistakes', function() return #editor.codes(app) == 0 end)
        return { before = before, title = title, text = editor.text(app) }
        """,
    )
    assert found["before"] == ["variable_not_found"]
    assert found["text"] == APP.replace("enviroment", "environment")


def test_a_rename_reaches_other_files(tmp_path: Path) -> None:
    """A variable of a child is renamed where it is declared, used, and given by its parent."""
    app = APP.replace("enviroment", "environment")
    found = play(
        tmp_path,
        {"app.blueprint.yaml": app, "queue.blueprint.yaml": QUEUE},
        """
        local app = editor.open('app.blueprint.yaml')
        vim.o.hidden = true
        local queue = editor.open('queue.blueprint.yaml')
        editor.go('variables.stage')
        vim.fn.search('stage', 'cW')
        vim.lsp.buf.rename('level')
        editor.wait('the rename', function() return not editor.text(app):match('stage') end)
        vim.cmd('wall')
        return { app = editor.text(app), queue = editor.text(queue) }
        """,
    )
    work = tmp_path / "work"
    assert found["queue"] == QUEUE.replace("stage", "level")
    assert found["app"] == app.replace("stage", "level")
    assert (work / "app.blueprint.yaml").read_text("utf-8") == found["app"]
    assert (work / "queue.blueprint.yaml").read_text("utf-8") == found["queue"]


def test_an_edit_is_seen_before_it_is_saved(tmp_path: Path) -> None:
    """What is typed counts, and what is undone counts no more."""
    found = play(
        tmp_path,
        {
            "app.blueprint.yaml": APP.replace("enviroment", "environment"),
            "queue.blueprint.yaml": QUEUE,
        },
        """
        vim.o.hidden = true
        local queue = editor.open('queue.blueprint.yaml')
        vim.cmd('%substitute/variables.stage/variables.staeg/')
        editor.wait('a mistake', function() return #editor.codes(queue) > 0 end)
        local typed = editor.codes(queue)
        vim.cmd('undo')
        editor.wait('no mistake', function() return #editor.codes(queue) == 0 end)
        return { typed = typed }
        """,
    )
    assert "variable_not_found" in found["typed"]


def test_the_guide_compiles(tmp_path: Path) -> None:
    """The configurations that docs/guides/editors.md shows are Lua."""
    guide = (NEOVIM.parents[2] / "docs" / "guides" / "editors.md").read_text("utf-8")
    blocks = re.findall(r"^```lua\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    files = {f"{number}.lua": text for number, text in enumerate(blocks)}
    found = play(
        tmp_path,
        files,
        """
        local broken = {}
        for _, name in ipairs(vim.fn.glob('*.lua', false, true)) do
          local made, why = loadfile(name)
          if not made then table.insert(broken, why) end
        end
        return { broken = broken }
        """,
    )
    assert len(files) == 2
    assert not found["broken"]
