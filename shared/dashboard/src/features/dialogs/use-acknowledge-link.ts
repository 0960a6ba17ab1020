import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { parseProblemLink } from "../../api/status/problem-link.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/**
 * Opens the dialog of a link once its object is loaded, and removes `ack` from the address, so that a reload does not
 * open it again.
 */
export function useAcknowledgeLink(link: string | undefined, item: StatusItem | undefined): void {
  const { dialog } = useAppContext();
  const navigate = useNavigate();
  useEffect(() => {
    if (link === undefined || item === undefined) return;
    dialog.set({ kind: "acknowledge_link", target: item, link: parseProblemLink(link) });
    void navigate({ to: ".", search: (search) => ({ ...search, ack: undefined }), replace: true });
  }, [link, item, dialog, navigate]);
}
