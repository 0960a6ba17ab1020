import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { never } from "../../model/never.ts";
import type { ObjectKey, ObjectKind } from "../../model/object-key.ts";
import { realmNamePattern } from "../../model/realm.ts";

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** A name as one subject token: base64url without padding, so that dots, blanks and wildcards are harmless. */
export const subjectToken = (name: string): string => base64Encode(utf8.encode(name), "url");

/** The reverse of `tokenOfName`; undefined where the token is none. */
function nameFromToken(token: string): string | undefined {
  try {
    const name = strictUtf8.decode(base64Decode(token));
    return subjectToken(name) === token ? name : undefined;
  } catch {
    return undefined;
  }
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

/** Where the last row of an object is. Length: at most 4/3 of the names and 100 bytes. */
export const stateSubject = (realm: string, key: ObjectKey): string =>
  `svc.v1.state.${realm}.${key.kind}.${tokensOf(key)}`;
export const epochSubject = (realm: string): string => `svc.v1.state.${realm}.epoch`;
export const catalogSubject = (realm: string): string => `svc.v1.catalog.${realm}`;
export const eventSubject = (realm: string): string => `svc.v1.event.${realm}`;
export const heartbeatSubject = (realm: string): string => `svc.v1.heartbeat.${realm}`;
/** Where a realm without a `url` takes its calls. */
export const rpcSubject = (realm: string): string => `svc.v1.rpc.${realm}`;
/** Where the workers of a zone take checks. A zone's name is free text, hence the token. */
export const checkSubject = (realm: string, zone: string): string => `svc.v1.check.${realm}.${subjectToken(zone)}`;

export const allHeartbeatsSubject = "svc.v1.heartbeat.*";
/** The queue group of the workers of a zone: each check goes to one of them. */
export const checkQueueGroup = "realmwatch-workers";

/** What a subject of `SVC_STATE` or `SVC_EVENTS` speaks of. */
export type NatsSubject =
  | { readonly kind: "row"; readonly realm: string; readonly key: ObjectKey }
  | { readonly kind: "epoch"; readonly realm: string }
  | { readonly kind: "catalog"; readonly realm: string }
  | { readonly kind: "event"; readonly realm: string }
  | { readonly kind: "heartbeat"; readonly realm: string };

/** Reads a subject; undefined where it is none that a realm's agent writes. */
export function parseSubject(subject: string): NatsSubject | undefined {
  const [svc, v1, topic, realm, ...rest] = subject.split(".");
  if (svc !== "svc" || v1 !== "v1" || realm === undefined || !realmNamePattern.test(realm)) return undefined;
  if (topic === "state") return parseState(realm, rest);
  if (rest.length > 0) return undefined;
  if (topic === "catalog" || topic === "event" || topic === "heartbeat") return { kind: topic, realm };
  return undefined;
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

/** A stream as agent and aggregator create it where it is missing. */
export type StreamPlan = {
  readonly name: string;
  readonly subjects: readonly string[];
  /** Messages kept of each subject; -1 means all. */
  readonly perSubject: number;
  /** Age at which a message goes, ms; 0 means never. */
  readonly maxAgeMs: number;
  /** Size at which the oldest messages go, bytes. The broker reserves it; where it cannot, half is asked for. */
  readonly maxBytes: number;
  /** How long a message id is remembered, ms. */
  readonly duplicateWindowMs: number;
};

/**
 * The last word on each object, each realm's epoch and catalog. Bounded, because a broker whose disk is
 * full stops answering at all; the bound holds a million rows of ordinary size.
 */
export const stateStream: StreamPlan = {
  name: "SVC_STATE",
  subjects: ["svc.v1.state.>", "svc.v1.catalog.*"],
  perSubject: 1,
  maxAgeMs: 0,
  maxBytes: 2 * 1024 ** 3,
  duplicateWindowMs: 120_000,
};

/** History records of all realms: 30 days or 2 GiB, whichever is less. */
export const eventStream: StreamPlan = {
  name: "SVC_EVENTS",
  subjects: ["svc.v1.event.*"],
  perSubject: -1,
  maxAgeMs: 30 * 86_400_000,
  maxBytes: 2 * 1024 ** 3,
  duplicateWindowMs: 120_000,
};

/** The message id of a history record: the broker drops what is sent again within its window. */
export const eventMessageId = (realm: string, seq: number): string => `${realm}.${seq}`;

/** A message above this is refused by the aggregator, bytes. */
export const maxMessageBytes = 1024 * 1024;
/** How often a realm says that it lives, ms. */
export const heartbeatIntervalMs = 5_000;
