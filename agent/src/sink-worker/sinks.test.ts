import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { journalBatch, openTestJournals, testHistoryEntry } from "../journal/journal.fixture.ts";
import { manualRight } from "../platform/right/manual-right.fixture.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { host } from "../realm/fixtures/test-realm.fixture.ts";
import { fileSink, httpSink, openSinkReceiver, sinkFolder } from "../sinks/sinks.fixture.ts";
import { Sinks } from "./sinks.ts";

test("a thread that failed is started again after 5 s, but not after the sinks were closed", async (t) => {
  const clock = manualClock();
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, text = "") => void errors.push(text) };
  // Without a journal the thread cannot open its history.
  const dataDir = sinkFolder(t);
  const sinks = new Sinks({ clock, log, dataDir, realm: "fra", lastHistorySeq: 0, outboundDeny: "" });
  await sinks.configure(realmPlan([], { sinks: [fileSink("lines", join(dataDir, "lines"))] }));
  const failure = "the thread of the sinks failed and is started again";
  assert.deepEqual([errors, clock.nextInMs()], [[failure], 5_000]);
  clock.advance(5_000);
  await until("the thread has failed again", () => errors.length === 2);
  await sinks.close(1_000);
  assert.equal(clock.nextInMs(), Number.POSITIVE_INFINITY);
});

test("[PA45] the thread of the sinks delivers only while the agent's thread has the right", async (t) => {
  const journals = openTestJournals((end) => atEnd(t, end));
  const dataDir = journals.newDir();
  await journals.open(dataDir);
  const receiver = await openSinkReceiver(t);
  const right = manualRight(systemClock, { longestActionMs: 5_000 });
  right.end();
  let asked = 0;
  const askedRight: RightToAct = {
    ...right,
    remainingMs() {
      asked += 1;
      return right.remainingMs();
    },
  };
  const log = { info() {}, warn() {}, error: (_: object, text = "") => assert.fail(text) };
  const own = { dataDir, realm: "r", lastHistorySeq: 0, outboundDeny: "", right: askedRight };
  const sinks = new Sinks({ clock: systemClock, log, ...own });
  atEnd(t, () => sinks.close(1_000));
  const plan = realmPlan([host("web1")], { sinks: [httpSink("s", receiver.url)] });
  await sinks.configure(plan);
  const about = plan.objects.get("web1")?.about ?? assert.fail();
  sinks.perfdataReceived([{ about, atMs: 1_000, perfdata: [perfPoint("n", 7)] }], 0);
  await until("the thread has asked", () => asked === 1);
  assert.deepEqual(receiver.values(), []);
  right.grant(60_000);
  await until("the point arrived", () => receiver.values().length === 1);
});

test("[PA36] a sink goes on in the history where the other member of the pair was, and not where this one was", async (t) => {
  const journals = openTestJournals((end) => atEnd(t, end));
  const dataDir = journals.newDir();
  const journal = await journals.open(dataDir);
  const [path, cursor] = ["events", "events.cursor"].map((name) => join(dataDir, name)) as [string, string];
  const plan = realmPlan([], { sinks: [fileSink("s", path, { input: "events", cursor: "events.cursor" })] });
  const log = { info() {}, warn() {}, error: (_: object, text = "") => assert.fail(text) };
  let lastHistorySeq = 0;
  const happens = async (text: string): Promise<void> => {
    const appended = await journal.append(journalBatch({ history: [testHistoryEntry(1, { comment: text })] }));
    lastHistorySeq = appended.ok ? appended.value.lastHistorySeq : assert.fail();
  };
  const positions = new Map<string, number>();
  /** One time of a member as active, in which something happens. Returns the events that its sink has written. */
  const serve = async (text: string): Promise<string> => {
    writeFileSync(path, "");
    const shared = { positions: new Map(positions), store: (sink: string, at: number) => void positions.set(sink, at) };
    const sinks = new Sinks({ clock: systemClock, log, dataDir, realm: "r", lastHistorySeq, outboundDeny: "", shared });
    await sinks.configure(plan);
    await happens(text);
    sinks.historyAdvanced(lastHistorySeq);
    const written = (): string =>
      [...readFileSync(path, "utf8").matchAll(/"comment":"(\w+)"/g)].map(([, found]) => found).join(" ");
    await until(`${text} is written`, () => written().endsWith(text));
    await sinks.close(5_000);
    return written();
  };
  await happens("before");
  assert.equal(await serve("one"), "one");
  const first = readFileSync(cursor);
  // The other member has another file, or none.
  rmSync(cursor);
  await happens("between");
  assert.equal(await serve("two"), "between two");
  writeFileSync(cursor, first);
  assert.equal(await serve("three"), "three");
});
