import type { RowChange } from "@realmwatch/shared/row/row";
import type { ClockReadings, StoredLiveness } from "../realms/realm-liveness.ts";
import { decodeObject, type StoredObject } from "./redis-codec.ts";
import type { RedisReply } from "./redis-connection.ts";

/** Answer of the script that reads the changes of a realm. */
export type ChangePage = {
  readonly generation: string;
  readonly historyGeneration: string;
  readonly counter: number;
  readonly floor: number;
  /** Change number up to which removed objects are deleted. */
  readonly pruned: number;
  readonly catalogVersion: string;
  readonly liveness: StoredLiveness;
  /** Change number that the page reaches. */
  readonly reached: number;
  /** Number of objects of the page, with those that cannot be read. */
  readonly objects: number;
  /** Objects that can be read, and the changes that they are. */
  readonly stored: readonly StoredObject[];
  readonly changes: readonly RowChange[];
  readonly unreadable: readonly StoredObject[];
  /** Numbers of rows, versions and entries of the change index of the whole realm. */
  readonly rowCount: number;
  readonly versionCount: number;
  readonly changeCount: number;
  /** True when the realm had history records and their key is gone. */
  readonly lostHistory: boolean;
};

/** Number of fields before the objects. */
const headFields = 16;
/** Time by which a heartbeat may be ahead of the server's clock, ms; more shows that the clock was set back. */
const maxAheadMs = 1_000;

/** Parses the answer; `readings` are this process' clocks as of the request. Never throws, for any stored value. */
export function parseChangePage(realm: string, reply: RedisReply, readings: ClockReadings): ChangePage {
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  const text = (at: number): string => fields[at] ?? "";
  const stored: StoredObject[] = [];
  const changes: RowChange[] = [];
  const unreadable: StoredObject[] = [];
  for (let i = headFields; i + 2 < fields.length; i += 3) {
    const object = { ref: text(i), version: text(i + 1), json: text(i + 2) };
    const change = decodeObject(realm, object);
    if (change === undefined) {
      unreadable.push(object);
      continue;
    }
    stored.push(object);
    changes.push(change);
  }
  return {
    generation: text(0),
    counter: numberOf(text(1)),
    floor: numberOf(text(2)),
    catalogVersion: text(3),
    liveness: storedLivenessOf(fields, readings),
    historyGeneration: text(6),
    reached: numberOf(text(7)),
    objects: Math.max(0, (fields.length - headFields) / 3),
    rowCount: numberOf(text(11)),
    versionCount: numberOf(text(12)),
    changeCount: numberOf(text(13)),
    pruned: numberOf(text(14)),
    lostHistory: text(15) === "1",
    stored,
    changes,
    unreadable,
  };
}

/** Number of a stored text; 0 when the text is not a number, for example because it was overwritten. */
function numberOf(text: string): number {
  const value = Number(text || 0);
  return Number.isFinite(value) && value >= 0 ? value : 0;
}

/** Liveness by the clock of Redis: the clocks of the aggregator that stored it and of this one may differ. */
function storedLivenessOf(fields: readonly string[], { nowMs }: ClockReadings): StoredLiveness {
  const redisNowMs = numberOf(fields[8] ?? "");
  const heardMs = numberOf(fields[9] ?? "");
  const skewMs = fields[10] ?? "";
  const { instance, epoch, revision, seen } = parseSource(fields[4] ?? "");
  const isHeard = heardMs > 0 && heardMs <= redisNowMs + maxAheadMs;
  return {
    heartbeatAgeMs: isHeard ? Math.max(0, redisNowMs - heardMs) : undefined,
    storedAtMs: numberOf(fields[5] ?? "") || undefined,
    clockSkewMs: skewMs === "" || !Number.isFinite(Number(skewMs)) ? undefined : Number(skewMs) + redisNowMs - nowMs,
    seen: { history: sequenceOf(seen?.history), command: sequenceOf(seen?.command) },
    instance: typeof instance === "string" ? instance : "",
    epoch: typeof epoch === "number" ? epoch : 0,
    revision: typeof revision === "number" ? revision : 0,
  };
}

const sequenceOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);

type HeartbeatSource = {
  readonly instance?: unknown;
  readonly epoch?: unknown;
  readonly revision?: unknown;
  readonly seen?: { readonly history?: unknown; readonly command?: unknown } | null;
};

function parseSource(json: string): HeartbeatSource {
  try {
    return (JSON.parse(json) as HeartbeatSource | null) ?? {};
  } catch {
    return {};
  }
}
