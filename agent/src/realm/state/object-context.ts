import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import { isChecked } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type {
  FailedDependency,
  NotificationRouting,
  ObjectContext,
  RecurringWindow,
} from "../../engine/object-context.ts";
import { statusOf } from "../../engine/state/object-state.ts";
import { isDownOrUnreachable, type ParentsState, parentsState } from "../../engine/state/reachability.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import type { DependencyTracker } from "./dependency-tracker.ts";
import type { ObjectRecord } from "./object-record.ts";
import type { ProgramState } from "./program-state.ts";
import type { RecurringWindows } from "./recurring-windows.ts";

/** Parts of a realm's state from which the context of an object is derived. */
interface ContextSource {
  readonly records: ReadonlyMap<string, ObjectRecord>;
  readonly program: ProgramState;
  readonly recurringWindows: RecurringWindows;
  readonly dependencies: DependencyTracker;
  calendar(): Calendar;
  statusOf(ref: string): Status;
  notificationRoutingOf(policy: string): NotificationRouting;
}

/**
 * Context of one object at one instant, derived from the realm's state. Each property is computed when it is read,
 * because most steps read few of them and some are expensive. Valid during one step.
 */
export class RealmObjectContext implements ObjectContext {
  readonly #realm: ContextSource;
  readonly #record: ObjectRecord;
  readonly #host: ObjectRecord | undefined;
  readonly #nowMs: number;

  constructor(realm: ContextSource, record: ObjectRecord, nowMs: number) {
    this.#realm = realm;
    this.#record = record;
    this.#host = "host" in record.plan ? realm.records.get(record.plan.host) : undefined;
    this.#nowMs = nowMs;
  }

  get hostDown(): boolean {
    return this.#host !== undefined && isDownOrUnreachable(statusOf(this.#host.state.phase));
  }

  get parents(): ParentsState {
    const { plan } = this.#record;
    return "parents" in plan ? parentsState(plan.parents.map((ref) => this.#realm.statusOf(ref))) : "none";
  }

  get passiveChecksOn(): boolean {
    return this.#realm.program.toggles.passiveChecks;
  }

  get flapDetectionOn(): boolean {
    return this.#realm.program.toggles.flapDetection;
  }

  get closedUntilMs(): number | undefined {
    const { plan } = this.#record;
    if (!isChecked(plan) || plan.check.type !== "passive" || plan.schedule.checkPeriod === "") return undefined;
    const { checkPeriod } = plan.schedule;
    const calendar = this.#realm.calendar();
    if (calendar.isOpen(checkPeriod, this.#nowMs)) return undefined;
    return calendar.nextOpen(checkPeriod, this.#nowMs) ?? Number.POSITIVE_INFINITY;
  }

  get blockedBy(): readonly string[] {
    const { plan } = this.#record;
    if ("host" in plan) return this.hostDown ? [plan.host] : [];
    if (!("parents" in plan) || this.parents !== "all_down") return [];
    return plan.parents.filter((ref) => isDownOrUnreachable(this.#realm.statusOf(ref)));
  }

  /** [RE4] For a host: the latest recovery among its parents. */
  get reachableSinceMs(): number | undefined {
    if (this.#host !== undefined) return this.#host.state.upSinceMs;
    const { plan } = this.#record;
    if (!("parents" in plan)) return undefined;
    let sinceMs: number | undefined;
    for (const ref of plan.parents) {
      const upSinceMs = this.#realm.records.get(ref)?.state.upSinceMs;
      if (upSinceMs !== undefined && upSinceMs > (sinceMs ?? 0)) sinceMs = upSinceMs;
    }
    return sinceMs;
  }

  /** [HS4] Defined only if an on-demand check of the host can run now. */
  get hostCheck(): ObjectContext["hostCheck"] {
    if (this.#host === undefined) return undefined;
    const { plan, state } = this.#host;
    const scheduled = scheduledPlanOf(plan);
    const checksOn = this.#realm.program.toggles.activeChecks && state.toggles.activeChecks;
    if (scheduled === undefined || !checksOn) return undefined;
    const { checkPeriod, timeoutMs } = scheduled.schedule;
    if (checkPeriod !== "" && !this.#realm.calendar().isOpen(checkPeriod, this.#nowMs)) return undefined;
    return { lastAtMs: state.last?.executedAtMs, timeoutMs };
  }

  get hostInDowntime(): boolean {
    return this.#host !== undefined && anyInEffect(this.#host.state.downtimes);
  }

  get recurring(): readonly RecurringWindow[] {
    return this.#realm.recurringWindows.of(this.#record.plan.ref, this.#nowMs);
  }

  dependency(): FailedDependency | undefined {
    return this.#realm.dependencies.failedFor(this.#record.plan.ref, this.#nowMs);
  }

  get routing(): NotificationRouting {
    return this.#realm.notificationRoutingOf(this.#record.plan.policy);
  }
}
