import { ConnectError } from "@connectrpc/connect";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type AppContext, useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { useStoreValue } from "../context/value-store.ts";
import { randomKey } from "../server/random-key.ts";
import { useServerInfo } from "../server/server-info.ts";
import { useOverview } from "../status/overview.ts";
import type { StatusItem } from "../status/status-item.ts";
import type { BulkClient, BulkCommand, RealmOutcome } from "./bulk-client.ts";
import {
  type BulkRun,
  type EffectCheck,
  type EffectRows,
  waitingRealms,
  withAttempt,
  withOutcomes,
  withRun,
} from "./bulk-run.ts";
import { objectCountText } from "./object-count-text.ts";
import type { PendingCommand } from "./pending-command.ts";
import type { SendFailure } from "./send-to-each.ts";

/** A command for many objects as a form describes it. */
export type BulkForm = {
  readonly label: string;
  /** Values that were entered. A retry with the same values repeats the same request, so nothing is applied twice. */
  readonly entered: unknown;
  /** Creates the command when it is first sent with these values. */
  readonly command: () => BulkCommand;
  readonly hasEffect: EffectCheck;
  readonly effectRows: EffectRows;
  /** Selector that stands for a part of the items, so that all that match are taken, and not only known rows. */
  readonly selected?: { readonly selector: string; readonly ids: ReadonlySet<string> } | undefined;
};

/** Sends a command for all items in one call and returns the items of the realms that did not accept it. */
type BulkSend = (items: readonly StatusItem[], form: BulkForm) => Promise<readonly SendFailure[]>;

type SentForm = { readonly entered: string; readonly requestId: string; readonly command: BulkCommand };

/**
 * Sends bulk commands, and has the run of the last one for several objects.
 *
 * @param inDialog true in a dialog, which has the progress itself, and in which each further call is a retry
 */
export function useSendBulk(inDialog: boolean): { readonly send: BulkSend; readonly run: BulkRun | undefined } {
  const context = useAppContext();
  const { bulkRuns, clock, agentBulk, forwardedBulk } = context;
  const { info } = useServerInfo();
  const { data: overview } = useOverview();
  const queryClient = useQueryClient();
  const last = useRef<SentForm>(undefined);
  const [runId, setRunId] = useState<number>();
  const run = useStoreValue(bulkRuns, (runs) => runs.find(({ id }) => id === runId));
  useLeaveDialog(runId);
  const client = info?.aggregator === true ? forwardedBulk : agentBulk;

  function begin(items: readonly StatusItem[], { label, hasEffect, effectRows }: BulkForm, retry: () => void): number {
    const [id, startedAtMs, revision] = [nextRunId(bulkRuns.get()), clock.now(), overview?.revision ?? ""];
    const realms = waitingRealms(byRealm(items), hasEffect);
    const times = { startedAtMs, settledAtMs: undefined, startRevision: revision, revision };
    bulkRuns.set((runs) => [...runs, { ...{ id, label, realms, effectRows, inDialog, retry }, ...times }]);
    if (inDialog) setRunId(id);
    return id;
  }

  const send: BulkSend = async (items, form) => {
    const text = JSON.stringify(form.entered);
    if (last.current?.entered !== text)
      last.current = { entered: text, requestId: randomKey(), command: form.command() };
    const sent = last.current;
    const attempt = async (some: readonly StatusItem[], id: number | undefined): Promise<readonly SendFailure[]> => {
      const failed = await sendOnce(context, { client, items: some, form, sent, id });
      void queryClient.invalidateQueries();
      return failed;
    };
    const again = (id: number, realms: readonly string[]): void =>
      bulkRuns.set((runs) =>
        withRun(runs, id, (before) => withAttempt(before, { realms, hasEffect: form.hasEffect, atMs: clock.now() })),
      );
    if (run !== undefined) {
      again(run.id, [...byRealm(items).keys()]);
      return attempt(items, run.id);
    }
    if (items.length === 1) return attempt(items, undefined);
    const id: number = begin(items, form, () => {
      const failed = failedItems(bulkRuns.get().find((one) => one.id === id));
      again(id, [...byRealm(failed).keys()]);
      if (failed.length > 0) void attempt(failed, id);
    });
    return attempt(items, id);
  };
  return { send, run };
}

/** Marks the run of a dialog as no longer displayed there when the dialog is closed. */
function useLeaveDialog(runId: number | undefined): void {
  const { bulkRuns } = useAppContext();
  useEffect(
    () => () => {
      if (runId !== undefined) bulkRuns.set((runs) => withRun(runs, runId, (run) => ({ ...run, inDialog: false })));
    },
    [bulkRuns, runId],
  );
}

const nextRunId = (runs: readonly BulkRun[]): number => Math.max(0, ...runs.map(({ id }) => id)) + 1;

const byRealm = (items: readonly StatusItem[]) => Map.groupBy(items, ({ realm }) => realm);

/** Items of the realms that failed; none while an answer is awaited. */
const failedItems = (run: BulkRun | undefined): readonly StatusItem[] =>
  run?.settledAtMs === undefined
    ? []
    : run.realms.flatMap(({ answer, items }) => (answer.kind === "failed" ? items : []));

type Attempt = {
  readonly client: BulkClient;
  readonly items: readonly StatusItem[];
  readonly form: BulkForm;
  readonly sent: SentForm;
  /** The run to update; undefined for a single object. */
  readonly id: number | undefined;
};

/** Sends one call, marks the rows of the accepting realms as pending and updates the run, or says so in a notice. */
async function sendOnce(
  { clock, pending, notices, bulkRuns }: AppContext,
  { client, items, form: { label, hasEffect, selected }, sent, id }: Attempt,
): Promise<readonly SendFailure[]> {
  const own = byRealm(items);
  const realms = [...own].map(([realm, some]) => {
    const listed = some.filter((item) => selected?.ids.has(item.id) !== true);
    const selector = listed.length < some.length ? (selected?.selector ?? "") : "";
    return { realm, selector, objects: listed.map(({ key }) => objectKeyToProto(key)) };
  });
  const outcomes = await outcomesOf(client({ ...sent, realms }), [...own.keys()]);
  const failed: SendFailure[] = [];
  const marks: PendingCommand[] = [];
  for (const { realm, error, downtimeIds } of outcomes)
    for (const item of own.get(realm) ?? [])
      if (error !== undefined) failed.push({ item, error });
      else {
        const isVisibleIn = (row: StatusItem["row"]): boolean => hasEffect(row, item, downtimeIds);
        marks.push({ id: item.id, label, sentAtMs: clock.now(), isVisibleIn });
      }
  pending.set((before) => [...before, ...marks]);
  if (id !== undefined) bulkRuns.set((runs) => withRun(runs, id, (run) => withOutcomes(run, outcomes, clock.now())));
  else if (marks.length > 0) addNotice(notices, "done", `Accepted: ${label} for ${objectCountText(items, 1)}`);
  return failed;
}

/** Outcomes of the realms; when the call itself fails, its error is that of every realm. */
async function outcomesOf(
  sent: Promise<readonly RealmOutcome[]>,
  realms: readonly string[],
): Promise<readonly RealmOutcome[]> {
  try {
    return await sent;
  } catch (error) {
    return realms.map((realm) => ({ realm, downtimeIds: [], error: ConnectError.from(error) }));
  }
}
