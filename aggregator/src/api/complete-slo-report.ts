import type { ObjectAvailability, SloReport } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectTimes } from "@realmwatch/shared/availability/object-availability";
import { evidencePercent, sumUpDown } from "@realmwatch/shared/availability/service-level";
import type { Status } from "@realmwatch/shared/model/status";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";

/**
 * [SL13] Adds the evidence to the report of an agent that does not send it yet. Such an agent reports 100 % of no time,
 * and a figure of 0 is absent in its message.
 */
export function completeSloReport(report: SloReport): SloReport {
  if (report.evidence !== undefined) return report;
  const excludesDowntimes = report.downtimesExcluded === true;
  const times = report.objects.map(timesOf);
  const { upMs, downMs } = sumUpDown(times, []);
  const { achieved = 0, errorBudgetLeft = 0, burnRate = 0, ...rest } = report;
  return {
    ...rest,
    ...(upMs + downMs > 0 ? { achieved, errorBudgetLeft, burnRate } : {}),
    evidence: evidencePercent(times, excludesDowntimes),
    objects: report.objects.map((object, at) => ({
      ...object,
      evidence: evidencePercent(times.slice(at, at + 1), excludesDowntimes),
    })),
  };
}

const timesOf = ({ seconds, downtimeSeconds }: ObjectAvailability): ObjectTimes => ({
  byStatus: new Map(
    seconds.map(({ status, seconds: count }): [Status | "none", number] => [
      statusCodec.fromProto(status) ?? "none",
      count * 1000,
    ]),
  ),
  downtimeMs: downtimeSeconds * 1000,
});
