import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { COPY, OUTPUT, RETRY, SETTINGS, advice, findProgram } from "../src/program";

const nothing = () => false;
const bin = (folder: string) => join(folder, "bin", "bpp");

test("the setting wins, with its arguments", () => {
  const found = findProgram("uv", ["run", "bpp"], ["/project"], () => true);
  assert.deepEqual(found, { path: "uv", arguments: ["run", "bpp"] });
});

test("a home folder and the workspace folder are replaced", () => {
  assert.equal(findProgram("~/bin/bpp", [], [], nothing).path, join(homedir(), "bin", "bpp"));
  assert.equal(findProgram("${workspaceFolder}/bpp", [], ["/project"], nothing).path, "/project/bpp");
  assert.equal(findProgram("~other/bpp", [], [], nothing).path, "~other/bpp");
});

test("an environment of a workspace folder comes before the PATH", () => {
  const there = bin(join("/b", "venv"));
  assert.equal(findProgram("", [], ["/a", "/b"], (path) => path === there).path, there);
  assert.equal(findProgram("", [], ["/a"], nothing).path, "bpp");
});

const failure = (code: string) => Object.assign(new Error(code), { code });

test("a missing program leads to the settings", () => {
  const told = advice("bpp", failure("ENOENT"), "");
  assert.match(told.message, /there is no program `bpp`/);
  assert.deepEqual(told.buttons, [SETTINGS, RETRY]);
  assert.match(advice("a.txt", failure("EACCES"), "").message, /cannot be executed/);
});

test("a missing extra leads to the command that installs it", () => {
  const told = advice("bpp", undefined, "error: the language server needs `pip install 'blueprint-preprocessor[lsp]'`\n");
  assert.equal(told.command, "pip install 'blueprint-preprocessor[lsp]'");
  assert.deepEqual(told.buttons, [COPY, RETRY]);
});

test("an old bpp is told", () => {
  assert.match(advice("bpp", undefined, "Error: No such command 'lsp'.").message, /too old/);
});

test("anything else is told by its last line", () => {
  const told = advice("bpp", undefined, "Traceback\nValueError: no\n");
  assert.equal(told.message, "bpp: the language server does not start: ValueError: no");
  assert.deepEqual(told.buttons, [OUTPUT, RETRY]);
});
