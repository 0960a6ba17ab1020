import { useState } from "react";
import { ActionButton } from "./action-button.tsx";

type CopyButtonProps = {
  /** Text for the clipboard, made when the button is pressed. */
  text: () => string;
  label: string;
};

/** Copies a text, and says so until it loses the focus. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [state, setState] = useState<"ready" | "copied" | "denied">("ready");
  // Browsers provide the clipboard on secure origins only; elsewhere the text can be selected by hand.
  if (navigator.clipboard === undefined) return null;
  const copy = (): void =>
    void navigator.clipboard.writeText(text()).then(
      () => setState("copied"),
      () => setState("denied"),
    );
  return (
    <ActionButton tone="small" onClick={copy} onBlur={() => setState("ready")}>
      {state === "ready" ? label : state === "copied" ? "Copied" : "Not allowed"}
    </ActionButton>
  );
}
