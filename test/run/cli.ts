import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { root } from "../architecture/sources.ts";

export type ProcessExit = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
type RunOptions = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string };

/** Program and arguments that run the command line `realmwatch`. */
export const cliProgram: readonly string[] = builtProgram("shared/cli");

/** Runs a program to its end, without a terminal and with an empty input. */
export async function runToEnd(
  words: readonly string[],
  { env = {}, cwd = root }: RunOptions = {},
): Promise<ProcessExit> {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code: child.exitCode, stdout, stderr };
}

/** Runs the command line `realmwatch` with arguments. */
export const runRealmwatch = (args: readonly string[], options: RunOptions = {}): Promise<ProcessExit> =>
  runToEnd([...cliProgram, ...args], options);

/** Runs a `realmwatch` command and resolves to its output. Asserts that it succeeds without output on stderr. */
export async function outputOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await runRealmwatch(args, { env });
  assert.deepEqual([code, stderr], [0, ""], `${args.join(" ")}\n${stdout}`);
  return stdout;
}
