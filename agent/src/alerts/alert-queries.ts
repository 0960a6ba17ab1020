import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import { formatRefusal, type Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { type UploadResponse, uploadProblem } from "@realmwatch/shared/platform/http/uploads";
import type { Row } from "@realmwatch/shared/row/row";
import { hashText } from "@realmwatch/shared/text/hash";
import type { FiringAlert } from "./firing-alerts.ts";

/** Sources of the answers to clients of an Alertmanager. */
export type AlertQueryOptions = {
  /** Start of the program, Unix ms. */
  readonly startedAtMs: number;
  /** Alerts that fire. */
  readonly firing: () => Promise<Result<readonly FiringAlert[], Refusal>>;
  /** Row of an object; undefined for an unknown object. */
  readonly rowOf: (ref: string) => Row | undefined;
};

type Question = { readonly receiver: ReceiverPlan; readonly query: URLSearchParams };

const text = (body: string): UploadResponse => ({ status: 200, body, headers: { "content-type": "text/plain" } });
const json = (value: unknown): UploadResponse => ({ status: 200, body: JSON.stringify(value) });

/** [AR15] Answers by path below a receiver's prefix, as version 2 of Alertmanager's API has them. */
export const alertQueries = {
  "/-/healthy": async () => text("OK"),
  "/-/ready": async () => text("OK"),
  "/api/v2/status": async ({ startedAtMs }) => json(statusOf(startedAtMs)),
  "/api/v2/alerts": listAlerts,
} as const satisfies Readonly<
  Record<string, (options: AlertQueryOptions, question: Question) => Promise<UploadResponse>>
>;

const statusOf = (startedAtMs: number): object => ({
  cluster: { status: "disabled", peers: [] },
  versionInfo: { version, revision: "", branch: "", buildUser: "", buildDate: "", goVersion: "" },
  config: { original: "" },
  uptime: new Date(startedAtMs).toISOString(),
});

/** [AR16] Alerts of the receiver that fire, and that the query selects. */
async function listAlerts(options: AlertQueryOptions, { receiver, query }: Question): Promise<UploadResponse> {
  const matchers = query.getAll("filter").map(parseMatcher);
  const wrong = matchers.find((matcher) => !matcher.ok);
  if (wrong !== undefined && !wrong.ok) return { status: 400, body: JSON.stringify(wrong.error) };
  const isWanted = (name: string): boolean => query.get(name) !== "false";
  const firing = await options.firing();
  if (!firing.ok) return uploadProblem(503, formatRefusal(firing.error));
  const shown = firing.value
    .map((alert) => shownAlert(alert, options.rowOf(alert.ref)))
    .filter(({ receivers: [of], labels, status }) => {
      const { silencedBy, inhibitedBy, state } = status;
      return (
        of?.name === receiver.name &&
        (isWanted("active") || state !== "active") &&
        (isWanted("silenced") || silencedBy.length === 0) &&
        (isWanted("inhibited") || inhibitedBy.length === 0) &&
        matchers.every((matcher) => matcher.ok && matcher.value(labels))
      );
    });
  return json(shown);
}

type Labels = Readonly<Record<string, string>>;

/** An alert as Alertmanager shows it: downtimes and an acknowledgement silence it, problems of other objects inhibit it. */
function shownAlert(alert: FiringAlert, row: Row | undefined) {
  // The key is the receiver's name and the labels.
  const [receiver, ...labels] = JSON.parse(alert.key) as [string, ...[string, string][]];
  const inEffect = row?.downtimes.filter(({ inEffect }) => inEffect).map(({ id }) => id) ?? [];
  const silencedBy = [...inEffect, ...(row?.acknowledgement === undefined ? [] : ["acknowledgement"])];
  const inhibitedBy = row?.suppressors ?? [];
  const state = silencedBy.length + inhibitedBy.length > 0 ? "suppressed" : "active";
  const startsAt = new Date(alert.sinceMs).toISOString();
  return {
    labels: Object.fromEntries(labels) as Labels,
    annotations: { summary: alert.output },
    ...{ startsAt, updatedAt: startsAt, endsAt: new Date(alert.firesUntilMs).toISOString() },
    fingerprint: hashText(alert.key),
    receivers: [{ name: receiver }],
    status: { state, silencedBy, inhibitedBy, mutedBy: [] },
  };
}

/** Parses `name="value"` or `name!="value"`; the quotes may be missing. Regular expressions are refused. */
function parseMatcher(filter: string): Result<(labels: Labels) => boolean, string> {
  const [, name, operator, quoted = ""] = /^\s*\{?\s*([\w.-]+)\s*(=~|!~|!=|=)\s*(.*?)\s*\}?\s*$/su.exec(filter) ?? [];
  if (name === undefined || operator === undefined) return fail(`bad matcher format: ${filter}`);
  if (operator.endsWith("~")) return fail(`regular expressions are not taken in filters: ${filter}`);
  const value = /^"(.*)"$/su.exec(quoted)?.[1]?.replace(/\\(["\\])/g, "$1") ?? quoted;
  return ok((labels) => ((labels[name] ?? "") === value) === (operator === "="));
}
