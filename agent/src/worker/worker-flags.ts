import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { AgentFlags } from "../flags.ts";

/** What is wrong with the flags of a worker, in one line. */
export function checkWorkerFlags({ natsUrl }: AgentFlags): Result<undefined, string> {
  return natsUrl === undefined ? fail("-worker needs -nats-url: that is where it gets its checks from") : ok(undefined);
}
