import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { changesOf } from "../../compose/release/changes.mjs";
import { releaseCommit } from "../../compose/release/release-commit.mjs";
import { root } from "../architecture/sources.ts";
import { tempFolder } from "../run/processes.ts";

const person = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@a" };
const times = { GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z", GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z" };

/** Repository with one commit. `git` runs a command in it and returns the output. */
function openRepository(scope: TestScope) {
  const folder = tempFolder(scope, "repository");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...args], { env: { ...process.env, ...person, ...times }, encoding: "utf8" });
  git("init", "--quiet");
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("file", "one");
  write(".gitignore", "dist/\n");
  git("add", ".");
  git("commit", "--quiet", "--message=one");
  return { folder, git, write };
}

test("a clean checkout gives the commit and its time", (t) => {
  const { folder, git } = openRepository(t);
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/ignored"), "");
  const hash = git("rev-parse", "HEAD").trim();
  assert.deepEqual(releaseCommit(folder, "1.2.3"), {
    hash,
    epochSeconds: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
    isTagged: false,
  });
  git("tag", "v1.2.3");
  assert.equal(releaseCommit(folder, "1.2.3").isTagged, true);
  git("tag", "--annotate", "--message=other", "v1.2.4");
  assert.equal(releaseCommit(folder, "1.2.3").hash, hash);
  assert.equal(releaseCommit(folder, "1.2.4").hash, hash, "an annotated tag");
});

for (const [change, name] of [
  ["a changed file", "file"],
  ["a file that is in no commit", "new"],
] as const)
  test(`${change} is an error that names it`, (t) => {
    const { folder, write } = openRepository(t);
    write(name, "two");
    assert.throws(() => releaseCommit(folder, "1.2.3"), new RegExp(`in no commit:\n.* ${name}\n.*commit, stash`));
  });

test("a tag at another commit is an error that names both", (t) => {
  const { folder, git, write } = openRepository(t);
  git("tag", "v1.2.3");
  const first = git("rev-parse", "HEAD").slice(0, 12);
  write("file", "two");
  git("commit", "--quiet", "--all", "--message=two");
  const second = git("rev-parse", "HEAD").slice(0, 12);
  assert.throws(() => releaseCommit(folder, "1.2.3"), new RegExp(`v1.2.3 is at commit ${first}, but ${second} `));
  assert.equal(releaseCommit(folder, "1.2.4").hash.slice(0, 12), second);
});

test("a folder without git is an error", (t) => {
  const folder = tempFolder(t, "plain");
  assert.throws(() => releaseCommit(folder, "1.2.3"), /built from a commit of git, but in .* git says:\nfatal: /);
});

for (const words of [
  [],
  ["1.2.3"],
  ["v1.2"],
  ["v01.2.3"],
  ["v1.2.3-rc1"],
  ["v1.2.3", "v1.2.4"],
  ["v1.2.3;ls"],
  ["v1.2.3", "-sign"],
  ["v1.2.3", "-x"],
])
  test(`"${words.join(" ")}" is not accepted as a version`, () => {
    const script = join(root, "compose/release/release.mjs");
    const { status, stderr, stdout } = spawnSync(process.execPath, [script, ...words], { encoding: "utf8" });
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /Usage: npm run release -- vX\.Y\.Z/);
    assert.doesNotMatch(stderr, /at file:/);
  });

test("the changes of a release are those of its section, or else of the newest", () => {
  const changelog = "# Changelog\n\nWords.\n\n## 1.3.0, not released\n\n- new\n\n## 1.2.0\n\n- old\n";
  const at = { epochSeconds: Date.UTC(2026, 0, 2) / 1000 };
  assert.equal(changesOf(changelog, { ...at, version: "1.2.0" }), "Realmwatch v1.2.0, 2026-01-02\n\n- old\n");
  assert.equal(changesOf(changelog, { ...at, version: "1.4.0" }), "Realmwatch v1.4.0, 2026-01-02\n\n- new\n");
});
