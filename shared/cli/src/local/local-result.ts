import { fail, ok } from "@realmwatch/shared/model/result";
import type { AgentProgramResult } from "./run-agent-program.ts";

/** The agent's program has printed everything; its exit code is ours. */
export const localResult = ({ code }: AgentProgramResult) =>
  code === 0 ? ok(undefined) : fail({ code: code === 2 ? 2 : 1, lines: [] } as const);
