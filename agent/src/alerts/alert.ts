import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { countJsonValues, isStruct } from "@realmwatch/shared/text/json-values";
import { truncateText } from "@realmwatch/shared/text/truncate-text";

/** Alert as a Prometheus or an Alertmanager sends it. */
export type Alert = {
  /** Labels that are not empty, in the order of their names. */
  readonly labels: ReadonlyMap<string, string>;
  /** Text of the alert: its summary, else its description, else its name. */
  readonly text: string;
  /** Time until which it fires, Unix ms; undefined for a resolved one. */
  readonly firesUntilMs: number | undefined;
};

/** Alerts of one request, and a sentence for each that is invalid. */
type ParsedAlerts = { readonly alerts: readonly Alert[]; readonly problems: readonly string[] };

/** [AR6] Time after which an alert without an end counts as resolved, as in an Alertmanager, ms. */
export const resolveTimeoutMs = 300_000;
/** Maximum number of alerts in one request. */
const maxAlerts = 10_000;
/** Maximum length of a text, UTF-16 units. */
const maxTextLength = 65_536;

/** Maximum number of values in a body, which are decoded at once. */
const maxValues = 250_000;
/** Number of alerts that are parsed, or mapped to objects, in one turn. */
export const alertsPerTurn = 500;

/** Status and sentence of the response to a body that has no alerts that could be taken; 429: too many alerts. */
type BodyProblem = { readonly status: 400 | 413 | 429; readonly message: string };

/**
 * [AR10] Parses the body of a request. An invalid alert does not affect the others; the body must be a list of
 * at most 10 000. Other requests are served between two slices of the list.
 *
 * @param nextTurn resolves to false when the sender is gone
 */
export async function parseAlerts(
  body: Uint8Array,
  { nowMs, nextTurn }: { readonly nowMs: number; readonly nextTurn: () => Promise<boolean> },
): Promise<Result<ParsedAlerts, BodyProblem>> {
  const counted = countJsonValues(body, 1);
  if (counted.entries > maxAlerts)
    return fail({ status: 429, message: `the body has ${counted.entries} alerts; at most ${maxAlerts} are taken` });
  if (counted.values > maxValues) return fail({ status: 413, message: `the body has more than ${maxValues} values` });
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return fail({ status: 400, message: "the body is not JSON" });
  }
  if (!Array.isArray(json)) return fail({ status: 400, message: "the body is not a list of alerts" });
  const alerts: Alert[] = [];
  const problems: string[] = [];
  for (const [at, each] of json.entries()) {
    if (at % alertsPerTurn === alertsPerTurn - 1 && !(await nextTurn()))
      return fail({ status: 400, message: "the sender did not wait for the response" });
    const alert = parseAlert(each, nowMs);
    if (alert.ok) alerts.push(alert.value);
    else problems.push(`alerts[${at}]${alert.error}`);
  }
  return ok({ alerts, problems });
}

/** Parses one alert. The error continues the alert's name in a sentence. */
function parseAlert(json: unknown, nowMs: number): Result<Alert, string> {
  if (!isStruct(json)) return fail(" is not an object");
  const labels = parseTexts(json["labels"], ".labels");
  if (!labels.ok) return labels;
  if (labels.value.size === 0) return fail(".labels has no label with a value");
  const annotations = json["annotations"] == null ? ok(new Map<string, string>()) : parseTexts(json["annotations"]);
  if (!annotations.ok) return annotations;
  const startsAtMs = parseTime(json["startsAt"]);
  if (!startsAtMs.ok) return fail(`.startsAt ${startsAtMs.error}`);
  const endsAtMs = parseTime(json["endsAt"]);
  if (!endsAtMs.ok) return fail(`.endsAt ${endsAtMs.error}`);
  if (endsAtMs.value !== undefined && (startsAtMs.value ?? endsAtMs.value) > endsAtMs.value)
    return fail(".endsAt is before startsAt");
  const untilMs = json["status"] === "resolved" ? nowMs : (endsAtMs.value ?? nowMs + resolveTimeoutMs);
  return ok({
    labels: labels.value,
    text: textOf(labels.value, annotations.value),
    firesUntilMs: untilMs > nowMs ? untilMs : undefined,
  });
}

/** Parses an object of texts, in the order of names and without empty ones. */
function parseTexts(json: unknown, path = ".annotations"): Result<ReadonlyMap<string, string>, string> {
  if (json === undefined) return fail(`${path} is missing`);
  if (!isStruct(json)) return fail(`${path} is not an object`);
  const texts: [string, string][] = [];
  for (const [name, value] of Object.entries(json)) {
    if (typeof value !== "string") return fail(`${path}: ${JSON.stringify(truncateText(name, 100))} is not a string`);
    if (value !== "") texts.push([cleaned(name), cleaned(value)]);
  }
  return ok(new Map(texts.sort(([one], [other]) => (one < other ? -1 : 1))));
}

const cleaned = (text: string): string => text.toWellFormed().replaceAll("\0", "");

const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
/** Time of a field that a Go program has not set. */
const unset = "0001-01-01T00:00:00";

function parseTime(json: unknown): Result<number | undefined, string> {
  if (json == null || json === "") return ok(undefined);
  const atMs = typeof json === "string" && timeShape.test(json) ? Date.parse(json) : Number.NaN;
  if (Number.isNaN(atMs)) return fail("is not a time such as 2026-11-20T03:00:00Z");
  return ok(typeof json === "string" && json.startsWith(unset) ? undefined : atMs);
}

function textOf(labels: ReadonlyMap<string, string>, annotations: ReadonlyMap<string, string>): string {
  const text = annotations.get("summary") ?? annotations.get("description") ?? labels.get("alertname") ?? "";
  return truncateText(text.trim(), maxTextLength);
}

/** Formats labels as lines such as `alertname="DiskFull"`. */
export const formatAlertLabels = (labels: ReadonlyMap<string, string>): string =>
  truncateText([...labels].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join("\n"), maxTextLength);
