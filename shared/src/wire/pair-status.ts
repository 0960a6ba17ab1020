import {
  type Pair,
  PairRole as ProtoPairRole,
  type PairTakeover as ProtoTakeover,
} from "@realmwatch/proto/svc/v1/pair_pb";
import type { HistoryPair as ProtoHistoryPair } from "@realmwatch/proto/svc/v1/query_pb";
import type { HistoryPair } from "../model/history.ts";
import {
  type PairRole,
  type PairStatus,
  type PairTakeover,
  pairRoles,
  type TakeoverReason,
  takeoverReasons,
} from "../model/pair-status.ts";
import { enumCodec } from "./fields/enums.ts";
import type { FieldCodec } from "./fields/field-codec.ts";
import { timestampFromProto, timestampToProto } from "./fields/time.ts";

const pairRoleCodec = enumCodec<PairRole, ProtoPairRole>(pairRoles, ProtoPairRole);

const spans = ["lagMs", "leaseMs", "marginMs", "leaseRemainingMs", "promiseRemainingMs"] as const;
const greatestSpanMs = 2 ** 32 - 1;
const spanToProto = (ms: number): number => Math.round(Math.min(Math.max(ms, 0), greatestSpanMs)) || 0;
const spansToProto = (status: Readonly<Record<(typeof spans)[number], number>>) =>
  Object.fromEntries(spans.map((name) => [name, spanToProto(status[name])])) as Record<(typeof spans)[number], number>;

/** Converts the state of a pair for clients and for the centre. */
export const pairToProto = ({ role, term, sinceMs, lastTakeover, asOfMs: _, ...status }: PairStatus): Pair => ({
  ...status,
  ...spansToProto(status),
  $typeName: "svc.v1.Pair",
  role: pairRoleCodec.toProto(role),
  term: BigInt(Math.trunc(term) || 0),
  since: timestampToProto(sinceMs),
  ...(lastTakeover && { lastTakeover: takeoverToProto(lastTakeover) }),
});

const takeoverToProto = ({ atMs, term, from, to, reason }: PairTakeover): ProtoTakeover => ({
  $typeName: "svc.v1.PairTakeover",
  ...{ from, to, reason },
  at: timestampToProto(atMs),
  term: BigInt(Math.trunc(term) || 0),
});

/** Length at which texts of a pair are cut. */
const maxTextLength = 300;
const cut = (text: string): string => text.slice(0, maxTextLength);
/** A number above 2^53 is not an epoch. */
const epochIn = (term: bigint): number => (term >= 0n && term <= Number.MAX_SAFE_INTEGER ? Number(term) : 0);
function instantIn(proto: Parameters<typeof timestampFromProto>[1]): number {
  const instant = timestampFromProto("", proto);
  return (instant.ok && instant.value) || 0;
}

/**
 * Converts the state of a pair that a realm has sent: long texts are cut, and values out of range are 0. Undefined when
 * its role is unknown.
 */
export function pairFromProto(proto: Pair | undefined): PairStatus | undefined {
  const role = proto && pairRoleCodec.fromProto(proto.role);
  if (proto === undefined || role === undefined) return undefined;
  const { self, active, standby, inSync, degraded, reason, documentsDiffer, lastTakeover } = proto;
  return {
    ...{ role, inSync, degraded, documentsDiffer },
    ...{ self: cut(self), active: cut(active), standby: cut(standby), reason: cut(reason) },
    ...spansToProto(proto),
    term: epochIn(proto.term),
    sinceMs: instantIn(proto.since),
    lastTakeover: lastTakeover && takeoverFromProto(lastTakeover),
    asOfMs: undefined,
  };
}

const isTakeoverReason = (reason: string): reason is TakeoverReason =>
  takeoverReasons.some((known) => known === reason);

/** A takeover for a reason of a newer release is left out. */
function takeoverFromProto({ at, from, to, reason, term }: ProtoTakeover): PairTakeover | undefined {
  if (!isTakeoverReason(reason)) return undefined;
  return { atMs: instantIn(at), from: cut(from), to: cut(to), reason, term: epochIn(term) };
}

export const historyPairCodec: FieldCodec<HistoryPair | undefined, ProtoHistoryPair | undefined> = {
  blank: undefined,
  toProto: (pair) => pair && { $typeName: "svc.v1.HistoryPair", ...pair, term: BigInt(Math.trunc(pair.term) || 0) },
  fromProto: (proto) =>
    proto && { from: cut(proto.from), to: cut(proto.to), term: epochIn(proto.term), reason: cut(proto.reason) },
};
