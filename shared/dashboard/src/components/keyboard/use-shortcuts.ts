import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";

/** Actions by key. Two keys with a space between them form a sequence: `g p`; `Ctrl+` includes the Command key. */
type Shortcuts = Readonly<Record<string, () => unknown>>;

/** Result of an action that declines its key, so that the browser handles it. */
export const declined = Symbol("declined");

/** Keys that also work in text fields. */
const worksInFields = ["Ctrl+k"];

/** Maximum time between the two keys of a sequence, ms. */
const sequenceWithinMs = 1_500;

/** True when the focused element consumes key presses itself. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("[role=dialog]") !== null;

/** Runs shortcuts while the component is mounted. Off in text fields and dialogs, and those without Ctrl when disabled in preferences. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { clock, dialog } = useAppContext();
  const enabled = usePreference("shortcuts");
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    let first: { key: string; atMs: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented || isInDialog(event.target)) return;
      // A dialog that is still loading takes the keys.
      if (dialog.get() !== undefined) return;
      const modified = event.ctrlKey || event.metaKey;
      const key = modified ? `Ctrl+${event.key.toLowerCase()}` : event.key;
      if (isTyping(event.target) && !worksInFields.includes(key)) return;
      if (!enabled && !modified) return;
      const pair = first !== undefined && clock.now() - first.atMs < sequenceWithinMs ? `${first.key} ${key}` : "";
      const run = current.current[pair] ?? current.current[key];
      first = { key, atMs: clock.now() };
      // Rendered at once, so that the next key acts on the state that this one has made.
      if (run === undefined || flushSync(run) === declined) return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [enabled, clock, dialog]);
}
