import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import {
  alertChangeOf,
  commentCommandInput,
  historySeqs,
  journalBatch,
  openTestJournals,
  recoverWithStates,
  testHistoryEntry,
} from "../../journal/journal.fixture.ts";
import type { Journal } from "../../journal/journal.ts";
import { openJournalForReading } from "../../journal/schema/journal-schema.ts";
import {
  divergedHistory,
  keepDivergedCopy,
  listDivergedCopies,
  noteDivergedMerged,
  pruneDivergedCopies,
} from "./diverged-copies.ts";
import { type JournalFollower, openJournalFollower } from "./journal-follower.ts";
import { relationOf } from "./journal-relation.ts";
import { JournalShipper } from "./journal-shipper.ts";
import { assertEqualJournals } from "./pair-journals.fixture.ts";
import { SnapshotSource } from "./snapshot-source.ts";

const { newDir, open } = openTestJournals(after);

async function openFollower(dataDir: string, more: { onReplaced?(): void } = {}): Promise<JournalFollower> {
  const follower = await openJournalFollower({ dataDir, realm: "r", ...more });
  if (!follower.ok) assert.fail(follower.error);
  after(() => follower.value.close());
  return follower.value;
}

/** Opens the journal of an active member, in a term of its own. */
async function openActive(dataDir: string, term: number, member = "a") {
  const shipper = new JournalShipper({ clock: systemClock });
  const journal = await open(dataDir, { pair: shipper });
  await journal.recover(() => {});
  const begun = journal.beginTerm(term, member);
  return { shipper, journal, begun, source: new SnapshotSource({ dataDir, clock: systemClock, shipper }) };
}
type Active = Awaited<ReturnType<typeof openActive>>;

/** Follows until `stop` resolves, and then until the standby has everything. Returns the number of snapshots. */
async function follow({ shipper, source }: Active, standby: JournalFollower, stop: Promise<unknown>): Promise<number> {
  let running = true;
  let snapshots = 0;
  void stop.then(() => {
    running = false;
  });
  while (running || !shipper.inSync) {
    const { position } = standby.position();
    const related = relationOf(standby.position(), shipper.position()).kind !== "diverged";
    if (related) shipper.acknowledge(position);
    const tail = related ? await shipper.next(position, 5) : ({ kind: "snapshot" } as const);
    if (tail.kind === "groups") assert.equal((await standby.apply(tail.lines, tail.cursors)).kind, "applied");
    if (tail.kind === "snapshot") snapshots += await transfer(source, standby);
  }
  return snapshots;
}

async function transfer(source: SnapshotSource, standby: JournalFollower): Promise<number> {
  let piece = await source.begin();
  for (;;) {
    if (!piece.ok) assert.fail(piece.error);
    const result = await standby.takePiece(piece.value);
    if (result.kind === "waiting") piece = await source.read(piece.value.id, result.offset);
    else {
      assert.equal(result.kind, "applied", result.kind === "applied" ? "" : result.why);
      await source.end();
      return 1;
    }
  }
}

const produce = async (journal: Journal, count: number, name: string): Promise<void> => {
  const one = async (i: number): Promise<void> => {
    const accepted = await journal.accept(commentCommandInput(`${name}${i}`), {
      alerts: [alertChangeOf(`${name}${i}`)],
      answer: {
        ...{ identity: "ann", key: `${name}${i}`, requestHash: "", atMs: i, quota: "commands" },
        answer: { kind: "accepted", ids: [], matched: 1 },
      },
    });
    assert.equal(accepted.ok, true);
    const appended = await journal.append(
      journalBatch({
        states: [{ ref: `${name}${i % 50}`, state: `{"pad":"${"x".repeat(2_000)}"}` }],
        history: [testHistoryEntry(i, { output: `${name}${i}` })],
        appliedCommandSeq: accepted.ok ? accepted.value.seq : 0,
      }),
    );
    assert.equal(appended.ok, true);
    if (appended.ok) await journal.setCursor("nats", appended.value.lastHistorySeq);
  };
  for (let from = 0; from < count; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - from) }, (_, i) => one(from + i)));
};

test("[PA31, PA34] a new standby gets a snapshot while the active member works, then the tail, and can take over", async () => {
  const [here, there] = [newDir(), newDir()];
  const active = await openActive(here, 1);
  active.shipper.runAlone();
  await active.begun;
  await produce(active.journal, 400, "before");
  // The groups were dropped, as after a restart.
  await active.journal.close();
  const again = await openActive(here, 2);
  let replaced = 0;
  const standby = await openFollower(there, { onReplaced: () => void replaced++ });
  // A reader of the old journal, as a standby has for its queries.
  await follow(again, standby, Promise.resolve()).then((count) => assert.equal(count, 1));
  const reader = openJournalForReading(there);
  assert.ok(Number(reader.prepare("SELECT count(*) AS n FROM history").get()?.["n"]) > 0);
  await transfer(again.source, standby);
  await follow(again, standby, again.journal.audit([]));
  reader.close();
  const work = produce(again.journal, 600, "during").then(() => again.journal.keepDocument("realm: 1"));
  assert.equal(await follow(again, standby, work), 0);
  assert.equal(replaced, 2);
  assert.equal(standby.document(), "realm: 1");
  assert.deepEqual(standby.position(), again.shipper.position());
  assertEqualJournals(here, there);
  assert.deepEqual(
    readdirSync(here).filter((name) => name.includes("snapshot")),
    [],
  );
  await again.journal.close();

  const verified = await standby.close();
  const shipper = new JournalShipper({ clock: systemClock });
  shipper.runAlone();
  const taken = await open(there, { pair: shipper, verified });
  const recovered = await recoverWithStates(taken);
  assert.equal(recovered.missing, undefined, "no loss is reported");
  assert.equal(recovered.lastHistorySeq, 1_000);
  assert.equal(await taken.cursor("nats"), await again.journal.cursor("nats"));
  assert.equal((await taken.answerTo({ identity: "ann", key: "during599" })).ok, true);
  await taken.close();
});

test("[PA30] a write is answered when both disks have it, and groups are written meanwhile", async () => {
  const [here, there] = [newDir(), newDir()];
  const active = await openActive(here, 1);
  const standby = await openFollower(there);
  let answered = false;
  const accepted = active.journal.accept(commentCommandInput("a")).then(() => {
    answered = true;
  });
  await until("the group is on the active member's disk", () => active.shipper.lastPosition() > 0);
  assert.equal(answered, false);
  await follow(active, standby, accepted);
  assert.equal(answered, true);
  assertEqualJournals(here, there);
  assert.equal((await standby.keepFacts('{"synced":1}')).ok, true);
  let written = false;
  void active.journal.accept(commentCommandInput("waits")).then(() => {
    written = true;
  });
  assert.equal((await active.journal.keepPairFacts("{}")).ok, true, "a member's own notes do not wait for the standby");
  assert.equal(written, false);
  const late = active.journal.accept(commentCommandInput("b"));
  active.shipper.end("fra-a gave up its role");
  const refused = await late;
  assert.match(!refused.ok && refused.error.kind === "unanswered" ? refused.error.what : "", /gave up its role/);
  await active.journal.close();
  await standby.close();
  const restarted = await openFollower(there);
  assert.equal(restarted.facts(), '{"synced":1}');
  await restarted.close();
});

test("[PA35] a returning member keeps what it has alone, its history is merged once, and it follows again", async () => {
  const [here, there] = [newDir(), newDir()];
  const first = await openActive(here, 1, "a");
  const standby = await openFollower(there);
  await follow(first, standby, produce(first.journal, 20, "both"));
  first.shipper.runAlone();
  await produce(first.journal, 7, "alone");
  await first.journal.close();
  const verified = await standby.close();
  const shipper = new JournalShipper({ clock: systemClock });
  const journal = await open(there, { pair: shipper, verified });
  await journal.recover(() => {});
  const begun = journal.beginTerm(2, "b");
  shipper.runAlone();
  await begun;
  await produce(journal, 5, "second");

  const returned = await openFollower(here);
  await returned.keepFacts('{"member":"a"}');
  const relation = relationOf(returned.position(), shipper.position());
  assert.deepEqual(relation.kind === "diverged" && relation.historySeq, 20);
  const active = {
    shipper,
    journal,
    begun,
    source: new SnapshotSource({ dataDir: there, clock: systemClock, shipper }),
  };
  await follow(active, returned, Promise.resolve());
  assert.equal(returned.facts(), '{"member":"a"}', "the facts are the member's own");
  assert.deepEqual(listDivergedCopies(here), [`1-${returnedName(here)}`]);

  const slice = divergedHistory(here);
  assert.deepEqual(
    slice?.entries.map(({ output }) => output).sort(),
    Array.from({ length: 7 }, (_, i) => `alone${i}`),
  );
  for (let i = 0; i < 2 && slice !== undefined; i++)
    await journal.append(
      journalBatch({
        history: slice.entries.map((entry) => ({ ...entry, divergedFrom: "a" })),
        merged: { from: `a ${slice.copy}`, seq: slice.lastSeq },
      }),
    );
  if (slice !== undefined) await noteDivergedMerged(here, slice);
  assert.equal(divergedHistory(here), undefined);
  assert.equal((await historySeqs(journal)).length, 20 + 5 + 7);
  await follow(active, returned, Promise.resolve());
  assertEqualJournals(here, there);
  await journal.close();
  await returned.close();
});

const returnedName = (dataDir: string): string => listDivergedCopies(dataDir)[0]?.split("-")[1] ?? "";

test("[PA35] a copy is never overwritten, and the newest ten are kept", async () => {
  const dir = newDir();
  const journal = await openActive(dir, 1);
  journal.shipper.runAlone();
  await journal.begun;
  const removed: string[] = [];
  const end = () => journal.shipper.position();
  const keep = () => keepDivergedCopy(dir, end(), { kind: "diverged", position: 0, historySeq: 0 });
  assert.equal((await keep()).ok, true);
  assert.equal((await keep()).ok, true);
  assert.deepEqual(listDivergedCopies(dir), ["1-1"], "a repeated copy of one end");
  const other = { ...end(), counters: { command: 1, history: 0, audit: 0 } };
  assert.equal((await keepDivergedCopy(dir, other, { kind: "diverged", position: 0, historySeq: 0 })).ok, true);
  assert.deepEqual(listDivergedCopies(dir), ["1-1", "1-1-2"]);
  for (let i = 0; i < 10; i++) {
    await journal.journal.audit([]);
    assert.equal((await keep()).ok, true);
  }
  pruneDivergedCopies(dir, (folder) => void removed.push(folder.split("/").at(-1) ?? ""));
  assert.deepEqual(removed, ["1-1", "1-1-2"]);
  assert.equal(listDivergedCopies(dir).length, 10);
  await journal.journal.close();
});

test("[PA34] a snapshot that is damaged, of another realm or incomplete leaves the standby's journal as it is", async () => {
  const [other, there] = [newDir(), newDir()];
  const active = await openActive(other, 1);
  active.shipper.runAlone();
  await produce(active.journal, 30, "x");
  const standby = await openFollower(there);
  const piece = await active.source.begin();
  if (!piece.ok) assert.fail(piece.error);
  const bytes = piece.value.bytes.slice();
  assert.equal(bytes.length, piece.value.totalBytes);
  const before = standby.position();
  const damaged = bytes.slice();
  damaged.fill(0x55, 8_192, 8_192 + 4_096);
  const refused = await standby.takePiece({ ...piece.value, id: "damaged", bytes: damaged });
  assert.match(
    refused.kind === "failed" ? refused.why : refused.kind,
    /the snapshot of the active member cannot be used/,
  );
  assert.deepEqual(standby.position(), before);
  const half = { ...piece.value, id: "half", bytes: bytes.subarray(0, 10_000) };
  assert.deepEqual(await standby.takePiece(half), { kind: "waiting", offset: 10_000 });
  assert.deepEqual(await standby.takePiece(half), { kind: "waiting", offset: 10_000 }, "a repeated piece is dropped");
  const rest = { ...half, offset: 10_000, bytes: bytes.subarray(10_000) };
  assert.equal((await standby.takePiece(rest)).kind, "applied");
  await standby.close();
  const foreign = await openJournalFollower({ dataDir: newDir(), realm: "q" });
  if (!foreign.ok) assert.fail(foreign.error);
  const wrong = await foreign.value.takePiece({ ...piece.value, id: "realm", bytes });
  assert.match(wrong.kind === "failed" ? wrong.why : wrong.kind, /belongs to realm "r"/);
  await foreign.value.close();
  await active.source.end();
  await active.journal.close();
});
