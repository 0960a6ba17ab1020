import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";

/** Returns a function that copies the address of the page, and says so; `what` is the page in that notice. */
export function useCopyLink(what: string): () => Promise<void> {
  const { notices } = useAppContext();
  return async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      addNotice(notices, "done", `The link to this ${what} is copied`);
    } catch {
      // Without TLS a page may not write to the clipboard.
      addNotice(notices, "failed", `Copy the address: ${location.href}`);
    }
  };
}
