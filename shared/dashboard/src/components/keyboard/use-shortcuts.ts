import { useEffect, useRef } from "react";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";

/** What single keys do; two keys with a space between are pressed one after the other: `g p`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Within which the second key of a pair has to follow, ms. */
const pairWithinMs = 1_500;

/** Whether a key press belongs to whatever has the focus and not to the page. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]") !== null
  );
}

/** Runs shortcuts while the component is shown. Off while somebody types, in dialogs, and where they are switched off. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { clock } = useAppContext();
  const enabled = usePreference("shortcuts");
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    if (!enabled) return;
    let first: { key: string; atMs: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const pair = first !== undefined && clock.now() - first.atMs < pairWithinMs ? `${first.key} ${event.key}` : "";
      const run = current.current[pair] ?? current.current[event.key];
      first = { key: event.key, atMs: clock.now() };
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [enabled, clock]);
}
