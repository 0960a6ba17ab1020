import type { VariantOutput } from "../parser/structs.ts";
import type { ExpandCommand } from "./check-kind.ts";
import { commandCheckKind } from "./command.ts";
import { dnsCheckKind } from "./dns.ts";
import { httpCheckKind } from "./http.ts";
import { icmpCheckKind } from "./icmp.ts";
import { legacyCheckKind } from "./legacy.ts";
import { passiveCheckKind } from "./passive.ts";
import { snmpCheckKind } from "./snmp.ts";
import { tcpCheckKind } from "./tcp.ts";
import { tlsCheckKind } from "./tls.ts";
import { wasmCheckKind } from "./wasm.ts";

/**
 * Every check type by the name that a document gives as `type`. Schema, reference, specs, the list of types, zone support,
 * the types that the demo profile accepts and the command shown to readers follow from this map.
 */
export const checkKinds = filedByType({
  command: commandCheckKind,
  dns: dnsCheckKind,
  http: httpCheckKind,
  icmp: icmpCheckKind,
  legacy: legacyCheckKind,
  passive: passiveCheckKind,
  snmp: snmpCheckKind,
  tcp: tcpCheckKind,
  tls: tlsCheckKind,
  wasm: wasmCheckKind,
});

type SpecType<K> = K extends { compile(...args: never[]): { readonly type: infer T } } ? T : never;

/** Identity function that does not accept a kind under another name than the type of its spec. */
function filedByType<M extends { readonly [T in keyof M]: SpecType<M[T]> extends T ? M[T] : never }>(kinds: M): M {
  return kinds;
}

/** Compiled check: what to check and how. */
export type CheckSpec = ReturnType<(typeof checkKinds)[keyof typeof checkKinds]["compile"]>;

/** Check as the document has it, schedule included. */
export type CheckDocument = VariantOutput<typeof checkKinds>;

/** Command line of a check for readers, or the target of one without a program. Secrets are not masked. */
export function checkTarget(check: CheckSpec, expandCommand: ExpandCommand): string {
  // The map pairs each type with its spec, which the compiler cannot follow through an index.
  const target = checkKinds[check.type].target as (check: CheckSpec, expandCommand: ExpandCommand) => string;
  return target(check, expandCommand);
}
