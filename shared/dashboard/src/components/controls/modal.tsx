import { Dialog } from "@base-ui/react/dialog";
import type { ComponentProps, ReactNode } from "react";
import { MarkIcon } from "./mark-icon.tsx";
import "./dialogs.css";

type ModalProps = Pick<ComponentProps<typeof Dialog.Popup>, "ref" | "initialFocus"> & {
  title: string;
  className: string;
  onClose: () => void;
  children: ReactNode;
};

/** Modal window with a title. Esc, the backdrop and ✕ close it and restore the focus. */
export function Modal({ title, onClose, children, ...popup }: ModalProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup {...popup}>
          <div className="dialog-head">
            <Dialog.Title className="title dialog-title">{title}</Dialog.Title>
            <Dialog.Close className="button is-quiet" aria-label="Close">
              <MarkIcon name="close" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
