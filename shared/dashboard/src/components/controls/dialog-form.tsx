import { type FormEvent, type KeyboardEvent, type ReactNode, type Ref, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { ActionButton } from "./action-button.tsx";
import { DialogFrame } from "./dialog-frame.tsx";

export type DialogFormProps = {
  title: string;
  /** Text of the button that submits. */
  submit: string;
  /** Reason why the form cannot be submitted yet; shown once that was tried. Undefined when it can. */
  problem: string | undefined;
  /** True while the command runs. */
  busy: boolean;
  onSubmit: () => Promise<void>;
  foot?: Ref<HTMLElement>;
  children: ReactNode;
};

/** Dialog with fields and buttons. Ctrl+Enter submits. */
export function DialogForm({ title, submit, problem, busy, onSubmit, foot, children }: DialogFormProps) {
  const { dialog } = useAppContext();
  const [tried, setTried] = useState(false);
  const trySubmit = (event?: FormEvent): void => {
    event?.preventDefault();
    setTried(true);
    if (problem === undefined && !busy) void onSubmit();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) trySubmit();
  };
  return (
    <DialogFrame title={title}>
      <form className="dialog-form" onSubmit={trySubmit} onKeyDown={onKeyDown} noValidate>
        {children}
        {tried && problem !== undefined && (
          <p className="failure" role="alert">
            {problem}
          </p>
        )}
        <footer className="dialog-foot" ref={foot}>
          <span className="muted">Ctrl+Enter submits</span>
          <ActionButton onClick={() => dialog.set(undefined)}>{busy ? "Close" : "Cancel"}</ActionButton>
          <button type="submit" className="button is-primary" disabled={busy}>
            {submit}
          </button>
        </footer>
      </form>
    </DialogFrame>
  );
}
