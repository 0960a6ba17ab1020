import { isProblem } from "@realmwatch/shared/model/status";
import type { ObservedObject } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";
import { instantText, type ShadowDifference } from "./state-differences.ts";

/** Notification of a problem. */
export type ShadowNotification = {
  readonly ref: string;
  /** Unix ms. */
  readonly atMs: number;
};

type OtherNotification = ShadowNotification & { readonly circumstances: readonly string[] };

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
  #other: OtherNotification[] = [];
  #agent: OtherNotification[] = [];
  #circumstances = new Map<string, readonly string[]>();
  #hasBegun = false;
  #counts = { other: 0, agent: 0, paired: 0, omitted: 0 };

  /** Numbers of notifications of each system and of pairs; `omitted`: unpaired ones that are not listed. */
  get counts(): Readonly<{ other: number; agent: number; paired: number; omitted: number }> {
    return this.#counts;
  }

  /** Takes a reading of the other system. @param shadowed the agent's objects before its results were submitted */
  observe(objects: readonly ObservedObject[], shadowed: ReadonlyMap<string, ShadowedObject>): void {
    this.#circumstances = new Map(objects.map(({ ref, circumstances }) => [ref, circumstances]));
    for (const { ref, status, notifiedAtMs: atMs, circumstances } of objects) {
      if (status === "ok") this.#notifiedBefore.delete(ref);
      if (atMs === undefined || this.#latest.get(ref) === atMs) continue;
      this.#latest.set(ref, atMs);
      if (this.#hasBegun) this.#add("other", { ref, atMs, circumstances });
      else if (!mayHaveNotified(shadowed.get(ref))) this.#notifiedBefore.add(ref);
    }
    this.#hasBegun = true;
  }

  /** Takes notifications that the agent has decided since the last call. */
  decided(notifications: readonly ShadowNotification[]): void {
    for (const { ref, atMs } of notifications) {
      // The problem was announced by the other system before the agent saw it.
      if (this.#notifiedBefore.delete(ref)) continue;
      this.#add("agent", { ref, atMs, circumstances: this.#circumstances.get(ref) ?? [] });
    }
  }

  /** Notifications of one system only, so far. */
  list(): readonly ShadowDifference[] {
    return [
      ...this.#other.map((each) => differenceOf(each, { other: "notified", agent: "" })),
      ...this.#agent.map((each) => differenceOf(each, { other: "", agent: "notified" })),
    ];
  }

  #add(system: "other" | "agent", notification: OtherNotification): void {
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
  { ref, atMs, circumstances }: OtherNotification,
  sides: Pick<ShadowDifference, "other" | "agent">,
): ShadowDifference => ({
  ...{ object: ref, kind: "notification", ...sides, circumstances },
  since: instantText(atMs),
});
