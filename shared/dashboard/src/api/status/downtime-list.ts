import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { formatObjectName } from "./object-key.ts";
import { optionalMs, type StatusItem } from "./status-item.ts";

/** Downtime of one object. */
type DowntimePart = { readonly id: string; readonly name: string; readonly item: StatusItem };

/** Downtimes that were scheduled together: the same window, author and comment in one realm. Times are Unix ms. */
export type DowntimeGroup = {
  readonly id: string;
  readonly realm: string;
  readonly kind: "fixed" | "flexible" | "triggered" | "recurring";
  readonly startMs: number;
  readonly endMs: number;
  readonly author: string;
  readonly comment: string;
  /** True when the downtime of at least one object is in effect. */
  readonly inEffect: boolean;
  readonly downtime: Downtime;
  readonly parts: readonly DowntimePart[];
};

/** Groups the downtimes of rows: those in effect first by their ends, then the others by their starts. */
export function groupDowntimes(items: readonly StatusItem[]): readonly DowntimeGroup[] {
  const all = items.flatMap((item) => item.row.downtimes.map((downtime) => ({ item, downtime })));
  const groups = Map.groupBy(all, ({ item, downtime }) => groupIdOf(item.realm, downtime));
  return [...groups].flatMap(([id, members]) => groupOf(id, members) ?? []).sort(byTime);
}

type Member = { readonly item: StatusItem; readonly downtime: Downtime };

function groupOf(id: string, members: readonly Member[]): DowntimeGroup | undefined {
  const [first] = members;
  const [startMs, endMs] = [optionalMs(first?.downtime.start), optionalMs(first?.downtime.end)];
  if (first === undefined || startMs === undefined || endMs === undefined) return undefined;
  const { author, comment, kind } = first.downtime;
  const inEffect = members.some(({ downtime }) => downtime.inEffect === true);
  return {
    ...{ id, startMs, endMs, author, comment, inEffect },
    realm: first.item.realm,
    kind: kind.case ?? "fixed",
    downtime: members.find(({ downtime }) => downtime.inEffect === true)?.downtime ?? first.downtime,
    parts: members.map(({ item, downtime }) => ({ id: downtime.id, name: formatObjectName(item.key), item })),
  };
}

function groupIdOf(realm: string, { kind, start, end, author, comment, id }: Downtime): string {
  // A recurring downtime has one id for all its objects.
  if (kind.case === "recurring") return JSON.stringify([realm, id]);
  return JSON.stringify([realm, kind.case, optionalMs(start), optionalMs(end), author, comment]);
}

function byTime(a: DowntimeGroup, b: DowntimeGroup): number {
  if (a.inEffect !== b.inEffect) return a.inEffect ? -1 : 1;
  return a.inEffect ? a.endMs - b.endMs : a.startMs - b.startMs;
}
