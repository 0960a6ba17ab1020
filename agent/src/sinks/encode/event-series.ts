import type { EventEntry } from "../sink-type.ts";
import { objectNames } from "./entry-lines.ts";
import type { WriteSample, WriteSeries } from "./write-request.ts";

/** Time by which a sample is moved at most to come after the last one of its series, ms. */
const longestMoveMs = 1_000;

/** Encodes events as series for one receiver. */
export function openEventEncoder() {
  /** Times of the last samples of series, by their labels, as far as samples may still be moved behind them. */
  let last = new Map<string, number>();
  let newestMs = 0;

  function firstMs(key: string, atMs: number): number {
    const lastMs = last.get(key);
    return lastMs !== undefined && lastMs >= atMs && lastMs - atMs < longestMoveMs ? lastMs + 1 : atMs;
  }

  return {
    /**
     * Series of the metric `realmwatch_event` for a batch: one sample of 1 for each record, at its time. A series has one
     * sample a millisecond, so that a record takes the next free one. The same batch gives the same samples until
     * `delivered`, so that a receiver recognises a repetition.
     */
    encode(entries: readonly EventEntry[], realm: string): WriteSeries[] {
      const found = new Map<string, { readonly labels: readonly string[]; readonly times: Set<number> }>();
      for (const { record } of entries) {
        const labels = labelsOf(record, realm);
        const key = keyOf(labels);
        const series = found.getOrInsertComputed(key, () => ({ labels, times: new Set() }));
        let atMs = firstMs(key, record.atMs);
        while (series.times.has(atMs)) atMs += 1;
        series.times.add(atMs);
      }
      return [...found.values()].map(({ labels, times }) => ({ metric: "event", labels, samples: samplesAt(times) }));
    },
    /** Notes that the receiver has these series. */
    delivered(series: readonly WriteSeries[]) {
      for (const { labels, samples } of series) {
        const atMs = samples.at(-1)?.atMs ?? 0;
        last.set(keyOf(labels), atMs);
        newestMs = Math.max(newestMs, atMs);
      }
      last = new Map([...last].filter(([, atMs]) => newestMs - atMs < longestMoveMs));
    },
  };
}

const keyOf = (labels: readonly string[]): string => labels.join("\0");

const samplesAt = (times: ReadonlySet<number>): WriteSample[] =>
  [...times].sort((a, b) => a - b).map((atMs) => ({ atMs, value: 1 }));

/** Names and values of the labels of a record in turn, in alphabetical order. */
function labelsOf(record: EventEntry["record"], realm: string): string[] {
  const { host, process, service } = record.key === undefined ? {} : objectNames(record.key);
  const { contact, notificationKind, stateType, status, type } = record;
  const labels = [
    ["__name__", "realmwatch_event"],
    ["contact", contact],
    ["host", host],
    ["notification_kind", notificationKind],
    ["process", process],
    ["realm", realm],
    ["service", service],
    ["state_type", stateType],
    ["status", status],
    ["type", type],
  ] as const;
  return labels.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [name, value.toWellFormed()]));
}
