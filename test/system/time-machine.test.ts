import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openJournal } from "@realmwatch/agent/journal/journal";
import { recoverAll } from "@realmwatch/agent/kept-journal";
import { openRealm } from "@realmwatch/agent/realm/open-realm";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { memoryHistory } from "@realmwatch/shared/read-model/memory-history";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { StatusQuery } from "@realmwatch/shared/read-model/read-model";
import { anyRow } from "@realmwatch/shared/read-model/row-filter";
import { parseSelector } from "@realmwatch/shared/text/selector";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import type { Command } from "@realmwatch/shared/words/command";
import { manualClock } from "@realmwatch/shared/words/manual-clock";
import { keyOf, refOf } from "@realmwatch/shared/words/object-key";
import type { Row } from "@realmwatch/shared/words/row";
import type { CheckStatus } from "@realmwatch/shared/words/status";
import fc from "fast-check";

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
const refs = ["gw", "web1", "web1!http", "web1!disk"];

async function planOf(text: string): Promise<RealmPlan> {
  const source = { kind: "text", text, name: "past.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "fra", localZone: "UTC" } });
  if (!loaded.ok) assert.fail(loaded.error[0]?.message);
  return loaded.value.value;
}

const everything: StatusQuery = {
  ...anyRow,
  sort: { by: "name", reverse: false },
  pageSize: 0,
  pageToken: "",
  changedSince: "",
  atMs: undefined,
};

async function rowsOf(model: MemoryReadModel, query: Partial<StatusQuery> = {}): Promise<readonly Row[]> {
  const answer = await model.status({ ...everything, ...query });
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.rows;
}

/** What the time machine promises of a row; without what is undefined, as the journal keeps it. */
const promised = (row: Row): unknown => JSON.parse(JSON.stringify(partsOf(row)));
const partsOf = (row: Row) => ({
  ref: refOf(row.about.key),
  status: row.status,
  stateType: row.stateType,
  attempt: row.attempt,
  output: row.output,
  lastHardStatus: row.lastHardStatus,
  lastChangeAtMs: row.lastChangeAtMs,
  lastHardChangeAtMs: row.lastHardChangeAtMs,
  flapping: row.flapping,
  acknowledgement: row.acknowledgement,
  downtimes: row.downtimes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  inDowntime: row.inDowntime,
  comments: row.comments,
  toggles: row.toggles,
  suppressedBy: row.suppressedBy,
  handled: row.handled,
});

/** Instants of a realm are multiples of this, so that nothing is due between two of them. ms */
const tickMs = 1_000;

/** A realm with a real journal and engine and a clock that moves when told. */
async function openWorld() {
  const clock = manualClock(1_000_000_000_000);
  const dataDir = mkdtempSync(join(folder, "data"));
  const opened = await openJournal({ dataDir, realm: "fra", historyRetentionMs: 1e12, clock });
  if (!opened.ok) assert.fail(opened.error);
  const journal = opened.value;
  const model = memoryReadModel({ generation: "1", history: journal, past: journal, ownRealm: "fra" });
  const nobody = (): void => {};
  const open = await openRealm({
    name: "fra",
    plan: await planOf(document),
    clock,
    journal,
    epoch: 1,
    kept: await recoverAll(journal, clock.now()),
    run: () => Promise.reject(new Error("nothing is checked here")),
    zones: new Set(),
    source: "fra",
    maxConcurrentChecks: 1,
    listeners: {
      told: (changes) => model.apply(changes.map(({ change }) => change)),
      catalogChanged: nobody,
      historyAdvanced: nobody,
      notify: nobody,
      handle: nobody,
      journalFailed: nobody,
      journalHealed: nobody,
      resultDropped: nobody,
      checkEnded: nobody,
    },
  });
  model.apply([...open.loop.allRows()]);
  open.start();

  async function settle(): Promise<void> {
    let settled = false;
    void open.loop.settled().then(() => (settled = true));
    do {
      await new Promise((go) => setImmediate(go));
      clock.advance(0);
    } while (!settled);
  }
  let seq = 0;
  return {
    clock,
    journal,
    model,
    async tick(ticks: number) {
      for (let n = 0; n < ticks; n += 1) {
        clock.advance(tickMs);
        await settle();
      }
    },
    async send(command: Command) {
      seq += 1;
      open.loop.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
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
type World = Awaited<ReturnType<typeof openWorld>>;

type Deed = { readonly ticks: number; readonly kind: string; readonly ref: string; readonly what: number };
const switches = ["activeChecks", "passiveChecks", "eventHandler", "flapDetection"] as const;
const results: readonly CheckStatus[] = ["ok", "critical", "warning", "critical"];

function commandOf({ kind, ref, what }: Deed, n: number, nowMs: number): Command {
  switch (kind) {
    case "result": {
      const status = results[what % 4] ?? "ok";
      const measured = { longOutput: "", perfdata: [], executedAtMs: nowMs, executionMs: 1, checkSource: "t" };
      return { kind: "process_check_results", results: [{ ref, status, output: status, ...measured }] };
    }
    case "acknowledge":
      return { kind: "acknowledge_problem", refs: [ref], sticky: what % 2 === 0, notify: false, comment: `ack ${n}` };
    case "unacknowledge":
      return { kind: "remove_acknowledgement", refs: [ref] };
    case "downtime": {
      const startMs = nowMs + (what % 4) * tickMs;
      const shape = what % 2 === 0 ? { kind: "fixed" as const } : { kind: "flexible" as const, durationMs: 5 * tickMs };
      const window = { startMs, endMs: startMs + (3 + (what % 7)) * tickMs };
      return { kind: "schedule_downtime", downtimes: [{ id: `d${n}`, ref }], ...window, comment: "disks", shape };
    }
    case "cancel":
      return { kind: "delete_downtime", ref, id: `d${n - 1 - (what % 8)}` };
    case "comment":
      return { kind: "add_comment", ref, id: `c${n}`, text: `note ${n}` };
    case "uncomment":
      return { kind: "delete_comment", ref, id: `c${n - 1 - (what % 8)}` };
    default:
      return {
        kind: "set_object_toggle",
        refs: [ref],
        toggle: switches[what % 4] ?? "eventHandler",
        enabled: what % 3 > 0,
      };
  }
}

const deeds = fc.array(
  fc.record({
    ticks: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(
      ...["result", "result", "result", "result", "acknowledge", "acknowledge", "unacknowledge"],
      ...["downtime", "downtime", "cancel", "comment", "uncomment", "toggle"],
    ),
    ref: fc.constantFrom(...refs),
    what: fc.nat({ max: 40 }),
  }),
  { minLength: 30, maxLength: 60, size: "max" },
);

type Seen = { readonly atMs: number; readonly rows: readonly unknown[] };

/** Does the deeds and looks at the rows at each tick. */
async function live(world: World, story: readonly Deed[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const [n, deed] of story.entries()) {
    for (let tick = 0; tick < deed.ticks; tick += 1) {
      await world.tick(1);
      if (tick === deed.ticks - 1) await world.send(commandOf(deed, n, world.clock.now()));
      seen.push({ atMs: world.clock.now(), rows: (await rowsOf(world.model)).map(promised) });
    }
  }
  return seen;
}

/** The same rows with a history in memory, as an aggregator without Redis has it. */
async function mirrorOf({ model, journal }: World): Promise<MemoryReadModel> {
  const history = memoryHistory({ maxRecords: 100_000, findSubject: () => undefined });
  history.add((await journal.historyAfter(0, 100_000)).map((record) => ({ ...record, realm: "fra" })));
  const mirror = memoryReadModel({ generation: "2", history });
  mirror.apply((await rowsOf(model)).map((row) => ({ kind: "put", row: { ...row, realm: "fra" } })));
  return mirror;
}

/** More objects than are looked up one by one: records are found by their types instead. */
const crowd = new Set([...refs, ...Array.from({ length: 600 }, (_, n) => `other${n}`)]);

async function evidenceOf({ journal }: World, atMs: number, among: ReadonlySet<string>) {
  const found = await journal.past({ atMs, realm: "fra", refs: among });
  if (!found.ok) assert.fail(JSON.stringify(found.error));
  const nothing = { before: [], downtimes: [], nextState: undefined, later: [] };
  return refs.map((ref) => ({ ...nothing, ...found.value.of("", ref) }));
}

test("[TM2] the answer about an instant is what was answered at that instant", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(deeds, async (story) => {
      const world = await openWorld();
      try {
        const seen = await live(world, story);
        const mirror = await mirrorOf(world);
        for (const { atMs, rows } of seen) {
          assert.deepEqual(
            (await rowsOf(world.model, { atMs })).map(promised),
            rows,
            `${new Date(atMs).toISOString()}`,
          );
          assert.deepEqual((await rowsOf(mirror, { atMs })).map(promised), rows, "mirror");
          const few = await evidenceOf(world, atMs, new Set(refs));
          assert.deepEqual(await evidenceOf(world, atMs, crowd), few, "the journal, asked for many");
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

/** A day on which something of everything happened. */
async function eventfulDay(world: World): Promise<number> {
  const deed = (kind: string, ref: string, what: number): Deed => ({ ticks: 2, kind, ref, what });
  await live(world, [
    ...refs.flatMap((ref) => [deed("result", ref, 0)]),
    ...[deed("result", "web1!http", 1), deed("result", "web1!http", 1), deed("acknowledge", "web1!http", 2)],
    deed("comment", "web1!disk", 0),
  ]);
  const atMs = world.clock.now();
  await live(world, [deed("result", "web1!http", 0), deed("result", "gw", 1), deed("result", "gw", 1)]);
  return atMs;
}

test("[TM3] filters, order, pages and the summary are about the rows of then", async () => {
  const world = await openWorld();
  const atMs = await eventfulDay(world);
  const selector = parseSelector("@status=critical");
  assert.ok(selector.ok);
  const refsOf = async (query: Partial<StatusQuery>) =>
    (await rowsOf(world.model, query)).map(({ about }) => refOf(about.key));
  assert.deepEqual(await refsOf({ problemsOnly: true }), ["gw"]);
  for (const query of [
    { problemsOnly: true },
    { statuses: ["critical"] },
    { selector: selector.value },
    { key: keyOf("web1!http") },
    { search: "HTTP" },
  ] as const)
    assert.deepEqual(await refsOf({ ...query, atMs }), ["web1!http"], JSON.stringify(query));
  assert.deepEqual(await refsOf({ unhandledOnly: true, atMs }), []);
  assert.deepEqual(await refsOf({ realm: "elsewhere", atMs }), []);
  const first = await world.model.status({
    ...everything,
    sort: { by: "severity", reverse: false },
    pageSize: 3,
    atMs,
  });
  assert.ok(first.ok);
  assert.deepEqual(
    first.value.rows.map(({ status }) => status),
    ["critical", "ok", "ok"],
  );
  assert.deepEqual([first.value.summary.acknowledged, first.value.summary.unhandled, first.value.revision], [1, 0, ""]);
  const { nextPageToken: pageToken } = first.value;
  const next = await world.model.status({
    ...everything,
    sort: { by: "severity", reverse: false },
    pageSize: 3,
    pageToken,
    atMs,
  });
  assert.deepEqual(next.ok && [next.value.rows.length, next.value.nextPageToken], [1, ""]);
  await world.close();
});

test("[TM4] where history does not reach back to the instant, what changed since is pending and says why", async () => {
  const world = await openWorld();
  const atMs = await eventfulDay(world);
  const history = memoryHistory({ maxRecords: 4, findSubject: () => undefined });
  history.add(await world.journal.historyAfter(0, 1000));
  const forgetful = memoryReadModel({ generation: "3", history, ownRealm: "fra" });
  forgetful.apply((await rowsOf(world.model)).map((row) => ({ kind: "put", row })));
  const rows = await rowsOf(forgetful, { atMs });
  assert.deepEqual(
    rows.map(({ about, status, output }) => [refOf(about.key), status, output]),
    [
      ["gw", "pending", "history does not reach back so far"],
      ["web1", "ok", "ok"],
      ["web1!disk", "ok", "ok"],
      ["web1!http", "pending", "history does not reach back so far"],
    ],
  );
  await world.close();
});
