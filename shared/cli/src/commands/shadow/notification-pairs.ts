import { isProblem } from "@realmwatch/shared/model/status";
import type { DesignReason, ReasonCounts } from "./by-design.ts";
import type { Observation, ObservedObject } from "./observed-object.ts";
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

type SeenNotification = Pick<ShadowNotification, "ref" | "atMs"> & {
  /** Reason that explains it where the other system has no counterpart; undefined: it is a difference then. */
  readonly reason: DesignReason | undefined;
  readonly circumstances: readonly string[];
};

type System = "other" | "agent";
type ExplainedPair = Readonly<Record<"notification" | "counterpart", SeenNotification>>;

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
  /** Status of the other system's latest notification by reference. */
  readonly #otherNotified = new Map<string, ObservedObject["status"]>();
  /** Time of the agent's latest notification of the present problem by reference, Unix ms. */
  readonly #agentNotified = new Map<string, number>();
  #other: SeenNotification[] = [];
  #agent: SeenNotification[] = [];
  /**
   * Recent pairs by system and object in which the notification of the system needs no counterpart, as it is by design: a
   * later one without a counterpart takes its place.
   */
  readonly #explained = new Map<string, ExplainedPair[]>();
  #circumstances = new Map<string, readonly string[]>();
  #isNagios = false;
  #hasBegun = false;
  #counts = { other: 0, agent: 0, paired: 0, omitted: 0 };

  /** Numbers of notifications of each system and of pairs; `omitted`: unpaired ones that are not listed. */
  get counts(): Readonly<{ other: number; agent: number; paired: number; omitted: number }> {
    return this.#counts;
  }

  /** [SH16] Numbers of notifications without a counterpart that are by design. */
  get designCounts(): ReasonCounts {
    const counts: Partial<Record<DesignReason, number>> = {};
    for (const { reason } of [...this.#other, ...this.#agent])
      if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  }

  /** Takes a reading of the other system. @param shadowed the agent's objects before its results were submitted */
  observe({ objects, dialect }: Observation, shadowed: ReadonlyMap<string, ShadowedObject>): void {
    this.#isNagios = dialect === "nagios";
    this.#circumstances = new Map(objects.map(({ ref, circumstances }) => [ref, circumstances]));
    for (const { ref, status, notifiedAtMs: atMs, notificationNumber, lastOkAtMs, circumstances } of objects) {
      if (status === "ok") this.#notifiedBefore.delete(ref);
      if (status === "ok" || (lastOkAtMs ?? 0) > (this.#agentNotified.get(ref) ?? 0)) this.#agentNotified.delete(ref);
      if (atMs === undefined || this.#latest.get(ref) === atMs) continue;
      this.#latest.set(ref, atMs);
      const isAgain = notificationNumber > 1 && this.#otherNotified.get(ref) === status;
      const reason = this.#reasonOfOther(status, isAgain);
      this.#otherNotified.set(ref, status);
      if (this.#hasBegun) this.#add("other", { ref, atMs, circumstances, reason });
      else if (!mayHaveNotified(shadowed.get(ref))) this.#notifiedBefore.add(ref);
    }
    this.#hasBegun = true;
  }

  /** @param isAgain true when it had notified of the same status of the same problem before */
  #reasonOfOther(status: ObservedObject["status"], isAgain: boolean): DesignReason | undefined {
    if (!this.#isNagios) return undefined;
    if (status === "unreachable") return "unreachable_host";
    return isAgain ? "repetition" : undefined;
  }

  /**
   * Takes notifications that the agent has decided since the last call.
   *
   * @param reasonOf reason by which the state of an object differs by design
   */
  decided(
    notifications: readonly ShadowNotification[],
    reasonOf: (ref: string) => DesignReason | undefined = () => undefined,
  ): void {
    for (const { ref, atMs, isStatusChange } of notifications) {
      const isRepetition = this.#isNagios && !isStatusChange && this.#agentNotified.has(ref);
      this.#agentNotified.set(ref, atMs);
      // The problem was announced by the other system before the agent saw it.
      if (this.#notifiedBefore.delete(ref)) continue;
      const reason = isRepetition ? "repetition" : reasonOf(ref);
      this.#add("agent", { ref, atMs, reason, circumstances: this.#circumstances.get(ref) ?? [] });
    }
  }

  /** Notifications of one system only, so far. */
  list(): readonly ShadowDifference[] {
    const isDifference = ({ reason }: SeenNotification): boolean => reason === undefined;
    return [
      ...this.#other.filter(isDifference).map((each) => differenceOf(each, { other: "notified", agent: "" })),
      ...this.#agent.filter(isDifference).map((each) => differenceOf(each, { other: "", agent: "notified" })),
    ];
  }

  #add(system: System, notification: SeenNotification): void {
    this.#counts = { ...this.#counts, [system]: this.#counts[system] + 1 };
    const [own, counterparts] = system === "other" ? [this.#other, this.#agent] : [this.#agent, this.#other];
    const at = counterparts.findIndex((each) => isPair(each, notification));
    const [counterpart] = at < 0 ? [] : counterparts.splice(at, 1);
    if (counterpart !== undefined) {
      this.#counts = { ...this.#counts, paired: this.#counts.paired + 1 };
      this.#noteExplained(system, notification, counterpart);
      this.#noteExplained(system === "other" ? "agent" : "other", counterpart, notification);
      return;
    }
    const explained = this.#explained.get(`${system} ${notification.ref}`) ?? [];
    const pairAt = explained.findIndex((pair) => isPair(notification, pair.counterpart));
    const [pair] = pairAt < 0 ? [] : explained.splice(pairAt, 1);
    this.#keep(own, pair?.notification ?? notification);
  }

  #noteExplained(system: System, notification: SeenNotification, counterpart: SeenNotification): void {
    if (notification.reason === undefined) return;
    const key = `${system} ${notification.ref}`;
    const recent = (this.#explained.get(key) ?? []).filter((pair) => isPair(pair.counterpart, counterpart));
    this.#explained.set(key, [...recent, { notification, counterpart }]);
  }

  /** Keeps a notification without a counterpart. */
  #keep(own: SeenNotification[], notification: SeenNotification): void {
    own.push(notification);
    if (own.length <= maxUnpaired) return;
    own.shift();
    this.#counts = { ...this.#counts, omitted: this.#counts.omitted + 1 };
  }
}

/** True for the same notification of both systems: about the same problem at nearly the same time. */
const isPair = (a: SeenNotification, b: SeenNotification): boolean =>
  a.ref === b.ref &&
  Math.abs(a.atMs - b.atMs) <= toleranceMs &&
  // The agent never notifies of a host that is unreachable.
  a.reason !== "unreachable_host" &&
  b.reason !== "unreachable_host";

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
