import type { ScheduleDowntimeRequest } from "@realmwatch/proto/svc/v1/command_pb";
import type { Activation, Downtime, DowntimeShape } from "../model/downtime.ts";
import { recurringIdPrefix } from "../model/downtime.ts";
import { parseIdempotencyKey } from "../model/idempotency-key.ts";
import { never } from "../model/never.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { durationFromProto, timestampFromProto } from "../wire/fields/time.ts";
import { declareCommand } from "./command-kind.ts";
import { type LineCommands, lineCommands, type TargetNames, targetLines } from "./command-line.ts";
import type { CommandObject, CommandRealm, ResolutionContext } from "./command-realm.ts";
import type { ParsedArguments } from "./line-arguments.ts";
import { findByNumericId } from "./numeric-id.ts";
import { missing, resolveTarget } from "./resolve-target.ts";

type ScheduleDowntime = Pick<Downtime, "startMs" | "endMs" | "comment"> & {
  /** One downtime for each object, hosts before their services. */
  readonly downtimes: readonly { readonly id: string; readonly ref: string }[];
  readonly shape: Shape;
  /** Undefined for a command of an earlier version. */
  readonly changeId?: string;
};
type Shape =
  | { readonly kind: "fixed" }
  | { readonly kind: "flexible"; readonly durationMs: number }
  | { readonly kind: "triggered"; readonly triggeredBy: string };

type ScheduleDowntimeInput = {
  readonly kind: "schedule_downtime";
  readonly downtime: Downtime;
  /** Activation of the downtime that triggers this one, if that is in effect already. */
  readonly trigger?: Activation | undefined;
};

function parseShape(realm: CommandRealm, { kind }: ScheduleDowntimeRequest): Result<Shape, Refusal> {
  switch (kind.case) {
    case undefined:
    case "fixed":
      return ok({ kind: "fixed" });
    case "flexible": {
      const durationMs = durationFromProto("flexible.duration", kind.value.duration);
      if (!durationMs.ok) return durationMs;
      if (durationMs.value === undefined) return malformed("flexible.duration", "is required");
      if (durationMs.value <= 0) return malformed("flexible.duration", "must be above zero");
      return ok({ kind: "flexible", durationMs: durationMs.value });
    }
    case "triggered": {
      const { triggeredBy } = kind.value;
      if (triggeredBy === "") return malformed("triggered.triggeredBy", "is required");
      if (triggeredBy.startsWith(recurringIdPrefix))
        return malformed("triggered.triggeredBy", "a recurring downtime cannot trigger another one");
      if (!realm.downtimeRefs.has(triggeredBy))
        return missing("triggered.triggeredBy", `downtime ${JSON.stringify(triggeredBy)}`);
      return ok({ kind: "triggered", triggeredBy });
    }
    default:
      return never(kind);
  }
}

/** References of the objects, hosts before their services, each object once. */
function withServices(records: readonly CommandObject[], includeServices: boolean): string[] {
  const refs = new Set(records.map(({ plan }) => plan.ref));
  if (includeServices) for (const { plan } of records) for (const ref of plan.services ?? []) refs.add(ref);
  return [...refs];
}

const lineArguments = ["start", "end", "fixed", "trigger", "duration", "author", "comment"] as const;
type LineValues = ParsedArguments<(typeof lineArguments)[number]>;

const hasTrigger = ({ trigger }: LineValues): boolean => trigger !== "" && trigger !== "0";

function shapeOfLine(realm: CommandRealm, values: LineValues): Result<Shape, string> {
  const { fixed, trigger, duration } = values;
  if (hasTrigger(values)) {
    const found = findByNumericId(realm.downtimeRefs, trigger, undefined);
    return found === undefined
      ? fail(`the triggering downtime ${JSON.stringify(trigger)} does not exist`)
      : ok({ kind: "triggered", triggeredBy: found.id });
  }
  if (fixed) return ok({ kind: "fixed" });
  return duration > 0 ? ok({ kind: "flexible", durationMs: duration }) : fail("the duration must be above zero");
}

/** Downtimes of hosts that are reached through the one of a line: none, at the same time, or triggered by its downtime. */
type Children = "none" | "same" | "triggered";

const scheduling =
  (children: Children) =>
  (
    refs: readonly string[],
    values: LineValues,
    { realm, mintId }: ResolutionContext,
  ): Result<LineCommands<ScheduleDowntime>, string> => {
    const { start: startMs, end: endMs, author, comment } = values;
    if (endMs <= startMs) return fail("the end must be after the start");
    const shape = shapeOfLine(realm, values);
    if (!shape.ok) return shape;
    const schedule = (ids: readonly string[], as: Shape, changeId?: string): ScheduleDowntime => {
      const downtimes = ids.map((ref) => ({ id: mintId(), ref }));
      return { downtimes, startMs, endMs, comment, shape: as, changeId: changeId ?? firstId(downtimes) };
    };
    const below = children === "none" ? [] : hostsBelow(realm, refs);
    if (children !== "triggered" || below.length === 0)
      return lineCommands([schedule([...refs, ...below], shape.value)], author);
    const first = schedule(refs, shape.value);
    const triggeredBy = firstId(first.downtimes);
    return lineCommands([first, schedule(below, { kind: "triggered", triggeredBy }, first.changeId)], author);
  };

const firstId = ([first]: ScheduleDowntime["downtimes"]): string => first?.id ?? "";

/** Hosts behind the given ones by their `parents`, nearest first. */
function hostsBelow(realm: CommandRealm, refs: readonly string[]): readonly string[] {
  const seen = new Set(refs);
  for (const ref of seen) for (const child of realm.records.get(ref)?.plan.children ?? []) seen.add(child);
  return [...seen].slice(refs.length);
}

const linesOf = (names: TargetNames, children: Children) =>
  targetLines(names, lineArguments, scheduling(children), (values) => (hasTrigger(values) ? "stored" : undefined));

export const scheduleDowntimeCommand = declareCommand("scheduleDowntime", {
  kind: "schedule_downtime",
  words: {
    action: "Downtime",
    noun: "downtime",
    title: (count) => (count === 1 ? "Schedule downtime" : `Schedule downtime for ${count} objects`),
  },
  parse(request, { realm, mintId, requestKey }) {
    const start = timestampFromProto("start", request.start);
    if (!start.ok) return start;
    if (start.value === undefined) return malformed("start", "is required");
    const end = timestampFromProto("end", request.end);
    if (!end.ok) return end;
    if (end.value === undefined) return malformed("end", "is required");
    if (end.value <= start.value) return malformed("end", "must be after start");
    const shape = parseShape(realm, request);
    if (!shape.ok) return shape;
    if (request.changeId !== "" && !parseIdempotencyKey(request.changeId).ok)
      return malformed("changeId", "must have 1 to 128 printable ASCII characters");
    const records = resolveTarget(realm, request.target);
    if (!records.ok) return records;
    const downtimes = withServices(records.value, request.includeServices).map((ref) => ({ id: mintId(), ref }));
    return ok({
      downtimes,
      startMs: start.value,
      endMs: end.value,
      comment: request.comment,
      shape: shape.value,
      changeId: request.changeId || (requestKey ?? firstId(downtimes)),
    });
  },
  effects: ({ downtimes, startMs, endMs, comment, shape, changeId }: ScheduleDowntime, { by }) =>
    downtimes.map(({ id, ref }) => {
      const started: DowntimeShape = shape.kind === "fixed" ? shape : { ...shape, active: undefined };
      const downtime: Downtime = { id, shape: started, startMs, endMs, ...by, comment, inEffect: false, changeId };
      const input: ScheduleDowntimeInput = { kind: "schedule_downtime", downtime };
      return { kind: "object" as const, ref, input };
    }),
  annotations: ({ downtimes, changeId }) => ({ of: "downtimes", change: "add", entries: downtimes, changeId }),
  response: (ids) => ({ downtimeIds: [...ids] }),
  /** Services that come with their host do not count. */
  matched({ downtimes }, { target, includeServices }, realm) {
    if (!includeServices) return downtimes.length;
    const records = resolveTarget(realm, target);
    return records.ok ? records.value.length : 0;
  },
  lines: {
    ...linesOf(
      {
        host: "SCHEDULE_HOST_DOWNTIME",
        service: "SCHEDULE_SVC_DOWNTIME",
        services: "SCHEDULE_HOST_SVC_DOWNTIME",
      },
      "none",
    ),
    ...linesOf({ host: "SCHEDULE_AND_PROPAGATE_HOST_DOWNTIME" }, "same"),
    ...linesOf({ host: "SCHEDULE_AND_PROPAGATE_TRIGGERED_HOST_DOWNTIME" }, "triggered"),
  },
});
