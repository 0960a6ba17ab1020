import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type ExecuteRequest,
  type RealmBulkService,
  type RealmObjects,
  RealmObjectsSchema,
} from "@realmwatch/proto/svc/v1/realm_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { formatSelectorError, parseSelector, type Selector } from "@realmwatch/shared/text/selector/selector";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { Forwarder } from "../forward/forwarder.ts";
import type { BulkSelections } from "./bulk-selections.ts";
import { type ForwardingOptions, sentKey, timeoutFor } from "./forward-for-caller.ts";
import { realmResult } from "./realm-result.ts";

type BulkOptions = ForwardingOptions & {
  readonly model: Pick<ReadModel, "objects">;
  readonly selections: BulkSelections;
};

/** RealmBulkService: one command to every realm with a match, all at the same time and with one deadline. */
export const bulkService = (options: BulkOptions): ServiceImpl<typeof RealmBulkService> => ({
  async execute(request, context) {
    const method = requireMethod(request.command.case);
    const requestId = requestIdOf(request, context);
    const realms = await selectionOf(options, request, { requestId, caller: callerOf(context).identity?.name });
    const key = requestId ?? options.mintKey();
    const timeoutMs = timeoutFor(context, options.timeoutMs);
    const isListed = request.objects.length > 0;
    const command: BulkCommand = {
      method,
      request: request.command.value as Message,
      isListed,
      key,
      timeoutMs,
      context,
    };
    return { results: await Promise.all(realms.map((realm) => sendTo(options.forwarder(), realm, command))) };
  },
});

type BulkCommand = {
  readonly method: DescMethodUnary;
  readonly request: Message;
  /** True when the caller listed the objects: then each of them has to exist in its realm. */
  readonly isListed: boolean;
  readonly key: string;
  readonly timeoutMs: number;
  readonly context: HandlerContext;
};

/** Maximum number of objects that a realm accepts in one command. */
const maxObjects = 10_000;

/** Sends the command for the objects of one realm, in several commands where they are more than one takes. */
async function sendTo(forwarder: Forwarder, { realm, objects }: RealmObjects, command: BulkCommand) {
  const parts = Array.from({ length: Math.ceil(objects.length / maxObjects) || 1 }, (_, at) =>
    objects.slice(at * maxObjects, (at + 1) * maxObjects),
  );
  const sendPart = (part: ObjectRef[], at: number) => {
    const { message, call } = partOf(command, part);
    const key = at === 0 ? call.key : `${call.key}-${at}`;
    return realmResult(forwarder, realm, { ...call, key, message, known: part.length });
  };
  const results = await Promise.all(parts.map(sendPart));
  const failed = results.find(({ code }) => code !== "");
  return {
    ...{ realm, code: failed?.code ?? "", message: failed?.message ?? "" },
    matched: results.reduce((sum, { matched }) => sum + matched, 0),
    downtimeIds: results.flatMap(({ downtimeIds }) => downtimeIds),
  };
}

/** Command for a part of the objects. [DT14] The downtimes of all parts and realms are one change. */
function partOf({ request, isListed, ...call }: BulkCommand, objects: ObjectRef[]) {
  const target = { target: { case: "objects", value: { objects, skipMissing: !isListed } } };
  const { changeId } = request as { changeId?: string };
  const change = changeId === "" ? { changeId: call.key } : {};
  return { call, message: create(call.method.input, { ...withoutType(request), ...change, target }) };
}

/** Fields of a message, for a copy. */
function withoutType({ $typeName: _, $unknown: __, ...fields }: Message): Record<string, unknown> {
  return fields;
}

const refuse = (field: string, why: string): Result<never, Refusal> => fail({ kind: "malformed", field, why });

type RequestOrigin = { readonly requestId: string | undefined; readonly caller: string | undefined };

/** Objects of a request by realm: the listed ones, or those that the selector matches. Throws a refusal. */
async function selectionOf(
  options: BulkOptions,
  request: ExecuteRequest,
  origin: RequestOrigin,
): Promise<readonly RealmObjects[]> {
  const realms = valueOrThrow(
    request.objects.length > 0 ? listedObjects(request) : await selectedObjects(options, request, origin),
  );
  if (realms.length > 0) return realms;
  throw toConnectError({ kind: "unmatched", field: "selector", selector: request.selector });
}

/** [FD95] Objects that the selector matches; for an id those of the first request with it. */
function selectedObjects(
  { model, selections }: BulkOptions,
  request: ExecuteRequest,
  { requestId, caller }: RequestOrigin,
): Promise<Result<readonly RealmObjects[], Refusal>> {
  const select = () => matchingObjects(model, request);
  return requestId === undefined ? select() : selections.of(request, { requestId, caller }, select);
}

/** Maximum number of realms in a list: each gets a call of its own and has a result. */
const maxListedRealms = 10_000;

/** [CM2] Listed objects of each realm. */
function listedObjects({ selector, objects }: ExecuteRequest): Result<readonly RealmObjects[], Refusal> {
  if (selector !== "") return refuse("objects", "cannot be given with selector");
  if (objects.length > maxListedRealms)
    return fail({
      kind: "exhausted",
      what: `objects: names ${objects.length} realms; at most ${maxListedRealms} are allowed`,
    });
  const names = new Set<string>();
  for (const { realm } of objects) {
    if (names.has(realm)) return refuse("objects", `names the realm ${JSON.stringify(realm)} twice`);
    names.add(realm);
  }
  return ok(objects);
}

/** Maximum number of objects of all realms. */
const maxSelected = 100_000;

/**
 * Selects objects by the rows that the aggregator holds, in the order of the realms' names. `unavailable`: the rows may be
 * incomplete; `exhausted`: more objects match than one call may have.
 */
async function selectRealms(
  model: Pick<ReadModel, "objects">,
  selector: Selector,
): Promise<Result<readonly RealmObjects[], Refusal>> {
  const found = await model.objects({ kinds: [], selector, realm: "", pageSize: 0, pageToken: "" });
  if (!found.ok) return found;
  const { rows } = found.value;
  if (rows.length > maxSelected)
    return fail({
      kind: "exhausted",
      what: `selector: matches ${rows.length} objects; a command takes at most ${maxSelected}: narrow the selector`,
    });
  const byRealm = Map.groupBy(rows, ({ realm }) => realm);
  const realms = [...byRealm].sort(([a], [b]) => (a < b ? -1 : 1));
  return ok(
    realms.map(([realm, own]) =>
      create(RealmObjectsSchema, { realm, objects: own.map(({ about }) => objectKeyToProto(about.key)) }),
    ),
  );
}

async function matchingObjects(
  model: BulkOptions["model"],
  { selector: text }: ExecuteRequest,
): Promise<Result<readonly RealmObjects[], Refusal>> {
  const selector = parseSelector(text);
  return selector.ok ? selectRealms(model, selector.value) : refuse("selector", formatSelectorError(selector.error));
}

function requireMethod(name: ExecuteRequest["command"]["case"]): DescMethodUnary {
  if (name === undefined) throw toConnectError({ kind: "malformed", field: "command", why: "is required" });
  return CommandService.method[name];
}

/** Id of the request, of which each realm gets its own key; undefined when the caller sent none. */
function requestIdOf({ requestId }: ExecuteRequest, context: HandlerContext): string | undefined {
  if (requestId === "") return sentKey(context);
  if (parseIdempotencyKey(requestId).ok) return requestId;
  const why = "must have 1 to 128 printable ASCII characters";
  throw toConnectError({ kind: "malformed", field: "requestId", why });
}
