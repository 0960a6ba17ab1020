import { userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { readPassword } from "./local/read-password.ts";
import { runAgentProgram } from "./local/run-agent-program.ts";
import { runCli } from "./run-cli.ts";

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

process.exitCode = await runCli({
  args: process.argv.slice(2),
  env,
  clock: systemClock,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  columns: stdout.isTTY ? stdout.columns : undefined,
  colours: stdout.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
  loginName,
  confirm: stdin.isTTY && stderr.isTTY ? confirm : undefined,
  readPassword: (question) => readPassword(question, { input: stdin, print: (text) => stderr.write(text) }),
  runAgent: runAgentProgram,
  stopSignal,
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
});
