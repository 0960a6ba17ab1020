import { isProblem } from "@realmwatch/shared/model/status";
import type { Observation } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";
import { instantText, type ShadowDifference } from "./state-differences.ts";

/** Notification of a problem. */
export type ShadowNotification = {
  readonly ref: string;
  /** True when the status of a problem had changed, of which the agent had notified. */
  readonly isStatusChange: boolean;
  /** Unix ms. */
  readonly atMs: number;
};

type SeenNotification = {
  readonly ref: string;
  /** Unix ms. */
  readonly atMs: number;
  /** True when its system had notified of the same problem before. */
  readonly isRepetition: boolean;
  readonly circumstances: readonly string[];
};

/** Maximum distance of two notifications that count as the same, ms. */
const toleranceMs = 300_000;
/** Maximum number of notifications without a counterpart; older ones are counted only. */
const maxUnpaired = 10_000;

/** Pairs of problem notifications of both systems, and those without a counterpart. */
export class NotificationPairs {
  /** Time of the latest notification of the other system by reference, Unix ms. */
  readonly #latest = new Map<string, number>();
  /** Objects of which the other system had notified before the beginning, and the agent not yet. */
  readonly #notifiedBefore = new Set<string>();
  /** Time of the agent's latest notification of the present problem by reference, Unix ms. */
  readonly #agentNotified = new Map<string, number>();
  #other: SeenNotification[] = [];
  #agent: SeenNotification[] = [];
  #circumstances = new Map<string, readonly string[]>();
  #repeatsWithResults = false;
  #hasBegun = false;
  #counts = { other: 0, agent: 0, paired: 0, omitted: 0 };

  /** Numbers of notifications of each system and of pairs; `omitted`: unpaired ones that are not listed. */
  get counts(): Readonly<{ other: number; agent: number; paired: number; omitted: number }> {
    return this.#counts;
  }

  /** [SH16] Number of repetitions without a counterpart, where the other system repeats with a result and not by time. */
  get repetitions(): number {
    return this.#repeatsWithResults ? [...this.#other, ...this.#agent].filter((each) => each.isRepetition).length : 0;
  }

  /** Takes a reading of the other system. @param shadowed the agent's objects before its results were submitted */
  observe({ objects, dialect }: Observation, shadowed: ReadonlyMap<string, ShadowedObject>): void {
    this.#repeatsWithResults = dialect === "nagios";
    this.#circumstances = new Map(objects.map(({ ref, circumstances }) => [ref, circumstances]));
    for (const { ref, status, notifiedAtMs: atMs, notificationNumber, lastOkAtMs, circumstances } of objects) {
      if (status === "ok") this.#notifiedBefore.delete(ref);
      if (status === "ok" || (lastOkAtMs ?? 0) > (this.#agentNotified.get(ref) ?? 0)) this.#agentNotified.delete(ref);
      if (atMs === undefined || this.#latest.get(ref) === atMs) continue;
      this.#latest.set(ref, atMs);
      if (this.#hasBegun) this.#add("other", { ref, atMs, circumstances, isRepetition: notificationNumber > 1 });
      else if (!mayHaveNotified(shadowed.get(ref))) this.#notifiedBefore.add(ref);
    }
    this.#hasBegun = true;
  }

  /** Takes notifications that the agent has decided since the last call. */
  decided(notifications: readonly ShadowNotification[]): void {
    for (const { ref, atMs, isStatusChange } of notifications) {
      const isRepetition = !isStatusChange && this.#agentNotified.has(ref);
      this.#agentNotified.set(ref, atMs);
      // The problem was announced by the other system before the agent saw it.
      if (this.#notifiedBefore.delete(ref)) continue;
      this.#add("agent", { ref, atMs, isRepetition, circumstances: this.#circumstances.get(ref) ?? [] });
    }
  }

  /** Notifications of one system only, so far. */
  list(): readonly ShadowDifference[] {
    const isDifference = (each: SeenNotification): boolean => !(each.isRepetition && this.#repeatsWithResults);
    return [
      ...this.#other.filter(isDifference).map((each) => differenceOf(each, { other: "notified", agent: "" })),
      ...this.#agent.filter(isDifference).map((each) => differenceOf(each, { other: "", agent: "notified" })),
    ];
  }

  #add(system: "other" | "agent", notification: SeenNotification): void {
    this.#counts = { ...this.#counts, [system]: this.#counts[system] + 1 };
    const { ref, atMs } = notification;
    const [own, counterparts] = system === "other" ? [this.#other, this.#agent] : [this.#agent, this.#other];
    const at = counterparts.findIndex((each) => each.ref === ref && Math.abs(each.atMs - atMs) <= toleranceMs);
    if (at >= 0) {
      counterparts.splice(at, 1);
      this.#counts = { ...this.#counts, paired: this.#counts.paired + 1 };
      return;
    }
    own.push(notification);
    if (own.length <= maxUnpaired) return;
    own.shift();
    this.#counts = { ...this.#counts, omitted: this.#counts.omitted + 1 };
  }
}

/** True for an object of whose problem the agent may have notified already. */
const mayHaveNotified = (object: ShadowedObject | undefined): boolean =>
  object?.isHard === true && isProblem(object.status);

const differenceOf = (
  { ref, atMs, circumstances }: SeenNotification,
  sides: Pick<ShadowDifference, "other" | "agent">,
): ShadowDifference => ({
  ...{ object: ref, kind: "notification", ...sides, circumstances },
  since: instantText(atMs),
});
