import type { Client } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { objectIdOf, oneOfSelector, quoteSelectorValue } from "../../api/status/object-key.ts";
import { totalOf } from "../../api/status/status-counts.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";

type Reader = { readonly query: Pick<Client<typeof QueryService>, "listStatus">; readonly signal: AbortSignal };

/** Property of a row that names hosts: the host of a service, or the parents of a host. */
type HostProperty = "@host" | "@parent";

/** Maximum size of the names in one selector, bytes: a selector may have 4 KiB. */
const maxNamesBytes = 3_900;

const encoder = new TextEncoder();

/** Conditions that together match the rows with a property that names one of the hosts: by realm, each a valid selector. */
export function hostConditions(
  property: HostProperty,
  hosts: readonly StatusItem[],
): readonly { readonly realm: string; readonly selector: string }[] {
  return [...Map.groupBy(hosts, ({ realm }) => realm)].flatMap(([realm, own]) => {
    const parts: string[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const { key } of own) {
      const size = encoder.encode(quoteSelectorValue(key.name)).length + 1;
      if (bytes + size > maxNamesBytes) {
        parts.push([]);
        bytes = 0;
      }
      parts.at(-1)?.push(key.name);
      bytes += size;
    }
    return parts.map((names) => ({ realm, selector: oneOfSelector(property, names) }));
  });
}

/** Counts the services of hosts, or the hosts that have one of them as a parent; in the second count one may be twice. */
export async function countBy(
  property: HostProperty,
  hosts: readonly StatusItem[],
  { query, signal }: Reader,
): Promise<number> {
  const kinds = [property === "@host" ? ObjectKind.SERVICE : ObjectKind.HOST];
  const counts = hostConditions(property, hosts).map(async (condition) => {
    const { summary } = await query.listStatus(
      { ...condition, kinds, summaryOnly: true, omitRealms: true },
      { signal },
    );
    return totalOf(summary);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Reads the hosts that have one of some hosts as a parent, directly or through others; without these hosts themselves. */
export async function readHostsBehind(
  hosts: readonly StatusItem[],
  { query, signal }: Reader,
): Promise<readonly StatusItem[]> {
  const found = new Map(hosts.map((host) => [host.id, host]));
  let level = hosts;
  while (level.length > 0) {
    const next: StatusItem[] = [];
    for (const condition of hostConditions("@parent", level)) {
      const request = { ...condition, kinds: [ObjectKind.HOST], sort: "name", omitRealms: true };
      for (const item of statusItemsOf((await query.listStatus(request, { signal })).rows))
        if (!found.has(item.id)) {
          found.set(item.id, item);
          next.push(item);
        }
    }
    level = next;
  }
  return [...found.values()].slice(hosts.length);
}

/** Number of services among some objects whose host is among them too: a command for services of hosts has them once. */
export function countListedServices(targets: readonly StatusItem[]): number {
  const ids = new Set(targets.map(({ id }) => id));
  return targets.filter(
    ({ realm, key }) => key.kind === "service" && ids.has(objectIdOf(realm, { kind: "host", name: key.host })),
  ).length;
}
