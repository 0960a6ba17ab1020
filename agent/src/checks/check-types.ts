import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { ActiveCheckType } from "./check-type.ts";
import { command } from "./command.ts";
import { dns } from "./dns.ts";
import { http } from "./http.ts";
import { icmp } from "./icmp.ts";
import { legacy } from "./legacy.ts";
import { snmp } from "./snmp.ts";
import { tcp } from "./tcp.ts";
import { tls } from "./tls.ts";
import { wasm } from "./wasm.ts";

/** Every check that the agent runs, by its type. Leaving one out or misfiling it does not compile. */
export const checkTypes = { command, dns, http, icmp, legacy, snmp, tcp, tls, wasm } satisfies {
  [T in ActiveCheckSpec["type"]]: ActiveCheckType<Extract<ActiveCheckSpec, { type: T }>>;
};

/** The way to run `spec`. The map's type vouches that it takes just this spec, which the compiler cannot follow. */
export const checkTypeOf = (spec: ActiveCheckSpec): ActiveCheckType<ActiveCheckSpec> =>
  checkTypes[spec.type] as ActiveCheckType<ActiveCheckSpec>;
