import type { MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";

type Methods = typeof CommandService.method;
type Request<M extends keyof Methods> = MessageInitShape<Methods[M]["input"]>;

/** Commands to a realm. Each resolves when the realm has accepted it; the effect becomes visible later. */
export type CommandClient = {
  readonly [M in keyof Methods]: (
    realm: string,
    request: Request<M>,
  ) => Promise<Omit<MessageShape<Methods[M]["output"]>, "$typeName">>;
};

type Send = (request: object) => Promise<object>;

/** Client with every method of CommandService. */
function clientOf(send: (method: keyof Methods, realm: string, request: object) => Promise<object>): CommandClient {
  const methods = Object.keys(CommandService.method) as (keyof Methods)[];
  const client = methods.map((name) => [name, (realm: string, request: object) => send(name, realm, request)]);
  return Object.fromEntries(client);
}

/** Client of an agent. The realm name is ignored, because an agent has one realm. */
export function agentCommandClient(transport: Transport): CommandClient {
  const agent = createClient(CommandService, transport);
  return clientOf((method, _, request) => (agent[method] as Send)(request));
}

/** Client of an aggregator, which forwards each command to the named realm. */
export function forwardedCommandClient(transport: Transport): CommandClient {
  const centre = createClient(RealmCommandService, transport);
  return clientOf((method, realm, request) => (centre[method] as Send)({ realm, request }));
}
