import type { LabelCount } from "@realmwatch/proto/svc/v1/query_pb";

/** Values of one label key, the most frequent first. */
export type LabelGroup = { readonly key: string; readonly values: readonly LabelCount[] };

/** Largest number of keys, and of values of a key, that are displayed. */
const [maxKeys, maxValues] = [8, 5] as const;

/**
 * Groups counted labels by key. Keys with a value that several problems have come first, the most frequent ones before
 * the others; a key of which each problem has a value of its own says least.
 */
export function groupLabels(counts: readonly LabelCount[]): readonly LabelGroup[] {
  const groups = [...Map.groupBy(counts, ({ key }) => key)].map(([key, values]) => ({ key, values }));
  const largest = ({ values }: LabelGroup): number => values[0]?.count ?? 0;
  return groups
    .sort((a, b) => largest(b) - largest(a) || (a.key < b.key ? -1 : 1))
    .slice(0, maxKeys)
    .map(({ key, values }) => ({ key, values: values.slice(0, maxValues) }));
}
