import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { SendFailure } from "../../api/commands/send-to-each.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { TargetList } from "./target-list.tsx";

type CommandFormProps = {
  targets: readonly StatusItem[];
  submit: string;
  /** Reason why the form cannot be submitted yet; undefined when it can. */
  problem: string | undefined;
  /** Sends the command for the remaining targets and returns the failures. */
  send: (targets: readonly StatusItem[], onProgress: (done: number) => void) => Promise<readonly SendFailure[]>;
  children: ReactNode;
};

/**
 * Sends a command for all targets. Failed targets stay in the dialog with code and message and can be retried; accepted
 * ones are not sent again. Ctrl+Enter submits.
 */
export function CommandForm({ targets, submit, problem, send, children }: CommandFormProps) {
  const { dialog } = useAppContext();
  const [failed, setFailed] = useState<readonly SendFailure[]>([]);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const remaining = failed.length > 0 ? failed.map(({ item }) => item) : targets;
  const onSubmit = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    setTried(true);
    if (problem !== undefined || busy) return;
    setBusy(true);
    const outcomes = await send(remaining, setDone);
    setBusy(false);
    setFailed(outcomes);
    if (outcomes.length === 0) dialog.set(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void onSubmit();
  };
  return (
    <form className="dialog-form" onSubmit={onSubmit} onKeyDown={onKeyDown} noValidate>
      <TargetList targets={remaining} />
      {children}
      <FailedList failed={failed} total={targets.length} />
      {tried && problem !== undefined && (
        <p className="failure" role="alert">
          {problem}
        </p>
      )}
      <footer className="dialog-foot">
        <span className="muted">Ctrl+Enter submits</span>
        <button type="button" className="button" onClick={() => dialog.set(undefined)}>
          Cancel
        </button>
        <button type="submit" className="button is-primary" disabled={busy}>
          {busy
            ? done > 0
              ? `Sent ${done} of ${remaining.length}…`
              : "Sending…"
            : failed.length > 0
              ? `Retry ${failed.length}`
              : submit}
        </button>
      </footer>
    </form>
  );
}

function FailedList({ failed, total }: { failed: readonly SendFailure[]; total: number }) {
  const { dialog } = useAppContext();
  const { info } = useServerInfo();
  if (failed.length === 0) return null;
  const failures = failed.map(({ item, error }) => ({ item, ...serverFailureOf(error) }));
  return (
    <div className="failure" role="alert">
      <strong>
        {failed.length} of {total} not accepted
      </strong>
      <ul>
        {failures.slice(0, 10).map(({ item, code, message, next }) => (
          <li key={item.id}>
            {formatObjectName(item.key)}: <code>{code}</code> {message} <span className="muted">{next}</span>
          </li>
        ))}
      </ul>
      {info?.authEnabled !== true && failures.some(({ code }) => code === "unauthenticated") && (
        <button type="button" className="button" onClick={() => dialog.set({ kind: "token" })}>
          Enter a token
        </button>
      )}
    </div>
  );
}
