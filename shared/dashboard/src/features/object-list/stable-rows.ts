import { useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/** How long the order is kept after the pointer last moved, ms: a mouse that was left there must not freeze the list. */
const heldForMs = 6_000;

type Hold = { items: readonly StatusItem[]; viewKey: string; movedAtMs: number };

export type StableView = { viewKey: string; all: ReadonlyMap<string, StatusItem> };

export type StableRows = {
  readonly shown: readonly StatusItem[];
  /** Ids of rows that are still shown although their problem or object is no more. */
  readonly gone: ReadonlySet<string>;
  /** How many rows wait for the pointer to leave. */
  readonly waiting: number;
  readonly onPointerMove: () => void;
  readonly release: () => void;
};

/**
 * Keeps rows from moving under the pointer: while it moves over them their order stays, each with its newest
 * state out of `all`. `viewKey` names filter and order; another one ends the hold.
 */
export function useStableRows(items: readonly StatusItem[], { viewKey, all }: StableView): StableRows {
  const { now } = useAppContext();
  const [hold, setHold] = useState<Hold>();
  // Time matters only during a hold; without one the list does not render each second.
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
  if (!held) return { shown: items, gone: new Set(), waiting: 0, onPointerMove, release };
  const known = new Set(hold.items.map(({ id }) => id));
  return {
    shown: hold.items.map((item) => all.get(item.id) ?? item),
    gone: new Set([...known].filter((id) => !all.has(id))),
    waiting: items.filter(({ id }) => !known.has(id)).length,
    onPointerMove,
    release,
  };
}
