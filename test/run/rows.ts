import { call, type RpcAnswer } from "./call.ts";

/** Status row in JSON; only the fields that tests use. */
export type JsonRow = {
  readonly realm?: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly status: string;
  readonly stateType: string;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly output?: string;
  readonly perfdata?: readonly { readonly label: string; readonly value?: number; readonly uom?: string }[];
  readonly lastCheck?: string;
  readonly nextCheck?: string;
  readonly handled: boolean;
  readonly inDowntime: boolean;
  readonly flapping: boolean;
  readonly suppressedBy?: readonly string[];
  readonly acknowledgement?: {
    readonly author: string;
    readonly onBehalfOf?: string;
    readonly comment?: string;
    readonly sticky: boolean;
  };
  readonly comments?: readonly { readonly id: string; readonly author: string; readonly text: string }[];
  readonly downtimes?: readonly {
    readonly id: string;
    readonly start: string;
    readonly end: string;
    readonly inEffect: boolean;
    readonly comment?: string;
  }[];
  readonly activeChecksEnabled: boolean;
  readonly passiveChecksEnabled: boolean;
  readonly notificationsEnabled: boolean;
};

type JsonObject = {
  readonly host?: { readonly name: string };
  readonly service?: { readonly host: string; readonly name: string };
  readonly process?: { readonly name: string };
};

const nameOf = ({ host, service, process }: JsonObject): string =>
  host?.name ?? (service === undefined ? `process:${process?.name}` : `${service.host}!${service.name}`);

export const hostTarget = (name: string) => ({ object: { host: { name } } });
export const serviceTarget = (host: string, name: string) => ({ object: { service: { host, name } } });

/** Rows of ListStatus by reference: `web1!http`, at an aggregator `fra/web1!http`. Throws when the call fails. */
export async function statusRows(
  base: string,
  request: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, JsonRow>>> {
  const answer = await call(base, "QueryService/ListStatus", request, headers);
  if (!answer.ok) throw new Error(`ListStatus: ${answer.http} ${answer.code} ${answer.message}`);
  const rows = (answer.body["rows"] ?? []) as JsonRow[];
  return Object.fromEntries(rows.map((row) => [`${row.realm ? `${row.realm}/` : ""}${nameOf(row.object)}`, row]));
}

/** Realms of ListStatus by name. Throws when the call fails. */
export async function realmStates(base: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await call(base, "QueryService/ListStatus", { pageSize: 1 }, headers);
  if (!answer.ok) throw new Error(`ListStatus: ${answer.http} ${answer.code} ${answer.message}`);
  const realms = (answer.body["realms"] ?? []) as {
    name: string;
    reachable: boolean;
    lastSeen?: string;
    freshness?: string;
  }[];
  return Object.fromEntries(realms.map((realm) => [realm.name, realm]));
}

/** Sends a command. Throws when it is refused. */
export async function sendCommand(
  base: string,
  rpc: string,
  request: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcAnswer> {
  const answer = await call(base, rpc.includes("/") ? rpc : `CommandService/${rpc}`, request, headers);
  if (!answer.ok) throw new Error(`${rpc}: ${answer.http} ${answer.code} ${answer.message}`);
  return answer;
}
