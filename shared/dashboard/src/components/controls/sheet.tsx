import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { MarkIcon } from "./mark-icon.tsx";
import "./dialogs.css";

type SheetProps = { title: string; onClose: () => void; children: ReactNode };

/** Modal sheet at the lower edge of a narrow screen. Esc, the backdrop and ✕ close it and restore the focus. */
export function Sheet({ title, onClose, children }: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="dialog is-sheet">
          <header className="dialog-head">
            <Dialog.Title className="dialog-title">{title}</Dialog.Title>
            <Dialog.Close className="button is-quiet" aria-label="Close">
              <MarkIcon name="close" />
            </Dialog.Close>
          </header>
          <div className="sheet-body">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
