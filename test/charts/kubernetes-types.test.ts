import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../architecture/sources.ts";
import { tempFolder } from "../run/processes.ts";
import { goldenFile, goldens } from "./golden.ts";

const skip = spawnSync("go", ["version"]).status !== 0 && "go is not installed";

test("the manifests have no field that the types of the Kubernetes API do not have", { skip }, (t) => {
  const folder = tempFolder(t, "kubernetes-types");
  const program = join(folder, "check");
  const cwd = join(root, "test/charts/kubernetes-types");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd, encoding: "utf8" });
  if (built.status !== 0) return t.skip(`the types of Kubernetes cannot be downloaded and built: ${built.stderr}`);
  const check = (...files: readonly string[]) => spawnSync(program, files, { encoding: "utf8" });
  const found = check(...goldens.map(({ name }) => goldenFile(name)));
  assert.equal(found.status, 0, found.stdout);
  const wrong = join(folder, "wrong.yaml");
  writeFileSync(wrong, readFileSync(goldenFile("aggregator"), "utf8").replace("replicas:", "replicaz:"));
  assert.match(check(wrong).stdout, /apps\/v1 Deployment: .*unknown field "replicaz"/);
});
