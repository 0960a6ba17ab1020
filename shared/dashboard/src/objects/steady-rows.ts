import { useState } from "react";
import type { StatusItem } from "../api/status-item.ts";
import { useNow } from "../services/services.tsx";

/** How long the order is kept after the pointer last moved, ms: a mouse that was left there must not freeze the list. */
const heldForMs = 6_000;

type Hold = { items: readonly StatusItem[]; viewKey: string; movedAtMs: number };

export type SteadyRows = {
  readonly shown: readonly StatusItem[];
  /** Ids of rows that are still shown although they left the list. */
  readonly gone: ReadonlySet<string>;
  /** How many rows wait for the pointer to leave. */
  readonly waiting: number;
  readonly onPointerMove: () => void;
  readonly release: () => void;
};

/**
 * Keeps rows from moving under the pointer: while it moves over them their order stays, each with its newest
 * state. `viewKey` names filter and order; another one ends the hold.
 */
export function useSteadyRows(items: readonly StatusItem[], viewKey: string): SteadyRows {
  const nowMs = useNow();
  const [hold, setHold] = useState<Hold>();
  const release = (): void => setHold(undefined);
  const onPointerMove = (): void =>
    setHold((before) => {
      if (before === undefined || before.viewKey !== viewKey) return { items, viewKey, movedAtMs: nowMs };
      return before.movedAtMs === nowMs ? before : { ...before, movedAtMs: nowMs };
    });
  const held = hold !== undefined && hold.viewKey === viewKey && nowMs - hold.movedAtMs < heldForMs;
  if (!held) return { shown: items, gone: new Set(), waiting: 0, onPointerMove, release };
  const current = new Map(items.map((item) => [item.id, item]));
  const known = new Set(hold.items.map(({ id }) => id));
  return {
    shown: hold.items.map((item) => current.get(item.id) ?? item),
    gone: new Set([...known].filter((id) => !current.has(id))),
    waiting: items.filter(({ id }) => !known.has(id)).length,
    onPointerMove,
    release,
  };
}
