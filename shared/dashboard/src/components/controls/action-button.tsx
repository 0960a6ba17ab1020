import { type ReactNode, useId } from "react";

type ActionButtonProps = {
  children: ReactNode;
  onClick: () => void;
  /** Reason why the action is not available; a tooltip on hover and focus. The button stays focusable for it. */
  blockedReason?: string | undefined;
  tone?: "plain" | "primary" | "quiet" | "small";
  /** Keyboard shortcut displayed on the button; the button does not bind it. */
  shortcut?: string;
};

export function ActionButton({ children, onClick, blockedReason, tone = "plain", shortcut }: ActionButtonProps) {
  const id = useId();
  if (blockedReason === undefined)
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
        {blockedReason}
      </span>
    </span>
  );
}

/** Shortcut on the button; hidden from screen readers. */
function ShortcutMark({ children }: { children: string }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}
