import type { HostPlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import { attemptOf, maxAttemptsOf, stateTypeOf, statusOf } from "../../engine/state/attempts.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";

const serviceIds: Readonly<Record<Status, string>> = {
  ok: "0",
  warning: "1",
  critical: "2",
  unknown: "3",
  pending: "4",
  unreachable: "2",
};
const hostStateNames: Readonly<Record<Status, string>> = {
  ok: "UP",
  warning: "UP",
  critical: "DOWN",
  unknown: "DOWN",
  pending: "PENDING",
  unreachable: "UNREACHABLE",
};
const hostIds: Readonly<Record<Status, string>> = {
  ok: "0",
  warning: "0",
  critical: "1",
  unknown: "1",
  pending: "0",
  unreachable: "2",
};

const seconds = (ms: number | undefined): string => (ms === undefined ? "0" : String(Math.floor(ms / 1000)));
const formatDuration = (ms: number): string => {
  const s = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(s / 86_400)}d ${Math.floor(s / 3600) % 24}h ${Math.floor(s / 60) % 60}m ${s % 60}s`;
};

/** Macros of one object's state; `prefix` is part of their names, as in `HOSTSTATE` and `MAXHOSTATTEMPTS`. */
function stateMacros(
  { plan, state }: ReadonlyRecord,
  prefix: "HOST" | "SERVICE",
  nowMs: number,
): Record<string, string> {
  const status = statusOf(state.phase);
  const nameOf = (of: Status): string => (prefix === "HOST" ? hostStateNames[of] : of.toUpperCase());
  const idOf = (of: Status): string => (prefix === "HOST" ? hostIds[of] : serviceIds[of]);
  const durationMs = nowMs - (state.lastChangeAtMs ?? nowMs);
  return {
    [`${prefix}STATE`]: nameOf(status),
    [`${prefix}STATEID`]: idOf(status),
    [`${prefix}STATETYPE`]: stateTypeOf(state.phase).toUpperCase(),
    [`${prefix}ATTEMPT`]: String(attemptOf(state.phase, maxAttemptsOf(plan))),
    [`MAX${prefix}ATTEMPTS`]: String(maxAttemptsOf(plan)),
    [`LAST${prefix}STATE`]: nameOf(state.lastHardStatus),
    [`LAST${prefix}STATEID`]: idOf(state.lastHardStatus),
    [`LAST${prefix}CHECK`]: seconds(state.last?.executedAtMs),
    [`LAST${prefix}STATECHANGE`]: seconds(state.lastChangeAtMs),
    [`${prefix}OUTPUT`]: state.last?.output ?? "",
    [`LONG${prefix}OUTPUT`]: state.last?.longOutput ?? "",
    [`${prefix}PERFDATA`]: formatPerfdata(state.last?.perfdata ?? []),
    [`${prefix}DURATION`]: formatDuration(durationMs),
    [`${prefix}DURATIONSEC`]: seconds(durationMs),
    [`${prefix}DOWNTIME`]: anyInEffect(state.downtimes) ? "1" : "0",
    [`${prefix}PERCENTCHANGE`]: (state.flap.value * 100).toFixed(2),
    [`${prefix}LATENCY`]: ((state.last?.latencyMs ?? 0) / 1000).toFixed(3),
    [`${prefix}EXECUTIONTIME`]: ((state.last?.executionMs ?? 0) / 1000).toFixed(3),
  };
}

/** Macros of the state of an object and its host, by name without dollar signs. Configured values are not included. */
export function macroValues(
  realm: RealmReader,
  record: ReadonlyRecord,
  nowMs: number,
): Readonly<Record<string, string>> {
  if (!("host" in record.plan)) return stateMacros(record, "HOST", nowMs);
  const host = realm.records.get(record.plan.host);
  return {
    ...(host === undefined ? {} : stateMacros(host, "HOST", nowMs)),
    ...stateMacros(record, "SERVICE", nowMs),
  };
}

/** The host that a check runs against: the object itself, or the host of a service. */
export function hostPlanOf(realm: RealmReader, { plan }: ReadonlyRecord): HostPlan | undefined {
  const host = "host" in plan ? realm.records.get(plan.host)?.plan : plan;
  return host !== undefined && "address" in host ? host : undefined;
}
