import { type ReactNode, useRef } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { Modal } from "./modal.tsx";

type DialogFrameProps = {
  title: string;
  /** False for a dialog to read, which gets the focus itself. Default: its first field. */
  focusField?: boolean;
  children: ReactNode;
};

/** Modal dialog that the dashboard's context opens and closes. */
export function DialogFrame({ title, focusField = true, children }: DialogFrameProps) {
  const { dialog } = useAppContext();
  // While the dialog of an ended session is in front, a press on it is outside of this one.
  const { locked } = useServerInfo();
  const popup = useRef<HTMLDivElement>(null);
  // Focus the first field instead of the close button; of radio buttons the chosen one, which the arrow keys start from.
  const firstField = (): HTMLElement | null =>
    popup.current?.querySelector<HTMLElement>("textarea, input:not([type=radio]), input[type=radio]:checked") ?? null;
  return (
    <Modal
      title={title}
      ref={popup}
      className="dialog"
      initialFocus={focusField ? firstField : popup}
      onClose={() => locked || dialog.set(undefined)}
    >
      {children}
    </Modal>
  );
}
