import { type ComponentProps, useId } from "react";

type ActionButtonProps = Omit<ComponentProps<"button">, "type" | "className" | "onClick"> & {
  onClick: () => void;
  /** Reason why the action is not available; a tooltip on hover and focus. The button stays focusable for it. */
  blockedReason?: string | undefined;
  tone?: "plain" | "primary" | "quiet" | "small";
  /** Keyboard shortcut displayed on the button; the button does not bind it. */
  shortcut?: string;
};

/** Button of an action. */
export function ActionButton({ onClick, blockedReason, tone = "plain", shortcut, ...button }: ActionButtonProps) {
  const { children } = button;
  const id = useId();
  if (blockedReason === undefined)
    return (
      <button {...button} type="button" className={`button is-${tone}`} onClick={onClick}>
        {children}
        {shortcut !== undefined && (
          <span className="key" aria-hidden="true">
            {shortcut}
          </span>
        )}
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
