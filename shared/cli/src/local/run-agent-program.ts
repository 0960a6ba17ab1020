import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export type AgentProgramRun = {
  /** Subcommand with its arguments and flags. */
  readonly args: readonly string[];
  /** Input on stdin; empty by default. */
  readonly input?: string;
  /** True to return stdout instead of printing it. */
  readonly capture?: boolean;
  /** Receives how far the program is, in words. */
  readonly progress?: (text: string) => void;
};
export type AgentProgramResult = {
  /** Exit code; 1 when a signal ended the program. */
  readonly code: number;
  readonly stdout: string;
};
export type RunAgentProgram = (run: AgentProgramRun) => Promise<AgentProgramResult>;

/**
 * Runs the agent's program on this machine, for subcommands that work on files. It inherits stderr, and stdout too
 * unless that is captured.
 */
export const runAgentProgram: RunAgentProgram = async ({ args, input, capture = false, progress }) => {
  const program = fileURLToPath(import.meta.resolve("@realmwatch/agent/program"));
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: [
      input === undefined ? "ignore" : "pipe",
      capture ? "pipe" : "inherit",
      "inherit",
      ...(progress === undefined ? [] : (["ipc"] as const)),
    ],
  });
  if (progress !== undefined) child.on("message", (said) => progress(String(said)));
  const ended = once(child, "close");
  // The program may exit before it has read its input; its exit code has the result.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const [stdout] = await Promise.all([child.stdout === null ? "" : text(child.stdout), ended]);
  return { code: child.exitCode ?? 1, stdout };
};
