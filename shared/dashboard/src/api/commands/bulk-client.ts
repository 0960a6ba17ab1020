import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { type ExecuteRequestSchema, RealmBulkService } from "@realmwatch/proto/svc/v1/realm_pb";

/** A command without its target, for any number of objects. */
export type BulkCommand = Extract<
  NonNullable<MessageInitShape<typeof ExecuteRequestSchema>["command"]>,
  { readonly case: string }
>;

type RealmObjects = { readonly realm: string; readonly objects: ObjectRef[] };

/** Result of one realm. Without `error` the realm has accepted the command for all its objects. */
export type RealmOutcome = {
  readonly realm: string;
  readonly downtimeIds: readonly string[];
  readonly error: ConnectError | undefined;
};

type BulkRequest = {
  readonly realms: readonly RealmObjects[];
  readonly command: BulkCommand;
  /** A request that is repeated under the same id is not applied again. */
  readonly requestId: string;
};

/** Sends a command for many objects in one call; the server goes on when the page is closed. */
export type BulkClient = (request: BulkRequest) => Promise<readonly RealmOutcome[]>;

/** Timeout of a bulk command, ms: that of the server, which may have to wait for a realm. */
const timeoutMs = 30_000;

/** Client of an agent: one command for the list of its objects. */
export function agentBulkClient(transport: Transport): BulkClient {
  const agent = createClient(CommandService, transport);
  return async ({ realms, command, requestId }) => {
    const send = agent[command.case] as (request: object, options: object) => Promise<{ downtimeIds?: string[] }>;
    const outcomes: RealmOutcome[] = [];
    for (const { realm, objects } of realms) {
      const request = { ...command.value, target: { target: { case: "objects", value: { objects } } } };
      const { downtimeIds = [] } = await send(request, { headers: { "idempotency-key": requestId }, timeoutMs });
      outcomes.push({ realm, downtimeIds, error: undefined });
    }
    return outcomes;
  };
}

/** Client of an aggregator, which sends the command to all realms at the same time. */
export function forwardedBulkClient(transport: Transport): BulkClient {
  const centre = createClient(RealmBulkService, transport);
  return async ({ realms, command, requestId }) => {
    const { results } = await centre.execute({ objects: [...realms], command, requestId }, { timeoutMs });
    return results.map(({ realm, downtimeIds, code, message }) => ({
      realm,
      downtimeIds,
      error: code === "" ? undefined : new ConnectError(message, codeFromString(code) ?? Code.Unknown),
    }));
  };
}
