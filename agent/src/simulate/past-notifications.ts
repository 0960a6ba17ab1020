import type { PolicyPlan } from "@realmwatch/shared/config/plan";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import {
  type LastNotification as Knows,
  type NotificationState,
  newNotificationState,
} from "../engine/notify/notification-state.ts";

type Known = {
  told: Record<string, Knows>;
  announced: Status | undefined;
  level: number;
  sentAtLevel: number;
  number: number;
  sinceMs: number;
  lastAtMs: number | undefined;
  isFlappingTold: boolean;
};

const nothing = (atMs: number): Known => ({
  ...{ told: {}, announced: undefined, level: 0, sentAtLevel: 0, number: 0, sinceMs: atMs },
  ...{ lastAtMs: undefined, isFlappingTold: false },
});

/** With these a recovery is withheld for now; with all others it is over, told or not. */
const waits = new Set(["downtime", "dependency", "flapping", "policy_period"]);

/** What people knew of each object at an instant, by the records of messages up to it, handed over in their order. */
export class PastNotifications {
  readonly #known = new Map<string, Known>();

  take(record: HistoryRecord): void {
    if (record.key === undefined) return;
    const ref = refOf(record.key);
    if (record.type === "notification") this.#takeSent(record, ref);
    else if (record.contact === undefined) this.#takeWithheld(record, ref);
  }

  #of(ref: string, atMs: number): Known {
    const known = this.#known.get(ref) ?? nothing(atMs);
    this.#known.set(ref, known);
    return known;
  }

  #takeSent({ atMs, notificationKind: kind, status, contact = "", level = 0 }: HistoryRecord, ref: string): void {
    const known = this.#of(ref, atMs);
    if (kind === "RECOVERY") this.#known.delete(ref);
    if (kind === "FLAPPING_START" || kind === "FLAPPING_STOP") known.isFlappingTold = kind === "FLAPPING_START";
    if ((kind !== "PROBLEM" && kind !== "STATUS_CHANGE") || status === undefined || !isProblem(status)) return;
    known.told[contact] = { status, level };
    known.announced = status;
    // One record a contact: what is of one instant is one message.
    if (known.lastAtMs === atMs) return;
    known.sentAtLevel = known.level === level ? known.sentAtLevel + 1 : 1;
    Object.assign(known, { level, lastAtMs: atMs, number: known.number + 1 });
  }

  #takeWithheld({ atMs, notificationKind: kind, status, because }: HistoryRecord, ref: string): void {
    if (because === undefined) return;
    if (kind === "RECOVERY" && !waits.has(because.reason)) this.#known.delete(ref);
    if (because.reason !== "kind_disabled" || (kind !== "PROBLEM" && kind !== "STATUS_CHANGE")) return;
    this.#of(ref, atMs).announced = status;
  }

  /** Undefined where nothing is known to be open. `policy`: by which people were told. */
  of(ref: string, policy: PolicyPlan | undefined): NotificationState | undefined {
    const known = this.#known.get(ref);
    if (known === undefined) return undefined;
    const { told, announced, number, sinceMs, lastAtMs, isFlappingTold } = known;
    const { threshold = 0, renotifyIntervalMs = 0 } = policy?.levels[known.level] ?? {};
    const advances = threshold > 0 && known.sentAtLevel >= threshold && known.level + 1 < (policy?.levels.length ?? 0);
    return {
      ...newNotificationState,
      ...{ countedFromMs: sinceMs, problems: 1, messages: number, number, told, announced, lastAtMs },
      problemSinceMs: announced === undefined ? undefined : sinceMs,
      level: known.level + (advances ? 1 : 0),
      sentAtLevel: advances ? 0 : known.sentAtLevel,
      nextAtMs: lastAtMs !== undefined && renotifyIntervalMs > 0 ? lastAtMs + renotifyIntervalMs : undefined,
      flapping: isFlappingTold ? "told" : "calm",
    };
  }
}
