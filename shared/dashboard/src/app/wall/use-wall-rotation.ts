import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useViews } from "../../api/views/use-views.ts";
import { nextWallStop, parseRotate, wallStops } from "./wall-stops.ts";

/** Opens the next page of the wall mode after the stay that the address names with `rotate`, in seconds. */
export function useWallRotation(): void {
  const { clock } = useAppContext();
  const { history } = useRouter();
  const { joined } = useViews();
  const staySeconds = useSearch({ strict: false, select: ({ rotate }: { rotate?: string }) => parseRotate(rotate) });
  useEffect(() => {
    if (staySeconds === undefined) return;
    // Replaced, so that a wall that runs for months collects no history.
    return clock.every(staySeconds * 1_000, () =>
      history.replace(nextWallStop(wallStops(joined ?? []), new URL(location.href))),
    );
  }, [clock, history, joined, staySeconds]);
}
