import { useObjectActions } from "../../api/commands/object-actions.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useShortcuts } from "../../components/keyboard/use-shortcuts.ts";
import type { Selection } from "../../components/table/selection.tsx";

type ListKeys = {
  items: readonly StatusItem[];
  selection: Selection;
  cursor: string | undefined;
  setCursor: (id: string) => void;
  /** Whether anything can be done with rows. */
  acting: boolean;
};

/** The keys of a list: moving, selecting, and acting on the selected rows or else on the cursor's. */
export function useListKeys({ items, selection, cursor, setCursor, acting }: ListKeys): void {
  const { dialog } = useAppContext();
  const actions = useObjectActions();
  const at = items.findIndex(({ id }) => id === cursor);
  const move = (by: number): void => {
    const next = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
    if (next !== undefined) setCursor(next.id);
  };
  const current = items[at];
  const chosen =
    selection.ids.size > 0 ? items.filter(({ id }) => selection.ids.has(id)) : current === undefined ? [] : [current];
  const moves = { j: () => move(1), k: () => move(-1) };
  const acts = {
    x: () => current && selection.toggle(current.id),
    a: () => actions.acknowledge(chosen),
    d: () => actions.downtime(chosen),
    c: () => current && dialog.set({ kind: "comment", target: current }),
    r: () => actions.checkNow(chosen),
  };
  useShortcuts(acting ? { ...moves, ...acts } : moves);
}
