import type { DeleteDowntimeRequest, ScheduleDowntimeRequest } from "@realmwatch/proto/svc/v1/command_pb";
import type { Command } from "@realmwatch/shared/model/command";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { durationFromProto, timestampFromProto } from "@realmwatch/shared/wire/fields/time";
import { recurringIdPrefix } from "../engine/downtimes/recurring-downtimes.ts";
import type { ReadonlyRecord, RealmReader } from "../realm/state/realm-reader.ts";
import { malformed, missing, resolveTarget } from "./resolve-target.ts";

type Shape = Extract<Command, { kind: "schedule_downtime" }>["shape"];

function parseShape(realm: RealmReader, { kind }: ScheduleDowntimeRequest): Result<Shape, Refusal> {
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
function withServices(records: readonly ReadonlyRecord[], includeServices: boolean): string[] {
  const refs = new Set(records.map(({ plan }) => plan.ref));
  if (includeServices)
    for (const { plan } of records) if ("services" in plan) for (const ref of plan.services) refs.add(ref);
  return [...refs];
}

export function parseScheduleDowntime(
  realm: RealmReader,
  request: ScheduleDowntimeRequest,
  mintId: () => string,
): Result<Command, Refusal> {
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
    kind: "schedule_downtime",
    downtimes: withServices(records.value, request.includeServices).map((ref) => ({ id: mintId(), ref })),
    startMs: start.value,
    endMs: end.value,
    comment: request.comment,
    shape: shape.value,
  });
}

export function parseDeleteDowntime(
  realm: RealmReader,
  { downtimeId: id }: DeleteDowntimeRequest,
): Result<Command, Refusal> {
  if (id === "") return malformed("downtimeId", "is required");
  const recurring = realm.plan.recurringDowntimes.some(({ name }) => id === recurringIdPrefix + name);
  if (recurring)
    return fail({
      kind: "unconfigured",
      why: `downtimeId: downtime ${JSON.stringify(id)} comes from the configuration: remove it there`,
    });
  const ref = realm.downtimeRefs.get(id);
  return ref === undefined
    ? missing("downtimeId", `downtime ${JSON.stringify(id)}`)
    : ok({ kind: "delete_downtime", ref, id });
}
