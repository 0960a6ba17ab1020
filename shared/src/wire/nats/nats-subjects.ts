import { never } from "../../model/never.ts";
import type { ObjectKey, ObjectKind } from "../../model/object-key.ts";
import { realmNamePattern } from "../../model/realm.ts";

/** Encodes a name as one subject token: base64url without padding, which escapes dots, blanks and wildcards. */
const subjectToken = (name: string): string => Buffer.from(name).toString("base64url");

/** The reverse of `subjectToken`; undefined for an invalid token, which a lenient decoder changes. */
function nameFromToken(token: string): string | undefined {
  const name = Buffer.from(token, "base64url").toString();
  return subjectToken(name) === token ? name : undefined;
}

function tokensOf(key: ObjectKey): string {
  switch (key.kind) {
    case "host":
    case "process":
      return subjectToken(key.name);
    case "service":
      return `${subjectToken(key.host)}.${subjectToken(key.name)}`;
    default:
      return never(key);
  }
}

/** Kind and key of an object as in its subject, for example `service.d2ViMQ.aHR0cA`. */
export const objectToken = (key: ObjectKey): string => `${key.kind}.${tokensOf(key)}`;
/** Subject of an object's latest row. Length: at most 4/3 of the names and 100 bytes. */
export const stateSubject = (realm: string, key: ObjectKey): string =>
  `${stateSubjectPrefix(realm)}.${objectToken(key)}`;
/** Beginning of the subjects of a realm's rows and epoch, without the last dot. */
export const stateSubjectPrefix = (realm: string): string => `svc.v1.state.${realm}`;
export const epochSubject = (realm: string): string => `${stateSubjectPrefix(realm)}.epoch`;
export const catalogPartSubject = (realm: string, { kind, number }: CatalogPartName): string =>
  `svc.v1.catalog.${realm}.${kind}.${number}`;
/** Subjects of all parts of a realm's catalog. */
export const catalogSubjects = (realm: string): string => `svc.v1.catalog.${realm}.>`;
export const eventSubject = (realm: string): string => `svc.v1.event.${realm}`;
export const heartbeatSubject = (realm: string): string => `svc.v1.heartbeat.${realm}`;
/** Subject of the lease of a realm that a pair of agents serves. */
export const leaseSubject = (realm: string): string => `svc.v1.lease.${realm}`;
/** Subject of requests to a realm without a `url`. */
export const rpcSubject = (realm: string): string => `svc.v1.rpc.${realm}`;
/** Subject of checks for the workers of a zone. The zone's name is encoded, since it is free text. */
export const checkSubject = (realm: string, zone: string): string => `svc.v1.check.${realm}.${subjectToken(zone)}`;

/** Subject of the checks of a zone of all realms, which the zone's workers may receive. */
export const zoneChecksSubject = (zone: string): string => `svc.v1.check.*.${subjectToken(zone)}`;

/** Prefix of the inboxes of a realm's agent, so that its permissions can exclude the inboxes of other realms. */
export const realmInboxPrefix = (realm: string): string => `_INBOX_${realm}`;

/**
 * Subject of the marker that a realm was forgotten. No realm has that name, so no agent is permitted to publish it. The
 * stream keeps the marker: an aggregator that was away reads it later.
 */
export const forgottenSubject = (realm: string): string => `${stateSubjectPrefix(forgottenToken)}.${realm}`;
const forgottenToken = "_forgotten";
export const allForgottenSubject = forgottenSubject("*");

export const allHeartbeatsSubject = "svc.v1.heartbeat.*";
/** Queue group of the workers of a zone, so that each check is delivered to one of them. */
export const checkQueueGroup = "realmwatch-workers";

const catalogKindNames = ["contact", "view", "sink", "panel", "slo", "toggles"] as const;
/** Kind of the entries of a part of a catalog. */
export type CatalogKind = (typeof catalogKindNames)[number];
type CatalogPartName = { readonly kind: CatalogKind; readonly number: number };

/** Parsed subject of a message from a realm's agent, or of a marker that the realm was forgotten. */
export type NatsSubject =
  | { readonly kind: "row"; readonly realm: string; readonly key: ObjectKey }
  | { readonly kind: "epoch"; readonly realm: string }
  | { readonly kind: "catalog"; readonly realm: string; readonly part: CatalogPartName }
  | { readonly kind: "event"; readonly realm: string }
  | { readonly kind: "heartbeat"; readonly realm: string }
  | { readonly kind: "forgotten"; readonly realm: string };

/** Parses a subject; undefined for any other subject. */
export function parseSubject(subject: string): NatsSubject | undefined {
  const [svc, v1, topic, realm, ...rest] = subject.split(".");
  if (svc !== "svc" || v1 !== "v1" || realm === undefined) return undefined;
  if (topic === "state" && realm === forgottenToken) return parseForgotten(rest);
  if (!realmNamePattern.test(realm)) return undefined;
  if (topic === "state") return parseState(realm, rest);
  if (topic === "catalog") return parseCatalog(realm, rest);
  if (rest.length > 0) return undefined;
  if (topic === "event" || topic === "heartbeat") return { kind: topic, realm };
  return undefined;
}

function parseForgotten([realm = "", ...more]: readonly string[]): NatsSubject | undefined {
  return realmNamePattern.test(realm) && more.length === 0 ? { kind: "forgotten", realm } : undefined;
}

function parseCatalog(realm: string, [kind, number = "", ...more]: readonly string[]): NatsSubject | undefined {
  const known = catalogKindNames.find((name) => name === kind);
  if (known === undefined || more.length > 0 || !/^(0|[1-9]\d{0,6})$/.test(number)) return undefined;
  return { kind: "catalog", realm, part: { kind: known, number: Number(number) } };
}

function parseState(realm: string, [kind, ...tokens]: readonly string[]): NatsSubject | undefined {
  if (kind === "epoch") return tokens.length === 0 ? { kind: "epoch", realm } : undefined;
  const key = parseKey(kind, tokens.map(nameFromToken));
  return key && { kind: "row", realm, key };
}

function parseKey(kind: string | undefined, [first, second, ...more]: readonly (string | undefined)[]) {
  if (first === undefined || more.length > 0) return undefined;
  switch (kind as ObjectKind) {
    case "host":
    case "process":
      return second === undefined ? ({ kind: kind as "host" | "process", name: first } as const) : undefined;
    case "service":
      return second === undefined ? undefined : ({ kind: "service", host: first, name: second } as const);
    default:
      return undefined;
  }
}

/** Settings of a stream that the aggregator, or its sub-command `nats-setup`, creates and mends. */
export type StreamPlan = {
  readonly name: string;
  readonly subjects: readonly string[];
  /** Maximum number of messages per subject; -1 means unlimited. */
  readonly perSubject: number;
  /** Maximum age of a message, ms; 0 means unlimited. */
  readonly maxAgeMs: number;
  /**
   * Maximum size, bytes, which the broker reserves. Of a smaller broker a stream takes at most 40 % of what is free, and
   * at least 16 MiB.
   */
  readonly maxBytes: number;
  /** Messages that a full stream discards: `new` refuses further ones, `old` deletes the oldest. */
  readonly discard: "new" | "old";
  /** Time for which message ids are remembered to drop duplicates, ms. */
  readonly duplicateWindowMs: number;
  /** Maximum size of a message, bytes. Default: what the server accepts. */
  readonly maxMessageBytes?: number;
  /**
   * True for a stream with whose messages agents decide: its description has a random identity, by which one that was
   * made anew is known, and its leader alone answers reads. Default false.
   */
  readonly identified?: boolean;
};

/**
 * Stream of the latest row of each object, and each realm's epoch and catalog. Its size is limited, because a broker
 * with a full disk stops responding; the limit suffices for a million rows of usual size. When full it refuses new rows
 * and the publisher learns it; deleting the oldest messages would remove the last rows of other objects silently.
 */
export const stateStream: StreamPlan = {
  name: "SVC_STATE",
  subjects: ["svc.v1.state.>", "svc.v1.catalog.>"],
  perSubject: 1,
  maxAgeMs: 0,
  maxBytes: 2 * 1024 ** 3,
  discard: "new",
  duplicateWindowMs: 120_000,
};

/** Stream of the history records of all realms: 30 days or 2 GiB, whichever is less. */
export const eventStream: StreamPlan = {
  name: "SVC_EVENTS",
  subjects: ["svc.v1.event.*"],
  perSubject: -1,
  maxAgeMs: 30 * 86_400_000,
  maxBytes: 2 * 1024 ** 3,
  discard: "old",
  duplicateWindowMs: 120_000,
};

/**
 * Stream of the lease of each realm that a pair of agents serves. A full stream refuses new leases: deleting the oldest
 * ones would take another realm's.
 */
export const leaseStream: StreamPlan = {
  name: "SVC_LEASE",
  subjects: [leaseSubject("*")],
  perSubject: 1,
  maxAgeMs: 0,
  maxBytes: 4 * 1024 ** 2,
  discard: "new",
  // Two leases with one expected sequence number have one message id; a write that failed may be repeated soon.
  duplicateWindowMs: 5_000,
  maxMessageBytes: 4_096,
  identified: true,
};

/** Streams that the centre creates and mends. */
export const centreStreams: readonly StreamPlan[] = [stateStream, eventStream, leaseStream];

/** Name of the stream that stores the messages of a subject of a realm's agent. */
export const streamOfSubject = (subject: string): string =>
  subject.startsWith("svc.v1.event.") ? eventStream.name : stateStream.name;

/** Message id of a history record, by which the broker drops a duplicate within its window. */
export const eventMessageId = (realm: string, seq: number): string => `${realm}.${seq}`;

/** Maximum size of a message that the aggregator accepts, bytes. */
export const maxMessageBytes = 1024 * 1024;
/** Interval of a realm's heartbeats, ms. */
export const heartbeatIntervalMs = 5_000;
