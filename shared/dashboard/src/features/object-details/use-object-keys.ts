import { useObjectActions } from "../../api/commands/object-actions.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useShortcuts } from "../../components/keyboard/use-shortcuts.ts";

export function useObjectKeys(item: StatusItem | undefined): void {
  const { dialog } = useAppContext();
  const actions = useObjectActions();
  const items = item === undefined ? [] : [item];
  useShortcuts({
    a: () => actions.acknowledge(items),
    d: () => actions.downtime(items),
    c: () => item && dialog.set({ kind: "comment", targets: [item] }),
    r: () => actions.checkNow(items),
  });
}
