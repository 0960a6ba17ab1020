import { useQuery } from "@connectrpc/connect-query";
import { type ObjectRow, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { type ObjectKey, wireRefOf } from "../../api/status/object-key.ts";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";

const pollMs = { usual: 3_000, pending: 1_000 } as const;
/** Labels and parents change only with the configuration. */
const aboutPollMs = 60_000;

export type FollowedObject = { item: StatusItem | undefined; loaded: boolean; error: Error | null };

/** Follows one object. `loaded` without an item: there is no such object. */
export function useObject(realm: string, object: ObjectKey): FollowedObject {
  const { pending } = useAppContext();
  const waiting = useStoreValue(pending, (marks) => marks.length > 0);
  const { data, error } = useQuery(
    QueryService.method.listStatus,
    { realm, object: wireRefOf(object) },
    { refetchInterval: waiting ? pollMs.pending : pollMs.usual },
  );
  const row = data?.rows[0];
  return { item: row && statusItemOf(row), loaded: data !== undefined, error };
}

/** What the configuration says of the object: labels, parents, check type, rule. */
export function useObjectConfiguration(realm: string, object: ObjectKey): ObjectRow | undefined {
  const { data } = useQuery(
    QueryService.method.listObjects,
    { realm, selector: selectorOf(object), pageSize: 1 },
    { refetchInterval: aboutPollMs },
  );
  return data?.rows[0];
}

/** Follows the services of a host. */
export function useHostServices(realm: string, host: string): readonly StatusItem[] {
  const { data } = useQuery(
    QueryService.method.listStatus,
    { realm, selector: `@host=${quote(host)}`, sort: "name" },
    { refetchInterval: pollMs.usual },
  );
  return (data?.rows ?? []).map(statusItemOf).filter((item) => item !== undefined);
}

/** A selector's value in quotes, so that any name is one. */
const quote = (value: string): string => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

function selectorOf(object: ObjectKey): string {
  const own = `@kind=${object.kind},@name=${quote(object.name)}`;
  return object.kind === "service" ? `${own},@host=${quote(object.host)}` : own;
}
