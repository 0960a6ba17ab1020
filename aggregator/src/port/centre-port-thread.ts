import { fail, ok } from "@realmwatch/shared/model/result";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { aggregatorFlags } from "../flags.ts";
import type { CentreFunctions, CentrePortStart } from "./centre-contract.ts";
import { openCentrePort } from "./centre-port.ts";

serveThread<CentrePortStart, undefined, CentreFunctions>(async (start, engine) => {
  const flags = parseFlags(aggregatorFlags, { args: start.args, env: {}, commands: {} });
  return flags.ok
    ? ok({ opening: undefined, handlers: await openCentrePort(start, flags.value.values, engine) })
    : fail("the flags cannot be parsed again");
});
