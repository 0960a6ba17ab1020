import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { hashText } from "@realmwatch/shared/text/hash";
import type { Alert } from "./alert.ts";
import { alertKeyOf } from "./mapped-alert.ts";

/** Number of label sets that are told apart. Further ones are counted and not logged. */
const maxKnown = 10_000;
/** Number of label sets that are listed, and of the labels of each. */
const maxListed = { alerts: 50, labels: 50 } as const;
/** Maximum length of a label's value in the log and in the list, UTF-16 units. */
const maxValueLength = 1_000;

/** Alerts with the same labels that are about no object. Times are Unix ms. */
type UnmappedAlert = {
  readonly receiver: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
};

type Options = {
  readonly metrics: Metrics;
  readonly log: Pick<Log, "warn">;
  readonly clock: Pick<Clock, "now">;
  /** Hash of the document: after a change of it everything is logged again, and the list begins anew. */
  readonly planHash: () => string;
};

/** [AR8, AR18] Counts alerts of no object, logs each set of labels once while a document is in force, and lists the last. */
export class UnmappedAlerts {
  readonly #options: Options;
  readonly #count: { inc(): void };
  #hash = "";
  readonly #known = new Set<string>();
  /** By key, the alert seen last at the end. */
  readonly #listed = new Map<string, UnmappedAlert>();

  constructor(options: Options) {
    this.#options = options;
    this.#count = options.metrics.counter({
      name: "alerts_unmapped_total",
      help: "Alerts that are about no object of the configuration.",
    });
  }

  /** Alerts seen with the document in force, the one seen last first, at most 50. */
  get listed(): readonly UnmappedAlert[] {
    return this.#hash === this.#options.planHash() ? [...this.#listed.values()].reverse() : [];
  }

  readonly add = (receiver: ReceiverPlan, alert: Alert): void => {
    const { planHash } = this.#options;
    this.#count.inc();
    if (this.#hash !== planHash()) {
      this.#hash = planHash();
      this.#known.clear();
      this.#listed.clear();
    }
    const key = hashText(alertKeyOf(receiver, alert));
    this.#log(key, receiver, alert);
    this.#list(key, receiver, alert);
  };

  #log(key: string, receiver: ReceiverPlan, alert: Alert): void {
    const { log } = this.#options;
    if (this.#known.has(key) || this.#known.size > maxKnown) return;
    this.#known.add(key);
    if (this.#known.size > maxKnown)
      return log.warn({}, "many alerts are about no object; further ones are only counted");
    log.warn({ receiver: receiver.name, labels: labelsOf(alert) }, "an alert is about no object of the configuration");
  }

  #list(key: string, { name }: ReceiverPlan, alert: Alert): void {
    const nowMs = this.#options.clock.now();
    const before = this.#listed.get(key);
    // Added again, because a map has its entries in the order in which they were added.
    this.#listed.delete(key);
    this.#listed.set(key, {
      ...(before ?? { receiver: name, labels: labelsOf(alert, maxListed.labels), firstSeenMs: nowMs }),
      count: (before?.count ?? 0) + 1,
      lastSeenMs: nowMs,
    });
    const [oldest = ""] = this.#listed.size > maxListed.alerts ? this.#listed.keys() : [];
    this.#listed.delete(oldest);
  }
}

const labelsOf = ({ labels }: Alert, most = labels.size): Record<string, string> =>
  Object.fromEntries([...labels].slice(0, most).map(([name, value]) => [name, value.slice(0, maxValueLength)]));
