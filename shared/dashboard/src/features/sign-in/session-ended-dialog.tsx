import { Dialog } from "@base-ui/react/dialog";
import { useRef } from "react";
import { useIdentity } from "../../api/server/server-info.ts";
import { CredentialForms } from "./credential-forms.tsx";
import "../../components/controls/dialogs.css";
import "./sign-in.css";

/**
 * Dialog over a page whose session has ended. The page below stays as it is, with what was typed in it; the dialog
 * closes only by signing in.
 */
export function SessionEndedDialog() {
  const identity = useIdentity();
  const popup = useRef<HTMLDivElement>(null);
  const password = (): HTMLElement | null =>
    popup.current?.querySelector<HTMLElement>(identity === undefined ? "input" : "input[type=password]") ?? null;
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop is-front" />
        <Dialog.Popup ref={popup} className="dialog is-front sign-in-forms" initialFocus={password}>
          <div className="dialog-head">
            <Dialog.Title className="title dialog-title">Your session has ended</Dialog.Title>
          </div>
          <Dialog.Description className="sign-in-text">
            Sign in again to continue. What you have typed is kept.
          </Dialog.Description>
          <CredentialForms user={identity?.name ?? ""} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
