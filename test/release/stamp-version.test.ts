import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { checkoutCommit, stampVersion } from "../../compose/setup/stamp-version.mjs";
import { root } from "../architecture/sources.ts";
import { runToEnd } from "../run/cli.ts";
import { tempFolder } from "../run/processes.ts";

test("the commit of a checkout says when tracked files have changes", (t) => {
  const folder = tempFolder(t, "checkout");
  assert.equal(checkoutCommit(folder), "unknown");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@a", ...args], { encoding: "utf8" });
  git("init", "--quiet");
  assert.equal(checkoutCommit(folder), "unknown", "a repository without commits");
  writeFileSync(join(folder, "tracked"), "one");
  git("add", ".");
  git("commit", "--quiet", "--message=one");
  git("tag", "--annotate", "--message=v1", "v1.0.0");
  const hash = git("rev-parse", "HEAD").trim();
  writeFileSync(join(folder, "untracked"), "");
  assert.equal(checkoutCommit(folder), hash);
  writeFileSync(join(folder, "tracked"), "two");
  assert.equal(checkoutCommit(folder), `${hash}-dirty`);
  mkdirSync(join(folder, "release"));
  assert.equal(checkoutCommit(join(folder, "release")), "unknown", "a folder that is only within a checkout");
});

test("a later stamp replaces an earlier one", (t) => {
  const file = join(tempFolder(t, "stamp"), "version.js");
  const unstamped = 'const version = "dev";\nconst buildCommit = "unknown";\nexport { version, buildCommit };\n';
  writeFileSync(file, unstamped);
  stampVersion(file, "dev", "0123456-dirty");
  stampVersion(file, "v1.2.3", "89abcde");
  assert.equal(readFileSync(file, "utf8"), unstamped.replace("dev", "v1.2.3").replace("unknown", "89abcde"));
  writeFileSync(file, 'const version = "dev";\n');
  assert.throws(() => stampVersion(file, "dev", "89abcde"), /version\.js does not declare buildCommit/);
});

for (const program of ["agent", "aggregator", "shared/cli"] as const)
  test(`the ${program} of a checkout says which commit it was built from`, async () => {
    const { stdout } = await runToEnd([...builtProgram(program), "-version"]);
    const commit = existsSync(join(root, ".git")) ? "[0-9a-f]{40}(-dirty)?" : "unknown";
    assert.match(stdout, new RegExp(`^realmwatch\\S* dev \\(commit ${commit}, node v`));
  });
