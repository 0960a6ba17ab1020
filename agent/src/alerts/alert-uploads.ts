import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import { bearerHasDigest } from "@realmwatch/shared/identity/bearer-token";
import type { AuditLog, AuditOutcome, AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatRefusal, type Refusal } from "@realmwatch/shared/model/refusal";
import type { Identity } from "@realmwatch/shared/model/role";
import {
  type UploadRequest,
  type UploadResponse,
  type Uploads,
  uploadProblem,
} from "@realmwatch/shared/platform/http/uploads";
import { truncateText } from "@realmwatch/shared/text/truncate-text";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { type Alert, parseAlerts } from "./alert.ts";
import type { AlertIntake } from "./alert-intake.ts";
import { type MappedAlert, mapAlert } from "./mapped-alert.ts";

type AlertUploadOptions = {
  readonly clock: Clock;
  readonly realm: Pick<RealmReader, "plan" | "records">;
  readonly intake: Pick<AlertIntake, "submit">;
  readonly audit: AuditLog;
  /** True when callers of the API need credentials. */
  readonly authenticated: boolean;
  /** Called for each alert of no object. */
  readonly unmapped: (receiver: ReceiverPlan, alert: Alert) => void;
  readonly counted: (outcome: AuditOutcome) => void;
};

const limit: Uploads["limit"] = { maxBytes: 4 * 2 ** 20, deadlineMs: 30_000 };
/** Maximum length of the alerts, and of the reason, in an audit record, UTF-16 units. */
const maxAuditLength = 4_096;

const shortPath = "/api/v2/alerts";
const longPath = /^\/receivers\/([^/]+)\/api\/v2\/alerts$/;

/** [AR1] Paths of the receivers that the document has at present. */
export function alertUploads(options: AlertUploadOptions): Uploads {
  const receiverAt = (path: string): ReceiverPlan | undefined => {
    const { receivers } = options.realm.plan;
    if (path === shortPath) return receivers.length === 1 ? receivers[0] : undefined;
    const name = longPath.exec(path)?.[1];
    return name === undefined ? undefined : receivers.find((each) => each.name === name);
  };
  return {
    limit,
    handlerOf(path) {
      const receiver = receiverAt(path);
      if (receiver !== undefined) return (request) => new AlertRequest(options, receiver, path, request).answer();
      if (path !== shortPath || options.realm.plan.receivers.length === 0) return undefined;
      const message = "there is more than one receiver: send the alerts to /receivers/NAME/api/v2/alerts";
      return async () => uploadProblem(404, message);
    },
  };
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
    const denied = this.#denial();
    if (denied !== undefined) return this.#refuse("denied", denied, "");
    const body = await this.#request.readBody();
    if (!body.ok) return this.#refuse("rejected", body.error, "");
    const parsed = parseAlerts(body.value, clock.now());
    if (!parsed.ok) return this.#refuse("rejected", uploadProblem(400, parsed.error), "");
    const { alerts, problems } = parsed.value;
    const commandJson = auditedAlerts(this.#receiver, alerts);
    const invalid = problems.length === 0 ? undefined : uploadProblem(400, describeProblems(problems));
    if (invalid !== undefined && alerts.length === 0) return this.#refuse("rejected", invalid, commandJson);
    // Alerts of no object are counted only when the others are stored: a sender may send refused ones again.
    const record = this.#record("accepted", commandJson, invalid === undefined ? "" : reasonOf(invalid));
    const { mapped, unmapped } = this.#map(alerts);
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

  /** [AR7] Refusal of a browser, and of a sender without the token; undefined for a request that may be read. */
  #denial(): UploadResponse | undefined {
    const { headers } = this.#request;
    if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
      return uploadProblem(403, "alerts are not taken from a browser");
    if (!this.#options.authenticated) return undefined;
    const { name, tokenDigest } = this.#receiver;
    if (tokenDigest !== undefined && bearerHasDigest(headers.authorization, tokenDigest)) {
      this.#principal = { name: `receiver ${name}`, role: "operator" };
      return undefined;
    }
    const why =
      tokenDigest === undefined ? `the receiver ${name} has no token_hash` : "the token is missing or is another one";
    return uploadProblem(401, why, { "www-authenticate": 'Bearer realm="realmwatch"' });
  }

  #map(alerts: readonly Alert[]): { readonly mapped: readonly MappedAlert[]; readonly unmapped: readonly Alert[] } {
    const mapped: MappedAlert[] = [];
    const unmapped: Alert[] = [];
    for (const alert of alerts) {
      const found = mapAlert(this.#options.realm, this.#receiver, alert);
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

const reasonOf = ({ body }: UploadResponse): string => (body === "" ? "" : String(JSON.parse(body)));

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
