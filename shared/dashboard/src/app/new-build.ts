import { useEffect } from "react";
import { useAppContext } from "../api/context/app-context.tsx";

/** Interval between checks for a new build, ms. */
const checkMs = 60_000;

/** Reloads the page when the server delivers another build of it. */
export function useReloadOnNewBuild(): void {
  const { clock } = useAppContext();
  useEffect(() => {
    let known: string | undefined;
    return clock.every(checkMs, () => {
      void scriptsOfPage().then((scripts) => {
        if (scripts === undefined) return;
        if (known !== undefined && scripts !== known) location.reload();
        known = scripts;
      });
    });
  }, [clock]);
}

/** Names of the scripts that the server's page loads, which contain hashes; undefined while it does not answer. */
async function scriptsOfPage(): Promise<string | undefined> {
  try {
    const response = await fetch("/", { cache: "no-store" });
    if (!response.ok) return undefined;
    return (await response.text()).match(/assets\/[\w.-]+\.js/g)?.join(" ");
  } catch {
    return undefined;
  }
}
