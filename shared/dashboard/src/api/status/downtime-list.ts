import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { changeOf } from "@realmwatch/shared/model/downtime";
import { personOf } from "@realmwatch/shared/view/person";
import { formatObjectName } from "./object-key.ts";
import { optionalMs, type StatusItem } from "./status-item.ts";

/** Downtime of one object. */
type DowntimePart = { readonly id: string; readonly name: string; readonly item: StatusItem };

/** Downtimes of one change, over any number of objects and realms. Times are Unix ms. */
export type DowntimeGroup = {
  readonly id: string;
  /** Names of the realms, sorted; on an agent one empty name. */
  readonly realms: readonly string[];
  readonly kind: "fixed" | "flexible" | "triggered" | "recurring";
  readonly startMs: number;
  readonly endMs: number;
  readonly author: string;
  readonly comment: string;
  /** True when the downtime of at least one object is in effect. */
  readonly inEffect: boolean;
  readonly downtime: Downtime;
  readonly parts: readonly DowntimePart[];
  /** Text in lower case that the search box matches. */
  readonly searchText: string;
};

/** Groups the downtimes of rows by change: those in effect first by their ends, then the others by their starts. */
export function groupDowntimes(items: readonly StatusItem[]): readonly DowntimeGroup[] {
  const all = items.flatMap((item) => item.row.downtimes.map((downtime) => ({ item, downtime })));
  const groups = Map.groupBy(all, ({ item, downtime }) => groupIdOf(item.realm, downtime));
  return [...groups].flatMap(([id, members]) => groupOf(id, members) ?? []).sort(byTime);
}

/** Downtimes of which comment, author, realm or an object has each word. */
export function searchDowntimes(groups: readonly DowntimeGroup[], text: string): readonly DowntimeGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
}

type Member = { readonly item: StatusItem; readonly downtime: Downtime };

function groupOf(id: string, members: readonly Member[]): DowntimeGroup | undefined {
  const [first] = members;
  const [startMs, endMs] = [optionalMs(first?.downtime.start), optionalMs(first?.downtime.end)];
  if (first === undefined || startMs === undefined || endMs === undefined) return undefined;
  const { author, onBehalfOf, comment, kind } = first.downtime;
  const inEffect = members.some(({ downtime }) => downtime.inEffect === true);
  const parts = members.map(({ item, downtime }) => ({ id: downtime.id, name: formatObjectName(item.key), item }));
  const realms = [...new Set(members.map(({ item }) => item.realm))].sort();
  const name = kind.case === "recurring" ? kind.value.name : "";
  return {
    ...{ id, startMs, endMs, comment, inEffect, parts, realms },
    author: personOf(first.downtime),
    kind: kind.case ?? "fixed",
    downtime: members.find(({ downtime }) => downtime.inEffect === true)?.downtime ?? first.downtime,
    searchText: [comment, author, onBehalfOf, name, ...realms, ...parts.map(({ name }) => name)]
      .join(" ")
      .toLowerCase(),
  };
}

/** A recurring downtime is one in its realm, whose configuration declares it. */
const groupIdOf = (realm: string, downtime: Downtime): string =>
  downtime.kind.case === "recurring" ? JSON.stringify([realm, downtime.id]) : changeOf(downtime);

function byTime(a: DowntimeGroup, b: DowntimeGroup): number {
  if (a.inEffect !== b.inEffect) return a.inEffect ? -1 : 1;
  return a.inEffect ? a.endMs - b.endMs : a.startMs - b.startMs;
}
