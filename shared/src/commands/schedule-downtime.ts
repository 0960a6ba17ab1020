import type { ScheduleDowntimeRequest } from "@realmwatch/proto/svc/v1/command_pb";
import type { Activation, Downtime, DowntimeShape } from "../model/downtime.ts";
import { recurringIdPrefix } from "../model/downtime.ts";
import type { Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import { durationFromProto, timestampFromProto } from "../wire/fields/time.ts";
import { type CommandObject, type CommandRealm, declareCommand } from "./command-kind.ts";
import { malformed, missing, resolveTarget } from "./resolve-target.ts";

type ScheduleDowntime = {
  /** One downtime for each object, hosts before their services. */
  readonly downtimes: readonly { readonly id: string; readonly ref: string }[];
  readonly startMs: number;
  readonly endMs: number;
  readonly comment: string;
  readonly shape: Shape;
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
  }
}

/** References of the objects, hosts before their services, each object once. */
function withServices(records: readonly CommandObject[], includeServices: boolean): string[] {
  const refs = new Set(records.map(({ plan }) => plan.ref));
  if (includeServices)
    for (const { plan } of records) if ("services" in plan) for (const ref of plan.services) refs.add(ref);
  return [...refs];
}

export const scheduleDowntimeCommand = declareCommand("scheduleDowntime", {
  kind: "schedule_downtime",
  parse(request, { realm, mintId }) {
    const start = timestampFromProto("start", request.start);
    if (!start.ok) return start;
    if (start.value === undefined) return malformed("start", "is required");
    const end = timestampFromProto("end", request.end);
    if (!end.ok) return end;
    if (end.value === undefined) return malformed("end", "is required");
    if (end.value <= start.value) return malformed("end", "must be after start");
    const shape = parseShape(realm, request);
    if (!shape.ok) return shape;
    const records = resolveTarget(realm, request.target);
    if (!records.ok) return records;
    return ok({
      downtimes: withServices(records.value, request.includeServices).map((ref) => ({ id: mintId(), ref })),
      startMs: start.value,
      endMs: end.value,
      comment: request.comment,
      shape: shape.value,
    });
  },
  effects: ({ downtimes, startMs, endMs, comment, shape }: ScheduleDowntime, { by }) =>
    downtimes.map(({ id, ref }) => {
      const started: DowntimeShape = shape.kind === "fixed" ? shape : { ...shape, active: undefined };
      const downtime: Downtime = { id, shape: started, startMs, endMs, ...by, comment, inEffect: false };
      const input: ScheduleDowntimeInput = { kind: "schedule_downtime", downtime };
      return { kind: "object" as const, ref, input };
    }),
  annotations: ({ downtimes }) => ({ of: "downtimes", change: "add", entries: downtimes }),
  response: (ids) => ({ downtimeIds: [...ids] }),
  /** Services that come with their host do not count. */
  matched({ downtimes }, { target, includeServices }, realm) {
    if (!includeServices) return downtimes.length;
    const records = resolveTarget(realm, target);
    return records.ok ? records.value.length : 0;
  },
});
