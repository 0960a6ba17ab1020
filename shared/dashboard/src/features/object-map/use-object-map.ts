import type { Client } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { ObjectRow, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import { severityOf } from "@realmwatch/shared/model/status";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { keyOfWireRef, oneOfSelector, quoteSelectorValue, realmSearch } from "../../api/status/object-key.ts";
import { useOverview } from "../../api/status/overview.ts";
import { countsByStatus } from "../../api/status/status-counts.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";
import { leavesOf, parseRule } from "../processes/rule.ts";
import { boundedEntries, groupEntry, type MapEntry, maxObjects, objectEntry } from "./map-entries.ts";

/** Interval between polls, ms; a change of the object, or of the counts of unhandled problems, is another poll. */
const pollMs = 300_000;
/** Largest number of processes whose rules are read, and of selectors in them that are compared with the object. */
const [maxProcesses, maxSelectors] = [200, 12];

/** Entries that the object depends on, and that depend on it. `indirect`: ids of entries that are not next to it. */
export type ObjectMap = {
  readonly above: readonly MapEntry[];
  readonly below: readonly MapEntry[];
  readonly indirect: ReadonlySet<string>;
};

type Reader = { readonly query: Client<typeof QueryService>; readonly signal: AbortSignal };

/** Polls the neighbours of an object in requests that are sent together; undefined before the first responses. */
export function useObjectMap(
  item: StatusItem,
  { parents, dependsOn }: Pick<ObjectRow, "parents" | "dependsOn">,
): ObjectMap | undefined {
  const { query } = useAppContext();
  const { realm, key, row } = item;
  const { unhandled, behind, counts = [] } = useOverview().data?.unhandled ?? {};
  const problems = [unhandled, behind, ...counts.map(({ kind, status, count }) => `${kind} ${status} ${count}`)];
  const own = [row.status, row.handled, row.suppressors, sizeOfImpact(row.impact)];
  const { data: processes } = useQuery({
    queryKey: ["processes of", item.id],
    queryFn: ({ signal }) => readProcessesOf({ query, signal }, item),
    refetchInterval: pollMs,
  });
  const { data } = useQuery({
    queryKey: ["map", realm, refOf(key), parents, dependsOn, processes, own, problems],
    queryFn: ({ signal }) => readMap({ query, signal }, { item, parents, dependsOn, processes: processes ?? [] }),
    enabled: processes !== undefined && unhandled !== undefined,
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });
  return data;
}

/** Names of the processes whose rule reads an object, by reference or by selector. */
async function readProcessesOf({ query, signal }: Reader, { realm, key }: StatusItem): Promise<readonly string[]> {
  const kinds = [ObjectKind.PROCESS];
  const { rows } = await query.listObjects({ realm, kinds, pageSize: maxProcesses }, { signal });
  const processes = rows.flatMap(({ object, rule }) => {
    const process = parseRule(rule);
    return process === undefined ? [] : [{ name: keyOfWireRef(object)?.name ?? "", ...leavesOf(process.rule) }];
  });
  const selectors = [...new Set(processes.flatMap((process) => process.selectors))].slice(0, maxSelectors);
  const isSelectedBy = await Promise.all(
    selectors.map(async (selector) => {
      const request = { realm, object: objectKeyToProto(key), selector, omitRealms: true };
      return (await query.listStatus(request, { signal })).rows.length > 0;
    }),
  );
  const matching = new Set(selectors.filter((_, at) => isSelectedBy[at]));
  return processes
    .filter(({ refs, selectors }) => refs.includes(refOf(key)) || selectors.some((each) => matching.has(each)))
    .map(({ name }) => name);
}

type Neighbours = {
  readonly item: StatusItem;
  readonly parents: readonly string[];
  readonly dependsOn: readonly string[];
  readonly processes: readonly string[];
};

async function readMap(reader: Reader, { item, parents, dependsOn, processes }: Neighbours): Promise<ObjectMap> {
  const { realm, key, row } = item;
  const cause = keyOfWireRef(row.cause);
  const reachedBy = key.kind === "service" ? [key.host] : parents;
  const direct = new Set([...reachedBy, ...row.suppressors, ...dependsOn]);
  // The map has room for the first objects only, so the least important ones come last.
  const wanted = [
    ...new Set([...(cause === undefined ? [] : [refOf(cause)]), ...reachedBy, ...row.suppressors, ...dependsOn]),
  ];
  const [before, children, dependents, readers] = await Promise.all([
    readNamed(reader, realm, wanted.map(keyOf)),
    key.kind === "host" ? readBehind(reader, item, { key: "@parent", noun: "child" }) : [],
    readBehind(reader, item, { key: "@dependency", noun: "dependent" }),
    readNamed(
      reader,
      realm,
      processes.map((name) => ({ kind: "process", name })),
    ),
  ]);
  const causeRef = cause === undefined ? "" : refOf(cause);
  const above = before
    .map((each) => objectEntry(each, roleOf(item, each.key, parents), refOf(each.key) === causeRef))
    .sort((a, b) => Number(b.isCause) - Number(a.isCause) || severityOf[b.status] - severityOf[a.status]);
  const indirect = above.filter(({ isCause }) => isCause && !direct.has(causeRef)).map(({ id }) => id);
  return {
    above: [...above.slice(0, maxObjects), ...moreThanRead(wanted.length)],
    below: [
      ...children,
      ...dependents,
      ...readers.slice(0, maxObjects).map((each) => objectEntry(each, "process")),
      ...behind(item),
    ],
    indirect: new Set(indirect),
  };
}

/** Word for the relation of a neighbour to the object. */
function roleOf({ key }: StatusItem, other: ObjectKey, parents: readonly string[]): string {
  if (key.kind === "service" && other.kind === "host" && other.name === key.host) return "host";
  return key.kind === "host" && other.kind === "host" && parents.includes(other.name) ? "parent" : "dependency";
}

/** Rows of objects by their names: those of one kind in one request. */
async function readNamed({ query, signal }: Reader, realm: string, keys: readonly ObjectKey[]) {
  const some = keys.slice(0, maxObjects);
  const requests = (["host", "process"] as const).flatMap((kind) => {
    const names = some.filter((key) => key.kind === kind).map(({ name }) => name);
    return names.length === 0 ? [] : [{ selector: `@kind=${kind},${oneOfSelector("@name", names)}` }];
  });
  const services = some.filter(({ kind }) => kind === "service").map((key) => ({ object: objectKeyToProto(key) }));
  const responses = await Promise.all(
    [...requests, ...services].map((request) => query.listStatus({ ...request, realm, omitRealms: true }, { signal })),
  );
  return responses.flatMap(({ rows }) => statusItemsOf(rows));
}

/** Entry for the objects that were not read, because the map has no room for them. */
const moreThanRead = (count: number): readonly MapEntry[] =>
  count > maxObjects ? [groupEntry(`${count - maxObjects} more`, "pending", undefined)] : [];

type Relation = { readonly key: "@parent" | "@dependency"; readonly noun: string };

/** Objects that name this one in a property that a selector matches. */
async function readBehind(
  { query, signal }: Reader,
  { realm, key }: StatusItem,
  relation: Relation,
): Promise<readonly MapEntry[]> {
  const selector = `${relation.key}=${quoteSelectorValue(refOf(key))}`;
  const request = { realm, selector, sort: "severity", pageSize: maxObjects, omitRealms: true };
  const { rows, summary } = await query.listStatus(request, { signal });
  const search = { q: selector, ...realmSearch(realm) };
  return boundedEntries(statusItemsOf(rows), { counts: countsByStatus(summary), noun: relation.noun, search });
}

/** Number of all objects behind a cause, which are more than its children. */
function behind({ realm, key, row }: StatusItem): readonly MapEntry[] {
  const count = sizeOfImpact(row.impact);
  if (count === 0) return [];
  const search = { q: oneOfSelector("@cause", [refOf(key)]), ...realmSearch(realm) };
  return [groupEntry(`${count} behind it in all`, "unreachable", { to: "/objects", search })];
}
