import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import { totalOf } from "../../api/status/status-counts.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useSummary } from "../../api/status/use-summary.ts";

/** Largest number of hosts whose services are counted: their names have to fit into one selector. */
const maxHosts = 50;

/** Number of services of the hosts among the targets; undefined for hosts of several realms, and until it is known. */
export function useServiceCount(targets: readonly StatusItem[]): number | undefined {
  const hosts = targets.filter(({ key }) => key.kind === "host");
  const realm = hosts[0]?.realm ?? "";
  const countable = hosts.length > 0 && hosts.length <= maxHosts && hosts.every((host) => host.realm === realm);
  const names = hosts.map(({ key }) => JSON.stringify(key.name)).join(",");
  const { summary } = useSummary({ realm, kinds: [ObjectKind.SERVICE], selector: `@host in (${names})` }, countable);
  return countable && summary !== undefined ? totalOf(summary) : undefined;
}
