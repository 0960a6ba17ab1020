import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { AgentFlags } from "../flags.ts";

/** Checks the flags of a worker. The error is one line. */
export function checkWorkerFlags({ natsUrl }: AgentFlags): Result<undefined, string> {
  return natsUrl === undefined
    ? fail("-worker needs -nats-url: the worker receives its checks from there")
    : ok(undefined);
}
