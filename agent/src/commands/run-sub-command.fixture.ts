import assert from "node:assert/strict";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";

export type SubCommandOutput = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a sub-command with a command line and environment, as the program does. */
export async function runSubCommand(
  command: SubCommand,
  args: readonly string[],
  { stdin = "", env = {} }: { stdin?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<SubCommandOutput> {
  const read = parseFlags({}, { args: ["word", ...args], env, commands: { word: command } });
  assert.ok(read.ok && read.value.command !== undefined, JSON.stringify(read));
  const ended = await command.run({ ...read.value.command, readStdin: async () => stdin });
  if (ended.ok) return { code: 0, stdout: ended.value, stderr: "" };
  if (typeof ended.error === "string") return { code: 1, stdout: "", stderr: ended.error };
  const { code, lines, requested = false } = ended.error;
  const text = lines.join("\n");
  return { code, stdout: requested ? text : "", stderr: requested ? "" : text };
}
