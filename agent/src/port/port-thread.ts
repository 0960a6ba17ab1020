import { openPortParts } from "@realmwatch/shared/api/engine-parts";
import { fail, ok } from "@realmwatch/shared/model/result";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { agentFlags } from "../flags.ts";
import { AgentPort } from "./agent-port.ts";
import type { EngineFunctions, PortStart } from "./port-contract.ts";

serveThread<PortStart, undefined, EngineFunctions>(async (start, engine) => {
  const parsed = parseFlags(agentFlags, { args: start.args, env: {}, commands: {} });
  if (!parsed.ok) return fail("the flags cannot be parsed again");
  const flags = parsed.value.values;
  const parts = await openPortParts(flags, engine, systemClock);
  return ok({ opening: undefined, handlers: new AgentPort(start, { flags, parts }, engine) });
});
