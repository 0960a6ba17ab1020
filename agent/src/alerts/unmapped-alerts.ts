import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { hashText } from "@realmwatch/shared/text/hash";
import type { Alert } from "./alert.ts";
import { alertKeyOf } from "./mapped-alert.ts";

/** Number of label sets that are told apart. Further ones are counted and not logged. */
const maxKnown = 10_000;

/** [AR8] Counts alerts of no object, and logs each set of labels once while a document is in force. */
export function unmappedAlerts(options: {
  readonly metrics: Metrics;
  readonly log: Pick<Log, "warn">;
  /** Hash of the document: after a change of it everything is logged again. */
  readonly planHash: () => string;
}): (receiver: ReceiverPlan, alert: Alert) => void {
  const { metrics, log, planHash } = options;
  const count = metrics.counter({
    name: "alerts_unmapped_total",
    help: "Alerts that are about no object of the configuration.",
  });
  let known = new Set<string>();
  let hash = "";
  return (receiver, alert) => {
    count.inc();
    if (hash !== planHash()) [known, hash] = [new Set(), planHash()];
    const key = hashText(alertKeyOf(receiver, alert));
    if (known.has(key) || known.size > maxKnown) return;
    known.add(key);
    if (known.size > maxKnown) return log.warn({}, "many alerts are about no object; further ones are only counted");
    const labels = Object.fromEntries([...alert.labels].map(([name, value]) => [name, value.slice(0, 1_000)]));
    log.warn({ receiver: receiver.name, labels }, "an alert is about no object of the configuration");
  };
}
