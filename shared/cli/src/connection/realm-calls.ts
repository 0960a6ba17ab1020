import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { GetServerInfoResponse } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmBulkService, type RealmResult } from "@realmwatch/proto/svc/v1/realm_pb";
import { idempotencyKeyHeader, matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import { bulkCounts, bulkRequest, type RealmCount } from "./bulk-request.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import type { realmDirectory } from "./realm-directory.ts";
import {
  type CallFields,
  callOnce,
  callRepeatable,
  commandServices,
  type Line,
  type Method,
  type RpcFailure,
} from "./server-call.ts";

/** Accepted command: its response, and the number of objects of each realm as far as the server says it. */
export type Executed<M extends Method> = {
  readonly message: MessageShape<M["output"]>;
  readonly counts: readonly RealmCount[];
};

type RealmCallsOptions = {
  readonly flags: Pick<ConnectionFlags, "targetRealm" | "author">;
  readonly line: Line;
  readonly directory: ReturnType<typeof realmDirectory>;
  readonly info: () => Promise<Result<GetServerInfoResponse, CliFailure>>;
  /** Login name of the user of this program. */
  readonly loginName: () => string;
  readonly mintKey: () => string;
};

/** Calls that a realm executes: sent to its agent, or through an aggregator to one realm or to all with a match. */
export class RealmCalls {
  readonly #options: RealmCallsOptions;

  constructor(options: RealmCallsOptions) {
    this.#options = options;
  }

  /** Calls the method on an agent, or the forwarding method with the realm's name on an aggregator. */
  async call<M extends Method>(
    method: M,
    forwarding: Method,
    { request, realm }: { readonly request: CallFields; readonly realm: string | undefined },
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const { flags, line, loginName, info } = this.#options;
    const known = await info();
    if (!known.ok) return known;
    const author = flags.author ?? (known.value.authEnabled === true ? "" : loginName());
    const signed = method.input.fields.some(({ name }) => name === "author") ? { ...request, author } : request;
    if (known.value.aggregator === true)
      return this.#callThroughAggregator(method, forwarding, { fields: signed, realm });
    const mismatch = realmMismatch(known.value.realm, flags.targetRealm);
    return mismatch === undefined ? this.#send(method, signed, "") : commandFailed(`${line.url} ${mismatch}`);
  }

  /** Sends a call to one realm, a command with an idempotency key. */
  async #send<M extends Method>(
    method: M,
    request: CallFields,
    realm: string,
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const { line, mintKey } = this.#options;
    if (!commandServices.has(method.parent.typeName)) {
      const answer = await callOnce(line, method, request);
      return answer.ok ? ok({ message: answer.value, counts: [] }) : answer;
    }
    const keyed = { ...line.header, [idempotencyKeyHeader]: mintKey() };
    const answer = await callRepeatable({ ...line, header: keyed }, method, request);
    if (!answer.ok) return answer;
    const { message, header } = answer.value;
    const matched = header.get(matchedObjectsHeader);
    return ok({ message, counts: matched === null ? [] : [{ realm, matched: Number(matched) }] });
  }

  async #callThroughAggregator<M extends Method>(
    method: M,
    forwarding: Method,
    { fields, realm: known }: { readonly fields: CallFields; readonly realm: string | undefined },
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const { targetRealm } = this.#options.flags;
    if (targetRealm === undefined && method === aggregatorMethod) return this.#send(method, fields, "");
    const { target } = fields;
    if (targetRealm === undefined && isSelector(target))
      return this.#callEverywhere(method, target.target.value, fields);
    const isOwn = targetRealm === undefined && (ownMethods.has(method) || isOfChange(fields));
    const realm = isOwn ? ok("") : known === undefined ? await this.#realmOf(fields) : ok(known);
    if (!realm.ok) return realm;
    const answer = await this.#send(
      forwarding,
      { realm: realm.value, request: create(method.input, fields) },
      realm.value,
    );
    if (!answer.ok) return answer;
    const { message, counts } = answer.value;
    // The response of the forwarding method has the same fields; that of a command for all realms has results.
    const { results } = message as { results?: RealmResult[] };
    const inRealms = results === undefined || results.length === 0 ? ok(counts) : bulkCounts(results);
    const inner = fromJson(method.output, toJson(forwarding.output, message), { ignoreUnknownFields: true });
    return inRealms.ok ? ok({ message: inner as MessageShape<M["output"]>, counts: inRealms.value }) : inRealms;
  }

  /** Sends a command on a selection to every realm of an aggregator that has a match. */
  async #callEverywhere<M extends Method>(
    method: M,
    selector: string,
    fields: CallFields,
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const request = bulkRequest(method.localName, { selector, requestId: this.#options.mintKey(), fields });
    if (request === undefined) return wrongUsage(`${method.localName} does not take a selection`);
    const answer = await this.#send(RealmBulkService.method.execute, request, "");
    if (!answer.ok) return answer;
    const { results } = answer.value.message;
    const counts = bulkCounts(results);
    if (!counts.ok) return counts;
    const values = { downtimeIds: results.flatMap(({ downtimeIds }) => downtimeIds) };
    const message = create(method.output, fieldsOf(method.output, values)) as MessageShape<M["output"]>;
    return ok({ message, counts: counts.value });
  }

  /** Realm of `-target-realm`, or the one that has the object, downtime or comment of a request to an aggregator. */
  async #realmOf({ target, downtimeId, commentId }: CallFields): Promise<Result<string, CliFailure>> {
    const { flags, line, directory } = this.#options;
    const { targetRealm } = flags;
    if (targetRealm !== undefined) {
      const exists = await directory.check(targetRealm);
      return exists.ok ? ok(targetRealm) : exists;
    }
    if (isObject(target)) return directory.ofObject(target.target.value);
    if (typeof downtimeId === "string") return directory.ofAnnotation({ kind: "downtime", id: downtimeId });
    if (typeof commentId === "string") return directory.ofAnnotation({ kind: "comment", id: commentId });
    const names = await directory.names();
    const list = names.ok ? `, one of ${names.value.join(", ")}` : "";
    return wrongUsage(`${line.url} is an aggregator: -target-realm is required${list}`);
  }
}

/** Method that an aggregator answers itself when no realm is given. */
const aggregatorMethod: Method = AdminService.method.listAuditRecords;

/** Commands that concern the aggregator itself when no realm is given. */
const ownMethods: ReadonlySet<Method> = new Set([CommandService.method.addNote]);

/** True for the deletion of a change, which an aggregator executes in all realms. */
const isOfChange = ({ changeId, downtimeId }: CallFields): boolean =>
  typeof changeId === "string" && changeId !== "" && downtimeId === undefined;

type TargetOf<Case extends Target["target"]["case"]> = { readonly target: Extract<Target["target"], { case: Case }> };
const caseOf = (target: unknown): unknown => (target as Target | undefined)?.target.case;
const isSelector = (target: unknown): target is TargetOf<"selector"> => caseOf(target) === "selector";
const isObject = (target: unknown): target is TargetOf<"object"> => caseOf(target) === "object";

/** Values whose field the message has. */
const fieldsOf = ({ fields }: DescMessage, values: CallFields): CallFields =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields.some(({ localName }) => localName === name)));

/** Reason why this agent cannot execute a command for the realm; undefined when it can. */
const realmMismatch = (own: string, target: string | undefined): string | undefined =>
  target === undefined || target === own
    ? undefined
    : `is the agent of realm ${JSON.stringify(own)}, not of ${JSON.stringify(target)}`;
