import { isChecked } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import { never } from "@realmwatch/shared/model/never";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import type { CheckResult } from "../engine/input.ts";
import type { SimulatedRealm } from "./simulated-realm.ts";

/** What is made up to happen to an object. Instants are Unix ms. */
export type RouteScenario = {
  readonly ref: string;
  readonly kind: NotificationKind;
  /** What the problem is, where there is one. */
  readonly status: Exclude<CheckStatus, "ok">;
  readonly atMs: number;
  /** How long what ends at `atMs` had lasted, ms. */
  readonly lastedMs: number;
};

/** These need something to have been there before. */
const endings: ReadonlySet<NotificationKind> = new Set<NotificationKind>([
  "RECOVERY",
  "STATUS_CHANGE",
  "ACKNOWLEDGEMENT",
  "FLAPPING_STOP",
  "DOWNTIME_END",
  "DOWNTIME_CANCELLED",
]);

/** When the story begins. */
export const scenarioStartMs = ({ kind, atMs, lastedMs }: RouteScenario): number =>
  endings.has(kind) ? atMs - lastedMs : atMs;

const by = { author: "you", onBehalfOf: "" };
const downtimeMs = 3_600_000;

const result = (status: CheckStatus, atMs: number): CheckResult => ({
  ...{ status, output: "made up", longOutput: "", perfdata: [], executedAtMs: atMs },
  ...{ latencyMs: undefined, executionMs: undefined, source: "", origin: "active" },
});

/** Feeds as many results as it takes until the object is known to be so. */
function confirm(dry: SimulatedRealm, ref: string, status: CheckStatus): void {
  const record = dry.realm.records.get(ref);
  const attempts =
    record !== undefined && isChecked(record.plan) && status !== "ok" ? record.plan.schedule.maxAttempts : 1;
  for (let n = 0; n < attempts; n += 1) dry.step(ref, { kind: "result", result: result(status, dry.nowMs) });
}

const downtime = (startMs: number, endMs: number): Downtime => ({
  ...{ id: "made-up", shape: { kind: "fixed" }, startMs, endMs, ...by, comment: "made up", inEffect: false },
});

/** Flapping is worked out from many results; here one is enough. */
function flap(
  dry: SimulatedRealm,
  ref: string,
  { flapping, status }: { flapping: boolean; status: CheckStatus },
): void {
  const record = dry.realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, flap: flapping ? { value: 1, flapping: false } : { value: 0, flapping: true } };
  dry.step(ref, { kind: "result", result: result(status, dry.nowMs) });
}

/** Has the story happen, up to and including what `kind` is told of. */
export function runRouteScenario(dry: SimulatedRealm, { ref, kind, status, atMs }: RouteScenario): void {
  const other = status === "warning" ? "critical" : "warning";
  switch (kind) {
    case "PROBLEM":
      dry.advanceTo(atMs);
      return confirm(dry, ref, status);
    case "RECOVERY":
      confirm(dry, ref, status);
      dry.advanceTo(atMs);
      return confirm(dry, ref, "ok");
    case "STATUS_CHANGE":
      confirm(dry, ref, other);
      dry.advanceTo(atMs);
      return confirm(dry, ref, status);
    case "ACKNOWLEDGEMENT": {
      confirm(dry, ref, status);
      dry.advanceTo(atMs);
      const acknowledgement = { ...by, comment: "made up", sticky: true, atMs, expiresAtMs: undefined };
      return dry.step(ref, { kind: "acknowledge", acknowledgement, notify: true });
    }
    case "FLAPPING_START":
      dry.advanceTo(atMs);
      return flap(dry, ref, { flapping: true, status });
    case "FLAPPING_STOP":
      flap(dry, ref, { flapping: true, status });
      dry.advanceTo(atMs);
      return flap(dry, ref, { flapping: false, status });
    case "DOWNTIME_START":
      dry.advanceTo(atMs);
      return dry.step(ref, { kind: "schedule_downtime", downtime: downtime(atMs, atMs + downtimeMs) });
    case "DOWNTIME_END":
      dry.step(ref, { kind: "schedule_downtime", downtime: downtime(dry.nowMs, atMs) });
      return dry.advanceTo(atMs);
    case "DOWNTIME_CANCELLED":
      dry.step(ref, { kind: "schedule_downtime", downtime: downtime(dry.nowMs, atMs + downtimeMs) });
      dry.advanceTo(atMs);
      return dry.step(ref, { kind: "delete_downtime", id: "made-up", by });
    case "CUSTOM":
      dry.advanceTo(atMs);
      return dry.step(ref, { kind: "custom_notification", comment: "made up", by });
    default:
      return never(kind);
  }
}
