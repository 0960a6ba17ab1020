import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { SendFailure } from "../../api/commands/send-to-each.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { commandTexts } from "../../texts/command-texts.ts";
import { dialogTexts } from "../../texts/dialog-texts.ts";
import { groupFailures } from "./group-failures.ts";
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
        <span className="muted">{dialogTexts.ctrlEnterSubmits}</span>
        <button type="button" className="button" onClick={() => dialog.set(undefined)}>
          {dialogTexts.cancel}
        </button>
        <button type="submit" className="button is-primary" disabled={busy}>
          {busy
            ? done > 0
              ? dialogTexts.sentOf(done, remaining.length)
              : dialogTexts.sending
            : failed.length > 0
              ? dialogTexts.retry(failed.length)
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
  const groups = groupFailures(failed);
  return (
    <div className="failure" role="alert">
      <strong>{commandTexts.notAccepted(failed.length, total)}</strong>
      <ul>
        {groups.map(({ realm, items, code, message, next }) => (
          <li key={`${realm} ${code} ${message}`}>
            {realm !== "" && <strong>{realm}: </strong>}
            {namesOf(items)}: <code>{code}</code> {message} <span className="muted">{next}</span>
          </li>
        ))}
      </ul>
      {info?.authEnabled !== true && groups.some(({ code }) => code === "unauthenticated") && (
        <button type="button" className="button" onClick={() => dialog.set({ kind: "token" })}>
          {commandTexts.enterToken}
        </button>
      )}
    </div>
  );
}

/** Largest number of objects that a line names; more are a count. */
const maxNamed = 3;

/** Names of a few failed objects, or their number. */
const namesOf = (items: readonly StatusItem[]): string =>
  items.length <= maxNamed
    ? items.map(({ key }) => formatObjectName(key)).join(", ")
    : commandTexts.failedObjects(items.length);
