import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { MarkIcon } from "./mark-icon.tsx";
import "./dialogs.css";

/** Modal dialog with a title. Esc, the backdrop and ✕ close it and restore the focus. */
export function DialogFrame({ title, children }: { title: string; children: ReactNode }) {
  const { dialog } = useAppContext();
  const popup = useRef<HTMLDivElement>(null);
  // Focus the first field instead of the close button.
  const firstField = (): HTMLElement | null => popup.current?.querySelector<HTMLElement>("textarea, input") ?? null;
  return (
    <Dialog.Root open onOpenChange={(open) => open || dialog.set(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup ref={popup} className="dialog" initialFocus={firstField}>
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
