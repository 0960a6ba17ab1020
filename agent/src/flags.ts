import { checkProgramFlags, durationFlag, programFlags } from "@realmwatch/shared/api/program-flags";
import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf, optionalHttpUrl, wholeNumber } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { optionalFlag, textFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { parseSmtpUrl } from "./contacts/mail/smtp-url.ts";
import { pairFlags } from "./pair/pair-flags.ts";

const units: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Parses `512MiB` or `3GiB` into bytes; at least 64 MiB, because the evaluator alone needs about that. */
function parseMemory(text: string): Result<number, string> {
  const parts = /^(\d{1,12})(B|KiB|MiB|GiB)$/.exec(text);
  const bytes = Number(parts?.[1]) * (units[parts?.[2] ?? ""] ?? Number.NaN);
  return bytes >= 64 * 2 ** 20 ? ok(bytes) : fail("must be a size such as 512MiB or 3GiB, at least 64MiB");
}

function parseRealm(text: string): Result<string, string> {
  return realmNamePattern.test(text)
    ? ok(text)
    : fail("must be a realm name: lower-case letters, digits and dashes, a letter first, at most 63");
}

/** Checks the URL of a mail server and keeps it as text; the mail contact parses it. */
function parseMailServer(text: string): Result<string | undefined, string> {
  if (text === "") return ok(undefined);
  const parsed = parseSmtpUrl(text);
  return parsed.ok ? ok(text) : parsed;
}

const zonePattern = /^[^\s,\p{Cc}]{1,255}$/u;

function parseZones(text: string): Result<readonly string[], string> {
  const zones = text.split(",").map((zone) => zone.trim());
  return zones.every((zone) => zonePattern.test(zone))
    ? ok(zones)
    : fail("must be a list of zone names separated by commas");
}

const baseUrl = (system: string, fallback: string) =>
  ({ kind: "value", help: `Base URL of ${system}.`, placeholder: "URL", fallback, parse: optionalHttpUrl }) as const;

/** Name of an agent's realm without `-realm`; a worker without it runs the checks of all realms. */
export const defaultRealm = "default";

/** Flags of the agent. */
export const agentFlags = {
  ...programFlags,
  config: textFlag("Configuration document, or a directory of them; reloaded on SIGHUP.", "FILE"),
  "config-profile": optionalFlag("`demo` narrows what a configuration may contain.", "PROFILE", oneOf(["", "demo"])),
  "check-config": { kind: "switch", help: "Check the configuration, print its problems, and exit." },
  v: { kind: "switch", help: "With -check-config: also print how long each step of loading the document takes." },
  lint: { kind: "switch", help: "With -check-config: also warn of what is valid but probably not intended." },
  realm: {
    kind: "value",
    help: "Name of this realm. A worker runs the checks of all realms, or with another name those of that realm.",
    placeholder: "NAME",
    fallback: defaultRealm,
    parse: parseRealm,
  },
  zones: {
    kind: "value",
    help: "Zones whose checks run here, separated by commas.",
    placeholder: "LIST",
    fallback: "default",
    parse: parseZones,
  },
  worker: { kind: "switch", help: "Hold no state and run checks of the zones for the realm's agent." },
  "insecure-worker": {
    kind: "switch",
    help: "Also send checks to workers, or accept them, over a NATS server that requires no login.",
  },
  "command-file": textFlag("FIFO that the agent creates and takes external commands from.", "FILE"),
  "snapshot-out": textFlag("File to which a snapshot of all objects is written.", "FILE"),
  "snapshot-interval": durationFlag("Interval between snapshots.", "60s"),
  "incident-token": { kind: "secret", help: "API token of the incident contact type.", placeholder: "TOKEN" },
  "messenger-token": { kind: "secret", help: "Bot token of the messenger contact type.", placeholder: "TOKEN" },
  "smtp-url": optionalFlag("SMTP server, which may name a user: smtp://user@host:port.", "URL", parseMailServer),
  "smtp-from": textFlag("Sender of mails.", "ADDRESS"),
  "smtp-password": { kind: "secret", help: "Password of the user in -smtp-url.", placeholder: "PASSWORD" },
  "messenger-url": baseUrl("the messenger's bot API", "https://api.telegram.org"),
  "pager-url": baseUrl("the paging service's events API", "https://events.pagerduty.com"),
  "incident-url": baseUrl("the incident service's API", "https://api.incident.io"),
  "max-concurrent-checks": {
    kind: "value",
    help: "Checks that run at the same time, of which programs at most 64.",
    placeholder: "N",
    fallback: "1024",
    parse: wholeNumber({ min: 1, max: 100_000 }),
  },
  "config-timeout": durationFlag("How long evaluating a configuration may take.", "40s"),
  "config-memory": {
    kind: "value",
    help: "Memory that evaluating a configuration may use.",
    placeholder: "SIZE",
    fallback: "3GiB",
    parse: parseMemory,
  },
  "cue-command": textFlag(
    "Installed `cue` program that evaluates the configuration, or `auto` for the one on PATH; default: the CUE inside.",
    "PATH",
  ),
  "metrics-retention": durationFlag("How long performance data for `local` datasources is kept.", "48h"),
  "history-retention": durationFlag("How long history is kept.", "720h"),
  "audit-retention": durationFlag("How long audit records are kept.", "8760h"),
  ...pairFlags,
} as const satisfies FlagTable;

export type AgentFlags = FlagValues<typeof agentFlags>;

/** Settings that the agent's start warnings are about. The name of the realm is one only where it publishes to a centre. */
export const agentStart = (flags: AgentFlags) => ({
  flags,
  realm: flags.natsUrl === undefined ? undefined : flags.realm,
  documents: [flags.config, flags.authConfig],
});

/** Checks the flags of a worker. The error is one line. */
export function checkWorkerFlags(flags: AgentFlags): Result<undefined, string> {
  return flags.natsUrl === undefined
    ? fail("-worker needs -nats-url: the worker receives its checks from there")
    : checkProgramFlags(flags);
}
