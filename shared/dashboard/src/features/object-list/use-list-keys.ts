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
  /** False in the past view, which has no commands. */
  commandsAvailable: boolean;
};

/** Keyboard shortcuts of a list: movement, selection, and commands on the selected rows or on the cursor's. */
export function useListKeys({ items, selection, cursor, setCursor, commandsAvailable }: ListKeys): void {
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
  const commands = {
    x: () => current && selection.toggle(current.id),
    a: () => actions.acknowledge(chosen),
    d: () => actions.downtime(chosen),
    c: () => current && dialog.set({ kind: "comment", target: current }),
    r: () => actions.checkNow(chosen),
  };
  useShortcuts(commandsAvailable ? { ...moves, ...commands } : moves);
}
