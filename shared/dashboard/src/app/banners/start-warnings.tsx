import { counted } from "@realmwatch/shared/view/plural";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import type { Banner } from "./use-banners.tsx";

/**
 * [DB125] One banner with the warnings about an unprotected server. The server sends them to administrators only. A person
 * can hide the banner in this tab; it comes back when the warnings change.
 */
export function useStartWarnings(): readonly Banner[] {
  const { hiddenWarnings } = useAppContext();
  const hidden = useStoreValue(hiddenWarnings);
  const warnings = useServerInfo().info?.warnings ?? [];
  const shown = warnings.join("\n");
  if (shown === "" || shown === hidden) return [];
  const hide = (): void => {
    hiddenWarnings.set(shown);
    // The button that has the focus goes.
    document.getElementById("main")?.focus();
  };
  const action = (
    <ActionButton tone="quiet" onClick={hide} aria-label="Hide the warnings about this server in this tab">
      Hide
    </ActionButton>
  );
  const title = `${counted(warnings.length, "warning")} about this server:`;
  return [{ id: "start", className: "is-warning", title, text: warnings.join("; "), action }];
}
