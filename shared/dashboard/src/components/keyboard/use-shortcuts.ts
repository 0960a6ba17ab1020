import { useEffect, useRef } from "react";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";

/** Actions by key. Two keys with a space between them form a sequence: `g p`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Maximum time between the two keys of a sequence, ms. */
const sequenceWithinMs = 1_500;

/** True when the focused element consumes key presses itself. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]") !== null
  );
}

/** Runs shortcuts while the component is mounted. Off in text fields and dialogs, and when disabled in preferences. */
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
      const pair =
        first !== undefined && clock.now() - first.atMs < sequenceWithinMs ? `${first.key} ${event.key}` : "";
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
