import { objectCommands, useObjectActions } from "../../api/commands/object-actions.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { declined, useShortcuts } from "../../components/keyboard/use-shortcuts.ts";
import type { SelectAllBoxProps } from "../../components/table/selection.tsx";

type ListKeys = SelectAllBoxProps & {
  cursor: string | undefined;
  setCursor: (id: string | undefined) => void;
  /** False in the past view, which has no commands. */
  commandsAvailable: boolean;
};

/** Keyboard shortcuts of a list: movement, selection, and commands on the selected rows or on the cursor's. */
export function useListKeys(keys: ListKeys): void {
  const { rows, selection, cursor, setCursor, onSelectAll, commandsAvailable } = keys;
  const actions = useObjectActions();
  const at = rows.indexOf(cursor ?? "");
  const move = (by: number): void => {
    const next = rows.at(Math.max(0, Math.min(rows.count - 1, at < 0 ? 0 : at + by)));
    if (next !== undefined) setCursor(next.id);
  };
  const current = rows.at(at);
  const chosen = selection.items.size > 0 ? [...selection.items.values()] : current === undefined ? [] : [current];
  const moves = {
    j: () => move(1),
    k: () => move(-1),
    Escape() {
      if (selection.items.size > 0) selection.set([]);
      else setCursor(undefined);
    },
  };
  const { notices } = useAppContext();
  /** Runs an action on the selected rows or the cursor's; without either it says why nothing happens. */
  const act = (run: (items: readonly StatusItem[]) => void) => (): void => {
    if (chosen.length > 0) run(chosen);
    else addNotice(notices, "done", "No row is selected: move to one with j and k, or select with x");
  };
  const commands = {
    x: () => current && selection.toggle(current),
    // On a button or a check box, Space is the press of it.
    " ": () => {
      if (current === undefined || document.activeElement?.matches(".object-link") !== true) return declined;
      return selection.toggle(current);
    },
    "Ctrl+a": onSelectAll,
    ...Object.fromEntries(objectCommands.map(({ key, action }) => [key, act(actions[action])])),
  };
  useShortcuts(commandsAvailable ? { ...moves, ...commands } : moves);
}
