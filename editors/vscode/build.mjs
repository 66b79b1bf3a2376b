// Bundles the extension into out/extension.js, with the licences of what is in it beside it; with
// --tests also the tests, into out/test.
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

rmSync("out", { recursive: true, force: true });
const { metafile } = await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  external: ["vscode"],
  minify: true,
  metafile: true,
  legalComments: "none",
  outfile: "out/extension.js",
});
const packages = Object.keys(metafile.inputs).flatMap((path) => path.match(/^node_modules\/((@[^/]+\/)?[^/]+)/)?.[1] ?? []);
const licences = [...new Set(packages)].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `${name}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("out/NOTICE.txt", licences.join(`\n${"-".repeat(72)}\n\n`));
if (process.argv.includes("--tests")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({
    ...shared,
    entryPoints: tests.map((name) => `test/${name}`),
    packages: "external",
    outdir: "out/test",
  });
}
