import type { TokenPlace, WalkStart } from "../page-token.ts";
import type { StatusSort } from "../read-model.ts";
import { type LiveEntry, placeChangeOf } from "./object-entry.ts";
import type { RowPageOptions } from "./row-page.ts";

/** Walk over pages, at one of its pages. */
export type PageWalk = Pick<RowPageOptions<LiveEntry>, "place" | "isMoved"> & { readonly start: WalkStart };

/** Beginning of a walk of which every row counts as moved. */
const everyRowMoved: WalkStart = { generation: "", change: -1 };

/**
 * [RM30] Continues the walk of a token; undefined begins one. The walk of another process continues with all rows by name,
 * because it is not known which of them have moved since it began.
 *
 * @param now present state of the read model
 */
export function pageWalk({ by }: StatusSort, token: TokenPlace | undefined, now: WalkStart): PageWalk {
  const { place, start } = token ?? { place: undefined, start: now };
  const isKnown = by === "name" || start.change < 0 || start.generation === now.generation;
  const walk = isKnown ? { place, start } : { place: { kind: "moved", after: "" } as const, start: everyRowMoved };
  return { ...walk, isMoved: (entry) => placeChangeOf(entry, by) > walk.start.change };
}
