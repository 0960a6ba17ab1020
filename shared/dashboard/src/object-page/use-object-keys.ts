import type { StatusItem } from "../api/status-item.ts";
import { useObjectActions } from "../commands/object-actions.ts";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { useServices } from "../services/services.tsx";

export function useObjectKeys(item: StatusItem | undefined): void {
  const { dialog } = useServices();
  const actions = useObjectActions();
  const items = item === undefined ? [] : [item];
  useShortcuts({
    a: () => actions.acknowledge(items),
    d: () => actions.downtime(items),
    c: () => item && dialog.set({ kind: "comment", target: item }),
    r: () => actions.checkNow(items),
  });
}
