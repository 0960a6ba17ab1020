import { useEffect } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";

/** Interval between checks for a new build, ms. */
const checkMs = 30_000;

/** Reloads the page when the server delivers another build of it. */
export function useReloadOnNewBuild(): void {
  const { clock } = useAppContext();
  useEffect(() => {
    return clock.every(checkMs, () => {
      void servedFiles().then((files) => {
        const head = document.head.innerHTML;
        if (files.some((file) => !head.includes(file))) location.reload();
      });
    });
  }, [clock]);
}

/** Scripts and styles that the server's page loads, whose names contain hashes; empty while it does not answer. */
async function servedFiles(): Promise<readonly string[]> {
  try {
    const response = await fetch("/", { cache: "no-store" });
    return response.ok ? ((await response.text()).match(/assets\/[\w.-]+\.(?:js|css)/g) ?? []) : [];
  } catch {
    return [];
  }
}
