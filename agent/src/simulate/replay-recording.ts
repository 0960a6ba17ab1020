import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";
import { never } from "@realmwatch/shared/model/never";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type { CheckResult } from "../engine/input.ts";
import { stateTypeOf, statusOf } from "../engine/state/object-state.ts";
import { isDownOrUnreachable, ownHostStatus } from "../engine/state/reachability.ts";
import { nextSlot, scheduledPlanOf } from "../realm/schedule/check-times.ts";
import type { ObjectRecord } from "../realm/state/object-record.ts";
import { estimateFlap, type RecordedFlapChange, replayFlap, stableUntilNotFlappingMs } from "./flap-replay.ts";
import type { NotificationSummary, RecordedEvent, RecordedState, Recording } from "./recording.ts";
import { SimulatedRealm, withoutFreshness } from "./simulated-realm.ts";

type ReplayOptions = {
  readonly plan: RealmPlan;
  /** The document that was in force in the span; undefined when it is unknown. */
  readonly ran: RealmPlan | undefined;
};

/**
 * Notifications that would have been sent in the span of a recording with `plan` in force from its start. Between two
 * recorded changes an object keeps its state; docs/how-to/try-notifications.md lists the limits of that.
 */
export function replayRecording(recording: Recording, options: ReplayOptions): readonly NotificationSummary[] {
  return new Replay(recording, options).run();
}

/** Times of each object's state changes. Queries of one object must come in ascending order of time. */
class StateChangeTimes {
  readonly #times = new Map<string, { readonly atMs: number[]; next: number }>();

  constructor(events: Iterable<RecordedEvent>) {
    for (const event of events) {
      if (event.kind !== "state") continue;
      this.#times.getOrInsertComputed(event.ref, () => ({ atMs: [], next: 0 })).atMs.push(event.atMs);
    }
  }

  /** True when the object changes in (`fromMs`, `untilMs`]. */
  isBetween(ref: string, fromMs: number, untilMs: number): boolean {
    const times = this.#times.get(ref);
    if (times === undefined) return false;
    while ((times.atMs[times.next] ?? Infinity) <= fromMs) times.next += 1;
    return (times.atMs[times.next] ?? Infinity) <= untilMs;
  }
}

class Replay {
  readonly #recording: Recording;
  readonly #simulated: SimulatedRealm;
  readonly #ran: RealmPlan | undefined;
  readonly #notified: NotificationSummary[] = [];
  readonly #changes: StateChangeTimes;
  /** Objects whose recorded state is a hard problem, by reference. */
  readonly #confirmed = new Set<string>();

  constructor(recording: Recording, { plan, ran }: ReplayOptions) {
    this.#recording = recording;
    this.#ran = ran;
    this.#changes = new StateChangeTimes(recording.events);
    this.#simulated = new SimulatedRealm({
      ...{ name: recording.realm, plan: withoutFreshness(plan), nowMs: recording.fromMs },
      ...{ program: recording.program, states: recording.states },
      checkSoon: (ref) => this.#checkSoon(ref),
      notified: (notification) => this.#notified.push(notification),
    });
  }

  run(): readonly NotificationSummary[] {
    this.#simulated.start();
    for (const ref of this.#simulated.realm.records.keys()) this.#scheduleNext(ref);
    for (const event of this.#recording.events) {
      this.#simulated.advanceBefore(event.atMs);
      this.#take(event);
    }
    this.#simulated.advanceTo(this.#recording.toMs);
    return this.#notified;
  }

  #take(event: RecordedEvent): void {
    switch (event.kind) {
      case "state":
        return this.#takeState(event);
      case "flap":
        return this.#takeFlap(event.ref, event.flap);
      case "input":
        return this.#simulated.realm.records.has(event.ref) ? this.#simulated.step(event.ref, event.input) : undefined;
      case "command":
        return this.#simulated.apply(event.accepted);
      default:
        return never(event);
    }
  }

  #takeState({ ref, status, previousStatus, stateType, flap }: RecordedState): void {
    const record = this.#simulated.realm.records.get(ref);
    if (record === undefined) return;
    if (isProblem(status) && stateType === "hard") this.#confirmed.add(ref);
    else this.#confirmed.delete(ref);
    // With another retry interval or number of attempts, the replay makes its own attempts.
    if (status === previousStatus && !this.#sameSchedule(record.plan)) return;
    this.#feed(ref, status, flap);
  }

  #takeFlap(ref: string, flap: "start" | "stop"): void {
    const record = this.#simulated.realm.records.get(ref);
    if (record?.state.last === undefined || !this.#sameFlap(record.plan)) return;
    if (flap === "stop") return this.#feed(ref, rawStatusOf(record), "stop");
    record.state = { ...record.state, flap: { value: 1, flapping: true } };
    this.#simulated.step(ref, { kind: "reevaluate_notifications" });
  }

  /** Applies a result: a recorded one, or an unchanged one that is not recorded. */
  #feed(ref: string, status: Status, flap: RecordedFlapChange, executedAtMs = this.#simulated.nowMs): void {
    const record = this.#simulated.realm.records.get(ref);
    if (record === undefined || status === "pending") return;
    const wasBlocking = isDownOrUnreachable(statusOf(record.state.phase));
    record.state = { ...record.state, flap: this.#flapBefore(record, flap) };
    this.#simulated.step(ref, { kind: "result", result: resultOf(record, status, executedAtMs) });
    this.#scheduleNext(ref);
    if ("services" in record.plan && wasBlocking && !isDownOrUnreachable(statusOf(record.state.phase)))
      for (const service of record.plan.services) this.#scheduleNext(service);
  }

  #flapBefore({ plan, state }: ObjectRecord, flap: RecordedFlapChange) {
    if (this.#sameFlap(plan)) return replayFlap(state.flap, flap);
    const hostDown = "host" in plan && isDownOrUnreachable(this.#simulated.realm.statusOf(plan.host));
    return hostDown ? state.flap : estimateFlap(plan, state, this.#simulated.nowMs);
  }

  /** Schedules the next unchanged result, which is not recorded, if it matters for the object. */
  #scheduleNext(ref: string): void {
    const record = this.#simulated.realm.records.get(ref);
    if (record === undefined) return;
    const atMs = this.#nextResultMs(record);
    const name = `result ${ref}`;
    if (atMs === undefined) return this.#simulated.cancel(name);
    this.#simulated.schedule(name, atMs, () => this.#feed(ref, rawStatusOf(record), undefined));
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
    return waits ? nextSlot(lastAtMs, checkIntervalMs, this.#simulated.nowMs) : undefined;
  }

  /** [NO5] True for a result from before the host recovered: it does not count. */
  #isOlderThanHost(plan: ObjectPlan, lastAtMs: number): boolean {
    if (!("host" in plan)) return false;
    const host = this.#simulated.realm.records.get(plan.host)?.state;
    return host?.upSinceMs !== undefined && lastAtMs < host.upSinceMs && !isDownOrUnreachable(statusOf(host.phase));
  }

  /** Runs an on-demand check. If it had changed the state, that would be recorded; so the state is unchanged. */
  #checkSoon(ref: string): void {
    const record = this.#simulated.realm.records.get(ref);
    const plan = record && scheduledPlanOf(record.plan);
    if (record?.state.last === undefined || plan === undefined || stateTypeOf(record.state.phase) === "soft") return;
    const { toggles } = this.#simulated.realm.program;
    if (!toggles.activeChecks || !record.state.toggles.activeChecks) return;
    const { nowMs } = this.#simulated;
    if (this.#changes.isBetween(ref, nowMs, nowMs + plan.schedule.timeoutMs)) return;
    const tookMs = Math.min(record.state.last.executionMs ?? 0, plan.schedule.timeoutMs);
    const check = (): void => this.#feed(ref, rawStatusOf(record), undefined, nowMs);
    this.#simulated.schedule(`on-demand ${ref}`, nowMs + tookMs, check);
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

/** Last status of the object, before a host's parents turned it into unreachable. */
const rawStatusOf = ({ state }: ObjectRecord): Status => state.last?.rawStatus ?? "pending";

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
    // Recorded results were accepted, so they are not subject to the passive check toggles.
    origin: "active",
  };
}
