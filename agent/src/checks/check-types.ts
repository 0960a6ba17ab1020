import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { ActiveCheckType } from "./check-type.ts";
import { command } from "./types/command.ts";
import { dns } from "./types/dns.ts";
import { http } from "./types/http.ts";
import { icmp } from "./types/icmp.ts";
import { legacy } from "./types/legacy.ts";
import { snmp } from "./types/snmp.ts";
import { tcp } from "./types/tcp.ts";
import { tls } from "./types/tls.ts";
import { wasm } from "./types/wasm.ts";

/** Every check that the agent runs, by its type. Leaving one out or misfiling it does not compile. */
export const checkTypes = { command, dns, http, icmp, legacy, snmp, tcp, tls, wasm } satisfies {
  [T in ActiveCheckSpec["type"]]: ActiveCheckType<Extract<ActiveCheckSpec, { type: T }>>;
};

/** The way to run `spec`. The map's type vouches that it takes just this spec, which the compiler cannot follow. */
export const checkTypeOf = (spec: ActiveCheckSpec): ActiveCheckType<ActiveCheckSpec> =>
  checkTypes[spec.type] as ActiveCheckType<ActiveCheckSpec>;
