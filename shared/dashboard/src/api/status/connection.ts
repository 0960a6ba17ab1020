import { useAppContext, useNow } from "../context/app-context.tsx";
import { useStoreValue } from "../context/value-store.ts";
import { liveWithinMs, useOverview } from "./overview.ts";

export type ConnectionState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The tab is visible again, and the first response since then is awaited. */
  | { readonly state: "paused" }
  /** `asOfMs`: time of the last successful response, Unix ms; undefined when there was none. */
  | { readonly state: "lost"; readonly asOfMs: number | undefined; readonly error: Error | null };

/** State of the connection, judged by the overview, which every page polls. */
export function useConnection(): ConnectionState {
  const { data, error } = useOverview();
  const nowMs = useNow();
  const visibleSinceMs = useStoreValue(useAppContext().visibleSinceMs);
  const asOfMs = data?.atMs;
  if (error !== null) return { state: "lost", asOfMs, error };
  if (asOfMs === undefined) return { state: "connecting" };
  if (nowMs - asOfMs < liveWithinMs) return { state: "live" };
  // A hidden tab sends no requests, so the age of its rows says nothing about the connection.
  const returns = asOfMs < visibleSinceMs && nowMs - visibleSinceMs < liveWithinMs;
  return returns ? { state: "paused" } : { state: "lost", asOfMs, error };
}
