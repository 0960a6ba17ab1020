import type { QueryAvailabilityRequest } from "@realmwatch/proto/svc/v1/query_pb";
import { parseAvailabilityRange } from "@realmwatch/shared/api/query/parse-availability";
import { valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { ObjectTimes } from "@realmwatch/shared/availability/object-availability";
import type { Clock } from "@realmwatch/shared/model/clock";
import { statuses } from "@realmwatch/shared/model/status";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { ServiceLevels, SloReport } from "../service-levels/service-levels.ts";
import { refuseOtherRealm } from "./own-realm.ts";
import type { PortPlan } from "./port-contract.ts";

export type AvailabilityOptions = {
  readonly realm: string;
  readonly plan: () => Pick<PortPlan, "availabilityRangeMs">;
  readonly serviceLevels: ServiceLevels;
  readonly clock: Pick<Clock, "now">;
};

/** Length of a range without `from` when the configuration gives none, ms: 30 days. */
const defaultRangeMs = 2_592_000_000;

/** QueryAvailability of an agent. */
export async function queryAvailability(
  request: QueryAvailabilityRequest,
  { realm, plan, serviceLevels, clock }: AvailabilityOptions,
) {
  refuseOtherRealm(realm, request.realm);
  const rangeMs = plan().availabilityRangeMs ?? defaultRangeMs;
  const range = valueOrThrow(parseAvailabilityRange(request, { nowMs: clock.now(), rangeMs }));
  const reports = valueOrThrow(await serviceLevels.report({ slo: request.slo, range }));
  const { fromMs, toMs } = range;
  return {
    slos: reports.map((report) => reportToProto(report, request.label.toLowerCase())),
    from: timestampToProto(fromMs),
    to: timestampToProto(toMs),
  };
}

const reportToProto = ({ slo, achieved, budgetLeft, burnRate, evidence, objects }: SloReport, label: string) => ({
  name: slo.name,
  target: slo.target,
  ...(achieved === undefined ? {} : { achieved }),
  ...(budgetLeft === undefined ? {} : { errorBudgetLeft: budgetLeft }),
  ...(burnRate === undefined ? {} : { burnRate }),
  downtimesExcluded: slo.excludeDowntimes,
  evidence,
  downStatuses: slo.downStatuses.map((status) => statusCodec.toProto(status)),
  objects: objects.map(({ about: { key, labels }, times, evidence: own }) => ({
    object: objectKeyToProto(key),
    label: Object.hasOwn(labels, label) ? (labels[label] ?? "") : "",
    seconds: secondsToProto(times),
    downtimeSeconds: times.downtimeMs / 1000,
    evidence: own,
  })),
});

/** Seconds by status, in the order of the enum; unspecified for time without evidence. */
function secondsToProto({ byStatus }: ObjectTimes) {
  return [undefined, ...statuses].flatMap((status) => {
    const ms = byStatus.get(status ?? "none") ?? 0;
    return ms > 0 ? [{ status: statusCodec.toProto(status), seconds: ms / 1000 }] : [];
  });
}
