// The extension as it is packaged, with a made-up editor and a made-up server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Editor } from "./fake_editor";
import { COPY, RETRY, SETTINGS } from "../src/program";

const server = (mode: string) => ({ path: process.execPath, arguments: ["test/fake_server.cjs", mode] });

async function activated(settings: Record<string, unknown>, pressed?: string): Promise<Editor> {
  const editor = new Editor(settings, pressed);
  await editor.extension.activate({ subscriptions: [] });
  return editor;
}

test("a missing program is told once, with what to do", async () => {
  const editor = await activated({ path: "/missing/bpp" });
  assert.equal(editor.context.get("bpp.running"), false);
  assert.deepEqual(editor.errors, [
    ["bpp: there is no program `/missing/bpp`. Install bpp, or set `bpp.path`.", SETTINGS, RETRY],
  ]);
});

test("a missing extra is told once, and its command copied", async () => {
  const command = "pip install 'blueprint-preprocessor[lsp]'";
  const editor = await activated(server(`error: the language server needs \`${command}\``), COPY);
  assert.deepEqual(editor.errors, [
    [`bpp: its language server is not installed. Run: ${command}`, COPY, RETRY],
  ]);
  await new Promise(setImmediate);
  assert.equal(editor.clipboard, command);
});

test("what the server's commands give is shown", async () => {
  const editor = await activated(server("serve"));
  assert.equal(editor.context.get("bpp.running"), true);
  await editor.commands.get("bpp.showRendered")!();
  assert.deepEqual(editor.opened, ['["file:///app.yaml"]']);
  await editor.commands.get("bpp.showRendered")!("file:///other.yaml");
  assert.equal(editor.opened[1], '["file:///other.yaml"]');
  await editor.commands.get("bpp.showGraph")!();
  assert.match(editor.panels[0]!.webview.html, /default-src 'none'.*<svg><\/svg>/);
  assert.deepEqual(editor.errors, []);
  await editor.extension.deactivate();
  assert.equal(editor.context.get("bpp.running"), false);
});

for (const [pressed, words] of [
  ["prod", ["target", "prod"]],
  ["Other options…", ["--vars", "a b.yaml"]],
] as const) {
  test(`inputs are chosen: ${pressed}`, async () => {
    const editor = await activated(server("serve"), pressed);
    await editor.commands.get("bpp.chooseInputs")!();
    await editor.commands.get("bpp.showRendered")!();
    assert.deepEqual(JSON.parse(editor.opened[0]!), ["file:///app.yaml", ...words]);
    await editor.extension.deactivate();
  });
}

test("bpp itself is understood", { skip: !process.env["BPP"] }, async () => {
  const editor = await activated({ path: process.env["BPP"] });
  assert.deepEqual(editor.errors, []);
  assert.equal(editor.context.get("bpp.running"), true);
  for (const name of ["bpp.chooseInputs", "bpp.showGraph", "bpp.showRendered"]) assert(editor.commands.has(name));
  await editor.extension.deactivate();
});

test("no server is started when it is not wanted", async () => {
  const editor = await activated({ ...server("serve"), enable: false });
  assert.equal(editor.context.get("bpp.running"), false);
  assert.deepEqual([...editor.commands.keys()], ["bpp.restartServer"]);
});
