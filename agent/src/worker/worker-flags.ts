import { checkProgramFlags } from "@realmwatch/shared/api/program-flags";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { AgentFlags } from "../flags.ts";

/** Checks the flags of a worker. The error is one line. */
export function checkWorkerFlags(flags: AgentFlags): Result<undefined, string> {
  return flags.natsUrl === undefined
    ? fail("-worker needs -nats-url: the worker receives its checks from there")
    : checkProgramFlags(flags);
}
