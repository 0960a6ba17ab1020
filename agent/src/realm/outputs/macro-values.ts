import { checkCommandText } from "@realmwatch/shared/config/configured-macros";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { timeMacros } from "@realmwatch/shared/text/command/time-macros";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import { announcementOf } from "../../engine/notify/notification-state.ts";
import { attemptOf, maxAttemptsOf, stateTypeOf, statusOf } from "../../engine/state/object-state.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";
import { eventId, problemId } from "./notification-id.ts";

type Prefix = "HOST" | "SERVICE";

/** Names and numbers of the statuses. As in Nagios, an object that was never checked counts as up or ok. */
const states: Readonly<Record<Prefix, Readonly<Record<Status, readonly [name: string, id: string]>>>> = {
  HOST: {
    ok: ["UP", "0"],
    warning: ["UP", "0"],
    critical: ["DOWN", "1"],
    unknown: ["DOWN", "1"],
    pending: ["UP", "0"],
    unreachable: ["UNREACHABLE", "2"],
  },
  SERVICE: {
    ok: ["OK", "0"],
    warning: ["WARNING", "1"],
    critical: ["CRITICAL", "2"],
    unknown: ["UNKNOWN", "3"],
    pending: ["OK", "0"],
    unreachable: ["UNREACHABLE", "2"],
  },
};

const seconds = (ms: number | undefined): string => (ms === undefined ? "0" : String(Math.floor(ms / 1000)));
const formatDuration = (ms: number): string => {
  const s = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(s / 86_400)}d ${Math.floor(s / 3600) % 24}h ${Math.floor(s / 60) % 60}m ${s % 60}s`;
};

/** Macros of one object's state; `prefix` is part of their names, as in `HOSTSTATE` and `MAXHOSTATTEMPTS`. */
function stateMacros({ plan, state }: ReadonlyRecord, prefix: Prefix, nowMs: number): Record<string, string> {
  const [name, id] = states[prefix][statusOf(state.phase)];
  const [lastName, lastId] = states[prefix][state.previousStatus ?? state.lastHardStatus];
  const durationMs = nowMs - (state.lastChangeAtMs ?? nowMs);
  return {
    [`${prefix}STATE`]: name,
    [`${prefix}STATEID`]: id,
    [`${prefix}STATETYPE`]: stateTypeOf(state.phase).toUpperCase(),
    [`${prefix}ATTEMPT`]: String(attemptOf(state.phase, maxAttemptsOf(plan))),
    [`MAX${prefix}ATTEMPTS`]: String(maxAttemptsOf(plan)),
    [`LAST${prefix}STATE`]: lastName,
    [`LAST${prefix}STATEID`]: lastId,
    [`LAST${prefix}CHECK`]: seconds(state.last?.executedAtMs),
    [`LAST${prefix}STATECHANGE`]: seconds(state.lastChangeAtMs),
    [`${prefix}OUTPUT`]: state.last?.output ?? "",
    [`LONG${prefix}OUTPUT`]: state.last?.longOutput ?? "",
    [`${prefix}PERFDATA`]: formatPerfdata(state.last?.perfdata ?? []),
    [`${prefix}DURATION`]: formatDuration(durationMs),
    [`${prefix}DURATIONSEC`]: seconds(durationMs),
    [`${prefix}DOWNTIME`]: String(state.downtimes.filter(({ inEffect }) => inEffect).length),
    [`${prefix}PERCENTCHANGE`]: (state.flap.value * 100).toFixed(2),
    [`${prefix}LATENCY`]: ((state.last?.latencyMs ?? 0) / 1000).toFixed(3),
    [`${prefix}EXECUTIONTIME`]: ((state.last?.executionMs ?? 0) / 1000).toFixed(3),
    [`${prefix}CHECKCOMMAND`]: checkCommandText(plan),
  };
}

/**
 * Macros that identify an object's problem, as in Nagios: 0 without one. A problem is current until the next result
 * after its recovery.
 */
function problemMacros(
  realm: string,
  { plan, state }: ReadonlyRecord,
  prefix: Prefix,
): Readonly<Record<string, string>> {
  const { notificationState, lastChangeAtMs, previousStatus = "ok" } = state;
  const { problems = 0, sinceMs = 0 } = notificationState?.counters ?? {};
  const open = notificationState?.problem.kind === "open" || isProblem(previousStatus);
  const idOf = (number: number): string => (number < 1 ? "0" : problemId({ realm, ref: plan.ref, sinceMs, number }));
  const number = notificationState === undefined ? 0 : (announcementOf(notificationState)?.number ?? 0);
  return {
    [`${prefix}NOTIFICATIONNUMBER`]: String(number),
    [`${prefix}PROBLEMID`]: open ? idOf(problems) : "0",
    [`LAST${prefix}PROBLEMID`]: idOf(open ? problems - 1 : problems),
    [`${prefix}EVENTID`]: lastChangeAtMs === undefined ? "0" : eventId(realm, plan.ref, lastChangeAtMs),
  };
}

/**
 * Macros that depend on the state of an object and its host and on the time, by name without dollar signs. Those that
 * the configuration alone determines are not included, except the check commands: see `configuredMacros`.
 */
export function macroValues(
  realm: RealmReader,
  record: ReadonlyRecord,
  nowMs: number,
): Readonly<Record<string, string>> {
  const macrosOf = (of: ReadonlyRecord, prefix: Prefix): Record<string, string> => ({
    ...stateMacros(of, prefix, nowMs),
    ...problemMacros(realm.name, of, prefix),
  });
  if (!("host" in record.plan)) return { ...timeMacros(nowMs), ...macrosOf(record, "HOST") };
  const host = realm.records.get(record.plan.host);
  return {
    ...timeMacros(nowMs),
    ...(host === undefined ? {} : macrosOf(host, "HOST")),
    ...macrosOf(record, "SERVICE"),
  };
}

/** The host that a check runs against: the object itself, or the host of a service. */
export function hostPlanOf(realm: RealmReader, { plan }: ReadonlyRecord): HostPlan | undefined {
  const host = "host" in plan ? realm.records.get(plan.host)?.plan : plan;
  return host !== undefined && "address" in host ? host : undefined;
}
