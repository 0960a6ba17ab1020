import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { buildProgram } from "../../parse/build-program.ts";
import { commandTreeOf } from "../../parse/command-tree.ts";
import { completionScript } from "./completion-script.ts";

const tree = commandTreeOf(buildProgram({ version: "", columns: 80, print() {}, onCommand() {} }));
const completion = { words: tree.words(), values: tree.values() };

/** Words that bash offers for the last, unfinished word of a command line. */
function offered(...line: string[]): string[] {
  const words = line.map((word) => `'${word}'`).join(" ");
  const script = `${completionScript("bash", completion)}
COMP_WORDS=(realmwatch ${words}); COMP_CWORD=${line.length}; _realmwatch; echo "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ");
}

test("bash completes commands, their groups and flags, and values of flags", () => {
  assert.deepEqual(offered("sta"), ["status"]);
  assert.deepEqual(offered("downtime", ""), ["add", "list", "rm", ...offered("downtime", "-")]);
  assert.deepEqual(offered("-server", "http://x", "downtime", "add", "web1", "-fl"), ["-flexible"]);
  assert.deepEqual(offered("status", "-o", ""), ["table", "wide", "json", "ndjson"]);
});

test("the scripts of all shells know every command", () => {
  for (const shell of ["bash", "zsh", "fish"] as const)
    for (const path of tree.words().keys())
      assert.match(completionScript(shell, completion), new RegExp(`'${path}'`), `${shell}: ${path}`);
});
