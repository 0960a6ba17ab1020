import { type ReactNode, useId } from "react";

type ActionButtonProps = {
  children: ReactNode;
  onClick: () => void;
  /** Why it cannot be used now; shown on hover and focus. The button stays reachable so that the reason is. */
  blockedBecause?: string | undefined;
  tone?: "plain" | "primary" | "quiet" | "small";
  /** The key that does the same; shown only. */
  shortcut?: string;
};

export function ActionButton({ children, onClick, blockedBecause, tone = "plain", shortcut }: ActionButtonProps) {
  const id = useId();
  if (blockedBecause === undefined)
    return (
      <button type="button" className={`button is-${tone}`} onClick={onClick}>
        {children}
        {shortcut !== undefined && <ShortcutMark>{shortcut}</ShortcutMark>}
      </button>
    );
  return (
    <span className="blocked">
      <button type="button" className={`button is-${tone}`} aria-disabled="true" aria-describedby={id}>
        {children}
      </button>
      <span role="tooltip" id={id} className="tooltip">
        {blockedBecause}
      </span>
    </span>
  );
}

/** The key on the button; screen readers hear the button's name only. */
function ShortcutMark({ children }: { children: string }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}
