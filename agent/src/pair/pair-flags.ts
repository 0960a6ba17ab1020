import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf, optionalHttpUrl } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag, optionalFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { memberNamePattern } from "./member-name.ts";

/** Minimum length of the secret of a pair, bytes. */
const minSecretBytes = 32;
const leaseBoundsMs = { min: 3_000, max: 300_000 } as const;
const defaultLease = "45s";

function parseMember(text: string): Result<string | undefined, string> {
  if (text === "") return ok(undefined);
  return memberNamePattern.test(text)
    ? ok(text)
    : fail("must be letters, digits, dashes, dots and underscores, a letter or digit first, at most 63");
}

function parseLease(text: string): Result<number, string> {
  const duration = parseDuration(text);
  if (!duration.ok) return duration;
  return duration.value >= leaseBoundsMs.min && duration.value <= leaseBoundsMs.max
    ? duration
    : fail("must be from 3s to 5m");
}

/** Flags of an agent that is a member of a pair. */
export const pairFlags = {
  pair: optionalFlag(
    "Name of this member of a pair of agents that serve the realm; its data directory is its own.",
    "NAME",
    parseMember,
  ),
  "pair-peer": optionalFlag("URL of the other member's port.", "URL", optionalHttpUrl),
  "pair-secret": {
    kind: "secret",
    help: "Secret of both members, at least 32 bytes; each proves that it has it, neither sends it.",
    placeholder: "SECRET",
    refuse: (text) =>
      Buffer.byteLength(text) < minSecretBytes ? `is shorter than ${minSecretBytes} bytes` : undefined,
  },
  "pair-tls-ca": fileFlag(
    "Certificates of the authorities that sign the other member's certificate; default: those of the system.",
  ),
  "pair-lease": {
    kind: "value",
    help: "Time after which a dead active member loses the realm, from 3s to 5m; the same at both members.",
    placeholder: "DURATION",
    fallback: defaultLease,
    parse: parseLease,
  },
  "pair-on-lost-lease": {
    kind: "value",
    help: "What an active member does without its lease and the other member: `hold` everything, or `page` and mark notifications as possible duplicates.",
    placeholder: "ACTION",
    fallback: "hold",
    parse: oneOf(["hold", "page"]),
  },
  "insecure-pair": { kind: "switch", help: "Also use http, and not https, to a -pair-peer on another machine." },
} as const satisfies FlagTable;

type PairFlagValues = FlagValues<typeof pairFlags>;

/** Flags that decide whether the agent can be a member of a pair. */
type PairFlagsToCheck = PairFlagValues & { readonly natsUrl: Secret | undefined; readonly worker: boolean };

/** Checks the flags of a pair. The error is one line. */
export function checkPairFlags(flags: PairFlagsToCheck): Result<undefined, string> {
  if (flags.pair === undefined) return checkUnpaired(flags);
  if (flags.worker) return fail("-pair and -worker are both given: a worker holds no state that could be taken over");
  if (flags.pairPeer === undefined) return fail("-pair needs -pair-peer: the URL of the other member's port");
  if (flags.pairSecret === undefined)
    return fail("-pair needs -pair-secret-file: a file with at least 32 bytes, the same at both members");
  if (flags.natsUrl === undefined) return fail("-pair needs -nats-url: the lease of the realm is kept there");
  return checkPeer(new URL(flags.pairPeer), flags);
}

function checkPeer(
  { protocol, hostname, username, password, search, hash }: URL,
  flags: PairFlagsToCheck,
): Result<undefined, string> {
  if (search !== "" || hash !== "") return fail("-pair-peer has a query or fragment: give the URL of the port alone");
  if (username !== "" || password !== "")
    return fail("-pair-peer has a login: the members know each other by the secret");
  if (protocol === "https:") return ok(undefined);
  if (flags.pairTlsCa !== undefined) return fail("-pair-tls-ca is given, but -pair-peer is not an https URL");
  return flags.insecurePair || isLoopbackHost(hostname)
    ? ok(undefined)
    : fail("-pair-peer is an http URL of another machine: use https, or give -insecure-pair");
}

/** Host name as `URL` has it: an IPv6 address is in brackets. */
const isLoopbackHost = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** A flag of a pair alone is a mistake, unless its value is the default. */
function checkUnpaired(flags: PairFlagsToCheck): Result<undefined, string> {
  const given = [
    ["pair-peer", flags.pairPeer !== undefined],
    ["pair-secret", flags.pairSecret !== undefined],
    ["pair-tls-ca", flags.pairTlsCa !== undefined],
    ["pair-lease", flags.pairLease !== undefined && `${flags.pairLease / 1_000}s` !== defaultLease],
    ["pair-on-lost-lease", flags.pairOnLostLease === "page"],
    ["insecure-pair", flags.insecurePair],
  ] as const;
  const first = given.find(([, isGiven]) => isGiven);
  return first === undefined ? ok(undefined) : fail(`-${first[0]} needs -pair: the name of this member`);
}
