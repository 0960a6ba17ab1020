import { isChecked } from "@realmwatch/shared/config/plan";
import { statusOf } from "../../engine/state/attempts.ts";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { FailedDependency, RecurringWindow, ObjectContext, NotificationRouting } from "../../engine/object-context.ts";
import { isDownOrUnreachable, type ParentsState, parentsState } from "../../engine/state/reachability.ts";
import type { ObjectRecord, RealmState } from "./realm-state.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";

/** The host of a service as it is now; undefined for anything else. */
const hostOf = (realm: RealmState, { plan }: ObjectRecord): ObjectRecord | undefined =>
  "host" in plan ? realm.records.get(plan.host) : undefined;

/**
 * What a realm means for one of its objects at one instant. Most steps ask for little of it, and some of it is dear:
 * each answer is worked out when it is asked for. Holds for the length of a step.
 */
export class RealmObjectContext implements ObjectContext {
  readonly #realm: RealmState;
  readonly #record: ObjectRecord;
  readonly #host: ObjectRecord | undefined;
  readonly #nowMs: number;

  constructor(realm: RealmState, record: ObjectRecord, nowMs: number) {
    this.#realm = realm;
    this.#record = record;
    this.#host = hostOf(realm, record);
    this.#nowMs = nowMs;
  }

  get hostDown(): boolean {
    return this.#host !== undefined && isDownOrUnreachable(statusOf(this.#host.state.phase));
  }

  get hostBlocked(): boolean {
    return this.#host?.state.phase.kind === "hard" && this.hostDown;
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

  /** [RE4] Of a host: when the last of its parents came back. */
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

  /** [HS4] Only a host that is looked at now can answer a question about it. */
  get hostCheck(): ObjectContext["hostCheck"] {
    if (this.#host === undefined) return undefined;
    const { plan, state } = this.#host;
    const scheduled = scheduledPlanOf(plan);
    const switchedOn = this.#realm.program.toggles.activeChecks && state.toggles.activeChecks;
    if (scheduled === undefined || !switchedOn) return undefined;
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
