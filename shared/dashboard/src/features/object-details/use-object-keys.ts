import { objectCommands, useObjectActions } from "../../api/commands/object-actions.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useShortcuts } from "../../components/keyboard/use-shortcuts.ts";

export function useObjectKeys(item: StatusItem | undefined): void {
  const actions = useObjectActions();
  const items = item === undefined ? [] : [item];
  useShortcuts(Object.fromEntries(objectCommands.map(({ key, action }) => [key, () => actions[action](items)])));
}
