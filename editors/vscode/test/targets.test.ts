import assert from "node:assert/strict";
import { test } from "node:test";
import { readTargets } from "../src/targets";

test("a listing has the names of targets and what they make", () => {
  const listing = [
    "api[region=eu-west-1]  app.blueprint.yaml -> rendered/eu west.yaml",
    "complete               app.blueprint.yaml -> rendered/complete.json",
    "",
  ].join("\n");
  assert.deepEqual(readTargets(listing), [
    { name: "api[region=eu-west-1]", detail: "app.blueprint.yaml -> rendered/eu west.yaml" },
    { name: "complete", detail: "app.blueprint.yaml -> rendered/complete.json" },
  ]);
  assert.deepEqual(readTargets(""), []);
});
