import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../run/processes.ts";
import { root } from "./sources.ts";

/** Output of git, or undefined where there is no git or no history, as in an unpacked archive. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

// The last release, else the last commit: clients of what was published have to go on working.
const baseline = git("describe", "--tags", "--abbrev=0", "--match", "v*") ?? git("rev-parse", "HEAD");
const skip = baseline === undefined || !existsSync(join(root, ".git")) ? "there is no git history" : false;
const against = `${join(root, ".git")}#ref=${baseline},subdir=proto`;
const incompatibilities = (folder: string): string =>
  spawnSync(join(root, "node_modules/.bin/buf"), ["breaking", folder, "--against", against], { encoding: "utf8" })
    .stdout;

test("buf breaking: the protos are compatible with the last release, or the last commit", { skip }, () =>
  assert.equal(incompatibilities(join(root, "proto")), ""),
);

test("buf breaking: a renumbered field is found", { skip }, (t) => {
  const folder = join(tempFolder(t), "proto");
  cpSync(join(root, "proto"), folder, { recursive: true });
  const file = join(folder, "svc/v1/query.proto");
  writeFileSync(file, readFileSync(file, "utf8").replace("string cue_version = 9;", "string cue_version = 1009;"));
  assert.match(incompatibilities(folder), /field "9" with name "cue_version"/);
});
