import { useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Time that the order is held after the pointer last moved, ms, so that a resting pointer does not freeze the list. */
const heldForMs = 6_000;

type Hold = { items: readonly StatusItem[]; viewKey: string; movedAtMs: number };

export type StableView = { viewKey: string; all: ReadonlyMap<string, StatusItem> };

export type StableRows = {
  readonly shown: readonly StatusItem[];
  /** Ids of rows that are still displayed although their problem or object is gone. */
  readonly removed: ReadonlySet<string>;
  /** Number of new rows that appear when the hold ends. */
  readonly waiting: number;
  readonly onPointerMove: () => void;
  readonly release: () => void;
};

/**
 * Holds rows in place while the pointer moves over them; each is updated from `all`. A change of `viewKey`, the key of
 * filter and sort order, ends the hold.
 */
export function useStableRows(items: readonly StatusItem[], { viewKey, all }: StableView): StableRows {
  const { now } = useAppContext();
  const [hold, setHold] = useState<Hold>();
  // Without a hold the time is not observed, so the list does not render each second.
  const nowMs = useStoreValue(now, (ms) => (hold === undefined ? 0 : ms));
  const release = (): void => setHold(undefined);
  const onPointerMove = (): void =>
    setHold((before) => {
      const movedAtMs = now.get();
      const expired = before === undefined || before.viewKey !== viewKey || movedAtMs - before.movedAtMs >= heldForMs;
      if (expired) return { items, viewKey, movedAtMs };
      return before.movedAtMs === movedAtMs ? before : { ...before, movedAtMs };
    });
  const held = hold !== undefined && hold.viewKey === viewKey && nowMs - hold.movedAtMs < heldForMs;
  if (!held) return { shown: items, removed: new Set(), waiting: 0, onPointerMove, release };
  const known = new Set(hold.items.map(({ id }) => id));
  return {
    shown: hold.items.map((item) => all.get(item.id) ?? item),
    removed: new Set([...known].filter((id) => !all.has(id))),
    waiting: items.filter(({ id }) => !known.has(id)).length,
    onPointerMove,
    release,
  };
}
