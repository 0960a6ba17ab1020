import { userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { readPassword } from "./local/read-password.ts";
import { runAgentProgram } from "./local/run-agent-program.ts";
import { runWithElapsedLine } from "./output/elapsed-line.ts";
import { type CliEnvironment, runCli } from "./run-cli.ts";

const { stdin, stdout, stderr, env } = process;

// The reader of a pipe may close it early: `realmwatch history | head`.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Login name of the user; empty for an account without an entry in the password file. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

/** Signal that aborts when the user or the system asks the program to end. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

const environment: CliEnvironment = {
  args: process.argv.slice(2),
  env,
  clock: systemClock,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  terminal: () => (stdout.isTTY ? { columns: stdout.columns, rows: stdout.rows } : undefined),
  colours: stdout.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
  loginName,
  confirm: stdin.isTTY && stderr.isTTY ? confirm : undefined,
  readPassword: (question) => readPassword(question, { input: stdin, print: (text) => stderr.write(text) }),
  runAgent: runAgentProgram,
  stopSignal,
  // To the first cell, then all after it, then what has scrolled away.
  clear: () => stdout.write("\u001b[H\u001b[2J\u001b[3J"),
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
};
process.exitCode = stderr.isTTY
  ? await runWithElapsedLine(environment, (text) => stderr.write(text), runCli)
  : await runCli(environment);
