import type { HostPlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { showPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import { maxAttemptsOf } from "../../engine/state/attempts.ts";
import { attemptOf, stateTypeOf, statusOf } from "../../engine/state/attempts.ts";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";

const serviceIds: Readonly<Record<Status, string>> = {
  ok: "0",
  warning: "1",
  critical: "2",
  unknown: "3",
  pending: "4",
  unreachable: "2",
};
const hostWords: Readonly<Record<Status, string>> = {
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
const showSpan = (ms: number): string => {
  const s = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(s / 86_400)}d ${Math.floor(s / 3600) % 24}h ${Math.floor(s / 60) % 60}m ${s % 60}s`;
};

/** What moves about one object, by the names that macros have after `HOST` or `SERVICE`. */
function movingValues(
  { plan, state }: ObjectRecord,
  prefix: "HOST" | "SERVICE",
  nowMs: number,
): Record<string, string> {
  const status = statusOf(state.phase);
  const words = (of: Status): string => (prefix === "HOST" ? hostWords[of] : of.toUpperCase());
  const ids = (of: Status): string => (prefix === "HOST" ? hostIds[of] : serviceIds[of]);
  const durationMs = nowMs - (state.lastChangeAtMs ?? nowMs);
  return {
    [`${prefix}STATE`]: words(status),
    [`${prefix}STATEID`]: ids(status),
    [`${prefix}STATETYPE`]: stateTypeOf(state.phase).toUpperCase(),
    [`${prefix}ATTEMPT`]: String(attemptOf(state.phase, maxAttemptsOf(plan))),
    [`MAX${prefix}ATTEMPTS`]: String(maxAttemptsOf(plan)),
    [`LAST${prefix}STATE`]: words(state.lastHardStatus),
    [`LAST${prefix}STATEID`]: ids(state.lastHardStatus),
    [`LAST${prefix}CHECK`]: seconds(state.last?.executedAtMs),
    [`LAST${prefix}STATECHANGE`]: seconds(state.lastChangeAtMs),
    [`${prefix}OUTPUT`]: state.last?.output ?? "",
    [`LONG${prefix}OUTPUT`]: state.last?.longOutput ?? "",
    [`${prefix}PERFDATA`]: showPerfdata(state.last?.perfdata ?? []),
    [`${prefix}DURATION`]: showSpan(durationMs),
    [`${prefix}DURATIONSEC`]: seconds(durationMs),
    [`${prefix}DOWNTIME`]: anyInEffect(state.downtimes) ? "1" : "0",
    [`${prefix}PERCENTCHANGE`]: (state.flap.value * 100).toFixed(2),
    [`${prefix}LATENCY`]: ((state.last?.latencyMs ?? 0) / 1000).toFixed(3),
    [`${prefix}EXECUTIONTIME`]: ((state.last?.executionMs ?? 0) / 1000).toFixed(3),
  };
}

/** The state of an object and its host as macros, by name without dollars. What is configured is not here. */
export function macroValues(realm: RealmState, record: ObjectRecord, nowMs: number): Readonly<Record<string, string>> {
  if (!("host" in record.plan)) return movingValues(record, "HOST", nowMs);
  const host = realm.records.get(record.plan.host);
  return {
    ...(host === undefined ? {} : movingValues(host, "HOST", nowMs)),
    ...movingValues(record, "SERVICE", nowMs),
  };
}

/** The host that a check runs for: the object itself, or the one a service belongs to. */
export function hostPlanOf(realm: RealmState, { plan }: ObjectRecord): HostPlan | undefined {
  const host = "host" in plan ? realm.records.get(plan.host)?.plan : plan;
  return host !== undefined && "address" in host ? host : undefined;
}
