import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import { recoverRealm } from "@realmwatch/agent/realm/open-realm";
import { recoverKeptState } from "@realmwatch/agent/recovered-journal";
import type { Command } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { StatusQuery } from "@realmwatch/shared/read-model/read-model";
import { anyRow } from "@realmwatch/shared/read-model/rows/row-filter";
import type { Row } from "@realmwatch/shared/row/row";

const loader = openLoader(systemClock);
const folder = mkdtempSync(join(tmpdir(), "realmwatch-past-"));
after(async () => {
  await loader.close();
  rmSync(folder, { recursive: true, force: true });
});

const check = `check: {type: "passive", freshness_threshold: "1000h", max_attempts: 2, flap: {high_threshold: 0.4}}`;
const document = `
hosts: {
	gw: {address: "127.0.0.1", ${check}}
	web1: {address: "127.0.0.1", parents: ["gw"], labels: env: "prod", ${check}, services: {
		http: ${check}
		disk: ${check}
	}}
}
`;
/** References of all objects of the realm. */
export const recordedRefs = ["gw", "web1", "web1!http", "web1!disk"];

async function planOf(text: string): Promise<RealmPlan> {
  const source = { kind: "text", text, name: "past.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "fra", localZone: "UTC" } });
  if (!loaded.ok) assert.fail(loaded.error[0]?.message);
  return loaded.value.value;
}

/** Query for all rows, at the current time. */
export const allRowsQuery: StatusQuery = {
  ...anyRow,
  sort: { by: "name", reverse: false },
  pageSize: 0,
  pageToken: "",
  pageOffset: 0,
  changedSince: "",
  changesOnly: false,
  summaryOnly: false,
  byRealm: false,
  byLabel: false,
  omitRealms: false,
  atMs: undefined,
  nowMs: 0,
};

export async function queryRows(model: MemoryReadModel, query: Partial<StatusQuery> = {}): Promise<readonly Row[]> {
  const answer = await model.status({ ...allRowsQuery, ...query });
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.rows;
}

/** Interval of commands, ms. Between two of them only a downtime is due, in the middle. */
export const recordedTickMs = 1_000;

/** Opens a realm with a real journal and engine, a manual clock and passive checks. */
export async function openRecordedRealm() {
  const clock = manualClock(1_000_000_000_000);
  const dataDir = mkdtempSync(join(folder, "data"));
  const opened = await openJournal({ dataDir, realm: "fra", historyRetentionMs: 1e12, clock });
  if (!opened.ok) assert.fail(opened.error);
  const journal = opened.value;
  const model = memoryReadModel({ generation: "1", history: journal, past: journal, ownRealm: "fra" });
  const ignore = (): void => {};
  const stored = await recoverKeptState(journal, clock.now());
  const recovered = recoverRealm({ name: "fra", plan: await planOf(document), clock, epoch: 1, stored });
  const open = await recovered.open({
    journal,
    run: () => Promise.reject(new Error("all checks are passive")),
    zones: new Set(),
    source: "fra",
    maxConcurrentChecks: 1,
    listeners: {
      rowsChanged: (changes) => model.apply(changes.map(({ change }) => change)),
      catalogChanged: ignore,
      historyAdvanced: ignore,
      notify: ignore,
      handle: ignore,
      journalFailed: ignore,
      journalHealed: ignore,
      resultDropped: ignore,
      checkEnded: ignore,
    },
  });
  model.apply([...open.rows.allRows()]);
  open.start();

  async function settle(): Promise<void> {
    let settled = false;
    void open.loop.settled().then(() => (settled = true));
    const isIdle = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(0);
      return settled;
    };
    await until("the realm loop is idle", isIdle, { everyMs: 0 });
  }
  let seq = 0;
  return {
    clock,
    journal,
    model,
    async tick(ticks: number) {
      for (let half = 0; half < 2 * ticks; half += 1) {
        clock.advance(recordedTickMs / 2);
        await settle();
      }
    },
    async send(command: Command) {
      seq += 1;
      open.inputs.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
      await settle();
    },
    async close() {
      const stopped = open.stop(0);
      await settle();
      await stopped;
      await journal.close();
    },
  };
}
export type RecordedRealm = Awaited<ReturnType<typeof openRecordedRealm>>;
