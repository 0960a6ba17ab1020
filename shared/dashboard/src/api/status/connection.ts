import { useNow } from "../context/app-context.tsx";
import { liveWithinMs, useOverview } from "./overview.ts";

export type ConnectionState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** `asOfMs`: time of the last successful response, Unix ms; undefined when there was none. */
  | { readonly state: "lost"; readonly asOfMs: number | undefined; readonly error: Error | null };

/** State of the connection, judged by the overview, which every page polls. */
export function useConnection(): ConnectionState {
  const { data, error } = useOverview();
  const nowMs = useNow();
  const asOfMs = data?.atMs;
  if (error !== null) return { state: "lost", asOfMs, error };
  if (asOfMs === undefined) return { state: "connecting" };
  return nowMs - asOfMs < liveWithinMs ? { state: "live" } : { state: "lost", asOfMs, error };
}
