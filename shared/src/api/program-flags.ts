import { fail, ok, type Result } from "../model/result.ts";
import { anyText, listenAddress, oneOf, optionalHttpUrl, optionalText } from "../platform/flags/flag-parsers.ts";
import type { FlagTable, FlagValues } from "../platform/flags/flags.ts";
import { logFormats, logLevels } from "../platform/log/log.ts";
import { parseTrustedProxies } from "../platform/http/peer-address.ts";
import { parseDuration } from "../text/duration.ts";

/** A duration in Go's syntax, longer than none. @returns ms */
export function positiveDuration(text: string): Result<number, string> {
  const duration = parseDuration(text);
  return duration.ok && duration.value === 0 ? fail("is no duration above 0") : duration;
}

/** The shortest session secret that is worth signing with, bytes. */
const minSessionSecretBytes = 32;

/** The flags that agent and aggregator have in common; each program's own table spreads it. */
export const programFlags = {
  listen: {
    kind: "value",
    help: "Address of the API, the dashboard and /metrics.",
    placeholder: "HOST:PORT",
    fallback: "127.0.0.1:8080",
    parse: listenAddress,
  },
  "api-token": {
    kind: "secret",
    help: "Bearer token that commands need; not with -auth-config.",
    placeholder: "TOKEN",
    refuse: (text) => (/^[!-~]+$/.test(text) ? undefined : "has characters that no bearer token can have"),
  },
  "auth-config": {
    kind: "value",
    help: "Document that declares identities and their roles.",
    placeholder: "FILE",
    fallback: "",
    parse: optionalText,
  },
  "read-only": { kind: "switch", help: "Serve no commands and no configuration." },
  "session-secret": {
    kind: "secret",
    help: "Signs sessions; without it they end with the process.",
    placeholder: "SECRET",
    refuse: (text) =>
      Buffer.byteLength(text) < minSessionSecretBytes ? `is shorter than ${minSessionSecretBytes} bytes` : undefined,
  },
  "session-ttl": {
    kind: "value",
    help: "How long a session lasts.",
    placeholder: "DURATION",
    fallback: "12h",
    parse: positiveDuration,
  },
  "nats-url": { kind: "secret", help: "NATS server, which may name a user and a password.", placeholder: "URL" },
  "nats-creds": {
    kind: "value",
    help: "NATS credentials file.",
    placeholder: "FILE",
    fallback: "",
    parse: optionalText,
  },
  "log-level": {
    kind: "value",
    help: `What is logged: ${logLevels.join(", ")}.`,
    placeholder: "LEVEL",
    fallback: "info",
    parse: oneOf(logLevels),
  },
  "log-format": {
    kind: "value",
    help: `How it is logged: ${logFormats.join(", ")}.`,
    placeholder: "FORMAT",
    fallback: "json",
    parse: oneOf(logFormats),
  },
  "trusted-proxies": {
    kind: "value",
    help: "Addresses and CIDR blocks whose X-Forwarded-For counts, separated by commas.",
    placeholder: "LIST",
    fallback: "",
    parse: parseTrustedProxies,
  },
  "public-url": {
    kind: "value",
    help: "Where people reach the dashboard; notifications link to it.",
    placeholder: "URL",
    fallback: "",
    parse: optionalHttpUrl,
  },
  "data-dir": {
    kind: "value",
    help: "Where state is kept; made with mode 0700.",
    placeholder: "DIR",
    fallback: "./realmwatch-data",
    parse: (text: string) => (text === "" ? fail("names no directory") : anyText(text)),
  },
} as const satisfies FlagTable;

export type ProgramFlags = FlagValues<typeof programFlags>;

/** What is wrong with flags that are each right, in one line. */
export function checkProgramFlags({
  apiToken,
  authConfig,
}: Pick<ProgramFlags, "apiToken" | "authConfig">): Result<undefined, string> {
  return apiToken !== undefined && authConfig !== undefined
    ? fail("-api-token and -auth-config are both given: identities have tokens of their own")
    : ok(undefined);
}
