import { useNow } from "../context/app-context.tsx";
import { liveWithinMs, useStatusSnapshot } from "./status-feed.ts";

export type ConnectionState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** `asOfMs`: time of the last successful response, Unix ms; undefined when there was none. */
  | { readonly state: "lost"; readonly asOfMs: number | undefined; readonly error: Error | null };

/** State of the connection, judged by the older of the two feeds that every page uses. */
export function useConnection(): ConnectionState {
  const feeds = [useStatusSnapshot("problems"), useStatusSnapshot("overview")];
  const nowMs = useNow();
  const error = feeds.find((feed) => feed.error !== null)?.error ?? null;
  const ages = feeds.map(({ data }) => data?.atMs);
  const asOfMs = ages.includes(undefined) ? undefined : Math.min(...ages.map(Number));
  if (error !== null) return { state: "lost", asOfMs, error };
  if (asOfMs === undefined) return { state: "connecting" };
  return nowMs - asOfMs < liveWithinMs ? { state: "live" } : { state: "lost", asOfMs, error };
}
