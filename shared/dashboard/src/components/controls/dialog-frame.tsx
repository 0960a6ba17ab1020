import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { MarkIcon } from "./mark-icon.tsx";
import "./dialogs.css";

type DialogFrameProps = {
  title: string;
  /** False for a dialog to read, which gets the focus itself. Default: its first field. */
  focusField?: boolean;
  children: ReactNode;
};

/** Modal dialog with a title. Esc, the backdrop and ✕ close it and restore the focus. */
export function DialogFrame({ title, focusField = true, children }: DialogFrameProps) {
  const { dialog } = useAppContext();
  // While the dialog of an ended session is in front, a press on it is outside of this one.
  const { locked } = useServerInfo();
  const popup = useRef<HTMLDivElement>(null);
  // Focus the first field instead of the close button; of radio buttons the chosen one, which the arrow keys start from.
  const firstField = (): HTMLElement | null =>
    popup.current?.querySelector<HTMLElement>("textarea, input:not([type=radio]), input[type=radio]:checked") ?? null;
  return (
    <Dialog.Root open onOpenChange={(open) => open || locked || dialog.set(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup ref={popup} className="dialog" initialFocus={focusField ? firstField : popup}>
          <header className="dialog-head">
            <Dialog.Title className="dialog-title">{title}</Dialog.Title>
            <Dialog.Close className="button is-quiet" aria-label="Close">
              <MarkIcon name="close" />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
