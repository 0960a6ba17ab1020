import { counted } from "@realmwatch/shared/view/plural";
import { useEffect, useRef, useState } from "react";
import { type BulkRun, countsOf } from "../../api/commands/bulk-run.ts";
import type { SendFailure } from "../../api/commands/send-to-each.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DialogForm, type DialogFormProps } from "../../components/controls/dialog-form.tsx";
import { BulkProgress } from "../../components/feedback/bulk-progress.tsx";
import { type FailureGroup, groupFailures } from "./group-failures.ts";
import { TargetList } from "./target-list.tsx";

type CommandFormProps = Pick<DialogFormProps, "title" | "submit" | "problem" | "children"> & {
  targets: readonly StatusItem[];
  /** Sends the command for the remaining targets and returns the failures. */
  send: (targets: readonly StatusItem[], onProgress: (done: number) => void) => Promise<readonly SendFailure[]>;
  /** Progress of the command for several objects; undefined before it is sent, and for calls with one object each. */
  run?: BulkRun | undefined;
};

/**
 * Sends a command for all targets. Failed targets stay in the dialog with code and message and can be retried; accepted
 * ones are not sent again. A command that runs goes on when the dialog is closed; its result then is a
 * card or a notice.
 */
export function CommandForm({ title, targets, submit, problem, send, run, children }: CommandFormProps) {
  const { dialog, notices } = useAppContext();
  const shown = useShown(run);
  const [failed, setFailed] = useState<readonly SendFailure[]>([]);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const remaining = failed.length > 0 ? failed.map(({ item }) => item) : targets;
  const foot = useRef<HTMLElement>(null);
  // Above the buttons is what has happened, which a low screen would hide.
  useEffect(() => {
    if (busy || failed.length > 0) foot.current?.scrollIntoView({ block: "nearest" });
  }, [busy, failed]);
  const onSubmit = async (): Promise<void> => {
    setBusy(true);
    const outcomes = await send(remaining, setDone);
    // After the dialog was closed another one may be open. A card has the failures of a run.
    if (!shown.current.open) {
      if (shown.current.run === undefined)
        for (const group of groupFailures(outcomes)) addNotice(notices, "failed", failureText(group));
      return;
    }
    setBusy(false);
    setFailed(outcomes);
    if (outcomes.length === 0) dialog.set(undefined);
  };
  return (
    <DialogForm
      title={title}
      submit={busy ? sendingText(done, remaining.length) : failed.length > 0 ? `Retry ${failed.length}` : submit}
      problem={problem}
      busy={busy}
      onSubmit={onSubmit}
      foot={foot}
    >
      <TargetList targets={remaining} />
      {children}
      {run !== undefined && (busy || countsOf(run).accepted > 0) && (
        <div className="run run-in-dialog">
          <BulkProgress run={run} compact={!busy} />
          {busy && <p className="hint">The command goes on when this dialog or the page is closed.</p>}
        </div>
      )}
      {!busy && <FailedList failed={failed} total={targets.length} />}
    </DialogForm>
  );
}

const sendingText = (done: number, all: number): string => (done > 0 ? `Sent ${done} of ${all}…` : "Sending…");

/** State of the form (displayed or closed) and the run of its last call, for what happens after it was closed. */
function useShown(run: BulkRun | undefined) {
  const shown = useRef({ open: true, run });
  useEffect(() => {
    shown.current = { open: true, run };
    return () => {
      shown.current = { open: false, run };
    };
  }, [run]);
  return shown;
}

const failureText = ({ realm, items, code, message }: FailureGroup): string =>
  `${realm === "" ? "" : `${realm}: `}${namesOf(items)}: ${code}: ${message}`;

function FailedList({ failed, total }: { failed: readonly SendFailure[]; total: number }) {
  const { dialog } = useAppContext();
  const { info } = useServerInfo();
  if (failed.length === 0) return null;
  const groups = groupFailures(failed);
  return (
    <div className="failure" role="alert">
      <strong>
        {failed.length} of {total} not accepted
      </strong>
      <ul>
        {groups.map(({ realm, items, code, message, next }) => (
          <li key={`${realm} ${code} ${message}`}>
            {realm !== "" && <strong>{realm}: </strong>}
            {namesOf(items)}: <code>{code}</code> {message} <span className="muted">{next}</span>
          </li>
        ))}
      </ul>
      {info?.authEnabled !== true && groups.some(({ code }) => code === "unauthenticated") && (
        <ActionButton onClick={() => dialog.set({ kind: "token" })}>Enter a token</ActionButton>
      )}
    </div>
  );
}

/** Largest number of objects that a line names; more are a count. */
const maxNamed = 3;

/** Names of a few failed objects, or their number. */
const namesOf = (items: readonly StatusItem[]): string =>
  items.length <= maxNamed ? items.map(({ key }) => formatObjectName(key)).join(", ") : counted(items.length, "object");
