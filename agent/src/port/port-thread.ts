import { fail, ok } from "@realmwatch/shared/model/result";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { agentFlags } from "../flags.ts";
import { AgentPort } from "./agent-port.ts";
import type { EngineFunctions, PortStart } from "./port-contract.ts";

serveThread<PortStart, undefined, EngineFunctions>((start, engine) => {
  const flags = parseFlags(agentFlags, { args: start.args, env: {}, commands: {} });
  return flags.ok
    ? ok({ opening: undefined, handlers: new AgentPort(start, flags.value.values, engine) })
    : fail("the flags cannot be parsed again");
});
