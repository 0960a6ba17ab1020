import { duration, integer, number, span } from "./numbers.ts";
import { filled, flag, list, optional, type Read, required, struct, text, variant, word } from "./shape.ts";

const flapFields = {
  enabled: optional(flag, true),
  alpha: optional(number({ above: 0, max: 1 }), 0.1),
  high_threshold: optional(number({ min: 0, max: 1 }), 0.3),
  low_threshold: optional(number({ min: 0, max: 1 }, 0), 0.15),
  notify_on_flap_stop: optional(flag, false),
};
export const flap = struct(flapFields);
export type FlapDocument = Read<typeof flap>;

const schedule = {
  check_interval: optional(span, 60_000),
  retry_interval: optional(span, 15_000),
  timeout: optional(span, 10_000),
  max_attempts: optional(integer({ min: 1 }), 3),
  flap: required(flap),
  check_period: optional(text, ""),
};

const args = optional(list(text), []);
/** What runs a program of some kind: checks and handlers alike. */
export const programs = {
  legacy: { path: required(filled), args },
  wasm: { module: required(filled), args },
  command: { command: required(filled), args },
};

const authProtocols = ["", "MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
const privacyProtocols = ["", "DES", "AES", "AES192", "AES256", "AES192C", "AES256C"] as const;
const snmp = {
  address: required(filled),
  oid: required(filled),
  community: optional<string | undefined, undefined>(filled, undefined),
  user: optional<string | undefined, undefined>(filled, undefined),
  auth_proto: optional(word(authProtocols), ""),
  auth_pass: optional(text, ""),
  priv_proto: optional(word(privacyProtocols), ""),
  priv_pass: optional(text, ""),
  warn: optional(text, ""),
  crit: optional(text, ""),
  expect: optional(text, ""),
  label: optional(text, ""),
  uom: optional(text, ""),
};

export const check = variant("check", {
  command: { ...programs.command, ...schedule },
  dns: { server: required(filled), name: required(filled), ...schedule },
  http: { url: required(filled), ...schedule },
  icmp: { host: required(filled), ...schedule },
  legacy: { ...programs.legacy, ...schedule },
  passive: {
    freshness_threshold: required(span),
    stale_status: optional(word(["UNKNOWN", "WARNING", "CRITICAL"]), "UNKNOWN"),
    ...schedule,
  },
  snmp: { ...snmp, ...schedule },
  tcp: { address: required(filled), ...schedule },
  tls: {
    address: required(filled),
    warn_within: optional(duration, 1_209_600_000),
    crit_within: optional(duration, 259_200_000),
    ...schedule,
  },
  wasm: { ...programs.wasm, ...schedule },
});
export type CheckDocument = NonNullable<Read<typeof check>>;
