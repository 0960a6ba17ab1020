import { fail, ok } from "@realmwatch/shared/model/result";
import type { AgentProgramResult } from "./run-agent-program.ts";

/** Result of the agent's program, which printed its output itself; its exit code becomes that of the command. */
export const localResult = ({ code }: AgentProgramResult) =>
  code === 0 ? ok(undefined) : fail({ code: code === 2 ? 2 : 1, lines: [] } as const);
