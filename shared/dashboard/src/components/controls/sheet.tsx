import type { ReactNode } from "react";
import { Modal } from "./modal.tsx";

type SheetProps = { title: string; onClose: () => void; children: ReactNode };

/** Modal sheet at the lower edge of a narrow screen. */
export const Sheet = ({ title, onClose, children }: SheetProps) => (
  <Modal title={title} onClose={onClose} className="dialog is-sheet">
    <div className="sheet-body">{children}</div>
  </Modal>
);
