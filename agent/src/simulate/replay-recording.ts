import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type { CheckResult } from "../engine/input.ts";
import { stateTypeOf, statusOf } from "../engine/state/attempts.ts";
import { isDownOrUnreachable, ownHostStatus } from "../engine/state/reachability.ts";
import { scheduledPlanOf } from "../realm/schedule/check-times.ts";
import type { ObjectRecord } from "../realm/state/object-record.ts";
import { StateChangeTimes } from "./change-times.ts";
import { estimateFlap, type RecordedFlapChange, replayFlap, stableUntilNotFlappingMs } from "./flap-replay.ts";
import type { NotificationSummary } from "./notification-summary.ts";
import type { RecordedEvent, RecordedState, Recording } from "./recording.ts";
import { SimulatedRealm } from "./simulated-realm.ts";
import { withoutFreshness } from "./without-freshness.ts";

export type ReplayOptions = {
  readonly plan: RealmPlan;
  /** The document that made the record, where it is known. */
  readonly ran: RealmPlan | undefined;
};

/**
 * Who would have been told what in the span of a recording, had `plan` come into force at its beginning. Between two
 * recorded changes an object stays as it is; see docs/how-to/try-notifications.md for what that leaves open.
 */
export function replayRecording(recording: Recording, options: ReplayOptions): readonly NotificationSummary[] {
  return new Replay(recording, options).run();
}

class Replay {
  readonly #recording: Recording;
  readonly #dry: SimulatedRealm;
  readonly #ran: RealmPlan | undefined;
  readonly #told: NotificationSummary[] = [];
  readonly #changes: StateChangeTimes;
  /** By object: the record says that its problem is confirmed. */
  readonly #confirmed = new Set<string>();

  constructor(recording: Recording, { plan, ran }: ReplayOptions) {
    this.#recording = recording;
    this.#ran = ran;
    this.#changes = new StateChangeTimes(recording.events);
    this.#dry = new SimulatedRealm({
      ...{ name: recording.realm, plan: withoutFreshness(plan), nowMs: recording.fromMs },
      ...{ program: recording.program, states: recording.states },
      look: (ref) => this.#look(ref),
      told: (message) => this.#told.push(message),
    });
  }

  run(): readonly NotificationSummary[] {
    this.#dry.start();
    for (const ref of this.#dry.realm.records.keys()) this.#expect(ref);
    for (const event of this.#recording.events) {
      this.#dry.advanceBefore(event.atMs);
      this.#take(event);
    }
    this.#dry.advanceTo(this.#recording.toMs);
    return this.#told;
  }

  #take(event: RecordedEvent): void {
    switch (event.kind) {
      case "state":
        return this.#takeState(event);
      case "flap":
        return this.#takeFlap(event.ref, event.flap);
      case "input":
        return this.#dry.realm.records.has(event.ref) ? this.#dry.step(event.ref, event.input) : undefined;
      case "command":
        return this.#dry.apply(event.accepted);
    }
  }

  #takeState({ ref, status, previousStatus, stateType, flap }: RecordedState): void {
    const record = this.#dry.realm.records.get(ref);
    if (record === undefined) return;
    if (isProblem(status) && stateType === "hard") this.#confirmed.add(ref);
    else this.#confirmed.delete(ref);
    // Attempts that were counted at another pace, or to another end, are counted anew.
    if (status === previousStatus && !this.#sameSchedule(record.plan)) return;
    this.#feed(ref, status, flap);
  }

  #takeFlap(ref: string, flap: "start" | "stop"): void {
    const record = this.#dry.realm.records.get(ref);
    if (record?.state.last === undefined || !this.#sameFlap(record.plan)) return;
    if (flap === "stop") return this.#feed(ref, heldBy(record), "stop");
    record.state = { ...record.state, flap: { value: 1, flapping: true } };
    this.#dry.step(ref, { kind: "reevaluate_notifications" });
  }

  /** A result, recorded or one that has to have been there. */
  #feed(ref: string, status: Status, flap: RecordedFlapChange, executedAtMs = this.#dry.nowMs): void {
    const record = this.#dry.realm.records.get(ref);
    if (record === undefined || status === "pending") return;
    const wasBlocking = isDownOrUnreachable(statusOf(record.state.phase));
    record.state = { ...record.state, flap: this.#flapBefore(record, flap) };
    this.#dry.step(ref, { kind: "result", result: resultOf(record, status, executedAtMs) });
    this.#expect(ref);
    if ("services" in record.plan && wasBlocking && !isDownOrUnreachable(statusOf(record.state.phase)))
      for (const service of record.plan.services) this.#expect(service);
  }

  #flapBefore({ plan, state }: ObjectRecord, flap: RecordedFlapChange) {
    if (this.#sameFlap(plan)) return replayFlap(state.flap, flap);
    const hostDown = "host" in plan && isDownOrUnreachable(this.#dry.realm.statusOf(plan.host));
    return hostDown ? state.flap : estimateFlap(plan, state, this.#dry.nowMs);
  }

  /** Sees to it that a result comes that the record does not hold because it changed nothing, where one matters. */
  #expect(ref: string): void {
    const record = this.#dry.realm.records.get(ref);
    if (record === undefined) return;
    const atMs = this.#nextResultMs(record);
    const name = `result ${ref}`;
    if (atMs === undefined) return this.#dry.cancel(name);
    this.#dry.plan(name, atMs, () => this.#feed(ref, heldBy(record), undefined));
  }

  #nextResultMs({ plan, state }: ObjectRecord): number | undefined {
    if (!isChecked(plan) || state.last === undefined) return undefined;
    const { retryIntervalMs, checkIntervalMs } = plan.schedule;
    const lastAtMs = state.last.executedAtMs;
    const counts = !this.#sameSchedule(plan) || this.#confirmed.has(plan.ref);
    if (stateTypeOf(state.phase) === "soft") return counts ? lastAtMs + retryIntervalMs : undefined;
    if (state.flap.flapping && !this.#sameFlap(plan)) return lastAtMs + stableUntilNotFlappingMs(plan, state.flap);
    if (!isProblem(statusOf(state.phase))) return undefined;
    const waits = state.notificationState?.awaitsResult === true || this.#isOlderThanHost(plan, lastAtMs);
    return waits ? nextTurnMs(lastAtMs, checkIntervalMs, this.#dry.nowMs) : undefined;
  }

  /** [NO5] What was found out before the host came back says nothing. */
  #isOlderThanHost(plan: ObjectPlan, lastAtMs: number): boolean {
    if (!("host" in plan)) return false;
    const host = this.#dry.realm.records.get(plan.host)?.state;
    return host?.upSinceMs !== undefined && lastAtMs < host.upSinceMs && !isDownOrUnreachable(statusOf(host.phase));
  }

  /** A check before its turn: where it found something else the record says so, otherwise all was as it was. */
  #look(ref: string): void {
    const record = this.#dry.realm.records.get(ref);
    const plan = record && scheduledPlanOf(record.plan);
    if (record?.state.last === undefined || plan === undefined || stateTypeOf(record.state.phase) === "soft") return;
    const { toggles } = this.#dry.realm.program;
    if (!toggles.activeChecks || !record.state.toggles.activeChecks) return;
    const { nowMs } = this.#dry;
    if (this.#changes.isBetween(ref, nowMs, nowMs + plan.schedule.timeoutMs)) return;
    const tookMs = Math.min(record.state.last.executionMs ?? 0, plan.schedule.timeoutMs);
    const look = (): void => this.#feed(ref, heldBy(record), undefined, nowMs);
    this.#dry.plan(`look ${ref}`, nowMs + tookMs, look);
  }

  #sameSchedule(plan: ObjectPlan): boolean {
    const ran = this.#ranWith(plan);
    if (!isChecked(ran) || !isChecked(plan)) return true;
    const [a, b] = [ran.schedule, plan.schedule];
    return a.maxAttempts === b.maxAttempts && a.retryIntervalMs === b.retryIntervalMs;
  }

  #sameFlap(plan: ObjectPlan): boolean {
    const [a, b] = [this.#ranWith(plan).flap, plan.flap];
    const sameRule = a.alpha === b.alpha && a.highThreshold === b.highThreshold && a.lowThreshold === b.lowThreshold;
    return sameRule && a.enabled === b.enabled;
  }

  #ranWith = (plan: ObjectPlan): ObjectPlan => this.#ran?.objects.get(plan.ref) ?? plan;
}

/** What the object was last known to be, before its parents made another thing of it. */
const heldBy = ({ state }: ObjectRecord): Status => state.last?.rawStatus ?? "pending";

const nextTurnMs = (lastAtMs: number, intervalMs: number, nowMs: number): number =>
  lastAtMs + (Math.floor((nowMs - lastAtMs) / intervalMs) + 1) * intervalMs;

function resultOf(
  { plan, state }: ObjectRecord,
  status: Exclude<Status, "pending">,
  executedAtMs: number,
): CheckResult {
  const raw = plan.key.kind === "host" ? ownHostStatus(status) : status;
  return {
    status: raw === "pending" ? status : raw,
    ...{ output: "", longOutput: "", perfdata: [], executedAtMs, latencyMs: undefined, source: "" },
    executionMs: state.last?.executionMs,
    // Passive checks that are off refused what came then: what is recorded was taken.
    origin: "active",
  };
}
