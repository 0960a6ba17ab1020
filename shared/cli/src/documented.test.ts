import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { documentedLines } from "@realmwatch/shared/platform/testing/documented-lines.fixture";
import { cliCommands } from "./commands/cli-commands.ts";
import { connectionFlags } from "./connection/connection-flags.ts";
import { buildProgram, knownFlags } from "./parse/build-program.ts";
import { normaliseArgv } from "./parse/normalise-argv.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/cli.md"), "utf8");
/** First and second cells of table lines: flags and the commands that have them. */
const cells = [...page.matchAll(/^\| (`[^|]+`) \|([^|]*)\|/gm)].map(
  ([, first = "", second = ""]) => [first, second] as const,
);
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);

test("docs/reference/cli.md lists every command with its arguments, and no other", () => {
  const written = [...page.matchAll(/^\| `([a-z][^`]*)` \|/gm)].map((match) =>
    (match[1] as string).replaceAll("\\|", "|"),
  );
  const known = cliCommands.map(({ path, args }) => [path, ...args].join(" "));
  const isTableOfOthers = (text: string): boolean => /^(web1|now|process:|\d)/.test(text);
  assert.deepEqual(written.filter((text) => !isTableOfOthers(text)).sort(), known.sort());
});

test("docs/reference/cli.md lists the flags of every command", () => {
  const written = cells
    .filter(([first]) => first.startsWith("`-"))
    .flatMap(([flags, commands]) =>
      quoted(flags).flatMap((flag) => quoted(commands).map((command) => `${command} ${flag.split(" ")[0]}`)),
    );
  const known = cliCommands.flatMap(({ path, flags }) => Object.keys(flags).map((name) => `${path} -${name}`));
  const ofCommands = written.filter((line) => !line.startsWith("REALMWATCH_") && !/^(table|http)/.test(line));
  assert.deepEqual(ofCommands.sort(), known.sort());
  for (const name of Object.keys(connectionFlags)) assert.ok(page.includes(`| \`-${name}\` |`), name);
});

test("a flag takes a value where its own command says so, whatever other commands have under its name", () => {
  const program = buildProgram({ version: "", columns: 80, print() {}, onCommand() {} });
  for (const { path, flags } of cliCommands) {
    const known = knownFlags(program, ["-server", "x", ...path.split(" ")]);
    for (const [name, { placeholder }] of Object.entries(flags))
      assert.equal(known.get(name)?.takesValue, placeholder !== undefined, `${path} -${name}`);
  }
});

test("every command line of realmwatch in the documentation has commands, arguments and flags that exist", () => {
  const lines = documentedLines("realmwatch");
  assert.ok(lines.length > 80);
  const wrong = lines.flatMap(({ place, args }) => {
    const program = buildProgram({ version: "", columns: 80, print() {}, onCommand() {} });
    const words = normaliseArgv(args, knownFlags(program, args));
    if (!words.ok) return [`${place}: ${words.error}`];
    try {
      program.parse(words.value, { from: "user" });
      return [];
    } catch (error) {
      return [`${place}: ${(error as Error).message}`];
    }
  });
  assert.deepEqual(wrong, []);
});
