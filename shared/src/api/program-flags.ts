import { fail, ok, type Result } from "../model/result.ts";
import {
  anyText,
  listenAddress,
  oneOf,
  optionalHttpUrl,
  optionalListenAddress,
} from "../platform/flags/flag-parsers.ts";
import type { FlagTable, FlagValues } from "../platform/flags/flags.ts";
import { fileFlag, optionalFlag } from "../platform/flags/optional-flags.ts";
import { parseAllowedHosts } from "../platform/http/host-header.ts";
import { logFormats, logLevels } from "../platform/log/log-settings.ts";
import { parseNetworkList } from "../platform/network/network-list.ts";
import {
  allowAllOutbound,
  metadataNetworks,
  type OutboundPolicy,
  parseOutboundDeny,
} from "../platform/network/outbound-policy.ts";
import { parseDuration } from "../text/duration.ts";

/** Parses a duration above 0 in Go's syntax. @returns ms */
function positiveDuration(text: string): Result<number, string> {
  const duration = parseDuration(text);
  return duration.ok && duration.value === 0 ? fail("is not a duration above 0") : duration;
}

/** Flag with a duration above 0. */
export const durationFlag = (help: string, fallback: string) =>
  ({ kind: "value", help, placeholder: "DURATION", fallback, parse: positiveDuration }) as const;

/** Minimum length of a session secret, bytes. */
const minSessionSecretBytes = 32;

/** Returns why the text names no NATS servers; undefined when it does. The scheme may be missing. */
function refuseNatsUrl(text: string): string | undefined {
  const urls = text.split(",").map((url) => URL.parse(url.includes("://") ? url.trim() : `nats://${url.trim()}`));
  return urls.every((url) => url !== null && isNatsUrl(url))
    ? undefined
    : "must be a nats:// or tls:// URL, or several separated by commas";
}

/** A malformed escape in the login cannot be decoded for the connection. */
const isNatsUrl = ({ protocol, hostname, username, password }: URL): boolean =>
  /^(nats|tls):$/.test(protocol) && hostname !== "" && !/%(?![\da-f]{2})/i.test(username + password);

/** Flags that agent and aggregator share; the flag table of each program includes them. */
export const programFlags = {
  listen: {
    kind: "value",
    help: "Address of the API, the dashboard and /metrics.",
    placeholder: "HOST:PORT",
    fallback: "127.0.0.1:8080",
    parse: listenAddress,
  },
  "tls-cert": fileFlag(
    "Certificate of -listen, with intermediate ones after it; turns TLS on. Read again when it changes, and on SIGHUP.",
  ),
  "tls-key": fileFlag("Private key of -tls-cert."),
  "tls-client-ca": fileFlag("Authorities that sign the certificates of clients, which -listen then requires."),
  "metrics-listen": optionalFlag(
    "Address of /metrics and the description of the API, without TLS; by default both are at -listen.",
    "HOST:PORT",
    optionalListenAddress,
  ),
  "api-token": {
    kind: "secret",
    help: "Bearer token that commands require; cannot be combined with -auth-config.",
    placeholder: "TOKEN",
    refuse: (text) => (/^[!-~]+$/.test(text) ? undefined : "has characters that are not allowed in a bearer token"),
  },
  "auth-config": fileFlag("Document that declares identities and their roles."),
  "read-only": { kind: "switch", help: "Serve neither commands nor configuration." },
  "session-secret": {
    kind: "secret",
    help: "Key that signs sessions; by default a random one, so sessions end with the process.",
    placeholder: "SECRET",
    refuse: (text) =>
      Buffer.byteLength(text) < minSessionSecretBytes ? `is shorter than ${minSessionSecretBytes} bytes` : undefined,
  },
  "session-ttl": durationFlag("Lifetime of a session.", "12h"),
  "nats-url": {
    kind: "secret",
    help: "URL of the NATS server, which may contain a user and a password.",
    placeholder: "URL",
    refuse: refuseNatsUrl,
  },
  "nats-creds": fileFlag("NATS credentials file."),
  "nats-ca": fileFlag("Certificates of the authorities that sign the NATS server's certificate; turns TLS on."),
  "nats-cert": fileFlag("Certificate with which this program logs in to NATS; needs -nats-key."),
  "nats-key": fileFlag("Private key of -nats-cert."),
  "log-level": {
    kind: "value",
    help: `Minimum level of log messages: ${logLevels.join(", ")}.`,
    placeholder: "LEVEL",
    fallback: "info",
    parse: oneOf(logLevels),
  },
  "log-format": {
    kind: "value",
    help: `Format of log messages: ${logFormats.join(", ")}.`,
    placeholder: "FORMAT",
    fallback: "json",
    parse: oneOf(logFormats),
  },
  "trusted-proxies": optionalFlag(
    "Addresses and CIDR blocks whose X-Forwarded-For, -Host and -Proto headers are trusted, separated by commas.",
    "LIST",
    parseNetworkList,
  ),
  "allowed-hosts": optionalFlag(
    "Without -auth-config: host names under which browsers may use this program, separated by commas.",
    "LIST",
    parseAllowedHosts,
  ),
  "outbound-deny": optionalFlag(
    "Addresses and CIDR blocks to which no connection is opened, separated by commas.",
    "LIST",
    (text: string): Result<OutboundPolicy | undefined, string> =>
      text === "" ? ok(undefined) : parseOutboundDeny(text),
  ),
  "public-url": optionalFlag("URL of the dashboard for users; notifications link to it.", "URL", optionalHttpUrl),
  "data-dir": {
    kind: "value",
    help: "Directory of persistent state; created with mode 0700.",
    placeholder: "DIR",
    fallback: "./realmwatch-data",
    parse: (text: string) => (text === "" ? fail("is not a directory") : anyText(text)),
  },
} as const satisfies FlagTable;

export type ProgramFlags = FlagValues<typeof programFlags>;

/**
 * Returns the policy for connections to hosts that documents name: `-outbound-deny`, else link-local networks and the
 * clouds' metadata addresses in the demo profile, else no restriction.
 */
export function outboundPolicyOf(
  { outboundDeny }: Pick<ProgramFlags, "outboundDeny">,
  { demo }: { readonly demo: boolean },
): OutboundPolicy {
  if (outboundDeny !== undefined || !demo) return outboundDeny ?? allowAllOutbound;
  const metadata = parseOutboundDeny(metadataNetworks);
  return metadata.ok ? metadata.value : allowAllOutbound;
}

type ProgramFlagsToCheck = Pick<
  ProgramFlags,
  "apiToken" | "authConfig" | "natsCert" | "natsKey" | "tlsCert" | "tlsKey" | "tlsClientCa"
>;

/** Checks combinations of flags that are valid individually. The error is one line. */
export function checkProgramFlags(flags: ProgramFlagsToCheck): Result<undefined, string> {
  const { apiToken, authConfig, natsCert, natsKey, tlsCert, tlsKey, tlsClientCa } = flags;
  if ((natsCert === undefined) !== (natsKey === undefined))
    return fail("-nats-cert and -nats-key need each other: give both or none");
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    return fail("-tls-cert and -tls-key need each other: give both or none");
  if (tlsClientCa !== undefined && tlsCert === undefined)
    return fail("-tls-client-ca needs -tls-cert and -tls-key: certificates of clients are a part of TLS");
  return apiToken !== undefined && authConfig !== undefined
    ? fail("-api-token and -auth-config are both given: identities have their own tokens")
    : ok(undefined);
}
