import { useQuery } from "@connectrpc/connect-query";
import { type ObjectRow, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { quoteSelectorValue } from "../../api/status/object-key.ts";
import { useCountsPollInterval, usePollInterval } from "../../api/status/overview.ts";
import { type StatusItem, statusItemOf, statusItemsOf } from "../../api/status/status-item.ts";

/** Poll interval of labels and parents, ms; they change only with the configuration. */
const configurationPollMs = 300_000;
/** Poll interval of a host's services on the host's page, ms. */
const servicesPollMs = 30_000;

type FollowedObject = { item: StatusItem | undefined; loaded: boolean; error: Error | null };

/** Polls the row of one object. `loaded` without an item means that the object does not exist. */
export function useObject(realm: string, object: ObjectKey): FollowedObject {
  const refetchInterval = usePollInterval("overview");
  const { data, error } = useQuery(
    QueryService.method.listStatus,
    { realm, object: objectKeyToProto(object) },
    { refetchInterval },
  );
  const row = data?.rows[0];
  return { item: row && statusItemOf(row), loaded: data !== undefined, error };
}

/** Configuration of an object: labels, parents, check type, process rule. */
export function useObjectConfiguration(realm: string, object: ObjectKey): ObjectRow | undefined {
  const { data } = useQuery(
    QueryService.method.listObjects,
    { realm, selector: selectorOf(object), pageSize: 1 },
    { refetchInterval: configurationPollMs },
  );
  return data?.rows[0];
}

/**
 * Command line of the object's check, with secrets masked; empty while it is not known, and when there is none.
 *
 * @param answers true when the realm answers calls; without one the last answer is kept
 */
export function useCheckCommand({ realm, key: object }: Pick<StatusItem, "realm" | "key">, answers: boolean): string {
  const { data } = useQuery(
    QueryService.method.getCheckCommand,
    { realm, object: objectKeyToProto(object) },
    // An older realm does not answer; the page then has no command.
    { refetchInterval: configurationPollMs, retry: false, enabled: answers && object.kind !== "process" },
  );
  return data?.command ?? "";
}

/** Polls the services of a host. */
export function useHostServices(realm: string, host: string): readonly StatusItem[] {
  const idleMs = useCountsPollInterval();
  const { data } = useQuery(
    QueryService.method.listStatus,
    { realm, selector: `@host=${quoteSelectorValue(host)}`, sort: "name", omitRealms: true },
    { refetchInterval: Math.min(idleMs, servicesPollMs) },
  );
  return statusItemsOf(data?.rows ?? []);
}

function selectorOf(object: ObjectKey): string {
  const own = `@kind=${object.kind},@name=${quoteSelectorValue(object.name)}`;
  return object.kind === "service" ? `${own},@host=${quoteSelectorValue(object.host)}` : own;
}
