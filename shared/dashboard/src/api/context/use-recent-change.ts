import { useState } from "react";
import { useAppContext } from "./app-context.tsx";
import { useStoreValue } from "./value-store.ts";

/** Time for which a change counts as recent, ms: its consequences are visible before the time is over. */
const recentForMs = 20_000;

/** True for 20 s after `value` has changed. The first value other than undefined does not count as a change. */
export function useRecentChange(value: string | undefined): boolean {
  const { clock, now } = useAppContext();
  const [last, setLast] = useState({ value, changedAtMs: 0 });
  if (last.value !== value) setLast({ value, changedAtMs: last.value === undefined ? 0 : clock.now() });
  return useStoreValue(now, (nowMs) => nowMs - last.changedAtMs < recentForMs);
}
