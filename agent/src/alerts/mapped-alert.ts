import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import { fillNamePattern } from "@realmwatch/shared/config/name-pattern";
import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import { formatKey, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { type Alert, formatAlertLabels } from "./alert.ts";

/** Alert of an object of the document. */
export type MappedAlert = {
  /** Receiver and labels: two alerts with equal keys are the same one, sent again. */
  readonly key: string;
  readonly ref: string;
  /** Status that it gives the object while it fires. */
  readonly status: "critical" | "warning" | "unknown";
  readonly output: string;
  readonly longOutput: string;
  readonly source: string;
  readonly firesUntilMs: number | undefined;
};

/** [AR2, AR3] Finds the object of an alert; undefined when the document has none. */
export function mapAlert(
  keyOf: (ref: string) => ObjectKey | undefined,
  receiver: ReceiverPlan,
  alert: Alert,
): MappedAlert | undefined {
  const key = objectKeyOf(receiver, alert.labels);
  const ref = key && refOf(key);
  const found = ref && keyOf(ref);
  // A text such as `web1!http` in the label of a host gives the reference of another kind of object.
  if (!key || !ref || !found || formatKey(found) !== formatKey(key)) return undefined;
  const [output = "", ...more] = alert.text.split(/\r?\n/);
  return {
    key: alertKeyOf(receiver, alert),
    ref,
    status: statusOfAlert(receiver, alert.labels),
    output,
    longOutput: [...more, formatAlertLabels(alert.labels)].join("\n"),
    source: `receiver ${receiver.name}`,
    firesUntilMs: alert.firesUntilMs,
  };
}

/** Receiver and labels of an alert as one text. */
export const alertKeyOf = ({ name }: ReceiverPlan, { labels }: Alert): string => JSON.stringify([name, ...labels]);

/** Names of a document are in NFC. */
function objectKeyOf({ host, service }: ReceiverPlan, labels: Alert["labels"]): ObjectKey | undefined {
  const hostName = fillNamePattern(host, labels)?.normalize("NFC");
  if (hostName === undefined) return undefined;
  if (service.length === 0) return { kind: "host", name: hostName };
  const name = fillNamePattern(service, labels)?.normalize("NFC");
  return name === undefined ? undefined : { kind: "service", host: hostName, name };
}

/** [AR4] Status of an alert that fires. */
function statusOfAlert({ severity }: ReceiverPlan, labels: Alert["labels"]): MappedAlert["status"] {
  const value = labels.get(severity.label) ?? "";
  if (severity.critical.includes(value)) return "critical";
  return severity.warning.includes(value) ? "warning" : "unknown";
}

/** Result that an alert gives its object. */
export const resultOfAlert = (
  alert: Omit<MappedAlert, "status" | "key" | "firesUntilMs">,
  status: PassiveResult["status"],
  atMs: number,
): PassiveResult => ({
  ref: alert.ref,
  status,
  output: alert.output,
  longOutput: alert.longOutput,
  perfdata: [],
  executedAtMs: atMs,
  executionMs: undefined,
  checkSource: alert.source,
});
