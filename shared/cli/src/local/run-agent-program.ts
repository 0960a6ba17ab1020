import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export type AgentProgramRun = {
  /** The sub-command with its words and flags. */
  readonly args: readonly string[];
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
  /** Keeps its stdout for the caller instead of printing it. */
  readonly capture?: boolean;
};
export type AgentProgramResult = {
  /** Its exit code; 1 where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
};
export type RunAgentProgram = (run: AgentProgramRun) => Promise<AgentProgramResult>;

/**
 * Runs the agent's program on this machine for what works on files. It speaks for itself: its stderr is ours, and
 * its stdout too unless it is captured.
 */
export const runAgentProgram: RunAgentProgram = async ({ args, input, capture = false }) => {
  const program = fileURLToPath(import.meta.resolve("@realmwatch/agent/main"));
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: [input === undefined ? "ignore" : "pipe", capture ? "pipe" : "inherit", "inherit"],
  });
  const ended = once(child, "close");
  // A program that ends before it has read everything is no trouble of ours: its exit code tells.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const [stdout] = await Promise.all([child.stdout === null ? "" : text(child.stdout), ended]);
  return { code: child.exitCode ?? 1, stdout };
};
