import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
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
  return execFileSync("bash", ["--norc", "-c", script], {
    encoding: "utf8",
    env: { PATH: `${programs}:/usr/bin:/bin` },
  }).trim();
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

/** Completes a line as a shell does when TAB is typed at its end, where `realmwatch` prints names; needs the shell. */
const shells = {
  zsh(line: string): string {
    writeFileSync(join(programs, "_realmwatch"), completionScript("zsh", completion));
    // Typed into a terminal of its own; ^X prints what the line is then.
    const script = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='' fpath=($2 \\$fpath); autoload -U compinit; compinit -u -D; unsetopt automenu"
zpty -w shell "show() { print -r -- \\"<<\\$BUFFER>>\\" }; zle -N show; bindkey '^X' show; print re''ady"
zpty -r shell line '*ready*'
zpty -w -n shell "$1"$'\\t\\x18'
zpty -r shell line '*<<*>>*'
print -r -- "\${\${line#*<<}%%>>*}"
zpty -d shell`;
    return run("zsh", ["-f", "-c", script, "zsh", line, programs]).trim();
  },
  fish(line: string): string {
    const script = `${completionScript("fish", completion)}\ncomplete -C '${line}'`;
    return run("fish", ["--no-config", "--command", script]).trim().split("\n").join(" ");
  },
};
const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: programs, TERM: "xterm" };
const run = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: "utf8",
    env,
    cwd: programs,
    timeout: 60_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
const skipWithout = (shell: string): string | false =>
  spawnSync(shell, ["--version"]).status !== 0 && `${shell} is not installed: it is in Debian's package ${shell}`;

test("zsh completes commands, flags, values and names, and runs nothing in names", { skip: skipWithout("zsh") }, () => {
  assert.equal(shells.zsh("realmwatch sta"), "realmwatch status");
  assert.equal(shells.zsh("realmwatch downtime add web1 -fl"), "realmwatch downtime add web1 -flexible");
  assert.equal(shells.zsh("realmwatch status -output ndj"), "realmwatch status -output ndjson");
  assert.equal(shells.zsh("realmwatch status -target-realm n"), "realmwatch status -target-realm nyc");
  assert.equal(shells.zsh("realmwatch explain we"), "realmwatch explain web1");
  assert.equal(shells.zsh("realmwatch ack x"), String.raw`realmwatch ack x\$\(touch\ ${programs}/realmwatch.hacked\)`);
  assert.ok(!existsSync(join(programs, "realmwatch.hacked")));
});

test("fish completes commands, flags, values and names, and runs nothing in names", {
  skip: skipWithout("fish"),
}, () => {
  assert.equal(shells.fish("realmwatch sta"), "status");
  assert.equal(shells.fish("realmwatch downtime add web1 -fl"), "-flexible");
  assert.equal(shells.fish("realmwatch status -output ndj"), "ndjson");
  assert.equal(shells.fish("realmwatch status -target-realm n"), "nyc");
  assert.match(shells.fish("realmwatch explain we"), /^web1 web1\/disk c/);
  assert.equal(shells.fish("realmwatch ack x"), `x$(touch ${programs}/realmwatch.hacked)`);
  assert.ok(!existsSync(join(programs, "realmwatch.hacked")));
});
