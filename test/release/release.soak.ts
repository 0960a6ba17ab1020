import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { root } from "../architecture/sources.ts";
import { tempFolder } from "../run/processes.ts";

/** Releases a commit from a new clone under a umask, on the Node.js found on PATH, and returns SHA256SUMS. */
function releaseFromClone(scope: TestScope, commit: string, umask: string): string {
  const checkout = join(tempFolder(scope, "clone"), "checkout");
  const own = join(root, "node_modules");
  const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.startsWith(own));
  const env = { ...process.env, PATH: path.join(":") };
  const clone = 'umask "$1" && git clone --quiet --no-checkout "$2" "$3" && git -C "$3" checkout --quiet "$4"';
  execFileSync("sh", ["-c", clone, "sh", umask, root, checkout, commit], { env });
  const script = 'umask "$1" && cd "$2" && npm run release -- v9.8.7';
  const done = spawnSync("sh", ["-c", script, "sh", umask, checkout], { env, encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.equal(execFileSync("git", ["-C", checkout, "status", "--porcelain"], { encoding: "utf8" }), "");
  return readFileSync(join(checkout, "dist/SHA256SUMS"), "utf8");
}

test("two fresh clones of a commit give the same release", (t) => {
  // Commits may be added while this test runs.
  const commit = execFileSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  assert.equal(releaseFromClone(t, commit, "022"), releaseFromClone(t, commit, "077"));
});
