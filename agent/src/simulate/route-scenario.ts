import { isChecked } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import { never } from "@realmwatch/shared/model/never";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import type { CheckResult } from "../engine/input.ts";
import type { SimulatedRealm } from "./simulated-realm.ts";

/** A hypothetical event of an object. */
export type RouteScenario = {
  readonly ref: string;
  readonly kind: NotificationKind;
  /** Status of the problem, for kinds that need one. */
  readonly status: Exclude<CheckStatus, "ok">;
  /** Time of the event, Unix ms. */
  readonly atMs: number;
  /** Duration of the problem or downtime that ends at `atMs`, ms. */
  readonly lastedMs: number;
};

/** Kinds that need a problem, flapping or a downtime to be there before. */
const endings: ReadonlySet<NotificationKind> = new Set<NotificationKind>([
  "RECOVERY",
  "STATUS_CHANGE",
  "ACKNOWLEDGEMENT",
  "FLAPPING_STOP",
  "DOWNTIME_END",
  "DOWNTIME_CANCELLED",
]);

/** Start of the scenario, Unix ms. */
export const scenarioStartMs = ({ kind, atMs, lastedMs }: RouteScenario): number =>
  endings.has(kind) ? atMs - lastedMs : atMs;

const by = { author: "you", onBehalfOf: "" };
const downtimeMs = 3_600_000;

const result = (status: CheckStatus, atMs: number): CheckResult => ({
  ...{ status, output: "made up", longOutput: "", perfdata: [], executedAtMs: atMs },
  ...{ latencyMs: undefined, executionMs: undefined, source: "", origin: "active" },
});

/** Applies as many results as make the status hard. */
function confirm(simulated: SimulatedRealm, ref: string, status: CheckStatus): void {
  const record = simulated.realm.records.get(ref);
  const attempts =
    record !== undefined && isChecked(record.plan) && status !== "ok" ? record.plan.schedule.maxAttempts : 1;
  for (let n = 0; n < attempts; n += 1)
    simulated.step(ref, { kind: "result", result: result(status, simulated.nowMs) });
}

const downtime = (startMs: number, endMs: number): Downtime => ({
  ...{ id: "made-up", shape: { kind: "fixed" }, startMs, endMs, ...by, comment: "made up", inEffect: false },
});

/** Makes the object start or stop flapping with one result. */
function flap(
  simulated: SimulatedRealm,
  ref: string,
  { flapping, status }: { flapping: boolean; status: CheckStatus },
): void {
  const record = simulated.realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, flap: flapping ? { value: 1, flapping: false } : { value: 0, flapping: true } };
  simulated.step(ref, { kind: "result", result: result(status, simulated.nowMs) });
}

/** Runs the scenario up to and including the event of which `kind` notifies. */
export function runRouteScenario(simulated: SimulatedRealm, { ref, kind, status, atMs }: RouteScenario): void {
  const other = status === "warning" ? "critical" : "warning";
  switch (kind) {
    case "PROBLEM":
      simulated.advanceTo(atMs);
      return confirm(simulated, ref, status);
    case "RECOVERY":
      confirm(simulated, ref, status);
      simulated.advanceTo(atMs);
      return confirm(simulated, ref, "ok");
    case "STATUS_CHANGE":
      confirm(simulated, ref, other);
      simulated.advanceTo(atMs);
      return confirm(simulated, ref, status);
    case "ACKNOWLEDGEMENT": {
      confirm(simulated, ref, status);
      simulated.advanceTo(atMs);
      const acknowledgement = { ...by, comment: "made up", sticky: true, atMs, expiresAtMs: undefined };
      return simulated.step(ref, { kind: "acknowledge", acknowledgement, notify: true });
    }
    case "FLAPPING_START":
      simulated.advanceTo(atMs);
      return flap(simulated, ref, { flapping: true, status });
    case "FLAPPING_STOP":
      flap(simulated, ref, { flapping: true, status });
      simulated.advanceTo(atMs);
      return flap(simulated, ref, { flapping: false, status });
    case "DOWNTIME_START":
      simulated.advanceTo(atMs);
      return simulated.step(ref, { kind: "schedule_downtime", downtime: downtime(atMs, atMs + downtimeMs) });
    case "DOWNTIME_END":
      simulated.step(ref, { kind: "schedule_downtime", downtime: downtime(simulated.nowMs, atMs) });
      return simulated.advanceTo(atMs);
    case "DOWNTIME_CANCELLED":
      simulated.step(ref, { kind: "schedule_downtime", downtime: downtime(simulated.nowMs, atMs + downtimeMs) });
      simulated.advanceTo(atMs);
      return simulated.step(ref, { kind: "delete_downtime", id: "made-up", by });
    case "CUSTOM":
      simulated.advanceTo(atMs);
      return simulated.step(ref, { kind: "custom_notification", comment: "made up", by });
    default:
      return never(kind);
  }
}
