import type { Client } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKinds } from "@realmwatch/shared/model/object-key";
import { statusNames } from "@realmwatch/shared/view/row-status";
import { useQuery } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import { useOverview } from "./overview.ts";

/** Values of each label, by its key, sorted. */
type LabelCatalogue = ReadonlyMap<string, readonly string[]>;

/** Number of objects that are read for their labels, for each kind and realm. */
const sampleSize = 150;
/** Largest number of realms that are read. */
const sampledRealms = 8;
/** Time that a catalogue is used for, ms; labels change only with the configuration. */
const freshMs = 300_000;

/** Keys that every object has, and the values of those with a fixed set. */
const reserved: LabelCatalogue = new Map<string, readonly string[]>([
  ["@kind", objectKinds],
  ["@status", statusNames],
  ["@type", []],
  ["@host", []],
  ["@name", []],
  ["@zone", []],
  ["@cause", []],
  ["@parent", []],
  ["@dependency", []],
]);

/** Labels for suggestions: those of a sample of objects of each realm, fetched when `enabled` is first true. */
export function useLabelCatalogue(enabled: boolean): LabelCatalogue {
  const { query } = useAppContext();
  const realms = (useOverview().data?.realms ?? []).map(({ name }) => name);
  const { data } = useQuery({
    queryKey: ["labels", realms],
    queryFn: ({ signal }) => readLabels(query, realms, signal),
    enabled,
    staleTime: freshMs,
  });
  return data ?? reserved;
}

async function readLabels(
  query: Client<typeof QueryService>,
  realms: readonly string[],
  signal: AbortSignal,
): Promise<LabelCatalogue> {
  const samples = (realms.length === 0 ? [""] : realms.slice(0, sampledRealms)).flatMap((realm) =>
    [ObjectKind.HOST, ObjectKind.SERVICE].map((kind) => ({ realm, kinds: [kind], pageSize: sampleSize })),
  );
  const responses = await Promise.all(samples.map((sample) => query.listObjects(sample, { signal })));
  const values = new Map([...reserved].map(([key, known]) => [key, new Set(known)]));
  if (realms.length > 0) values.set("@realm", new Set(realms));
  const add = (key: string, value: string): void => {
    const known = values.get(key) ?? new Set();
    values.set(key, known.add(value));
  };
  for (const row of responses.flatMap(({ rows }) => rows)) {
    for (const [key, value] of Object.entries(row.labels)) add(key, value);
    const { ref } = row.object ?? {};
    if (ref?.case === "host") add("@host", ref.value.name);
    for (const parent of row.parents) add("@parent", parent);
    for (const name of row.dependsOn) add("@dependency", name);
    if (ref?.case === "service") add("@name", ref.value.name);
    if (row.zone !== "") add("@zone", row.zone);
    if (row.checkType !== "") add("@type", row.checkType);
  }
  const sorted = [...values].map(([key, known]) => [key, [...known].sort(byName)] as const);
  return new Map(sorted.sort(([a], [b]) => byName(a, b)));
}

const byName = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
