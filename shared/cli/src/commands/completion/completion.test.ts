import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildProgram } from "../../parse/build-program.ts";
import { commandTreeOf } from "../../parse/command-tree.ts";
import { completionScript } from "./completion-script.ts";

const tree = commandTreeOf(buildProgram({ version: "", columns: 80, print() {}, onCommand() {} }));
const completion = { words: tree.words(), values: tree.values(), objectCommands: tree.objectCommands() };

const programs = mkdtempSync(join(tmpdir(), "completion-"));
after(() => rmSync(programs, { recursive: true }));
writeFileSync(
  join(programs, "realmwatch"),
  `#!/bin/sh
case "$*" in
  "realms -quiet") printf 'fra\\nnyc\\n' ;;
  "status -quiet -search we") printf 'web1\\nweb1/disk c\\nold-web\\n' ;;
  "status -quiet -search x") printf 'x$(touch %s)\\n' "$0.hacked" ;;
esac
`,
  { mode: 0o755 },
);

/** Words that bash offers for the last, unfinished word of a command line. */
function offered(...line: string[]): string[] {
  return reply(line).split(" ");
}

/** Reply of bash where `realmwatch` prints names of objects and realms. */
function reply(line: readonly string[]): string {
  const words = line.map((word) => `'${word}'`).join(" ");
  const script = `${completionScript("bash", completion)}
COMP_WORDS=(realmwatch ${words}); COMP_CWORD=${line.length}; _realmwatch; echo "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8", env: { PATH: `${programs}:/usr/bin:/bin` } }).trim();
}

test("bash completes commands, their groups and flags, and values of flags", () => {
  assert.deepEqual(offered("sta"), ["status"]);
  assert.deepEqual(offered("downtime", ""), ["add", "list", "rm", ...offered("downtime", "-")]);
  assert.deepEqual(offered("-server", "http://x", "downtime", "add", "web1", "-fl"), ["-flexible"]);
  assert.deepEqual(offered("status", "-o", ""), ["table", "wide", "json", "ndjson"]);
});

test("bash completes names of objects and realms that the server knows, and runs nothing in them", () => {
  assert.equal(reply(["explain", "we"]), String.raw`web1 web1/disk\ c`);
  assert.equal(reply(["downtime", "add", "we"]), String.raw`web1 web1/disk\ c`);
  assert.deepEqual(offered("explain", "web1", "-target-realm", "n"), ["nyc"]);
  assert.equal(reply(["ack", "x"]), String.raw`x\$\(touch\ ${programs}/realmwatch.hacked\)`);
  assert.ok(!existsSync(join(programs, "realmwatch.hacked")));
});

test("the scripts of all shells know every command", () => {
  for (const shell of ["bash", "zsh", "fish"] as const)
    for (const path of tree.words().keys())
      assert.match(completionScript(shell, completion), new RegExp(`'${path}'`), `${shell}: ${path}`);
});
