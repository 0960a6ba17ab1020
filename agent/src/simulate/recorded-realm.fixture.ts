import type { Command } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { sleep } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { refOf } from "@realmwatch/shared/model/object-key";
import { outcome } from "@realmwatch/shared/model/outcome";
import { ok } from "@realmwatch/shared/model/result";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { openJournal } from "../journal/threads/open-journal.ts";
import { recoverRealm } from "../realm/open-realm.ts";

export const recordingStartMs = Date.parse("2026-03-10T12:00Z");

/**
 * Opens a realm with a manual clock whose checks read the statuses that the test sets. `write` stores its history and
 * states in a real journal.
 *
 * @param checkMs returns the time that the next check takes, ms
 */
export async function openRealmScenario(plan: RealmPlan, checkMs: () => number = () => 0) {
  const clock = manualClock(recordingStartMs);
  const statuses = new Map<string, CheckStatus>();
  const states = new Map<string, string>();
  const history: HistoryEntry[] = [];
  const stored = { states: new Map(), program: undefined, commands: [], lastCommandSeq: 0 };
  const recovered = recoverRealm({ name: "fra", plan, clock, epoch: 1, stored });
  const { realm, inputs, loop, ...open } = await recovered.open({
    ...{ source: "fra", zones: new Set(["here"]), maxConcurrentChecks: 1000 },
    journal: {
      append: async (batch) => {
        for (const { ref, state } of batch.states) state === undefined ? states.delete(ref) : states.set(ref, state);
        history.push(...batch.history);
        return ok({ lastHistorySeq: history.length });
      },
    },
    run: async ({ ref }) => {
      const executionMs = checkMs();
      if (executionMs > 0) await sleep(clock, executionMs);
      return { ...outcome(statuses.get(ref) ?? "ok", "as set"), executionMs };
    },
    listeners: {
      ...{ rowsChanged() {}, catalogChanged() {}, historyAdvanced() {}, notify() {}, handle() {}, journalFailed() {} },
      ...{ journalHealed() {}, resultDropped() {}, checkEnded() {} },
    },
  });
  open.start();
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await new Promise((go) => setImmediate(go));
      clock.advance(0);
      await loop.settled();
    }
  };
  let seq = 0;
  return {
    ...{ clock, history, realm },
    /** Sets the status that the next checks of these objects return. */
    set(status: CheckStatus, ...refs: readonly string[]): void {
      for (const ref of refs) statuses.set(ref, status);
    },
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; ) {
        const stepMs = Math.min(left, Math.max(1, clock.nextInMs()));
        clock.advance(stepMs);
        left -= stepMs;
        await settle();
      }
    },
    async command(command: Command): Promise<void> {
      seq += 1;
      inputs.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
      await settle();
    },
    /** Stops the realm and writes its journal to `dataDir`. */
    async write(dataDir: string): Promise<void> {
      clock.advance(0);
      await loop.stop();
      const opened = await openJournal({ dataDir, realm: "fra", historyRetentionMs: 1e12, clock });
      if (!opened.ok) throw new Error(opened.error);
      await opened.value.recover(() => {});
      await opened.value.append({
        states: [...states].map(([ref, state]) => ({ ref, state })),
        program: JSON.stringify({ ...realm.program, aliveAtMs: clock.now() }),
        ...{ history, appliedCommandSeq: 0 },
      });
      await opened.value.close();
    },
    /** Line `minute KIND status ref -> contact` for each recorded notification. */
    sent: () =>
      history.flatMap(({ type, key, atMs, notificationKind, status, contact }) =>
        type === "notification_queued" && key !== undefined
          ? [`${(atMs - recordingStartMs) / 60_000} ${notificationKind} ${status} ${refOf(key)} -> ${contact}`]
          : [],
      ),
  };
}
