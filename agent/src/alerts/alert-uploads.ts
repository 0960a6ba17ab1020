import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import { bearerHasDigest } from "@realmwatch/shared/identity/bearer-token";
import type { AuditLog, AuditOutcome, AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { formatRefusal, type Refusal } from "@realmwatch/shared/model/refusal";
import type { Identity } from "@realmwatch/shared/model/role";
import {
  exhaustedUpload,
  type UploadRequest,
  type UploadResponse,
  type Uploads,
  uploadProblem,
} from "@realmwatch/shared/platform/http/uploads";
import { isStruct } from "@realmwatch/shared/text/json-values";
import { truncateText } from "@realmwatch/shared/text/truncate-text";
import { type Alert, alertsPerTurn, parseAlerts } from "./alert.ts";
import type { AlertIntake } from "./alert-intake.ts";
import { type AlertQueryOptions, alertQueries } from "./alert-queries.ts";
import { type MappedAlert, mapAlert } from "./mapped-alert.ts";

type AlertUploadOptions = {
  readonly clock: Clock;
  /** Receivers that the document has at present. */
  readonly receivers: () => readonly ReceiverPlan[];
  /** Returns the object of a reference; undefined for an unknown one. */
  readonly keyOf: (ref: string) => ObjectKey | undefined;
  readonly intake: Pick<AlertIntake, "submit">;
  readonly audit: AuditLog;
  /** True when callers of the API need credentials. */
  readonly authenticated: boolean;
  /** Called for each alert that matches no object. */
  readonly unmapped: (receiver: ReceiverPlan, alert: Alert) => void;
  readonly counted: (outcome: AuditOutcome) => void;
  readonly queries: AlertQueryOptions;
};

const limit: Uploads["limit"] = { maxBytes: 4 * 2 ** 20, deadlineMs: 30_000 };
/** Maximum length of the alerts, and of the reason, in an audit record, UTF-16 units. */
const maxAuditLength = 4_096;

const alertsPath = "/api/v2/alerts";
const longPath = /^\/receivers\/([^/]+)(\/.+)$/;

const isQueryPath = (path: string): path is keyof typeof alertQueries => Object.hasOwn(alertQueries, path);

/** [AR1] Paths of the receivers that the document has at present. */
export function alertUploads(options: AlertUploadOptions): Uploads {
  const receiverOf = (name: string | undefined): ReceiverPlan | undefined => {
    const receivers = options.receivers();
    if (name !== undefined) return receivers.find((each) => each.name === name);
    return receivers.length === 1 ? receivers[0] : undefined;
  };
  return {
    limit,
    handlerOf(path, method) {
      const [, name, below = path] = longPath.exec(path) ?? [];
      const isUpload = method === "POST" && below === alertsPath;
      if (!isUpload && !(method === "GET" && isQueryPath(below))) return undefined;
      const receiver = receiverOf(name);
      if (receiver !== undefined && isUpload)
        return (request) => new AlertRequest(options, receiver, path, request).answer();
      if (receiver !== undefined && isQueryPath(below))
        return async ({ headers, query }) =>
          denialOf(options, receiver, headers) ??
          alertQueries[below](options.queries, { receiver, query: new URLSearchParams(query) });
      if (name !== undefined || options.receivers().length === 0) return undefined;
      const message = "there is more than one receiver: send the alerts to /receivers/NAME/api/v2/alerts";
      return async () => uploadProblem(404, message);
    },
  };
}

/** [AR7] Refusal of a browser, and of a sender without the token; undefined for a request that may be read. */
function denialOf(
  { authenticated }: Pick<AlertUploadOptions, "authenticated">,
  { name, tokenDigest }: ReceiverPlan,
  headers: UploadRequest["headers"],
): UploadResponse | undefined {
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
    return uploadProblem(403, "alerts are not taken from a browser");
  if (!authenticated) return undefined;
  if (tokenDigest !== undefined && bearerHasDigest(headers.authorization, tokenDigest)) return undefined;
  const why =
    tokenDigest === undefined ? `the receiver ${name} has no token_hash` : "the token is missing or is another one";
  return uploadProblem(401, why, { "www-authenticate": 'Bearer realm="realmwatch"' });
}

/** One request with alerts. */
class AlertRequest {
  readonly #options: AlertUploadOptions;
  readonly #receiver: ReceiverPlan;
  readonly #path: string;
  readonly #request: UploadRequest;
  #principal: Identity | undefined;

  constructor(options: AlertUploadOptions, receiver: ReceiverPlan, path: string, request: UploadRequest) {
    this.#options = options;
    this.#receiver = receiver;
    this.#path = path;
    this.#request = request;
  }

  async answer(): Promise<UploadResponse> {
    const { clock, counted, audit } = this.#options;
    const denied = denialOf(this.#options, this.#receiver, this.#request.headers);
    if (denied !== undefined) return this.#refuse("denied", denied, "");
    if (this.#options.authenticated) this.#principal = { name: `receiver ${this.#receiver.name}`, role: "operator" };
    const body = await this.#request.readBody();
    if (!body.ok) return this.#refuse("rejected", body.error, "");
    const nextTurn = () => this.#request.nextTurn();
    const parsed = await parseAlerts(body.value, { nowMs: clock.now(), nextTurn });
    if (!parsed.ok) {
      const { status, message } = parsed.error;
      const problem = status === 429 ? exhaustedUpload(message) : uploadProblem(status, message);
      return this.#refuse("rejected", problem, "");
    }
    const { alerts, problems } = parsed.value;
    const commandJson = auditedAlerts(this.#receiver, alerts);
    const invalid = problems.length === 0 ? undefined : uploadProblem(400, describeProblems(problems));
    if (invalid !== undefined && alerts.length === 0) return this.#refuse("rejected", invalid, commandJson);
    // Alerts of no object are counted only when the others are stored: a sender may send refused ones again.
    const record = this.#record("accepted", commandJson, invalid === undefined ? "" : reasonOf(invalid));
    const { mapped, unmapped } = await this.#map(alerts);
    if (mapped.length === 0) await audit.add(record);
    else {
      const by = { author: this.#principal?.name ?? "", onBehalfOf: "" };
      const stored = await this.#options.intake.submit(mapped, by, [record]);
      if (!stored.ok) return this.#refuse("failed", responseOf(stored.error), commandJson);
    }
    for (const alert of unmapped) this.#options.unmapped(this.#receiver, alert);
    counted("accepted");
    return invalid ?? { status: 200, body: "" };
  }

  async #map(
    alerts: readonly Alert[],
  ): Promise<{ readonly mapped: readonly MappedAlert[]; readonly unmapped: readonly Alert[] }> {
    const mapped: MappedAlert[] = [];
    const unmapped: Alert[] = [];
    for (const [at, alert] of alerts.entries()) {
      // The alerts are taken also when the sender does not wait for the response.
      if (at % alertsPerTurn === alertsPerTurn - 1) await this.#request.nextTurn();
      const found = mapAlert(this.#options.keyOf, this.#receiver, alert);
      if (found === undefined) unmapped.push(alert);
      else mapped.push(found);
    }
    return { mapped, unmapped };
  }

  #refuse(outcome: AuditOutcome, response: UploadResponse, commandJson: string): UploadResponse {
    const { audit, counted } = this.#options;
    counted(outcome);
    void audit.add(this.#record(outcome, commandJson, reasonOf(response)));
    return response;
  }

  /** [AR11] Audit record of the request. */
  #record(outcome: AuditOutcome, commandJson: string, reason: string): AuditRecord {
    const { clock } = this.#options;
    return {
      atMs: clock.now(),
      source: "api",
      ...(this.#principal && { principal: this.#principal }),
      peer: this.#request.peer,
      rpc: this.#path,
      commandJson,
      outcome,
      requestId: "",
      onBehalfOf: "",
      reason: truncateText(reason, maxAuditLength),
      count: 1,
    };
  }
}

/** Sentence of a response: its JSON string, or the message of its error. */
function reasonOf({ body }: UploadResponse): string {
  if (body === "") return "";
  const answer: unknown = JSON.parse(body);
  return String(isStruct(answer) ? answer["message"] : answer);
}

/** Number of problems that a response names. */
const namedProblems = 10;

function describeProblems(problems: readonly string[]): string {
  const more = problems.length - namedProblems;
  return [...problems.slice(0, namedProblems), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** Response to a request whose alerts could not be stored; senders may try it again. */
const responseOf = (refusal: Refusal): UploadResponse =>
  uploadProblem(
    refusal.kind === "exhausted" ? 429 : refusal.kind === "unavailable" ? 503 : 500,
    formatRefusal(refusal),
  );

/** Text for the audit record: the receiver, and as many of the alerts as fit. */
function auditedAlerts({ name }: ReceiverPlan, alerts: readonly Alert[]): string {
  const included: object[] = [];
  let size = 0;
  for (const { labels, text, firesUntilMs } of alerts) {
    const one = {
      labels: Object.fromEntries([...labels].map(([key, value]) => [key, truncateText(value, maxAuditLength)])),
      text: truncateText(text, maxAuditLength),
      firing: firesUntilMs !== undefined,
    };
    size += JSON.stringify(one).length;
    if (size > maxAuditLength) break;
    included.push(one);
  }
  const more = alerts.length - included.length;
  return JSON.stringify({ receiver: name, alerts: included, ...(more > 0 && { alertsCut: more }) });
}
