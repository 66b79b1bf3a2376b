// What the grammars make of the files in test/grammars, by the engine and the grammars of YAML and
// JSON of the editor itself. UPDATE=1 writes the expectations anew: read what changed.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join, sep } from "node:path";
import { test } from "node:test";
import { createOnigScanner, createOnigString, loadWASM } from "vscode-oniguruma";
import { INITIAL, Registry, parseRawGrammar, type IGrammar, type IToken } from "vscode-textmate";

interface Contribution {
  scopeName: string;
  path: string;
  injectTo?: string[];
}

const CASES = join("test", "grammars");
const EXAMPLES = join("..", "..", "examples");
const HOSTS: Record<string, string> = {
  ".yaml": "source.yaml",
  ".yml": "source.yaml",
  ".json": "source.json",
  ".jsonc": "source.json.comments",
};
const EDITOR = ["yaml", "json"].map((name) => `@codingame/monaco-vscode-${name}-default-extension`);

function contributions(folder: string): Contribution[] {
  const described = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return described.contributes.grammars;
}

const paths = new Map<string, string>();
for (const name of EDITOR) {
  const folder = join("node_modules", name, "resources");
  for (const one of contributions(folder)) paths.set(one.scopeName, join(folder, basename(one.path)));
}
const ours = contributions(".");
for (const one of ours) paths.set(one.scopeName, one.path);

const wasm = readFileSync(join("node_modules", "vscode-oniguruma", "release", "onig.wasm"));
const onigLib = loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length)).then(() => ({
  createOnigScanner,
  createOnigString,
}));

function registry(injecting: boolean): Registry {
  return new Registry({
    onigLib,
    loadGrammar: async (scope) => {
      const path = paths.get(scope);
      return path ? parseRawGrammar(readFileSync(path, "utf8"), path) : null;
    },
    getInjections: (scope) =>
      injecting ? ours.filter((one) => one.injectTo?.includes(scope)).map((one) => one.scopeName) : [],
  });
}

const injected = registry(true);
const plain = registry(false);

async function grammarOf(file: string, registry: Registry): Promise<IGrammar> {
  const grammar = await registry.loadGrammar(HOSTS[extname(file)]!);
  assert(grammar);
  return grammar;
}

function tokenize(text: string, grammar: IGrammar): IToken[][] {
  let state = INITIAL;
  return text.split("\n").map((line) => {
    const found = grammar.tokenizeLine(line, state);
    state = found.ruleStack;
    return found.tokens;
  });
}

const isOurs = (token: IToken): boolean => token.scopes.some((scope) => scope.endsWith(".bpp"));

/** For each line its tokens of ours: the text, and the last word of the scope that tells what it is. */
function described(text: string, lines: IToken[][]): string {
  const written = text.split("\n");
  let told = "";
  lines.forEach((tokens, index) => {
    const parts = tokens.filter(isOurs).map((token) => {
      const part = written[index]!.slice(token.startIndex, token.endIndex).trim();
      return part && `${part}=${token.scopes.at(-1)!.split(".").at(-2)}`;
    });
    if (parts.length) told += `${index + 1}  ${parts.filter(Boolean).join("  ")}\n`;
  });
  return told;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => extname(name) in HOSTS && !name.split(sep).includes("node_modules"))
    .map((name) => join(folder, name))
    .sort();
}

for (const file of filesBelow(CASES)) {
  test(`expressions in ${basename(file)}`, async () => {
    const text = readFileSync(file, "utf8");
    const told = described(text, tokenize(text, await grammarOf(file, injected)));
    const expected = `${file}.tokens`;
    if (process.env["UPDATE"] || !existsSync(expected)) writeFileSync(expected, told);
    assert.equal(told, readFileSync(expected, "utf8"));
  });
}

/** The scopes of each character that is in no expression. */
function around(lines: IToken[][], others: IToken[][]): [string, string][] {
  const pairs: [string, string][] = [];
  lines.forEach((tokens, index) => {
    for (const token of tokens.filter((one) => !isOurs(one))) {
      for (let column = token.startIndex; column < token.endIndex; column += 1) {
        const other = others[index]!.find((one) => one.startIndex <= column && column < one.endIndex);
        pairs.push([token.scopes.join(" "), other?.scopes.join(" ") ?? ""]);
      }
    }
  });
  return pairs;
}

/** Templates that make YAML, in which the grammar of YAML sees other things than their author. */
const isTemplate = (text: string): boolean => /^\s*\{\{/m.test(text);

for (const file of [...filesBelow(CASES), ...filesBelow(EXAMPLES)]) {
  const text = readFileSync(file, "utf8");
  if (isTemplate(text)) continue;
  test(`the rest of ${file} is as without the extension`, async () => {
    const ourLines = tokenize(text, await grammarOf(file, injected));
    const lines = tokenize(text, await grammarOf(file, plain));
    for (const [found, expected] of around(ourLines, lines)) assert.equal(found, expected);
  });
}
