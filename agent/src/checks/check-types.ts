import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { ActiveCheckType } from "./check-type.ts";
import { commandCheckType } from "./types/command.ts";
import { dnsCheckType } from "./types/dns.ts";
import { httpCheckType } from "./types/http.ts";
import { icmpCheckType } from "./types/icmp.ts";
import { legacyCheckType } from "./types/legacy.ts";
import { snmpCheckType } from "./types/snmp.ts";
import { tcpCheckType } from "./types/tcp.ts";
import { tlsCheckType } from "./types/tls.ts";
import { wasmCheckType } from "./types/wasm.ts";

/** Check types that the agent runs itself, by `type`. A missing or misfiled entry does not compile. */
export const checkTypes = {
  command: commandCheckType,
  dns: dnsCheckType,
  http: httpCheckType,
  icmp: icmpCheckType,
  legacy: legacyCheckType,
  snmp: snmpCheckType,
  tcp: tcpCheckType,
  tls: tlsCheckType,
  wasm: wasmCheckType,
} satisfies {
  [T in ActiveCheckSpec["type"]]: ActiveCheckType<Extract<ActiveCheckSpec, { type: T }>>;
};

/** Check type of `spec`. The cast is safe because the type of `checkTypes` matches each entry to its spec. */
export const checkTypeOf = (spec: ActiveCheckSpec): ActiveCheckType<ActiveCheckSpec> =>
  checkTypes[spec.type] as ActiveCheckType<ActiveCheckSpec>;
