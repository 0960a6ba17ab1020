import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { CommandService, type DeleteDowntimeRequest } from "@realmwatch/proto/svc/v1/command_pb";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { parseStatusQuery } from "@realmwatch/shared/api/query/parse-query";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { changeOf } from "@realmwatch/shared/model/downtime";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { type ForwardingOptions, sentKey, timeoutFor } from "./forward-for-caller.ts";
import { realmResult } from "./realm-result.ts";

export type DeleteChangeOptions = ForwardingOptions & { readonly model: Pick<ReadModel, "status"> };

/**
 * [DT16] Deletes the downtimes of a change in all realms at the same time. All realms are asked, because a downtime may be
 * too new for the aggregator's rows; of those that cannot be reached only the ones with rows of the change have a result.
 */
export async function deleteChange(
  { forwarder, model, timeoutMs, mintKey }: DeleteChangeOptions,
  request: DeleteDowntimeRequest,
  context: HandlerContext,
) {
  const { changeId, downtimeId } = request;
  if (downtimeId !== "")
    throw toConnectError({ kind: "malformed", field: "changeId", why: "cannot be given with downtimeId" });
  const { realms, known } = await realmsOf(model, changeId);
  const method = CommandService.method.deleteDowntime;
  const call = { method, key: sentKey(context) ?? mintKey(), timeoutMs: timeoutFor(context, timeoutMs), context };
  const message = create(method.input, request);
  const answers = await Promise.all(
    realms
      .filter((realm) => forwarder().hasRealm(realm))
      .map((realm) => realmResult(forwarder(), realm, { ...call, message, known: known.get(realm) ?? 0 })),
  );
  const results = answers.filter(
    ({ realm, code }) => code !== "not_found" && (code !== "unavailable" || known.has(realm)),
  );
  if (results.length > 0) return { results };
  throw toConnectError({ kind: "missing", what: `changeId: a downtime of the change ${JSON.stringify(changeId)}` });
}

/** All realms; and by realm, the number of objects whose rows have a downtime of the change. Other realms are left out. */
async function realmsOf(model: DeleteChangeOptions["model"], changeId: string) {
  const query = parseStatusQuery(create(ListStatusRequestSchema, { withDowntimes: true }), 0);
  const { rows, realms } = valueOrThrow(await model.status(valueOrThrow(query)));
  const known = new Map<string, number>();
  for (const { realm, downtimes } of rows)
    if (downtimes.some((downtime) => changeOf(downtime) === changeId)) known.set(realm, (known.get(realm) ?? 0) + 1);
  return { realms: realms.map(({ name }) => name), known };
}
