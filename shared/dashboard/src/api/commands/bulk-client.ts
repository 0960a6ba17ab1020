import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { type ExecuteRequestSchema, RealmBulkService, type RealmResult } from "@realmwatch/proto/svc/v1/realm_pb";
import { quoteSelectorValue } from "../status/object-key.ts";

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

/** Sends a command for many objects in one call, and in one more by selector; the server goes on when the page is closed. */
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
      const listed = { case: "objects", value: { objects } };
      const targets = [...(objects.length > 0 ? [listed] : []), ...selectorTargets(selector)];
      const downtimeIds: string[] = [];
      for (const [at, target] of targets.entries()) {
        const headers = { "idempotency-key": keyOf(requestId, at) };
        const answer = await send({ ...command.value, target: { target } }, { headers, timeoutMs });
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
    const objects = realms.filter((realm) => realm.objects.length > 0).map(({ selector: _, ...listed }) => listed);
    const selections = [
      ...(objects.length > 0 ? [{ objects }] : []),
      ...realms.flatMap(({ realm, selector }) =>
        selector === "" ? [] : [{ selector: `@realm=${quoteSelectorValue(realm)},${selector}` }],
      ),
    ];
    const answers = await Promise.all(
      selections.map((selection, at) =>
        centre.execute({ ...selection, command, requestId: keyOf(requestId, at) }, { timeoutMs }),
      ),
    );
    return joined(answers.flatMap(({ results }) => results.map(outcomeOf)));
  };
}

/** Id of a call of a request: each call is repeated under its own. */
const keyOf = (requestId: string, at: number): string => (at === 0 ? requestId : `${requestId}-${at}`);

const selectorTargets = (selector: string) => (selector === "" ? [] : [{ case: "selector", value: selector }]);

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
