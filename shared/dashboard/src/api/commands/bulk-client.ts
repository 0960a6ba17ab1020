import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { type ExecuteRequestSchema, RealmBulkService, type RealmResult } from "@realmwatch/proto/svc/v1/realm_pb";
import { quoteSelectorValue } from "../status/object-key.ts";
import { listCallsOf, partsOf } from "./bulk-parts.ts";

/** A command without its target, for any number of objects. */
export type BulkCommand = Extract<
  NonNullable<MessageInitShape<typeof ExecuteRequestSchema>["command"]>,
  { readonly case: string }
>;

type RealmObjects = {
  readonly realm: string;
  readonly objects: ObjectRef[];
  /** Selector of further objects, however many they are; empty for none. */
  readonly selector: string;
};

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

/**
 * Sends a command for many objects in as few calls as the size of a request allows, and in one more by selector; the
 * server goes on when the page is closed.
 */
export type BulkClient = (request: BulkRequest) => Promise<readonly RealmOutcome[]>;

/** Timeout of a bulk command, ms: that of the server, which may have to wait for a realm. */
const timeoutMs = 30_000;

/** Client of an agent: one command for the list of its objects. */
export function agentBulkClient(transport: Transport): BulkClient {
  const agent = createClient(CommandService, transport);
  return async ({ realms, command, requestId }) => {
    const send = agent[command.case] as (request: object, options: object) => Promise<{ downtimeIds?: string[] }>;
    const outcomes: RealmOutcome[] = [];
    for (const { realm, objects, selector } of realms) {
      const parts = partsOf(objects);
      const calls = [
        ...parts.map((value, at) => [keyOf(requestId, at), { case: "objects", value: { objects: value } }] as const),
        ...(selector === "" ? [] : [[selectorKeyOf(requestId, 0), { case: "selector", value: selector }] as const]),
      ];
      const value = valueFor(command, requestId, calls.length);
      const downtimeIds: string[] = [];
      for (const [key, target] of calls) {
        const headers = { "idempotency-key": key };
        const answer = await send({ ...value, target: { target } }, { headers, timeoutMs });
        downtimeIds.push(...(answer.downtimeIds ?? []));
      }
      outcomes.push({ realm, downtimeIds, error: undefined });
    }
    return outcomes;
  };
}

/** Client of an aggregator, which sends the command to all realms at the same time. */
export function forwardedBulkClient(transport: Transport): BulkClient {
  const centre = createClient(RealmBulkService, transport);
  return async ({ realms, command, requestId }) => {
    const selected = realms.filter(({ selector }) => selector !== "");
    const calls = [
      ...listCallsOf(realms).map(({ objects, part }) => ({ objects, requestId: keyOf(requestId, part) })),
      ...selected.map(({ realm, selector }, at) => ({
        selector: `@realm=${quoteSelectorValue(realm)},${selector}`,
        requestId: selectorKeyOf(requestId, at),
      })),
    ];
    const sent = { ...command, value: valueFor(command, requestId, calls.length) } as BulkCommand;
    const answers = await Promise.all(calls.map((call) => centre.execute({ ...call, command: sent }, { timeoutMs })));
    return joined(answers.flatMap(({ results }) => results.map(outcomeOf)));
  };
}

/** Id of the call for a part of the objects of a realm: a repeat has the same part under the same id. */
const keyOf = (requestId: string, part: number): string => (part === 0 ? requestId : `${requestId}-${part}`);
const selectorKeyOf = (requestId: string, at: number): string => `${requestId}-s${at}`;

/** Fields of the command: the downtimes of several calls are one change. */
const valueFor = ({ case: name, value }: BulkCommand, requestId: string, calls: number): object =>
  name === "scheduleDowntime" && calls > 1 ? { ...value, changeId: requestId } : (value as object);

const outcomeOf = ({ realm, downtimeIds, code, message }: RealmResult): RealmOutcome => ({
  realm,
  downtimeIds,
  error: code === "" ? undefined : new ConnectError(message, codeFromString(code) ?? Code.Unknown),
});

/** One outcome for each realm: its error is the first one of its calls. */
const joined = (outcomes: readonly RealmOutcome[]): readonly RealmOutcome[] =>
  [...Map.groupBy(outcomes, ({ realm }) => realm)].map(([realm, own]) => ({
    realm,
    downtimeIds: own.flatMap(({ downtimeIds }) => downtimeIds),
    error: own.find(({ error }) => error !== undefined)?.error,
  }));
