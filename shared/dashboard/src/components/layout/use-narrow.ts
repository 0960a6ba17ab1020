import { useMemo, useSyncExternalStore } from "react";

/** Widths from which on the layout changes, CSS px. The style sheets have the same values. */
const narrowBelowPx = 901;

/** True on a screen that is too narrow for the navigation rail, such as a phone's. */
export const useNarrow = (): boolean => useMedia(`(width < ${narrowBelowPx}px)`);

/** True while the media query matches. */
export function useMedia(query: string): boolean {
  const list = useMemo(() => window.matchMedia(query), [query]);
  return useSyncExternalStore(
    (changed) => {
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => list.matches,
  );
}
